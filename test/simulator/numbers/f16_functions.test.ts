import { expect, test } from "vitest";
import { call } from "./arithmetic.ts";
import { testFunctions } from "./functions.ts";
import { halves, nearestHalf } from "./halves.ts";
import { f16 } from "./rationals.ts";

testFunctions(f16);

/** In steps of 2^-24, every f16 is an integer, and so is what is left of 1. */
const ONE = 2 ** 24;
const down = (steps: number): number => steps - (((steps % ONE) + ONE) % ONE);

/** The functions of one operand. The first ones are exact, in steps; the others compute in binary64. */
const exact: Readonly<Record<string, (steps: number) => number>> = {
  floor: down,
  ceil: (steps) => -down(-steps),
  trunc: (steps) => steps - (steps % ONE),
  fract: (steps) => steps - down(steps),
  modf_fract: (steps) => steps % ONE,
  saturate: (steps) => Math.max(0, Math.min(ONE, steps)),
  round: (steps) => {
    const low = down(steps);
    const left = 2 * (steps - low);
    return left > ONE || (left === ONE && (low / ONE) % 2 !== 0) ? low + ONE : low;
  },
};
const inBinary64: Readonly<Record<string, (x: number) => number>> = {
  acos: Math.acos,
  acosh: Math.acosh,
  asin: Math.asin,
  asinh: Math.asinh,
  atan: Math.atan,
  atanh: Math.atanh,
  cos: Math.cos,
  cosh: Math.cosh,
  degrees: (x) => (x / Math.PI) * 180,
  exp: Math.exp,
  exp2: (x) => Math.exp(x * Math.LN2),
  inverse_sqrt: (x) => (x < 0 ? Number.NaN : x === 0 ? 1 / x : Math.sqrt(1 / x)),
  log: Math.log,
  log2: (x) => Math.log(x) / Math.LN2,
  radians: (x) => (x / 180) * Math.PI,
  sin: Math.sin,
  sinh: Math.sinh,
  sqrt: Math.sqrt,
  tan: Math.tan,
  tanh: Math.tanh,
};

/** Calls a function for every f16 and its number; infinities and NaN have theirs. */
function forEachHalf(table: Float64Array, visit: (word: number, number: number) => void): void {
  for (let word = 0; word < 0x8000; word++) {
    const number = word > 0x7c00 ? Number.NaN : word === 0x7c00 ? Infinity : (table[word] ?? 0);
    visit(word, number);
    visit(word | 0x8000, -number);
  }
}

test.each(Object.entries(exact))("%s of every f16", (name, reference) => {
  const table = halves();
  forEachHalf(table, (word, number) => {
    if (!Number.isFinite(number)) {
      return;
    }
    const actual = call(`f16_${name}`, word);
    const expected = nearestHalf(table, reference(number * ONE) / ONE);
    // A zero's sign is tested beside exact fractions.
    if (actual !== expected && ((actual | expected) & 0x7fff) !== 0) {
      expect.fail(`f16_${name}(${number}) is ${actual}, not ${expected}`);
    }
  });
});

test.each(Object.entries(inBinary64))("%s of every f16", (name, reference) => {
  const table = halves();
  forEachHalf(table, (word, number) => {
    const actual = call(`f16_${name}`, word);
    const expected = nearestHalf(table, reference(number));
    if (actual !== expected && ((actual | expected) & 0x7fff) !== 0) {
      expect.fail(`f16_${name}(${number}) is ${actual}, not ${expected}`);
    }
  });
});
