import type { CpuArray, Numbers } from "./call.ts";
import type { FindStarts } from "./runs.ts";
import { BLOCK, offsetsBy, runsIn } from "./runs.ts";

/** Where segments start, checked. Keys have been computed if they are to be. */
export type CpuSegments =
  | { readonly kind: "rows"; readonly rows: number }
  | { readonly kind: "columns"; readonly rows: number }
  | { readonly kind: "matrices"; readonly rows: number; readonly columns: number }
  | { readonly kind: "offsets"; readonly words: Uint32Array }
  | { readonly kind: "headBits"; readonly words: Uint32Array }
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
    default:
      return boundsBetween(offsetsBy(startsIn(segments), length));
  }
}

/** The bounds of segments that each begin where the one before it ends. */
const boundsBetween = (offsets: Uint32Array): Bounds => ({
  begins: offsets.subarray(0, -1),
  ends: offsets.subarray(1),
});

/** What finds where segments start that each begin where the one before it ends. */
function startsIn(
  segments: Exclude<CpuSegments, { readonly kind: "begins" } | { readonly kind: "offsets" }>,
): FindStarts {
  switch (segments.kind) {
    case "keys":
      return runsIn(segments.keys);
    case "headBits":
      return marksIn(segments.words);
    default:
      return rowsOf(segments.rows);
  }
}

/** Where each row starts, and where the last one ends. */
export const rowStarts = (length: number, rows: number): Uint32Array => offsetsBy(rowsOf(rows), length);

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
  (from, to, starts, count) =>
    placeMarks(words, from, to, starts, count);

function placeMarks(
  words: Uint32Array,
  from: number,
  to: number,
  starts: Uint32Array,
  count: number,
): number {
  let place = count;
  for (let first = from; first < to; first += 32) {
    // A segment starts at the first element, whatever its bit is. Bits behind the last one do not count.
    const marked = (words[first >>> 5] as number) | Number(first === 0);
    const inside = first + 32 > to ? (1 << (to - first)) - 1 : -1;
    for (let bits = marked & inside; bits !== 0; bits &= bits - 1) {
      starts[place] = first + 31 - Math.clz32(bits & -bits);
      place += 1;
    }
  }
  return place;
}

/** Takes the bounds of some segments: those from the number `first` on. */
export type TakeBounds = (bounds: Bounds, first: number) => void;

/**
 * Calls `take` with the bounds of all segments, and gives how many there are. Columns have none. It takes so many at a time that they lie in the
 * fastest memory; or all at once, if it writes to an array `written` that shares memory with what says where segments start.
 */
export function eachBounds(
  segments: CpuSegments,
  length: number,
  take: TakeBounds,
  written?: Numbers,
): number {
  const isOverwritten = written !== undefined && sourceOf(segments)?.buffer === written.buffer;
  if (segments.kind === "begins" || segments.kind === "offsets" || isOverwritten) {
    const bounds = boundsOf(segments, length);
    take(bounds, 0);
    return bounds.ends.length;
  }
  const find = startsIn(segments);
  // There is room for the segment that goes on, and for where the last one ends.
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

/** The array that says where segments start. */
const sourceOf = (segments: CpuSegments): Numbers | undefined =>
  segments.kind === "keys"
    ? segments.keys.numbers
    : segments.kind === "headBits"
      ? segments.words
      : undefined;

/** At least as many segments as there are. */
export const mostSegments = (segments: CpuSegments, length: number): number =>
  segments.kind === "begins"
    ? segments.ends.length
    : segments.kind === "offsets"
      ? segments.words.length - 1
      : segments.kind === "rows"
        ? length / segments.rows
        : length;
