import process from "node:process";
import type { Reporter } from "vitest/node";
import { isQuick } from "./tier.ts";

/** Says what repeats the run. */
export const seedReporter: Reporter = {
  onTestRunStart() {
    const { WAVEFOLD_SEED: seed } = process.env;
    console.log(
      isQuick()
        ? `WAVEFOLD_SEED=${seed}: a part of each table, by the seed; npm run test:full takes them whole`
        : `WAVEFOLD_SEED=${seed}`,
    );
  },
};
