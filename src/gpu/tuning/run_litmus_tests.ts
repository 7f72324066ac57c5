import { part } from "../../errors.ts";
import type { Fold } from "../fold.ts";
import type { LitmusOptions, LitmusResult } from "./litmus_types.ts";
import { requireFold } from "./load_tune_adapter.ts";

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
  return (await part(import("./tuning.ts"))).runOnFold(fold, options);
}
