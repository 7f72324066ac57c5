import { monoid } from "../src/algebra/monoid.ts";
import type { Scalar } from "../src/algebra/types.ts";
import type { Algorithm, CustomOperator, Operator, TypeName } from "../src/index.ts";
import { algorithms } from "../src/kernels/algorithms.ts";
import type { Passes } from "../src/plan/options.ts";
import { ArgumentError, elementTypes, operator, operators } from "../src/wgsl.ts";
import { parseValue } from "./data.ts";
import type { DescribedChoice } from "./described.ts";

/** The primitives that the page runs by a plan, whose passes it times. */
export type PlannedName = "scan" | "reduce" | "compact";

/** The primitives of the page that no description has, each with what its first result is called. */
export const primitives = {
  scan: "prefixes",
  reduce: "total",
  compact: "kept",
  unique: "values",
  runLengths: "values",
  partition: "values",
  sort: "sorted",
  argSort: "positions",
  argMin: "value",
  argMax: "value",
} as const;
export type PrimitiveName = keyof typeof primitives;

/** Where segments start, as the page offers it. Without typed ones, a segment is longer than the one before. */
export type ChosenSegments =
  | { readonly kind: "rows"; readonly rows: number }
  | { readonly kind: "columns"; readonly columns: number }
  | {
      readonly kind: "offsets" | "heads" | "headBits" | "keys";
      readonly typed: readonly number[] | undefined;
    }
  | ({ readonly kind: "key" } & ComputedKey);

/** Whether segments are runs of equal keys. */
export const isByKeys = ({ kind }: ChosenSegments): boolean => kind === "keys" || kind === "key";

/** How the key of an element is computed: the same for the GPU, as WGSL, and for the CPU. */
export interface ComputedKey {
  readonly key: string;
  readonly keyType: OwnTypeName;
  keyOf(value: Scalar): number;
}

/** How the number of an element's class is computed: the same for the GPU, as WGSL, and for the CPU. */
export interface ComputedNumber {
  readonly text: string;
  numberOf(value: Scalar, index: number): number;
}

/** What is chosen, but for the numbers. */
export interface Choice {
  /** What is chosen for a primitive that is described. The page looks at nothing else then. */
  readonly described: DescribedChoice | undefined;
  readonly primitive: PrimitiveName;
  readonly type: TypeName;
  readonly op: Operator<string>;
  /** The text of the operator, if it is the visitor's own. */
  readonly own: OwnOperatorText | undefined;
  readonly exclusive: boolean;
  readonly predicate: Predicate | undefined;
  readonly algorithm: Algorithm | undefined;
  readonly passes: Passes | undefined;
  readonly segments: ChosenSegments | undefined;
  /** How the keys of `unique` and `runLengths` are computed. Without it, elements are their own keys. */
  readonly key: ComputedKey | undefined;
  /** Whether `unique` gives the positions of the elements. */
  readonly indices: boolean;
  /** The class of an element, for a partition into more parts than two. */
  readonly number: ComputedNumber | undefined;
  /** How many classes a partition has; without it, it has two parts. */
  readonly classes: number | undefined;
  readonly descending: boolean;
}

/** Whether a primitive is of runs of equal elements. */
export const isOfRuns = (primitive: PrimitiveName): boolean =>
  primitive === "unique" || primitive === "runLengths";

/** Whether a choice is carried out by a plan that the page makes, and not by a call at hand. */
export const isPlanned = ({ primitive, segments }: Pick<Choice, "primitive" | "segments">): boolean =>
  segments === undefined && (primitive === "scan" || primitive === "reduce" || primitive === "compact");

export const typeNames = Object.keys(elementTypes) as TypeName[];
export const algorithmNames = Object.keys(algorithms) as Algorithm[];
export const operatorNames = Object.keys(operators) as (keyof typeof operators)[];

/** Whether an operator of the table has a meaning on a type. */
export function takes(op: Operator, type: TypeName): boolean {
  try {
    monoid(op, elementTypes[type], "site");
    return true;
  } catch {
    return false;
  }
}

/** What a compaction may keep: the same for the GPU, as WGSL, and for the CPU. */
export interface Predicate {
  readonly where: string;
  keep(value: Scalar, index: number): boolean;
}

interface PredicateRow {
  readonly title: string;
  /** Undefined where it has no meaning on the type. */
  of(type: TypeName): Predicate | undefined;
}

const oddWhere: Partial<Record<TypeName, string>> = {
  u32: "x % 2u == 1u",
  i32: "(x & 1i) == 1i",
  u64: "(x & 1) == 1",
  i64: "(x & 1) == 1",
};
const positiveWhere: Record<TypeName, string> = {
  u32: "x > 0u",
  i32: "x > 0i",
  f32: "x > 0.0",
  f16: "x > 0.0h",
  u64: "x > 0",
  i64: "x > 0",
  f64: "x > 0",
};

export const predicates = {
  odd: {
    title: "those that are odd",
    of(type) {
      const where = oddWhere[type];
      return where === undefined
        ? undefined
        : { where, keep: (value) => (typeof value === "bigint" ? (value & 1n) === 1n : (value & 1) === 1) };
    },
  },
  positive: {
    title: "those greater than 0",
    of: (type) => ({ where: positiveWhere[type], keep: (value) => value > 0 }),
  },
  third: {
    title: "every third one",
    of: () => ({ where: "i % 3u == 0u", keep: (_, index) => index % 3 === 0 }),
  },
} as const satisfies Record<string, PredicateRow>;

/** A function that the visitor writes: an expression, or statements with a return. */
export function functionOf(
  parameters: readonly string[],
  text: string,
  what: string,
): (...values: readonly unknown[]) => unknown {
  if (text.trim() === "") {
    throw new ArgumentError(
      `${what} is empty; it takes an expression of JavaScript, or statements with a return`,
    );
  }
  const body = /\breturn\b/.test(text) ? text : `return (${text});`;
  try {
    return new Function(...parameters, `"use strict"; ${body}`) as (...values: readonly unknown[]) => unknown;
  } catch (cause) {
    throw new ArgumentError(
      `${what} is no JavaScript: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}

/** A predicate of the visitor's. */
export function ownPredicate(where: string, script: string): Predicate {
  const keep = functionOf(["x", "i"], script, "The JavaScript of your predicate");
  return { where, keep: (value, index) => Boolean(keep(value, index)) };
}

/** A class of the visitor's. */
export function ownClass(text: string, script: string): ComputedNumber {
  const found = functionOf(["x", "i"], script, "The JavaScript of your class");
  return { text, numberOf: (value, index) => Number(found(value, index)) };
}

/** A key of the visitor's. */
export function ownKey(key: string, keyType: OwnTypeName, script: string): ComputedKey {
  const keyFunction = functionOf(["x"], script, "The JavaScript of your key");
  return {
    key,
    keyType,
    keyOf(value) {
      const found = keyFunction(value);
      if (typeof found !== "number") {
        throw new ArgumentError(
          `The JavaScript of your key gives ${String(found)} for ${value}; it takes a number`,
        );
      }
      return found;
    },
  };
}

/** The types that an operator or a key of the visitor's may be on. */
export const ownTypes = ["u32", "i32", "f32"] as const satisfies readonly TypeName[];
export type OwnTypeName = (typeof ownTypes)[number];

/** What the visitor writes for an operator, as text. */
export interface OwnOperatorText {
  readonly name: string;
  readonly type: OwnTypeName;
  readonly identity: string;
  readonly combine: string;
  readonly script: string;
}

/** Operators to start from. */
export const examples = {
  latest: {
    title: "the latest that is not 0 (does not commute)",
    name: "latest",
    type: "u32",
    identity: "0",
    combine: "select(later, earlier, later == 0u)",
    script: "later === 0 ? earlier : later",
  },
  saturating: {
    title: "a sum that stops at the greatest u32",
    name: "saturating",
    type: "u32",
    identity: "0",
    combine: "select(earlier + later, 0xffffffffu, earlier + later < earlier)",
    script: "Math.min(earlier + later, 0xffffffff)",
  },
  difference: {
    title: "the difference (not associative)",
    name: "difference",
    type: "u32",
    identity: "0",
    combine: "earlier - later",
    script: "earlier - later",
  },
  mean: {
    title: "the mean of two (not associative)",
    name: "mean",
    type: "f32",
    identity: "0",
    combine: "(earlier + later) / 2.0",
    script: "(earlier + later) / 2",
  },
} as const satisfies Record<string, OwnOperatorText & { readonly title: string }>;

/**
 * The visitor's operator.
 *
 * @throws {ArgumentError} when a part of it is missing or means nothing.
 */
export function ownOperator(text: OwnOperatorText): CustomOperator<OwnTypeName, number> {
  const type = elementTypes[text.type];
  const twin = functionOf(["earlier", "later"], text.script, "The JavaScript of your operator");
  return operator<OwnTypeName, number>({
    name: text.name.trim(),
    type,
    identity: parseValue(text.identity.trim(), text.type, "The identity") as number,
    combine: text.combine,
    reference(earlier, later) {
      const result = twin(earlier, later);
      if (typeof result !== "number") {
        throw new ArgumentError(
          `The JavaScript of your operator gives ${String(result)} for ${earlier} and ${later}; it takes a number`,
        );
      }
      return type.round(result);
    },
  });
}
