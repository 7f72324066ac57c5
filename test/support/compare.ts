import { expect } from "vitest";

/** Typed arrays, and structs' arrays: bytes, and the size of an item. */
export interface Items {
  readonly buffer: ArrayBufferLike;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly BYTES_PER_ELEMENT?: number;
}

/** The items as unsigned integers of their own size; structs as words or half-words. */
export function bitsOf(array: Items): Uint32Array | Uint16Array | BigUint64Array {
  if (!(array.byteLength >= 0)) {
    // It would be equal to all else that has no bytes.
    expect.fail("what is compared is no array");
  }
  const bytes = new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength).slice()
    .buffer;
  const size = array.BYTES_PER_ELEMENT ?? 4;
  if (size === 8) {
    return new BigUint64Array(bytes);
  }
  return size % 4 === 0 ? new Uint32Array(bytes) : new Uint16Array(bytes);
}

const hex = (bits: number | bigint | undefined): string =>
  bits === undefined ? "nothing" : `0x${bits.toString(16)}`;

/** Every item, as bits; fails with the first index that differs. */
export function expectSameBits(actual: Items, expected: Items, title: string): void {
  const a = bitsOf(actual);
  const e = bitsOf(expected);
  let differing = 0;
  let first = -1;
  for (let index = 0; index < Math.max(a.length, e.length); index++) {
    if (a[index] !== e[index]) {
      first = first < 0 ? index : first;
      differing++;
    }
  }
  if (first >= 0) {
    expect.fail(
      `${title}: ${differing} of ${e.length} differ (${a.length} given), first at ${first}: ${hex(a[first])} instead of ${hex(e[first])}`,
    );
  }
}

/** Every item within its bound of the exact value. */
export function expectWithin(
  actual: ArrayLike<number>,
  exact: readonly { readonly value: number; readonly bound: number }[],
  title: string,
): void {
  expect(actual.length, title).toBe(exact.length);
  exact.forEach(({ value, bound }, index) => {
    const off = Math.abs((actual[index] ?? Number.NaN) - value);
    if (!(off <= bound)) {
      expect.fail(
        `${title}: at ${index}: ${actual[index]} is ${off} from ${value}, and the bound is ${bound}`,
      );
    }
  });
}
