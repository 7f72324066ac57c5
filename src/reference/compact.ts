import type { AnyArray, ArrayOf, NameOf, ValueIn } from "../algebra/arrays.ts";
import { arrayLike } from "../algebra/arrays.ts";
import { describe } from "../algebra/check_value.ts";
import { isTrue } from "../algebra/truth.ts";
import type { Scalar, Value } from "../algebra/types.ts";
import { isSameType } from "../algebra/types.ts";
import { refuse } from "../errors.ts";
import type { IndicesOption, OptionTable } from "../options.ts";
import type { ReferenceType } from "./items.ts";
import { emptyFor, mappedItems } from "./items.ts";
import type { ReferenceMap, ReferenceMapOptions } from "./scan.ts";
import { resultsOver } from "./texts.ts";

/** Flags, beside what says which items are kept. */
export interface ReferenceFlags {
  /** A flag for each item, which is not kept if its flag is zero or false. */
  readonly flags?: ArrayLike<number | boolean>;
}

/** @throws {ArgumentError} for flags that are not one for each item. */
export function requireFlags({ flags }: ReferenceFlags, length: number, caller: string): void {
  const given: unknown = flags === undefined ? length : Object(flags).length;
  if (given !== length) {
    refuse(
      caller,
      "flags",
      given === undefined ? describe(flags) : `a list of ${given}`,
      `a flag for each of ${length} elements`,
    );
  }
}

const names = {
  flags: true,
  indices: "boolean",
  type: true,
  from: true,
  map: true,
} as const satisfies OptionTable<
  ReferenceFlags & IndicesOption & Pick<ReferenceMapOptions<AnyArray, string, Value>, "type" | "map" | "from">
>;

/**
 * What a compaction means: the items for which `keep` is true, in order, bit for bit.
 *
 * @param keep - takes an item's value and its index. Or WGSL over `x` and `i`, as the option `where` takes it.
 * @returns the kept items; with `indices`, their positions; with a map, the mapped kept items.
 * @throws {ArgumentError} as the compaction itself.
 *
 * @example
 * ```ts
 * compactReference(Uint32Array.of(4, 7, 2, 9), (value) => value % 2 === 1); // 7 9
 * compactReference(Uint32Array.of(4, 7, 2, 9), (value) => value % 2 === 1, { indices: true }); // 1 3
 * compactReference(Uint32Array.of(4, 7, 2, 9), "x % 2 == 1"); // 7 9
 * ```
 */
export function compactReference<A extends AnyArray>(
  data: A,
  keep: ((value: ValueIn<A>, index: number) => boolean) | string,
  options: IndicesOption<true> & ReferenceType<NameOf<A>> & ReferenceFlags,
): Uint32Array;
export function compactReference<A extends AnyArray, Name extends string, V extends Value>(
  data: A,
  keep: ((value: ValueIn<A>, index: number) => boolean) | string,
  options: Pick<ReferenceMapOptions<A, Name, V>, "type" | "map" | "from"> & ReferenceFlags,
): ArrayOf<Name, V>;
export function compactReference<A extends AnyArray>(
  data: A,
  keep: ((value: ValueIn<A>, index: number) => boolean) | string,
  options?: Partial<IndicesOption<false>> &
    ReferenceType<NameOf<A>> &
    ReferenceMap<A, ValueIn<A>> &
    ReferenceFlags,
): A;
export function compactReference<A extends AnyArray>(
  data: A,
  keep: ((value: ValueIn<A>, index: number) => boolean) | string,
  options: { readonly indices?: boolean; readonly map?: unknown } & ReferenceFlags = {},
): AnyArray {
  const items = mappedItems(data, options, names, "compactReference");
  const kept = resultsOver(
    keep,
    { array: data, type: items.from },
    { caller: "compactReference", option: "keep", to: "condition" },
  );
  requireFlags(options, data.length, "compactReference");
  const { flags } = options;
  const positions: number[] = [];
  for (let index = 0; index < data.length; index++) {
    if ((flags === undefined || flags[index]) && isTrue(kept(index) as Scalar | boolean)) {
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
  const moved = new Uint8Array(positions.length * size);
  positions.forEach((position, slot) => {
    moved.set(from.subarray(position * size, (position + 1) * size), slot * size);
  });
  return arrayLike(data, moved.buffer);
}
