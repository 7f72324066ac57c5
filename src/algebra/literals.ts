import type { Domain, Literal, Operation, Scalar, Value } from "./types.ts";

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

/**
 * A domain whose elements come from values, and go back to them, by these expressions. A kernel has them as functions, too.
 */
export const converted = <V extends Value>(
  fromValue: string,
  toValue: string,
  domain: Domain<V>,
): Domain<V> => ({
  ...domain,
  fromValue,
  toValue,
  conversions: `fn element_from_value(x: Value) -> Element {
  return ${fromValue};
}
fn value_from_element(x: Element) -> Value {
  return ${toValue};
}`,
});

/** The name of a helper that is the same in all in-kernel functions. */
export const shared = (name: string): string => `_${name}`;

export const hex = (bits: number): string => `0x${bits.toString(16)}u`;

/** The literal 1 for a value that is true, and 0 for one that is false. */
export const truthLiteral = (value: Scalar): Literal => [isTrue(value) ? "1u" : "0u"];

/** Whether a value is true. Zero is false. All else is true, and so is NaN. */
export const isTrue = (value: Scalar): boolean => (typeof value === "bigint" ? value !== 0n : value !== 0);

/** The domain of truth for integers of 32 bits: 0 or 1. */
export const integerTruth = (wgsl: string): Domain<number> =>
  converted("u32(x != 0)", `${wgsl}(x)`, {
    element: "u32",
    elementBytes: 4,
    literal: truthLiteral,
    stored: wgsl,
    fromStored: "u32(x != 0)",
    toStored: `${wgsl}(x)`,
  });
