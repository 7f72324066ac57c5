// A value of a WGSL type lies in memory as words of 32 bits, or as halves of 16 bits if it is made of f16. Generated code
// takes values apart and puts them together by these functions.

/** Matches vectors and arrays: the type of their parts (u32 or f16 for vectors), and how many there are. */
const PARTS = /^(?:vec|array<(.+), )(\d+)(?:<(?:u32|f16)>)?>?$/;

const isHalves = (wgsl: string): boolean => wgsl.includes("f16");

/** Whether a value of the type is one unit as it is. */
const isUnit = (wgsl: string): boolean => wgsl === "u32" || wgsl === "f16";

/** The units (u32 or f16) of the value that the expression `of` names, as expressions. */
function unitsOf(wgsl: string, of: string): string[] {
  const [, part, count] = PARTS.exec(wgsl) ?? [];
  return count === undefined
    ? [isUnit(wgsl) ? of : `bitcast<u32>(${of})`]
    : range(Number(count)).flatMap((at) =>
        part === undefined ? `${of}.${"xyzw"[at]}` : unitsOf(part, `${of}[${at}]`),
      );
}

/** A value as an expression, from the expressions of its units. It takes these from the front of `units`. */
function fromUnits(wgsl: string, units: string[]): string {
  const [, part = "u32", count] = PARTS.exec(wgsl) ?? [];
  if (count === undefined) {
    const unit = units.shift();
    return isUnit(wgsl) ? `${unit}` : `bitcast<${wgsl}>(${unit})`;
  }
  const parts = range(Number(count)).map(() => fromUnits(part, units));
  return `${wgsl}(${parts.join(", ")})`;
}

/** The whole numbers from 0 up to a length. */
export const range = (length: number): number[] => [...Array(length).keys()];

/** A type that holds `items` items as vectors of four units. Items that are moved in it are never converted. */
export function vectorType(wgsl: string, items: number): string {
  const vector = isHalves(wgsl) ? "vec4<f16>" : "vec4<u32>";
  const count = (items * unitsOf(wgsl, "x").length) / 4;
  return count === 1 ? vector : `array<${vector}, ${count}>`;
}

/** How many vectors of four words such a type has; 1 if it is no array of them. If it holds one item, the type is the item's own. */
export const partsOfVector = (wgsl: string, items: number): number =>
  Number(/^array<vec4<u32>, (\d+)>$/.exec(items === 1 ? wgsl : vectorType(wgsl, items))?.[1] ?? 1);

/**
 * Expressions for `count` values of the type `to`, from values of the type `from` that hold the same bits. If the last word
 * is only half full, its other half is zero. f16 and words are converted by way of f32, since naga has no bitcast between
 * them.
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
