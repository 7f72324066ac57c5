import { u32 } from "../../algebra/integers.ts";
import { contextOf } from "../device/device.ts";
import { explain } from "../device/lost.ts";
import type { Fold } from "../fold.ts";
import { prepareFor } from "../recordings/prepare_folds.ts";
import type { Prepared } from "./bench.ts";
import { TITLE } from "./bench.ts";
import type { TuningCandidate } from "./candidates.ts";
import type { Checked } from "./check_results.ts";
import { BINS } from "./sample.ts";

/**
 * The plan of a candidate.
 *
 * @throws {DeviceLostError} and what else keeps the device from it: it lacks memory, or its driver refuses the kernel.
 */
export async function prepare(
  fold: Fold,
  { primitive, type, sample, lengths }: Checked & { readonly lengths: readonly number[] },
  { passes, ...candidate }: TuningCandidate,
): Promise<Prepared> {
  const options = { type: type as typeof u32, maxLength: Math.max(...lengths), ...candidate };
  try {
    if (primitive === "sort") {
      const plan = await fold.prepareSort({ ...options, passes });
      return {
        record: (into, { input, output }, length) => plan.record(into, { input, output, length }),
        destroy: () => plan.destroy(),
      };
    }
    if (primitive === "pairs") {
      // The values are the keys, so both results are the same.
      const plan = await fold.prepareSort({ ...options, values: u32, passes });
      return {
        record: (into, { input, output, reordered }, length) =>
          plan.record(into, { input, output, values: input, reordered, length }),
        destroy: () => plan.destroy(),
      };
    }
    if (primitive === "histogram") {
      const plan = await fold.prepareHistogram({ ...options, bins: BINS, range: [0, 2 ** 32] });
      return {
        record: (into, { input, output }, length) => plan.record(into, { input, output, length }),
        destroy: () => plan.destroy(),
      };
    }
    // Kernels for ranges that lie in other ways take as long to compile, and are not timed.
    const plan = await prepareFor(
      primitive,
      contextOf(fold.device),
      {
        ...options,
        ...(primitive === "compact" ? { where: sample.where } : { op: sample.op }),
        ...(primitive !== "reduce" && { passes }),
      },
      ["vectors"],
    );
    return {
      record: (into, { input, output, count }, length) =>
        plan.record(into, { input, output, length, ...(primitive === "compact" && { count }) }),
      destroy: () => plan.destroy(),
    };
  } catch (cause) {
    throw await explain(contextOf(fold.device), TITLE, cause);
  }
}
