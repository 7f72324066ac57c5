import { atomicOf } from "../algebra/atomics.ts";
import { u32 } from "../algebra/integers.ts";
import type { Monoid, Operator } from "../algebra/monoid.ts";
import { isSameType, requireType } from "../algebra/types.ts";
import { itemsOfVector } from "../kernels/contract.ts";
import { gatherAtPositionsKernel } from "../kernels/gather.ts";
import type { Arrangement } from "../kernels/kernel.ts";
import {
  atomicKernel,
  cutPositionsKernel,
  fillIdentityKernel,
  fillWordsKernel,
  scatterKernel,
} from "../kernels/scatter.ts";
import { loadSegmentsAndRuns } from "../parts.ts";
import { copiesFor, histogramRow } from "./histogram.ts";
import type { AnyOperator } from "./options.ts";
import { passOver, plainSizes } from "./plain_plan.ts";
import type { Plan, Scratch } from "./plan.ts";
import { bound, distinct, perArrangement, TWO_BUFFERS, wholeWords, withRanges } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import type { ScatterBase, ScatterOptions } from "./scatter_base.ts";
import { baseOf, planOfItems, requireCombinable } from "./scatter_base.ts";
import { widenedFirst } from "./scatter_widened.ts";

/** Elements of one word are stored at their positions, in an output of zeros. */
function planWords(base: ScatterBase): Plan {
  const { lengthOnGpu, sizes } = base;
  const fill = fillWordsKernel("0u", sizes);
  const scatter = scatterKernel("words", lengthOnGpu, sizes);
  return planOfItems(base, [fill, scatter], [], (length, room) => [
    passOver(fill, room, { output: "output" }),
    passOver(scatter, length, {
      input: "input",
      positions: "positions",
      output_words: "output",
      length_buffer: "length",
    }),
  ]);
}

/** The claim of an item that no element has claimed: it is past the last element. */
const UNCLAIMED = "0xffffffffu";

/** Elements of several words, or of half a word, claim their positions. Then each item takes the element that claimed it, whole. */
function planClaims(base: ScatterBase): Plan {
  const { type, lengthOnGpu, sizes, maxOutputLength } = base;
  const fill = fillWordsKernel(UNCLAIMED, sizes);
  const claim = scatterKernel("claims", lengthOnGpu, sizes);
  const gather = gatherAtPositionsKernel(type, false, false, sizes);
  const claims: Scratch = { name: "claims", bytes: wholeWords(maxOutputLength * 4) };
  return planOfItems(base, [fill, claim, gather], [claims], (length, room) => [
    passOver(fill, room, { output: claims }),
    passOver(claim, length, { positions: "positions", claims, length_buffer: "length" }),
    passOver(
      gather,
      room,
      { input: claims, values: "input", output: "output" },
      { params: { sorted_length: length } },
    ),
  ]);
}

/** Words are combined by atomics: in work-group memory, if that has room for all positions, and in the output. */
function planAtomic(
  base: ScatterBase,
  monoid: Monoid,
  options: AnyOperator<ScatterOptions>,
  facts: PlanFacts,
  arrangements: readonly Arrangement[],
): Plan {
  const { title, type, lengthOnGpu, maxOutputLength, common } = base;
  const row = histogramRow(facts);
  const sizes = plainSizes(row, title, type, options, facts);
  const tile = sizes.workGroupSize * sizes.items;
  const fill = fillIdentityKernel(monoid, base.sizes);
  const bins = Math.max(1, maxOutputLength);
  const copies = copiesFor(bins, row, facts.limits);
  const kernels = perArrangement(arrangements, (arrangement) =>
    atomicKernel({ monoid, arrangement, lengthOnGpu, sizes, bins, copies }),
  );
  return {
    ...common,
    kernels: distinct([fill, ...kernels.all]),
    scratch: [],
    vector: itemsOfVector(4, sizes.items),
    vectorRanges: ["positions"],
    variants: arrangements.map((arrangement) => ({ arrangement })),
    passes(length, arrangement, _aside, { room = 0 } = {}) {
      const kernel = kernels.of(arrangement);
      const bindings = {
        input: "positions",
        weights: "input",
        bins: "output",
        length_buffer: "length",
      } as const;
      const tiles = Math.min(row.workGroups, Math.ceil(length / tile));
      return room === 0
        ? []
        : [
            passOver(fill, room, { output: "output" }),
            ...(length === 0 ? [] : [{ kernel, bindings: bound(kernel, bindings), length, tiles }]),
          ];
    },
  };
}

/**
 * Plans a scatter that sorts the elements by their positions, reduces each run of equal positions, and stores the totals there. Sorts and
 * segments are loaded first.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError}
 */
async function planSorted(base: ScatterBase, monoid: Monoid, op: Operator, facts: PlanFacts): Promise<Plan> {
  const { type, lengthOnGpu, sizes, maxLength, maxOutputLength } = base;
  const { planSortedRuns } = await loadSegmentsAndRuns();
  // Positions past the end are as long as the output.
  const { sort, reduce } = await planSortedRuns(type, op, maxOutputLength, { maxLength, lengthOnGpu }, facts);
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
        ? [passOver(fill, room, { output: "output" })]
        : [
            passOver(fill, room, { output: "output" }),
            passOver(cut, length, { input: "positions", output: positions, length_buffer: "length" }),
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
            passOver(store, Math.min(length, room), {
              input: totals,
              positions: unique,
              output: "output",
              length_buffer: count,
            }),
          ],
  );
  return { ...plan, groupingOf: reduce.groupingOf, ...(reduce.spine && { spine: reduce.spine }) };
}

/**
 * Plans a scatter. Without an operator, elements are stored where they belong. By one that WGSL has atomics for, they are combined there. By any
 * other, they are sorted by their positions, and each run of equal positions is reduced.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export async function planScatter(
  options: AnyOperator<ScatterOptions>,
  facts: PlanFacts,
  arrangements: readonly Arrangement[] = TWO_BUFFERS,
): Promise<Plan> {
  const { from } = options;
  if (from !== undefined) {
    requireCombinable(
      requireType(from, "scatter: from", "from"),
      requireType(options.type, "scatter"),
      options.op,
    );
    if (!isSameType(from, options.type)) {
      const { from: _, ...others } = options;
      const plan = await planScatter(others, facts, arrangements);
      return widenedFirst(plan, { ...others, from }, facts);
    }
  }
  const { monoid, ...base } = baseOf(options, facts);
  if (monoid === undefined) {
    return base.type.bytes === 4 ? planWords(base) : planClaims(base);
  }
  if (atomicOf(monoid) !== undefined) {
    return planAtomic(base, monoid, options, facts, arrangements);
  }
  return planSorted(base, monoid, options.op as Operator, facts);
}
