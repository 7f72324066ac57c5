import type { Numbers } from "./call.ts";
import type { Fold, FoldCall, LoopsOfCall, ScanCall } from "./folds.ts";
import { BLOCK, copyElement, foldOf } from "./folds.ts";
import { bitsOf, numbersLike } from "./numbers.ts";
import { mirror, mirrored } from "./reverse.ts";
import type { CpuSegments, SegmentsOfCall } from "./segments.ts";
import { beginsOf, endsOf } from "./segments.ts";

// Scans and reductions that start anew with each segment.

/** Folds the elements of a segment. What the task carries is then their total. */
function foldSegment({ kept: { loop, carryBits, start }, task }: Fold, from: number, to: number): void {
  copyElement(start, 0, carryBits, 0, start.length);
  task.from = from;
  task.to = to;
  loop(task);
}

/** The segments of so many elements in mirrored order. Rows and columns lie as before. */
function mirroredSegments(segments: CpuSegments, length: number): CpuSegments {
  if ("rows" in segments) {
    return segments;
  }
  const ends = endsOf(segments, length);
  const begins = beginsOf(segments);
  if (begins !== undefined) {
    const mirroredOf = (places: Uint32Array) => places.map((place) => length - place).reverse();
    return { kind: "begins", words: mirroredOf(ends), ends: mirroredOf(begins) };
  }
  const words = new Uint32Array(ends.length + 1);
  ends.forEach((end, at) => {
    words[ends.length - 1 - at] = length - end;
  });
  // The first segment starts at the first element.
  words[ends.length] = length;
  return { kind: "offsets", words };
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
  if (beginsOf(segments)) {
    // What is in gaps stays in its place.
    mirror(output);
  }
  scanForward({ ...call, input: given, segments: mirroredSegments(segments, input.length) });
  mirror(output);
}

function scanForward(call: ScanCall & LoopsOfCall & SegmentsOfCall): void {
  const { input, output, exclusive = false, segments } = call;
  const { length } = input;
  if (segments.kind === "columns" || segments.kind === "matrices") {
    foldColumns(call, output, segments);
    return;
  }
  const fold = foldOf(call, output, exclusive);
  const { outputBits } = fold;
  const { size, shown } = fold.kept;
  const ends = endsOf(segments, length);
  const begins = beginsOf(segments);
  let before = 0;
  ends.forEach((to, at) => {
    const from = begins?.[at] ?? before;
    foldSegment(fold, from, to);
    if (exclusive && begins) {
      output.copyWithin(from + 1, from, Math.max(from, to - 1));
    }
    before = to;
  });
  if (!exclusive) {
    return;
  }
  if (begins === undefined) {
    // All at once, since segments may be short.
    output.copyWithin(1, 0, length - 1);
  }
  before = 0;
  ends.forEach((to, at) => {
    const from = begins?.[at] ?? before;
    if (from < to) {
      copyElement(shown, 0, outputBits, from, size);
    }
    before = to;
  });
}

/** The total of each segment. */
export function reduceSegments(call: FoldCall & LoopsOfCall & SegmentsOfCall): Numbers {
  const { input, segments } = call;
  if (segments.kind === "columns" || segments.kind === "matrices") {
    return foldColumns(call, undefined, segments);
  }
  const fold = foldOf(call, undefined);
  const { carryBits, size, shown } = fold.kept;
  const ends = endsOf(segments, input.length);
  const begins = beginsOf(segments);
  const totals = numbersLike(input, ends.length);
  const totalBits = bitsOf(totals);
  let before = 0;
  ends.forEach((to, at) => {
    const from = begins?.[at] ?? before;
    foldSegment(fold, from, to);
    copyElement(from < to ? carryBits : shown, 0, totalBits, at, size);
    before = to;
  });
  return totals;
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
