import type { AnyArray, NameOf, ValueIn } from "../algebra/arrays.ts";
import { isTrue } from "../algebra/truth.ts";
import type { ElementType, Scalar } from "../algebra/types.ts";
import { requireOptions } from "../options.ts";
import { typeOfArray } from "./items.ts";
import { resultsOver } from "./texts.ts";

/** A condition over elements. */
export interface ReferenceCondition<A extends AnyArray> {
  /** Whether the condition holds, from an element's value and its index. Or WGSL over `x` and `i`, as the call itself takes it. */
  readonly where: ((value: ValueIn<A>, index: number) => unknown) | string;
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<NameOf<A>>;
}

const names = { where: true, type: true } as const;

/** For each element, whether the condition holds. */
function answers<A extends AnyArray>(data: A, options: ReferenceCondition<A>, caller: string): boolean[] {
  requireOptions(caller, options, names);
  const holds = resultsOver(
    options.where,
    { array: data, type: typeOfArray(data, options.type, caller) },
    { caller, option: "where", to: "condition" },
  );
  return Array.from({ length: data.length }, (_, index) => isTrue(holds(index) as Scalar | boolean));
}

/**
 * What a count means: how many elements a condition holds for.
 *
 * @throws {ArgumentError} for what is no array of an element type, for a condition that is neither a function nor WGSL, and for WGSL that the
 * CPU has no code for.
 * @throws {SourceError} for WGSL that cannot be read.
 *
 * @example
 * ```ts
 * countReference(Float32Array.of(0.2, 0.9, 0.7), { where: (x) => x > 0.5 }); // 2
 * countReference(Float32Array.of(0.2, 0.9, 0.7), { where: "x > 0.5" }); // 2
 * ```
 */
export const countReference = <A extends AnyArray>(data: A, options: ReferenceCondition<A>): number =>
  answers(data, options, "countReference").filter(Boolean).length;

/**
 * What `any` means: whether a condition holds for any element.
 *
 * @throws {ArgumentError} as {@link countReference}.
 * @throws {SourceError} as {@link countReference}.
 *
 * @example
 * ```ts
 * anyReference(Float32Array.of(0.2, 0.9, 0.7), { where: (x) => x > 0.8 }); // true
 * ```
 */
export const anyReference = <A extends AnyArray>(data: A, options: ReferenceCondition<A>): boolean =>
  answers(data, options, "anyReference").includes(true);

/**
 * What `all` means: whether a condition holds for all elements. It does if there are none.
 *
 * @throws {ArgumentError} as {@link countReference}.
 * @throws {SourceError} as {@link countReference}.
 *
 * @example
 * ```ts
 * allReference(Float32Array.of(0.2, 0.9, 0.7), { where: (x) => x > 0.5 }); // false
 * ```
 */
export const allReference = <A extends AnyArray>(data: A, options: ReferenceCondition<A>): boolean =>
  !answers(data, options, "allReference").includes(false);

/**
 * What `findFirst` means: the index of the first element that a condition holds for, or −1 if there is none.
 *
 * @throws {ArgumentError} as {@link countReference}.
 * @throws {SourceError} as {@link countReference}.
 *
 * @example
 * ```ts
 * findFirstReference(Float32Array.of(0.2, 0.9, 0.7), { where: (x) => x > 0.5 }); // 1
 * ```
 */
export const findFirstReference = <A extends AnyArray>(data: A, options: ReferenceCondition<A>): number =>
  answers(data, options, "findFirstReference").indexOf(true);

/**
 * What `findLast` means: the index of the last element that a condition holds for, or −1 if there is none.
 *
 * @throws {ArgumentError} as {@link countReference}.
 * @throws {SourceError} as {@link countReference}.
 *
 * @example
 * ```ts
 * findLastReference(Float32Array.of(0.2, 0.9, 0.7), { where: (x) => x > 0.5 }); // 2
 * ```
 */
export const findLastReference = <A extends AnyArray>(data: A, options: ReferenceCondition<A>): number =>
  answers(data, options, "findLastReference").lastIndexOf(true);
