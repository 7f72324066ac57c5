import type { Bench, Prepared } from "./bench.ts";
import type { Subject } from "./candidates.ts";
import type { Numbers, Sample } from "./sample.ts";
import { BINS } from "./sample.ts";

/** A result is checked at each length less this, so that it is no multiple of a tile. */
const LESS = 3;
/** The shortest length that has something to check. */
export const SHORTEST = LESS + 1;

/** A primitive on a type, with its right results. */
export interface Checked extends Pick<Subject, "primitive" | "type"> {
  readonly sample: Sample;
  /** The right result for each length. It is computed when a result of that length is first compared. */
  readonly results: Map<number, Numbers>;
}

/** Whether every element is right at each length, less three. */
export async function areRight(
  bench: Bench,
  { primitive, type, sample, results }: Checked,
  prepared: Prepared,
  lengths: readonly number[],
): Promise<boolean> {
  for (const whole of lengths) {
    const length = whole - LESS;
    // There may be more bins than items.
    const most = Math.max(length * type.bytes, primitive === "histogram" ? 4 * BINS : 0);
    const read = (from: "output" | "reordered"): Promise<[ArrayBuffer, number]> =>
      bench.read((encoder) => prepared.record(encoder, bench, length), Math.ceil(most / 16) * 16, from);
    const [bytes, count] = await read("output");
    const expected = results.get(length) ?? sample.resultOf(primitive, length);
    results.set(length, expected);
    const isCounted = primitive !== "compact" || count * sample.numbersEach === expected.length;
    if (!isCounted || !isSame(sample.decode(bytes), expected)) {
      return false;
    }
    if (primitive === "pairs" && !isSame(sample.decode((await read("reordered"))[0]), expected)) {
      return false;
    }
  }
  return true;
}

/** Whether an array begins with another. A loop, since a callback for each of millions of elements takes longer than their scan. */
function isSame(found: Numbers, beginning: Numbers): boolean {
  for (let at = 0; at < beginning.length; at++) {
    if (found[at] !== beginning[at]) {
      return false;
    }
  }
  return true;
}
