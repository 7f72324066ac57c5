import { ArgumentError } from "../../errors.ts";
import * as numbers from "../../simulator/numbers/index.ts";
import { pow, roundToEven, sign } from "../../simulator/numbers/real_functions.ts";
import { f16Number, f16Word, f32Number } from "../../simulator/numbers/words.ts";

// The functions that generated texts call, by their names there. Numbers are JavaScript's: u32, i32, f32, f16 and f64 as a number, u64 and
// i64 as a bigint, bool as a boolean. Those of `simulator/numbers` take and give words.

const floats = /* @__PURE__ */ new Float32Array(1);
const words = /* @__PURE__ */ new Uint32Array(floats.buffer);

/** The bits of an f32, those of a NaN too. */
function bitsOfF32(x: number): number {
  floats[0] = x;
  return words[0] as number;
}

const doubles = /* @__PURE__ */ new DataView(new ArrayBuffer(8));

function wordOfF64(x: number, at: number): number {
  doubles.setFloat64(0, x, true);
  return doubles.getUint32(at, true);
}

function f64OfWords(low: number, high: number): number {
  doubles.setUint32(0, low, true);
  doubles.setUint32(4, high, true);
  return doubles.getFloat64(0, true);
}

const { f16round } = Math as { readonly f16round?: (x: number) => number };

const roundF16: (x: number) => number = f16round ?? ((x) => f16Number(f16Word(x)));

/** A whole number whose bits below 2^11 are replaced by the one above them, if any is set: f32 and f16 round it as the number itself. */
function nearlyOfBig(x: bigint): number {
  const magnitude = x < 0n ? -x : x;
  const low = magnitude & 2047n;
  const kept = magnitude < 2n ** 53n || low === 0n ? magnitude : (magnitude - low) | 2048n;
  return Number(x < 0n ? -kept : kept);
}

/** The whole part of a number, and of what is out of a range its end; 0 of NaN. */
function bigOf(x: number, least: bigint, most: bigint): bigint {
  if (Number.isNaN(x)) {
    return 0n;
  }
  return x <= Number(least) ? least : x >= Number(most) ? most : BigInt(Math.trunc(x));
}

const greatestU64 = 2n ** 64n - 1n;
const greatestI64 = 2n ** 63n - 1n;

function isEndless(): never {
  throw new ArgumentError(
    "a loop in a text has taken 2^26 turns for one element; a text's loops must end",
    "text",
  );
}

export const helpers = {
  ...numbers,
  isEndless,
  f32Number,
  f16Number,
  f16Word,
  bitsOfF32,
  wordOfF64,
  f64OfWords,
  roundF16,
  roundToEven,
  pow,
  signOfFloat: sign,
  divideU32: (a: number, b: number): number => (b === 0 ? a : (a / b) >>> 0),
  remainderU32: (a: number, b: number): number => (b === 0 ? 0 : a % b),
  divideI32: (a: number, b: number): number => (b === 0 ? a : (a / b) | 0),
  remainderI32: (a: number, b: number): number => (b === 0 ? 0 : (a % b) | 0),
  divideU64: (a: bigint, b: bigint): bigint => (b === 0n ? a : a / b),
  divideI64: (a: bigint, b: bigint): bigint => (b === 0n ? a : BigInt.asIntN(64, a / b)),
  remainder64: (a: bigint, b: bigint): bigint => (b === 0n ? 0n : a % b),
  /** Of a NaN and a number the number; -0 is less than +0. */
  leastFloat: (a: number, b: number): number => (Number.isNaN(b) ? a : Number.isNaN(a) ? b : Math.min(a, b)),
  greatestFloat: (a: number, b: number): number =>
    Number.isNaN(b) ? a : Number.isNaN(a) ? b : Math.max(a, b),
  i32OfF32: (x: number): number => (x >= 2147483520 ? 2147483520 : x <= -2147483648 ? -2147483648 : x | 0),
  u32OfF32: (x: number): number => (x >= 4294967040 ? 4294967040 : x > 0 ? x >>> 0 : 0),
  i32OfF16: (x: number): number => (x > 65504 ? 65504 : x < -65504 ? -65504 : x | 0),
  u32OfF16: (x: number): number => (x > 65504 ? 65504 : x > 0 ? x >>> 0 : 0),
  i32OfF64: (x: number): number => (x >= 2147483647 ? 2147483647 : x <= -2147483648 ? -2147483648 : x | 0),
  u32OfF64: (x: number): number => (x >= 4294967295 ? 4294967295 : x > 0 ? x >>> 0 : 0),
  u64OfFloat: (x: number): bigint => bigOf(x, 0n, greatestU64),
  i64OfFloat: (x: number): bigint => bigOf(x, -greatestI64 - 1n, greatestI64),
  nearlyOfBig,
};

/** Matches what may be the name of one of them. */
const NAMES = /\b[a-zA-Z]\w*\b/g;

/** What a text of JavaScript gives that calls these functions. @throws {EvalError} where a page forbids to make functions of texts. */
export function evaluated(text: string): unknown {
  const used = new Set(text.match(NAMES)?.filter((name) => Object.hasOwn(helpers, name)));
  const body = `"use strict";\nconst { ${[...used].join(", ")} } = helpers;\n${text}`;
  return new Function("helpers", body)(helpers);
}
