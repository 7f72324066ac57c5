import { u32 } from "../algebra/integers.ts";
import type { Monoid, Operator } from "../algebra/monoid.ts";
import { cutPositionsKernel, fillIdentityKernel, scatterKernel } from "../kernels/scatter.ts";
import type { Plan, Scratch } from "./plan.ts";
import { wholeWords, withRanges } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import { planRecording } from "./plan_recording.ts";
import { plannerOfSegments } from "./plan_segmented.ts";
import type { ScatterBase } from "./scatter_base.ts";
import { planOfItems } from "./scatter_base.ts";
import { planSortWithValues } from "./sort_with_values.ts";

// A scatter by an operator that needs the order of the elements. It is loaded later: it takes sorts and segments.

/** The bits of the numbers up to one: at least 1. */
const bitsUpTo = (most: number): number => Math.max(1, 32 - Math.clz32(most));

/**
 * Plans a scatter that sorts the elements by their positions, reduces each run of equal positions, and stores the totals there. The sort is stable
 * and reductions keep the order, so elements are combined in theirs.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError}
 */
export async function planSorted(
  base: ScatterBase,
  monoid: Monoid,
  op: Operator,
  facts: PlanFacts,
): Promise<Plan> {
  const { type, lengthOnGpu, sizes, maxLength, maxOutputLength, pass } = base;
  const lengths = { maxLength, lengthOnGpu };
  // Positions past the end are as long as the output.
  const bits = [0, bitsUpTo(maxOutputLength)] as const;
  const sort = await planSortWithValues({ type: u32, values: type, bits, ...lengths }, facts);
  const reduce = planRecording(
    "reduce",
    { type, op, segments: { keys: u32, unique: true }, ...lengths } as object,
    facts,
    ["vectors"],
    plannerOfSegments("reduce"),
  );
  const fill = fillIdentityKernel(monoid, sizes);
  const cut = cutPositionsKernel(lengthOnGpu, sizes);
  const store = scatterKernel(type, true, sizes);
  const scratchOf = (name: string, length: number, itemBytes: number): Scratch => ({
    name,
    bytes: wholeWords(length * itemBytes),
    itemBytes,
  });
  // The run of positions past the end comes last, and so it is the one that there may be no room for.
  const most = Math.min(maxLength, maxOutputLength);
  const positions = scratchOf("positions", maxLength, u32.bytes);
  const sorted = scratchOf("sorted positions", maxLength, u32.bytes);
  const values = scratchOf("sorted values", maxLength, type.bytes);
  const totals = scratchOf("totals", most, type.bytes);
  const unique = scratchOf("positions of totals", most, u32.bytes);
  const count = scratchOf("number of totals", 1, u32.bytes);
  const [variant] = reduce.variants;
  const plan = planOfItems(
    base,
    [fill, cut, store, ...sort.kernels, ...reduce.kernels],
    [positions, sorted, values, totals, unique, count, ...sort.scratch, ...reduce.scratch],
    (length, room) =>
      length === 0
        ? [pass(fill, { output: "output" }, room)]
        : [
            pass(fill, { output: "output" }, room),
            pass(cut, { input: "positions", output: positions, length_buffer: "length" }, length),
            ...withRanges(sort.passes(length, "items"), {
              input: positions,
              output: sorted,
              values: "input",
              reordered: values,
            }),
            ...withRanges(
              reduce.passes(length, variant?.arrangement ?? "items", false, { room, segment_count: room }),
              {
                input: values,
                keys: sorted,
                output: totals,
                unique,
                count,
              },
            ),
            pass(
              store,
              { input: totals, positions: unique, output: "output", length_buffer: count },
              Math.min(length, room),
            ),
          ],
  );
  return { ...plan, groupingOf: reduce.groupingOf, ...(reduce.spine && { spine: reduce.spine }) };
}
