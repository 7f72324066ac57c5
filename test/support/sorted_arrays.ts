import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayLike } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { TypeName } from "../../src/algebra/types.ts";
import type { PreparedSort } from "../../src/primitives/sort.ts";
import { guarded, storageBuffer, submitted } from "./buffers.ts";
import { expectSameBits } from "./compare.ts";
import { anyItems, arrayOfBits, randomBits } from "./random.ts";

/** The elements at these positions. */
export function gathered<A extends AnyArray>(data: A, positions: Uint32Array): A {
  const bytes = data.BYTES_PER_ELEMENT;
  const from = new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  const made = new Uint8Array(from.length);
  positions.forEach((position, at) => {
    made.set(from.subarray(position * bytes, (position + 1) * bytes), at * bytes);
  });
  return arrayLike(data, made.buffer) as A;
}

/** Bits of a type in the ways in which sorts have been slow or wrong. */
export const kinds = {
  any: (type, length, name) => anyItems(type, length, name),
  few: (type, length, name) => {
    const next = randomBits(name);
    return arrayOfBits(
      type,
      Array.from({ length }, () => next() % 5),
    );
  },
  equal: (type, length) => arrayOfBits(type, Array(length).fill(77)),
  sorted: (type, length) =>
    arrayOfBits(
      type,
      Array.from({ length }, (_, at) => at),
    ),
  reversed: (type, length) =>
    arrayOfBits(
      type,
      Array.from({ length }, (_, at) => length - at),
    ),
  "top byte": (type, length, name) => {
    const next = randomBits(name);
    const shift = BigInt(elementTypes[type].bytes * 8 - 8);
    return arrayOfBits(
      type,
      Array.from({ length }, () => BigInt(next() % 256) << shift),
    );
  },
} as const satisfies Record<string, (type: TypeName, length: number, name: string) => AnyArray>;

/**
 * Records a sort of keys and a value each, of u32, in ranges between words that nothing may write: in buffers apart, or in place.
 * Its `positions` are the reference's. `more` are ranges and numbers besides.
 */
export async function expectSortedAnywhere(
  device: GPUDevice,
  sort: PreparedSort,
  data: Uint32Array,
  positions: Uint32Array,
  apart: boolean,
  more: object = {},
): Promise<void> {
  const { length } = data;
  const values = Uint32Array.from(data, (_, at) => at);
  const [input, given] = [
    storageBuffer(device, guarded(data, 5, 9)),
    storageBuffer(device, guarded(values, 7, 3)),
  ];
  const blank = new Uint32Array(length);
  const output = apart ? storageBuffer(device, guarded(blank, 3, 2)) : input;
  const reordered = apart ? storageBuffer(device, guarded(blank, 11, 1)) : given;
  const [keyAt, valueAt] = apart ? [3, 11] : [5, 7];
  const [keys, moved] = (await submitted(
    device,
    (encoder) =>
      sort.record(encoder, {
        input: { buffer: input, offset: 20 },
        output: { buffer: output, offset: 4 * keyAt },
        values: { buffer: given, offset: 28 },
        reordered: { buffer: reordered, offset: 4 * valueAt },
        length,
        ...more,
      }),
    [output, reordered],
  )) as [Uint32Array, Uint32Array];
  const title = `${length}${apart ? "" : " in place"}`;
  expectSameBits(keys, guarded(gathered(data, positions), keyAt, apart ? 2 : 9), `${title}: keys`);
  expectSameBits(moved, guarded(gathered(values, positions), valueAt, apart ? 1 : 3), `${title}: values`);
}
