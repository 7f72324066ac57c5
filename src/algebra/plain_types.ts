import { f16, f32 } from "./floats.ts";
import { i32, u32 } from "./integers.ts";
import type { ScalarType, TypeName } from "./types.ts";
import { f64, i64, u64 } from "./types_64_later.ts";

/** Every scalar element type, by name, as the main entry has them: what reads callers' texts on 64-bit types is loaded later. */
export const plainTypes = { u32, i32, f32, f16, u64, i64, f64 } as const satisfies {
  [Name in TypeName]: ScalarType<Name>;
};
