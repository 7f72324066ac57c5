import type { Operator } from "./monoid.ts";
import { monoid } from "./monoid.ts";
import type { Domain, ElementType } from "./types.ts";

/**
 * How results are rounded: not at all; to nearest even after each operation, so that the order of operations decides the
 * last bits; or as the adapter likes, within a bound.
 */
export type Rounding = "none" | "each operation" | "adapter";

/** Whether an operator combines floats as they are. Then their sums and products are rounded, so their order matters. */
const rounds = ({ kind, native }: ElementType, domain: Domain): boolean =>
  kind === "float" && domain === native;

/** How an operator's results are rounded on a type. The results of a caller's own operator on floats count as rounded. */
export const roundingOf = (op: Operator, type: ElementType): Rounding =>
  roundingIn(type, monoid(op, type, "roundingOf").domain);

/** The same in a domain of the type. */
export const roundingIn = (type: ElementType, domain: Domain): Rounding =>
  !rounds(type, domain) ? "none" : type.name === "f64" ? "each operation" : "adapter";
