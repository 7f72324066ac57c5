import { valuesOf } from "../algebra/array_values.ts";
import type { AnyArray, ArrayOf, NameOf, ValueIn } from "../algebra/arrays.ts";
import { arrayLike } from "../algebra/arrays.ts";
import { describe } from "../algebra/check_value.ts";
import { isTrue } from "../algebra/truth.ts";
import type { Value } from "../algebra/types.ts";
import { isSameType } from "../algebra/types.ts";
import { refuse } from "../errors.ts";
import type { IndicesOption, OptionTable } from "../options.ts";
import type { ReferenceType } from "./items.ts";
import { emptyFor, mappedItems } from "./items.ts";
import type { ReferenceMap, ReferenceMapOptions } from "./scan.ts";

const names = { indices: "boolean", type: true, from: true, map: true } as const satisfies OptionTable<
  IndicesOption & Pick<ReferenceMapOptions<AnyArray, string, Value>, "type" | "map" | "from">
>;

/**
 * What a compaction means: the items for which `keep` is true, in order, bit for bit.
 *
 * @param keep - takes an item's value and its index.
 * @returns the kept items; with `indices`, their positions; with a map, the mapped kept items.
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
  options: IndicesOption<true> & ReferenceType<NameOf<A>>,
): Uint32Array;
export function compactReference<A extends AnyArray, Name extends string, V extends Value>(
  data: A,
  keep: (value: ValueIn<A>, index: number) => boolean,
  options: Pick<ReferenceMapOptions<A, Name, V>, "type" | "map" | "from">,
): ArrayOf<Name, V>;
export function compactReference<A extends AnyArray>(
  data: A,
  keep: (value: ValueIn<A>, index: number) => boolean,
  options?: Partial<IndicesOption<false>> & ReferenceType<NameOf<A>> & ReferenceMap<A, ValueIn<A>>,
): A;
export function compactReference<A extends AnyArray>(
  data: A,
  keep: (value: ValueIn<A>, index: number) => boolean,
  options: { readonly indices?: boolean; readonly map?: unknown } = {},
): AnyArray {
  const items = mappedItems(data, options, names, "compactReference");
  if (typeof keep !== "function") {
    refuse("compactReference", "keep", describe(keep), "a function of a value and its index");
  }
  const read = valuesOf(data, items.from);
  const positions: number[] = [];
  for (let index = 0; index < data.length; index++) {
    if (isTrue(keep(read(index) as ValueIn<A>, index))) {
      positions.push(index);
    }
  }
  if (options.indices) {
    return Uint32Array.from(positions);
  }
  if (options.map !== undefined || !isSameType(items.from, items.type)) {
    const { array, set } = emptyFor(data, items, positions.length, "compactReference");
    positions.forEach((position, slot) => {
      set(slot, items.read(position));
    });
    return array;
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
