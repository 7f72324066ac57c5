// How a value of a WGSL type lies in memory: as words of 32 bits, or as halves where it is made of f16. What generated
// code takes apart and puts together goes through these.

/** Vectors and arrays: what their parts are, and how many. */
const PARTS = /^(?:vec|array<(.+), )(\d+)(?:<u32>)?>?$/;

const isHalves = (wgsl: string): boolean => wgsl.includes("f16");

/** Whether a value is a unit as it stands. */
const isUnit = (wgsl: string): boolean => wgsl === "u32" || wgsl === "f16";

/** Expressions of the units, u32 or f16, of the value that an expression names. */
function unitsOf(wgsl: string, of: string): string[] {
  const [, part, count] = PARTS.exec(wgsl) ?? [];
  return count === undefined
    ? [isUnit(wgsl) ? of : `bitcast<u32>(${of})`]
    : range(Number(count)).flatMap((at) =>
        part === undefined ? `${of}.${"xyzw"[at]}` : unitsOf(part, `${of}[${at}]`),
      );
}

/** A value from the expressions of its units, which are taken off the front. */
function fromUnits(wgsl: string, units: string[]): string {
  const [, part = "u32", count] = PARTS.exec(wgsl) ?? [];
  if (count === undefined) {
    const unit = units.shift();
    return isUnit(wgsl) ? `${unit}` : `bitcast<${wgsl}>(${unit})`;
  }
  const parts = range(Number(count)).map(() => fromUnits(part, units));
  return `${wgsl}(${parts.join(", ")})`;
}

const range = (length: number): number[] => [...Array(length).keys()];

/** Expressions of the 32-bit words, of type u32, of values of one type. A last half is padded with zero. */
export function wordsOf(wgsl: string, values: readonly string[]): string[] {
  const units = values.flatMap((value) => unitsOf(wgsl, value));
  return isHalves(wgsl)
    ? range(Math.ceil(units.length / 2)).map(
        (at) => `bitcast<u32>(vec2<f16>(${units[2 * at]}, ${units[2 * at + 1] ?? "0.0h"}))`,
      )
    : units;
}

/** As many values of one type, from expressions of their 32-bit words. */
export function fromWords(wgsl: string, words: readonly string[], count: number): string[] {
  const units = words.flatMap((word) =>
    isHalves(wgsl) ? ["x", "y"].map((half) => `bitcast<vec2<f16>>(${word}).${half}`) : word,
  );
  return range(count).map(() => fromUnits(wgsl, units));
}
