import { requireRunKey } from "../plan/run_key.ts";
import type { CpuArray, CpuCall, Numbers, OnCpu } from "./call.ts";
import { copyAt } from "./elements_at.ts";
import { bitsOf, isShifted, numbersLike } from "./numbers.ts";
import { endsOfRuns, startsOfRuns } from "./runs.ts";
import { wholeNumbers } from "./whole_numbers.ts";

// Elements that move, bit for bit. Most loops find the places that elements come from, and one loop copies the elements there.

/** A new array for so many elements of the type of others. */
const roomFor = ({ type, numbers }: CpuArray, count: number): Numbers =>
  numbersLike(numbers, count * (type.bytes / numbers.BYTES_PER_ELEMENT));

/** The elements at these places, in a new array or in the start of `output`. */
const elementsAt = (data: CpuArray, places: Uint32Array, output = roomFor(data, places.length)): Numbers =>
  copyAt(data, places, output);

/** Elements that flags or classes order, and where they go. */
export interface Selection {
  readonly data: CpuArray;
  /** Whether positions are given instead of elements. */
  readonly indices?: boolean;
  /** Where the result goes: at least as long as it. It may be the data. Without it, the result is a new array. */
  readonly output?: Numbers | undefined;
}

/** The result of elements at these places. */
function selected({ data, indices, output }: Selection, places: Uint32Array, isInOrder: boolean): Numbers {
  if (indices) {
    output?.set(places as never);
    return output ?? places;
  }
  // In order, no element is written over before it is read, if the output starts where the data does.
  const isSafe =
    output === undefined ||
    output.buffer !== data.numbers.buffer ||
    (isInOrder && !isShifted(data.numbers, output));
  const from = isSafe ? data : { ...data, numbers: data.numbers.slice() as Numbers };
  return elementsAt(from, places, output);
}

/** 1 for a flag that is not zero. */
const bitOf = (flag: number): number => (flag | (0 - flag)) >>> 31;

function countOf(flags: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < flags.length; at++) {
    count += bitOf(flags[at] as number);
  }
  return count;
}

/**
 * The elements whose flags are not zero. With an array for the result, `values` is that array.
 *
 * @returns also how many elements they are.
 */
export function compactByFlags(selection: Selection & { readonly flags: Uint32Array }): {
  readonly values: Numbers;
  readonly count: number;
} {
  const { flags } = selection;
  const { data, indices, output } = selection;
  const count = countOf(flags);
  if (
    !indices &&
    data.numbers.BYTES_PER_ELEMENT === 4 &&
    data.type.bytes === 4 &&
    !(output && isShifted(data.numbers, output))
  ) {
    const values = output ?? roomFor(data, count);
    keepWords(bitsOf(data.numbers) as Int32Array, flags, bitsOf(values) as Int32Array, count);
    return { values, count };
  }
  const places = new Uint32Array(count);
  for (let at = 0, kept = 0; kept < count; at++) {
    places[kept] = at;
    kept += bitOf(flags[at] as number);
  }
  return { values: selected(selection, places, true), count };
}

/**
 * Copies the words whose flags are not zero. The loop ends once the last of them is there: until then, what it writes is overwritten unless the
 * word is kept. So no branch depends on the flags.
 */
function keepWords(from: Int32Array, flags: Uint32Array, to: Int32Array, count: number): void {
  for (let at = 0, kept = 0; kept < count; at++) {
    to[kept] = from[at] as number;
    kept += bitOf(flags[at] as number);
  }
}

/** All elements: those whose flags are not zero, and then the others. `count` is how many flags are not zero. */
export function partitionByFlags(selection: Selection & { readonly flags: Uint32Array }): {
  readonly values: Numbers;
  readonly count: number;
} {
  const { flags } = selection;
  const count = countOf(flags);
  const places = new Uint32Array(flags.length);
  for (let at = 0, kept = 0; at < flags.length; at++) {
    const bit = bitOf(flags[at] as number);
    const rest = count + at - kept;
    places[rest + ((kept - rest) & (0 - bit))] = at;
    kept += bit;
  }
  return { values: selected(selection, places, false), count };
}

/**
 * All elements, class by class. The numbers of classes are of any scalar type: a fraction is cut off, and then what is below 0, past the
 * last class, or NaN counts as the last class.
 *
 * @returns also where each class begins, and where the last one ends.
 */
export function partitionByClasses(
  selection: Selection & { readonly classOf: CpuArray; readonly classes: number },
): { readonly values: Numbers; readonly offsets: Uint32Array } {
  const { classOf, classes } = selection;
  const numbers = wholeNumbers(classOf, classes - 1);
  const offsets = new Uint32Array(classes + 1);
  for (let at = 0; at < numbers.length; at++) {
    const place = (numbers[at] as number) + 1;
    offsets[place] = (offsets[place] as number) + 1;
  }
  for (let at = 1; at <= classes; at++) {
    offsets[at] = (offsets[at] as number) + (offsets[at - 1] as number);
  }
  const next = offsets.slice();
  const places = new Uint32Array(numbers.length);
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] as number;
    const place = next[number] as number;
    places[place] = at;
    next[number] = place + 1;
  }
  return { values: selected(selection, places, false), offsets };
}

/** The value at each position. */
export const gather: OnCpu = async ({ arrays: { values, positions } }) => [
  elementsAt(values as CpuArray, (positions as CpuArray).numbers as Uint32Array),
];

/** Each value as often as its count says. */
export const expandRuns: OnCpu = async ({ arrays, request }) => {
  const values = arrays.values as CpuArray;
  const counts = (arrays.counts as CpuArray).numbers as Uint32Array;
  const places = new Uint32Array(request.results[0]?.most ?? 0);
  let at = 0;
  for (let run = 0; run < counts.length; run++) {
    const end = at + (counts[run] as number);
    for (; at < end; at++) {
      places[at] = run;
    }
  }
  return [elementsAt(values, places)];
};

/** The first places of runs of equal elements, or of equal keys. Undefined if there is no code for the key. */
async function runsIn({ arrays, request, mapped }: CpuCall): Promise<Uint32Array | undefined> {
  const data = arrays.data as CpuArray;
  const { type, text } = requireRunKey(request.options, data.type, request.title);
  const keys = text === undefined ? data : await mapped(text, data, type);
  return keys && startsOfRuns(keys);
}

function countsOf(starts: Uint32Array, length: number): Uint32Array {
  const counts = endsOfRuns(starts, length);
  for (let at = 0; at < counts.length; at++) {
    counts[at] = (counts[at] as number) - (starts[at] as number);
  }
  return counts;
}

/** The first element of each run of equal elements. */
export const firstOfRuns = (data: CpuArray): Numbers => elementsAt(data, startsOfRuns(data));

/** The first element of each run, and how many elements the run has. */
export const runLengths: OnCpu = async (call) => {
  const data = call.arrays.data as CpuArray;
  const starts = await runsIn(call);
  return starts && [elementsAt(data, starts), countsOf(starts, data.length)];
};

/** The first element of each run, and how many elements the run has; or the position of the first element. */
export const unique: OnCpu = async (call) => {
  const [first] = call.request.results;
  if (first?.name === "values") {
    return runLengths(call);
  }
  const starts = await runsIn(call);
  return starts && [starts.slice()];
};
