import type { Operator } from "../algebra/monoid.ts";
import type { CountBounds } from "../plan/count_bounds.ts";
import { requireBounds } from "../plan/count_bounds.ts";
import type { RunKey, RunKeyOptions } from "../plan/run_key.ts";
import { requireRunKey } from "../plan/run_key.ts";
import type { CpuArray, CpuCall, FindClasses, Moves, Numbers, OnCpu } from "./call.ts";
import { copyAt } from "./elements_at.ts";
import { reduceSegments as reduceExactly } from "./exact_folds.ts";
import { foldNameOf, loopsOver } from "./folds.ts";
import { bitsOf, numbersLike, numbersOver, wordsOf } from "./numbers.ts";
import { firstsOfRuns, offsetsOfRuns, startsOfRuns } from "./runs.ts";
import { combinedAt } from "./scatter_folds.ts";
import { reduceSegments } from "./segment_folds.ts";

// Elements that move, bit for bit. Most loops find the places that elements come from, and one loop copies the elements there.

/** A new array for so many elements of the type of others. */
const roomFor = ({ type, numbers }: CpuArray, count: number): Numbers =>
  numbersLike(numbers, count * (type.bytes / numbers.BYTES_PER_ELEMENT));

/** The elements at these places, in a new array or in the start of `output`. */
function elementsAt(data: CpuArray, places: Uint32Array, output = roomFor(data, places.length)): Numbers {
  copyAt(data, places, output);
  return output;
}

/** Elements that flags or classes order, and where they go. */
export interface Selection {
  readonly data: CpuArray;
  /** Whether positions are given instead of elements. */
  readonly indices?: boolean;
  /** Where the result goes: at least as long as it. It may be the data. Without it, the result is a new array. */
  readonly output?: Numbers | undefined;
}

/** Moves the elements that are kept, and gives their number. */
export type Keep = (moves: Moves) => number;

/** Keeps the elements whose flags are not zero. */
export const byFlags =
  (flags: Uint32Array): Keep =>
  ({ from, size, to, rest }) => {
    if (size > 1 || rest) {
      return separate(from ?? indicesOf(flags), size, flags, to, rest);
    }
    let end = flags.length;
    while (end > 0 && flags[end - 1] === 0) {
      end--;
    }
    return from ? keepWords(from, flags, to, end) : keepIndices(flags, to, end);
  };

const indicesOf = ({ length }: Uint32Array): Int32Array => {
  const indices = new Int32Array(length);
  for (let at = 0; at < length; at++) {
    indices[at] = at;
  }
  return indices;
};

type Words = Int32Array | Uint16Array;

// The last element before `end` is kept. Until it is there, what these loops write is overwritten unless it is kept. So no branch depends on the flags.

function keepWords(from: Words, flags: Uint32Array, to: Words, end: number): number {
  let kept = 0;
  for (let at = 0; at < end; at++) {
    to[kept] = from[at] as number;
    kept += Number(flags[at] !== 0);
  }
  return kept;
}

function keepIndices(flags: Uint32Array, to: Words, end: number): number {
  let kept = 0;
  for (let at = 0; at < end; at++) {
    to[kept] = at;
    kept += Number(flags[at] !== 0);
  }
  return kept;
}

/** Moves elements of as many words, and the others to the start of another array, if there is one. */
function separate(from: Words, size: number, flags: Uint32Array, to: Words, rest: Words | undefined): number {
  if (size === 1 && rest) {
    return separateWords(from, flags, to, rest);
  }
  let kept = 0;
  for (let at = 0; at < flags.length; at++) {
    const isKept = flags[at] !== 0;
    const target = isKept ? to : rest;
    const place = size * (isKept ? kept : at - kept);
    for (let word = 0; target && word < size; word++) {
      target[place + word] = from[size * at + word] as number;
    }
    kept += Number(isKept);
  }
  return kept;
}

function separateWords(from: Words, flags: Uint32Array, to: Words, rest: Words): number {
  let kept = 0;
  for (let at = 0; at < flags.length; at++) {
    const word = from[at] as number;
    to[kept] = word;
    rest[at - kept] = word;
    kept += Number(flags[at] !== 0);
  }
  return kept;
}

/** What a selection gives; and how many elements are kept, or where each class begins and the last one ends. */
export interface Selected {
  readonly values: Numbers;
  readonly counts: Uint32Array;
}

/** The elements that are kept; with `isWhole`, the others behind them. With an array for the result, `values` is that array. */
export function selectBy({ data, indices, output }: Selection, keep: Keep, isWhole: boolean): Selected {
  const { length, numbers, type } = data;
  const size = indices ? 1 : type.bytes / numbers.BYTES_PER_ELEMENT;
  const roomForAll = (): Numbers => (indices ? new Uint32Array(length) : numbersLike(numbers, length * size));
  const room = output ?? roomForAll();
  const rest = isWhole ? roomForAll() : undefined;
  const words = indices ? undefined : bitsOf(numbers);
  const count = keep({
    from: words,
    size: words ? type.bytes / words.BYTES_PER_ELEMENT : 1,
    to: bitsOf(room),
    rest: rest && bitsOf(rest),
  });
  room.set((rest?.subarray(0, (length - count) * size) ?? []) as never, count * size);
  return {
    values: output || isWhole ? room : (room.slice(0, count * size) as Numbers),
    counts: Uint32Array.of(count),
  };
}

/** All elements, or their positions, class by class. */
export function partitionByClasses(
  { data, indices, output }: Selection,
  find: FindClasses,
  count: number,
): Selected {
  const { length, numbers, type } = data;
  const classes = new Uint8Array(length);
  const next = new Int32Array(count);
  find(data, next, classes);
  const counts = startsFrom(next);
  const values = output ?? (indices ? new Uint32Array(length) : roomFor(data, length));
  const to = bitsOf(values);
  if (indices) {
    placePositions(classes, next, to);
    return { values, counts };
  }
  // Elements go anywhere, so they cannot move within their own memory.
  const from = (values.buffer === numbers.buffer ? numbers.slice() : numbers) as Numbers;
  const words = bitsOf(from);
  const size = type.bytes / words.BYTES_PER_ELEMENT;
  if (size === 1) {
    placeWords(classes, next, words, to);
  } else if (size === 2) {
    placePairs(classes, next, words, to);
  } else {
    const places = new Uint32Array(length);
    placePositions(classes, next, places);
    elementsAt({ ...data, numbers: from }, places, values);
  }
  return { values, counts };
}

/** Makes the counts of classes their starts. Gives these, and where the last class ends. */
function startsFrom(counts: Int32Array): Uint32Array {
  const starts = new Uint32Array(counts.length + 1);
  for (let at = 0; at < counts.length; at++) {
    const first = starts[at] as number;
    starts[at + 1] = first + (counts[at] as number);
    counts[at] = first;
  }
  return starts;
}

/** The next place of a class. The one after it is the next one then. */
function takePlace(next: Int32Array, index: number): number {
  const place = next[index] as number;
  next[index] = place + 1;
  return place;
}

// Words and positions go two in a turn, which takes two thirds of the time.

function placeWords(classes: Uint8Array, next: Int32Array, from: Words, to: Words): void {
  const { length } = classes;
  let at = 0;
  for (; at + 1 < length; at += 2) {
    const word = from[at] as number;
    const other = from[at + 1] as number;
    to[takePlace(next, classes[at] as number)] = word;
    to[takePlace(next, classes[at + 1] as number)] = other;
  }
  if (at < length) {
    to[takePlace(next, classes[at] as number)] = from[at] as number;
  }
}

function placePositions(classes: Uint8Array, next: Int32Array, to: Words | Uint32Array): void {
  const { length } = classes;
  let at = 0;
  for (; at + 1 < length; at += 2) {
    to[takePlace(next, classes[at] as number)] = at;
    to[takePlace(next, classes[at + 1] as number)] = at + 1;
  }
  if (at < length) {
    to[takePlace(next, classes[at] as number)] = at;
  }
}

/** Moves elements of two words. */
function placePairs(classes: Uint8Array, next: Int32Array, from: Words, to: Words): void {
  for (let at = 0; at < classes.length; at++) {
    const place = 2 * takePlace(next, classes[at] as number);
    to[place] = from[2 * at] as number;
    to[place + 1] = from[2 * at + 1] as number;
  }
}

/** The values at each position, in their order, one position behind another; and where those of each position begin and the last ones end. */
function inPositions(
  values: CpuArray,
  positions: Uint32Array,
  count: number,
): { readonly input: Numbers; readonly offsets: Uint32Array } {
  const next = new Int32Array(count);
  countPositions(positions, next);
  const offsets = startsFrom(next);
  if (values.type.bytes === 4) {
    const input = roomFor(values, positions.length);
    moveToPositions(positions, next, bitsOf(values.numbers), bitsOf(input));
    return { input, offsets };
  }
  const places = new Uint32Array(positions.length);
  moveToPositions(positions, next, undefined, places);
  return { input: elementsAt(values, places), offsets };
}

function countPositions(positions: Uint32Array, counts: Int32Array): void {
  const last = counts.length - 1;
  for (let at = 0; at < positions.length; at++) {
    const position = positions[at] as number;
    const index = position < counts.length ? position | 0 : last;
    counts[index] = (counts[index] as number) + 1;
  }
}

/** Moves words, or their indices, to the next place of each one's position. */
function moveToPositions(
  positions: Uint32Array,
  next: Int32Array,
  from: Words | undefined,
  to: Words | Uint32Array,
): void {
  const last = next.length - 1;
  for (let at = 0; at < positions.length; at++) {
    const position = positions[at] as number;
    const place = takePlace(next, position < next.length ? position | 0 : last);
    to[place] = from ? (from[at] as number) : at;
  }
}

/** The value at each position. */
export const gather: OnCpu = async ({ arrays: { values, positions }, request }) => {
  const places = (positions as CpuArray).numbers as Uint32Array;
  const gathered = roomFor(values as CpuArray, places.length);
  if (!copyAt(values as CpuArray, places, gathered)) {
    request.requireContents?.();
  }
  return [gathered];
};

/** Each value at its position; by an operator, what the values of a position combine to. */
export const scatter: OnCpu = async ({ arrays, request }) => {
  const values = arrays.values as CpuArray;
  const positions = (arrays.positions as CpuArray).numbers as Uint32Array;
  const [result] = request.results;
  const length = result?.most ?? 0;
  const { op } = request.options as { readonly op?: Operator };
  if (result?.type.name !== values.type.name) {
    return undefined;
  }
  if (op === undefined) {
    const to = roomFor(values, length);
    if (!putAt(bitsOf(values.numbers), positions, bitsOf(to), length)) {
      request.requireContents?.();
    }
    return [to];
  }
  const combined = await combinedBy(op, values, positions, length, () => request.requireContents?.());
  return combined && [combined];
};

/**
 * What the values of each position combine to, in their order; undefined for an operator that has no loops. If a position is past the end,
 * `requirePositions` throws.
 */
export async function combinedBy(
  op: Operator,
  values: CpuArray,
  positions: Uint32Array,
  length: number,
  requirePositions?: () => void,
): Promise<Numbers | undefined> {
  const { type } = values;
  const name = foldNameOf(op, type);
  if (name === undefined) {
    return undefined;
  }
  const combined = combinedAt(values, name, positions, length);
  if (combined) {
    return combined;
  }
  requirePositions?.();
  const { input, offsets: words } = inPositions(values, positions, length);
  const call = { type, op: name, input, segments: { kind: "offsets", words } } as const;
  if (name === "exactAdd") {
    return reduceExactly(call);
  }
  return reduceSegments({ ...call, loops: await loopsOver(type) });
}

/**
 * Puts elements at their positions. The last one stays where several have one. It stops at a position that is not below `length`: then it
 * gives false.
 */
function putAt(from: Words, positions: Uint32Array, to: Words, length: number): boolean {
  const size = from.length / positions.length;
  for (let at = 0; at < positions.length; at++) {
    const place = positions[at] as number;
    if (place >= length) {
      return false;
    }
    if (size === 1) {
      to[place] = from[at] as number;
      continue;
    }
    for (let word = 0; word < size; word++) {
      to[size * place + word] = from[size * at + word] as number;
    }
  }
  return true;
}

/** Each value as often as its count says. */
export const expandRuns: OnCpu = async ({ arrays, request }) => {
  const values = arrays.values as CpuArray;
  const counts = (arrays.counts as CpuArray).numbers as Uint32Array;
  const [first, ...others] = request.results;
  const length = first?.most ?? 0;
  const ranks = others.map(() => ranksIn(counts, length));
  if (first?.like && values.type.bytes === 4) {
    const repeated = roomFor(values, length);
    repeatWords(wordsOf(values.numbers), counts, wordsOf(repeated));
    return [repeated, ...ranks];
  }
  const places = new Uint32Array(length);
  repeatWords(undefined, counts, places);
  return [first?.like ? elementsAt(values, places) : places, ...ranks];
};

/** Puts each word there as often as its count says; or its position. */
function repeatWords(from: Uint32Array | undefined, counts: Uint32Array, to: Uint32Array): void {
  let at = 0;
  for (let run = 0; run < counts.length; run++) {
    const end = at + (counts[run] as number);
    const word = from ? (from[run] as number) : run;
    for (; at < end; at++) {
      to[at] = word;
    }
  }
}

/** The number of each element in its run. */
function ranksIn(counts: Uint32Array, length: number): Uint32Array {
  const ranks = new Uint32Array(length);
  let start = 0;
  for (let run = 0; run < counts.length; run++) {
    const count = counts[run] as number;
    for (let rank = 0; rank < count; rank++) {
      ranks[start + rank] = rank;
    }
    start += count;
  }
  return ranks;
}

/** The first element of each run of equal elements; and where each run begins and the last one ends. */
export function firstOfRuns(data: CpuArray): { readonly firsts: Numbers; readonly offsets: Uint32Array } {
  const offsets = offsetsOfRuns(data);
  return { firsts: elementsAt(data, offsets.subarray(0, -1)), offsets };
}

/** Where runs start, and how many elements each has. */
interface Runs {
  readonly starts: Uint32Array;
  readonly counts: Uint32Array;
}

function runsOf(array: CpuArray): Runs {
  const offsets = offsetsOfRuns(array);
  const starts = offsets.subarray(0, -1);
  const counts = offsets.slice(1);
  for (let at = 0; at < counts.length; at++) {
    counts[at] = (counts[at] as number) - (starts[at] as number);
  }
  return { starts, counts };
}

/** The runs whose counts are within bounds. */
const runsWithin = ({ starts, counts }: Runs, [least, most]: readonly [number, number]): Runs => {
  const isKept = (_: number, run: number): boolean =>
    (counts[run] as number) >= least && (counts[run] as number) <= most;
  return { starts: starts.filter(isKept), counts: counts.filter(isKept) };
};

/** The index of each element's run. `positions` are those of the elements in the order in which runs were looked for. */
function inverseOf(
  { starts, counts }: Runs,
  length: number,
  positions: Uint32Array | undefined,
): Uint32Array {
  const inverse = new Uint32Array(length);
  for (let run = 0; run < starts.length; run++) {
    const first = starts[run] as number;
    for (let at = first; at < first + (counts[run] as number); at++) {
      inverse[positions ? (positions[at] as number) : at] = run;
    }
  }
  return inverse;
}

/** The first element of each run of equal elements or keys, or its position; how many elements it has; and the run of each element. */
export const unique: OnCpu = async (call) => {
  const { arrays, request, mapped } = call;
  const data = arrays.data as CpuArray;
  const options = request.options as RunKeyOptions & CountBounds & { readonly sort?: boolean };
  const { type, text } = requireRunKey(options, data.type, request.title);
  const bounds = requireBounds(options, request.title);
  const [first, ...others] = request.results;
  if (first?.like && others.length === 0 && bounds === undefined && (text === undefined || !options.sort)) {
    return firstElements(call, { type, text });
  }
  const keys = text === undefined ? data : await mapped(text, data, type);
  const positions = options.sort ? await call.positionsInOrder() : undefined;
  if (keys === undefined || (options.sort && positions === undefined)) {
    return undefined;
  }
  const inOrder = positions ? { ...keys, numbers: elementsAt(keys, positions) } : keys;
  const all = runsOf(inOrder);
  const { starts, counts } = bounds ? runsWithin(all, bounds) : all;
  const firsts = positions ? starts.map((start) => positions[start] as number) : starts.slice();
  const made = {
    values: () => (request.results[0]?.like ? elementsAt(data, firsts) : firsts),
    counts: () => counts,
    inverse: () => inverseOf(all, data.length, positions),
  };
  return request.results.map(({ name }) => made[name as keyof typeof made]());
};

export const runLengths: OnCpu = unique;

/** The first element of each run alone. Sorted elements need no positions, since equal ones have the same bits or are sorted by positions. */
async function firstElements(
  { arrays, request, mapped, elementsInOrder }: CpuCall,
  { type, text }: RunKey,
): Promise<readonly Numbers[] | undefined> {
  const given = arrays.data as CpuArray;
  const { sort = false } = request.options as { readonly sort?: boolean };
  const numbers = sort ? await elementsInOrder() : given.numbers;
  const data = numbers && { ...given, numbers };
  const keys = data && text !== undefined ? await mapped(text, data, type) : data;
  if (data === undefined || keys === undefined) {
    return undefined;
  }
  return data === keys && data.type.bytes === 4
    ? [numbersOver(firstsOfRuns(data), data.type)]
    : [elementsAt(data, startsOfRuns(keys))];
}
