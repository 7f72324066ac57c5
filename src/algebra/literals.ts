import type { SourceText } from "../text/source.ts";
import type { Domain, Value } from "./types.ts";

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

/** A file of helpers that have the same names in all in-kernel functions. */
export const sharedFile = (file: SourceText): SourceText => ({ ...file, as: (name) => `_${name}` });

export const hex = (bits: number): string => `0x${bits.toString(16)}u`;
