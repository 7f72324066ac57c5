import type { AnyArray, NameOf, ValueIn } from "../algebra/arrays.ts";
import { arrayLike } from "../algebra/arrays.ts";
import type { ElementType } from "../algebra/types.ts";
import { describe } from "../algebra/value_problem.ts";
import { refuse } from "../errors.ts";
import { requireOptions } from "../options.ts";
import { compactReference } from "./compact.ts";

const names = { indices: true, type: true } as const;

/** All elements: first those that are kept, then the rest, both in order. `count` is how many are kept. */
export interface ReferencePartition<Values> {
  readonly values: Values;
  readonly count: number;
}

/**
 * What a partition means: the items for which `keep` is true, then the others, both in order and bit for bit.
 *
 * @param keep - takes an item's value and its index.
 * @returns `values`: the items; with `indices`, their positions. `count`: how many are kept.
 * @throws {ArgumentError} as the partition itself.
 *
 * @example
 * ```ts
 * const { values, count } = partitionReference(Uint32Array.of(4, 7, 2, 9), (value) => value % 2 === 1);
 * values; // 7 9 4 2
 * count; // 2
 * ```
 */
export function partitionReference<A extends AnyArray>(
  data: A,
  keep: (value: ValueIn<A>, index: number) => boolean,
  options: { readonly indices: true; readonly type?: ElementType<NameOf<A>> },
): ReferencePartition<Uint32Array>;
export function partitionReference<A extends AnyArray>(
  data: A,
  keep: (value: ValueIn<A>, index: number) => boolean,
  options?: { readonly indices?: false; readonly type?: ElementType<NameOf<A>> },
): ReferencePartition<A>;
export function partitionReference<A extends AnyArray>(
  data: A,
  keep: (value: ValueIn<A>, index: number) => boolean,
  options: { readonly indices?: boolean; readonly type?: ElementType<NameOf<A>> } = {},
): ReferencePartition<A | Uint32Array> {
  requireOptions("partitionReference", options, names);
  if (typeof keep !== "function") {
    refuse("partitionReference", "keep", describe(keep), "a function of a value and its index");
  }
  // Each item is asked about once.
  const flags: boolean[] = [];
  const part = (keeps: (value: ValueIn<A>, index: number) => boolean): AnyArray =>
    compactReference(data, keeps, options as { readonly indices?: false });
  const parts = [
    part((value, index) => {
      const isKept = keep(value, index);
      flags[index] = isKept;
      return isKept;
    }),
    part((_, index) => !flags[index]),
  ] as const;
  const bytes = new Uint8Array(parts[0].byteLength + parts[1].byteLength);
  parts.forEach((one, at) => {
    bytes.set(
      new Uint8Array(one.buffer as ArrayBuffer, one.byteOffset, one.byteLength),
      at * parts[0].byteLength,
    );
  });
  return { values: arrayLike(parts[0], bytes.buffer) as A | Uint32Array, count: parts[0].length };
}
