import { ArgumentError } from "./errors.ts";
import type { Domain, ElementType, TypeName } from "./types.ts";
import { elementTypes, requireType } from "./types.ts";

type Kind = ElementType["kind"];
type DomainName = "native" | "order" | "truth";

/** The types that the bitwise operators take. */
export type IntegerName = "u32" | "i32";

declare const accepts: unique symbol;

/**
 * A monoid, up to its type: what a scan or a reduction combines with. The parameter lists the
 * types that it takes, so that bitwise `and` on f32 does not type-check.
 */
export interface Operator<Accepted extends TypeName = never> {
  readonly name: string;
  /** Type-level only: an operator of more types serves where fewer are asked for. */
  readonly [accepts]?: (type: Accepted) => void;
}

/** One row of the table of operators. */
interface BuiltinOperator extends Operator {
  readonly kinds: readonly Kind[];
  readonly domain: DomainName;
  readonly commutative: true;
  /** Expression over `earlier` and `later`. */
  readonly combine: string;
  /** The value that changes nothing. */
  identity(type: ElementType): number;
  /** The CPU twin, over values of the domain. */
  reference(type: ElementType): (earlier: number, later: number) => number;
  /** WGSL's subgroup built-in for an inclusive scan, where there is one. */
  readonly subgroupScan?: string;
}

/** An operator of the caller's own. See {@link operator}. */
export interface CustomOperator<Accepted extends TypeName = TypeName> extends Operator<Accepted> {
  readonly type: ElementType<Accepted>;
  readonly identity: number;
  readonly combine: string;
  readonly declarations: string;
  reference(earlier: number, later: number): number;
}

const numbers = ["unsigned", "signed", "float"] as const satisfies readonly Kind[];
const integers = ["unsigned", "signed"] as const satisfies readonly Kind[];
const builtins = new WeakSet<object>();

function builtin<Accepted extends TypeName>(row: Omit<BuiltinOperator, "commutative">): Operator<Accepted> {
  const op: BuiltinOperator = { ...row, commutative: true };
  builtins.add(op);
  return op as Operator as Operator<Accepted>;
}

const asNumber = (truth: boolean): number => (truth ? 1 : 0);

/** The sum; integers wrap around. */
export const add: Operator<TypeName> = /* @__PURE__ */ builtin({
  name: "add",
  kinds: numbers,
  domain: "native",
  combine: "earlier + later",
  identity: () => 0,
  reference: (type) => (earlier, later) => type.round(earlier + later),
  subgroupScan: "subgroupInclusiveAdd",
});

/** The product; integers wrap around. */
export const mul: Operator<TypeName> = /* @__PURE__ */ builtin({
  name: "mul",
  kinds: numbers,
  domain: "native",
  combine: "earlier * later",
  identity: () => 1,
  reference: (type) => type.multiply,
  subgroupScan: "subgroupInclusiveMul",
});

/** The least element. Floats: NaN is ignored, −0 comes before +0, and of NaNs alone the result is +∞. */
export const min: Operator<TypeName> = /* @__PURE__ */ builtin({
  name: "min",
  kinds: numbers,
  domain: "order",
  combine: "min(earlier, later)",
  identity: (type) => type.greatest,
  reference: () => (earlier, later) => (precedes(later, earlier) ? later : earlier),
});

/** The greatest element. Floats: NaN is ignored, −0 comes before +0, and of NaNs alone the result is −∞. */
export const max: Operator<TypeName> = /* @__PURE__ */ builtin({
  name: "max",
  kinds: numbers,
  domain: "order",
  combine: "max(earlier, later)",
  identity: (type) => type.lowest,
  reference: () => (earlier, later) => (precedes(earlier, later) ? later : earlier),
});

/** Bitwise and. */
export const and: Operator<IntegerName> = /* @__PURE__ */ builtin({
  name: "and",
  kinds: integers,
  domain: "native",
  combine: "earlier & later",
  identity: (type) => type.round(-1),
  reference: (type) => (earlier, later) => type.round(earlier & later),
});

/** Bitwise or. */
export const or: Operator<IntegerName> = /* @__PURE__ */ builtin({
  name: "or",
  kinds: integers,
  domain: "native",
  combine: "earlier | later",
  identity: () => 0,
  reference: (type) => (earlier, later) => type.round(earlier | later),
});

/** Bitwise exclusive or. */
export const xor: Operator<IntegerName> = /* @__PURE__ */ builtin({
  name: "xor",
  kinds: integers,
  domain: "native",
  combine: "earlier ^ later",
  identity: () => 0,
  reference: (type) => (earlier, later) => type.round(earlier ^ later),
});

/** 1 where all elements are true, else 0. Zero is false, all else is true, NaN too. */
export const logicalAnd: Operator<TypeName> = /* @__PURE__ */ builtin({
  name: "logicalAnd",
  kinds: numbers,
  domain: "truth",
  combine: "earlier & later",
  identity: () => 1,
  reference: () => (earlier, later) => asNumber(earlier !== 0 && later !== 0),
});

/** 1 where any element is true, else 0. Zero is false, all else is true, NaN too. */
export const logicalOr: Operator<TypeName> = /* @__PURE__ */ builtin({
  name: "logicalOr",
  kinds: numbers,
  domain: "truth",
  combine: "earlier | later",
  identity: () => 0,
  reference: () => (earlier, later) => asNumber(earlier !== 0 || later !== 0),
});

/** 1 where an odd number of elements is true, else 0. Zero is false, all else is true, NaN too. */
export const logicalXor: Operator<TypeName> = /* @__PURE__ */ builtin({
  name: "logicalXor",
  kinds: numbers,
  domain: "truth",
  combine: "earlier ^ later",
  identity: () => 0,
  reference: () => (earlier, later) => asNumber((earlier !== 0) !== (later !== 0)),
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
function precedes(a: number, b: number): boolean {
  return a < b || (a === 0 && b === 0 && Object.is(a, -0) && !Object.is(b, -0));
}

/** What {@link operator} takes. */
export interface OperatorDefinition<Name extends TypeName> {
  /** Letters, digits and underscores: it becomes part of names in WGSL. */
  readonly name: string;
  readonly type: ElementType<Name>;
  /** The value that changes nothing on either side. */
  readonly identity: number;
  /** WGSL: an expression over `earlier` and `later`, or statements that end in `return`. */
  readonly combine: string;
  /** The same on the CPU. */
  readonly reference: (earlier: number, later: number) => number;
  /** WGSL functions, constants and structs that `combine` uses. */
  readonly declarations?: string;
}

/**
 * An operator of your own: any associative function with an identity. It need not commute: every
 * kernel keeps `earlier` before `later`.
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
export function operator<Name extends TypeName>(definition: OperatorDefinition<Name>): CustomOperator<Name> {
  const { name, identity, combine, reference, declarations = "" } = definition;
  if (typeof name !== "string" || !/^[A-Za-z][A-Za-z0-9_]*$/.test(name) || name.includes("__")) {
    throw new ArgumentError(
      `operator: name is ${JSON.stringify(name)}; it takes letters, digits and single underscores, starting with a letter`,
    );
  }
  const caller = `operator ${name}`;
  const type = requireType(definition.type, caller) as ElementType<Name>;
  if (typeof combine !== "string" || combine.trim() === "") {
    throw new ArgumentError(`${caller}: combine is empty; it takes a WGSL expression over earlier and later`);
  }
  if (typeof reference !== "function") {
    throw new ArgumentError(
      `${caller}: reference is ${typeof reference}; it takes a function of two numbers`,
    );
  }
  if (typeof declarations !== "string") {
    throw new ArgumentError(`${caller}: declarations is ${typeof declarations}; it takes WGSL text`);
  }
  if (
    typeof identity !== "number" ||
    !(Object.is(type.round(identity), identity) || Number.isNaN(identity))
  ) {
    throw new ArgumentError(
      `${caller}: the identity ${String(identity)} is no value of ${type.name}; the nearest is ${type.round(Number(identity))}`,
    );
  }
  return { name, type, identity, combine, reference, declarations };
}

/** One operator on one type, ready for the reference and for code generation. */
export interface Monoid {
  /** `add_u32`: part of names in WGSL. */
  readonly key: string;
  /** `add, u32`: for messages. */
  readonly title: string;
  readonly type: ElementType;
  readonly domain: Domain;
  /** WGSL, and whose. */
  readonly combine: string;
  readonly declarations: string;
  readonly callers: boolean;
  /** As a value of the type. */
  readonly identity: number;
  readonly subgroupScan: string | undefined;
  /** The CPU twin: an item to what is combined, and two of those to one. */
  readonly lift: (value: number) => number;
  readonly reference: (earlier: number, later: number) => number;
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * An operator on a type.
 *
 * @throws {ArgumentError} when the operator does not take the type; the message names both.
 */
export function monoid(op: Operator, elementType: ElementType, caller: string): Monoid {
  const type = requireType(elementType, caller);
  if (typeof op !== "object" || op === null || typeof op.name !== "string") {
    throw new ArgumentError(
      `${caller}: op is ${String(op)}; it takes ${Object.keys(operators).join(", ")}, or operator(…)`,
    );
  }
  if (!builtins.has(op)) {
    const custom = op as unknown as CustomOperator;
    if (requireType(custom.type, caller) !== type) {
      throw new ArgumentError(
        `${caller}<${type.name}, ${op.name}>: the operator ${op.name} is for ${custom.type.name}, not for ${type.name}`,
      );
    }
    return {
      key: `${op.name}_${type.name}`,
      title: `${type.name}, ${op.name}`,
      type,
      domain: type.native,
      combine: custom.combine,
      declarations: custom.declarations,
      callers: true,
      identity: custom.identity,
      subgroupScan: undefined,
      lift: (value) => value,
      reference: custom.reference,
    };
  }
  const row = op as BuiltinOperator;
  if (!row.kinds.includes(type.kind)) {
    const fitting = Object.values<ElementType>(elementTypes).filter((other) =>
      row.kinds.includes(other.kind),
    );
    throw new ArgumentError(
      `${caller}<${type.name}, ${row.name}>: ${row.name} has no meaning on ${type.name}; it takes ${fitting.map((other) => other.name).join(", ")}`,
    );
  }
  return {
    key: `${snakeCase(row.name)}_${type.name}`,
    title: `${type.name}, ${row.name}`,
    type,
    domain: type[row.domain],
    combine: row.combine,
    declarations: "",
    callers: false,
    identity: row.identity(type),
    subgroupScan: row.subgroupScan,
    lift: lifts[row.domain](row.identity(type)),
    reference: row.reference(type),
  };
}

const lifts = {
  native: () => (value: number) => value,
  order: (identity: number) => (value: number) => (Number.isNaN(value) ? identity : value),
  truth: () => (value: number) => asNumber(value !== 0),
} as const satisfies Record<DomainName, (identity: number) => (value: number) => number>;
