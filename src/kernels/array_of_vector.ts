import type { SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";

/** Declares a vector of words, and `array_of_vector`, which gives the array of its items. `item` is the name of an item's type, `wgsl` what it is. */
export const arrayOfVectorText = (name: string, item: string, wgsl: string, vector: number): SourceText =>
  generated(
    [
      `alias ${name} = ${vector === 1 ? item : `vec${vector}<${wgsl}>`};`,
      `fn array_of_vector(x: ${name}) -> array<${item}, VECTOR> {`,
      `  return array<${item}, VECTOR>(${vector === 1 ? "x" : ["x.x", "x.y", "x.z", "x.w"].slice(0, vector).join(", ")});`,
      "}",
    ].join("\n"),
  );
