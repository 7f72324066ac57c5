import type { Numbers } from "./call.ts";
import type { Fold, FoldCall, FoldName, LoopsOfCall, ScanCall } from "./folds.ts";
import { BLOCK, copyElement, foldOf } from "./folds.ts";
import { bitsOf, numbersLike } from "./numbers.ts";
import { mirror, mirrored } from "./reverse.ts";
import type { SegmentLoop } from "./segment_loops.ts";
import { segmentLoops } from "./segment_loops.ts";
import type { Bounds, CpuSegments, SegmentsOfCall } from "./segments.ts";
import { boundsOf, eachBounds, mostSegments } from "./segments.ts";

// Scans and reductions that start anew with each segment.

type LoopsByName = Readonly<Partial<Record<FoldName, SegmentLoop>>>;

/** Folds each segment. The fold stores its prefixes, or else the total of each is stored. */
function foldEach({ type, op }: FoldCall, fold: Fold, bounds: Bounds, totals?: Numbers): void {
  const { kept, task } = fold;
  const { carry, carryBits, start, shown, size, viewOf } = kept;
  const loops = segmentLoops[type.name as keyof typeof segmentLoops] as LoopsByName | undefined;
  const loop = loops?.[op];
  if (loop === undefined) {
    foldOneByOne(fold, bounds, totals);
    return;
  }
  const numberOf = (bits: typeof start): number => {
    copyElement(bits, 0, carryBits, 0, size);
    return carry[0] as number;
  };
  const { begins, ends } = bounds;
  const { input, stores, flip } = task;
  const output = totals ? viewOf(totals) : task.output;
  loop({
    input,
    output,
    stores,
    begins,
    ends,
    start: numberOf(start),
    nothing: numberOf(shown),
    flip,
  });
}

/** The same for each operator, by a loop over the elements of one segment. */
function foldOneByOne({ kept, task }: Fold, { begins, ends }: Bounds, totals: Numbers | undefined): void {
  const { loop, carryBits, start, shown, size } = kept;
  const totalBits = totals && bitsOf(totals);
  for (let at = 0; at < ends.length; at++) {
    task.from = begins[at] as number;
    task.to = ends[at] as number;
    copyElement(start, 0, carryBits, 0, size);
    loop(task);
    if (totalBits) {
      copyElement(task.from < task.to ? carryBits : shown, 0, totalBits, at, size);
    }
  }
}

/** The segments of so many elements in mirrored order. Rows and columns lie as before. */
function mirroredSegments(segments: CpuSegments, length: number): CpuSegments {
  if ("rows" in segments) {
    return segments;
  }
  const { begins, ends } = boundsOf(segments, length);
  const mirroredOf = (places: Uint32Array) => places.map((place) => length - place).reverse();
  const words = mirroredOf(ends);
  if (segments.kind === "begins") {
    return { kind: "begins", words, ends: mirroredOf(begins) };
  }
  const offsets = new Uint32Array(words.length + 1).fill(length);
  offsets.set(words);
  return { kind: "offsets", words: offsets };
}

/** Writes the prefixes of each segment to the output; in reverse, what comes from each element to the end of its segment. */
export function scanSegments(
  call: ScanCall & LoopsOfCall & SegmentsOfCall & { readonly reverse?: boolean | undefined },
): void {
  const { input, output, segments, reverse } = call;
  if (!reverse) {
    scanForward(call);
    return;
  }
  const given = mirrored(input);
  if (segments.kind === "begins") {
    // What is in gaps stays in its place.
    mirror(output);
  }
  scanForward({ ...call, input: given, segments: mirroredSegments(segments, input.length) });
  mirror(output);
}

function scanForward(call: ScanCall & LoopsOfCall & SegmentsOfCall): void {
  const { input, output, exclusive = false, segments } = call;
  if (segments.kind === "columns" || segments.kind === "matrices") {
    foldColumns(call, output, segments);
    return;
  }
  const fold = foldOf(call, output, exclusive);
  const hasGaps = segments.kind === "begins";
  const scanEach = (bounds: Bounds): void => {
    foldEach(call, fold, bounds);
    if (exclusive) {
      moveBehind(fold, bounds, output, hasGaps);
    }
  };
  eachBounds(segments, input.length, scanEach, output);
}

/** Moves prefixes by one place within each segment, and puts what an exclusive scan shows first in front of them. */
function moveBehind(
  { kept: { size, shown }, outputBits }: Fold,
  { begins, ends }: Bounds,
  output: Numbers,
  hasGaps: boolean,
): void {
  if (!hasGaps) {
    // All at once, since segments may be short.
    const first = begins[0] as number;
    output.copyWithin(first + 1, first, (ends.at(-1) as number) - 1);
  }
  for (let at = 0; at < ends.length; at++) {
    const from = begins[at] as number;
    const to = ends[at] as number;
    if (from < to) {
      if (hasGaps) {
        output.copyWithin(from + 1, from, to - 1);
      }
      copyElement(shown, 0, outputBits, from, size);
    }
  }
}

/** The total of each segment. */
export function reduceSegments(call: FoldCall & LoopsOfCall & SegmentsOfCall): Numbers {
  const { input, segments } = call;
  if (segments.kind === "columns" || segments.kind === "matrices") {
    return foldColumns(call, undefined, segments);
  }
  const totals = numbersLike(input, mostSegments(segments, input.length));
  const fold = foldOf(call, undefined);
  const count = eachBounds(segments, input.length, (bounds, first) => {
    foldEach(call, fold, bounds, totals.subarray(first) as Numbers);
  });
  return totals.subarray(0, count) as Numbers;
}

/** Folds each column of each matrix, block after block of its rows: those of a block lie in the fastest memory. */
function foldColumns(
  call: FoldCall & LoopsOfCall & Partial<ScanCall>,
  output: Numbers | undefined,
  segments: Extract<CpuSegments, { readonly kind: "columns" } | { readonly kind: "matrices" }>,
): Numbers {
  const { input, exclusive = false } = call;
  const { length } = input;
  const isOne = segments.kind === "columns";
  const columns = isOne ? segments.rows : segments.columns;
  const items = isOne ? length : segments.rows * columns;
  const { kept, task, outputBits } = foldOf(call, output, exclusive, columns);
  const { loop, carryBits, size, start, shown } = kept;
  const totals = numbersLike(input, isOne ? columns : (length / items) * columns);
  const totalBits = bitsOf(totals);
  for (let column = 0; column < totals.length; column++) {
    copyElement(length === 0 ? shown : start, 0, totalBits, column, size);
  }
  const block = columns * Math.max(16, Math.ceil(BLOCK / columns));
  for (let first = 0, before = 0; first < length; first += items, before += columns) {
    const end = first + items;
    for (let from = first; from < end; from += block) {
      task.to = Math.min(from + block, end);
      for (let column = 0; column < columns; column++) {
        copyElement(totalBits, before + column, carryBits, 0, size);
        task.from = from + column;
        loop(task);
        copyElement(carryBits, 0, totalBits, before + column, size);
      }
    }
    if (output !== undefined && exclusive) {
      output.copyWithin(first + columns, first, end - columns);
      for (let column = 0; column < columns; column++) {
        copyElement(shown, 0, outputBits, first + column, size);
      }
    }
  }
  return totals;
}
