import type { TunedPrimitive } from "../../adapters/tables.ts";
import type { Bench, Prepared } from "./bench.ts";
import { BINS } from "./bench.ts";
import type { Subject } from "./candidates.ts";
import { isSort } from "./candidates.ts";

/** A result is checked at each length less this, so that it is no multiple of a tile. */
const LESS = 3;
/** The shortest length that has something to check. */
export const SHORTEST = LESS + 1;

/** A primitive on a type, with its right results. */
export interface Checked extends Pick<Subject, "primitive" | "type"> {
  /** The right result for each length. It is computed when a result of that length is first compared. */
  readonly results: Map<number, Uint32Array>;
}

/** Whether every element is right at each length, less three. */
export async function areRight(
  bench: Bench,
  { primitive, type, results }: Checked,
  prepared: Prepared,
  lengths: readonly number[],
): Promise<boolean> {
  for (const whole of lengths) {
    const length = whole - LESS;
    const words = (length * type.bytes) / 4;
    // There may be more bins than items.
    const most = Math.max(words, primitive === "histogram" ? BINS : 0);
    const read = (from: "output" | "reordered"): Promise<[ArrayBuffer, number]> =>
      bench.read((encoder) => prepared.record(encoder, bench, length), Math.ceil(most / 4) * 16, from);
    const [bytes, count] = await read("output");
    const found = new Uint32Array(bytes);
    const expected =
      results.get(length) ?? resultOf(primitive, bench.data.subarray(0, words), type.bytes / 4);
    results.set(length, expected);
    const isCounted = primitive !== "compact" || count === expected.length;
    if (!isCounted || !isSame(found, expected)) {
      return false;
    }
    if (primitive === "pairs" && !isSame(new Uint32Array((await read("reordered"))[0]), expected)) {
      return false;
    }
  }
  return true;
}

/** Whether an array begins with another. A loop, since a callback for each of millions of elements takes longer than their scan. */
function isSame(found: Uint32Array, beginning: Uint32Array): boolean {
  for (let at = 0; at < beginning.length; at++) {
    if (found[at] !== beginning[at]) {
      return false;
    }
  }
  return true;
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
