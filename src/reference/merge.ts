import type { AnyArray } from "../algebra/arrays.ts";
import { arrayLike, requireMemory } from "../algebra/arrays.ts";
import { describe } from "../algebra/check_value.ts";
import { ArgumentError, refuse } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import { requireOptions } from "../options.ts";
import { elementsAt } from "./runs.ts";
import type { ReferenceSort } from "./sort.ts";
import { keysOf } from "./sort.ts";

/** What two sorted arrays are ordered by, on the CPU. */
export interface ReferenceOrder<A extends AnyArray> extends Omit<ReferenceSort<A>, "bits" | "segments"> {}

/** What a merge moves, on the CPU. */
export interface ReferenceMerge<A extends AnyArray, Values extends AnyArray> extends ReferenceOrder<A> {
  /** A value for each element of the first array. */
  readonly values?: Values;
  /** A value for each element of the other array. */
  readonly otherValues?: NoInfer<Values>;
}

const names = {
  type: true,
  key: true,
  keyType: true,
  descending: "boolean",
} as const satisfies OptionTable<ReferenceOrder<AnyArray>>;
const mergeNames = { ...names, values: true, otherValues: true } as const satisfies OptionTable<
  ReferenceMerge<AnyArray, AnyArray>
>;

/** Two arrays, one behind the other. @throws {ArgumentError} for what is no array of the same kind. */
function joined<A extends AnyArray>(caller: string, first: A, second: A, option: string): A {
  if (Object(second).constructor !== Object(first).constructor) {
    refuse(caller, option, describe(second), `an array like the first, ${describe(first)}`);
  }
  requireMemory(caller, option, second);
  const bytes = new Uint8Array(first.byteLength + second.byteLength);
  for (const [at, { buffer, byteOffset, byteLength }] of [first, second].entries()) {
    bytes.set(new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength), at * first.byteLength);
  }
  return arrayLike(first, bytes.buffer) as A;
}

/** Both arrays, one behind the other, and the positions of their elements in order. @throws {ArgumentError} if one is in no order. */
function orderOf<A extends AnyArray>(
  caller: string,
  data: A,
  other: A,
  { type, key, keyType, descending }: ReferenceOrder<A>,
): { readonly both: A; readonly keys: readonly (number | bigint)[]; readonly positions: readonly number[] } {
  const own = { ...(type && { type }), ...(key && { key }), ...(keyType && { keyType }) };
  const keysIn = (array: A): readonly (number | bigint)[] =>
    keysOf(caller, array, own).map((one) => (descending ? -one : one));
  for (const [option, array] of [["data", data] as const, ["other", other] as const]) {
    const keys = keysIn(array);
    const at = keys.findIndex((one, index) => index > 0 && one < (keys[index - 1] as number | bigint));
    if (at >= 0) {
      throw new ArgumentError(`${caller}: ${option}[${at}] comes before ${option}[${at - 1}]`, option);
    }
  }
  const both = joined(caller, data, other, "other");
  const keys = keysIn(both);
  const positions = Array.from(keys, (_, at) => at).sort((a, b) => {
    const [x, y] = [keys[a] as bigint, keys[b] as bigint];
    return x < y ? -1 : x > y ? 1 : a - b;
  });
  return { both, keys, positions };
}

/**
 * What `merge` means: all elements of two sorted arrays in the order of a sort, bit for bit. Of elements with equal keys, those of the first
 * array come first.
 *
 * @throws {ArgumentError} as the call itself, and with a key, too, if an array is in no order.
 *
 * @example
 * ```ts
 * mergeReference(Uint32Array.of(1, 3, 3), Uint32Array.of(2, 3)); // 1 2 3 3 3
 * ```
 */
export function mergeReference<A extends AnyArray, Values extends AnyArray>(
  data: A,
  other: A,
  options: ReferenceMerge<A, Values> & {
    /** A value for each element of the first array. */
    readonly values: Values;
  },
): {
  /** The elements in order. */
  readonly keys: A;
  /** The values in the order of their elements. */
  readonly values: Values;
};
export function mergeReference<A extends AnyArray>(data: A, other: A, options?: ReferenceOrder<A>): A;
export function mergeReference(
  data: AnyArray,
  other: AnyArray,
  options: ReferenceMerge<AnyArray, AnyArray> = {},
): unknown {
  const caller = "mergeReference";
  requireOptions(caller, options, mergeNames);
  const { values, otherValues } = options;
  const { both, positions } = orderOf(caller, data, other, options);
  const keys = elementsAt(both, positions);
  if (values === undefined && otherValues === undefined) {
    return keys;
  }
  if (values?.length !== data.length || otherValues?.length !== other.length) {
    throw new ArgumentError(`${caller} takes a value for each element of both arrays, or none`, "values");
  }
  return { keys, values: elementsAt(joined(caller, values, otherValues, "otherValues"), positions) };
}

/** The first element of each run of equal elements of which one array or both have some. */
function setOf<A extends AnyArray>(
  caller: string,
  [data, other]: readonly [A, A],
  options: ReferenceOrder<A>,
  has: (isOwn: boolean, isOther: boolean) => boolean,
): A {
  requireOptions(caller, options, names);
  const { both, keys, positions } = orderOf(caller, data, other, options);
  const [own, others] = [new Set(keys.slice(0, data.length)), new Set(keys.slice(data.length))];
  const kept = positions.filter((position, at) => {
    const key = keys[position] as bigint;
    return key !== keys[positions[at - 1] ?? -1] && has(own.has(key), others.has(key));
  });
  return elementsAt(both, kept);
}

/**
 * What `union` means: the elements of either sorted array, each once. Of elements with equal keys, it has the first one of the first array, or
 * else of the other one.
 *
 * @throws {ArgumentError} as {@link mergeReference}.
 *
 * @example
 * ```ts
 * unionReference(Uint32Array.of(1, 3, 3), Uint32Array.of(2, 3)); // 1 2 3
 * ```
 */
export const unionReference = <A extends AnyArray>(data: A, other: A, options: ReferenceOrder<A> = {}): A =>
  setOf("unionReference", [data, other], options, () => true);

/**
 * What `intersection` means: the elements that are in both sorted arrays, each once. They are those of the first array.
 *
 * @throws {ArgumentError} as {@link mergeReference}.
 *
 * @example
 * ```ts
 * intersectionReference(Uint32Array.of(1, 3, 3), Uint32Array.of(2, 3)); // 3
 * ```
 */
export const intersectionReference = <A extends AnyArray>(
  data: A,
  other: A,
  options: ReferenceOrder<A> = {},
): A => setOf("intersectionReference", [data, other], options, (isOwn, isOther) => isOwn && isOther);

/**
 * What `difference` means: the elements of the first sorted array that the other one lacks, each once.
 *
 * @throws {ArgumentError} as {@link mergeReference}.
 *
 * @example
 * ```ts
 * differenceReference(Uint32Array.of(1, 1, 3, 3), Uint32Array.of(2, 3)); // 1
 * ```
 */
export const differenceReference = <A extends AnyArray>(
  data: A,
  other: A,
  options: ReferenceOrder<A> = {},
): A => setOf("differenceReference", [data, other], options, (isOwn, isOther) => isOwn && !isOther);
