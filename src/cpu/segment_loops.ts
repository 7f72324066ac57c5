import type { Numbers } from "./call.ts";
import type { FoldName } from "./folds.ts";

// Folds of each segment, in one loop over all segments: a call for each takes longer than to fold a few elements. Each loop is for one kind of
// array: see fold_words.ts. Prefixes have a loop beside totals, since a branch in each turn takes a fifth of the time.

/** What a loop folds. */
export interface SegmentTask<View> {
  readonly input: View;
  /** Receives the prefixes, if `stores` says so, and else the total of each segment. */
  readonly output: View;
  readonly stores: boolean;
  readonly begins: Uint32Array;
  readonly ends: Uint32Array;
  /** What each segment starts from, and the total of a segment of no element: for sums of floats, −0 and 0. */
  readonly start: number;
  readonly nothing: number;
  /** As that of a task in fold_words.ts. */
  readonly flip: number;
}

export type SegmentLoop = (task: SegmentTask<Numbers>) => void;

function addWords({ input, output, stores, begins, ends, start }: SegmentTask<Int32Array>): void {
  for (let segment = 0; segment < ends.length; segment++) {
    const to = (ends[segment] as number) | 0;
    let at = (begins[segment] as number) | 0;
    let sum = start;
    for (; stores && at < to; at++) {
      sum = (sum + (input[at] as number)) | 0;
      output[at] = sum;
    }
    // Two in a turn take a sixth less time.
    for (; at + 1 < to; at += 2) {
      sum = (sum + (input[at] as number) + (input[at + 1] as number)) | 0;
    }
    if (at < to) {
      sum = (sum + (input[at] as number)) | 0;
    }
    if (!stores) {
      output[segment] = sum;
    }
  }
}

function mulWords({ input, output, stores, begins, ends, start }: SegmentTask<Int32Array>): void {
  for (let segment = 0; segment < ends.length; segment++) {
    const to = (ends[segment] as number) | 0;
    let at = (begins[segment] as number) | 0;
    let product = start;
    for (; stores && at < to; at++) {
      product = Math.imul(product, input[at] as number);
      output[at] = product;
    }
    for (; at < to; at++) {
      product = Math.imul(product, input[at] as number);
    }
    if (!stores) {
      output[segment] = product;
    }
  }
}

function andWords({ input, output, stores, begins, ends, start }: SegmentTask<Int32Array>): void {
  for (let segment = 0; segment < ends.length; segment++) {
    const to = (ends[segment] as number) | 0;
    let at = (begins[segment] as number) | 0;
    let bits = start;
    for (; stores && at < to; at++) {
      bits &= input[at] as number;
      output[at] = bits;
    }
    for (; at < to; at++) {
      bits &= input[at] as number;
    }
    if (!stores) {
      output[segment] = bits;
    }
  }
}

function orWords({ input, output, stores, begins, ends, start }: SegmentTask<Int32Array>): void {
  for (let segment = 0; segment < ends.length; segment++) {
    const to = (ends[segment] as number) | 0;
    let at = (begins[segment] as number) | 0;
    let bits = start;
    for (; stores && at < to; at++) {
      bits |= input[at] as number;
      output[at] = bits;
    }
    for (; at < to; at++) {
      bits |= input[at] as number;
    }
    if (!stores) {
      output[segment] = bits;
    }
  }
}

function xorWords({ input, output, stores, begins, ends, start }: SegmentTask<Int32Array>): void {
  for (let segment = 0; segment < ends.length; segment++) {
    const to = (ends[segment] as number) | 0;
    let at = (begins[segment] as number) | 0;
    let bits = start;
    for (; stores && at < to; at++) {
      bits ^= input[at] as number;
      output[at] = bits;
    }
    for (; at < to; at++) {
      bits ^= input[at] as number;
    }
    if (!stores) {
      output[segment] = bits;
    }
  }
}

/** The least word without a branch that depends on data: of a few, no least one is foreseen. */
function leastWord({ input, output, stores, begins, ends, start, flip }: SegmentTask<Int32Array>): void {
  for (let segment = 0; segment < ends.length; segment++) {
    const to = (ends[segment] as number) | 0;
    let at = (begins[segment] as number) | 0;
    let least = start ^ flip;
    for (; stores && at < to; at++) {
      const key = (input[at] as number) ^ flip;
      least ^= (least ^ key) & -Number(key < least);
      output[at] = least ^ flip;
    }
    for (; at < to; at++) {
      const key = (input[at] as number) ^ flip;
      least ^= (least ^ key) & -Number(key < least);
    }
    if (!stores) {
      output[segment] = least ^ flip;
    }
  }
}

function addFloats({ input, output, stores, begins, ends, start, nothing }: SegmentTask<Float32Array>): void {
  for (let segment = 0; segment < ends.length; segment++) {
    const from = (begins[segment] as number) | 0;
    const to = (ends[segment] as number) | 0;
    let at = from;
    let sum = start;
    for (; stores && at < to; at++) {
      sum = Math.fround(sum + (input[at] as number));
      output[at] = sum;
    }
    for (; at < to; at++) {
      sum = Math.fround(sum + (input[at] as number));
    }
    if (!stores) {
      output[segment] = from < to ? sum : nothing;
    }
  }
}

function mulFloats({ input, output, stores, begins, ends, start }: SegmentTask<Float32Array>): void {
  for (let segment = 0; segment < ends.length; segment++) {
    const to = (ends[segment] as number) | 0;
    let at = (begins[segment] as number) | 0;
    let product = start;
    for (; stores && at < to; at++) {
      product = Math.fround(product * (input[at] as number));
      output[at] = product;
    }
    for (; at < to; at++) {
      product = Math.fround(product * (input[at] as number));
    }
    if (!stores) {
      output[segment] = product;
    }
  }
}

/** As that of fold_floats.ts. */
function leastFloat({ input, output, stores, begins, ends, start, flip }: SegmentTask<Float32Array>): void {
  const sign = flip === 0 ? 1 : -1;
  for (let segment = 0; segment < ends.length; segment++) {
    const to = (ends[segment] as number) | 0;
    let at = (begins[segment] as number) | 0;
    let least = start * sign;
    for (; stores && at < to; at++) {
      const item = (input[at] as number) * sign;
      if (item <= least) {
        least = Math.min(item, least);
      }
      output[at] = least * sign;
    }
    for (; at < to; at++) {
      const item = (input[at] as number) * sign;
      if (item <= least) {
        least = Math.min(item, least);
      }
    }
    if (!stores) {
      output[segment] = least * sign;
    }
  }
}

function addDoubles({
  input,
  output,
  stores,
  begins,
  ends,
  start,
  nothing,
}: SegmentTask<Float64Array>): void {
  for (let segment = 0; segment < ends.length; segment++) {
    const from = (begins[segment] as number) | 0;
    const to = (ends[segment] as number) | 0;
    let at = from;
    let sum = start;
    for (; stores && at < to; at++) {
      sum += input[at] as number;
      output[at] = sum;
    }
    for (; at < to; at++) {
      sum += input[at] as number;
    }
    if (!stores) {
      output[segment] = from < to ? sum : nothing;
    }
  }
}

function mulDoubles({ input, output, stores, begins, ends, start }: SegmentTask<Float64Array>): void {
  for (let segment = 0; segment < ends.length; segment++) {
    const to = (ends[segment] as number) | 0;
    let at = (begins[segment] as number) | 0;
    let product = start;
    for (; stores && at < to; at++) {
      product *= input[at] as number;
      output[at] = product;
    }
    for (; at < to; at++) {
      product *= input[at] as number;
    }
    if (!stores) {
      output[segment] = product;
    }
  }
}

function leastDouble({ input, output, stores, begins, ends, start, flip }: SegmentTask<Float64Array>): void {
  const sign = flip === 0 ? 1 : -1;
  for (let segment = 0; segment < ends.length; segment++) {
    const to = (ends[segment] as number) | 0;
    let at = (begins[segment] as number) | 0;
    let least = start * sign;
    for (; stores && at < to; at++) {
      const item = (input[at] as number) * sign;
      if (item <= least) {
        least = Math.min(item, least);
      }
      output[at] = least * sign;
    }
    for (; at < to; at++) {
      const item = (input[at] as number) * sign;
      if (item <= least) {
        least = Math.min(item, least);
      }
    }
    if (!stores) {
      output[segment] = least * sign;
    }
  }
}

const wordLoops = {
  add: addWords,
  mul: mulWords,
  min: leastWord,
  max: leastWord,
  minimum: leastWord,
  maximum: leastWord,
  and: andWords,
  or: orWords,
  xor: xorWords,
};

/** The loops, by the types of elements and the operators. Others are folded segment by segment. */
export const segmentLoops = {
  u32: wordLoops,
  i32: wordLoops,
  f32: { add: addFloats, mul: mulFloats, min: leastFloat, max: leastFloat },
  f64: { add: addDoubles, mul: mulDoubles, min: leastDouble, max: leastDouble },
} as const satisfies Readonly<Record<string, Partial<Record<FoldName, unknown>>>>;
