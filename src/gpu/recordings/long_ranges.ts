import { u32 } from "../../algebra/integers.ts";
import { monoid as monoidOf } from "../../algebra/monoid.ts";
import { add } from "../../algebra/operators.ts";
import type { ElementType } from "../../algebra/types.ts";
import { LimitError } from "../../errors.ts";
import type { Arrangement } from "../../kernels/kernel.ts";
import { appendScratch, planAppend } from "../../plan/append_kept_items.ts";
import type { CompactOptions } from "../../plan/compact.ts";
import { planCompact } from "../../plan/compact.ts";
import type { AnyOperator } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import { withTextParams } from "../../plan/plan.ts";
import type { PlanFacts } from "../../plan/plan_facts.ts";
import type { ReduceOptions } from "../../plan/reduce.ts";
import { planReduce } from "../../plan/reduce.ts";
import type { ScanOptions } from "../../plan/scan.ts";
import { planScan } from "../../plan/scan.ts";
import { requireWindows } from "../../plan/window_length.ts";
import type { Context } from "../device/context.ts";
import { explain } from "../device/lost.ts";
import type { Compiled, Range, ResolvedRanges } from "../executor/executor.ts";
import type { Division } from "./choose_variant.ts";
import { bindingProblemOf, executionOf, requireApart } from "./choose_variant.ts";
import {
  compileAll,
  executionsOfWindow,
  partParamsOf,
  planMover,
  rangeFor,
  subrangeOf,
  wholePlan,
  windowsOf,
} from "./divide_into_windows.ts";

// Recordings of ranges that are longer than a binding may be: window after window, with the carry handed on on the GPU.

/** The carries of a window: a dispatch reads one and writes the other. `isLast` is whether no window comes after it. */
interface Carries {
  readonly before: Range | undefined;
  readonly after: Range;
  readonly isLast: boolean;
}

/** The plans of what is combined window after window. */
interface WindowPlans {
  /** The plan of the whole, for which a caller's ranges are checked. */
  readonly whole: Plan;
  /** The plan of the first window and that of the others, or one for all. */
  readonly plans: readonly Plan[];
  /** Whether the last window comes first. */
  readonly reverse?: boolean | undefined;
  /** Copies a window's results to the output where one binding could not hold both the output and the input. */
  readonly mover?: Plan;
}

/** The ranges of a window that depend on the carries. */
type EndsOfWindow = (
  ranges: ResolvedRanges,
  first: number,
  items: number,
  carries: Carries,
) => ResolvedRanges;

/** Combines window after window, each on top of those before. */
async function carriedInWindows(
  context: Context,
  { whole: plan, plans, reverse, mover }: WindowPlans,
  window: number,
  { bytes }: Pick<ElementType, "bytes">,
  endsOf: EndsOfWindow,
): Promise<Division> {
  const { title, itemTypes } = plan;
  const { compiled, division } = await compileAll(context, [...plans, ...(mover ? [mover] : [])]);
  const [head, rest = head] = compiled.slice(0, plans.length) as [Compiled, Compiled?];
  const move = compiled[plans.length];
  const carry = (): Promise<Range> => rangeFor(context, head, "carry", bytes);
  let carries: readonly [Range, Range];
  try {
    carries = [await carry(), await carry()];
  } catch (cause) {
    division.destroy();
    throw await explain(context, title, cause);
  }
  return {
    plan,
    ...division,
    divide(length, ranges, { first_index: firstIndex = 0 }) {
      requireApart(plan, ranges);
      const windows = windowsOf(length, window);
      const inOrder = reverse ? windows.reverse() : windows;
      return inOrder.flatMap(({ first, items }, at) => {
        const windowRanges: ResolvedRanges = {
          ...ranges,
          input: subrangeOf(ranges.input, first, items, itemTypes.input.bytes),
          ...endsOf(ranges, first, items, {
            before: at === 0 ? ranges.initial : carries[(at + 1) % 2],
            after: carries[at % 2] as Range,
            isLast: at === windows.length - 1,
          }),
        };
        return executionsOfWindow(
          at === 0 ? head : rest,
          move,
          items,
          windowRanges,
          partParamsOf(first, firstIndex),
        );
      });
    },
  };
}

/** @throws {LimitError} for an operator whose values say less than its elements: carries hold values. */
function requireValues(
  { type, op = add, maxLength }: AnyOperator<ScanOptions | ReduceOptions>,
  primitive: string,
  window: number,
): void {
  const { title, carried } = monoidOf(op, type, primitive);
  if (carried) {
    throw new LimitError(
      `${primitive}<${title}>: ${maxLength} items are more than a binding of the device holds, which is about ${window}; longer ranges go in windows, and the sums between these would be rounded. A stream keeps them exact`,
      maxLength,
      window,
      "maxLength",
    );
  }
}

/** A scan in windows: each starts from the total of the windows before it. */
async function scanInWindows(
  context: Context,
  options: AnyOperator<ScanOptions>,
  facts: PlanFacts,
  window: number,
  arrangements: readonly Arrangement[],
): Promise<Division> {
  requireValues(options, "scan", window);
  const { type, maxLength, initial, total, reverse } = options;
  const planOf = (more: object): Plan =>
    withTextParams(
      planScan({ ...options, ...more, maxLength: window, total: true }, facts, arrangements),
      options,
    );
  const continued = { initial: true, continued: true };
  // A length on the GPU may leave the last windows empty. In reverse, they come first, and hand on the identity.
  const first = planOf(reverse && !initial ? { continued: true } : {});
  const itemBytes = Math.max(type.bytes, first.itemTypes.input.bytes);
  requireWindows(first.title, maxLength, itemBytes, context.facts.limits);
  const needs = [...first.needs].filter((name) => name !== "total" || total);
  const plans: WindowPlans = {
    whole: wholePlan(first, maxLength, window, needs),
    plans: initial ? [first] : [first, planOf(continued)],
    reverse,
    mover: planMover(first, type, window, context),
  };
  return carriedInWindows(context, plans, window, type, (ranges, at, items, { before, after, isLast }) => ({
    output: subrangeOf(ranges.output, at, items, type.bytes),
    initial: before,
    total: (isLast && ranges.total) || after,
  }));
}

/** A reduction in windows: each starts from the result of the windows before it. */
async function reduceInWindows(
  context: Context,
  options: AnyOperator<ReduceOptions>,
  facts: PlanFacts,
  window: number,
  arrangements: readonly Arrangement[],
): Promise<Division> {
  requireValues(options, "reduce", window);
  const { type, maxLength, initial } = options;
  const planOf = (more: object): Plan =>
    withTextParams(planReduce({ ...options, ...more, maxLength: window }, facts, arrangements), options);
  const first = planOf({});
  requireWindows(first.title, maxLength, first.itemTypes.input.bytes, context.facts.limits);
  const plans: WindowPlans = {
    whole: wholePlan(first, maxLength, window, [...first.needs]),
    plans: initial ? [first] : [first, planOf({ initial: true })],
  };
  return carriedInWindows(context, plans, window, type, ({ output }, _, __, { before, after, isLast }) => ({
    output: isLast ? output : after,
    initial: before,
  }));
}

/** The index of the first window's number of kept items in the counts of {@link planAppend}. */
const COUNTS_BEFORE = 2 * u32.bytes;

/**
 * A compaction in windows. The kept items of each window but the first go to scratch, since nobody but the GPU knows where in
 * the output they begin. From there they are copied to each part of the output that a binding holds and that they may reach.
 */
async function compactInWindows(
  context: Context,
  options: CompactOptions,
  facts: PlanFacts,
  window: number,
  arrangements: readonly Arrangement[],
): Promise<Division> {
  const { maxLength, indirect } = options;
  const planFor = (own: CompactOptions): Plan =>
    withTextParams(planCompact({ ...own, maxLength: window }, facts, arrangements), options);
  const asked = planFor(options);
  const { title, itemTypes } = asked;
  requireWindows(
    title,
    maxLength,
    Math.max(itemTypes.input.bytes, itemTypes.output.bytes),
    context.facts.limits,
  );
  const { indirect: _, ...others } = options;
  const windowPlan = indirect === undefined ? asked : planFor(others);
  const plan = wholePlan(asked, maxLength, window, [...asked.needs]);
  const { compiled, division } = await compileAll(context, [
    windowPlan,
    planAppend(options, plan, window, context.facts),
  ]);
  const [own, append] = compiled as [Compiled, Compiled];
  return {
    plan,
    ...division,
    divide(length, ranges, { first_index: firstIndex = 0 }) {
      requireApart(plan, ranges);
      const windows = windowsOf(length, window);
      const scratch = (name: string, bytes: number): Range => ({
        buffer: append.scratch(name),
        offset: 0,
        bytes,
      });
      // A dispatch that reads the output's buffer, too, would need scratch of its own.
      const read = [ranges.input, ranges.flags, ranges.length];
      const isApart = !read.some((range) => range?.buffer === ranges.output?.buffer);
      const executions = windows.flatMap(({ first, items }, at) => {
        const given: ResolvedRanges = {
          input: subrangeOf(ranges.input, first, items, itemTypes.input.bytes),
          flags: subrangeOf(ranges.flags, first, items, 4),
          length: ranges.length,
          params: ranges.params,
          output: scratch(appendScratch.kept, items * itemTypes.output.bytes),
          count: scratch(appendScratch.counts, u32.bytes),
        };
        if (at === 0 && isApart) {
          // Nothing comes before the first window, so its items go to their places at once, and so does their number.
          const output = subrangeOf(ranges.output, 0, items, itemTypes.output.bytes);
          const count = { ...given.count, offset: COUNTS_BEFORE } as Range;
          return [executionOf(own, items, { ...given, output, count }, partParamsOf(first, firstIndex))];
        }
        const places = windows.slice(0, at + 1).map((place) => {
          const output = subrangeOf(ranges.output, place.first, place.items, itemTypes.output.bytes);
          return executionOf(append, window, { output }, { window: at, first_place: place.first });
        });
        return [executionOf(own, items, given, partParamsOf(first, firstIndex)), ...places];
      });
      const { count, indirect } = ranges;
      const store = append.bind(1, { count, indirect }, STORE, { window: windows.length - 1 });
      const problem = bindingProblemOf(append, store);
      if (problem !== undefined) {
        throw problem;
      }
      return [...executions, { compiled: append, variant: STORE, passes: store }];
    },
  };
}

/** The variant of {@link planAppend} that stores the number of kept items. */
const STORE = { arrangement: "items", aside: true } as const;

const primitives = { scan: scanInWindows, reduce: reduceInWindows, compact: compactInWindows } as const;

/** Plans a primitive for ranges that are longer than a binding may be, and compiles it. */
export const inWindows = (
  primitive: keyof typeof primitives,
  context: Context,
  options: AnyOperator<ScanOptions & ReduceOptions> & CompactOptions,
  ...others: readonly [facts: PlanFacts, window: number, arrangements: readonly Arrangement[]]
): Promise<Division> => primitives[primitive](context, options, ...others);
