import { expect, test } from "vitest";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { untyped } from "../support/fold.ts";
import { factsWith } from "../support/kernels.ts";
import { planScan } from "../support/plans.ts";

// Which exact scans take a single pass by lanes.

const nvidia = { vendor: "nvidia", lookBack: true, subgroupMinSize: 32, subgroupMaxSize: 32 };
const limits = { maxComputeInvocationsPerWorkgroup: 1024, maxComputeWorkgroupSizeX: 1024 };
const most = 2 ** 23;

test.each([
  ["f16, short", {}, nvidia, true],
  ["f16, the longest", { maxLength: most }, nvidia, true],
  ["f16, longer", { maxLength: most + 1 }, nvidia, false],
  ["f16 by an algorithm without subgroups", { algorithm: "blelloch" }, nvidia, false],
  ["f16 in work-groups whose subgroups are not full", { workGroupSize: 48 }, nvidia, false],
  ["f16 in tiles that digits have no room for", { workGroupSize: 1024, itemsPerThread: 32 }, nvidia, false],
  ["f16 where no look-back is known to work", {}, { ...nvidia, lookBack: false }, false],
  ["f16 on adapters that were not measured", {}, { ...nvidia, vendor: "amd" }, false],
  [
    "f16 in one pass that was asked for, on any adapter",
    { passes: "single", algorithm: "subgroup", maxLength: most + 1 },
    { ...nvidia, vendor: "amd" },
    true,
  ],
  ["f32", { type: f32 }, nvidia, false],
] as const)("%s", async (_, options, facts, isSingle) => {
  const plan = await planScan(
    { type: f16, op: untyped(exactAdd), maxLength: 1000, ...options } as never,
    factsWith(facts, limits),
  );
  expect(plan.spine !== undefined).toBe(isSingle);
  expect(plan.kernels.some(({ code }) => code.includes("fn scan_lanes("))).toBe(isSingle);
});
