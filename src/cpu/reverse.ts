import type { Value } from "../algebra/types.ts";
import type { CpuArray, Numbers } from "./call.ts";
import { numbersLike } from "./numbers.ts";

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

/** Numbers in mirrored order, as an array of their own. */
export function mirrored(numbers: Numbers, perElement = 1): Numbers {
  const made = numbersLike(numbers, numbers.length);
  made.set(numbers as never);
  mirror(made, perElement);
  return made;
}

/** What scans an array, as a call has it. */
interface Scans {
  scan(output: Numbers, exclusive: boolean): Value;
}

/** The scan of an array in reverse, by what `forward` gives for an array. */
export function inReverse<Given extends Scans>(array: CpuArray, forward: (array: CpuArray) => Given): Given {
  const perElement = array.numbers.length / Math.max(1, array.length);
  return {
    ...forward(array),
    scan(output, exclusive) {
      const own = { ...array, numbers: mirrored(array.numbers, perElement) };
      const total = forward(own).scan(output, exclusive);
      mirror(output, perElement);
      return total;
    },
  };
}
