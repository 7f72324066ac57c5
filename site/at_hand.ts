import type { ScalarArray } from "../src/algebra/arrays.ts";
import { roundingOf } from "../src/algebra/rounding.ts";
import type { Scalar } from "../src/algebra/types.ts";
import type { Fold, Operator, ScalarType, Segments, TypeName } from "../src/index.ts";
import { add, elementTypes } from "../src/index.ts";
import { sortReference } from "../src/reference/index.ts";
import type { Choice, ChosenSegments } from "./choices.ts";
import { primitives } from "./choices.ts";
import { arrayOf, readerOf, show } from "./data.ts";
import type { Beside, Call, DescribedChoice, Output } from "./described.ts";
import { onCpu, onGpu, referenceOf } from "./described.ts";
import type { Verdict } from "./verify.ts";
import { greatest, leastNormals, units } from "./verify.ts";

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

/** What the page searches: the elements in order. */
export const sortedData = (type: TypeName, data: ScalarArray): ScalarArray =>
  sortReference(data as Uint32Array, { type: elementTypes[type] as never });

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
      place === "cpu"
        ? { classes }
        : classes === undefined
          ? { where: predicate?.where }
          : { classes, class: number?.text },
    sort: { descending },
    argSort: { descending },
    unique: { ...byKey, indices: choice.indices },
    runLengths: { ...byKey },
  };
  return { type: elementTypes[type], ...ofEach[primitive] };
}

/** Results that are u32, whatever the elements are. */
const ofU32: readonly string[] = ["positions", "counts", "offsets", "count", "index"];

/** What a call or its reference gives, as arrays with names. */
function outputsOf({ primitive, type, segments, indices }: Choice, result: unknown): Output[] {
  const name = primitive === "reduce" ? "totals" : indices ? "positions" : primitives[primitive];
  const all = ArrayBuffer.isView(result) ? { [name]: result } : (result as object);
  const keyType = segments?.kind === "key" ? segments.keyType : "u32";
  return Object.entries(all).map(([name, value]: [string, ScalarArray | Scalar]) => {
    const of = ofU32.includes(name) ? "u32" : name === "keys" ? keyType : type;
    return { name, type: of, data: typeof value === "object" ? value : arrayOf(of, 1, () => value) };
  });
}

/** Calls the primitive on the GPU, from array to arrays. */
export async function callOnGpu(fold: Fold, choice: Choice, data: ScalarArray): Promise<Output[]> {
  if (choice.described !== undefined) {
    return onGpu(fold, choice.described, data);
  }
  const call = fold[choice.primitive] as Call;
  return outputsOf(choice, await call.call(fold, data, optionsOf(choice, data, "gpu")));
}

/** The same on the CPU, by `wavefold/reference`. */
export function callOnCpu(choice: Choice, data: ScalarArray): Output[] {
  if (choice.described !== undefined) {
    return onCpu(choice.described, data);
  }
  const { primitive, predicate, number } = choice;
  const functions = primitive === "partition" ? [number?.numberOf ?? predicate?.keep] : [];
  return outputsOf(choice, referenceOf(primitive)(data, ...functions, optionsOf(choice, data, "cpu")));
}

const counted = (count: number, what: string): string =>
  `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

/** How the sums or products of a call are rounded. */
function roundingIn({ type, op, own, segments }: Choice): ReturnType<typeof roundingOf> | "own" {
  const scalar = elementTypes[type] as ScalarType;
  if (segments === undefined) {
    return "none";
  }
  return own === undefined ? roundingOf(op as Operator, scalar) : scalar.kind === "float" ? "own" : "none";
}

/** What to say of the first element that differs, of arrays that are compared bit for bit. */
function differenceIn(
  actual: readonly Output[],
  expected: readonly Output[],
  isRounded: (name: string) => boolean,
): Verdict | undefined {
  for (const [at, { name, type, data: wanted }] of expected.entries()) {
    const found = actual[at]?.data;
    if (found === undefined || found.length !== wanted.length) {
      return {
        ok: false,
        text: `The GPU gives ${counted(found?.length ?? 0, "element")} as ${name}, and the CPU ${wanted.length.toLocaleString("en")}.`,
      };
    }
    const [gpu, cpu] = [readerOf(found, type), readerOf(wanted, type)];
    for (let index = 0; index < wanted.length && !isRounded(name); index++) {
      if (!Object.is(gpu(index), cpu(index))) {
        return {
          ok: false,
          text: `At ${index} of ${name} the GPU has ${String(gpu(index))}, and the CPU ${String(cpu(index))}.`,
        };
      }
    }
  }
  return undefined;
}

const valuesIn = (outputs: readonly Output[]): string =>
  counted(
    outputs.reduce((sum, { data }) => sum + data.length, 0),
    "value",
  );
const allSame = (outputs: readonly Output[]): Verdict => ({
  ok: true,
  text: `${valuesIn(outputs)}: each the same on the GPU and on the CPU, bit for bit.`,
});

/** Compares every element of every array: bit for bit, or the sums of floats within a bound. */
export function verifyOutputs(
  choice: Choice,
  data: ScalarArray,
  actual: readonly Output[],
  expected: readonly Output[],
): Verdict {
  if (choice.described !== undefined) {
    return verifyDescribed(choice.described, data, actual, expected);
  }
  const rounding = roundingIn(choice);
  const isRounded = (name: string): boolean =>
    rounding !== "none" && ["prefixes", "totals", "values"].includes(name);
  const difference = differenceIn(actual, expected, isRounded);
  if (difference !== undefined || rounding === "none") {
    return difference ?? allSame(expected);
  }
  const sums = actual.at(-1) as Output;
  const theirs = expected.at(-1) as Output;
  return rounding === "own"
    ? {
        ok: undefined,
        text: `${valuesIn(expected)}, which the CPU computes, too. WGSL leaves the rounding of floats open, so no bound is known for an operator of your own.`,
      }
    : withinBound(choice, data, sums.data, theirs.data, valuesIn(expected));
}

/** The same for a primitive that is described. */
function verifyDescribed(
  choice: DescribedChoice,
  data: ScalarArray,
  actual: readonly Output[],
  expected: readonly Output[],
): Verdict {
  const operandOf = (name: string): string | undefined => choice.described.help.sums?.[name];
  const isRounded = (name: string): boolean => {
    const type = choice.arrays[operandOf(name) ?? ""]?.type;
    return type !== undefined && roundingOf(add as Operator, elementTypes[type]) !== "none";
  };
  const at = expected.findIndex(({ name }) => isRounded(name));
  const sums = expected[at];
  return (
    differenceIn(actual, expected, isRounded) ??
    (sums === undefined
      ? allSame(expected)
      : sumsWithinBound(choice, data, operandOf(sums.name) as string, [actual[at] as Output, sums]))
  );
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

/** Whether sums of an operand's floats, which are added in any order, are within their bound. */
function sumsWithinBound(
  choice: DescribedChoice,
  data: ScalarArray,
  operand: string,
  [actual, { name, type, data: sums }]: readonly [actual: Output, expected: Output],
): Verdict {
  const { arrays } = choice;
  const beside = arrays[operand] as Beside;
  const sumsOf = (change: (value: number) => number): ScalarArray => {
    const changed = { ...beside, data: (beside.data as Float32Array).map(change) };
    const outputs = onCpu({ ...choice, arrays: { ...arrays, [operand]: changed } }, data);
    return outputs.find((one) => one.name === name)?.data as ScalarArray;
  };
  const [items, magnitudes] = [sumsOf(() => 1), sumsOf(Math.abs)];
  const bound = { unit: units[type] ?? 0, least: 0, of: "sum" };
  const { check, verdict } = boundCheck(type, actual.data, bound, counted(sums.length, "value"));
  for (let at = 0; at < sums.length; at++) {
    // The CPU's sum is rounded once.
    const wrong = check(at, Number(sums[at]), Number(magnitudes[at]), Number(items[at]) + 1);
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
