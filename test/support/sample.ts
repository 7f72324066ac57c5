import process from "node:process";
import type { RunnerTask } from "vitest";
import { beforeEach, expect } from "vitest";
import { randomBits } from "./random.ts";
import { NOT_SAMPLED } from "./skipped_reporter.ts";

/** Of so many tests that take any adapter, one runs: the kernels of all would take a software adapter's compiler hours. */
const SAMPLE = Number(process.env.WAVEFOLD_TEST_SAMPLE || 1);
/** Where one of so many runs, about as many of a file run at most. */
const MOST = 60;

const testsIn = (tasks: readonly RunnerTask[]): number =>
  tasks.reduce((sum, task) => sum + ("tasks" in task ? testsIn(task.tasks) : 1), 0);

/** Skips the tests of a file that are not in the sample, which the seed chooses. */
export function takeSample(): void {
  let sample: number | undefined;
  beforeEach(({ skip, task }) => {
    sample ??= SAMPLE === 1 ? 1 : Math.max(SAMPLE, Math.ceil(testsIn(task.file.tasks) / MOST));
    const { testPath = "", currentTestName = "" } = expect.getState();
    skip(
      randomBits(`sample ${testPath.slice(testPath.lastIndexOf("/test/"))} ${currentTestName}`)() % sample !==
        0,
      NOT_SAMPLED,
    );
  });
}
