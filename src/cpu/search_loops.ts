import type { Scalar, ScalarType } from "../algebra/types.ts";
import type { Weights } from "../plan/bin_weights.ts";
import { requireWeights } from "../plan/bin_weights.ts";
import type { BinOptions, Bins } from "../plan/bins.ts";
import { requireBinned } from "../plan/bins.ts";
import { requireSide } from "../plan/require_scalar.ts";
import type { CpuArray, CpuCall, Numbers, OnCpu } from "./call.ts";
import { decodeHalves, halfBlock } from "./halves.ts";
import { combinedBy } from "./moves.ts";
import { bitsOf } from "./numbers.ts";
import type { TakeBlock } from "./whole_numbers.ts";
import { BLOCK, blocksOf, eachBlock, eachWideBlock, isWide, wholeNumbers } from "./whole_numbers.ts";

/** Sorted numbers of any type but integers of 64 bits. */
type Sorted = Uint32Array | Int32Array | Float32Array | Float64Array;

/** The place of a number. NaN comes behind all numbers, and −0 is where 0 is. */
function placeOf(sorted: Sorted, wanted: number, isRight: boolean): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const entry = sorted[middle] as number;
    if (isRight ? entry <= wanted : entry < wanted) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

/** The place of the first NaN. */
function placeOfNan(sorted: Sorted): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (Number.isNaN(sorted[middle])) {
      to = middle;
    } else {
      from = middle + 1;
    }
  }
  return from;
}

function sortedIn({ numbers, length }: CpuArray): Sorted {
  if (!(numbers instanceof Uint16Array)) {
    return numbers as Sorted;
  }
  const block = halfBlock(length);
  decodeHalves(numbers, 0, 1, block, length);
  return block.numbers;
}

/** The place of each number. */
function placesIn(sorted: Sorted, values: CpuArray, isRight: boolean): Uint32Array {
  const places = new Uint32Array(values.length);
  const nan = isRight ? sorted.length : placeOfNan(sorted);
  eachBlock(values, (doubles, from, count) => {
    for (let at = 0; at < count; at++) {
      const wanted = doubles[at] as number;
      places[from + at] = Number.isNaN(wanted) ? nan : placeOf(sorted, wanted, isRight);
    }
  });
  return places;
}

/** The place of each integer of 64 bits. Its words are compared, the upper one with its sign. */
function placesOfWide(sorted: CpuArray, values: CpuArray, isRight: boolean): Uint32Array {
  const flip = sorted.type.kind === "signed" ? 0x80000000 : 0;
  const [entries, words] = [sorted, values].map(
    ({ numbers, length }) => new Uint32Array(numbers.buffer, numbers.byteOffset, 2 * length),
  ) as [Uint32Array, Uint32Array];
  const places = new Uint32Array(values.length);
  for (let at = 0; at < places.length; at++) {
    const low = words[2 * at] as number;
    const high = ((words[2 * at + 1] as number) ^ flip) >>> 0;
    let [from, to] = [0, sorted.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const entryLow = entries[2 * middle] as number;
      const entryHigh = ((entries[2 * middle + 1] as number) ^ flip) >>> 0;
      if (entryHigh < high || (entryHigh === high && (isRight ? entryLow <= low : entryLow < low))) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    places[at] = from;
  }
  return places;
}

/** How many elements of a sorted array come before each value. */
export const searchSorted: OnCpu = async ({ arrays, request }) => {
  const sorted = arrays.sorted as CpuArray;
  const values = arrays.values as CpuArray;
  const { side } = request.options as { readonly side?: "left" | "right" };
  const isRight = requireSide(side, request.title) === "right";
  return [
    isWide(sorted) ? placesOfWide(sorted, values, isRight) : placesIn(sortedIn(sorted), values, isRight),
  ];
};

/** The bin of each number of a block; `count`, the number of bins, for a number outside of all. */
type FindBins = (doubles: Float64Array, items: number, bins: Uint32Array) => void;

/** Even bins of whole numbers, where all products are exact. Numbers count from `low`. */
const evenBins =
  (low: number, span: number, count: number): FindBins =>
  (doubles, items, bins) =>
    findEvenBins(doubles, items, bins, low, span, count);

function findEvenBins(
  doubles: Float64Array,
  items: number,
  bins: Uint32Array,
  low: number,
  span: number,
  count: number,
): void {
  // The array takes the whole part. If all are fractions, an item takes 1.9 ns, else 3.6.
  const [last, outside] = [count - 0.5, count + 0.5];
  for (let at = 0; at < items; at++) {
    const offset = (doubles[at] as number) - low;
    const bin = offset < span ? (offset * count) / span : last;
    bins[at] = offset >= 0 && offset <= span ? bin : outside;
  }
}

/** The last edge that is not above a number, which is that of its bin; of the last edge, that before it; `count` for a number outside of all. */
function binAmong(edges: Float64Array, number: number): number {
  const count = edges.length - 1;
  if (!(number >= (edges[0] as number) && number <= (edges[count] as number))) {
    return count;
  }
  // The edge at `to` is above the number, or the last one.
  let [from, to] = [0, count];
  while (to - from > 1) {
    const middle = (from + to) >>> 1;
    if ((edges[middle] as number) <= number) {
      from = middle;
    } else {
      to = middle;
    }
  }
  return from;
}

/** How a loop guesses the bin of a number that is in one: it is the whole part of `(number - (first - below)) * (1 / step)`, or less. */
interface Guess {
  readonly below: number;
  readonly step: number;
}

/** Guesses for edges that are `step` apart, but for rounding; undefined if there is no step, or if bins are too narrow. */
function guessOf(edges: Float64Array, step: number | undefined): Guess | undefined {
  if (step === undefined) {
    return undefined;
  }
  const count = edges.length - 1;
  const first = edges[0] as number;
  const scale = 1 / step;
  // Rounded edges may lie below their places. Then all guesses are moved up.
  let most = 0;
  for (let bin = 1; bin < count; bin++) {
    most = Math.max(most, bin - ((edges[bin] as number) - first) * scale);
  }
  const below = 2 * most * step;
  let isRight = ((edges[count] as number) - (first - below)) * scale < count + 1;
  for (let bin = 0; bin < count; bin++) {
    isRight &&= ((edges[bin] as number) - (first - below)) * scale >= bin;
  }
  return isRight ? { below, step } : undefined;
}

/** Bins between edges. */
const binsBetween =
  (edges: Float64Array, guess: Guess | undefined): FindBins =>
  (doubles, items, bins) => {
    if (guess) {
      guessBins(doubles, items, bins, edges, guess);
      return;
    }
    for (let at = 0; at < items; at++) {
      bins[at] = binAmong(edges, doubles[at] as number);
    }
  };

function guessBins(
  doubles: Float64Array,
  items: number,
  bins: Uint32Array,
  edges: Float64Array,
  { below, step }: Guess,
): void {
  const first = edges[0] as number;
  const origin = first - below;
  const scale = 1 / step;
  const end = edges[edges.length - 1] as number;
  for (let at = 0; at < items; at++) {
    const number = doubles[at] as number;
    if (number >= first && number < end) {
      const guess = ((number - origin) * scale) | 0;
      bins[at] = (edges[guess] as number) <= number ? guess : binAmong(edges, number);
    } else {
      bins[at] = binAmong(edges, number);
    }
  }
}

/** The bins of integers of 64 bits, one by one. */
function wideBins({ count, whole, edges }: Bins): (value: bigint) => number {
  if (whole !== undefined) {
    const { low, high } = whole;
    return (value) =>
      value < low || value > high
        ? count
        : Math.min(Number(((value - low) * BigInt(count)) / (high - low)), count - 1);
  }
  const all = edges?.() ?? [];
  return (value) => {
    if (value < (all[0] as Scalar) || value > (all[count] as Scalar)) {
      return count;
    }
    let [from, to] = [0, count];
    while (to - from > 1) {
      const middle = (from + to) >>> 1;
      if ((all[middle] as Scalar) <= value) {
        from = middle;
      } else {
        to = middle;
      }
    }
    return from;
  };
}

/** Numbers and bigints as doubles. This is several times as fast as `Float64Array.from`. */
function doublesOf(values: readonly Scalar[]): Float64Array {
  const doubles = new Float64Array(values.length);
  for (let at = 0; at < values.length; at++) {
    doubles[at] = Number(values[at]);
  }
  return doubles;
}

/** Takes the bins of a block. */
type TakeBins = (bins: Uint32Array, from: number, items: number) => void;

/** Whether even bins of whole numbers follow from doubles: a quotient of whole numbers up to 2^53 rounds to no whole number that it does not reach. */
const isExact = (low: number, span: number, count: number): boolean =>
  low > -(2 ** 53) && span * count <= 2 ** 53;

/** Finds the bins of all elements, block after block. */
function eachBin(data: CpuArray, bins: Bins, take: TakeBins): void {
  const { count, whole, step } = bins;
  const block = new Uint32Array(BLOCK);
  const by =
    (find: FindBins): TakeBlock =>
    (doubles, from, items) => {
      find(doubles, items, block);
      take(block, from, items);
    };
  const { lowest, greatest, kind } = data.type as ScalarType;
  if (whole === undefined && !isWide(data)) {
    const edges = doublesOf(bins.edges?.() ?? []);
    eachBlock(data, by(binsBetween(edges, guessOf(edges, step))));
    return;
  }
  if (whole !== undefined && kind !== "float") {
    const { low, high } = whole;
    const span = Number(high - low);
    const isIn = !isWide(data) || (low >= lowest && high <= greatest);
    if (isIn && isExact(isWide(data) ? 0 : Number(low), span, count)) {
      if (isWide(data)) {
        eachWideBlock(data, { low, isSigned: false }, by(evenBins(0, span, count)));
      } else {
        eachBlock(data, by(evenBins(Number(low), span, count)));
      }
      return;
    }
  }
  const binOf = wideBins(bins);
  for (let from = 0; from < data.length; from += BLOCK) {
    const items = Math.min(BLOCK, data.length - from);
    for (let at = 0; at < items; at++) {
      block[at] = binOf(BigInt(data.numbers[from + at] as Scalar));
    }
    take(block, from, items);
  }
}

/** What becomes of the elements of each bin. */
interface Sums {
  /** The sums that a loop may add to, and their weights. Other weights are combined once the positions of all their bins are known. */
  readonly added?: {
    readonly sums: Int32Array | Float64Array;
    readonly weights: Int32Array | Float32Array | undefined;
  };
  /** Counts the elements of each bin, adds their weights, or takes the positions of the bins. */
  readonly take: TakeBins;
  /** The sums, as the result has them; undefined if an operator has no loops. */
  result(): Numbers | undefined | Promise<Numbers | undefined>;
}

/** The word of −0. */
const NEGATIVE_ZERO = -0x80000000;

function sumsOf(count: number, given: CpuArray | undefined, weighed: Weights | undefined): Sums {
  const words = given && (bitsOf(given.numbers) as Int32Array);
  // Sums of nothing but −0 are −0, and those of nothing are 0. So it matters which bins have elements.
  if (given && weighed?.areFloatSums && words?.indexOf(NEGATIVE_ZERO) === -1) {
    const weights = given.numbers as Float32Array;
    const sums = new Float64Array(count);
    return { added: { sums, weights }, take: adding(sums, weights), result: () => Float32Array.from(sums) };
  }
  if (given && weighed && !weighed.areAdded) {
    return combining(count, given, weighed);
  }
  const sums = new Int32Array(count);
  return {
    added: { sums, weights: words },
    take: words ? addingWhole(sums, words) : (bins, _, items) => countBins(bins, items, sums),
    result: () => (given?.numbers instanceof Int32Array ? sums : new Uint32Array(sums.buffer)),
  };
}

/** Weights that are combined by an operator. Those outside of all bins go to another bin behind the last one. */
function combining(count: number, weights: CpuArray, { op, areFloatSums }: Weights): Sums {
  const positions = new Uint32Array(weights.length);
  return {
    take(bins, from, items) {
      positions.set(bins.subarray(0, items), from);
    },
    async result() {
      const values = areFloatSums
        ? // The type itself would bring its arithmetic, and the loop asks for no more than the name.
          {
            ...weights,
            type: { ...weights.type, name: "f64" },
            numbers: Float64Array.from(weights.numbers as Float32Array),
          }
        : weights;
      const combined = (await combinedBy(op, values, positions, count + 1))?.subarray(0, count);
      return areFloatSums ? Float32Array.from(combined as Float64Array) : combined;
    },
  };
}

/** Adds weights that are floats. */
const adding =
  (sums: Float64Array, weights: Float32Array): TakeBins =>
  (bins, from, items) => {
    for (let at = 0; at < items; at++) {
      const bin = bins[at] as number;
      if (bin < sums.length) {
        sums[bin] = (sums[bin] as number) + (weights[from + at] as number);
      }
    }
  };

function countBins(bins: Uint32Array, items: number, sums: Int32Array): void {
  for (let at = 0; at < items; at++) {
    const bin = bins[at] as number;
    if (bin < sums.length) {
      sums[bin] = (sums[bin] as number) + 1;
    }
  }
}

/** Adds weights that wrap around. */
const addingWhole =
  (sums: Int32Array, weights: Int32Array): TakeBins =>
  (bins, from, items) => {
    for (let at = 0; at < items; at++) {
      const bin = bins[at] as number;
      if (bin < sums.length) {
        sums[bin] = (sums[bin] as number) + (weights[from + at] as number);
      }
    }
  };

/**
 * Counts integers of a word in even bins whose width is a power of two. What has the highest edge counts as another bin. Offsets from the
 * lowest edge are at most `most`.
 */
function countByShift(words: Int32Array, low: number, most: number, shift: number, sums: Int32Array): void {
  const sign = -0x80000000;
  const last = most ^ sign;
  const first = low | 0;
  for (let at = 0; at < words.length; at++) {
    const offset = ((words[at] as number) - first) | 0;
    if ((offset ^ sign) <= last) {
      const bin = offset >>> shift;
      sums[bin] = (sums[bin] as number) + 1;
    }
  }
}

/** The same in even bins of any width, where all products are exact. */
function countEven(words: Int32Array, low: number, most: number, span: number, sums: Int32Array): void {
  const count = sums.length - 1;
  const last = most >>> 0;
  const first = low | 0;
  for (let at = 0; at < words.length; at++) {
    const offset = ((words[at] as number) - first) >>> 0;
    if (offset <= last) {
      const bin = ((offset * count) / span) >>> 0;
      sums[bin] = (sums[bin] as number) + 1;
    }
  }
}

/** The same for a call; undefined for other elements and bins. */
function countedEven({ type, numbers }: CpuArray, { count, whole }: Bins): Numbers | undefined {
  const { bytes, kind, lowest, greatest } = type as ScalarType;
  if (whole === undefined || bytes !== 4 || kind === "float") {
    return undefined;
  }
  const low = Number(whole.low);
  const span = Number(whole.high - whole.low);
  const shift = Math.log2(span / count);
  const isPower = shift >= 0 && shift < 32 && count * 2 ** shift === span && Number.isInteger(shift);
  // Within the type's range, offsets from the lowest edge are those of the words, modulo 2^32.
  const isIn = low >= (lowest as number) && low + span <= (greatest as number) + 1;
  if (!isIn || !(isPower || isExact(low, span, count))) {
    return undefined;
  }
  const words = bitsOf(numbers) as Int32Array;
  const sums = new Int32Array(count + 1);
  // No element has an edge past the type's range: the lowest one of the type would be as far from the lowest edge, modulo 2^32.
  const most = low + span > (greatest as number) ? span - 1 : span;
  if (isPower) {
    countByShift(words, low, most, shift, sums);
  } else {
    countEven(words, low, most, span, sums);
  }
  sums[count - 1] = (sums[count - 1] as number) + (sums[count] as number);
  return new Uint32Array(sums.buffer, 0, count);
}

/** Counts numbers in bins between edges, as {@link guessBins} finds them. Those outside of all count as another bin. */
function countBetween(
  doubles: Float64Array,
  items: number,
  edges: Float64Array,
  { below, step }: Guess,
  sums: Int32Array,
): void {
  const first = edges[0] as number;
  // Computed here, they stay doubles: numbers that are given would be looked at in each turn.
  const origin = first - below;
  const scale = 1 / step;
  const end = edges[edges.length - 1] as number;
  for (let at = 0; at < items; at++) {
    const number = doubles[at] as number;
    let bin = 0;
    if (number >= first && number < end) {
      bin = ((number - origin) * scale) | 0;
      if (!((edges[bin] as number) <= number)) {
        bin = binAmong(edges, number);
      }
    } else {
      bin = binAmong(edges, number);
    }
    sums[bin] = (sums[bin] as number) + 1;
  }
}

/** The same for a call; undefined for other elements and bins. */
function countedBetween(data: CpuArray, { count, whole, edges, step }: Bins): Numbers | undefined {
  if (whole !== undefined || edges === undefined || isWide(data)) {
    return undefined;
  }
  const places = doublesOf(edges());
  const guess = guessOf(places, step);
  if (guess === undefined) {
    return undefined;
  }
  const sums = new Int32Array(count + 1);
  // In a function that `eachBlock` calls, the loop takes a quarter longer.
  const { doubles, read } = blocksOf(data);
  for (let from = 0; from < data.length; from += BLOCK) {
    countBetween(doubles, read(from), places, guess, sums);
  }
  return new Uint32Array(sums.buffer, 0, count);
}

/** The sums of bins that a text gives, if one loop finds the bins and adds to them; undefined for others. */
async function addedByText(
  data: CpuArray,
  { text }: Bins,
  { added, result }: Sums,
  addedToBins: CpuCall["addedToBins"],
): Promise<Numbers | undefined> {
  const isAdded = text !== undefined && added && (await addedToBins(text, data, added.sums, added.weights));
  return isAdded ? result() : undefined;
}

/** Puts bins behind those of the channels before an element's own. */
const inChannels =
  (take: TakeBins, count: number, channels: number, channelOf: (index: number) => number): TakeBins =>
  (bins, from, items) => {
    // The numbers may be the caller's elements.
    const placed = new Uint32Array(items);
    for (let at = 0; at < items; at++) {
      const bin = bins[at] as number;
      const channel = channelOf(from + at);
      placed[at] = bin < count && channel < channels ? channel * count + bin : count * channels;
    }
    take(placed, from, items);
  };

/** How many elements fall in each bin, or what their weights are combined to. Sums of f32 are computed as doubles, and rounded at the end. */
export const histogram: OnCpu = async ({ arrays, request, mapped, addedToBins }) => {
  const data = arrays.data as CpuArray;
  const { y } = arrays;
  const given = request.options as BinOptions;
  const { type, length } = data;
  const typeOfY = y?.type as ScalarType | undefined;
  const {
    bins,
    channels,
    y: binsOfY,
    count,
  } = requireBinned(given, type as ScalarType, typeOfY, request.title);
  const { weights } = arrays;
  const weighed = weights && requireWeights({ ...given, weights: weights.type }, request.title);
  const isPlain = binsOfY === undefined && channels === undefined;
  // One loop finds the bins, and counts.
  const counted =
    isPlain && bins.text === undefined && weights === undefined
      ? (countedEven(data, bins) ?? countedBetween(data, bins))
      : undefined;
  if (counted) {
    return [counted];
  }
  const sums = sumsOf(count, weights, weighed);
  const summed = isPlain ? await addedByText(data, bins, sums, addedToBins) : undefined;
  if (summed) {
    return [summed];
  }
  const { take, result } = sums;
  const numbers = new Uint32Array(binsOfY ? length : 0);
  const takeFirst: TakeBins = binsOfY
    ? (own, from, items) => numbers.set(own.subarray(0, items), from)
    : channels === undefined
      ? take
      : inChannels(take, bins.count, channels, (index) => index % channels);
  if (bins.text === undefined) {
    eachBin(data, bins, takeFirst);
  } else {
    const values = await mapped(bins.text, data, undefined, true);
    if (values === undefined) {
      return undefined;
    }
    takeFirst(wholeNumbers(values, bins.count), 0, length);
  }
  if (y && binsOfY) {
    eachBin(
      y,
      binsOfY,
      inChannels(take, binsOfY.count, bins.count, (index) => numbers[index] as number),
    );
  }
  const combined = await result();
  return combined && [combined];
};
