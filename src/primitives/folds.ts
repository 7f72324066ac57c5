import { u32 } from "../algebra/integers.ts";
import { monoid as monoidOf } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import { isSameType, requireType } from "../algebra/types.ts";
import { requireWidening } from "../algebra/widening.ts";
import { ArgumentError } from "../errors.ts";
import { requireBindable } from "../plan/binding_length.ts";
import { ALL_ARRANGEMENTS } from "../plan/plan.ts";
import { planFold } from "../plan/plan_fold.ts";
import type { FoldName } from "../plan/plan_recording.ts";
import { compact } from "./compact.ts";
import type { FoldSegments, SegmentsGiven } from "./fold_segments.ts";
import { segmentOperands, segmentsOf } from "./fold_segments.ts";
import type { OptionsOf } from "./option_names.ts";
import { partition } from "./partition.ts";
import type { Given, Operand, Primitive, Request, Result } from "./primitive.ts";
import { requireNamed, requireOneEach, requireU32 } from "./primitive.ts";
import { reduce } from "./reduce.ts";
import { scan } from "./scan.ts";

// Scans, reductions, compactions and partitions of arrays on the GPU. Their options have files of their own, which calls at hand load, too.

/** The options of a call beside its arrays. Nobody has checked them yet. */
interface Options extends SegmentsGiven {
  readonly op?: unknown;
  readonly type?: ElementType;
  readonly from?: ElementType;
  readonly map?: string;
  readonly where?: string;
  readonly classes?: number;
  readonly class?: string;
  readonly indices?: boolean;
  readonly into?: unknown;
  readonly initial?: unknown;
}

/** The types of a call's items and of its results. Those of 8 and 16 bits are combined as u32 and i32, unless a type is named. */
function typesOf(
  name: FoldName,
  own: ElementType,
  { type, from, map }: Options,
): { readonly type: ElementType; readonly from?: ElementType } {
  const isPlain = from === undefined && map === undefined;
  if (isPlain && type !== undefined && name !== "partition") {
    if (isSameType(requireType(type, name), own)) {
      return { type: own };
    }
    requireWidening(name, own, type);
    return { from: own, type };
  }
  const option = from === undefined ? "type" : "from";
  requireNamed(name, own, from ?? (map === undefined ? type : undefined), option);
  const wide = type === undefined && isFolding(name) ? own.wide : undefined;
  return isPlain && !wide ? { type: own } : { from: own, type: requireType(type ?? wide ?? own, name) };
}

/** Whether elements are combined. Otherwise they are moved. */
const isFolding = (name: FoldName): boolean => name === "scan" || name === "reduce";

/** Checks the ends of a scan or a reduction. @throws {ArgumentError} for an array that is not of one element of the type. */
function requireEnds(
  title: string,
  type: ElementType,
  { types, lengths, counted = [] }: Given<Options>,
): void {
  for (const option of ["initial", "total"]) {
    const own = types[option];
    if (own && (counted.includes(option) || lengths[option] !== 1 || !isSameType(own, type))) {
      throw new ArgumentError(
        `${title}: ${option} holds ${lengths[option]} of ${own.name}; it takes 1 of ${type.name}`,
        option,
      );
    }
  }
}

/** Checks what says which elements are kept, or go to which class. @throws {ArgumentError} */
function requireSelection(title: string, given: Given<Options>): void {
  const { flags } = given.types;
  const { where, classes, class: text } = given.options;
  if ([classes, text, where, flags].every((one) => one === undefined)) {
    throw new ArgumentError(
      `${title} takes where (a WGSL expression) or flags; it was given neither`,
      "where",
    );
  }
  if (flags) {
    requireU32(flags, "flags", title);
    requireOneEach(title, given, "data", "flags", { items: "items" });
  }
}

/** @throws {LimitError} for data with segments, and for what says where these start, if the device cannot bind them. */
function requireSegmentsBindable(
  title: string,
  { types, lengths, facts: { limits } }: Given<Options>,
  { type, most, isReduced }: Pick<Result, "type" | "most"> & { readonly isReduced: boolean },
): void {
  const { data: items = 0 } = lengths;
  requireBindable(title, items, Math.max(types.data?.bytes ?? 0, type.bytes), limits, "data");
  for (const { name, range } of segmentOperands) {
    const marks = types[name];
    if (marks) {
      requireBindable(`${title}: ${range}`, lengths[name] ?? 0, marks.bytes, limits, "segments");
    }
  }
  if (isReduced) {
    requireBindable(`${title}: the totals`, most, type.bytes, limits, "segments");
  }
}

/** Checks a call. The planner checks the options that are not about arrays. @throws {ArgumentError} {@link LimitError} */
function requestOf(name: FoldName, given: Given<Options>): Request {
  const { types, lengths, options } = given;
  const { into: _, segments: parts, initial, ...others } = options;
  const own = requireType(types.data, name, "data");
  const chosen = typesOf(name, own, options);
  const { type } = chosen;
  const title = `${name}<${type.name}>`;
  const isReduced = name === "reduce";
  if (isFolding(name)) {
    requireEnds(title, type, given);
  } else {
    requireSelection(title, given);
  }
  const segments = parts === undefined ? undefined : segmentsOf(given, title, name);
  const most = isReduced ? (segments?.most ?? 1) : (lengths.data ?? 0);
  if (segments) {
    requireSegmentsBindable(title, given, { type, most, isReduced });
  }
  return {
    title,
    options: {
      ...others,
      ...chosen,
      ...(types.flags && { flags: true }),
      ...((types.initial ?? initial) !== undefined && { initial: true }),
      ...(types.total && { total: true }),
      ...(segments && { segments: segments.by }),
    },
    named: segments?.named,
    aliases: segments?.aliases,
    numbers: segments?.numbers ?? {},
    initial,
    ...resultsOf(name, given, { type: others.indices ? u32 : type, most }, segments),
    itemBytes: Math.max(own.bytes, type.bytes),
    // Carries of exact sums would be rounded between windows.
    goesInWindows: () =>
      name !== "partition" &&
      segments === undefined &&
      (others.op === undefined || monoidOf(others.op as never, type, name).carried === undefined),
  };
}

/** How many counts a partition has. Nobody has checked the number of its classes yet. */
const countsOf = (classes: unknown): number => (typeof classes === "number" ? classes : 0) + 1;

/** What a call makes: its items, and beside them the keys of runs, or the counts of a partition: one, or those of its classes. */
function resultsOf(
  name: FoldName,
  { types, options: { classes } }: Given<Options>,
  { type, most }: Pick<Result, "type" | "most">,
  segments: FoldSegments | undefined,
): Pick<Request, "results" | "give"> {
  const { runs } = segments ?? {};
  const isCounted = name === "compact" || (name === "reduce" && segments?.isCounted);
  const items: Result = {
    name: runs || name === "partition" ? "values" : "result",
    range: "output",
    type,
    most,
    ...(isCounted ? { length: "count" } : name !== "reduce" && { length: "input" }),
    ...(isSameType(type, types.data as ElementType) && { like: "data" }),
    hasGaps: name === "scan" && segments?.by === "begins",
  };
  if (name === "partition") {
    const counts = classes === undefined ? "count" : "offsets";
    return { results: [items, { name: counts, range: "count", type: u32, most: countsOf(classes) }] };
  }
  return runs
    ? {
        results: [items, { ...runs, name: "keys", range: "unique", most, length: "count" }],
        give: ([values, keys]) => ({ keys, values }),
      }
    : { results: [items] };
}

/** A primitive with its options, and what it takes beside the data. */
const foldOf = <Own extends OptionsOf>(
  options: Own,
  name: FoldName,
  ...others: readonly Operand[]
): Primitive<Options> => ({
  ...options,
  operands: [{ name: "data", range: "input" }, ...others],
  arrangements: ALL_ARRANGEMENTS,
  checksItself: true,
  request: (given) => requestOf(name, given),
  plan: (own: object, facts, arrangements) => planFold(name, own, facts, arrangements),
});

const initial: Operand = { name: "initial", range: "initial", isOption: true, mayBeAtHand: true };
const total: Operand = { name: "total", range: "total", isOption: true, isWritten: true };
const flags: Operand = { name: "flags", range: "flags", isOption: true };

export const folds = {
  scan: /* @__PURE__ */ foldOf(scan, "scan", initial, total, ...segmentOperands),
  reduce: /* @__PURE__ */ foldOf(reduce, "reduce", initial, ...segmentOperands),
  compact: /* @__PURE__ */ foldOf(compact, "compact", flags),
  partition: /* @__PURE__ */ foldOf(partition, "partition", flags),
} as const satisfies Record<FoldName, Primitive<Options>>;
