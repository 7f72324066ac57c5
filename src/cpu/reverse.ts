import type { CpuArray, Numbers } from "./call.ts";
import { numbersLike } from "./numbers.ts";
import type { CpuSegments } from "./segments.ts";
import { endsOf } from "./segments.ts";

// Scans from the last element to the first: loops scan the elements in mirrored order, and results go back to their places.

/** Puts elements into mirrored order. `perElement` is how many numbers each has: more than one if it is a struct. */
export function mirror(numbers: Numbers, perElement = 1): void {
  numbers.reverse();
  if (perElement > 1) {
    for (let at = 0; at < numbers.length; at += perElement) {
      numbers.subarray(at, at + perElement).reverse();
    }
  }
}

const perElement = ({ length, numbers }: CpuArray): number => numbers.length / Math.max(1, length);

/** Puts elements of the kind of an array's into mirrored order. */
export const mirrorLike = (array: CpuArray, numbers: Numbers): void => mirror(numbers, perElement(array));

/** The elements of an array in mirrored order, as an array of their own. */
export function mirroredArray(array: CpuArray): CpuArray {
  const numbers = numbersLike(array.numbers, array.numbers.length);
  numbers.set(array.numbers as never);
  mirror(numbers, perElement(array));
  return { ...array, numbers };
}

/** The segments of so many elements in mirrored order. Rows and columns lie as before. */
export function mirroredSegments(segments: CpuSegments, length: number): CpuSegments {
  if (segments.kind === "rows" || segments.kind === "columns") {
    return segments;
  }
  const ends = endsOf(segments, length);
  const words = new Uint32Array(ends.length + 1);
  ends.forEach((end, at) => {
    words[ends.length - 1 - at] = length - end;
  });
  // The first segment starts at the first element.
  words[ends.length] = length;
  return { kind: "offsets", words };
}
