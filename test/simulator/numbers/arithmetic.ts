import { expect, test } from "vitest";
import { randomBits } from "../../support/random.ts";
import type { Exact, Format } from "./rationals.ts";
import {
  ceiled,
  compared,
  decoded,
  floored,
  functions,
  negated,
  product,
  quotient,
  remainder,
  rounded,
  roundedToEven,
  squareRoot,
  sum,
  truncated,
  whole,
} from "./rationals.ts";
import { hex, pairsOf, randomWord, specialFloats } from "./special_words.ts";

/** How many random operands each operation meets. */
const RANDOM = 1000;

export function call(name: string, ...words: number[]): number {
  const called = functions[name];
  if (called === undefined) {
    throw new Error(`there is no function ${name}`);
  }
  return called(...words);
}

export function check(name: string, words: readonly number[], expected: number): void {
  const actual = call(name, ...words);
  if (!Object.is(actual, expected)) {
    expect.fail(`${name}(${words.map(hex).join(", ")}) is ${hex(actual)} (${actual}), not ${hex(expected)}`);
  }
}

const binary: Readonly<Record<string, (x: Exact, y: Exact) => Exact>> = {
  add: sum,
  sub: (x, y) => sum(x, negated(y)),
  mul: product,
  div: quotient,
  rem: remainder,
};

const comparisons: Readonly<Record<string, (order: number | undefined) => boolean>> = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  lt: (order) => order !== undefined && order < 0,
  le: (order) => order !== undefined && order <= 0,
  gt: (order) => order !== undefined && order > 0,
  ge: (order) => order !== undefined && order >= 0,
};

export const exactUnary: Readonly<Record<string, (x: Exact) => Exact>> = {
  ceil: ceiled,
  floor: floored,
  trunc: truncated,
  round: roundedToEven,
  fract: (x) => sum(x, negated(floored(x))),
  modf_fract: (x) => sum(x, negated(truncated(x))),
  sqrt: squareRoot,
  squared: (x) => product(x, x),
};

/** What min or max gives: of two zeros, -0 is the lesser one; of a number and NaN, the number. */
function extreme(a: number, b: number, order: number | undefined, isMin: boolean, format: Format): number {
  const [x, y] = [decoded(a, format), decoded(b, format)];
  if (x.kind === "NaN" || y.kind === "NaN") {
    return y.kind === "NaN" ? a : b;
  }
  return (order === 0 ? x.isNegative === isMin : (order ?? 0) < 0 === isMin) ? a : b;
}

export function testArithmetic(format: Format): void {
  const { name } = format;

  test.each(Object.entries(binary))(
    "%s is exact, then rounded once to nearest even",
    (operation, reference) => {
      for (const [a, b] of pairsOf(name, operation, RANDOM)) {
        check(
          `${name}_${operation}`,
          [a, b],
          rounded(reference(decoded(a, format), decoded(b, format)), format),
        );
      }
    },
  );

  test("comparisons, and the lesser and the greater one", () => {
    for (const [a, b] of pairsOf(name, "comparisons", RANDOM)) {
      const order = compared(decoded(a, format), decoded(b, format));
      for (const [operation, holds] of Object.entries(comparisons)) {
        check(`${name}_${operation}`, [a, b], holds(order) ? 1 : 0);
      }
      const unit = rounded(whole(1n), format);
      check(`${name}_step`, [a, b], order !== undefined && order <= 0 ? unit : 0);
      check(`${name}_min`, [a, b], extreme(a, b, order, true, format));
      check(`${name}_max`, [a, b], extreme(a, b, order, false, format));
    }
  });

  test.each(Object.entries(exactUnary))("%s", (operation, reference) => {
    const next = randomWord(name, operation);
    for (const a of [...specialFloats[name], ...Array.from({ length: RANDOM }, next)]) {
      check(`${name}_${operation}`, [a], rounded(reference(decoded(a, format)), format));
    }
  });

  test("fma is rounded once", () => {
    const specials = specialFloats[name].filter((_, at) => at % 4 === 0);
    const next = randomWord(name, "fma");
    const random = Array.from({ length: RANDOM }, () => [next(), next(), next()] as const);
    const triples = specials.flatMap((a) => specials.flatMap((b) => specials.map((c) => [a, b, c] as const)));
    for (const words of [...triples, ...random]) {
      checkFma(words, format);
    }
  });

  test("fma is right beside the middles between two numbers, where a sum that is rounded twice is not", () => {
    const next = randomBits(`beside the middle of ${name}`);
    for (let at = 0; at < RANDOM; at++) {
      for (const words of besideMiddle(format, next, at % 8 === 0)) {
        checkFma(words, format);
      }
    }
  });
}

/**
 * Factors whose product is half a step of the addend, but for a small part of it: (1 + x)(1 - x) is 1 - x², where x is some steps of the
 * factors. The addend is subnormal, or any number.
 */
function besideMiddle(
  { bits, fractionBits, bias }: Format,
  next: () => number,
  isSubnormal: boolean,
): readonly (readonly [number, number, number])[] {
  const binade = 2 ** fractionBits;
  const steps = 1 + (next() % 4);
  const exponent = 1 + (next() % (2 * bias - 1));
  const addend = isSubnormal ? next() % (2 * binade) : exponent * binade + (next() % binade);
  const power = (isSubnormal ? 1 : exponent) - bias - fractionBits - 1;
  const [high, low] = [Math.floor(power / 2), Math.ceil(power / 2)];
  const a = (high + bias) * binade + steps;
  const below = (low + bias) * binade - 2 * steps;
  const above = (low + bias) * binade + steps;
  const sign = bits === 32 ? 0x80000000 : 0x8000;
  return [below, below | sign, above, above | sign].flatMap((b) => [
    [a, b, addend],
    [b, a, addend | sign],
  ]);
}

/** Compares fma with the exact product and sum, rounded. */
export function checkFma([a, b, c]: readonly [number, number, number], format: Format): void {
  const exact = sum(product(decoded(a, format), decoded(b, format)), decoded(c, format));
  check(`${format.name}_fma`, [a, b, c], rounded(exact, format));
}
