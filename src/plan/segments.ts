import { describe } from "../algebra/check_value.ts";
import { expressionFiles, typeFiles } from "../algebra/expression_files.ts";
import { bytesOfInitial } from "../algebra/initial.ts";
import { u32 } from "../algebra/integers.ts";
import type { Monoid } from "../algebra/monoid.ts";
import { monoid as monoidOf } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import { requireSameStructs } from "../algebra/require_same_structs.ts";
import { paramsIn } from "../algebra/seen_params.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { ArgumentError, refuse } from "../errors.ts";
import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import { isApart } from "../kernels/kernel.ts";
import type { LookBackChoices } from "../kernels/look_back.ts";
import type { HeadSource, SegmentUse } from "../kernels/segments.ts";
import {
  areGiven,
  clearHeadsKernel,
  ITEMS_OF_WORD,
  isWordKey,
  markKernel,
  partsKernel,
  segmentedMonoid,
  segmentSources,
} from "../kernels/segments.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { AnyOperator, Chosen } from "./options.ts";
import type { Bindings, Pass, Plan, RangeName, Scratch, SegmentRanges } from "./plan.ts";
import { ALL_ARRANGEMENTS, bound } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import type { SegmentsOf } from "./planned_segments.ts";
import type { ReduceOptions } from "./reduce.ts";
import { typeFeatureError } from "./require_feature.ts";
import { orderOf } from "./reverse.ts";
import type { Alone, OwnSegments } from "./run_key.ts";
import { ALONE, FIRST_ITEMS, requireRunKey } from "./run_key.ts";
import { planRunLengths } from "./run_lengths.ts";
import type { ScanOptions } from "./scan.ts";
import { planScan } from "./scan.ts";
import { countsOf, refuseTotal, startBindings } from "./segment_counts.ts";
import type { Tuning } from "./tuning.ts";
import { tileOf } from "./tuning.ts";
import type { Preparation } from "./ways.ts";

/** The options that segments depend on. Nobody has checked them yet. */
export type SegmentedOptions = Pick<Chosen, "workGroupSize" | "itemsPerThread"> & {
  readonly maxLength?: unknown;
  readonly segments?: unknown;
  readonly from?: ElementType;
  readonly map?: unknown;
  readonly params?: unknown;
  readonly exclusive?: boolean;
  readonly reverse?: boolean;
  readonly initial?: unknown;
  readonly total?: unknown;
  readonly lengthOnGpu?: boolean;
};

/** The most work-groups that go through the offsets. */
const MOST_MARKING = 4096;

const kinds = ["rows", "offsets", "begins", "heads", "headBits"] as const;

/** The option `segments`, checked. `known` are the types whose files kernels have in any case, and with a map those of expressions, too. */
function headsOf(
  given: unknown,
  title: string,
  facts: DeviceFacts,
  known: readonly ElementType[],
  { map, params }: Pick<SegmentedOptions, "map" | "params">,
): HeadSource & { readonly unique: boolean | "first item"; readonly alone?: Alone | undefined } {
  const kind = kinds.find((one) => one === given);
  if (kind !== undefined) {
    return { kind, unique: false };
  }
  if (typeof given !== "object" || given === null || !("keys" in given)) {
    refuse(
      title,
      "segments",
      describe(given),
      '"rows", "columns", "offsets", "begins", "heads", "headBits" or { keys: type }; each recording says where they start',
    );
  }
  const {
    keys,
    unique = false,
    key,
    keyType,
    ...others
  } = given as Readonly<Record<"keys" | "unique" | "key" | "keyType", unknown>>;
  const [stranger] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (stranger !== undefined) {
    refuse(title, "segments", `an object with ${stranger}`, "{ keys, key, keyType, unique }");
  }
  if (typeof unique !== "boolean") {
    refuse(title, "segments", `unique: ${describe(unique)}`, "true or false");
  }
  const from = requireType(keys, `${title}: segments`, "segments");
  const { type, text } = requireRunKey({ key, keyType }, from, title, "segments");
  for (const { name, feature } of [from, type]) {
    if (feature !== undefined && !facts.features.has(feature)) {
      throw typeFeatureError(`${title} by keys of ${name}`, feature);
    }
  }
  const { [FIRST_ITEMS]: isFirst, [ALONE]: alone } = given as OwnSegments;
  if (text === undefined) {
    return { kind: "keys", type, unique, alone };
  }
  for (const ofKeys of [from, type]) {
    for (const other of known) {
      requireSameStructs(title, ofKeys, other, "segments", ", of the keys,");
    }
  }
  return {
    kind: "keys",
    type,
    by: {
      from,
      text,
      known: (map === undefined ? typeFiles : expressionFiles)(...known),
      params: paramsIn({ params }),
    },
    unique: unique && isFirst ? "first item" : unique,
    alone,
  };
}

/** The most storage buffers that a kernel binds, if its ranges are bound as vectors. It depends on the number of its ends. */
const buffersOf = (use: SegmentUse, lengthOnGpu: boolean): number =>
  // The input and its end, the output, and the spine.
  4 +
  (use.totals ? 0 : 1) +
  [
    use.heads.kind !== "rows",
    areGiven(use.heads) && use.totals,
    use.heads.kind === "begins" && use.totals,
    use.totals?.unique,
    use.totals?.count,
    use.initial,
    lengthOnGpu,
  ].filter(Boolean).length;

/**
 * Scans of no more items hold elements, unless the caller chooses sizes. u32 by keys, runs of 1000, H200, 2^20: 14.3 µs (without heads, 128 × 16:
 * 13.6; 128 × 24: 15.1), 2^22: 27.8 (31.2; 36.3), 2^24: 75.8 (74.6; 75.7).
 */
const MOST_SHORT = 2 ** 25;

/** The most bytes of a value that was measured. */
const MOST_FLAT_BYTES = 4;

/**
 * Whether the threads of a scan may hold values without heads: of rows, or of one word, from items of at least a word.
 */
const isFlatScan = (
  use: SegmentUse,
  { domain }: Monoid,
  types: readonly ElementType[],
  { maxLength, workGroupSize, itemsPerThread }: SegmentedOptions,
): boolean =>
  use.heads.kind === "rows" ||
  ((Number(maxLength) > MOST_SHORT || workGroupSize !== undefined || itemsPerThread !== undefined) &&
    domain.elementBytes <= MOST_FLAT_BYTES &&
    use.heads.kind !== "begins" &&
    (use.heads.kind !== "keys" || isWordKey(use.heads)) &&
    types.every(({ bytes }) => bytes >= 4));

/** The ranges that segments take, and what a reduction of them gives beside its totals. */
function needsOf({ heads, initial, totals }: SegmentUse): readonly RangeName[] {
  const range = heads.kind === "headBits" ? "heads" : heads.kind;
  return [
    ...(range === "rows" ? [] : [range]),
    ...(range === "begins" ? (["ends"] as const) : []),
    ...(initial ? (["initial"] as const) : []),
    ...(totals && totals.unique !== false ? (["unique"] as const) : []),
    ...(totals?.count ? (["count"] as const) : []),
  ];
}

/** What recordings say of segments. */
function rangesOf({ heads, totals }: SegmentUse): SegmentRanges {
  const reduces = totals !== undefined;
  const numbers =
    heads.kind === "rows"
      ? (["rows"] as const)
      : areGiven(heads) || reduces
        ? (["segmentCount"] as const)
        : [];
  return {
    numbers,
    reduces,
    countsOf,
    headsOf: (length) => (heads.kind === "headBits" ? Math.ceil(length / 32) : length),
  };
}

/** What the kernels of segments bind. */
const bindingsOf = (use: SegmentUse): Bindings => ({
  heads: "heads",
  keys: "keys",
  ...startBindings(use.heads.kind),
  ...(use.totals && { unique_keys: "unique", first_items: "unique" }),
  count_buffer: "count",
});

/**
 * What a scan needs for the segments that its options name, or a reduction if `reduces`. `title` and `values` are those of the scan or the reduction
 * of all items.
 *
 * @throws {ArgumentError} {@link FeatureError}
 */
function segmentsOf(
  options: SegmentedOptions,
  title: string,
  values: Monoid,
  facts: DeviceFacts,
  reduces: boolean,
): SegmentsOf {
  const { segments, from, exclusive = false, reverse = false, lengthOnGpu = false } = options;
  const { initial = false, total } = options;
  const types = [values.type, ...(from === undefined ? [] : [requireType(from, `${title}: from`, "from")])];
  const { unique, alone, ...heads } = headsOf(segments, title, facts, types, options);
  if (typeof initial !== "boolean") {
    refuse(title, "initial", describe(initial), "true or false; each recording gives the initial value");
  }
  refuseTotal(total, title);
  if (unique !== false && !reduces) {
    throw new ArgumentError(
      `${title}: only a reduction gives the keys of runs; leave unique out`,
      "segments",
    );
  }
  // The length decides how many rows there are, and only the GPU may know it.
  const count = heads.kind === "rows" ? lengthOnGpu : !areGiven(heads);
  // Rows stay where they are, so that each starts where it does in the caller's order.
  const isMirrored = reverse && heads.kind !== "rows";
  const given: SegmentUse = {
    heads,
    exclusive,
    isMirrored,
    initial,
    ...(reduces && { totals: { unique, count } }),
  };
  const isFlat = !reduces && !reverse && isFlatScan(given, values, types, options);
  const use: SegmentUse = { ...given, isFlat };
  const monoid: Monoid = segmentedMonoid(values, use);
  const keys = heads.kind === "keys" ? heads : undefined;
  // The items that keys are computed from are of another type than the keys.
  const key = keys?.by?.from ?? keys?.type ?? u32;
  return {
    segments: {
      title: `${title} of ${keys === undefined ? heads.kind : `runs of ${keys.type.name}`}`,
      monoid,
      kernels: segmentSources(use, monoid),
      needs: needsOf(use),
      ...(initial && { initial: (value: unknown) => bytesOfInitial(value, values.type, title) }),
      ranges: rangesOf(use),
      key,
      uniqueType: unique === true ? keys?.type : undefined,
      startBytes: keys || heads.kind === "heads" ? key.bytes : 0,
      isFlat,
      fitsVectors: buffersOf(use, lengthOnGpu) <= facts.limits.maxStorageBuffersPerShaderStage,
      bindings: bindingsOf(use),
      preparationOf: (plan, tuning) =>
        heads.kind === "begins" && !reduces
          ? headsOfParts(plan, tuning, lengthOnGpu)
          : areGiven(heads)
            ? headsFromOffsets(plan, tuning, monoid, use, lengthOnGpu)
            : undefined,
    },
    runs: reduces && keys ? { keys, unique, alone } : undefined,
  };
}

/** The passes that make bits of offsets, which kernels read that do not search for segments. If none reads them, only recordings of no items take a pass. */
function headsFromOffsets(
  plan: Plan,
  tuning: Tuning,
  monoid: Monoid,
  use: SegmentUse,
  lengthOnGpu: boolean,
): Preparation {
  const readsBits = ({ bindings }: Kernel): boolean => bindings.has("heads");
  const isRead = plan.kernels.some(readsBits);
  const bits: Scratch = {
    name: "bits of heads",
    bytes: isRead ? Math.max(4, Math.ceil(plan.maxLength / 32) * 4) : 4,
  };
  const clear = clearHeadsKernel(tuning.sizes);
  const mark = markKernel(monoid, use, lengthOnGpu, tuning.sizes);
  const tile = tileOf(tuning);
  const pass = (kernel: Kernel, length: number, tiles: number): Pass => ({
    kernel,
    bindings: bound(kernel, {
      head_words: bits,
      ...startBindings(use.heads.kind),
      output: "output",
      length_buffer: "length",
      initial: "initial",
    }),
    length,
    tiles,
  });
  const marking = (length: number): Pass[] => {
    const words = Math.ceil(length / 32);
    const tiles = Math.min(MOST_MARKING, Math.max(1, Math.ceil(plan.maxLength / tile)));
    return [...(words > 0 ? [pass(clear, words, Math.ceil(words / tile))] : []), pass(mark, length, tiles)];
  };
  return {
    kernels: isRead ? [clear, mark] : [mark],
    scratch: [bits],
    passes(planned, length) {
      const readBits = planned.some(({ kernel }) => readsBits(kernel));
      if (length === 0 ? !use.totals : !readBits) {
        return planned;
      }
      return [
        ...marking(length),
        ...planned.map((one) => ({
          ...one,
          bindings: { ...one.bindings, ...bound(one.kernel, { heads: bits }) },
        })),
      ];
    },
  };
}

/** The pass that says where segments and gaps start, for a scan. */
function headsOfParts(plan: Plan, tuning: Tuning, lengthOnGpu: boolean): Preparation {
  // There are heads for the place behind the last item, too.
  const wordsOf = (length: number): number => Math.floor(length / ITEMS_OF_WORD) + 1;
  const bits: Scratch = { name: "bits of parts", bytes: wordsOf(plan.maxLength) * 4 };
  const mark = partsKernel(lengthOnGpu, tuning.sizes);
  return {
    kernels: [mark],
    scratch: [bits],
    passes(planned, length) {
      if (length === 0) {
        return planned;
      }
      const bindings = { part_bits: bits, offsets: "begins", ends: "ends", length_buffer: "length" } as const;
      const tiles = Math.ceil(wordsOf(length) / tileOf(tuning));
      return [
        { kernel: mark, bindings: bound(mark, bindings), length, tiles },
        ...planned.map((one) => ({
          ...one,
          bindings: { ...one.bindings, ...bound(one.kernel, { heads: bits }) },
        })),
      ];
    },
  };
}

/** A reduction of segments with gaps: for its kernels, the gaps are segments, too. */
const withGaps = (plan: Plan): Plan => ({
  ...plan,
  passes(length, arrangement, aside, params = {}) {
    const segments = 2 * (params.segment_count ?? 0);
    const counts = { segment_count: segments, room: segments };
    return plan
      .passes(length, arrangement, aside, params)
      .map((pass) => ({ ...pass, params: { ...counts, ...pass.params } }));
  },
});

/**
 * Plans a scan or a reduction of segments of any length, by elements that know whether a segment starts. A reduction is a scan that stores the totals
 * of segments; if it only finds runs, one dispatch may do that.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planSegments(
  primitive: "scan" | "reduce",
  options: AnyOperator<ScanOptions & ReduceOptions>,
  facts: PlanFacts,
  arrangements: readonly Arrangement[] = ALL_ARRANGEMENTS,
  testing: Partial<LookBackChoices> = {},
): Plan {
  const { type, op = add } = options;
  const reduces = primitive === "reduce";
  const own = orderOf(options).operatorOf(monoidOf(op, type, primitive));
  const found = segmentsOf(options, `${primitive}<${own.title}>`, own, facts, reduces);
  const lying = reduces ? arrangements.filter(isApart) : arrangements;
  const plan =
    planRunLengths(found, options, facts, testing) ??
    planScan(options, facts, lying, testing, found.segments);
  return reduces && found.segments.needs.includes("begins") ? withGaps(plan) : plan;
}
