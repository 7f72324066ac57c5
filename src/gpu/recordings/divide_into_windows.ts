import type { ElementType } from "../../algebra/types.ts";
import { LimitError } from "../../errors.ts";
import { appendScratch, planAppend } from "../../plan/append_kept_items.ts";
import type { Plan, RangeName } from "../../plan/plan.ts";
import { wholeWords } from "../../plan/plan.ts";
import type { Context } from "../device/context.ts";
import { allocate } from "../device/device.ts";
import { STORAGE } from "../device/usage_flags.ts";
import type { Compiled, PartParams, Range, ResolvedRanges } from "../executor/executor.ts";
import { compilePlan } from "../executor/executor.ts";
import type { Division, Execution } from "./choose_variant.ts";
import { executionOf } from "./choose_variant.ts";

// What recordings in windows share. They are of ranges that are longer than a binding may be.

/** The `items` items of a range from an item on, as a range. */
export const subrangeOf = (
  range: Range | undefined,
  first: number,
  items: number,
  itemBytes: number,
): Range | undefined =>
  range && { buffer: range.buffer, offset: range.offset + first * itemBytes, bytes: items * itemBytes };

/** The windows of a length: where each starts, and how many items it has. There is at least one. */
export const windowsOf = (length: number, window: number): { first: number; items: number }[] =>
  Array.from({ length: Math.max(1, Math.ceil(length / window)) }, (_, at) => ({
    first: at * window,
    items: Math.min(window, length - at * window),
  }));

/** Parameters of a window that starts at an item. */
export const partParamsOf = (first: number, firstIndex: number) => ({
  first_index: (firstIndex + first) >>> 0,
  length_before: first,
});

/** Plans that were compiled together. */
interface CompiledTogether {
  readonly compiled: readonly Compiled[];
  /** The members of a {@link Division} that depend on these plans. */
  readonly division: Pick<Division, "kernels" | "destroy">;
}

/** Compiles plans one after another, and destroys those that were compiled if one fails. */
export async function compileAll(context: Context, plans: readonly Plan[]): Promise<CompiledTogether> {
  const compiled: Compiled[] = [];
  const destroy = (): void => {
    for (const one of compiled) {
      one.destroy();
    }
  };
  try {
    for (const plan of plans) {
      compiled.push(await compilePlan(context, plan));
    }
  } catch (cause) {
    destroy();
    throw cause;
  }
  return { compiled, division: { kernels: plans.flatMap(({ kernels }) => kernels), destroy } };
}

/** A range of a buffer of its own, which is destroyed with what is compiled. @throws {OutOfMemoryError} */
export const rangeFor = async (
  context: Context,
  owner: Compiled,
  name: string,
  bytes: number,
): Promise<Range> => {
  const { title } = owner.plan;
  const label = `wavefold ${title} ${name}`;
  const descriptor = { label, size: wholeWords(bytes), usage: STORAGE };
  return { buffer: owner.own(await allocate(context, descriptor, title)), offset: 0, bytes };
};

/** The plan that copies a window's results to where no binding reaches both them and the window's input. */
export function planMover(plan: Plan, type: ElementType, window: number, { facts }: Context): Plan {
  // The count of kept items is as large as can be, so all items of a window move.
  const counts = Uint32Array.of(0xffffffff, 0, 0, 0);
  const appended = planAppend({ type, maxLength: window }, plan, window, facts, counts);
  return { ...appended, kernels: appended.kernels.slice(0, 1) };
}

/** The executions of a window: one, or two where its results go through the scratch of the plan that moves them. */
export function executionsOfWindow(
  own: Compiled,
  mover: Compiled | undefined,
  items: number,
  ranges: ResolvedRanges,
  params: PartParams,
): Execution[] {
  const { input, output } = ranges;
  try {
    return [executionOf(own, items, ranges, params)];
  } catch (cause) {
    // If the number of items is on the GPU, only the GPU knows how many to move.
    const mayMove = cause instanceof LimitError && input?.buffer === output?.buffer && !ranges.length;
    if (!mover || !output || !mayMove) {
      throw cause;
    }
    const aside = { buffer: mover.scratch(appendScratch.kept), offset: 0, bytes: output.bytes };
    return [
      executionOf(own, items, { ...ranges, output: aside }, params),
      executionOf(mover, items, { output }, { window: 0, first_place: 0 }),
    ];
  }
}

/** Makes a plan that describes the whole from the plan of a window. It has the length, the ranges and the grouping of the whole. */
export const wholePlan = (
  plan: Plan,
  maxLength: number,
  window: number,
  needs: readonly RangeName[],
): Plan => ({
  ...plan,
  maxLength,
  needs: new Set(needs),
  groupingOf: (arrangement) => ({ ...plan.groupingOf(arrangement), window }),
});
