import { ArgumentError } from "../errors.ts";
import type { Monoid, Operator } from "./monoid.ts";
import { truths } from "./truth.ts";
import type { Domain, Operation, Scalar, ScalarType, Start, TypeName } from "./types.ts";
import { scalarTypes } from "./types.ts";

// The operators that WGSL has, one by one: exactAdd is in a file of its own, since its kernels take more code. operator_table.ts has them all.

/** The names of the types that the bitwise operators take. */
export type IntegerName = "u32" | "i32" | "u64" | "i64";

/** One row of the table of operators. */
interface BuiltinOperator extends Operator {
  /** The names of the types that it takes. */
  readonly takes: string;
  /** Its name in WGSL, if that is another one. */
  readonly key?: string;
  readonly domain: (type: ScalarType) => Domain<never>;
  readonly operation: Operation;
  /** WGSL's own expression over `earlier` and `later`. */
  readonly combine: string;
  /** The value that changes nothing. */
  identity(type: ScalarType): Scalar;
  /** The value that results start from, if it differs from the identity. */
  start?(type: ScalarType): Start | undefined;
}

const integers = "u32, i32, u64, i64";

const native: BuiltinOperator["domain"] = (type) => type.native;
const order: BuiltinOperator["domain"] = (type) => type.order ?? type.native;
const nanFirst: BuiltinOperator["domain"] = (type) => type.nanFirst ?? type.native;
const nanLast: BuiltinOperator["domain"] = (type) => type.nanLast ?? type.native;
const truth: BuiltinOperator["domain"] = (type) => truths[type.name];

/** The sum; integers wrap around. */
export const add: Operator<TypeName> = {
  name: "add",
  takes: scalarTypes,
  domain: native,
  operation: "add",
  combine: "earlier + later",
  identity: (type) => type.addIdentity ?? type.zero,
  start: (type) => type.addStart,
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
  on: builtinMonoid,
} satisfies BuiltinOperator as Operator<TypeName>;

/** The least element. Floats: NaN is ignored, −0 comes before +0, and if all elements are NaN, the result is +∞. See {@link minimum}. */
export const min: Operator<TypeName> = {
  name: "min",
  takes: scalarTypes,
  domain: order,
  operation: "min",
  combine: "min(earlier, later)",
  identity: (type) => type.greatest,
  on: builtinMonoid,
} satisfies BuiltinOperator as Operator<TypeName>;

/** The greatest element. Floats: NaN is ignored, −0 comes before +0, and if all elements are NaN, the result is −∞. See {@link maximum}. */
export const max: Operator<TypeName> = {
  name: "max",
  takes: scalarTypes,
  domain: order,
  operation: "max",
  combine: "max(earlier, later)",
  identity: (type) => type.lowest,
  on: builtinMonoid,
} satisfies BuiltinOperator as Operator<TypeName>;

/**
 * The least element. Floats: if any element is NaN, the result is NaN, and −0 comes before +0. NumPy and IEEE 754-2019 have it by this
 * name. The NaN that results is 0x7fc00000 for f32, 0x7e00 for f16 and 0x7ff8000000000000 for f64. With {@link min}, NaN is ignored.
 */
export const minimum: Operator<TypeName> = {
  name: "minimum",
  takes: scalarTypes,
  domain: nanFirst,
  operation: "min",
  combine: "min(earlier, later)",
  identity: (type) => type.greatest,
  on: builtinMonoid,
} satisfies BuiltinOperator as Operator<TypeName>;

/**
 * The greatest element. Floats: if any element is NaN, the result is NaN, and −0 comes before +0. NumPy and IEEE 754-2019 have it by this
 * name. The NaN that results is 0x7fc00000 for f32, 0x7e00 for f16 and 0x7ff8000000000000 for f64. With {@link max}, NaN is ignored.
 */
export const maximum: Operator<TypeName> = {
  name: "maximum",
  takes: scalarTypes,
  domain: nanLast,
  operation: "max",
  combine: "max(earlier, later)",
  identity: (type) => type.lowest,
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
  on: builtinMonoid,
} satisfies BuiltinOperator as Operator<IntegerName>;

/** 1 if all elements are true, else 0. Zero is false. All else is true, and so is NaN. */
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

/** 1 if any element is true, else 0. Zero is false. All else is true, and so is NaN. */
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

/** 1 if an odd number of elements is true, else 0. Zero is false. All else is true, and so is NaN. */
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

/** The name in WGSL of an operator of the table: `logical_and`. */
export const operatorKeyOf = (op: Operator): string => (op as BuiltinOperator).key ?? op.name;

function builtinMonoid(row: BuiltinOperator, type: ScalarType, caller: string): Monoid {
  const { name, takes, key = name, operation } = row;
  const typeName = type?.name;
  const title = `${typeName}, ${name}`;
  if (!takes.split(", ").includes(typeName)) {
    throw new ArgumentError(
      `${caller}<${title}>: ${name} has no meaning on ${typeName}; it takes ${type?.takes ?? takes}`,
      typeName ? "op" : "type",
    );
  }
  const domain = row.domain(type) as Domain;
  return {
    key: `${key}_${typeName}`,
    title,
    type,
    domain,
    operation,
    combine: domain.operations?.[operation] ?? row.combine,
    identity: row.identity(type),
    start: row.start?.(type),
  };
}
