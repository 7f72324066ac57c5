import type { TunedPrimitive } from "../../adapters/tables.ts";
import type { Operator } from "../../algebra/monoid.ts";
import { add } from "../../algebra/operators.ts";
import type { ElementType } from "../../algebra/types.ts";
import { isSort } from "./candidates.ts";

/** The bins of a histogram, by the highest bits. */
export const BINS = 256;

/** Numbers or words, of which an element has one or more. */
export type Numbers = Uint32Array | Int32Array | Float32Array | Float64Array;

/** Elements of a type, and what primitives make of them on the CPU: what candidates are timed and checked with. */
export interface Sample {
  /** What scans and reductions combine by. */
  readonly op: Operator;
  /** What compactions keep. */
  readonly where: string;
  /** The bytes of so many elements, up to a whole word. The elements of a shorter array are the first of those of a longer one. */
  bytesOf(length: number): Uint8Array;
  /** What a primitive makes of so many elements. */
  resultOf(primitive: TunedPrimitive, length: number): Numbers;
  /** Bytes of results, as the numbers of `resultOf`. */
  decode(bytes: ArrayBuffer): Numbers;
  /** The numbers of an element. */
  readonly numbersEach: number;
}

/** Numbers without a pattern: a xorshift generator. With a callback for each of 2^24 numbers, they would take a second. */
export function randomWords(length: number): Uint32Array {
  const words = new Uint32Array(length);
  let state = 0x2545f491;
  for (let at = 0; at < length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[at] = state;
  }
  return words;
}

/** The same words, as elements of u32 or u64. Compactions of them are of u32. */
export function sampleOfWords(words: Uint32Array, { bytes }: Pick<ElementType, "bytes">): Sample {
  return {
    op: add,
    where: "x % 2u == 1u",
    bytesOf: (length) => new Uint8Array(words.buffer, 0, length * bytes),
    resultOf: (primitive, length) => resultOf(primitive, words.subarray(0, (length * bytes) / 4), bytes / 4),
    decode: (buffer) => new Uint32Array(buffer),
    numbersEach: bytes / 4,
  };
}

/** The result of a primitive, by the CPU. */
function resultOf(primitive: TunedPrimitive, data: Uint32Array, wordsEach: number): Uint32Array {
  if (primitive === "compact") {
    return data.filter((x) => x % 2 === 1);
  }
  if (isSort(primitive)) {
    const keys = data.slice();
    (wordsEach === 1 ? keys : new BigUint64Array(keys.buffer)).sort();
    return keys;
  }
  if (primitive === "histogram") {
    const counts = new Uint32Array(BINS);
    for (const x of data) {
      const bin = x >>> 24;
      counts[bin] = (counts[bin] as number) + 1;
    }
    return counts;
  }
  const prefixes = prefixesOf(data, wordsEach);
  return primitive === "scan" ? prefixes : prefixes.slice(data.length - wordsEach);
}

/** The prefix sums of whole numbers of one word or two. */
function prefixesOf(data: Uint32Array, wordsEach: number): Uint32Array {
  const result = new Uint32Array(data.length);
  let low = 0;
  let high = 0;
  for (let at = 0; at < data.length; at += wordsEach) {
    const sum = low + (data[at] as number);
    low = sum >>> 0;
    result[at] = low;
    if (wordsEach === 2) {
      high = (high + (data[at + 1] as number) + (sum > 0xffffffff ? 1 : 0)) >>> 0;
      result[at + 1] = high;
    }
  }
  return result;
}
