import type { Numbers } from "./call.ts";

// Sums of each segment, in one loop over all segments: a call for each takes longer than to add up a few elements. Each loop is for one kind of
// array: see fold_words.ts. It begins with the first element: a sum that begins as a variable stays in memory, and takes twice the time.

/** What a loop adds up. */
export interface SegmentTask<View> {
  readonly input: View;
  /** Receives the prefixes, if `stores` says so, and else the total of each segment. */
  readonly output: View;
  readonly stores: boolean;
  readonly begins: Uint32Array;
  readonly ends: Uint32Array;
  /** What each segment starts from, and the total of a segment of no element. */
  readonly start: number;
  readonly nothing: number;
}

export type SegmentLoop = (task: SegmentTask<Numbers>) => void;

function addWords({ input, output, stores, begins, ends, ...of }: SegmentTask<Int32Array>): void {
  const { start, nothing } = of;
  for (let segment = 0; segment < ends.length; segment++) {
    const from = (begins[segment] as number) | 0;
    const to = (ends[segment] as number) | 0;
    let sum = nothing;
    if (from < to) {
      sum = (start + (input[from] as number)) | 0;
      if (stores) {
        output[from] = sum;
      }
      for (let at = from + 1; at < to; at++) {
        sum = (sum + (input[at] as number)) | 0;
        if (stores) {
          output[at] = sum;
        }
      }
    }
    if (!stores) {
      output[segment] = sum;
    }
  }
}

function addFloats({ input, output, stores, begins, ends, ...of }: SegmentTask<Float32Array>): void {
  const { start, nothing } = of;
  for (let segment = 0; segment < ends.length; segment++) {
    const from = (begins[segment] as number) | 0;
    const to = (ends[segment] as number) | 0;
    let sum = nothing;
    if (from < to) {
      sum = Math.fround(start + (input[from] as number));
      if (stores) {
        output[from] = sum;
      }
      for (let at = from + 1; at < to; at++) {
        sum = Math.fround(sum + (input[at] as number));
        if (stores) {
          output[at] = sum;
        }
      }
    }
    if (!stores) {
      output[segment] = sum;
    }
  }
}

function addDoubles({ input, output, stores, begins, ends, ...of }: SegmentTask<Float64Array>): void {
  const { start, nothing } = of;
  for (let segment = 0; segment < ends.length; segment++) {
    const from = (begins[segment] as number) | 0;
    const to = (ends[segment] as number) | 0;
    let sum = nothing;
    if (from < to) {
      sum = start + (input[from] as number);
      if (stores) {
        output[from] = sum;
      }
      for (let at = from + 1; at < to; at++) {
        sum = sum + (input[at] as number);
        if (stores) {
          output[at] = sum;
        }
      }
    }
    if (!stores) {
      output[segment] = sum;
    }
  }
}

/** The loops, by the types of elements. */
export const segmentSums = { u32: addWords, i32: addWords, f32: addFloats, f64: addDoubles } as const;
