// How far a result of f32 may lie from the exact one: https://www.w3.org/TR/WGSL/#concrete-float-accuracy. Functions there inherit their
// accuracy from expressions, so these are numbers with a bound of their error, and the operations that WGSL's expressions are made of.

/** A number in binary64, and how far from it an implementation may be. Infinite: it may be anything. */
export interface Bounded {
  readonly value: number;
  readonly error: number;
}

const GREATEST = 3.4028234663852886e38;
/** What may be flushed to zero is less than this. */
const LEAST_NORMAL = 2 ** -126;

export const exactly = (value: number): Bounded => ({ value, error: 0 });
/** What WGSL gives no bound for. */
export const anything: Bounded = { value: 0, error: Infinity };

/** The distance of two neighbours of f32 around a number. */
export function ulp(value: number): number {
  const magnitude = Math.min(Math.max(Math.abs(value), LEAST_NORMAL), GREATEST);
  return 2 ** (Math.floor(Math.log2(magnitude)) - 23);
}

/** A result that an operation makes from exact operands with one error, and from others with another one. */
function bounded(value: number, granted: number, inherited: number): Bounded {
  const error = granted + inherited + LEAST_NORMAL;
  return Math.abs(value) + error <= GREATEST ? { value, error } : anything;
}

/** An operation that is rounded up or down. */
const correctlyRounded = (value: number, inherited: number): Bounded =>
  bounded(value, ulp(Math.abs(value) + inherited), inherited);

export const plus = (a: Bounded, b: Bounded): Bounded =>
  correctlyRounded(a.value + b.value, a.error + b.error);

export const minus = (a: Bounded, b: Bounded): Bounded =>
  correctlyRounded(a.value - b.value, a.error + b.error);

export const times = (a: Bounded, b: Bounded): Bounded =>
  correctlyRounded(
    a.value * b.value,
    Math.abs(a.value) * b.error + Math.abs(b.value) * a.error + a.error * b.error,
  );

export function over(a: Bounded, b: Bounded): Bounded {
  const least = Math.abs(b.value) - b.error;
  if (!(least >= LEAST_NORMAL && Math.abs(b.value) + b.error <= 2 ** 126)) {
    return anything;
  }
  const value = a.value / b.value;
  const inherited = (a.error + Math.abs(value) * b.error) / least;
  return bounded(value, 2.5 * ulp(Math.abs(value) + inherited), inherited);
}

/** A function that only rises or only falls, of an operand in its domain. */
function monotonic(
  of: (x: number) => number,
  granted: (value: number, x: number) => number,
  { value: x, error }: Bounded,
): Bounded {
  const value = of(x);
  const inherited = Math.max(Math.abs(of(x - error) - value), Math.abs(of(x + error) - value));
  return Number.isFinite(inherited) ? bounded(value, granted(value, x), inherited) : anything;
}

const steps = (count: number) => (value: number) => count * ulp(value);

export const inverseSqrt = (x: Bounded): Bounded => monotonic((a) => 1 / Math.sqrt(a), steps(2), x);
export const sqrt = (x: Bounded): Bounded =>
  x.value === 0 && x.error === 0 ? x : over(exactly(1), inverseSqrt(x));

const ofExponential = (value: number, x: number): number => (3 + 2 * Math.abs(x)) * ulp(value);
export const exp = (x: Bounded): Bounded => monotonic(Math.exp, ofExponential, x);
export const exp2 = (x: Bounded): Bounded => monotonic((a) => 2 ** a, ofExponential, x);

const ofLogarithm = (value: number, x: number): number =>
  x >= 0.5 && x <= 2 ? Math.max(2 ** -21, 3 * ulp(value)) : 3 * ulp(value);
export const log = (x: Bounded): Bounded => monotonic(Math.log, ofLogarithm, x);
export const log2 = (x: Bounded): Bounded => monotonic(Math.log2, ofLogarithm, x);

/** Sine and cosine have a bound between -π and π alone. */
const ofAngle =
  (of: (x: number) => number) =>
  ({ value: x, error }: Bounded): Bounded =>
    Math.abs(x) <= Math.PI ? bounded(of(x), 2 ** -11, error) : anything;
export const sin = ofAngle(Math.sin);
export const cos = ofAngle(Math.cos);

export const atan = (x: Bounded): Bounded => monotonic(Math.atan, steps(4096), x);

export function atan2(y: Bounded, x: Bounded): Bounded {
  const isInRange = Math.abs(x.value) >= LEAST_NORMAL && Math.abs(x.value) <= 2 ** 126;
  if (!isInRange || Math.abs(y.value) < LEAST_NORMAL) {
    return anything;
  }
  const value = Math.atan2(y.value, x.value);
  const length = Math.hypot(x.value, y.value) - x.error - y.error;
  return length > 0 ? bounded(value, 4096 * ulp(value), (x.error + y.error) / length) : anything;
}

export function trunc({ value, error }: Bounded): Bounded {
  const [low, high] = [Math.trunc(value - error), Math.trunc(value + error)];
  const whole = Math.trunc(value);
  return { value: whole, error: Math.max(whole - low, high - whole) };
}

export function floor({ value, error }: Bounded): Bounded {
  const whole = Math.floor(value);
  return {
    value: whole,
    error: Math.max(whole - Math.floor(value - error), Math.floor(value + error) - whole),
  };
}

export function clamped({ value, error }: Bounded, low: number, high: number): Bounded {
  const held = (x: number): number => Math.min(high, Math.max(low, x));
  return Number.isFinite(error) ? { value: held(value), error } : { value: low, error: high - low };
}

/** The sum of products, in any order. */
export function dot(a: readonly Bounded[], b: readonly Bounded[]): Bounded {
  const products = a.map((x, at) => times(x, b[at] ?? exactly(0)));
  const value = products.reduce((total, term) => total + term.value, 0);
  const size = products.reduce((total, term) => total + Math.abs(term.value) + term.error, 0);
  const inherited = products.reduce((total, term) => total + term.error, 0);
  return size <= GREATEST ? bounded(value, a.length * ulp(size), inherited) : anything;
}

export const length = (a: readonly Bounded[]): Bounded => sqrt(dot(a, a));

/** The worse of two bounds. */
export const orAbsolute = (error: number, other: Bounded, value: number): Bounded => ({
  value,
  error: Math.max(error, other.error + Math.abs(other.value - value)),
});
