import { expect, test } from "vitest";
import type { Finding } from "../../../src/simulator/findings.ts";
import { Machine } from "../../../src/simulator/machine/index.ts";
import { machineOf } from "./kernels.ts";

test("a finding is told once for a kind, a pair of places and a dispatch", () => {
  const told: Finding[] = [];
  const machine = machineOf({ onFinding: (finding) => told.push(finding) });
  const threads = [{ workGroup: [0, 0, 0], thread: 1 }] as const;
  const reportAll = (): void => {
    machine.report("race", 3, "a", threads, 5);
    machine.report("race", 5, "b", threads, 3);
    machine.report("race", 3, "c", threads);
    machine.report("race", 3, "d", threads);
    machine.report("divergence", 3, "e", threads);
  };
  machine.beginDispatch([1, 1, 1]);
  reportAll();
  expect(machine.findings.map(({ message }) => message)).toEqual(["a", "c", "e"]);
  expect(machine.hasReported("race", 5, 3)).toBe(true);
  expect(machine.hasReported("race", 5)).toBe(false);
  machine.beginDispatch([1, 1, 1]);
  reportAll();
  expect(machine.findings).toHaveLength(6);
  expect(told).toEqual(machine.findings);
  expect(told[0]).toEqual({
    kind: "race",
    file: "made-up",
    line: 4,
    column: 1,
    otherLine: 6,
    entryPoint: "main",
    threads,
    message: "a",
  });
});

test("a place that no table has is line 0", () => {
  const machine = new Machine();
  machine.report("race", 3, `at ${machine.nameOfSite(3)}`, []);
  expect(machine.findings).toMatchObject([{ line: 0, message: "at an unknown line" }]);
});

test("work-groups are numbered x first", () => {
  const machine = new Machine();
  machine.beginDispatch([3, 4, 5]);
  expect([0, 2, 3, 12, 59].map((index) => machine.idOf(index))).toEqual([
    [0, 0, 0],
    [2, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [2, 3, 4],
  ]);
});

test("an epoch knows its work-group", () => {
  const machine = new Machine();
  machine.beginDispatch([9, 1, 1]);
  const first = machine.nextEpoch(7);
  machine.beginDispatch([9, 1, 1]);
  const epochs = [4, 2, 4].map((group) => machine.nextEpoch(group));
  expect(epochs.map((epoch) => machine.groupIndexOf(epoch))).toEqual([4, 2, 4]);
  expect(first).toBeLessThan(machine.firstEpoch);
  expect(machine.firstEpoch).toBe(epochs[0]);
});
