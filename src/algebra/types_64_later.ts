import { numbersLater, typeWith } from "./numbers_later.ts";
import type { ScalarType } from "./types.ts";
import * as words from "./words_64.ts";

// The 64-bit types of the main entry. Calls on the device load what reads callers' texts on them with the first such text.

/** 64-bit unsigned integers on pairs of u32; arithmetic wraps. */
export const u64: ScalarType<"u64", bigint> = /* @__PURE__ */ typeWith(words.u64, numbersLater);

/** 64-bit signed integers on pairs of u32, in two's complement; arithmetic wraps. */
export const i64: ScalarType<"i64", bigint> = /* @__PURE__ */ typeWith(words.i64, numbersLater);

/**
 * IEEE-754 binary64 in integer arithmetic: each operation rounds to nearest even and keeps
 * subnormals, bit for bit as JavaScript's numbers do. Every NaN that results is 0x7ff8000000000000.
 */
export const f64: ScalarType<"f64", number> = /* @__PURE__ */ typeWith(words.f64, numbersLater);
