import { u32 } from "../../algebra/integers.ts";
import { LimitError } from "../../errors.ts";
import type { Arrangement, Kernel } from "../../kernels/kernel.ts";
import { carriedEnds, windowSources } from "../../kernels/segments_in_windows.ts";
import type { Limits } from "../../plan/device_facts.ts";
import type { Methods } from "../../plan/methods.ts";
import type { AnyOperator } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import { wholeWords } from "../../plan/plan.ts";
import type { ReduceOptions } from "../../plan/reduce.ts";
import { planReduce } from "../../plan/reduce.ts";
import type { ScanOptions } from "../../plan/scan.ts";
import { planScan } from "../../plan/scan.ts";
import { requireWindows, windowOf } from "../../plan/window_length.ts";
import type { Context } from "../device/context.ts";
import { explain } from "../device/device.ts";
import type { Compiled, PartParams, Range, ResolvedRanges } from "../executor/executor.ts";
import type { Division, Execution } from "./choose_variant.ts";
import { executionOf, requireApart } from "./choose_variant.ts";
import {
  compileAll,
  executionsOfWindow,
  paramsOf,
  planMover,
  rangeFor,
  subrangeOf,
  wholePlan,
  windowsOf,
} from "./divide_into_windows.ts";

// Segments by offsets, flags, bits or keys, window after window. A window hands its total on: an element with the value of its last
// segment and the number of segments so far. The next window combines that with its items until its first segment starts. A reduction
// stores the last segment of a window, too. If the segment goes on in the next window, that one stores it again, at the same place.

/** The most storage buffers that a window's kernels bind if its ranges are bound as vectors. */
const MOST_BUFFERS = 9;

/**
 * The methods of a window: the first one, or a later one. `found` gets the bytes of the element and of the value of the operator on segments.
 * A reduction has no single pass of its own, which would read the offsets of all data as those of the window.
 */
export const windowMethods = (
  methods: Methods,
  isLater: boolean,
  found: (elementBytes: number, valueBytes: number) => void = () => {},
): Methods => ({
  ...methods,
  segmentsOf(options, title, own, facts, reduces) {
    const given = methods.segmentsOf?.(options, title, own, facts, reduces);
    if (given === undefined) {
      return undefined;
    }
    const { runLengths: _, ...segments } = given;
    const { singlePass, ...kernels } = segments.kernels;
    const { monoid } = segments;
    found(monoid.domain.elementBytes, own.domain.elementBytes);
    return {
      ...segments,
      bindings: { ...segments.bindings, carries: "carried" },
      // A kernel before this one has turned offsets into bits.
      ...(isByOffsets(options) && { around: (plan: Plan) => plan }),
      ends: carriedEnds(segments.title, monoid, isLater),
      kernels: windowSources({ ...kernels, ...(!reduces && singlePass && { singlePass }) }, isLater),
      fitsVectors: segments.fitsVectors && facts.limits.maxStorageBuffersPerShaderStage >= MOST_BUFFERS,
    };
  },
});

/** The methods without the kernel that reads offsets itself: in windows, offsets become bits. */
const methodsByBits = (methods: Methods): Methods => ({
  ...methods,
  segmentsOf(...asked) {
    const given = methods.segmentsOf?.(...asked);
    if (given === undefined) {
      return undefined;
    }
    const { singlePass: _, ...kernels } = given.kernels;
    return { ...given, kernels };
  },
});

const isByOffsets = ({ segments }: { readonly segments?: unknown }): boolean => segments === "offsets";

/** A scan or a reduction of segments by offsets, flags, bits or keys in windows. */
export async function headsInWindows(
  primitive: "scan" | "reduce",
  context: Context,
  options: AnyOperator<ScanOptions & ReduceOptions>,
  methods: Methods,
  given: number,
  arrangements: readonly Arrangement[],
): Promise<Division> {
  const { facts } = context;
  const { limits } = facts;
  const { type, maxLength, segments } = options;
  const reduces = primitive === "reduce";
  const planOf = (length: number, own: Methods): Plan =>
    (reduces ? planReduce : planScan)({ ...options, maxLength: length }, facts, own, arrangements);
  // Checks the options, such as the type of the keys.
  const asked = planOf(given, methods);
  const { title, itemBytes } = asked;
  const keyBytes = itemBytes.keys ?? 4;
  const headBytes = segments === "headBits" || isByOffsets(options) ? 0 : keyBytes;
  requireWindows(title, maxLength, Math.max(itemBytes.input, reduces ? 0 : type.bytes, headBytes), limits);
  // A window leaves room in its binding for the key before its first item.
  const window = Math.min(given, windowOf(maxLength, keyBytes, limits) ?? given);
  let elementBytes = 0;
  let headsAt = 0;
  const windowPlan = (isLater: boolean): Plan =>
    planOf(
      window,
      windowMethods(methods, isLater, (bytes, valueBytes) => {
        elementBytes = bytes;
        headsAt = wholeWords(valueBytes);
      }),
    );
  const first = windowPlan(false);
  const plans: Partial<Record<Part, Plan>> = {
    first,
    later: windowPlan(true),
    ...(reduces ? {} : { mover: planMover(first, type, window, context) }),
    ...(asked.needs.has("count") && {
      counter: planReduce({ type: u32, maxLength: 1 }, facts, methods, ["items"]),
    }),
    ...(isByOffsets(options) && planMarks(planOf(given, methodsByBits(methods)), maxLength, limits)),
  };
  const plan = wholePlan(first, maxLength, window, [...first.needs]);
  const { compiled, division } = await compileAll(context, Object.values(plans));
  const made = Object.fromEntries(Object.keys(plans).map((name, at) => [name, compiled[at]])) as Made;
  try {
    const carried = await rangeFor(context, made.first, "carry", 2 * elementBytes);
    const heads = made.mark && (await rangeFor(context, made.first, "heads", bytesOfBits(maxLength)));
    const windows: Windows = { plan, made, window, reduces, carried, headsAt, options };
    return {
      plan,
      ...division,
      divide: (length, ranges, params) =>
        executionsOf(windows, length, heads ? { ...ranges, heads } : ranges, params),
    };
  } catch (cause) {
    division.destroy();
    throw await explain(context, title, cause);
  }
}

/** The plans of windows: of the first one and of others; what moves results; the number of segments; what turns offsets into bits. */
type Part = "first" | "later" | "mover" | "counter" | "clear" | "mark";
type Made = Readonly<Record<"first" | "later", Compiled> & Partial<Record<Part, Compiled>>>;

/** What is prepared. */
interface Windows {
  readonly plan: Plan;
  readonly made: Made;
  /** Items of a window. */
  readonly window: number;
  readonly reduces: boolean;
  /** What windows hand on: two elements. */
  readonly carried: Range;
  /** The byte of an element that has the number of segments. */
  readonly headsAt: number;
  readonly options: { readonly segments?: unknown };
}

const bytesOfBits = (items: number): number => 4 * Math.ceil(items / 32);

/** The executions of a recording. If segments are given by offsets, `ranges` have the bits that these became. */
function executionsOf(
  windows: Windows,
  length: number,
  ranges: ResolvedRanges,
  params: PartParams,
): Execution[] {
  const { plan, made, window, carried, headsAt } = windows;
  const { first_index: firstIndex = 0, segment_count: room = 0 } = params;
  requireApart(plan, ranges);
  const { clear, mark, counter } = made;
  const parts = partsOf(windows, room, made.first.limits);
  const all = windowsOf(length, window);
  return [
    ...(clear ? [executionOf(clear, length, ranges)] : []),
    ...(mark
      ? parts.map((part) =>
          executionOf(
            mark,
            length,
            { ...ranges, ...placesOf(windows, ranges, part) },
            { segment_count: part.items },
          ),
        )
      : []),
    ...all.flatMap(({ first, items }, at) =>
      reached(windows, parts, first + items).flatMap((part) =>
        executionsOfWindow(
          at === 0 ? made.first : made.later,
          made.mover,
          items,
          { ...windowOfRanges(windows, ranges, first, items), ...placesOf(windows, ranges, part) },
          {
            ...paramsOf(first, firstIndex),
            window: at,
            first_place: part.first,
            segment_count: part.items,
          },
        ),
      ),
    ),
    ...(counter
      ? [
          executionOf(counter, 1, {
            input: {
              ...carried,
              offset: ((all.length - 1) % 2) * (carried.bytes / 2) + headsAt,
              bytes: u32.bytes,
            },
            output: ranges.count,
          }),
        ]
      : []),
  ];
}

/** Consecutive places of the totals that segments store. */
interface Places {
  readonly first: number;
  readonly items: number;
}

/** The places of up to `room` segments, divided so that one binding holds the totals, and one the offsets. */
function partsOf({ plan, reduces, options }: Windows, room: number, limits: Limits): readonly Places[] {
  const { output, unique = 0 } = plan.itemBytes;
  const bytes = Math.max(isByOffsets(options) ? 4 : 0, ...(reduces ? [output, unique] : []));
  // As many places as a window has if the data is long enough.
  const most = windowOf(Number.POSITIVE_INFINITY, Math.max(4, bytes), limits) ?? 1;
  // There is one offset more than there are segments.
  return windowsOf(room, room < most ? Math.max(1, room) : most);
}

/** Those of the places that the segments of `items` items may take. A scan stores nothing for segments. Offsets may give any number of segments. */
const reached = ({ reduces, options }: Windows, parts: readonly Places[], items: number): readonly Places[] =>
  parts.filter(({ first }) => first === 0 || (reduces && (isByOffsets(options) || first < items)));

/** The ranges of some places: what a reduction stores there, and the offsets of these segments. */
function placesOf(
  { plan: { itemBytes }, reduces }: Windows,
  { offsets, output, unique }: ResolvedRanges,
  { first, items }: Places,
): ResolvedRanges {
  const ofAll = { offsets: subrangeOf(offsets, first, items + 1, 4) };
  return reduces
    ? {
        ...ofAll,
        output: subrangeOf(output, first, items, itemBytes.output),
        unique: subrangeOf(unique, first, items, itemBytes.unique ?? 4),
      }
    : ofAll;
}

/** The ranges of a window: its items, what says where segments start in them, and what a scan stores. */
function windowOfRanges(
  { plan: { itemBytes }, carried, options }: Windows,
  ranges: ResolvedRanges,
  first: number,
  items: number,
): ResolvedRanges {
  const { input, output, heads, keys } = ranges;
  return {
    ...ranges,
    input: subrangeOf(input, first, items, itemBytes.input),
    output: subrangeOf(output, first, items, itemBytes.output),
    heads:
      options.segments === "heads"
        ? subrangeOf(heads, first, items, 4)
        : subrangeOf(heads, first / 32, Math.ceil(items / 32), 4),
    keys: keysOf(keys, first, items, itemBytes.keys ?? 4),
    carried,
  };
}

/** The keys of a window. Those of a later window begin with the key before its first item. */
const keysOf = (keys: Range | undefined, at: number, items: number, keyBytes: number): Range | undefined =>
  at === 0 ? subrangeOf(keys, 0, items, keyBytes) : subrangeOf(keys, at - 1, items + 1, keyBytes);

/**
 * Plans the kernels that turn offsets into bits, as the plan of one window has them, for more items: one clears the bits; the other sets
 * them for some of the offsets, and stores the totals of segments without items.
 *
 * @throws {LimitError}
 */
function planMarks(
  { spine: _, ...asked }: Plan,
  maxLength: number,
  { maxStorageBufferBindingSize: most }: Limits,
): Record<"clear" | "mark", Plan> {
  const bytes = bytesOfBits(maxLength);
  if (bytes > most) {
    throw new LimitError(
      `${asked.title}: the bits of ${maxLength} items take ${bytes} bytes, and a binding of the device holds ${most}`,
      bytes,
      most,
      "maxLength",
    );
  }
  const [clear, mark] = asked.kernels.slice(-2) as [Kernel, Kernel];
  const planFor = (kernel: Kernel): Plan => ({
    ...asked,
    maxLength,
    kernels: [kernel],
    scratch: [],
    variants: [{ arrangement: "items" }],
    passes: (length) =>
      asked
        .passes(length, asked.variants[0]?.arrangement ?? "items", false)
        .filter((pass) => pass.kernel === kernel)
        .map((pass) => ({ ...pass, bindings: { ...pass.bindings, head_words: "heads" } })),
  });
  return { clear: planFor(clear), mark: planFor(mark) };
}
