import type { FieldType, NestedType } from "./fields.ts";
import type { ElementType } from "./types.ts";

// It imports no other code, so that what compares keys does not load what makes structs.

/** For each byte of a value, 255 if a scalar has it, and 0 if it lies between scalars, or behind the last one. */
export function usedBytes(type: ElementType): Uint8Array {
  const used = new Uint8Array(type.bytes);
  const use = (part: FieldType | ElementType, from: number): void => {
    const { layout } = part as Partial<NestedType>;
    if (layout === undefined) {
      used.fill(255, from, from + part.bytes);
    }
    for (const { type: inner, offset } of layout?.parts ?? []) {
      use(inner, from + offset);
    }
  };
  use(type, 0);
  return used;
}
