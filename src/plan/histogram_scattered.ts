import { paramsIn } from "../algebra/seen_params.ts";
import { packedUnless } from "../kernels/kernel.ts";
import type { Weights } from "./bin_weights.ts";
import { requireBindable } from "./binding_length.ts";
import { requireMaxLength } from "./choose_sizes.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { givenOptions } from "./given_options.ts";
import type { CheckedHistogram, HistogramOptions } from "./histogram.ts";
import { countedOf, firstBins, storedBins } from "./histogram.ts";
import { moveSizes } from "./plain_plan.ts";
import type { Pass, Plan } from "./plan.ts";
import { distinct, itemTypesOf, rangesTaken, withRanges } from "./plan.ts";
import { planFactsFor } from "./plan_facts_for.ts";
import { requireFeature } from "./require_feature.ts";
import { planScatter } from "./scatter.ts";

// A histogram of weights that are combined by an operator. It takes a scatter.

/** Plans it: a pass stores where each weight goes, and a scatter combines the weights there, in the order of the elements. */
export async function planScattered(
  options: HistogramOptions,
  facts: DeviceFacts,
  { title, type, typeOfY, binned }: CheckedHistogram,
  weights: Weights,
): Promise<Plan> {
  const { lengthOnGpu = false } = options;
  const { bins, y, count } = binned;
  const { limits } = facts;
  const tuning = givenOptions(options, ["workGroupSize", "itemsPerThread"]);
  requireFeature(weights.type, title, facts);
  const sizes = moveSizes(title, type, facts, tuning);
  requireBindable(`${title}: bins`, count, Math.max(weights.type.bytes, 4), limits, "bins");
  const itemBytes = Math.max(4, ...[type, typeOfY, weights.type].map((one) => one?.bytes ?? 0));
  const maxLength = requireMaxLength(title, options.maxLength, itemBytes, limits);
  const scatter = await planScatter(
    { ...tuning, type: weights.type, op: weights.op, maxLength, maxOutputLength: count, lengthOnGpu },
    await planFactsFor({}, facts, true),
    ["items"],
  );
  const counted = countedOf(binned, type, typeOfY);
  const given = { lengthOnGpu, sizes, maxLength, params: paramsIn(options) };
  const first = y && firstBins(bins, type, given);
  const positions = storedBins(counted, given, {
    input: y ? "y" : "input",
    packed: packedUnless(type, y),
    numbers: first?.numbers,
  });
  const counts = { segment_count: count, room: count };
  return {
    ...scatter,
    title,
    maxLength,
    kernels: distinct([positions.kernel, first?.kernel, ...scatter.kernels]),
    scratch: [...positions.scratch, ...(first?.scratch ?? []), ...scatter.scratch],
    needs: rangesTaken({ input: true, output: true, weights: true, y, length: lengthOnGpu }),
    itemTypes: {
      ...itemTypesOf(type, weights.type),
      weights: weights.itemType,
      ...(typeOfY && { y: typeOfY }),
    },
    outputLength: () => count,
    // Recordings give no number: there are as many segments as bins.
    segments: {
      numbers: [],
      reduces: true,
      headsOf: () => 0,
      countsOf: () => counts,
    },
    passes(length) {
      const combined = withRanges(scatter.passes(length, "items", false, counts), {
        input: "weights",
        positions: positions.numbers,
      }).map((pass): Pass => {
        // The weights have no index of the caller's.
        return { ...pass, params: { ...counts, ...pass.params, first_index: 0 } };
      });
      return length === 0
        ? combined
        : [...(first ? [first.pass(length)] : []), positions.pass(length), ...combined];
    },
  };
}
