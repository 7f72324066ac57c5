import type { Exact } from "./rationals.ts";
import { fraction, infinite, nan } from "./rationals.ts";

// Functions of real numbers to more than a hundred digits: integers stand for themselves divided by 2^400. So the greatest f32 keeps digits
// enough for sin, and the least one for all.

const PLACES = 400n;
export const ONE = 1n << PLACES;
const TWO = 2n * ONE;

const times = (a: bigint, b: bigint): bigint => (a * b) >> PLACES;
const over = (a: bigint, b: bigint): bigint => (a << PLACES) / b;

function rootOf(a: bigint): bigint {
  if (a <= 0n) {
    return 0n;
  }
  const square = a << PLACES;
  let root = 1n << BigInt(Math.ceil(square.toString(2).length / 2));
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) {
      return root;
    }
    root = next;
  }
}

/** first + first · ratio(1) + first · ratio(1) · ratio(2) + …, until nothing is added. */
function series(first: bigint, next: (term: bigint, index: bigint) => bigint): bigint {
  let total = 0n;
  for (let [term, index] = [first, 1n]; term !== 0n && term !== -1n; index++) {
    total += term;
    term = next(term, index);
  }
  return total;
}

/** x + x³/3 + x⁵/5 …, or with signs in turn: the inverse tangent, hyperbolic or not. */
function inverseTangentSeries(x: bigint, sign: bigint): bigint {
  const square = sign * times(x, x);
  let power = x;
  return series(x, (_, index) => {
    power = times(power, square);
    return power / (2n * index + 1n);
  });
}

/** Halves the angle until the series is short. */
export function atan(x: bigint): bigint {
  if (x < 0n) {
    return -atan(-x);
  }
  let ratio = x;
  for (let at = 0; at < 16; at++) {
    ratio = over(ratio, ONE + rootOf(ONE + times(ratio, ratio)));
  }
  return inverseTangentSeries(ratio, -1n) << 16n;
}

let foundPi: bigint | undefined;
/** J. Machin's formula. */
export function pi(): bigint {
  foundPi ??= 16n * inverseTangentSeries(ONE / 5n, -1n) - 4n * inverseTangentSeries(ONE / 239n, -1n);
  return foundPi;
}

let foundLog2: bigint | undefined;
const logOfTwo = (): bigint => {
  foundLog2 ??= 2n * inverseTangentSeries(ONE / 3n, 1n);
  return foundLog2;
};

export function log(x: bigint): bigint {
  const exponent = BigInt(x.toString(2).length) - 1n - PLACES;
  const near = exponent >= 0n ? x >> exponent : x << -exponent;
  return 2n * inverseTangentSeries(over(near - ONE, near + ONE), 1n) + exponent * logOfTwo();
}

export const log2 = (x: bigint): bigint => over(log(x), logOfTwo());

export function exp(x: bigint): bigint {
  const powers = x / logOfTwo();
  const left = (x - powers * logOfTwo()) >> 8n;
  let result = ONE + series(left, (term, index) => times(term, left) / (index + 1n));
  for (let at = 0; at < 8; at++) {
    result = times(result, result);
  }
  return powers >= 0n ? result << powers : result >> -powers;
}

export const exp2 = (x: bigint): bigint => exp(times(x, logOfTwo()));

export function sin(x: bigint): bigint {
  const turn = 2n * pi();
  const left = ((x % turn) + turn) % turn;
  const centered = left > pi() ? left - turn : left;
  const square = times(centered, centered);
  return series(centered, (term, index) => -times(term, square) / ((2n * index + 1n) * (2n * index)));
}

export const cos = (x: bigint): bigint => sin(x + pi() / 2n);
export const tan = (x: bigint): bigint => over(sin(x), cos(x));
export const sinh = (x: bigint): bigint => (exp(x) - exp(-x)) / 2n;
export const cosh = (x: bigint): bigint => (exp(x) + exp(-x)) / 2n;
export const tanh = (x: bigint): bigint => over(exp(2n * x) - ONE, exp(2n * x) + ONE);
export const asinh = (x: bigint): bigint => (x < 0n ? -asinh(-x) : log(x + rootOf(times(x, x) + ONE)));
export const acosh = (x: bigint): bigint => log(x + rootOf(times(x, x) - ONE));
export const atanh = (x: bigint): bigint => log(over(ONE + x, ONE - x)) / 2n;
export const asin = (x: bigint): bigint => 2n * atan(over(x, ONE + rootOf(ONE - times(x, x))));
export const acos = (x: bigint): bigint => pi() / 2n - asin(x);
export const inverseSqrt = (x: bigint): bigint => over(ONE, rootOf(x));
export const degrees = (x: bigint): bigint => over(180n * x, pi());
export const radians = (x: bigint): bigint => times(x, pi()) / 180n;

/** The angle of a point that is not the origin. */
export function atan2(y: bigint, x: bigint): bigint {
  if (x === 0n) {
    return y > 0n ? pi() / 2n : -pi() / 2n;
  }
  const angle = atan(over(y, x));
  return x > 0n ? angle : y >= 0n ? angle + pi() : angle - pi();
}

/** The fixed-point number of a float; undefined if it is infinite or no number. */
export const fixed = (x: Exact): bigint | undefined =>
  x.kind === "finite" ? (x.isNegative ? -1n : 1n) * ((x.n << PLACES) / x.d) : undefined;

/** Numbers that differ from a result by one part in 2^48, down and up. A result in binary64 lies between them. */
export const around = (result: bigint): readonly [Exact, Exact] => {
  const magnitude = result < 0n ? -result : result;
  const [low, high] = [magnitude - (magnitude >> 48n), magnitude + (magnitude >> 48n)];
  return [fraction(result < 0n, low, ONE), fraction(result < 0n, high, ONE)];
};

/** A function of the reals, and what it is beyond them. */
export interface RealFunction {
  of(x: bigint): bigint;
  /** Where `of` may be called. Outside, there is no number. */
  readonly from?: bigint;
  readonly to?: bigint;
  /** Whether ends of that range are poles. */
  readonly poles?: "below" | "both";
  /** Of -∞ and of ∞, where it is no finite number. */
  readonly atInfinity: readonly [Exact, Exact];
  /** Whether a zero keeps its sign. */
  readonly isOdd?: boolean;
}

const none = [nan, nan] as const;
const both = [infinite(true), infinite(false)] as const;
const zero = fraction(false, 0n);
const quarter = (isNegative: boolean): Exact => fraction(isNegative, pi(), TWO);

/** Past this, exponentials are 0 or infinite in both types. */
const STEEP = 200n * ONE;
const steep =
  (of: (x: bigint) => bigint) =>
  (x: bigint): bigint =>
    of(x > STEEP ? STEEP : x < -STEEP ? -STEEP : x);

/** By the names that they have in numbers/. */
export const realFunctions = (): Readonly<Record<string, RealFunction>> => ({
  acos: { of: acos, from: -ONE, to: ONE, atInfinity: none },
  acosh: { of: acosh, from: ONE, atInfinity: [nan, infinite(false)] },
  asin: { of: asin, from: -ONE, to: ONE, atInfinity: none, isOdd: true },
  asinh: { of: asinh, atInfinity: both, isOdd: true },
  atan: { of: atan, atInfinity: [quarter(true), quarter(false)], isOdd: true },
  atanh: { of: atanh, from: -ONE, to: ONE, poles: "both", atInfinity: none, isOdd: true },
  cos: { of: cos, atInfinity: none },
  cosh: { of: steep(cosh), atInfinity: [infinite(false), infinite(false)] },
  degrees: { of: degrees, atInfinity: both, isOdd: true },
  exp: { of: steep(exp), atInfinity: [zero, infinite(false)] },
  exp2: { of: steep(exp2), atInfinity: [zero, infinite(false)] },
  inverse_sqrt: { of: inverseSqrt, from: 0n, poles: "below", atInfinity: [nan, zero] },
  log: { of: log, from: 0n, poles: "below", atInfinity: [nan, infinite(false)] },
  log2: { of: log2, from: 0n, poles: "below", atInfinity: [nan, infinite(false)] },
  radians: { of: radians, atInfinity: both, isOdd: true },
  sin: { of: sin, atInfinity: none, isOdd: true },
  sinh: { of: steep(sinh), atInfinity: both, isOdd: true },
  tan: { of: tan, atInfinity: none, isOdd: true },
  tanh: { of: steep(tanh), atInfinity: [fraction(true, 1n), fraction(false, 1n)], isOdd: true },
});
