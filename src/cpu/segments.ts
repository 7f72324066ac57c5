import type { CpuArray } from "./call.ts";
import { endsOfRuns, startsOfRuns } from "./runs.ts";

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

/** Where each segment of so many elements ends, but columns: it starts where the one before it ends, unless {@link beginsOf} says where. */
export function endsOf(segments: CpuSegments, length: number): Uint32Array {
  switch (segments.kind) {
    case "offsets":
      return segments.words.subarray(1);
    case "begins":
      return segments.ends;
    case "keys":
      return endsOfRuns(startsOfRuns(segments.keys), length);
    case "headBits":
      return endsOfRuns(startsOfMarks(segments.words, length), length);
    default:
      return endsOfRows(segments.rows, length);
  }
}

/** Where each segment begins, if there may be gaps before it. */
export const beginsOf = (segments: CpuSegments): Uint32Array | undefined =>
  segments.kind === "begins" ? segments.words : undefined;

function endsOfRows(items: number, length: number): Uint32Array {
  const ends = new Uint32Array(length / items);
  for (let row = 0; row < ends.length; row++) {
    ends[row] = (row + 1) * items;
  }
  return ends;
}

/** The first element, and those whose bit is set. */
function startsOfMarks(words: Uint32Array, length: number): Uint32Array {
  const starts = new Uint32Array(length);
  let count = Math.min(1, length);
  for (let at = 1; at < length; at++) {
    // It is overwritten unless a segment starts there.
    starts[count] = at;
    count += ((words[at >>> 5] as number) >>> (at & 31)) & 1;
  }
  return starts.subarray(0, count);
}
