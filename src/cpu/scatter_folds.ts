import type { ScalarType } from "../algebra/types.ts";
import type { CpuArray, Numbers } from "./call.ts";
import type { FoldName } from "./folds.ts";
import { bitsOf, numbersLike } from "./numbers.ts";

// What the values of each position combine to, in one pass over the values in their order. Each loop is for one kind of array: see fold_words.ts.

/** Combines each value of `from` with what `to` has at its position. It stops at a position past the end: then it gives false. */
type Loop<View> = (from: View, positions: Uint32Array, to: View, flip: number) => boolean;

function addWords(from: Int32Array, positions: Uint32Array, to: Int32Array): boolean {
  for (let at = 0; at < positions.length; at++) {
    const place = positions[at] as number;
    if (place >= to.length) {
      return false;
    }
    to[place] = (to[place] as number) + (from[at] as number);
  }
  return true;
}

function addFloats(from: Float32Array, positions: Uint32Array, to: Float32Array): boolean {
  for (let at = 0; at < positions.length; at++) {
    const place = positions[at] as number;
    if (place >= to.length) {
      return false;
    }
    to[place] = (to[place] as number) + (from[at] as number);
  }
  return true;
}

function addDoubles(from: Float64Array, positions: Uint32Array, to: Float64Array): boolean {
  for (let at = 0; at < positions.length; at++) {
    const place = positions[at] as number;
    if (place >= to.length) {
      return false;
    }
    to[place] = (to[place] as number) + (from[at] as number);
  }
  return true;
}

function leastWord(from: Int32Array, positions: Uint32Array, to: Int32Array, flip: number): boolean {
  for (let at = 0; at < positions.length; at++) {
    const place = positions[at] as number;
    if (place >= to.length) {
      return false;
    }
    const word = from[at] as number;
    const least = to[place] as number;
    to[place] = (word ^ flip) < (least ^ flip) ? word : least;
  }
  return true;
}

/** The least number; with `flip` −1, the greatest one. NaN is passed over, and −0 comes before 0. */
function leastFloat(from: Float32Array, positions: Uint32Array, to: Float32Array, flip: number): boolean {
  const sign = flip === 0 ? 1 : -1;
  for (let at = 0; at < positions.length; at++) {
    const place = positions[at] as number;
    if (place >= to.length) {
      return false;
    }
    const item = (from[at] as number) * sign;
    const total = (to[place] as number) * sign;
    if (item <= total) {
      to[place] = Math.min(item, total) * sign;
    }
  }
  return true;
}

function leastDouble(from: Float64Array, positions: Uint32Array, to: Float64Array, flip: number): boolean {
  const sign = flip === 0 ? 1 : -1;
  for (let at = 0; at < positions.length; at++) {
    const place = positions[at] as number;
    if (place >= to.length) {
      return false;
    }
    const item = (from[at] as number) * sign;
    const total = (to[place] as number) * sign;
    if (item <= total) {
      to[place] = Math.min(item, total) * sign;
    }
  }
  return true;
}

const loops = {
  u32: { add: addWords, min: leastWord, max: leastWord },
  i32: { add: addWords, min: leastWord, max: leastWord },
  f32: { add: addFloats, min: leastFloat, max: leastFloat },
  f64: { add: addDoubles, min: leastDouble, max: leastDouble },
} as const satisfies Record<string, Partial<Record<FoldName, Loop<never>>>>;

/** The combination of the values at each position; undefined for operators that have no loop here, or if a position is not below `length`. */
export function combinedAt(
  values: CpuArray,
  op: FoldName,
  positions: Uint32Array,
  length: number,
): Numbers | undefined {
  const { kind, name, greatest, lowest } = values.type as ScalarType;
  const table = (loops as Readonly<Record<string, Partial<Record<FoldName, Loop<Numbers>>>>>)[name];
  const loop = table?.[op];
  if (loop === undefined) {
    return undefined;
  }
  const isFloat = kind === "float";
  const totals = numbersLike(values.numbers, length);
  // Sums of floats start from −0: only then is the sum of nothing but −0 right.
  totals.fill((op === "min" ? greatest : op === "max" ? lowest : isFloat ? -0 : 0) as never);
  const view = (numbers: Numbers): Numbers => (isFloat ? numbers : (bitsOf(numbers) as Int32Array));
  const flip = (op === "max" ? -1 : 0) ^ (kind === "unsigned" ? 0x80000000 : 0);
  if (!loop(view(values.numbers), positions, view(totals), flip)) {
    return undefined;
  }
  if (isFloat && op === "add") {
    showZeros(totals as Float32Array, positions);
  }
  return totals;
}

/** Shows 0 where no value went, in place of −0. */
function showZeros(totals: Float32Array, positions: Uint32Array): void {
  let isHit: Uint8Array | undefined;
  for (let at = 0; at < totals.length; at++) {
    if (Object.is(totals[at], -0)) {
      isHit ??= hitsOf(positions, totals.length);
      totals[at] = isHit[at] === 0 ? 0 : -0;
    }
  }
}

function hitsOf(positions: Uint32Array, length: number): Uint8Array {
  const isHit = new Uint8Array(length);
  for (let at = 0; at < positions.length; at++) {
    isHit[positions[at] as number] = 1;
  }
  return isHit;
}
