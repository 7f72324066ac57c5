import { bytesFor } from "../algebra/bytes.ts";
import type { CpuArray, Numbers } from "./call.ts";
import { numbersOver, wordsOf } from "./numbers.ts";

/** The elements at some positions, bit for bit. @throws {ArgumentError} if there is no memory for them. */
export function elementsAt(data: CpuArray, positions: Uint32Array, title: string): Numbers {
  const bytes = bytesFor(positions.length, data.type, title);
  return copyAt(data, positions, numbersOver(new Uint8Array(bytes), data.type));
}

/** Copies the elements at some positions to the start of an array of the same type, and gives that. Of one past the end, all bits are zero. */
export function copyAt({ type, numbers }: CpuArray, positions: Uint32Array, to: Numbers): Numbers {
  if (type.bytes === 2) {
    const [from, halves] = [numbers as Uint16Array, to as Uint16Array];
    for (let at = 0; at < positions.length; at++) {
      halves[at] = from[positions[at] as number] as number;
    }
  } else {
    moveWords(wordsOf(numbers), positions, wordsOf(to), type.bytes / 4);
  }
  return to;
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
