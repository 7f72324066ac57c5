import { u32 } from "../../algebra/integers.ts";
import { LimitError } from "../../errors.ts";
import { leastCommonMultiple } from "../../kernels/contract.ts";
import type { Arrangement } from "../../kernels/kernel.ts";
import { isWide } from "../../kernels/kernel.ts";
import type { Limits } from "../../plan/device_facts.ts";
import type { Methods } from "../../plan/methods.ts";
import type { AnyOperator } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ReduceOptions } from "../../plan/reduce.ts";
import { planReduce } from "../../plan/reduce.ts";
import { planRows } from "../../plan/rows.ts";
import type { ScanOptions } from "../../plan/scan.ts";
import { planScan } from "../../plan/scan.ts";
import { requireWindows } from "../../plan/window_length.ts";
import type { Context } from "../device/context.ts";
import { explain } from "../device/device.ts";
import type { Compiled, Range } from "../executor/executor.ts";
import type { Division, Execution } from "./choose_variant.ts";
import { executionOf, requireApart } from "./choose_variant.ts";
import {
  compileAll,
  executionsOfWindow,
  paramsOf,
  planMover,
  rangeFor,
  subrangeOf,
  windowsOf,
} from "./divide_into_windows.ts";
import { headsInWindows } from "./heads_in_windows.ts";

// Rows of data that is longer than a binding may be. Each window has whole rows, so no window hands anything on to the next.

/** The most items of a window, wherever it starts: a binding starts at an aligned address and at a vector, before its range. */
const mostItems = ({ itemBytes, vector, maxLength }: Plan, limits: Limits): number =>
  Math.min(
    maxLength,
    ...[itemBytes.input, itemBytes.output].map((bytes) => {
      const before = leastCommonMultiple(limits.minStorageBufferOffsetAlignment, vector * bytes);
      return Math.floor((limits.maxStorageBufferBindingSize - before) / bytes);
    }),
  );

/** @throws {LimitError} for columns. */
function refuseColumns(
  { title }: Plan,
  { maxLength }: AnyOperator<ScanOptions | ReduceOptions>,
  window: number,
): never {
  throw new LimitError(
    `${title}: ${maxLength} items are more than a binding of the device holds, which is about ${window}; rows go in windows, and columns do not: transpose the matrix, or open the device with a greater maxStorageBufferBindingSize`,
    maxLength,
    window,
    "maxLength",
  );
}

/**
 * A scan or a reduction of rows, or by offsets, flags, bits or keys, in windows.
 *
 * @throws {LimitError} for columns. A recording throws it for rows that no binding holds.
 */
export async function segmentsInWindows(
  primitive: "scan" | "reduce",
  context: Context,
  options: AnyOperator<ScanOptions & ReduceOptions>,
  methods: Methods,
  window: number,
  arrangements: readonly Arrangement[],
): Promise<Division> {
  const { facts } = context;
  const { type, maxLength, segments, lengthOnGpu = false } = options;
  const reduces = primitive === "reduce";
  // `headsInWindows` also refuses segments of a wrong kind.
  if (segments !== "rows" && segments !== "columns") {
    return headsInWindows(primitive, context, options, methods, window, arrangements);
  }
  const own = { ...options, maxLength: window };
  // Not all windows start at a vector.
  const allArrangements = [...new Set([...arrangements, "items" as const])];
  const plan =
    methods.planColumns?.(primitive, own, facts, methods, allArrangements) ??
    (segments === "rows" ? planRows(primitive, own, facts, methods, allArrangements) : undefined) ??
    (reduces ? planReduce : planScan)(own, facts, methods, allArrangements);
  const { title, itemBytes, vector } = plan;
  // A reduction has one result for each row.
  const longest = reduces ? itemBytes.input : Math.max(itemBytes.input, itemBytes.output);
  requireWindows(title, maxLength, longest, facts.limits);
  if (segments !== "rows") {
    refuseColumns(plan, options, window);
  }
  const most = mostItems(plan, facts.limits);
  /**
   * How many rows a window has: at least one. If more rows than a vector has items fit, it is a multiple of that number, so that
   * each window starts at a vector.
   */
  const rowsOf = (columns: number): number => {
    const rows = Math.floor(most / columns);
    return rows > vector ? rows - (rows % vector) : rows;
  };
  const whole: Plan = {
    ...plan,
    maxLength,
    groupingOf: (arrangement, params = {}) => ({
      ...plan.groupingOf(arrangement, params),
      window: Math.max(1, rowsOf(params.columns ?? 1) * (params.columns ?? 1)),
    }),
  };

  // The number of rows is the sum of the windows' numbers, which only the GPU knows.
  const isCounted = reduces && lengthOnGpu;
  // The number of rows is rounded down twice, and each time at most half of them are lost. So a window has more than a quarter of `most`
  // items.
  const mostWindows = Math.ceil((4 * maxLength) / most) + 1;
  const { compiled, division } = await compileAll(context, [
    plan,
    ...(reduces ? [] : [planMover(plan, type, window, context)]),
    ...(isCounted ? [planReduce({ type: u32, maxLength: mostWindows }, facts, methods, ["items"])] : []),
  ]);
  const [rows, second] = compiled as [Compiled, Compiled?];
  const mover = reduces ? undefined : second;
  const counter = isCounted ? second : undefined;
  const narrow: Compiled = {
    ...rows,
    plan: { ...plan, variants: plan.variants.filter(({ arrangement }) => !isWide(arrangement)) },
  };
  let counts: Range | undefined;
  try {
    counts = isCounted ? await rangeFor(context, rows, "counts", mostWindows * u32.bytes) : undefined;
  } catch (cause) {
    division.destroy();
    throw await explain(context, title, cause);
  }

  return {
    plan: whole,
    ...division,
    divide(length, ranges, { first_index: firstIndex = 0, columns = 1 }) {
      requireApart(whole, ranges);
      if (columns > most && length > most) {
        throw new LimitError(
          `${title}: a row has ${columns} items, and a binding of the device holds ${most}; scan or reduce each row as a range of its own, without segments, or open the device with a greater maxStorageBufferBindingSize`,
          columns,
          most,
          "rows",
        );
      }
      const rowsPerWindow = length > most ? rowsOf(columns) : Math.ceil(length / columns);
      const windows = windowsOf(length, Math.max(1, rowsPerWindow * columns));
      const atVectors =
        windows.length === 1 || (reduces ? rowsPerWindow : rowsPerWindow * columns) % vector === 0;
      const inParts = counts && windows.length > 1 ? counts : undefined;
      const executions = windows.flatMap(({ first, items }, at): Execution[] => {
        const segmentCount = Math.ceil(items / columns);
        const given = {
          ...ranges,
          input: subrangeOf(ranges.input, first, items, itemBytes.input),
          output: reduces
            ? subrangeOf(ranges.output, first / columns, segmentCount, itemBytes.output)
            : subrangeOf(ranges.output, first, items, itemBytes.output),
          count: inParts ? subrangeOf(inParts, at, 1, u32.bytes) : ranges.count,
        };
        const params = { ...paramsOf(first, firstIndex), columns, segment_count: segmentCount };
        return executionsOfWindow(atVectors ? rows : narrow, mover, items, given, params);
      });
      return inParts && counter
        ? [
            ...executions,
            executionOf(counter, windows.length, {
              input: subrangeOf(inParts, 0, windows.length, u32.bytes),
              output: ranges.count,
            }),
          ]
        : executions;
    },
  };
}
