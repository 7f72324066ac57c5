import type { AnyArray, NameOf, ValueIn } from "../algebra/arrays.ts";
import { arrayLike } from "../algebra/arrays.ts";
import { isTrue } from "../algebra/truth.ts";
import type { ElementType, Scalar } from "../algebra/types.ts";
import { refuse, shown } from "../errors.ts";
import type { IndicesOption, OptionTable } from "../options.ts";
import { requireOptions } from "../options.ts";
import type { ReferenceFlags } from "./compact.ts";
import { compactReference, requireFlags } from "./compact.ts";
import type { ReferenceType } from "./items.ts";
import { numberUpTo, typeOfArray } from "./items.ts";
import { resultsOver } from "./texts.ts";

const names = { flags: true, indices: "boolean", type: true, classes: true } as const satisfies OptionTable<
  ReferenceFlags & IndicesOption & ReferenceType<string> & ReferenceClasses
>;

/** All elements: first those that are kept, then the rest, both in order. `count` is how many are kept. */
export interface ReferencePartition<Values> {
  /** The elements: those that are kept, then the rest. */
  readonly values: Values;
  /** How many are kept. */
  readonly count: number;
}

/** All elements: those of class 0, then those of class 1, and so on. `offsets` is where each begins, and the last one ends. */
export interface ReferenceClassPartition<Values> {
  /** The elements, class by class. */
  readonly values: Values;
  /** Where each class begins, and where the last one ends. */
  readonly offsets: Uint32Array;
}

/** The option `classes` of a partition into more parts than two. */
export interface ReferenceClasses {
  /** How many classes there are. */
  readonly classes: number;
}

/**
 * What a partition means: the items for which `keep` is true, then the others, both in order and bit for bit.
 *
 * @param keep - takes an item's value and its index. With `classes`, the number of classes, it gives the item's class. A fraction
 * is cut off, and then a number below 0 or past the last class counts as the last class, and so does NaN. Or WGSL over `x` and `i`, as the
 * options `where` and `class` take it.
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
  keep: ((value: ValueIn<A>, index: number) => boolean) | string,
  options: IndicesOption<true> & ReferenceType<NameOf<A>> & ReferenceFlags,
): ReferencePartition<Uint32Array>;
export function partitionReference<A extends AnyArray>(
  data: A,
  classOf: ((value: ValueIn<A>, index: number) => number) | string,
  options: ReferenceClasses & IndicesOption<true> & ReferenceType<NameOf<A>>,
): ReferenceClassPartition<Uint32Array>;
export function partitionReference<A extends AnyArray>(
  data: A,
  classOf: ((value: ValueIn<A>, index: number) => number) | string,
  options: ReferenceClasses & Partial<IndicesOption<false>> & ReferenceType<NameOf<A>>,
): ReferenceClassPartition<A>;
export function partitionReference<A extends AnyArray>(
  data: A,
  keep: ((value: ValueIn<A>, index: number) => boolean) | string,
  options?: Partial<IndicesOption<false>> & ReferenceType<NameOf<A>> & ReferenceFlags,
): ReferencePartition<A>;
export function partitionReference<A extends AnyArray>(
  data: A,
  keep: ((value: ValueIn<A>, index: number) => boolean | number) | string,
  options: {
    readonly classes?: number;
    readonly indices?: boolean;
    readonly type?: ElementType<NameOf<A>>;
  } & ReferenceFlags = {},
): ReferencePartition<A | Uint32Array> | ReferenceClassPartition<A | Uint32Array> {
  requireOptions("partitionReference", options, names);
  const { classes, flags, ...others } = options;
  if (classes !== undefined && !(Number.isInteger(classes) && classes >= 1 && classes <= 16)) {
    refuse("partitionReference", "classes", shown(classes), "a whole number from 1 to 16");
  }
  const caller = "partitionReference";
  const type = typeOfArray(data, others.type, caller);
  requireFlags(options, data.length, caller);
  const how = { caller, option: "keep", ...(classes === undefined && { to: "condition" as const }) };
  const given = resultsOver(keep, { array: data, type }, how);
  // Each item is asked about once. What is kept is the first of two classes.
  const classOf = Array.from({ length: data.length }, (_, index) =>
    classes === undefined
      ? (flags === undefined || flags[index]) && isTrue(given(index) as Scalar | boolean)
        ? 0
        : 1
      : numberUpTo(classes - 1, given(index)),
  );
  const parts = Array.from({ length: classes ?? 2 }, (_, at) =>
    compactReference(data, (__, index) => classOf[index] === at, others as Partial<IndicesOption<false>>),
  ) as AnyArray[];
  const first = parts[0] as AnyArray;
  const bytes = new Uint8Array(parts.reduce((sum, one) => sum + one.byteLength, 0));
  const offsets = new Uint32Array(parts.length + 1);
  let end = 0;
  parts.forEach((one, at) => {
    bytes.set(new Uint8Array(one.buffer as ArrayBuffer, one.byteOffset, one.byteLength), end);
    end += one.byteLength;
    offsets[at + 1] = (offsets[at] as number) + one.length;
  });
  const values = arrayLike(first, bytes.buffer) as A | Uint32Array;
  return classes === undefined ? { values, count: first.length } : { values, offsets };
}
