import type { Domain, Literal, Operation, Scalar } from "./types.ts";

/** WGSL's own operators and functions. */
export const symbols = {
  add: "earlier + later",
  mul: "earlier * later",
  and: "earlier & later",
  or: "earlier | later",
  xor: "earlier ^ later",
  min: "min(earlier, later)",
  max: "max(earlier, later)",
} as const satisfies Record<Operation, string>;

/** A domain in which the element, the stored item and the value are all of one WGSL type. */
export const plain = (
  wgsl: string,
  bytes: number,
  literal: (value: number, name: string) => Literal,
): Domain<number> => ({
  element: wgsl,
  elementBytes: bytes,
  subgroupScans: true,
  literal,
});

/** How a domain's elements come from values and go back to them, as expressions and as functions in a kernel. */
export const conversions = (
  fromValue: string,
  toValue: string,
): Pick<Domain, "fromValue" | "toValue" | "conversions"> => ({
  fromValue,
  toValue,
  conversions: `fn element_from_value(x: Value) -> Element {
  return ${fromValue};
}
fn value_from_element(x: Element) -> Value {
  return ${toValue};
}`,
});

/** The names of helpers that are the same in every kernel's functions. */
export const shared = (name: string): string => `_${name}`;

/** An expression that needs no statement before it. */
export const expression = (text: string): Literal => ({ expression: text });
export const hex = (bits: number): string => `0x${bits.toString(16)}u`;

/** 0 or 1, for what is zero and what is not. */
export const truthLiteral = (value: Scalar): Literal => expression(isTrue(value) ? "1u" : "0u");

/** Zero is false, all else is true, NaN too. */
export const isTrue = (value: Scalar): boolean => (typeof value === "bigint" ? value !== 0n : value !== 0);
