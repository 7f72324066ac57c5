// Numbers as fractions of BigInt, and the floats that they round to: what the tests of words compare with. Nothing here computes with floats.
import * as numbers from "../../../src/simulator/numbers/index.ts";

/** The functions on words, by name. */
export const functions: Readonly<Record<string, (...words: number[]) => number>> = numbers;

export interface Format {
  readonly name: "f32" | "f16";
  readonly bits: number;
  readonly fractionBits: number;
  readonly bias: number;
}

export const f32: Format = { name: "f32", bits: 32, fractionBits: 23, bias: 127 };
export const f16: Format = { name: "f16", bits: 16, fractionBits: 10, bias: 15 };

/** A value of a float: n / d with a sign, so that there are two zeros. */
export type Exact =
  | { readonly kind: "NaN" }
  | { readonly kind: "infinite"; readonly isNegative: boolean }
  | { readonly kind: "finite"; readonly isNegative: boolean; readonly n: bigint; readonly d: bigint };

export type Finite = Extract<Exact, { kind: "finite" }>;

export const nan: Exact = { kind: "NaN" };
export const infinite = (isNegative: boolean): Exact => ({ kind: "infinite", isNegative });
export const fraction = (isNegative: boolean, n: bigint, d = 1n): Finite => ({
  kind: "finite",
  isNegative,
  n,
  d,
});
export const whole = (value: bigint): Finite => fraction(value < 0n, value < 0n ? -value : value);

/** The word of what is no number, as arithmetic gives it. */
export const nanWord = ({ name }: Format): number => (name === "f32" ? 0x7fc00000 : 0x7e00);

export const isNaNWord = (word: number, { bits, fractionBits }: Format): boolean => {
  const magnitude = BigInt.asUintN(bits - 1, BigInt(word));
  return magnitude > infinityOf(bits, fractionBits);
};

const infinityOf = (bits: number, fractionBits: number): bigint =>
  (1n << BigInt(bits - 1)) - (1n << BigInt(fractionBits));

export function decoded(word: number, { bits, fractionBits, bias }: Format): Exact {
  const fields = BigInt.asUintN(bits, BigInt(word));
  const isNegative = fields >> BigInt(bits - 1) === 1n;
  const exponent = Number((fields >> BigInt(fractionBits)) & ((1n << BigInt(bits - 1 - fractionBits)) - 1n));
  const low = fields & ((1n << BigInt(fractionBits)) - 1n);
  if (exponent === 2 * bias + 1) {
    return low === 0n ? infinite(isNegative) : nan;
  }
  const significand = exponent === 0 ? low : low | (1n << BigInt(fractionBits));
  return scaledBy(fraction(isNegative, significand), Math.max(1, exponent) - bias - fractionBits);
}

/** x · 2^exponent. */
export const scaledBy = (x: Finite, exponent: number): Finite =>
  exponent >= 0 ? { ...x, n: x.n << BigInt(exponent) } : { ...x, d: x.d << BigInt(-exponent) };

const lengthOf = (n: bigint): number => {
  const text = n.toString(16);
  return 4 * text.length - Math.clz32(Number.parseInt(text[0] ?? "0", 16)) + 28;
};

/** The greatest e with 2^e <= n / d. */
export function exponentOf({ n, d }: Finite): number {
  const guess = lengthOf(n) - lengthOf(d);
  const isLess = guess >= 0 ? n < d << BigInt(guess) : n << BigInt(-guess) < d;
  return isLess ? guess - 1 : guess;
}

/** The word of the nearest float, ties to even. */
export function rounded(x: Exact, format: Format): number {
  const { bits, fractionBits, bias } = format;
  if (x.kind === "NaN") {
    return nanWord(format);
  }
  const infinity = infinityOf(bits, fractionBits);
  let magnitude = infinity;
  if (x.kind === "finite") {
    const exponent = x.n === 0n ? 1 - bias : Math.max(1 - bias, exponentOf(x));
    const { n, d } = scaledBy(x, fractionBits - exponent);
    const twice = 2n * (n % d);
    const steps = n / d + (twice > d || (twice === d && (n / d) % 2n === 1n) ? 1n : 0n);
    magnitude = (BigInt(exponent + bias - 1) << BigInt(fractionBits)) + steps;
  }
  const limited = magnitude > infinity ? infinity : magnitude;
  return Number(BigInt.asIntN(32, (x.isNegative ? 1n << BigInt(bits - 1) : 0n) | limited));
}

const signed = ({ isNegative, n }: Finite): bigint => (isNegative ? -n : n);

export const negated = (x: Exact): Exact => (x.kind === "NaN" ? x : { ...x, isNegative: !x.isNegative });

export function sum(x: Exact, y: Exact): Exact {
  if (x.kind === "NaN" || y.kind === "NaN") {
    return nan;
  }
  if (x.kind === "infinite") {
    return y.kind === "infinite" && y.isNegative !== x.isNegative ? nan : x;
  }
  if (y.kind === "infinite") {
    return y;
  }
  const n = signed(x) * y.d + signed(y) * x.d;
  const isNegative = n === 0n ? x.isNegative && y.isNegative : n < 0n;
  return fraction(isNegative, n < 0n ? -n : n, x.d * y.d);
}

export function product(x: Exact, y: Exact): Exact {
  if (x.kind === "NaN" || y.kind === "NaN") {
    return nan;
  }
  const isNegative = x.isNegative !== y.isNegative;
  if (x.kind === "finite" && y.kind === "finite") {
    return fraction(isNegative, x.n * y.n, x.d * y.d);
  }
  const isZero = (factor: Exact): boolean => factor.kind === "finite" && factor.n === 0n;
  return isZero(x) || isZero(y) ? nan : infinite(isNegative);
}

export function quotient(x: Exact, y: Exact): Exact {
  if (x.kind === "NaN" || y.kind === "NaN" || (x.kind === "infinite" && y.kind === "infinite")) {
    return nan;
  }
  const isNegative = x.isNegative !== y.isNegative;
  if (x.kind === "infinite") {
    return infinite(isNegative);
  }
  if (y.kind === "infinite") {
    return fraction(isNegative, 0n);
  }
  return y.n !== 0n ? fraction(isNegative, x.n * y.d, x.d * y.n) : x.n === 0n ? nan : infinite(isNegative);
}

/** x - y · trunc(x / y), with the sign of x. */
export function remainder(x: Exact, y: Exact): Exact {
  if (x.kind !== "finite" || y.kind === "NaN" || (y.kind === "finite" && y.n === 0n)) {
    return nan;
  }
  return y.kind === "infinite" ? x : fraction(x.isNegative, (x.n * y.d) % (y.n * x.d), x.d * y.d);
}

/** The square root, with far more bits than a float has. One more bit says that there are others. */
export function squareRoot(x: Exact): Exact {
  if (x.kind === "NaN" || (x.isNegative && (x.kind === "infinite" || x.n > 0n))) {
    return nan;
  }
  if (x.kind === "infinite" || x.n === 0n) {
    return x;
  }
  const square = (x.n * x.d) << 400n;
  let root = 1n << BigInt(Math.ceil(lengthOf(square) / 2));
  for (;;) {
    const next = (root + square / root) / 2n;
    if (next >= root) {
      break;
    }
    root = next;
  }
  return fraction(false, 2n * root + (root * root === square ? 0n : 1n), x.d << 201n);
}

/** Whether a whole part, cut off toward zero, grows by 1: from twice what is left of the denominator. */
type IsUp = (cut: bigint, twiceLeft: bigint, d: bigint, isNegative: boolean) => boolean;

const stepped =
  (isUp: IsUp) =>
  (x: Exact): Exact => {
    if (x.kind !== "finite") {
      return x;
    }
    const cut = x.n / x.d;
    return fraction(x.isNegative, isUp(cut, 2n * (x.n % x.d), x.d, x.isNegative) ? cut + 1n : cut);
  };

/** To whole numbers; a zero keeps the sign. */
export const truncated = stepped(() => false);
export const floored = stepped((_, left, __, isNegative) => isNegative && left > 0n);
export const ceiled = stepped((_, left, __, isNegative) => !isNegative && left > 0n);
export const roundedToEven = stepped(
  (cut, twiceLeft, d) => twiceLeft > d || (twiceLeft === d && cut % 2n === 1n),
);

/** Less than 0, 0, or more than 0; undefined if one is NaN. Both zeros are equal. */
export function compared(x: Exact, y: Exact): number | undefined {
  if (x.kind === "NaN" || y.kind === "NaN") {
    return undefined;
  }

  if (x.kind === "infinite" || y.kind === "infinite") {
    const [a = 0, b = 0] = [x, y].map(({ kind, isNegative }) =>
      kind === "finite" ? 0 : isNegative ? -1 : 1,
    );
    return a - b;
  }
  const [a, b] = [signed(x) * y.d, signed(y) * x.d];
  return a < b ? -1 : a > b ? 1 : 0;
}
