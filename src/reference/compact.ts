import type { ElementType } from "../types.ts";
import type { AnyArray, NameOf, ValueIn } from "./arrays.ts";
import { arrayLike, valuesOf } from "./arrays.ts";
import { typeOfArray } from "./items.ts";

/**
 * What a compaction means: the items for which `keep` is true, in order, bit for bit.
 *
 * @param keep - takes an item's value and its index.
 * @returns the kept items, or with `indices` their positions.
 * @throws {ArgumentError} as the compaction itself.
 *
 * @example
 * ```ts
 * compactReference(Uint32Array.of(4, 7, 2, 9), (value) => value % 2 === 1); // 7 9
 * compactReference(Uint32Array.of(4, 7, 2, 9), (value) => value % 2 === 1, { indices: true }); // 1 3
 * ```
 */
export function compactReference<A extends AnyArray>(
  data: A,
  keep: (value: ValueIn<A>, index: number) => boolean,
  options: { readonly indices: true; readonly type?: ElementType<NameOf<A>> },
): Uint32Array;
export function compactReference<A extends AnyArray>(
  data: A,
  keep: (value: ValueIn<A>, index: number) => boolean,
  options?: { readonly indices?: false; readonly type?: ElementType<NameOf<A>> },
): A;
export function compactReference<A extends AnyArray>(
  data: A,
  keep: (value: ValueIn<A>, index: number) => boolean,
  options: { readonly indices?: boolean; readonly type?: ElementType<NameOf<A>> } = {},
): A | Uint32Array {
  const type = typeOfArray(data, options.type as ElementType | undefined, "compactReference");
  const read = valuesOf(data, type);
  const positions: number[] = [];
  for (let index = 0; index < data.length; index++) {
    if (keep(read(index) as ValueIn<A>, index)) {
      positions.push(index);
    }
  }
  if (options.indices) {
    return Uint32Array.from(positions);
  }
  // Items move as bits: a NaN keeps its payload.
  const size = data.BYTES_PER_ELEMENT;
  const from = new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  const kept = new Uint8Array(positions.length * size);
  positions.forEach((position, slot) => {
    kept.set(from.subarray(position * size, (position + 1) * size), slot * size);
  });
  return arrayLike(data, kept.buffer);
}
