import type { NestedType, Part } from "./fields.ts";
import type { Domain, ElementType, Value } from "./types.ts";

/**
 * The elements of an operator that has no identity: a value, or nothing. Nothing is their identity. It is read as a value of
 * zeros. A struct's fields stand in the element one by one, since subgroups move fields.
 */
export function optionalDomain<V extends Value>(type: ElementType<string, V>): Domain<V> {
  const { shuffle, shuffles } = type.native;
  const isWhole = type.kind !== "struct" || shuffle !== undefined;
  const parts: readonly Part[] = isWhole ? [] : (type as NestedType<string, never>).layout.parts;
  const last = parts.at(-1);
  // The flag stands right behind the last field.
  const end = last === undefined ? type.bytes : last.offset + last.type.bytes;
  const fields = isWhole
    ? [["element", "Value"] as const]
    : parts.map(
        ({ key, type: field }) => [String(key), "layout" in field ? field.layout.wgsl : field.value] as const,
      );
  let flag = "is_some";
  while (fields.some(([name]) => name === flag)) {
    flag += "_";
  }
  const align = Math.max(4, type.native.align ?? type.bytes);
  const values = fields.map(([name]) => `x.${name}`).join(", ");
  const given = isWhole ? "x" : values;
  return {
    element: "OptionalElement",
    ...(shuffle
      ? {
          shuffle: (builtin, element, place) =>
            `Element(${shuffle(builtin, `${element}.element`, place)}, ${builtin}(${element}.${flag}, ${place}))`,
        }
      : { fields: [...fields.map(([name]) => name), flag], ...(shuffles && { shuffles }) }),
    elementBytes: Math.ceil((Math.ceil(end / 4) * 4 + 4) / align) * align,
    align,
    literal: () => ["Element()"],
    conversions: `struct OptionalElement {
${fields.map(([name, wgsl]) => `  ${name}: ${wgsl},\n`).join("")}  ${flag}: u32,
}
fn element_from_value(x: Value) -> Element {
  return Element(${given}, 1u);
}
fn value_from_element(x: Element) -> Value {
  return ${isWhole ? values : `Value(${values})`};
}
fn optional_combine(earlier: Element, later: Element) -> Element {
  if (earlier.${flag} == 0u) {
    return later;
  }
  if (later.${flag} == 0u) {
    return earlier;
  }
  return element_from_value(combine_values(value_from_element(earlier), value_from_element(later)));
}`,
  };
}
