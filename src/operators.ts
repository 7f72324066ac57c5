import { callersCombine } from "./codegen/callers.ts";
import type { Source } from "./codegen/module.ts";
import { generated } from "./codegen/module.ts";
import { ArgumentError } from "./errors.ts";
import { isTrue, symbols } from "./literals.ts";
import { problemOf } from "./problem.ts";
import type { Domain, ElementType, Operation, Scalar, ScalarType, TypeName, Value } from "./types.ts";
import { isSameType, requireType } from "./types.ts";

type Kind = ScalarType["kind"];
type DomainName = "native" | "order" | "truth";

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
  readonly on?: (type: ElementType, caller: string) => Monoid;
  /** On u32, where it combines the values themselves. @internal */
  readonly onU32?: U32Operation | undefined;
}

/** What an operator is on u32, in WGSL. */
export interface U32Operation {
  /** An expression over `earlier` and `later`. */
  readonly combine: string;
  readonly identity: number;
}

/** One row of the table of operators. */
interface BuiltinOperator extends Operator {
  readonly kinds: readonly Kind[];
  readonly domain: DomainName;
  readonly commutative: true;
  /** The row of the domain's WGSL. */
  readonly operation: Operation;
  /** The value that changes nothing. */
  identity(type: ScalarType): Scalar;
  /** The same on u32, where the domain is that of the values themselves. */
  readonly u32Identity?: number;
  /** The CPU twin, over values of the domain. */
  reference(type: ScalarType): (earlier: Scalar, later: Scalar) => Scalar;
  /** The CPU twin's item for a value: itself, where it is left out. */
  lift?(type: ScalarType): (value: Value) => Value;
  /** WGSL's subgroup built-in for an inclusive scan, where there is one. */
  readonly subgroupScan?: string;
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

const numbers = ["unsigned", "signed", "float"] as const satisfies readonly Kind[];
const integers = ["unsigned", "signed"] as const satisfies readonly Kind[];
/** The names of the types of each kind, for messages. */
const namesOfKind = {
  unsigned: ["u32", "u64"],
  signed: ["i32", "i64"],
  float: ["f32", "f16", "f64"],
} as const satisfies Record<Kind, readonly TypeName[]>;
function builtin<Accepted extends TypeName>(row: Omit<BuiltinOperator, "commutative">): Operator<Accepted> {
  const op: BuiltinOperator = {
    ...row,
    commutative: true,
    on: (type, caller) => builtinMonoid(op, type, caller),
    onU32:
      row.u32Identity === undefined
        ? undefined
        : { combine: symbols[row.operation], identity: row.u32Identity },
  };
  return op as Operator as Operator<Accepted>;
}

/** The bitwise operations of an integer type; no other type gets here. */
function bitwise(type: ScalarType): NonNullable<ScalarType["bitwise"]> {
  if (type.bitwise === undefined) {
    throw new ArgumentError(`${type.name} has no bitwise operations`);
  }
  return type.bitwise;
}

/** The sum; integers wrap around. */
export const add: Operator<TypeName> = /* @__PURE__ */ builtin({
  name: "add",
  kinds: numbers,
  domain: "native",
  operation: "add",
  identity: (type) => type.addIdentity,
  u32Identity: 0,
  reference: (type) => type.add,
  subgroupScan: "subgroupInclusiveAdd",
});

/** The product; integers wrap around. */
export const mul: Operator<TypeName> = /* @__PURE__ */ builtin({
  name: "mul",
  kinds: numbers,
  domain: "native",
  operation: "mul",
  identity: (type) => type.one,
  u32Identity: 1,
  reference: (type) => type.multiply,
  subgroupScan: "subgroupInclusiveMul",
});

/** The least element. Floats: NaN is ignored, −0 comes before +0, and of NaNs alone the result is +∞. */
export const min: Operator<TypeName> = /* @__PURE__ */ builtin({
  name: "min",
  kinds: numbers,
  domain: "order",
  lift: (type) => (value) => (Number.isNaN(value) ? type.greatest : value),
  operation: "min",
  identity: (type) => type.greatest,
  u32Identity: 0xffffffff,
  reference: () => (earlier, later) => (precedes(later, earlier) ? later : earlier),
});

/** The greatest element. Floats: NaN is ignored, −0 comes before +0, and of NaNs alone the result is −∞. */
export const max: Operator<TypeName> = /* @__PURE__ */ builtin({
  name: "max",
  kinds: numbers,
  domain: "order",
  lift: (type) => (value) => (Number.isNaN(value) ? type.lowest : value),
  operation: "max",
  identity: (type) => type.lowest,
  u32Identity: 0,
  reference: () => (earlier, later) => (precedes(earlier, later) ? later : earlier),
});

/** Bitwise and. */
export const and: Operator<IntegerName> = /* @__PURE__ */ builtin({
  name: "and",
  kinds: integers,
  domain: "native",
  operation: "and",
  identity: (type) => bitwise(type).all,
  u32Identity: 0xffffffff,
  reference: (type) => bitwise(type).and,
});

/** Bitwise or. */
export const or: Operator<IntegerName> = /* @__PURE__ */ builtin({
  name: "or",
  kinds: integers,
  domain: "native",
  operation: "or",
  identity: (type) => type.zero,
  u32Identity: 0,
  reference: (type) => bitwise(type).or,
});

/** Bitwise exclusive or. */
export const xor: Operator<IntegerName> = /* @__PURE__ */ builtin({
  name: "xor",
  kinds: integers,
  domain: "native",
  operation: "xor",
  identity: (type) => type.zero,
  u32Identity: 0,
  reference: (type) => bitwise(type).xor,
});

/** 1 where all elements are true, else 0. Zero is false, all else is true, NaN too. */
export const logicalAnd: Operator<TypeName> = /* @__PURE__ */ builtin({
  name: "logicalAnd",
  kinds: numbers,
  domain: "truth",
  lift: (type) => (value) => (isTrue(value as Scalar) ? type.one : type.zero),
  operation: "and",
  identity: (type) => type.one,
  reference: (type) => (earlier, later) => (isTrue(earlier) && isTrue(later) ? type.one : type.zero),
});

/** 1 where any element is true, else 0. Zero is false, all else is true, NaN too. */
export const logicalOr: Operator<TypeName> = /* @__PURE__ */ builtin({
  name: "logicalOr",
  kinds: numbers,
  domain: "truth",
  lift: (type) => (value) => (isTrue(value as Scalar) ? type.one : type.zero),
  operation: "or",
  identity: (type) => type.zero,
  reference: (type) => (earlier, later) => (isTrue(earlier) || isTrue(later) ? type.one : type.zero),
});

/** 1 where an odd number of elements is true, else 0. Zero is false, all else is true, NaN too. */
export const logicalXor: Operator<TypeName> = /* @__PURE__ */ builtin({
  name: "logicalXor",
  kinds: numbers,
  domain: "truth",
  lift: (type) => (value) => (isTrue(value as Scalar) ? type.one : type.zero),
  operation: "xor",
  identity: (type) => type.zero,
  reference: (type) => (earlier, later) => (isTrue(earlier) !== isTrue(later) ? type.one : type.zero),
});

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

/** Whether `a` comes before `b`: as `<`, with −0 before +0. Neither is NaN. */
function precedes(a: Scalar, b: Scalar): boolean {
  return a < b || (a === 0 && b === 0 && Object.is(a, -0) && !Object.is(b, -0));
}

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
    on: (given, user) => customMonoid(op as unknown as CustomOperator, given, user),
  };
  return op;
}

/** A name that may become part of names in WGSL. */
export function requireName(name: unknown, caller: string): asserts name is string {
  if (typeof name !== "string" || !/^[A-Za-z][A-Za-z0-9_]*$/.test(name) || name.includes("__")) {
    throw new ArgumentError(
      `${caller}: name is ${JSON.stringify(name)}; it takes letters, digits and single underscores, starting with a letter`,
    );
  }
}

/** One operator on one type, ready for the reference and for code generation. */
export interface Monoid {
  /** `add_u32`: part of names in WGSL. */
  readonly key: string;
  /** `u32, add`: for messages. */
  readonly title: string;
  /** The operator's name. */
  readonly opName: string;
  readonly type: ElementType;
  readonly domain: Domain;
  /** Whether the caller wrote the operator. */
  readonly callers: boolean;
  /** The WGSL function whose first line is given, and what it needs. */
  combineSources(head: string): readonly Source[];
  /** As a value of the type. */
  readonly identity: Value;
  /** Whether any order and grouping of elements gives the same bits. */
  readonly regroups: boolean;
  /** WGSL's own for the whole subgroup, where there are some. */
  readonly subgroupScan: string | undefined;
  readonly subgroupReduce: string | undefined;
  /** The CPU twin: an item to what is combined, and two of those to one. */
  readonly lift: (value: Value) => Value;
  readonly reference: (earlier: Value, later: Value) => Value;
}

/** An operator's name as it is in WGSL: `logical_and`. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * An operator on a type.
 *
 * @throws {ArgumentError} when the operator does not take the type; the message names both.
 */
export function monoid(op: Operator, elementType: ElementType, caller: string): Monoid {
  const type = requireType(elementType, caller);
  if (typeof (op as Partial<Operator> | null | undefined)?.on !== "function") {
    throw new ArgumentError(
      `${caller}: op is ${String(op)}; it takes add, max or another of Wavefold's operators, or operator(…)`,
    );
  }
  return (op as Required<Operator>).on(type, caller);
}

function customMonoid(op: CustomOperator, type: ElementType, caller: string): Monoid {
  if (!isSameType(op.type, type)) {
    throw new ArgumentError(
      `${caller}<${type.name}, ${op.name}>: the operator ${op.name} is for ${op.type.name}, not for ${op.type.name === type.name ? "another type of that name" : type.name}`,
    );
  }
  return {
    key: `${op.name}_${type.name}`,
    title: `${type.name}, ${op.name}`,
    opName: op.name,
    type,
    domain: type.native,
    callers: true,
    combineSources: (head) => callersCombine(op, head),
    identity: op.identity,
    regroups: false,
    subgroupScan: undefined,
    subgroupReduce: undefined,
    lift: (value) => value,
    reference: op.reference,
  };
}

function builtinMonoid(row: BuiltinOperator, type: ElementType, caller: string): Monoid {
  const scalar = type as ScalarType;
  // A struct has no domain but its own, and no kind that an operator takes.
  const domain = scalar[row.domain] as Domain | undefined;
  const combine = domain?.operations[row.operation];
  if (domain === undefined || combine === undefined || !row.kinds.includes(scalar.kind)) {
    throw new ArgumentError(
      type.kind === "struct"
        ? `${caller}<${type.name}, ${row.name}>: ${row.name} has no meaning on the struct ${type.name}; it takes operator({ type: ${type.name}, … })`
        : `${caller}<${type.name}, ${row.name}>: ${row.name} has no meaning on ${type.name}; it takes ${row.kinds.flatMap((kind) => namesOfKind[kind]).join(", ")}`,
    );
  }
  return {
    key: `${snakeCase(row.name)}_${type.name}`,
    title: `${type.name}, ${row.name}`,
    opName: row.name,
    type,
    domain,
    callers: false,
    combineSources: (head) => [generated(`${head}\n  return ${combine};\n}`)],
    identity: row.identity(scalar),
    regroups: roundingOf(row, scalar) === "none",
    subgroupScan: domain.subgroupScans ? row.subgroupScan : undefined,
    subgroupReduce: domain.subgroupScans
      ? `subgroup${row.operation[0]?.toUpperCase()}${row.operation.slice(1)}`
      : undefined,
    lift: row.lift?.(scalar) ?? ((value) => value),
    reference: row.reference(scalar) as Monoid["reference"],
  };
}

/** How a built-in operator's results are rounded on a type. */
export function roundingOf(op: Operator, type: ScalarType): ScalarType["rounding"] {
  return (op as BuiltinOperator).domain === "native" ? type.rounding : "none";
}
