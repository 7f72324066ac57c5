import { ArgumentError, part } from "../../errors.ts";
import type { AdapterTuning } from "../../plan/adapter_tuning.ts";
import { Fold } from "../fold.ts";
import type { TuneAdapterOptions } from "./tune_adapter.ts";

/** @throws {ArgumentError} if `fold` is not a `Fold`. */
export function requireFold(fold: unknown, title: string): void {
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
  return (await part(import("./tuning.ts"))).tuneNow(fold, options);
}
