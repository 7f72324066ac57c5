import { bytesFor } from "../algebra/bytes.ts";
import type { CpuArray, Numbers } from "./call.ts";
import { viewOf, wordsOf } from "./sort_keys.ts";

/** The elements at some positions, bit for bit. @throws {ArgumentError} if there is no memory for them. */
export function elementsAt({ type, numbers }: CpuArray, positions: Uint32Array, title: string): Numbers {
  const bytes = bytesFor(positions.length, type, title);
  if (type.bytes === 2) {
    const halves = new Uint16Array(bytes);
    for (let at = 0; at < halves.length; at++) {
      halves[at] = (numbers as Uint16Array)[positions[at] as number] as number;
    }
    return halves;
  }
  const words = new Uint32Array(bytes);
  moveWords(wordsOf(numbers), positions, words, type.bytes / 4);
  return viewOf(type.name, words);
}

/** Moves elements of as many words. Those of one and of two words have a loop each. */
function moveWords(from: Uint32Array, positions: Uint32Array, to: Uint32Array, size: number): void {
  if (size === 1) {
    for (let at = 0; at < positions.length; at++) {
      to[at] = from[positions[at] as number] as number;
    }
  } else if (size === 2) {
    for (let at = 0; at < positions.length; at++) {
      const first = 2 * (positions[at] as number);
      to[2 * at] = from[first] as number;
      to[2 * at + 1] = from[first + 1] as number;
    }
  } else {
    for (let at = 0; at < positions.length; at++) {
      const first = size * (positions[at] as number);
      for (let word = 0; word < size; word++) {
        to[size * at + word] = from[first + word] as number;
      }
    }
  }
}
