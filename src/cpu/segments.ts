import type { CpuArray } from "./call.ts";
import { offsetsOfRuns } from "./runs.ts";

/** Where segments start, checked. Keys have been computed if they are to be. */
export type CpuSegments =
  | { readonly kind: "rows"; readonly rows: number }
  | { readonly kind: "columns"; readonly rows: number }
  | { readonly kind: "matrices"; readonly rows: number; readonly columns: number }
  | { readonly kind: "offsets" | "headBits"; readonly words: Uint32Array }
  | { readonly kind: "begins"; readonly words: Uint32Array; readonly ends: Uint32Array }
  | { readonly kind: "keys"; readonly keys: CpuArray };

/** The segments of a fold, each of which starts from the initial value. */
export interface SegmentsOfCall {
  readonly segments: CpuSegments;
}

/** Where each segment begins, and where it ends: the position behind its last element. */
export interface Bounds {
  readonly begins: Uint32Array;
  readonly ends: Uint32Array;
}

/** The bounds of the segments of so many elements. Columns have none. */
export function boundsOf(segments: CpuSegments, length: number): Bounds {
  switch (segments.kind) {
    case "begins":
      return { begins: segments.words, ends: segments.ends };
    case "offsets":
      return boundsBetween(segments.words);
    case "keys":
      return boundsBetween(offsetsOfRuns(segments.keys));
    case "headBits":
      return boundsBetween(offsetsOfMarks(segments.words, length));
    default:
      return boundsBetween(rowStarts(length, segments.rows));
  }
}

/** The bounds of segments that each begin where the one before it ends. */
const boundsBetween = (offsets: Uint32Array): Bounds => ({
  begins: offsets.subarray(0, -1),
  ends: offsets.subarray(1),
});

/** Where each row starts, and where the last one ends. */
export function rowStarts(length: number, rows: number): Uint32Array {
  const starts = new Uint32Array(length / rows + 1);
  let start = 0;
  for (let row = 0; row < starts.length; row++) {
    starts[row] = start;
    start = (start + rows) >>> 0;
  }
  return starts;
}

/** The first element, those whose bit is set, and the length. */
function offsetsOfMarks(words: Uint32Array, length: number): Uint32Array {
  const offsets = new Uint32Array(length + 1);
  let count = Math.min(1, length);
  for (let first = 0; first < length; first += 32) {
    // The first element is there already, and bits behind the last one do not count.
    const others = first === 0 ? -2 : -1;
    const inside = first + 32 > length ? (1 << (length - first)) - 1 : -1;
    for (let bits = (words[first >>> 5] as number) & others & inside; bits !== 0; bits &= bits - 1) {
      offsets[count] = first + 31 - Math.clz32(bits & -bits);
      count += 1;
    }
  }
  offsets[count] = length;
  return offsets.subarray(0, count + 1);
}
