import type { SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";

/** Declares items that are copied as they are. */
export const itemsText = (stored: string): SourceText =>
  generated(
    `alias Input = ${stored};\nalias Output = ${stored};\nalias InputVector = Input;\nalias OutputVector = Output;`,
  );
