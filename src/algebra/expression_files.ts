import binary64ConversionsFile from "../../shaders/numeric/binary64_conversions.wgsl";
import int64ConversionsFile from "../../shaders/numeric/int64_conversions.wgsl";
import type { SourceText } from "../text/source.ts";
import { shared } from "./literals.ts";
import type { ElementType } from "./types.ts";

// Conversions of 64-bit types are for callers' text alone. So only what takes such text imports this file.

const conversion = (name: string, text: string): SourceText => ({
  name: `shaders/numeric/${name}_conversions.wgsl`,
  text,
  as: shared,
});

/** By the file of a type whose values they convert. */
const conversions: ReadonlyMap<string, SourceText> = /* @__PURE__ */ new Map([
  ["shaders/numeric/int64.wgsl", /* @__PURE__ */ conversion("int64", int64ConversionsFile)],
  ["shaders/numeric/binary64.wgsl", /* @__PURE__ */ conversion("binary64", binary64ConversionsFile)],
]);

/** The files whose functions a caller's expression may call: those of its types, and conversions. Each comes once. */
export function expressionFiles(...types: readonly Pick<ElementType, "files">[]): readonly SourceText[] {
  const files = new Map<string, SourceText>();
  for (const file of types.flatMap((type) => type.files)) {
    const extra = conversions.get(file.name);
    for (const one of extra ? [file, extra] : [file]) {
      files.set(one.name, one);
    }
  }
  return [...files.values()];
}
