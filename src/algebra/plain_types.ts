import { f16, f32 } from "./floats.ts";
import { i32, u32 } from "./integers.ts";
import type { ScalarType, TypeName } from "./types.ts";
import { f64, i64, u64 } from "./words_64.ts";

/** Every scalar element type, by name, for what takes no text of callers: without the reader of such text. */
export const plainTypes = { u32, i32, f32, f16, u64, i64, f64 } as const satisfies {
  [Name in TypeName]: ScalarType<Name>;
};
