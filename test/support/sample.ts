import process from "node:process";
import { beforeEach, expect } from "vitest";
import { randomBits } from "./random.ts";
import { NOT_SAMPLED } from "./skipped_reporter.ts";

/** Of so many tests that take any adapter, one runs: the kernels of all would take a software adapter's compiler hours. */
const SAMPLE = Number(process.env.WAVEFOLD_TEST_SAMPLE || 1);

/** Skips the tests of a file that are not in the sample, which the seed chooses. */
export function takeSample(): void {
  beforeEach(({ skip }) => {
    const { testPath = "", currentTestName = "" } = expect.getState();
    skip(
      randomBits(`sample ${testPath.slice(testPath.lastIndexOf("/test/"))} ${currentTestName}`)() % SAMPLE !==
        0,
      NOT_SAMPLED,
    );
  });
}
