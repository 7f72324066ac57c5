// How a value of a WGSL type lies in memory: as words of 32 bits, or as halves where it is made of f16. What generated
// code takes apart and puts together goes through these.

/** Vectors and arrays: what their parts are, and how many. */
const PARTS = /^(?:vec|array<(.+), )(\d+)(?:<(?:u32|f16)>)?>?$/;

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

/** A type of vectors of four units that holds as many items of a type: what is moved is never converted. */
export function vectorType(wgsl: string, items: number): string {
  const vector = isHalves(wgsl) ? "vec4<f16>" : "vec4<u32>";
  const count = (items * unitsOf(wgsl, "x").length) / 4;
  return count === 1 ? vector : `array<${vector}, ${count}>`;
}

/**
 * So many values of a type, from values of another that hold the same bits. A last half of a word is
 * padded with zero. Between f16 and words by way of f32, since naga has no bitcast between them.
 */
export function regrouped(from: string, values: readonly string[], to: string, count = 1): string[] {
  const given = values.flatMap((value) => unitsOf(from, value));
  let units = given;
  if (isHalves(to) && !isHalves(from)) {
    units = given.flatMap((word) => ["x", "y"].map((half) => `f16(unpack2x16float(${word}).${half})`));
  } else if (isHalves(from) && !isHalves(to)) {
    units = range(Math.ceil(given.length / 2)).map(
      (at) => `pack2x16float(vec2<f32>(vec2<f16>(${given[2 * at]}, ${given[2 * at + 1] ?? "0.0h"})))`,
    );
  }
  return range(count).map(() => fromUnits(to, units));
}
