import { valuesOf } from "../algebra/array_values.ts";
import type { NameOf, ScalarArray, ValueIn, WideArray } from "../algebra/arrays.ts";
import type { Operator } from "../algebra/monoid.ts";
import type { ElementType, Scalar, WideName } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import { requireOptions } from "../options.ts";
import type { WeighedOptions, Weights } from "../plan/bin_weights.ts";
import { requireWeights } from "../plan/bin_weights.ts";
import type { BinnedOptions, BinOptions, Bins } from "../plan/bins.ts";
import { requireBinned } from "../plan/bins.ts";
import { requireScalar } from "../plan/require_scalar.ts";
import { numberUpTo, typeOfArray } from "./items.ts";
import { scatterReference } from "./moves.ts";
import { resultsOver } from "./texts.ts";

/** Which bins there are: `edges`; or `bins` and `range`; or `bins` and `bin`. */
export interface ReferenceBins<A extends ScalarArray> extends Omit<BinOptions, "bin">, BinnedOptions {
  /**
   * The number of an element's bin, from its value and its index. A fraction is cut off. An element is not counted if the number is below
   * 0, `bins` or more, or NaN. Or WGSL over `x` and `i`, as the call itself takes it.
   */
  readonly bin?: ((value: ValueIn<A>, index: number) => number) | string;
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<NameOf<A>>;
}

const names = {
  bins: true,
  range: true,
  edges: true,
  bin: true,
  channels: true,
  y: true,
  yBins: true,
  yRange: true,
  yEdges: true,
  weights: true,
  op: true,
  type: true,
} as const;

/**
 * What a histogram means, on the CPU.
 *
 * @returns how many elements fall in each bin; with `weights`, what these are combined to, in an array like that of the weights. Sums of f32 are
 * computed as doubles, and rounded at the end.
 * @throws {ArgumentError} as the histogram itself.
 *
 * @example
 * ```ts
 * histogramReference(Uint32Array.of(3, 1, 7, 8, 1), { bins: 4, range: [0, 8] }); // 2 1 0 2
 * histogramReference(Uint32Array.of(0, 9, 1, 9), { bins: 2, range: [0, 10], channels: 2 }); // 2 0 0 2
 * ```
 */
export function histogramReference<A extends ScalarArray, W extends ScalarArray = Uint32Array>(
  data: A,
  options: ReferenceBins<A> &
    WeighedOptions<WideName<NameOf<W>>> & {
      /** What each element adds to its bin. The default is 1. */
      readonly weights?: W;
      /** The second dimension: a value for each element. */
      readonly y?: ScalarArray;
    },
): WideArray<W> {
  const caller = "histogramReference";
  requireOptions(caller, options, names);
  const type = requireScalar(typeOfArray(data, options.type, caller), caller, "data");
  const { bin, weights } = options;
  const given =
    bin === undefined ? undefined : resultsOver(bin, { array: data, type }, { caller, option: "bin" });
  const { y } = options;
  const typeOfY =
    y === undefined ? y : requireScalar(typeOfArray(y, undefined, caller, "type", "y"), caller, "y");
  const { bins, channels = 1, y: binsOfY, count } = requireBinned(options, type, typeOfY, caller);
  const typeOfWeights =
    weights === undefined ? weights : typeOfArray(weights, undefined, caller, "type", "weights");
  const weighed = requireWeights({ ...options, weights: typeOfWeights }, caller);
  if (weights !== undefined && weights.length !== data.length) {
    throw new ArgumentError(
      `${caller}: ${weights.length} weights for ${data.length} elements; it takes one for each`,
      "weights",
    );
  }
  if (y !== undefined && y.length !== data.length) {
    throw new ArgumentError(
      `${caller}: ${y.length} of y for ${data.length} elements; it takes one for each`,
      "y",
    );
  }
  const read = valuesOf(data, type) as (index: number) => Scalar;
  const find = given === undefined ? finderOf(bins) : undefined;
  const firstOf = (index: number): number =>
    find === undefined ? numberUpTo(bins.count, given?.(index)) : find(read(index));
  const findY = binsOfY && finderOf(binsOfY);
  const readY = y && typeOfY && (valuesOf(y, typeOfY) as (index: number) => Scalar);
  const binOf = (index: number): number => {
    const first = firstOf(index);
    if (first >= bins.count) {
      return count;
    }
    if (binsOfY === undefined || findY === undefined || readY === undefined) {
      return (index % channels) * bins.count + first;
    }
    const second = findY(readY(index));
    return second < binsOfY.count ? first * binsOfY.count + second : count;
  };
  const places = Uint32Array.from({ length: data.length }, (_, index) => binOf(index));
  if (weights === undefined || weighed === undefined) {
    const counts = new Uint32Array(count + 1);
    for (const place of places) {
      counts[place] = (counts[place] as number) + 1;
    }
    return counts.slice(0, count) as WideArray<W>;
  }
  return weighedReference(weights, weighed, places, count) as WideArray<W>;
}

/** What the weights of each bin are combined to. They go to the places of the bins, and those of no bin have the place behind the last one. */
function weighedReference(
  weights: ScalarArray,
  { type, itemType, op, areFloatSums }: Weights,
  places: Uint32Array,
  length: number,
): ScalarArray {
  if (areFloatSums) {
    const doubles = Float64Array.from(weights as Float32Array);
    const sums = scatterReference(doubles, places, { length, op: op as Operator<"f64"> });
    return Float32Array.from(sums);
  }
  const wide =
    type === itemType
      ? weights
      : (type.name === "u32" ? Uint32Array : Int32Array).from(weights as Uint8Array);
  return scatterReference(wide, places, { length, op: op as Operator<string> });
}

/** A function that finds a value's bin; it is the number of bins for a value outside of all. */
function finderOf({ count, whole, edges }: Bins): (value: Scalar) => number {
  if (whole !== undefined) {
    const { low, high } = whole;
    return (value) => {
      const exact = BigInt(value);
      return exact < low || exact > high
        ? count
        : Math.min(Number(((exact - low) * BigInt(count)) / (high - low)), count - 1);
    };
  }
  const all = edges?.() ?? [];
  const first = all[0] as Scalar;
  const last = all[count] as Scalar;
  return (value) => {
    // Not a number is not in any bin.
    if (!(value >= first && value <= last)) {
      return count;
    }
    // All edges up to `from` are at most the value, and those from `to` on are above it.
    let [from, to] = [0, count];
    while (to - from > 1) {
      const middle = (from + to) >> 1;
      if ((all[middle] as Scalar) <= value) {
        from = middle;
      } else {
        to = middle;
      }
    }
    return from;
  };
}
