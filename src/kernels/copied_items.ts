import type { SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";

/** Declares the items of an input and an output. If only one is named, items are copied as they are. */
export const itemsText = (input: string, output = input): SourceText =>
  generated(
    `alias Input = ${input};\nalias Output = ${output};\nalias InputVector = Input;\nalias OutputVector = Output;`,
  );
