import fc from "fast-check";
import { expect, test } from "vitest";
import type { Case } from "./families.ts";
import { caseArbitrary } from "./families.ts";
import type { MachineSpec } from "./machine_spec.ts";
import { machineArbitrary, simplestMachine } from "./machine_spec.ts";
import { simulatedMachines } from "./machines.ts";
import { scaleOf } from "./plans.ts";
import { shapeOf } from "./session.ts";

const scale = scaleOf("simulated");

const scanOn = (machine?: MachineSpec): Case => ({
  family: "described",
  call: {
    primitive: "scan",
    type: "u32",
    maxLength: 700,
    example: 0,
    seed: 3,
    options: { algorithm: "hillis-steele", workGroupSize: 32, itemsPerThread: 2 },
  },
  steps: [{ place: "at hand", length: 700, data: { kind: "bits", seed: 3 }, before: 0 }],
  ...(machine && { machine }),
});

const wild: MachineSpec = {
  subgroupSize: 16,
  subgroupMinSize: 4,
  subgroupMaxSize: 64,
  lanes: "permuted",
  residentGroups: 5,
  schedule: "random",
  atomics: "random",
  olderValues: true,
  seed: 7,
};

/** Takes the barriers out of all kernels that are compiled from now on. */
function withoutBarriers(device: GPUDevice): void {
  const create = device.createShaderModule;
  device.createShaderModule = (descriptor) =>
    create.call(device, { ...descriptor, code: descriptor.code.replaceAll("workgroupBarrier();", "") });
}

test("a case that is right passes, with and without a machine", async () => {
  const run = simulatedMachines(scale);
  expect(await run(scanOn())).toEqual({ verdict: "passed" });
  expect(await run(scanOn(wild))).toEqual({ verdict: "passed" });
});

test("what the simulator finds fails a case", async () => {
  const run = simulatedMachines(scale, withoutBarriers);
  const { verdict, fault } = await run(scanOn(simplestMachine));
  expect(verdict).toBeUndefined();
  expect(fault).toMatch(
    /^race in \w+: thread \d+ of work-group .* no workgroupBarrier\(\) is between them \(wavefold [^)]*scan/,
  );
});

test("a case runs in the same way each time, whatever ran before", async () => {
  const first = await simulatedMachines(scale, withoutBarriers)(scanOn(wild));
  const run = simulatedMachines(scale, withoutBarriers);
  await run(scanOn({ ...wild, schedule: "priorities", lanes: "reversed", seed: 3 }));
  await run(scanOn(simplestMachine));
  expect(await run(scanOn(wild))).toEqual(first);
  expect(first.fault).toMatch(/^race/);
  expect(await run(scanOn({ ...wild, seed: 8 }))).not.toEqual(first);
});

test("the cases of a batch name any machines with the same subgroups", () => {
  const cases = fc.sample(caseArbitrary(scale), { numRuns: 300, seed: 5 });
  const machines = cases.map(({ machine }) => machine as MachineSpec);
  const values = (key: keyof MachineSpec): number => new Set(machines.map((machine) => machine[key])).size;
  expect([values("subgroupSize"), values("subgroupMinSize"), values("subgroupMaxSize")]).toEqual([1, 1, 1]);
  expect([values("lanes"), values("schedule"), values("atomics"), values("olderValues")]).toEqual([
    3, 5, 3, 2,
  ]);
  expect(values("seed")).toBeGreaterThan(200);
  expect(fc.sample(caseArbitrary(scale), { numRuns: 300, seed: 5 })).toEqual(cases);
});

test("all sizes of subgroups come up, and what is reported includes them", () => {
  const batches = Array.from({ length: 200 }, (_, seed) =>
    fc.sample(machineArbitrary(), { numRuns: 1, seed }),
  ).flat();
  expect(new Set(batches.map(({ subgroupSize }) => subgroupSize))).toEqual(new Set([4, 8, 16, 32, 64, 128]));
  for (const { subgroupSize, subgroupMinSize, subgroupMaxSize } of batches) {
    expect(subgroupMinSize).toBeLessThanOrEqual(subgroupSize);
    expect(subgroupMaxSize).toBeGreaterThanOrEqual(subgroupSize);
  }
  expect(batches.some((one) => one.subgroupMinSize < one.subgroupMaxSize)).toBe(true);
});

test("cases for other adapters name no machine", () => {
  expect(fc.sample(caseArbitrary(scaleOf("software")), { numRuns: 50 }).some((one) => "machine" in one)).toBe(
    false,
  );
});

test("a finding on another type, with other numbers, is the same one", () => {
  const race = (thread: number, type: string): string =>
    `race in sort_pass: thread ${thread} of work-group (0, 0, 0) writes word ${2 * thread} of digit_values in work-group memory at line 256 (in scan_digits), which thread 18 read at line 260 (in scan_digits) (wavefold sort by a digit <${type}>)`;
  expect(shapeOf(race(9, "f64"))).toBe(shapeOf(race(12, "u32")));
  expect(shapeOf(race(9, "f64"))).not.toBe(shapeOf(race(9, "f64").replace("digit_values", "digit_totals")));
});
