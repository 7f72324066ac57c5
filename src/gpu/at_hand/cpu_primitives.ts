import { valueOfBytes } from "../../algebra/array_values.ts";
import { u32 } from "../../algebra/integers.ts";
import type { DeclaredParams } from "../../algebra/seen_params.ts";
import { paramsIn } from "../../algebra/seen_params.ts";
import type { CheckedSegments } from "../../algebra/segments.ts";
import type { ElementType, Scalar } from "../../algebra/types.ts";
import { namesNarrow } from "../../algebra/types.ts";
import type { Condition, CpuArray, CpuCall, FindClasses, Moves, Numbers, OnCpu } from "../../cpu/call.ts";
import { exact, loops, placeOfBest, segmentFolds } from "../../cpu/loops.ts";
import { bytesIn, isShifted, newNumbers, numbersOver } from "../../cpu/numbers.ts";
import type { CpuSegments } from "../../cpu/segments.ts";
import type { KeptText } from "../../cpu/texts.ts";
import { afterLoad, loadCpuTexts } from "../../parts.ts";
import type { ArgCall } from "../../plan/arg_min_max.ts";
import { requireFeature } from "../../plan/require_feature.ts";
import type { RunKey } from "../../plan/run_key.ts";
import type { Primitive, Request, Result } from "../../primitives/primitive.ts";
import type { Context } from "../device/context.ts";
import type { Given, Target } from "../device/given.ts";
import { fresh } from "../device/given.ts";
import { planOfCall } from "../executor/plan_with_parts.ts";
import type { Planned } from "../executor/planned.ts";
import { keyOfCall } from "../executor/planned.ts";
import type { FoldAtHand } from "./cpu_calls.ts";
import { areTaken, arrayOf, foldingOf, packed, putIn, wideIn } from "./cpu_calls.ts";
import type { ArgValue, Selected, Selection } from "./hand_types.ts";

// Calls at hand on the CPU beside scans and reductions of whole arrays.

/** A caller's condition over elements of a type, and what becomes of those that are kept; undefined if the CPU has no code for it. */
async function conditionOn(
  context: Context,
  text: string,
  type: ElementType,
  params: DeclaredParams | undefined,
  keptAs?: KeptText,
): Promise<Condition | undefined> {
  const { conditionText, needsF16, scalarsIn } = await loadCpuTexts();
  if (needsF16(context, text) || (keptAs && needsF16(context, keptAs.text))) {
    return undefined;
  }
  const loops = conditionText({ text, from: type, params }, keptAs);
  const scalars = scalarsIn(params);
  return (
    loops && {
      count: ({ numbers, length }) => loops.count(numbers, length, scalars),
      find: ({ numbers }, start, end, wanted) => loops.find(numbers, start, end, scalars, wanted),
      keep: ({ numbers, length }, moves) =>
        loops.keep(
          numbers,
          length,
          scalars,
          keptAs ? { ...moves, to: numbersOver(moves.to, keptAs.to) } : moves,
        ),
    }
  );
}

/** The class of each element of a type by a caller's text; undefined if the CPU has no code for it. */
async function classesOn(
  context: Context,
  text: string,
  from: ElementType,
  params: DeclaredParams | undefined,
): Promise<FindClasses | undefined> {
  const { classText, needsF16, scalarsIn } = await loadCpuTexts();
  const find = needsF16(context, text) ? undefined : classText({ text, from, params });
  const scalars = scalarsIn(params);
  return find && (({ numbers, length }, ...found) => find(numbers, length, scalars, ...found));
}

/** The calls with texts of the caller's that have been checked for a device. */
const checkedFor = new WeakMap<Context["kept"], Set<string>>();
const MOST_CHECKED = 256;

/** Checks a call with a text as its plan does, once. @throws {ArgumentError} {@link LimitError} {@link FeatureError} */
async function requireRight(context: Context, planned: Planned): Promise<void> {
  const key = keyOfCall(planned);
  const checked = checkedFor.get(context.kept) ?? new Set<string>();
  checkedFor.set(context.kept, checked);
  if (!checked.has(key)) {
    await planOfCall(planned, context);
    if (checked.size >= MOST_CHECKED) {
      checked.clear();
    }
    checked.add(key);
  }
}

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
  const fold = folding?.call;
  if (fold === undefined || segments === undefined) {
    return undefined;
  }
  const { primitive, options, given, types, target } = call;
  const { reduceSegments, scanSegments } = fold.op === "exactAdd" ? exact : segmentFolds;
  const { type, op, loops: ofType, input, initial } = fold;
  if (primitive === "scan") {
    const bytes = target(given.length * types.type.bytes)();
    const exclusive = options.exclusive === true;
    const output = numbersOver(bytes, type);
    const { reverse } = options;
    scanSegments({ type, op, loops: ofType, input, initial, segments, exclusive, output, reverse });
    return { bytes };
  }
  if (segments.kind !== "keys") {
    return { bytes: bytesIn(reduceSegments({ type, op, loops: ofType, input, initial, segments })) };
  }
  const { firsts: keys, offsets: words } = loops.moves.firstOfRuns(segments.keys);
  const runs = { kind: "offsets", words } as const;
  const bytes = bytesIn(reduceSegments({ type, op, loops: ofType, input, initial, segments: runs }));
  return { bytes, keys: bytesIn(call.keys ? await packed(keys, call.keys.key.type) : keys) };
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
  const array = await arrayOf(given, type, primitive, "segments");
  const computed =
    key.text === undefined
      ? array
      : (await loadCpuTexts()).mapped(context, array, {
          text: key.text,
          to: key.type.wide ?? key.type,
          hasIndex: false,
          params: paramsIn(options),
        });
  return computed && { kind: "keys", keys: computed };
}

/** What a selection reads: the items, what becomes of them, and the loops of its text; undefined if the CPU has no code for that. */
async function selectedFrom(context: Context, { planned, given, types }: Omit<Selection, "target">) {
  const { primitive, all } = planned;
  const { type, from = type } = types;
  const { where, class: classText } = all;
  const params = paramsIn(all);
  const title = `${primitive}<${type.name}>`;
  requireFeature(type, title, context.facts);
  if ((where ?? all.classes ?? classText ?? types.from) !== undefined) {
    await requireRight(context, planned as Planned);
  }
  if (!areTaken(context, from, type)) {
    return undefined;
  }
  const items = await arrayOf(given, from, primitive);
  const kept = type.wide ?? type;
  const wide = await wideIn({ map: all.map, from, type });
  const map = types.from && (await loadCpuTexts()).mapOf(wide, kept, title, context.facts.features);
  // A compaction stores what the map gives for the elements that are kept.
  const isFused = where !== undefined && primitive === "compact" && !all.indices;
  const keptAs = map && isFused ? { text: map.text, to: kept } : undefined;
  const data =
    map === undefined
      ? items
      : keptAs
        ? { type: kept, length: items.length, numbers: newNumbers(kept, 0) }
        : (await loadCpuTexts()).mapped(context, items, { text: map.text, to: kept, params });
  const condition =
    where === undefined ? undefined : await conditionOn(context, where, items.type, params, keptAs);
  const inClasses =
    classText === undefined ? undefined : await classesOn(context, classText, items.type, params);
  const isRead = (where ?? classText) === undefined || (condition ?? inClasses) !== undefined;
  return data && isRead ? { items, data, condition, inClasses } : undefined;
}

/** `Fold.compact` and `Fold.partition`. */
export async function select(
  context: Context,
  selection: Selection & { readonly flags: Uint32Array | undefined },
): Promise<Selected | undefined> {
  const { planned, given, types, itemBytes, flags, target } = selection;
  const { primitive, all } = planned;
  const { classes = 0, indices = false } = all;
  const read = await selectedFrom(context, selection);
  if (read === undefined) {
    return undefined;
  }
  const { items, condition, inClasses } = read;
  const isWhole = primitive === "partition";
  const stored = indices ? u32 : types.type;
  const isInPlace = target !== fresh && stored.wide === undefined;
  const output = isInPlace ? numbersOver(target(given.length * itemBytes)(), stored) : undefined;
  const seen = output && writesAhead(items, output, itemBytes) ? copyOf(items) : items;
  const moved = { data: read.data === items ? seen : read.data, indices, output };
  const keep = condition
    ? (moves: Moves) => condition.keep(seen, { ...moves, flags })
    : loops.moves.byFlags(flags as Uint32Array);
  const { values: selected, counts } = inClasses
    ? loops.moves.partitionByClasses(moved, inClasses, classes)
    : loops.moves.selectBy(moved, keep, isWhole);
  const values = await packed(selected, stored);
  if (target === fresh) {
    return { bytes: bytesIn(values), counts };
  }
  const bytes = target((isWhole ? given.length : (counts[0] as number)) * itemBytes)();
  putIn(bytes, values);
  return { bytes, counts };
}

const copyOf = (array: CpuArray): CpuArray => ({ ...array, numbers: array.numbers.slice() as Numbers });

/** Whether a loop that writes from the first element on may write over what it has not read. */
const writesAhead = ({ type, numbers }: CpuArray, output: Numbers, itemBytes: number): boolean =>
  output.buffer === numbers.buffer && (isShifted(numbers, output) || itemBytes > type.bytes);

/** `Fold.argMin` and `Fold.argMax`, of an array that is not empty. */
export async function argMinMax(
  context: Context,
  call: ArgCall,
  given: Given,
  type: ElementType,
): Promise<ArgValue<Scalar>> {
  requireFeature(type, `${call}<${type.name}>`, context.facts);
  // The caller's memory is read in the turn in which it is seen to be there.
  return afterLoad(arrayOf(given, type, call), (array) => {
    const index = placeOfBest(call, array);
    const bytes = bytesIn(array.numbers.subarray(index, index + 1));
    return { value: valueOfBytes(bytes, array.type) as Scalar, index };
  });
}

/** The request as loops take it: with types of 32 bits in the place of those of 8 and 16. */
const wideRequest = (request: Request): Request | Promise<Request> =>
  namesNarrow(request.options) || request.results.some(({ type }) => type.wide)
    ? afterLoad(wideIn(request.options), (options) => ({
        ...request,
        options,
        results: request.results.map((result) => ({ ...result, type: result.type.wide ?? result.type })),
      }))
    : request;

/**
 * A call of a primitive that `src/primitives/` describes, on arrays with their types, by the names of the operands. The result has the elements of
 * each result of the request.
 */
export async function described(
  context: Context,
  { name, onCpu }: Primitive<never>,
  request: Request,
  given: Readonly<Record<string, Given>>,
  types: Readonly<Record<string, { readonly type: ElementType }>>,
): Promise<readonly Uint8Array[] | undefined> {
  const { key, keyType } = request.options as { readonly key?: unknown; readonly keyType?: ElementType };
  if (key !== undefined && keyType && !areTaken(context, keyType)) {
    return undefined;
  }
  for (const { type } of [...Object.values(types), ...request.results]) {
    if (!areTaken(context, type)) {
      return undefined;
    }
  }
  const isText = onCpu === "conditions" || onCpu === "maps";
  const ownLoops = onCpu && (isText ? (await loadCpuTexts())[onCpu] : loops[onCpu]);
  const arrays: Record<string, CpuArray> = {};
  for (const operand in given) {
    const { type } = types[operand] as { readonly type: ElementType };
    arrays[operand] = await arrayOf(given[operand] as Given, type, name, operand);
  }
  const loop = (ownLoops as Readonly<Record<string, OnCpu>> | undefined)?.[name];
  const made = await loop?.(cpuCallOf(context, arrays, await wideRequest(request)));
  if (made === undefined) {
    return undefined;
  }
  const results: Uint8Array[] = [];
  for (const [at, numbers] of made.entries()) {
    results.push(bytesIn(await packed(numbers, (request.results[at] as Result).type)));
  }
  return results;
}

/** What loops take of a call. */
function cpuCallOf(context: Context, arrays: CpuCall["arrays"], request: Request): CpuCall {
  const params = paramsIn(request.options);
  const call: CpuCall = {
    arrays,
    request,
    async mapped(text, from, to, hasIndex = false, beside) {
      return (await loadCpuTexts()).mapped(context, from, { text, to, hasIndex, params, beside });
    },
    async addedToBins(text, from, bins, weights) {
      const { binText, needsF16, scalarsIn } = await loadCpuTexts();
      const to = weights ? (weights instanceof Int32Array ? "whole sums" : "float sums") : "counts";
      const run = needsF16(context, text) ? undefined : binText({ text, from: from.type, params }, to);
      run?.(from.numbers, bins, 0, from.length, scalarsIn(params), weights ? [weights] : []);
      return run !== undefined;
    },
    condition: (text, type) => conditionOn(context, text, type, params),
    async elementsInOrder() {
      const ofData = { ...call, request: { ...request, results: request.results.slice(0, 1) } };
      return (await loops.sorts.sort(ofData))?.[0];
    },
    positionsInOrder: async () => (await loops.sorts.argSort(call))?.[0] as Uint32Array | undefined,
  };
  return call;
}
