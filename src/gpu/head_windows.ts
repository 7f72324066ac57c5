import { LimitError } from "../errors.ts";
import type { Arrangement } from "../kernels/kernel.ts";
import { bindingOf } from "../kernels/kernel.ts";
import { carriedEnds, laterSources } from "../kernels/later_segments.ts";
import type { Methods } from "../plan/methods.ts";
import type { AnyOperator } from "../plan/options.ts";
import type { Plan } from "../plan/plan.ts";
import type { ScanOptions } from "../plan/scan.ts";
import { planScan } from "../plan/scan.ts";
import { requireWindows, windowOf } from "../plan/windows.ts";
import type { Context } from "./context.ts";
import type { Range } from "./executor.ts";
import { compilePlan } from "./executor.ts";
import type { Division } from "./ways.ts";
import { requireApart, runOf } from "./ways.ts";
import { carriedInWindows, partOf, planMover, whole } from "./windows.ts";

// Scans of segments by offsets, flags, bits or keys that no binding holds: window after window. The total of a window is an element, which
// has its last segment's value. The next window goes on from it until a segment starts there.

/** The most storage buffers that a window's kernels bind if its ranges are bound as vectors. */
const MOST_BUFFERS = 10;

/** The methods of a window: of the first one, or of a later one. `found` is told of the operator on segments. */
export const windowMethods = (
  methods: Methods,
  isLater: boolean,
  found: (elementBytes: number) => void = () => {},
): Methods => ({
  ...methods,
  segmentsOf(options, title, own, facts, reduces) {
    const segments = methods.segmentsOf?.(options, title, own, facts, reduces);
    if (segments === undefined) {
      return undefined;
    }
    const { monoid, needs } = segments;
    found(monoid.domain.elementBytes);
    const ends = carriedEnds(segments.title, monoid, isLater);
    return {
      ...segments,
      ends,
      kernels: isLater ? laterSources(segments.kernels) : segments.kernels,
      needs: [...needs, "total", ...(isLater ? (["carried"] as const) : [])],
      fitsVectors: segments.fitsVectors && facts.limits.maxStorageBuffersPerShaderStage >= MOST_BUFFERS,
      slots: [...segments.slots, [bindingOf.carried, "carried"]],
    };
  },
});

/** A scan of segments by offsets, flags, bits or keys in windows. */
export async function scanHeadsInWindows(
  context: Context,
  options: AnyOperator<ScanOptions>,
  methods: Methods,
  window: number,
  arrangements: readonly Arrangement[],
): Promise<Division> {
  if (options.segments !== "offsets") {
    return scanFlagsInWindows(context, options, methods, window, arrangements);
  }
  // The offsets become bits once, for all windows.
  const asked = planScan({ ...options, maxLength: window }, context.facts, methods, arrangements);
  const marks = planMarks(asked, options.maxLength, context);
  const byBits = { ...options, segments: "headBits" } as const;
  const scan = await scanFlagsInWindows(context, byBits, methods, window, arrangements, asked.title);
  const { title, needs, segments } = asked;
  const plan: Plan = { ...scan.plan, title, needs, ...(segments && { segments }) };
  try {
    const compiled = await compilePlan(context, marks);
    return {
      plan,
      kernels: [...marks.kernels, ...scan.kernels],
      runs(length, ranges, params) {
        requireApart(plan, ranges);
        const bytes = 4 * Math.ceil(length / 32);
        const heads: Range = { buffer: compiled.scratch(0), offset: 0, bytes };
        const { offsets, ...others } = ranges;
        return [
          runOf(compiled, length, { offsets, length: ranges.length }, params),
          ...scan.runs(length, { ...others, heads }, params),
        ];
      },
      destroy() {
        compiled.destroy();
        scan.destroy();
      },
    };
  } catch (cause) {
    scan.destroy();
    throw cause;
  }
}

/** Plans what turns offsets into bits, which a plan of one window has, for more items. @throws {LimitError} */
function planMarks({ spine: _, ...asked }: Plan, maxLength: number, { facts }: Context): Plan {
  const most = facts.limits.maxStorageBufferBindingSize;
  const bytes = 4 * Math.ceil(maxLength / 32);
  if (bytes > most) {
    throw new LimitError(
      `${asked.title}: the bits of ${maxLength} items take ${bytes} bytes, and a binding of the device holds ${most}`,
      bytes,
      most,
      "maxLength",
    );
  }
  const kernels = asked.kernels.slice(-2);
  const bits = asked.scratch.length - 1;
  return {
    ...asked,
    maxLength,
    kernels,
    scratch: [bytes],
    eagerScratch: 1,
    ways: [{ arrangement: "items" }],
    passes: (length) =>
      asked
        .passes(length, asked.ways[0]?.arrangement ?? "items", false)
        .filter(({ kernel }) => kernels.includes(kernel))
        .map((pass) => ({
          ...pass,
          slots: new Map(
            [...pass.slots].map(([binding, slot]) => [
              binding,
              typeof slot === "object" && slot.scratch === bits ? { scratch: 0 } : slot,
            ]),
          ),
        })),
  };
}

/** The same for flags, bits and keys. `title` is what errors call the scan, if they do not name these segments. */
async function scanFlagsInWindows(
  context: Context,
  options: AnyOperator<ScanOptions>,
  methods: Methods,
  given: number,
  arrangements: readonly Arrangement[],
  title?: string,
): Promise<Division> {
  const { facts } = context;
  const { type, maxLength, segments } = options;
  let elementBytes = 0;
  const planOf = (maxLength: number, isLater: boolean): Plan => ({
    ...planScan(
      { ...options, maxLength },
      facts,
      windowMethods(methods, isLater, (bytes) => {
        elementBytes = bytes;
      }),
      arrangements,
    ),
    ...(title !== undefined && { title }),
  });
  // Checks the options, such as the type of the keys.
  const asked = planOf(given, false);
  const keyBytes = asked.itemBytes.keys ?? 4;
  const headBytes = segments === "headBits" ? 0 : keyBytes;
  const itemBytes = Math.max(type.bytes, asked.itemBytes.input);
  requireWindows(asked.title, maxLength, Math.max(itemBytes, headBytes), facts.limits);
  // The keys of a window begin with one before it, for which a window leaves room.
  const window = Math.min(given, windowOf(maxLength, keyBytes, facts.limits) ?? given);
  const first = window === given ? asked : planOf(window, false);
  const needs = [...first.needs].filter((name) => name !== "total");
  return carriedInWindows(
    context,
    whole(first, maxLength, window, needs),
    [first, planOf(window, true)],
    window,
    { bytes: elementBytes },
    (ranges, at, items, { before, after }) => ({
      output: partOf(ranges.output, at, items, type.bytes),
      initial: ranges.initial,
      carried: at === 0 ? undefined : before,
      total: after,
      ...(segments === "headBits"
        ? { heads: partOf(ranges.heads, at / 32, Math.ceil(items / 32), 4) }
        : segments === "heads"
          ? { heads: partOf(ranges.heads, at, items, 4) }
          : { keys: keysOf(ranges.keys, at, items, keyBytes) }),
    }),
    planMover(first, type, window, context),
  );
}

/** The keys of a window. Those of a later one begin with one before it. */
const keysOf = (keys: Range | undefined, at: number, items: number, keyBytes: number): Range | undefined =>
  at === 0 ? partOf(keys, 0, items, keyBytes) : partOf(keys, at - 1, items + 1, keyBytes);
