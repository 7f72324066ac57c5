import { describe, problemOf } from "../algebra/check_value.ts";
import type { CustomOperator } from "../algebra/custom_operator.ts";
import type { ExactSum } from "../algebra/exact_sums.ts";
import { exactCombine, exactNothing, exactOf, exactRounded, formatOf } from "../algebra/exact_sums.ts";
import type { Monoid, Operator } from "../algebra/monoid.ts";
import { monoid } from "../algebra/monoid.ts";
import { isTrue } from "../algebra/truth.ts";
import type { ElementType, Scalar, ScalarType, Value } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import { add, and, multiply, or, xor } from "./arithmetic.ts";
import { twinOfText } from "./texts.ts";

/**
 * An operator on a type, with its twin on the CPU. `lift` turns an item into an element, and `reference` combines two
 * elements.
 */
export interface ReferenceMonoid extends Monoid {
  lift(value: Value): Value;
  reference(earlier: Value, later: Value): Value;
  /** The value that is shown for a result that may combine no element: an exclusive prefix, or the total of no elements. */
  shown(value: Value): Value;
  /** The value of an element, as results have it. */
  lower(element: Value): Value;
  /** Whether elements come from the last one on, so that `reference` gets its operands the other way round. */
  readonly swapped?: boolean;
}

type Combine = (earlier: Scalar, later: Scalar) => Scalar;
type Twin = (type: ScalarType) => readonly [combine: Combine, lift?: (value: Scalar) => Scalar];

/** Whether `a` comes before `b`, as `<` has it, but with −0 before +0. Neither may be NaN. */
const precedes = (a: Scalar, b: Scalar): boolean =>
  a < b || (a === 0 && b === 0 && Object.is(a, -0) && !Object.is(b, -0));

/** The twin of a logical operator. Zero is false. All else is true, and so is NaN. */
const logical =
  (combine: (earlier: boolean, later: boolean) => boolean): Twin =>
  ({ one, zero }) => [
    (earlier, later) => (combine(isTrue(earlier), isTrue(later)) ? one : zero),
    (value) => (isTrue(value) ? one : zero),
  ];

/** The twin of `minimum` or `maximum`: of two numbers that of `min` or `max`, and of NaN and anything NaN. */
const withNan =
  (combine: Combine): Twin =>
  () => [
    // If the earlier one is NaN, neither comes before the other, and it is kept.
    (earlier, later) => (Number.isNaN(later) ? later : combine(earlier, later)),
    // All NaNs become the one whose bits results have.
    (value) => (Number.isNaN(value) ? Number.NaN : value),
  ];

const lesser: Combine = (earlier, later) => (precedes(later, earlier) ? later : earlier);
const greater: Combine = (earlier, later) => (precedes(earlier, later) ? later : earlier);

/** The twins, by the operators' names. */
const twins: Readonly<Record<string, Twin>> = {
  add: (type) => [add(type)],
  mul: (type) => [multiply(type)],
  min: ({ greatest }) => [lesser, (value) => (Number.isNaN(value) ? greatest : value)],
  max: ({ lowest }) => [greater, (value) => (Number.isNaN(value) ? lowest : value)],
  minimum: withNan(lesser),
  maximum: withNan(greater),
  and: (type) => [and(type)],
  or: (type) => [or(type)],
  xor: (type) => [xor(type)],
  logicalAnd: logical((earlier, later) => earlier && later),
  logicalOr: logical((earlier, later) => earlier || later),
  logicalXor: logical((earlier, later) => earlier !== later),
};

/**
 * An operator on a type, with its twin on the CPU: that of a caller's operator is its `reference`, or else its text as JavaScript. `rounds` says whether numbers that a caller's own twin returns are wrapped and
 * rounded, as arrays do it.
 *
 * @throws {ArgumentError} when the operator does not take the type; the message names both.
 */
export function referenceMonoid(
  op: Operator,
  type: ElementType,
  caller: string,
  rounds = true,
): ReferenceMonoid {
  const checked = monoid(op, type, caller);
  const { reference } = op as Partial<CustomOperator>;
  if (checked.callers !== undefined && reference === undefined) {
    const same = (value: Value): Value => value;
    const twin = twinOfText(op as CustomOperator, `${caller}<${checked.title}>`);
    return { ...checked, lift: same, shown: same, lower: same, reference: twin };
  }
  if (reference !== undefined) {
    const isStruct = type.problemOf !== undefined;
    const kind = kindOf(type);
    const isWhole = kind === "number" && (type as ScalarType).kind !== "float";
    /** A struct is taken as it is, so all its fields must be right. */
    const isFit = (value: unknown): boolean =>
      typeof value === kind &&
      (isStruct ? problemOf(type, value) === undefined : !isWhole || Number.isInteger(value));
    return {
      ...checked,
      lift: (value) => value,
      shown: (value) => value,
      lower: (element) => element,
      reference(earlier, later) {
        const value: unknown = reference(earlier, later);
        if (!isFit(value)) {
          throw new ArgumentError(
            `${caller}<${checked.title}>: reference(${describe(earlier)}, ${describe(later)}) is ${describe(value)}: ${problemOf(type, value)}`,
            "reference",
          );
        }
        return isStruct || !rounds ? (value as Value) : type.round(value as Value);
      },
    };
  }
  if (checked.carried) {
    return { ...checked, ...exactTwin(type as ScalarType) };
  }
  const [twin, lift] = twins[op.name]?.(type as ScalarType) ?? [];
  const combine = twin as ReferenceMonoid["reference"];
  const { start } = checked;
  return {
    lift: (lift ?? ((value) => value)) as ReferenceMonoid["lift"],
    reference: combine,
    shown: (value) => (start === undefined ? value : combine(start.value, value)),
    lower: (element) => element,
    // The last: V8 adds members to a copy slowly, a microsecond for each.
    ...checked,
  };
}

/** The twin of `exactAdd`: elements are exact sums. */
function exactTwin(
  type: ScalarType,
): Pick<ReferenceMonoid, "identity" | "lift" | "reference" | "shown" | "lower"> {
  const format = formatOf(type);
  return {
    identity: exactNothing,
    lift: (value: number) => exactOf(value, format),
    reference: exactCombine,
    shown: (value) => value,
    lower: (element: ExactSum) => exactRounded(element, format),
  };
}

/** What `typeof` says of a type's values. */
export const kindOf = (type: ElementType): string =>
  typeof (type.kind === "struct" ? {} : (type as ScalarType).zero);
