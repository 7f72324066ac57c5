import { ArgumentError } from "../../errors.ts";
import { loadTuning } from "../../parts.ts";
import type { AdapterTuning } from "../../plan/adapter_tuning.ts";
import { Fold } from "../fold.ts";
import type { LitmusOptions, LitmusResult } from "./litmus_types.ts";
import type { TuneAdapterOptions } from "./tune_adapter.ts";

// What programs call to measure an adapter. The work is loaded with the call.

/** @throws {ArgumentError} if `fold` is not a `Fold`. */
function requireFold(fold: unknown, title: string): void {
  if (!(fold instanceof Fold)) {
    throw new ArgumentError(`${title}: fold is not one that openFold returned`, "fold");
  }
}

/**
 * Measures which algorithms and sizes are the fastest on a fold's adapter, for scans, reductions, compactions, sorts and histograms
 * of elements of 4 bytes, and scans, reductions and sorts of elements of 8, which come last. Each result is checked, and sizes with a wrong result are left out. On a GPU
 * whose single pass was not tested yet, that test comes first. `openFold({ tuning })` takes the result, which is plain JSON:
 * keep it where you like. `openFold({ tuning: "auto" })` does both.
 *
 * Run it while nothing else uses the GPU. It takes up to 288 MiB there.
 *
 * @throws {ArgumentError} if `fold` is not a `Fold`, or an option is wrong.
 * @throws {OutOfMemoryError} {@link DeviceLostError}
 *
 * @example
 * ```ts
 * const tuning = await tuneAdapter(fold, { seconds: 1 });
 * const tuned = await openFold({ device: fold.device, tuning });
 * await tuned.scan(Uint32Array.of(3, 1, 7)); // 3 4 11
 * ```
 */
export async function tuneAdapter(fold: Fold, options: TuneAdapterOptions = {}): Promise<AdapterTuning> {
  requireFold(fold, "tuneAdapter");
  return (await loadTuning()).tuneNow(fold, options);
}

/**
 * Runs litmus tests on a fold's device, one after another: loads and stores by many threads at once, whose results show how the
 * adapter orders memory. They change nothing of how Wavefold computes. They are not a proof: an outcome that was not seen may still
 * be possible.
 *
 * All of them take one to three seconds. No test begins once they took 20 seconds together. If a test loses the device or does not
 * run to its end, its result says why.
 *
 * @returns a result for each test, in the order in which they ran.
 * @throws {ArgumentError} if `fold` is not a `Fold`, a test does not exist, or an option is wrong.
 *
 * @example
 * ```ts
 * const results = await runLitmusTests(fold, { only: ["tickets"] });
 * results.filter(({ verdict }) => verdict === "failed").length; // 0
 * ```
 */
export async function runLitmusTests(
  fold: Fold,
  options: LitmusOptions = {},
): Promise<readonly LitmusResult[]> {
  requireFold(fold, "runLitmusTests");
  return (await loadTuning()).runOnFold(fold, options);
}
