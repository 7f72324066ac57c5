import { requireMemory } from "../algebra/arrays.ts";
import type { Scalar, ScalarType } from "../algebra/types.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";

/** The options for the bins: `edges`; or `bins` and `range`; or `bins` and `bin`. */
export interface BinOptions {
  /** How many bins there are: a whole number from 1 up. */
  readonly bins?: number;
  /**
   * The lowest edge of `bins` even bins, and their highest, which is in the last bin. Of an integer type, both are whole
   * numbers, and a value falls in the bin of the number `floor((x - low) * bins / (high - low))`, computed exactly. Of a float
   * type, edge number `k` is `low + k * ((high - low) / bins)`, computed as a double and then rounded to the type.
   */
  readonly range?: readonly [low: Scalar, high: Scalar];
  /**
   * The edges of the bins, one more than there are bins, in ascending order, no two the same. A bin has its lower edge and not its upper one,
   * but the last bin has both. Edges of a float type are rounded to it.
   */
  readonly edges?: ArrayLike<Scalar>;
  /**
   * WGSL over an item's value `x` and its index `i` (u32) that gives the number of the item's bin: an expression of any scalar
   * type, or statements that end in `return` of a u32. A fraction is cut off, and then an item whose number is below 0, or `bins` or more, is
   * not counted. Whether one whose number is NaN is counted depends on the adapter. A literal above 2147483647 takes the suffix `u`.
   */
  readonly bin?: string;
}

/** The options for what bins are for: several channels, or two dimensions. */
export interface BinnedOptions {
  /**
   * How many channels take turns in the data: element `i` is of the channel `i % channels`, as the bytes of RGBA pictures are with 4. Each has bins of
   * its own. The result has those of the first channel, then those of the second one, and so on.
   */
  readonly channels?: number;
  /**
   * With `y`: how many bins there are for it. The result has the bins of `y` for the first bin of the data, then those for the second one, and so on.
   * Without `yBins`, `yRange` and `yEdges`, its bins are those of the data. The default is `bins`.
   */
  readonly yBins?: number;
  /** With `y`: as `range`, which is the default. */
  readonly yRange?: readonly [low: Scalar, high: Scalar];
  /** With `y`: as `edges`, in place of `yBins` and `yRange`. */
  readonly yEdges?: ArrayLike<Scalar>;
}

/** The bins of two dimensions, or of channels, as the data's bins and those beside them. */
export interface Binned {
  /** The bins of the data. */
  readonly bins: Bins;
  /** How many channels there are. */
  readonly channels?: number;
  /** The bins of `y`. */
  readonly y?: Bins;
  /** All bins together. */
  readonly count: number;
}

type Unchecked<Options> = { readonly [Name in keyof Options]?: unknown };

/**
 * Checks the options that say which bins there are, for channels and for two dimensions.
 *
 * @throws {ArgumentError}
 */
export function requireBinned(
  options: Unchecked<BinOptions & BinnedOptions>,
  type: ScalarType,
  typeOfY: ScalarType | undefined,
  title: string,
): Binned {
  const { channels, yBins, yRange, yEdges } = options;
  const [ofY] = Object.entries({ yBins, yRange, yEdges }).find(([, value]) => value !== undefined) ?? [];
  if (typeOfY === undefined && ofY !== undefined) {
    throw new ArgumentError(`${title}: ${ofY} is only for two dimensions; it takes y, too`, ofY);
  }
  if (typeOfY !== undefined && channels !== undefined) {
    throw new ArgumentError(`${title} takes channels or y, and not both`, "channels");
  }
  const own = requireBins(options, type, title);
  if (typeOfY === undefined) {
    if (channels === undefined) {
      return { bins: own, count: own.count };
    }
    if (typeof channels !== "number" || !Number.isInteger(channels) || channels < 1) {
      refuse(title, "channels", shown(channels), "a whole number from 1 up");
    }
    return { bins: own, channels, count: requireCount(channels * own.count, title) };
  }
  const y = requireBinsOfY(options, ofY, typeOfY, title);
  return { bins: own, y, count: requireCount(own.count * y.count, title) };
}

const namesOfY = { bins: "yBins", range: "yRange", edges: "yEdges" } as const;

/** The bins of `y`. `given` is an option that is for them. @throws {ArgumentError} that names the options of `y`. */
function requireBinsOfY(
  { bins, range, edges, yBins, yRange, yEdges }: Unchecked<BinOptions & BinnedOptions>,
  given: string | undefined,
  type: ScalarType,
  title: string,
): Bins {
  const even = {
    bins: yBins === undefined ? bins : yBins,
    range: yRange === undefined ? range : yRange,
  };
  const own =
    yEdges !== undefined
      ? { bins: yBins, range: yRange, edges: yEdges }
      : given
        ? even
        : { bins, range, edges };
  if (own.range === undefined && !("edges" in own && own.edges !== undefined)) {
    throw new ArgumentError(`${title}: y takes yEdges, or yBins and yRange`, given ?? "yBins");
  }
  try {
    return requireBins(own, type, title, "");
  } catch (cause) {
    if (!(cause instanceof ArgumentError) || given === undefined) {
      throw cause;
    }
    const named = (name: string): string => namesOfY[name as keyof typeof namesOfY] ?? name;
    throw new ArgumentError(
      cause.message.replace(/\b(?:bins|range|edges)\b/g, named),
      cause.option && named(cause.option),
    );
  }
}

/** @throws {ArgumentError} for more bins than a u32 counts. */
function requireCount(count: number, title: string): number {
  if (count > MOST_BINS) {
    refuse(title, "bins", `${count} together`, "at most 2^32 - 1");
  }
  return count;
}

/** Bins that were checked. */
export interface Bins {
  readonly count: number;
  /** The caller's WGSL. */
  readonly text?: string;
  /** Whole numbers that divide into even bins. */
  readonly whole?: { readonly low: bigint; readonly high: bigint };
  /** The edges, one more than bins: of a float type, as values of the type; of an integer type, as whole numbers or infinities. */
  readonly edges?: () => readonly Scalar[];
  /** The distance of neighbouring edges of a float type, if they are even. */
  readonly step?: number;
}

/** The most bins that a u32 counts. */
const MOST_BINS = 2 ** 32 - 1;

/**
 * Checks the options that say which bins there are. `others` is what messages say of bins that are numbered.
 *
 * @throws {ArgumentError}
 */
export function requireBins(
  { bins, range, edges, bin }: { readonly [Name in keyof BinOptions]?: unknown },
  type: ScalarType,
  title: string,
  others = ", or bins and bin",
): Bins {
  const given = Object.entries({ range, edges, bin })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  if (given.length !== 1 || (edges !== undefined && bins !== undefined)) {
    throw new ArgumentError(
      `${title} takes edges, or bins and range${others}; it was given ${
        [...(bins === undefined ? [] : ["bins"]), ...given].join(" and ") || "none of them"
      }`,
      given[0] ?? "bins",
    );
  }
  if (edges !== undefined) {
    const values = requireEdges(edges, type, title);
    return { count: values.length - 1, edges: () => values };
  }
  if (typeof bins !== "number" || !Number.isInteger(bins) || bins < 1 || bins > MOST_BINS) {
    refuse(title, "bins", shown(bins), "a whole number from 1 to 2^32 - 1");
  }
  return range === undefined
    ? { count: bins, text: bin as string }
    : { count: bins, ...requireRange(range, bins, type, title) };
}

const isScalar = (value: unknown): value is Scalar => typeof value === "number" || typeof value === "bigint";

/** The value, rounded to a float type. It is infinite only if the value is. */
function roundedTo(type: ScalarType, value: Scalar, name: string, title: string): number {
  const rounded = type.round(Number(value)) as number;
  if (Number.isNaN(rounded) || (!Number.isFinite(rounded) && Math.abs(Number(value)) !== Infinity)) {
    throw new ArgumentError(
      `${title}: ${name} is ${shown(value)}; no value of ${type.name} is near it`,
      name.replace(/\[.*/, ""),
    );
  }
  return rounded;
}

function requireRange(
  range: unknown,
  bins: number,
  type: ScalarType,
  title: string,
): Pick<Bins, "whole" | "edges" | "step"> {
  const { 0: low, 1: high, length } = Object(range) as ArrayLike<unknown>;
  const isNumber = (value: unknown): value is Scalar => typeof value === "bigint" || Number.isFinite(value);
  if (length !== 2 || !isNumber(low) || !isNumber(high) || !(low < high)) {
    const given = length === 2 ? shown([low, high]) : shown(range);
    refuse(title, "range", given, "two finite numbers, the lower one first");
  }
  if (type.kind !== "float") {
    if (!isWhole(low) || !isWhole(high)) {
      refuse(title, "range", shown([low, high]), `whole numbers, since the items are ${type.name}`);
    }
    const whole = { low: BigInt(low), high: BigInt(high) };
    return { whole, edges: () => wholeEdges(whole, bins) };
  }
  const first = Number(low);
  const last = Number(high);
  const step = (last - first) / bins;
  const ends = [roundedTo(type, low, "range", title), roundedTo(type, high, "range", title)] as const;
  if (!(ends[0] < ends[1]) || !Number.isFinite(step)) {
    refuse(
      title,
      "range",
      shown([low, high]),
      `two numbers that are apart as ${type.name}, and whose difference is finite`,
    );
  }
  // A call at hand makes them each time, and `Array.from` would take four times as long.
  const edges = (): number[] => {
    const made: number[] = [];
    for (let at = 0; at < bins; at++) {
      made.push(Math.min(type.round(first + at * step) as number, ends[1]));
    }
    made.push(ends[1]);
    return made;
  };
  return { edges, step };
}

const isWhole = (value: Scalar): boolean => typeof value === "bigint" || Number.isInteger(value);

/** The least whole number of each bin, and the highest edge. */
function wholeEdges({ low, high }: { readonly low: bigint; readonly high: bigint }, bins: number): bigint[] {
  const count = BigInt(bins);
  return Array.from({ length: bins + 1 }, (_, at) => low + (BigInt(at) * (high - low) + count - 1n) / count);
}

function requireEdges(edges: unknown, type: ScalarType, title: string): Scalar[] {
  requireMemory(title, "edges", edges);
  const { length } = Object(edges) as ArrayLike<unknown>;
  if (typeof edges !== "object" || typeof length !== "number" || length < 2 || length > MOST_BINS) {
    const given =
      typeof edges === "object" && typeof length === "number" ? `an array of ${length}` : shown(edges);
    refuse(title, "edges", given, "an array of at least two edges");
  }
  const values: Scalar[] = [];
  for (let at = 0; at < length; at++) {
    const { edge, before } = requireNextEdge(edges as ArrayLike<unknown>, at, title);
    const value =
      type.kind === "float"
        ? roundedTo(type, edge, `edges[${at}]`, title)
        : wholeEdge(edge, at === length - 1);
    // A number may equal a bigint.
    const isEqual = before !== undefined && !(before < edge);
    if (isEqual || (at > 0 && type.kind === "float" && value === values[at - 1])) {
      const same = isEqual
        ? `as is edges[${at - 1}]`
        : `and edges[${at - 1}] is ${shown(before)}, the same as ${type.name}`;
      throw new ArgumentError(
        `${title}: edges[${at}] is ${shown(edge)}, ${same}; a bin between them has no width`,
        "edges",
      );
    }
    values.push(value);
  }
  return values;
}

/** An edge, and the one before it, which was checked. @throws {ArgumentError} for an edge that is no number, or is lower than that. */
function requireNextEdge(
  edges: ArrayLike<unknown>,
  at: number,
  title: string,
): { readonly edge: Scalar; readonly before: Scalar | undefined } {
  const edge = edges[at];
  if (!isScalar(edge) || Number.isNaN(edge)) {
    throw new ArgumentError(`${title}: edges[${at}] is ${shown(edge)}; it takes a number`, "edges");
  }
  const before = (edges as ArrayLike<Scalar>)[at - 1];
  if (at > 0 && before !== undefined && edge < before) {
    throw new ArgumentError(
      `${title}: edges[${at}] is ${shown(edge)}, and edges[${at - 1}] is ${shown(before)}; edges are in ascending order`,
      "edges",
    );
  }
  return { edge, before };
}

/** The least whole number from an edge on; of the highest edge, the greatest up to it. */
const wholeEdge = (edge: Scalar, isLast: boolean): Scalar =>
  typeof edge === "bigint" || !Number.isFinite(edge)
    ? edge
    : BigInt(isLast ? Math.floor(edge) : Math.ceil(edge));
