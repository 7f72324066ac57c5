import type { CallersCombine } from "./codegen/callers.ts";
import { callersCombine } from "./codegen/callers.ts";
import { ArgumentError } from "./errors.ts";
import { describe, problemOf } from "./problem.ts";
import { refuse } from "./refuse.ts";
import type { Domain, ElementType, Operation, Scalar, ScalarType, Start, TypeName, Value } from "./types.ts";
import { integerTruth, isSameType, requireType, scalarTypes } from "./types.ts";

/** The names of the types that the bitwise operators take. */
export type IntegerName = "u32" | "i32" | "u64" | "i64";

declare const accepts: unique symbol;

/**
 * A monoid, up to its type: what a scan or a reduction combines with. The parameter lists the
 * types that it takes, so that bitwise `and` on f32 does not type-check.
 */
export interface Operator<Accepted extends string = never> {
  /** For messages, and part of names in WGSL. */
  readonly name: string;
  /** Type-level only: an operator of more types serves where fewer are asked for. */
  readonly [accepts]?: (type: Accepted) => void;
  /** On a type: what `monoid` returns. @internal */
  on?(op: Operator, type: ElementType, caller: string): Monoid;
  /** The value that changes nothing, where WGSL's own operator `combine` combines u32 themselves. @internal */
  readonly u32Identity?: number;
}

/** One row of the table of operators. */
interface BuiltinOperator extends Operator {
  /** The names of the types that it takes. */
  readonly takes: string;
  /** Its name in WGSL, where it is another. */
  readonly key?: string;
  readonly domain: (type: ScalarType) => Domain<never>;
  readonly operation: Operation;
  /** WGSL's own, over `earlier` and `later`. */
  readonly combine: string;
  /** The value that changes nothing. */
  identity(type: ScalarType): Scalar;
  /** What results start from, where that is another. */
  start?(type: ScalarType): Start | undefined;
}

/** An operator of the caller's own. See {@link operator}. */
export interface CustomOperator<Accepted extends string = string, V extends Value = Value>
  extends Operator<Accepted> {
  /** The one type that it takes. */
  readonly type: ElementType<Accepted, V>;
  /** The value that changes nothing on either side. */
  readonly identity: V;
  /** WGSL: an expression over `earlier` and `later`, or statements that end in `return`. */
  readonly combine: string;
  /** WGSL that `combine` uses; empty where there is none. */
  readonly declarations: string;
  /** The CPU twin of `combine`. */
  reference(earlier: V, later: V): V;
}

const integers = "u32, i32, u64, i64";

const native: BuiltinOperator["domain"] = (type) => type.native;
const order: BuiltinOperator["domain"] = (type) => type.order;
const truth: BuiltinOperator["domain"] = (type) => type.truth ?? integerTruth(type.value);

/** The sum; integers wrap around. */
export const add: Operator<TypeName> = {
  name: "add",
  takes: scalarTypes,
  domain: native,
  operation: "add",
  combine: "earlier + later",
  identity: (type) => type.addIdentity ?? type.zero,
  start: (type) => type.addStart,
  u32Identity: 0,
  on: builtinMonoid,
} satisfies BuiltinOperator as Operator<TypeName>;

/** The product; integers wrap around. */
export const mul: Operator<TypeName> = {
  name: "mul",
  takes: scalarTypes,
  domain: native,
  operation: "mul",
  combine: "earlier * later",
  identity: (type) => type.one,
  u32Identity: 1,
  on: builtinMonoid,
} satisfies BuiltinOperator as Operator<TypeName>;

/** The least element. Floats: NaN is ignored, −0 comes before +0, and of NaNs alone the result is +∞. */
export const min: Operator<TypeName> = {
  name: "min",
  takes: scalarTypes,
  domain: order,
  operation: "min",
  combine: "min(earlier, later)",
  identity: (type) => type.greatest,
  u32Identity: 0xffffffff,
  on: builtinMonoid,
} satisfies BuiltinOperator as Operator<TypeName>;

/** The greatest element. Floats: NaN is ignored, −0 comes before +0, and of NaNs alone the result is −∞. */
export const max: Operator<TypeName> = {
  name: "max",
  takes: scalarTypes,
  domain: order,
  operation: "max",
  combine: "max(earlier, later)",
  identity: (type) => type.lowest,
  u32Identity: 0,
  on: builtinMonoid,
} satisfies BuiltinOperator as Operator<TypeName>;

/** Bitwise and. */
export const and: Operator<IntegerName> = {
  name: "and",
  takes: integers,
  domain: native,
  operation: "and",
  combine: "earlier & later",
  identity: (type) => type.round((typeof type.zero === "bigint" ? -1n : -1) as never),
  u32Identity: 0xffffffff,
  on: builtinMonoid,
} satisfies BuiltinOperator as Operator<IntegerName>;

/** Bitwise or. */
export const or: Operator<IntegerName> = {
  name: "or",
  takes: integers,
  domain: native,
  operation: "or",
  combine: "earlier | later",
  identity: (type) => type.zero,
  u32Identity: 0,
  on: builtinMonoid,
} satisfies BuiltinOperator as Operator<IntegerName>;

/** Bitwise exclusive or. */
export const xor: Operator<IntegerName> = {
  name: "xor",
  takes: integers,
  domain: native,
  operation: "xor",
  combine: "earlier ^ later",
  identity: (type) => type.zero,
  u32Identity: 0,
  on: builtinMonoid,
} satisfies BuiltinOperator as Operator<IntegerName>;

/** 1 where all elements are true, else 0. Zero is false, all else is true, NaN too. */
export const logicalAnd: Operator<TypeName> = {
  name: "logicalAnd",
  key: "logical_and",
  takes: scalarTypes,
  domain: truth,
  operation: "and",
  combine: "earlier & later",
  identity: (type) => type.one,
  on: builtinMonoid,
} satisfies BuiltinOperator as Operator<TypeName>;

/** 1 where any element is true, else 0. Zero is false, all else is true, NaN too. */
export const logicalOr: Operator<TypeName> = {
  name: "logicalOr",
  key: "logical_or",
  takes: scalarTypes,
  domain: truth,
  operation: "or",
  combine: "earlier | later",
  identity: (type) => type.zero,
  on: builtinMonoid,
} satisfies BuiltinOperator as Operator<TypeName>;

/** 1 where an odd number of elements is true, else 0. Zero is false, all else is true, NaN too. */
export const logicalXor: Operator<TypeName> = {
  name: "logicalXor",
  key: "logical_xor",
  takes: scalarTypes,
  domain: truth,
  operation: "xor",
  combine: "earlier ^ later",
  identity: (type) => type.zero,
  on: builtinMonoid,
} satisfies BuiltinOperator as Operator<TypeName>;

/** Every operator of the table, by name. */
export const operators = /* @__PURE__ */ Object.freeze({
  add,
  mul,
  min,
  max,
  and,
  or,
  xor,
  logicalAnd,
  logicalOr,
  logicalXor,
});

/** What {@link operator} takes. */
export interface OperatorDefinition<Name extends string, V extends Value> {
  /** Letters, digits and underscores: it becomes part of names in WGSL. */
  readonly name: string;
  /** The one type that it takes: a scalar, or a struct. */
  readonly type: ElementType<Name, V>;
  /** The value that changes nothing on either side. */
  readonly identity: NoInfer<V>;
  /** WGSL: an expression over `earlier` and `later`, or statements that end in `return`. */
  readonly combine: string;
  /** The same on the CPU. */
  readonly reference: (earlier: NoInfer<V>, later: NoInfer<V>) => NoInfer<V>;
  /** WGSL functions, constants and structs that `combine` uses. */
  readonly declarations?: string;
}

/**
 * An operator of your own: any associative function with an identity. It need not commute: every
 * kernel keeps `earlier` before `later`. On u64, i64 and f64, `earlier` and `later` are
 * `vec2<u32>` (low word, high word), and the functions of shaders/numeric/ are at hand: `add_u64`,
 * `mul_u64`, `less_i64`, `add_f64` and so on. On a struct they are that struct.
 *
 * @example
 * ```ts
 * const first = operator({
 *   name: "first",
 *   type: u32,
 *   identity: 0xffffffff,
 *   combine: "select(earlier, later, earlier == 0xffffffffu)",
 *   reference: (earlier, later) => (earlier === 0xffffffff ? later : earlier),
 * });
 * await fold.reduce(Uint32Array.of(7, 3, 9), { op: first }); // 7
 * ```
 *
 * @throws {ArgumentError} when a part is missing, or the identity is no value of the type.
 */
export function operator<Name extends string, V extends Value>(
  definition: OperatorDefinition<Name, V>,
): CustomOperator<Name, V> {
  requireDefinition(definition, "operator");
  const { name, identity, combine, reference, declarations = "" } = definition;
  requireName(name, "operator");
  const caller = `operator ${name}`;
  const type = requireType(definition.type, caller) as ElementType<Name, V>;
  if (typeof combine !== "string" || combine.trim() === "") {
    throw new ArgumentError(`${caller}: combine is empty; it takes a WGSL expression over earlier and later`);
  }
  if (typeof reference !== "function") {
    throw new ArgumentError(
      `${caller}: reference is ${typeof reference}; it takes a function of two values of ${type.name}`,
    );
  }
  if (typeof declarations !== "string") {
    throw new ArgumentError(`${caller}: declarations is ${typeof declarations}; it takes WGSL text`);
  }
  const problem = problemOf(type, identity);
  if (problem !== undefined) {
    throw new ArgumentError(`${caller}: the identity ${problem}`);
  }
  const op: CustomOperator<Name, V> = {
    name,
    type,
    identity,
    combine,
    reference,
    declarations,
    on: customMonoid,
  };
  return op;
}

export function requireDefinition(definition: unknown, caller: string): void {
  if (typeof definition !== "object" || definition === null) {
    refuse(caller, `what is given is ${describe(definition)}`, "an object");
  }
}

/** A name that may become part of names in WGSL. */
export function requireName(name: unknown, caller: string): asserts name is string {
  if (typeof name !== "string" || !/^[A-Za-z][A-Za-z0-9_]*$/.test(name) || name.includes("__")) {
    throw new ArgumentError(
      `${caller}: name is ${typeof name === "string" ? JSON.stringify(name) : describe(name)}; it takes letters, digits and single underscores, starting with a letter`,
    );
  }
}

/** One operator on one type, ready for the reference and for code generation. */
export interface Monoid {
  /** `add_u32`: part of names in WGSL. */
  readonly key: string;
  /** `u32, add`: for messages. */
  readonly title: string;
  readonly type: ElementType;
  readonly domain: Domain;
  /** What WGSL has for it, where the caller did not write it. */
  readonly operation: Operation | undefined;
  /** An expression over `earlier` and `later`, where the caller did not write the operator. */
  readonly combine?: string;
  /** What the caller wrote of it. */
  readonly callers?: CallersCombine;
  /** As a value of the type. */
  readonly identity: Value;
  /** What results start from that may combine nothing, where that is not the identity. */
  readonly start?: Start | undefined;
}

/** The name in WGSL of an operator of the table: `logical_and`. */
export const keyOf = (op: Operator): string => (op as BuiltinOperator).key ?? op.name;

/**
 * An operator on a type.
 *
 * @throws {ArgumentError} when the operator does not take the type; the message names both.
 */
export const monoid = (op: Operator, type: ElementType, caller: string): Monoid =>
  operatorOn(op, requireType(type, caller), caller);

/** The same of a type that the operator itself tells from what is none. */
export function operatorOn(op: Operator, type: ElementType, caller: string): Monoid {
  if (!(op as Partial<Operator> | null | undefined)?.on) {
    refuse(caller, `op is ${String(op)}`, "an operator, as add is");
  }
  return (op as Required<Operator>).on(op, type, caller);
}

function customMonoid(given: Operator, type: ElementType, caller: string): Monoid {
  const op = given as CustomOperator;
  requireType(type, caller);
  if (!isSameType(op.type, type)) {
    throw new ArgumentError(
      `${caller}<${type.name}, ${op.name}>: the operator ${op.name} is for ${op.type.name}, not for ${op.type.name === type.name ? "another type of that name" : type.name}`,
    );
  }
  return {
    key: `${op.name}_${type.name}`,
    title: `${type.name}, ${op.name}`,
    type,
    domain: type.native,
    operation: undefined,
    callers: callersCombine(op),
    identity: op.identity,
  };
}

function builtinMonoid(op: Operator, elementType: ElementType, caller: string): Monoid {
  const row = op as BuiltinOperator;
  const { name, takes, key = name, operation } = row;
  const type = elementType as ScalarType;
  const title = `${type?.name}, ${name}`;
  if (!takes.split(", ").includes(type?.name)) {
    refuse(`${caller}<${title}>`, `${name} has no meaning on ${type?.name}`, type?.takes ?? takes);
  }
  const domain = row.domain(type) as unknown as Domain;
  return {
    key: `${key}_${type.name}`,
    title,
    type,
    domain,
    operation,
    combine: domain.operations?.[operation] ?? row.combine,
    identity: row.identity(type),
    start: row.start?.(type),
  };
}

/**
 * How results are rounded: not at all; after each operation, to nearest even, so that their order decides the last bits;
 * or as the adapter likes, within a bound.
 */
export type Rounding = "none" | "each operation" | "adapter";

/** Whether floats are combined as they are: their sums and products are rounded, and so their order matters. */
const rounds = ({ kind, native }: ElementType, domain: Domain): boolean =>
  kind === "float" && domain === native;

/** How an operator's results are rounded on a type; what a caller's own does to floats counts as rounded. */
export const roundingOf = (op: Operator, type: ElementType): Rounding =>
  roundingIn(type, monoid(op, type, "roundingOf").domain);

/** The same in a domain of the type. */
export const roundingIn = (type: ElementType, domain: Domain): Rounding =>
  !rounds(type, domain) ? "none" : type.name === "f64" ? "each operation" : "adapter";
