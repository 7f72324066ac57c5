import process from "node:process";
import type { Reporter } from "vitest/node";

/** Says what repeats the run. */
export const seedReporter: Reporter = {
  onTestRunStart() {
    console.log(`WAVEFOLD_SEED=${process.env.WAVEFOLD_SEED}`);
  },
};
