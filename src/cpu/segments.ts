import type { CpuArray } from "./call.ts";
import type { FindStarts } from "./runs.ts";
import { BLOCK, offsetsBy, offsetsOfRuns, runsIn } from "./runs.ts";

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
      return boundsBetween(offsetsBy(marksIn(segments.words), length));
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

/** What finds the starts of rows. */
const rowsOf =
  (rows: number): FindStarts =>
  (from, to, starts, count) => {
    let place = count;
    for (let at = Math.ceil(from / rows) * rows; at < to; at += rows) {
      starts[place] = at;
      place += 1;
    }
    return place;
  };

/** What finds the first element, and those whose bit is set. It looks from a multiple of 32 on. */
const marksIn =
  (words: Uint32Array): FindStarts =>
  (from, to, starts, count) => {
    starts[count] = from;
    return placeMarks(words, from, to, starts, from === 0 ? count + 1 : count);
  };

function placeMarks(
  words: Uint32Array,
  from: number,
  to: number,
  starts: Uint32Array,
  count: number,
): number {
  let place = count;
  for (let first = from; first < to; first += 32) {
    // The first element is there already, and bits behind the last one do not count.
    const others = first === 0 ? -2 : -1;
    const inside = first + 32 > to ? (1 << (to - first)) - 1 : -1;
    for (let bits = (words[first >>> 5] as number) & others & inside; bits !== 0; bits &= bits - 1) {
      starts[place] = first + 31 - Math.clz32(bits & -bits);
      place += 1;
    }
  }
  return place;
}

/** Takes the bounds of some segments: those from the number `first` on. */
export type TakeBounds = (bounds: Bounds, first: number) => void;

/** Calls `take` with the bounds of all segments, so many at a time that they lie in the fastest memory, and gives how many there are. Columns have none. */
export function eachBounds(segments: CpuSegments, length: number, take: TakeBounds): number {
  if (segments.kind === "begins" || segments.kind === "offsets") {
    const bounds = boundsOf(segments, length);
    take(bounds, 0);
    return bounds.ends.length;
  }
  const find =
    "keys" in segments
      ? runsIn(segments.keys)
      : "words" in segments
        ? marksIn(segments.words)
        : rowsOf(segments.rows);
  const starts = new Uint32Array(Math.min(BLOCK, length) + 2);
  let [first, count] = [0, 0];
  for (let from = 0; from < length; from += BLOCK) {
    const to = Math.min(from + BLOCK, length);
    count = find(from, to, starts, count);
    if (to === length) {
      starts[count] = length;
      count += 1;
    }
    if (count > 1) {
      take(boundsBetween(starts.subarray(0, count)), first);
      first += count - 1;
      // The last segment goes on.
      starts[0] = starts[count - 1] as number;
      count = 1;
    }
  }
  return first;
}

/** At least as many segments as there are. */
export const mostSegments = (segments: CpuSegments, length: number): number =>
  segments.kind === "begins"
    ? segments.ends.length
    : segments.kind === "offsets"
      ? segments.words.length - 1
      : segments.kind === "rows"
        ? length / segments.rows
        : length;
