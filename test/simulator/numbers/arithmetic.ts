import { expect, test } from "vitest";
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
const RANDOM = 2000;

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
      const one = rounded(whole(1n), format);
      check(`${name}_step`, [a, b], order !== undefined && order <= 0 ? one : 0);
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
    const specials = specialFloats[name].filter((_, at) => at % 3 === 0);
    const next = randomWord(name, "fma");
    const random = Array.from({ length: RANDOM }, () => [next(), next(), next()] as const);
    const triples = specials.flatMap((a) => specials.flatMap((b) => specials.map((c) => [a, b, c] as const)));
    for (const words of [...triples, ...random]) {
      checkFma(words, format);
    }
  });
}

/** Compares fma with the exact product and sum, rounded. */
export function checkFma([a, b, c]: readonly [number, number, number], format: Format): void {
  const exact = sum(product(decoded(a, format), decoded(b, format)), decoded(c, format));
  check(`${format.name}_fma`, [a, b, c], rounded(exact, format));
}
