import { expect, test } from "vitest";
import { randomBits } from "../../support/random.ts";
import { call, check } from "./arithmetic.ts";
import type { RealFunction } from "./fixed_point.ts";
import { around, atan2, exp, fixed, log, ONE, pi, realFunctions } from "./fixed_point.ts";
import type { Exact, Format } from "./rationals.ts";
import {
  compared,
  decoded,
  f32,
  fraction,
  infinite,
  nan,
  product,
  rounded,
  scaledBy,
  sum,
  whole,
} from "./rationals.ts";
import { hex, randomWord, specialFloats, specialIntegers } from "./special_words.ts";

/** Floats whose exponents are near 0, where most functions have their shape. */
function moderate(format: Format, count: number): readonly number[] {
  const next = randomBits(`moderate ${format.name}`);
  return Array.from({ length: count }, () => {
    const fields = (format.bias - 8 + (next() % 15)) << format.fractionBits;
    return (next() % 2 ? -1 << (format.bits - 1) : 0) | fields | (next() & ((1 << format.fractionBits) - 1));
  }).map((word) => (format === f32 ? word : word & 0xffff));
}

/** Beyond the reals, and at poles; undefined elsewhere. */
function special(x: Exact, { from, to, poles, atInfinity, isOdd = false }: RealFunction): Exact | undefined {
  if (x.kind === "NaN") {
    return nan;
  }
  if (x.kind === "infinite") {
    return atInfinity[x.isNegative ? 0 : 1];
  }
  const at = fixed(x) ?? 0n;
  if ((from !== undefined && at < from) || (to !== undefined && at > to)) {
    return nan;
  }
  if (poles !== undefined && at === from) {
    return poles === "both" ? infinite(true) : undefined;
  }
  return poles === "both" && at === to ? infinite(false) : isOdd && at === 0n ? x : undefined;
}

function checkReal(name: string, words: readonly number[], result: bigint, format: Format): void {
  const actual = call(`${format.name}_${name}`, ...words);
  const [low, high] = around(result).map((limit) => rounded(limit, format));
  if (actual !== low && actual !== high) {
    expect.fail(
      `${format.name}_${name}(${words.map(hex).join(", ")}) is ${hex(actual)}, not ${hex(low ?? 0)}`,
    );
  }
}

const atZero: Readonly<Record<string, (isNegative: boolean) => Exact>> = {
  log: () => infinite(true),
  log2: () => infinite(true),
  inverse_sqrt: infinite,
};

function testRealFunctions(format: Format): void {
  test.each(Object.keys(realFunctions()))(
    "%s is the nearest number, but for what binary64 has lost",
    (name) => {
      const row = realFunctions()[name] as RealFunction;
      const next = randomWord(format.name, name);
      for (const a of [
        ...specialFloats[format.name],
        ...moderate(format, 60),
        ...Array.from({ length: 30 }, next),
      ]) {
        const x = decoded(a, format);
        const at = fixed(x);
        const known =
          at === 0n && atZero[name] !== undefined ? atZero[name](a < 0 || a >= 0x8000) : special(x, row);
        if (known !== undefined) {
          check(`${format.name}_${name}`, [a], rounded(known, format));
        } else {
          checkReal(name, [a], row.of(at ?? 0n), format);
        }
      }
    },
  );
}

function testTwoOperands(format: Format): void {
  const { name } = format;
  const some = [...moderate(format, 40), rounded(whole(1n), format), rounded(whole(0n), format)];

  test("atan2 is the angle of a point", () => {
    const few = some.filter((_, at) => at % 3 === 0);
    for (const a of few) {
      for (const b of few) {
        const [y, x] = [fixed(decoded(a, format)) ?? 0n, fixed(decoded(b, format)) ?? 0n];
        if (y !== 0n) {
          checkReal("atan2", [a, b], atan2(y, x), format);
        }
      }
    }
    const [zero, unit] = [0, rounded(whole(1n), format)];
    const minus = (word: number): number =>
      word | ((-1 << (format.bits - 1)) & (format === f32 ? -1 : 0xffff));
    const straight = (isNegative: boolean): number => rounded(fraction(isNegative, pi(), ONE), format);
    check(`${name}_atan2`, [zero, unit], zero);
    check(`${name}_atan2`, [minus(zero), unit], minus(zero));
    check(`${name}_atan2`, [zero, minus(unit)], straight(false));
    check(`${name}_atan2`, [minus(zero), minus(unit)], straight(true));
  });

  test("pow is exp(y · log(x)), and no number of less than 0", () => {
    for (const a of some) {
      for (const b of some) {
        const [x, y] = [fixed(decoded(a, format)) ?? 0n, fixed(decoded(b, format)) ?? 0n];
        const exponent = x > 0n ? (y * log(x)) / ONE : 0n;
        const limit = 200n * ONE;
        if (x > 0n) {
          checkReal(
            "pow",
            [a, b],
            exp(exponent > limit ? limit : exponent < -limit ? -limit : exponent),
            format,
          );
        } else if (x < 0n) {
          check(`${name}_pow`, [a, b], rounded(nan, format));
        }
      }
    }
    const [zero = 0, unit = 0, two = 0] = [0n, 1n, 2n].map((value) => rounded(whole(value), format));
    check(`${name}_pow`, [zero, two], zero);
    check(`${name}_pow`, [zero, zero], unit);
  });

  test("ldexp is rounded once, for every exponent", () => {
    for (const a of [...specialFloats[name], ...moderate(format, 20)]) {
      const x = decoded(a, format);
      const exponents = [...specialIntegers, ...Array.from({ length: 60 }, (_, at) => 10 * at - 300)];
      for (const exponent of exponents) {
        const limited = Math.max(-400, Math.min(400, exponent));
        check(
          `${name}_ldexp`,
          [a, exponent],
          rounded(x.kind === "finite" ? scaledBy(x, limited) : x, format),
        );
      }
    }
  });
}

function testParts(format: Format): void {
  const { name } = format;

  test("frexp gives a fraction from 0.5 to 1 and an exponent that make the number again, of subnormal ones, too", () => {
    const next = randomWord(name, "frexp");
    for (const a of [...specialFloats[name], ...Array.from({ length: 500 }, next)]) {
      const x = decoded(a, format);
      const fract = call(`${name}_frexp_fract`, a);
      const exponent = call(`${name}_frexp_exp`, a);
      if (x.kind !== "finite" || x.n === 0n) {
        expect([fract, exponent]).toEqual([a, 0]);
        continue;
      }
      const y = decoded(fract, format);
      if (y.kind !== "finite") {
        expect.fail(`the fraction of ${hex(a)} is ${hex(fract)}`);
      }
      expect(2n * y.n >= y.d && y.n < y.d).toBe(true);
      expect(compared(scaledBy(y, exponent), x)).toBe(0);
    }
  });

  test("sign is 1, 0 or -1, and no number of NaN", () => {
    for (const a of specialFloats[name]) {
      const order = compared(decoded(a, format), whole(0n));
      const expected = order === undefined ? nan : whole(BigInt(Math.sign(order)));
      check(`${name}_sign`, [a], rounded(expected, format));
    }
  });
}

/** The functions that WGSL defines by operations, each of which is rounded. */
function testComposed(format: Format): void {
  const { name } = format;
  const of = (word: number): Exact => decoded(word, format);
  const round = (x: Exact): Exact => of(rounded(x, format));
  const minus = (x: Exact, y: Exact): Exact => round(sum(x, product(whole(-1n), y)));
  const plus = (x: Exact, y: Exact): Exact => round(sum(x, y));
  const times = (x: Exact, y: Exact): Exact => round(product(x, y));

  test("mix, reflect and refract round after each operation", () => {
    const words = [...moderate(format, 16), ...specialFloats[name].slice(0, 6)];
    const next = randomBits(`composed ${name}`);
    const any = (): number => words[next() % words.length] ?? 0;
    for (let at = 0; at < 1000; at++) {
      const operands = [any(), any(), any(), any()] as const;
      const [a, b, c, d] = operands;
      const [x, y, z, w] = [of(a), of(b), of(c), of(d)];
      check(`${name}_mix`, [a, b, c], rounded(plus(times(x, minus(whole(1n), z)), times(y, z)), format));
      check(`${name}_reflect`, [a, b, c], rounded(minus(x, times(times(whole(2n), z), y)), format));
      const k = minus(whole(1n), times(times(z, z), minus(whole(1n), times(w, w))));
      const root = of(call(`${name}_sqrt`, rounded(k, format)));
      const along = plus(times(z, w), root);
      const refracted = (compared(k, whole(0n)) ?? 0) < 0 ? whole(0n) : minus(times(z, x), times(along, y));
      check(`${name}_refract`, operands, rounded(refracted, format));
    }
  });

  test("smoothstep is 0 below, 1 above, and t · t · (3 - 2t) between", () => {
    const word = (n: bigint, d = 1n): number => rounded(fraction(n < 0n, n < 0n ? -n : n, d), format);
    for (let at = -4n; at <= 12n; at++) {
      const t = at < 0n ? 0n : at > 8n ? 8n : at;
      const [low, high] = [word(3n), word(7n)];
      check(`${name}_smoothstep`, [low, high, word(6n + at, 2n)], word(t * t * (24n - 2n * t), 512n));
      check(`${name}_smoothstep`, [high, low, word(14n - at, 2n)], word(t * t * (24n - 2n * t), 512n));
    }
  });

  test("a determinant is the sum over all permutations", () => {
    const next = randomBits(`determinants ${name}`);
    for (const size of [2, 3, 4, 4, 4]) {
      const columns = Array.from({ length: size }, () =>
        Array.from({ length: size }, () => (next() % 7) - 3),
      );
      const permuted = (from: number, rows: readonly number[], sign: number): number =>
        from === size
          ? sign
          : rows.reduce((total, row, at) => {
              const left = rows.filter((other) => other !== row);
              return (
                total + (columns[from]?.[row] ?? 0) * permuted(from + 1, left, at % 2 === 0 ? sign : -sign)
              );
            }, 0);
      const expected = permuted(
        0,
        columns.map((_, at) => at),
        1,
      );
      const words = columns.flat().map((value) => rounded(whole(BigInt(value)), format));
      const result = decoded(call(`${name}_determinant`, ...words), format);
      expect(compared(result, whole(BigInt(expected)))).toBe(0);
    }
  });
}

export function testFunctions(format: Format): void {
  testRealFunctions(format);
  testTwoOperands(format);
  testParts(format);
  testComposed(format);
}
