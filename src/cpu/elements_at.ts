import { bytesFor } from "../algebra/bytes.ts";
import type { CpuArray, Numbers } from "./call.ts";
import { numbersOver, wordsOf } from "./numbers.ts";

/** The elements at some positions, bit for bit. @throws {ArgumentError} if there is no memory for them. */
export function elementsAt(data: CpuArray, positions: Uint32Array, title: string): Numbers {
  const bytes = bytesFor(positions.length, data.type, title);
  const elements = numbersOver(new Uint8Array(bytes), data.type);
  copyAt(data, positions, elements);
  return elements;
}

/**
 * Copies the elements at some positions to the start of an array of the same type, which stays as it is where a position is past the end. Gives
 * whether none is.
 */
export function copyAt({ type, length, numbers }: CpuArray, positions: Uint32Array, to: Numbers): boolean {
  if (type.bytes !== 2) {
    const move = type.bytes === 4 ? moveWords : type.bytes === 8 ? movePairs : moveLong;
    return move(wordsOf(numbers), positions, wordsOf(to), length);
  }
  const [from, halves] = [numbers as Uint16Array, to as Uint16Array];
  let isInside = true;
  for (let at = 0; at < positions.length; at++) {
    const place = positions[at] as number;
    if (place < length) {
      halves[at] = from[place] as number;
    } else {
      isInside = false;
    }
  }
  return isInside;
}

function moveWords(from: Uint32Array, positions: Uint32Array, to: Uint32Array, length: number): boolean {
  let isInside = true;
  for (let at = 0; at < positions.length; at++) {
    const place = positions[at] as number;
    if (place < length) {
      to[at] = from[place] as number;
    } else {
      isInside = false;
    }
  }
  return isInside;
}

function movePairs(from: Uint32Array, positions: Uint32Array, to: Uint32Array, length: number): boolean {
  let isInside = true;
  for (let at = 0; at < positions.length; at++) {
    const place = positions[at] as number;
    if (place < length) {
      to[2 * at] = from[2 * place] as number;
      to[2 * at + 1] = from[2 * place + 1] as number;
    } else {
      isInside = false;
    }
  }
  return isInside;
}

/** Moves elements of several words. */
function moveLong(from: Uint32Array, positions: Uint32Array, to: Uint32Array, length: number): boolean {
  const size = from.length / length;
  let isInside = true;
  for (let at = 0; at < positions.length; at++) {
    const place = positions[at] as number;
    if (place < length) {
      for (let word = 0; word < size; word++) {
        to[size * at + word] = from[size * place + word] as number;
      }
    } else {
      isInside = false;
    }
  }
  return isInside;
}
