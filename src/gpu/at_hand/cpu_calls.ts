import { settable, valuesOf } from "../../algebra/array_values.ts";
import { arrayOver } from "../../algebra/arrays.ts";
import type { CustomOperator } from "../../algebra/custom_operator.ts";
import { u32 } from "../../algebra/integers.ts";
import type { Operator } from "../../algebra/monoid.ts";
import { monoid } from "../../algebra/monoid.ts";
import { add } from "../../algebra/operators.ts";
import { paramsIn } from "../../algebra/seen_params.ts";
import type { CheckedSegments } from "../../algebra/segments.ts";
import type { ElementType, Scalar, Value } from "../../algebra/types.ts";
import type { CpuArray, CpuCall, Numbers, OnCpu } from "../../cpu/call.ts";
import type { FoldName } from "../../cpu/folds.ts";
import { foldNameOf, reduceNumbers, scanNumbers } from "../../cpu/folds.ts";
import type { Selection as MovedSelection } from "../../cpu/moves.ts";
import { bytesIn, isShifted, newNumbers, numbersOver } from "../../cpu/numbers.ts";
import type { CpuSegments } from "../../cpu/segments.ts";
import type { OperatorPasses, TextToMap } from "../../cpu/texts.ts";
import type { ArgCall } from "../../plan/arg_min_max.ts";
import { requireFeature } from "../../plan/require_feature.ts";
import type { RunKey } from "../../plan/run_key.ts";
import type { Primitive, Request } from "../../primitives/primitive.ts";
import type { Context } from "../device/context.ts";
import type { Given, Place, Target } from "../device/given.ts";
import { bytesOf, fresh } from "../device/given.ts";
import type { CheckedEnds } from "../executor/check_ends.ts";
import { once, withNumbers } from "../executor/load_later.ts";
import type { Planned } from "../executor/planned.ts";
import { keyOfCall } from "../executor/planned.ts";
import type { ArgValue, Selected, Selection } from "./hand_types.ts";

// Calls at hand on the CPU. Each of them gives undefined if the CPU has no loop for it. Texts that a compiler would refuse have none: the
// device reports them.

const loadArgMinMax = /* @__PURE__ */ once(() => import("../../cpu/arg_min_max.ts"));
const loadMoves = /* @__PURE__ */ once(() => import("../../cpu/moves.ts"));
const loadSearches = /* @__PURE__ */ once(() => import("../../cpu/search_loops.ts"));
const loadSorts = /* @__PURE__ */ once(() => import("../../cpu/sort_loops.ts"));
const loadSegments = /* @__PURE__ */ once(() => import("../../cpu/segment_folds.ts"));
const loadSelections = /* @__PURE__ */ once(() => import("../../cpu/selection_loops.ts"));
const loadTexts = /* @__PURE__ */ once(() => import("./cpu_texts.ts"));

/** A scan or a reduction at hand. */
export interface FoldAtHand {
  readonly primitive: "scan" | "reduce";
  readonly options: {
    readonly op?: Operator;
    readonly map?: string;
    readonly params?: unknown;
    readonly exclusive?: boolean;
    readonly reverse?: boolean;
  };
  readonly given: Given;
  readonly types: { readonly from?: ElementType; readonly type: ElementType };
  readonly ends: Partial<Omit<CheckedEnds, "options">>;
}

/** The elements of a call's array, as they are now. @throws {ArgumentError} if they are not there any more. */
function arrayOf(given: Given, type: ElementType, caller: string, name = "data"): CpuArray {
  return { type, length: given.length, numbers: numbersOver(bytesOf(given, caller, name, name), type) };
}

/**
 * Computes with arrays of a call, which have to stay where they are: loops would read nothing in their place.
 *
 * @throws {ArgumentError} if one was transferred meanwhile, or became shorter.
 */
export async function withArrays<Made>(
  caller: string,
  arrays: Readonly<Record<string, Place>>,
  compute: () => Promise<Made>,
): Promise<Made> {
  try {
    return await compute();
  } finally {
    for (const name in arrays) {
      bytesOf(arrays[name] as Place, caller, name, name);
    }
  }
}

/** What a text with values of f16 has: the type, one that is made of it, or a number such as `1.5h`. */
const NAMES_F16 = /f16|\b(?:vec|mat)\w*h\b|\d\.?h\b/;

/** Whether loops can take elements of these types: those of structs are whole words. Types whose feature is missing are left to the device. */
const areTaken = ({ facts }: Context, ...types: readonly ElementType[]): boolean =>
  types.every(
    ({ kind, bytes, feature }) =>
      (kind !== "struct" || bytes % 4 === 0) && (feature === undefined || facts.features.has(feature)),
  );

/** A caller's text, and what it sees beside the elements. */
interface MappedText extends Omit<TextToMap, "from"> {
  /** The index of the first element. The default is 0. */
  readonly firstIndex?: number | undefined;
}

/** The results of a caller's text over an array; undefined if the CPU has no code for it. */
async function mapped(
  context: Context,
  from: CpuArray,
  mappedText: MappedText,
): Promise<CpuArray | undefined> {
  const { text, params, firstIndex = 0 } = mappedText;
  if (NAMES_F16.test(text) && !context.facts.features.has("shader-f16")) {
    return undefined;
  }
  const pass = (await loadTexts()).mapText({ ...mappedText, from: from.type });
  if (pass === undefined) {
    return undefined;
  }
  const numbers = newNumbers(pass.type, from.length);
  const scalars = params?.values ? params.scalarsOf(params.values) : [];
  pass.run(from.numbers, numbers, firstIndex, from.length, scalars);
  return { type: pass.type, length: from.length, numbers };
}

/** The calls with texts of the caller's that have been checked for a device. */
const checkedFor = new WeakMap<Context, Set<string>>();
const MOST_CHECKED = 256;

/** Checks a call with a text as its plan does, once. @throws {ArgumentError} {@link LimitError} {@link FeatureError} */
async function requireRight(context: Context, planned: Planned): Promise<void> {
  const key = keyOfCall(planned);
  const checked = checkedFor.get(context) ?? new Set<string>();
  checkedFor.set(context, checked);
  if (!checked.has(key)) {
    await withNumbers(() => planned.plan(planned.all));
    if (checked.size >= MOST_CHECKED) {
      checked.clear();
    }
    checked.add(key);
  }
}

/** What folds a call's elements: loops of an operator of the table, or loops made of the caller's text. */
interface Folding {
  readonly array: CpuArray;
  /** What comes before the first element. */
  readonly initial: Scalar | undefined;
  /** It is undefined for an operator of the caller's. */
  readonly name: FoldName | undefined;
  /** Writes prefixes. The result is an array of one element: the total. */
  scan(output: Numbers, exclusive: boolean): Numbers;
  reduce(): Numbers;
}

/** What folds a call's elements; undefined if the CPU has no code for it. @throws {ArgumentError} {@link FeatureError} */
async function foldingOf(
  context: Context,
  { primitive, options, given, types, ends }: FoldAtHand,
): Promise<Folding | undefined> {
  const { type, from = type } = types;
  const op = options.op === undefined ? add : options.op;
  const combination = monoid(op, type, primitive);
  const title = `${primitive}<${combination.title}>`;
  requireFeature(type, title, context.facts);
  const name = foldNameOf(op, type);
  const map =
    types.from && (await loadTexts()).mapOf({ map: options.map, from }, type, title, context.facts.features);
  if (!areTaken(context, from, type)) {
    return undefined;
  }
  const items = arrayOf(given, from, primitive);
  const array =
    map === undefined
      ? items
      : await mapped(context, items, { text: map.text, to: type, params: paramsIn(options) });
  const initial = ends.initial && valueIn(bytesOf(ends.initial, primitive, "initial", "initial"), type);
  if (array === undefined) {
    return undefined;
  }
  const { reverse: swapped } = options;
  const passes =
    name === undefined && combination.callers
      ? (await loadTexts()).operatorText({ ...(op as CustomOperator), swapped })
      : undefined;
  const foldingBy = name
    ? (own: CpuArray) => tableFolding(own, name, initial as Scalar | undefined)
    : passes && ((own: CpuArray) => textFolding(own, passes, initial));
  return foldingBy && (swapped ? (await loadSegments()).inReverse(array, foldingBy) : foldingBy(array));
}

const tableFolding = (array: CpuArray, name: FoldName, initial: Scalar | undefined): Folding => {
  const { type, numbers: input } = array;
  const call = { type, op: name, input, initial };
  return {
    array,
    initial,
    name,
    scan: (output, exclusive) => numbersOfValue(scanNumbers({ ...call, output, exclusive }), type),
    reduce: () => numbersOfValue(reduceNumbers(call), type),
  };
};

const textFolding = (array: CpuArray, passes: OperatorPasses, initial: Value | undefined): Folding => {
  const { type, numbers } = array;
  return {
    array,
    initial: undefined,
    name: undefined,
    scan(output, exclusive) {
      // Loops write from the first element on: those that they have not read must still be there.
      const input = isShifted(numbers, output) ? (numbers.slice() as Numbers) : numbers;
      return numbersOfValue(passes.scan(input, output, exclusive, initial), type);
    },
    reduce: () => numbersOfValue(passes.reduce(numbers, initial), type),
  };
};

/** The value of an element's bytes. */
const valueIn = (bytes: Uint8Array, type: ElementType): Value =>
  valuesOf(arrayOver(type, bytes.slice().buffer), type)(0);

/** An array of one element. */
function numbersOfValue(value: Value, type: ElementType): Numbers {
  const array = arrayOver(type, new ArrayBuffer(type.bytes));
  settable(array, type).set(0, value);
  return numbersOver(new Uint8Array(array.buffer as ArrayBuffer), type);
}

/** `Fold.scan`. */
export const scan = (
  context: Context,
  call: FoldAtHand & { readonly target: Target },
): Promise<Uint8Array | undefined> =>
  folded(context, call, (folding) => {
    const { options, given, types, ends, target } = call;
    const bytes = target(given.length * types.type.bytes)();
    const output = numbersOver(bytes, types.type);
    const total = folding.scan(output, options.exclusive === true);
    putIn(bytes, output);
    ends.total?.().set(bytesIn(total));
    return bytes;
  });

/** `Fold.reduce`. */
export const reduce = (context: Context, call: FoldAtHand): Promise<Uint8Array | undefined> =>
  folded(context, call, (folding) => bytesIn(folding.reduce()));

/** What is made of a call's elements; undefined if the CPU has no code for that. */
const folded = (
  context: Context,
  call: FoldAtHand,
  make: (folding: Folding) => Uint8Array,
): Promise<Uint8Array | undefined> =>
  withArrays(call.primitive, { data: call.given }, async () => {
    const folding = await foldingOf(context, call);
    return folding && make(folding);
  });

/** The keys of segments, and how others are computed from them. */
export interface KeysAtHand {
  readonly given: Given;
  readonly type: ElementType;
  readonly key: RunKey;
}

/** A scan or a reduction of segments at hand. */
export interface SegmentsAtHand extends FoldAtHand {
  readonly segments: CheckedSegments;
  /** If segments are runs of keys. */
  readonly keys: KeysAtHand | undefined;
  readonly target: Target;
}

/** What a call on segments gives: the elements of its result, and of the keys of runs that were reduced. */
export interface SegmentResults {
  readonly bytes: Uint8Array;
  readonly keys?: Uint8Array;
}

/** `Fold.scan` and `Fold.reduce` with segments. */
export async function segments(context: Context, call: SegmentsAtHand): Promise<SegmentResults | undefined> {
  const folding = await foldingOf(context, call);
  const segments = await segmentsOf(context, call);
  if (folding?.name === undefined || segments === undefined) {
    return undefined;
  }
  const { primitive, options, given, types, target } = call;
  const { array, name: op, initial } = folding;
  const { type, numbers: input } = array;
  const { reduceSegments, scanSegments } = await loadSegments();
  if (primitive === "scan") {
    const bytes = target(given.length * types.type.bytes)();
    const exclusive = options.exclusive === true;
    const output = numbersOver(bytes, type);
    scanSegments({
      type,
      op,
      input,
      initial,
      segments,
      exclusive,
      output,
      reverse: options.reverse,
    });
    return { bytes };
  }
  const bytes = bytesIn(reduceSegments({ type, op, input, initial, segments }));
  if (segments.kind !== "keys") {
    return { bytes };
  }
  const { firstOfRuns } = await loadMoves();
  return { bytes, keys: bytesIn(firstOfRuns(segments.keys)) };
}

/** Where segments start, once their keys are computed; undefined if the CPU has no code for that. */
async function segmentsOf(
  context: Context,
  { segments, keys, primitive, options }: SegmentsAtHand,
): Promise<CpuSegments | undefined> {
  if (segments.kind !== "keys" || keys === undefined) {
    return segments as CpuSegments;
  }
  const { given, type, key } = keys;
  if (!areTaken(context, type, key.type)) {
    return undefined;
  }
  const array = arrayOf(given, type, primitive, "segments");
  const computed =
    key.text === undefined
      ? array
      : await mapped(context, array, {
          text: key.text,
          to: key.type,
          hasIndex: false,
          params: paramsIn(options),
        });
  return computed && { kind: "keys", keys: computed };
}

/** `Fold.compact` and `Fold.partition`. */
export async function select(
  context: Context,
  {
    planned,
    given,
    types,
    itemBytes,
    flags,
    target,
  }: Selection & { readonly flags: Uint32Array | undefined },
): Promise<Selected | undefined> {
  const { primitive, all } = planned;
  const { type, from = type } = types;
  const { where, classes, class: classText, indices = false } = all;
  const params = paramsIn(all);
  const title = `${primitive}<${type.name}>`;
  requireFeature(type, title, context.facts);
  if (flags === undefined || types.from !== undefined) {
    await requireRight(context, planned as Planned);
  }
  if (!areTaken(context, from, type)) {
    return undefined;
  }
  const items = arrayOf(given, from, primitive);
  const text = (where ?? classText) as string | undefined;
  const marks =
    text === undefined
      ? undefined
      : await mapped(context, items, { text, to: where === undefined ? undefined : "condition", params });
  const map = types.from && (await loadTexts()).mapOf(all, type, title, context.facts.features);
  const data = map === undefined ? items : await mapped(context, items, { text: map.text, to: type, params });
  if (data === undefined || (text !== undefined && marks === undefined)) {
    return undefined;
  }
  const moves = await loadMoves();
  const isWhole = primitive === "partition";
  const output =
    target === fresh ? undefined : numbersOver(target(given.length * itemBytes)(), indices ? u32 : type);
  const selection = { data, indices, output };
  const { values, counts } = selectedBy(moves, selection, marks ?? (flags as Uint32Array), {
    isWhole,
    classes,
  });
  if (output === undefined) {
    return { bytes: bytesIn(values), counts };
  }
  const bytes = target((isWhole ? given.length : (counts[0] as number)) * itemBytes)();
  putIn(bytes, values);
  return { bytes, counts };
}

/** Puts elements where they go, unless they are there: an array of structs may start where no word does, and then {@link numbersOver} copies it. */
function putIn(bytes: Uint8Array, numbers: Numbers): void {
  if (numbers.buffer !== bytes.buffer) {
    bytes.set(bytesIn(numbers).subarray(0, bytes.length));
  }
}

type Moves = typeof import("../../cpu/moves.ts");

/** Selects elements by their flags, or by what a caller's text gives for each. */
function selectedBy(
  moves: Moves,
  selection: MovedSelection,
  marks: CpuArray | Uint32Array,
  { isWhole, classes }: { readonly isWhole: boolean; readonly classes?: number | undefined },
): { readonly values: Numbers; readonly counts: Uint32Array } {
  if (classes !== undefined) {
    const { values, offsets } = moves.partitionByClasses({
      ...selection,
      classOf: marks as CpuArray,
      classes,
    });
    return { values, counts: offsets };
  }
  const flags = marks instanceof Uint32Array ? marks : (marks.numbers as Uint32Array);
  const flagged = { ...selection, flags };
  const { values, count } = isWhole ? moves.partitionByFlags(flagged) : moves.compactByFlags(flagged);
  return { values, counts: Uint32Array.of(count) };
}

/** `Fold.argMin` and `Fold.argMax`, of an array that is not empty. */
export async function argMinMax(
  context: Context,
  call: ArgCall,
  given: Given,
  type: ElementType,
): Promise<ArgValue<Scalar>> {
  requireFeature(type, `${call}<${type.name}>`, context.facts);
  const loops = await loadArgMinMax();
  const array = arrayOf(given, type, call);
  const index = loops.placeOfBest(call, array);
  const bytes = bytesIn(array.numbers.subarray(index, index + 1));
  return { value: valueIn(bytes, type) as Scalar, index };
}

/** What loads the loops that descriptions name. */
const loops: Readonly<Record<NonNullable<Primitive["onCpu"]>, () => unknown>> = {
  moves: loadMoves,
  searches: loadSearches,
  selections: loadSelections,
  sorts: loadSorts,
  conditions: async () => (await loadTexts()).conditions,
};

/** A call of a primitive that `src/primitives/` describes. The result has the elements of each result of the request. */
export async function described(
  context: Context,
  { name, onCpu }: Primitive<never>,
  request: Request,
  operands: readonly { readonly name: string; readonly given: Given; readonly type: ElementType }[],
): Promise<readonly Uint8Array[] | undefined> {
  const { key, keyType } = request.options as { readonly key?: unknown; readonly keyType?: ElementType };
  const types = [...operands, ...request.results].map(({ type }) => type);
  if (!areTaken(context, ...types, ...(key !== undefined && keyType ? [keyType] : []))) {
    return undefined;
  }
  const loaded = onCpu && ((await loops[onCpu]()) as Readonly<Record<string, OnCpu>>);
  const arrays = Object.fromEntries(
    operands.map(({ name: operand, given, type }) => [operand, arrayOf(given, type, name, operand)]),
  );
  const params = paramsIn(request.options);
  const mappedBy: CpuCall["mapped"] = (text, from, to, firstIndex) =>
    mapped(context, from, { text, to, hasIndex: firstIndex !== undefined, firstIndex, params });
  return (await loaded?.[name]?.({ arrays, request, mapped: mappedBy }))?.map(bytesIn);
}
