import { expect, test, vi } from "vitest";
import type { FamilyRow, FamilyTask } from "../../bench/family.ts";
import {
  areAllRight,
  familyData,
  familyExpected,
  familyTasks,
  familyValues,
  timeFamily,
} from "../../bench/family.ts";
import { createTimer, paceFor } from "../../bench/timer.ts";
import { Fold } from "../../src/gpu/fold.ts";
import { histogramReference } from "../../src/reference/histogram.ts";
import { partitionReference } from "../../src/reference/partition.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { runLengthsReference } from "../../src/reference/runs.ts";
import { useFold } from "../support/fold.ts";

const fold = useFold();
const LENGTH = 3000;

/** The same by `wavefold/reference`. */
function referenceOf(task: FamilyTask, data: Uint32Array): ReturnType<typeof familyExpected> {
  switch (task) {
    case "runs": {
      const { values, counts } = runLengthsReference(data);
      return { output: counts, unique: values, count: values.length };
    }
    case "sums": {
      const { keys, values } = reduceReference(familyValues(data.length), { segments: { keys: data } });
      return { output: values, unique: keys, count: keys.length };
    }
    case "halves": {
      const { values, count } = partitionReference(data, (word: number) => word % 2 === 1);
      return { output: values, count };
    }
    default:
      return { output: histogramReference(data, { bins: 256, range: [0, 2 ** 16] }) };
  }
}

test.each(familyTasks)("what %s must give is what the reference gives", (task) => {
  const data = familyData(task, LENGTH);
  expect(familyExpected(task, data)).toEqual(referenceOf(task, data));
});

test("runs are about as long as they say", () => {
  for (const [task, mean] of [
    ["runs", 4],
    ["sums", 256],
  ] as const) {
    const runs = familyExpected(task, familyData(task, 2 ** 16)).count ?? 0;
    expect(2 ** 16 / runs).toBeGreaterThan(mean * 0.8);
    expect(2 ** 16 / runs).toBeLessThan(mean * 1.2);
  }
});

test.each([...familyTasks])("%s is right, and is timed beside a copy", async (task) => {
  const timer = await createTimer(fold().device, { ...paceFor(true, true), runs: 1, warmUpMs: 0 });
  const row = await timeFamily(fold(), timer, task, LENGTH);
  timer.destroy();
  expect(row.problem).toBeUndefined();
  expect(row.median).toBeGreaterThan(0);
  expect(row.copy).toBeGreaterThan(0);
});

test.each([
  ["bins", "prepareHistogram", "output"],
  ["halves", "preparePartition", "count"],
] as const)("%s has a problem if nothing was written", async (task, name, what) => {
  const spy = vi.spyOn(Fold.prototype, name).mockResolvedValue({ record() {}, destroy() {} } as never);
  const timer = await createTimer(fold().device, { ...paceFor(true, true), runs: 1, warmUpMs: 0 });
  try {
    const { problem } = await timeFamily(fold(), timer, task, 300);
    expect(problem).toMatch(new RegExp(`^${what} 0 is \\d+, and the CPU has \\d+$`));
  } finally {
    timer.destroy();
    spy.mockRestore();
  }
});

test("a run is right if our results are, and those of what ran in the other program", () => {
  const row: FamilyRow = { task: "bins", length: 8, median: 1, copy: 1, problem: undefined };
  const peer = (one: object) => ({ name: "other", results: [{ primitive: "bins", length: 8, ...one }] });
  const right = { median: 1, verified: true, problem: "" };
  expect(areAllRight([row], undefined)).toBe(true);
  expect(areAllRight([row], peer(right))).toBe(true);
  expect(areAllRight([row], peer({ verified: false, problem: "out of memory" }))).toBe(true);
  expect(areAllRight([row], peer({ ...right, verified: false, problem: "item 3" }))).toBe(false);
  expect(areAllRight([row, { ...row, problem: "output 0 is 1" }], peer(right))).toBe(false);
});
