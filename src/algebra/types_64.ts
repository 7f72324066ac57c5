import * as read from "./numbers_64.ts";
import { provideNumbers, typeWith } from "./numbers_later.ts";
import type { ScalarType } from "./types.ts";
import * as words from "./words_64.ts";

// The 64-bit types with what reads callers' texts on them, for what writes texts at once.

// This is the one place that does something when it is imported: in-kernel functions may be given types of the main entry, which read texts from
// then on, too. Bundlers leave it out of programs that use no type of this file, where such functions throw an error that says so. Marked as an
// effect to keep, it would bring 20 KB to every program with an in-kernel function.
const numbers = /* @__PURE__ */ provideNumbers(read.numbers);

/** 64-bit unsigned integers on pairs of u32; arithmetic wraps. */
export const u64: ScalarType<"u64", bigint> = /* @__PURE__ */ typeWith(words.u64, numbers);

/** 64-bit signed integers on pairs of u32, in two's complement; arithmetic wraps. */
export const i64: ScalarType<"i64", bigint> = /* @__PURE__ */ typeWith(words.i64, numbers);

/**
 * IEEE-754 binary64 in integer arithmetic: each operation rounds to nearest even and keeps
 * subnormals, bit for bit as JavaScript's numbers do. Every NaN that results is 0x7ff8000000000000.
 */
export const f64: ScalarType<"f64", number> = /* @__PURE__ */ typeWith(words.f64, numbers);
