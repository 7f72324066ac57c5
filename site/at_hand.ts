import type { ScalarArray } from "../src/algebra/arrays.ts";
import { roundingOf } from "../src/algebra/rounding.ts";
import type { Scalar } from "../src/algebra/types.ts";
import type { Fold, Operator, ScalarType, Segments, TypeName } from "../src/index.ts";
import { ArgumentError, add, elementTypes } from "../src/index.ts";
import {
  argMaxReference,
  argMinReference,
  argSortReference,
  expandRunsReference,
  histogramReference,
  partitionReference,
  reduceReference,
  runLengthsReference,
  scanReference,
  searchSortedReference,
  sortReference,
  topKReference,
  uniqueReference,
} from "../src/reference/index.ts";
import type { Choice, ChosenSegments } from "./choices.ts";
import { isByKeys } from "./choices.ts";
import { arrayOf, readerOf, show } from "./data.ts";
import type { Verdict } from "./verify.ts";
import { greatest, leastNormals, units } from "./verify.ts";

/** One of the arrays that a call gives. */
export interface Output {
  readonly name: string;
  readonly type: TypeName;
  readonly data: ScalarArray;
}

const keyArrays = { u32: Uint32Array, i32: Int32Array, f32: Float32Array } as const;

/** A bit for each flag, 32 in a word, the lowest first. */
function bitsOf(flags: Uint32Array): Uint32Array {
  const words = new Uint32Array(Math.ceil(flags.length / 32));
  flags.forEach((flag, at) => {
    words[at >>> 5] = (words[at >>> 5] ?? 0) | (Number(flag !== 0) << (at & 31));
  });
  return words;
}

/** The segments of data of a type. Keys that are computed are computed here, by the CPU. */
export function segmentsFor(chosen: ChosenSegments, data: ScalarArray, type: TypeName): Segments {
  const { sqrt, floor, ceil, min } = Math;
  const { length } = data;
  switch (chosen.kind) {
    case "rows":
      return { rows: chosen.rows };
    case "columns":
      return { columns: chosen.columns };
    case "heads":
    case "headBits": {
      const heads = Uint32Array.from(
        chosen.typed ?? Array.from({ length }, (_, at) => Number(Number.isInteger(sqrt(at)))),
      );
      return chosen.kind === "heads" ? { heads } : { headBits: bitsOf(heads) };
    }
    case "offsets":
      return {
        offsets:
          chosen.typed ??
          Uint32Array.from({ length: ceil(sqrt(length)) + 1 }, (_, at) => min(at * at, length)),
      };
    case "keys":
      return { keys: Uint32Array.from(chosen.typed ?? Array.from({ length }, (_, at) => floor(sqrt(at)))) };
    case "key": {
      const read = readerOf(data, type);
      const keys = new keyArrays[chosen.keyType](length);
      for (let at = 0; at < length; at++) {
        keys[at] = chosen.keyOf(read(at));
      }
      return { keys };
    }
    default:
      return chosen satisfies never;
  }
}

/** The most items that the page writes out. */
const MOST_ITEMS = 2 ** 22;

/** How many items each of `length` runs has. @throws {ArgumentError} if these are more than the page writes out. */
function countsFor({ counts }: Choice, length: number): Uint32Array<ArrayBuffer> {
  const all = Uint32Array.from(counts ?? Array.from({ length }, (_, at) => at % 4));
  const items = all.reduce((sum, count) => sum + count, 0);
  if (items > MOST_ITEMS) {
    throw new ArgumentError(`The counts add up to ${items}; the page writes out ${MOST_ITEMS} items at most`);
  }
  return all;
}

/** What the page searches: the elements in order. */
export const sortedData = ({ type }: Choice, data: ScalarArray): ScalarArray =>
  sortReference(data as Uint32Array, { type: elementTypes[type] as never });

/** The options that say which bins there are. */
function binsOf({ edges, bins, number, range }: Choice, place: "gpu" | "cpu"): object {
  return edges !== undefined
    ? { edges }
    : number === undefined
      ? { bins, range }
      : { bins, bin: place === "gpu" ? number.text : number.numberOf };
}

/** The options of the call, on the GPU or on the CPU. */
function optionsOf(choice: Choice, data: ScalarArray, place: "gpu" | "cpu"): object {
  const { primitive, type, op, segments, exclusive, predicate, descending, key, number, classes } = choice;
  const byKey = key && {
    key: place === "gpu" ? key.key : (value: never) => key.keyOf(value),
    keyType: elementTypes[key.keyType],
  };
  const bySegments = segments && {
    op,
    segments:
      place === "gpu" && segments.kind === "key"
        ? { key: segments.key, keyType: elementTypes[segments.keyType] }
        : segmentsFor(segments, data, type),
  };
  const ofEach: Partial<Record<Choice["primitive"], object>> = {
    scan: { ...bySegments, exclusive },
    reduce: { ...bySegments },
    partition:
      classes === undefined
        ? { where: predicate?.where }
        : { classes, ...(place === "gpu" && { class: number?.text }) },
    histogram: {
      ...binsOf(choice, place),
      ...(choice.weights && { weights: choice.weights.data }),
    },
    sort: { descending },
    argSort: { descending },
    unique: { ...byKey, indices: choice.indices },
    runLengths: { ...byKey },
    searchSorted: { side: choice.behind ? "right" : "left" },
  };
  return { ...(type === "f16" && { type: elementTypes.f16 }), ...ofEach[primitive] };
}

/** What a call or its reference gives, as arrays with names. */
function outputsOf(
  { primitive, type, segments, indices, classes, weights }: Choice,
  result: unknown,
): Output[] {
  const part = (name: string, of: TypeName = type): Output => ({
    name,
    type: of,
    data: (result as Record<string, ScalarArray>)[name] as ScalarArray,
  });
  const whole = (name: string, of: TypeName = type): Output[] => [
    { name, type: of, data: result as ScalarArray },
  ];
  switch (primitive) {
    case "scan":
      return whole("prefixes");
    case "reduce":
      return segments !== undefined && isByKeys(segments)
        ? [part("keys", segments.kind === "key" ? segments.keyType : "u32"), part("values")]
        : whole("totals");
    case "compact":
      return whole("kept");
    case "unique":
      return indices ? whole("positions", "u32") : whole("values");
    case "runLengths":
      return [part("values"), part("counts", "u32")];
    case "expandRuns":
      return whole("items");
    case "partition": {
      if (classes !== undefined) {
        return [part("values"), part("offsets", "u32")];
      }
      const { count } = result as { readonly count: number };
      return [part("values"), { name: "count", type: "u32", data: Uint32Array.of(count) }];
    }
    case "histogram":
      return weights === undefined ? whole("counts", "u32") : whole("sums", weights.type);
    case "sort":
      return whole("sorted");
    case "argSort":
      return whole("positions", "u32");
    case "topK":
      return [part("values"), part("indices", "u32")];
    case "argMin":
    case "argMax": {
      const { value, index } = result as { readonly value: Scalar; readonly index: number };
      return [
        { name: "value", type, data: arrayOf(type, 1, () => value) },
        { name: "at index", type: "u32", data: Uint32Array.of(index) },
      ];
    }
    case "searchSorted":
      return whole("places", "u32");
    default:
      return primitive satisfies never;
  }
}

type Call = (data: ScalarArray, ...rest: readonly unknown[]) => Promise<unknown>;

/** Calls the primitive on the GPU, from array to arrays. */
export async function callOnGpu(fold: Fold, choice: Choice, data: ScalarArray): Promise<Output[]> {
  const calls = fold as Record<Choice["primitive"], Call>;
  const options = optionsOf(choice, data, "gpu");
  const beside: Partial<Record<Choice["primitive"], () => unknown>> = {
    topK: () => choice.k,
    expandRuns: () => countsFor(choice, data.length),
    searchSorted: () => choice.wanted,
  };
  const second = beside[choice.primitive]?.();
  const result = await calls[choice.primitive](data, ...(second === undefined ? [] : [second]), options);
  return outputsOf(choice, result);
}

/** The same on the CPU, by `wavefold/reference`. */
export function callOnCpu(choice: Choice, data: ScalarArray): Output[] {
  const { primitive, predicate, k } = choice;
  // The arrays are of any type; the references' own are of one.
  const array = data as Uint32Array;
  const type = elementTypes[choice.type] as ScalarType;
  const { where: _, ...others } = optionsOf(choice, data, "cpu") as { readonly where?: string };
  const options = { ...others, type } as { readonly type: never };
  const keep = (predicate?.keep ?? (() => true)) as (value: number, index: number) => boolean;
  const result = {
    scan: () => scanReference(array, options),
    reduce: () => reduceReference(array, options),
    compact: () => partitionReference(array, keep, options),
    unique: () => uniqueReference(array, options),
    runLengths: () => runLengthsReference(array, options),
    expandRuns: () => expandRunsReference(array, countsFor(choice, data.length)),
    partition: () =>
      choice.classes === undefined || choice.number === undefined
        ? partitionReference(array, keep, options)
        : partitionReference(array, choice.number.numberOf, { ...options, classes: choice.classes }),
    histogram: () => histogramReference(array, options as never),
    sort: () => sortReference(array, options),
    argSort: () => argSortReference(array, options),
    topK: () => topKReference(array, k, options),
    argMin: () => argMinReference(array, options),
    argMax: () => argMaxReference(array, options),
    searchSorted: () => searchSortedReference(array, choice.wanted as Uint32Array, options),
  }[primitive]();
  return outputsOf(choice, result);
}

const counted = (count: number, what: string): string =>
  `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

/** How the sums or products of a call are rounded. */
function roundingIn({ type, op, own, segments, weights }: Choice): ReturnType<typeof roundingOf> | "own" {
  if (weights !== undefined) {
    return roundingOf(add as Operator, elementTypes[weights.type]);
  }
  const scalar = elementTypes[type] as ScalarType;
  if (segments === undefined) {
    return "none";
  }
  return own === undefined ? roundingOf(op as Operator, scalar) : scalar.kind === "float" ? "own" : "none";
}

/** Compares every element of every array: bit for bit, or the sums of floats within a bound. */
export function verifyOutputs(
  choice: Choice,
  data: ScalarArray,
  actual: readonly Output[],
  expected: readonly Output[],
): Verdict {
  const rounding = roundingIn(choice);
  let values = 0;
  for (const [at, { name, type, data: wanted }] of expected.entries()) {
    const found = actual[at]?.data;
    if (found === undefined || found.length !== wanted.length) {
      return {
        ok: false,
        text: `The GPU gives ${counted(found?.length ?? 0, "element")} as ${name}, and the CPU ${wanted.length.toLocaleString("en")}.`,
      };
    }
    values += wanted.length;
    if (rounding !== "none" && ["prefixes", "totals", "values", "sums"].includes(name)) {
      continue;
    }
    const [gpu, cpu] = [readerOf(found, type), readerOf(wanted, type)];
    for (let index = 0; index < wanted.length; index++) {
      if (!Object.is(gpu(index), cpu(index))) {
        return {
          ok: false,
          text: `At ${index} of ${name} the GPU has ${String(gpu(index))}, and the CPU ${String(cpu(index))}.`,
        };
      }
    }
  }
  const count = counted(values, "value");
  if (rounding === "none") {
    return { ok: true, text: `${count}: each the same on the GPU and on the CPU, bit for bit.` };
  }
  const sums = actual.at(-1) as Output;
  const theirs = expected.at(-1) as Output;
  return rounding === "own"
    ? {
        ok: undefined,
        text: `${count}, which the CPU computes, too. WGSL leaves the rounding of floats open, so no bound is known for an operator of your own.`,
      }
    : choice.weights !== undefined
      ? weightsWithinBound(choice, data, sums.data, theirs.data, count)
      : withinBound(choice, data, sums.data, theirs.data, count);
}

/** Whether a segment starts with an item. Of columns, those of a row are told from those of the row before. */
export function isStartIn(segments: Segments): (at: number) => boolean {
  if ("offsets" in segments) {
    const offsets = new Set(Array.from(segments.offsets));
    return (at) => offsets.has(at);
  }
  if ("heads" in segments) {
    const { heads } = segments;
    return (at) => at === 0 || Boolean(heads[at]);
  }
  if ("headBits" in segments) {
    const { headBits } = segments;
    return (at) => at === 0 || (((headBits[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1;
  }
  if ("keys" in segments) {
    const keys = segments.keys as Uint32Array;
    return (at) => at === 0 || !Object.is(keys[at], keys[at - 1]);
  }
  const items = "rows" in segments ? segments.rows : "columns" in segments ? segments.columns : 1;
  return (at) => at % items === 0;
}

/** The items of a segment: every `step` items, from `from` on, and before `to`. */
interface Items {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** The items of each segment. */
function itemsOf(segments: Segments, length: number): Items[] {
  if ("columns" in segments) {
    const { columns } = segments;
    return Array.from({ length: columns }, (_, from) => ({ from, to: length, step: columns }));
  }
  const isStart = isStartIn(segments);
  const borders =
    "offsets" in segments
      ? Array.from(segments.offsets)
      : [...Array.from({ length }, (_, at) => at).filter(isStart), length];
  return borders.slice(1).map((to, at) => ({ from: borders[at] as number, to, step: 1 }));
}

/** Compares sums or products with what they should be. */
interface BoundCheck {
  /** What to say if a result is off by more than its operations allow, or no bound is known. */
  check(at: number, wanted: number, magnitude: number, operations: number): Verdict | undefined;
  /** What to say if none is. */
  verdict(): Verdict;
}

/**
 * Checks against the bound for n operations in any order: n · u / (1 − n · u) of the sum of the magnitudes, and `least` more. Higham,
 * Accuracy and Stability of Numerical Algorithms, section 4.2.
 */
function boundCheck(
  type: TypeName,
  actual: ScalarArray,
  { unit, least, of }: { readonly unit: number; readonly least: number; readonly of: string },
  count: string,
): BoundCheck {
  const gpu = readerOf(actual, type);
  let worst = 0;
  return {
    check(at, wanted, magnitude, operations) {
      const off = Math.abs(Number(gpu(at)) - wanted);
      const part = operations * unit;
      if (part >= 0.5) {
        return {
          ok: undefined,
          text: `${count}. A ${of} has ${counted(operations, "element")}: for sums of that many ${type} no bound is known.`,
        };
      }
      const bound = (part / (1 - part)) * magnitude + least;
      // What may overflow, or is no number, is off by nothing that could be told.
      if (!(magnitude + bound < (greatest[type] ?? Infinity))) {
        return undefined;
      }
      worst = Math.max(worst, off);
      return off <= bound
        ? undefined
        : {
            ok: false,
            text: `At ${at} the GPU has ${show(gpu(at))}, which is ${off.toPrecision(2)} from ${show(wanted)}, and the bound is ${bound.toPrecision(2)}.`,
          };
    },
    verdict: () => ({
      ok: true,
      text: `${count}, each within the bound that rounding allows; at most ${worst.toPrecision(2)} off.`,
    }),
  };
}

/** Whether the sums of a histogram's weights, of f32 in any order, are within their bound. */
function weightsWithinBound(
  choice: Choice,
  data: ScalarArray,
  actual: ScalarArray,
  expected: ScalarArray,
  count: string,
): Verdict {
  const { weights: _, ...bins } = optionsOf(choice, data, "cpu") as { readonly weights?: Float32Array };
  const type = elementTypes[choice.type];
  const histogramOf = (weights?: Float32Array): ArrayLike<number> =>
    histogramReference(data, { ...bins, type, ...(weights && { weights }) } as never);
  const [items, magnitudes] = [
    histogramOf(),
    histogramOf(Float32Array.from(choice.weights?.data as Float32Array, Math.abs)),
  ];
  const { check, verdict } = boundCheck("f32", actual, { unit: units.f32 ?? 0, least: 0, of: "bin" }, count);
  for (let bin = 0; bin < expected.length; bin++) {
    // The CPU's sum is rounded once.
    const wrong = check(bin, Number(expected[bin]), magnitudes[bin] ?? 0, (items[bin] ?? 0) + 1);
    if (wrong !== undefined) {
      return wrong;
    }
  }
  return verdict();
}

/** Whether the sums or products of segments are within their bound. */
function withinBound(
  { type, op, segments, primitive, exclusive }: Choice,
  data: ScalarArray,
  actual: ScalarArray,
  expected: ScalarArray,
  count: string,
): Verdict {
  const [cpu, read] = [readerOf(expected, type), readerOf(data, type)];
  const isProduct = op.name === "mul";
  // Doubles are exact enough for the sums of shorter floats; for f64, the CPU's sums are off by as much.
  const [unit, exact] = type === "f64" ? [2 * 2 ** -53, false] : [units[type] ?? 0, true];
  const all = itemsOf(segmentsFor(segments as ChosenSegments, data, type), data.length);
  const least = isProduct ? (leastNormals[type] ?? 0) : 0;
  const bound = boundCheck(type, actual, { unit, least, of: "segment" }, count);
  const check = (at: number, sum: number, magnitude: number, operations: number): Verdict | undefined =>
    bound.check(at, exact ? sum : Number(cpu(at)), magnitude, operations);
  for (const [segment, { from, to, step }] of all.entries()) {
    let [sum, magnitude] = isProduct ? [1, 1] : [0, 0];
    let items = 0;
    for (let at = from; at < to; at += step) {
      const before = primitive === "scan" && exclusive ? check(at, sum, magnitude, items) : undefined;
      items++;
      const value = Number(read(at));
      sum = isProduct ? sum * value : sum + value;
      magnitude = isProduct ? Math.abs(sum) : magnitude + Math.abs(value);
      const after = primitive === "scan" && !exclusive ? check(at, sum, magnitude, items) : undefined;
      const wrong = before ?? after;
      if (wrong !== undefined) {
        return wrong;
      }
    }
    const wrong = primitive === "reduce" ? check(segment, sum, magnitude, items) : undefined;
    if (wrong !== undefined) {
      return wrong;
    }
  }
  return bound.verdict();
}
