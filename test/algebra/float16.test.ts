import { expect, test } from "vitest";
import { decodeFloat16, encodeFloat16 } from "../../src/algebra/float16.ts";

const INFINITY = 0x7c00;

/** The next number of binary64 up or down. */
function beside(value: number, steps: bigint): number {
  const words = new BigInt64Array(Float64Array.of(value).buffer);
  return new Float64Array(BigInt64Array.of((words[0] ?? 0n) + steps).buffer)[0] ?? Number.NaN;
}

test("every number of binary16 has its own bits, and NaN has those of one", () => {
  const bits = Array.from({ length: 2 ** 16 }, (_, at) => at);
  const wrong = bits.filter((one) => {
    const isNoNumber = (one & 0x7fff) > INFINITY;
    return encodeFloat16(decodeFloat16(one)) !== (isNoNumber ? 0x7e00 : one);
  });
  expect(wrong).toEqual([]);
});

test("the nearest number is taken, and the even one of two that are as near", () => {
  for (let bits = 0; bits < INFINITY; bits++) {
    const low = decodeFloat16(bits);
    // The number after the greatest one would be 2^16. From the middle on, infinity stands for it.
    const high = bits + 1 === INFINITY ? 2 ** 16 : decodeFloat16(bits + 1);
    const middle = (low + high) / 2;
    for (const [value, expected] of [
      [beside(middle, -1n), bits],
      [middle, bits + (bits % 2)],
      [beside(middle, 1n), bits + 1],
      [beside(high, -1n), bits + 1],
      [beside(high, 1n), bits + 1],
    ] as const) {
      if (encodeFloat16(value) !== expected || encodeFloat16(-value) !== expected + 0x8000) {
        expect.fail(`${value} is ${encodeFloat16(value)}, not ${expected}`);
      }
    }
  }
});

test.each([
  [0, 0],
  [-0, 0x8000],
  [Number.MIN_VALUE, 0],
  [65519.99, 0x7bff],
  [65520, INFINITY],
  [Number.MAX_VALUE, INFINITY],
  [Infinity, INFINITY],
  [-Infinity, INFINITY + 0x8000],
])("%d", (value, bits) => {
  expect(encodeFloat16(value)).toBe(bits);
});
