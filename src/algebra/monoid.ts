import { refuse } from "../errors.ts";
import type { CallersCombine } from "../text/callers.ts";
import type { Domain, ElementType, Operation, Start, Value } from "./types.ts";
import { requireType } from "./types.ts";

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
    refuse(caller, "op", String(op), "an operator");
  }
  return (op as Required<Operator>).on(op, type, caller);
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
