import { expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { struct } from "../../src/algebra/struct.ts";
import { planTopK } from "../../src/plan/select.ts";
import { factsWith } from "../support/kernels.ts";

// How many dispatches a selection takes. Each of them costs more than what it does to few elements.

const nvidia = factsWith(
  { vendor: "nvidia", subgroupMinSize: 32, subgroupMaxSize: 32 },
  {
    maxComputeWorkgroupStorageSize: 49_152,
    maxComputeInvocationsPerWorkgroup: 1024,
    maxComputeWorkgroupSizeX: 1024,
    maxStorageBufferBindingSize: 2 ** 30,
    maxBufferSize: 2 ** 30,
  },
);

test.each([
  // All elements have room in one work-group.
  { log: 14, k: 100, dispatches: 1 },
  // The first keys of blocks; then the blocks' elements.
  { log: 20, k: 100, dispatches: 2 },
  { log: 20, k: 512, dispatches: 4 },
  // Blocks of 2^14 elements, and blocks of 2^7.
  { log: 28, k: 100, dispatches: 4 },
])("the first $k of 2^$log: $dispatches dispatches", ({ log, k, dispatches }) => {
  const length = 2 ** log;
  const plan = planTopK({ type: f32, k, maxLength: length }, nvidia);
  const passes = plan.passes(length, "vectors");
  expect(passes).toHaveLength(dispatches);
  // Everything but the first keys of blocks is for one work-group.
  expect(passes.filter(({ tiles }) => tiles > 1)).toHaveLength(dispatches >> 1);
  expect(new Set(passes.map(({ kernel }) => kernel)).size).toBeLessThanOrEqual(plan.kernels.length);
});

test("a plan for more elements than one work-group puts in order sorts what it takes", () => {
  const plan = planTopK({ type: f32, k: 513, maxLength: 2 ** 20 }, nvidia);
  const passes = plan.passes(2 ** 20, "vectors");
  expect(passes.at(-1)?.kernel.entryPoint).toBe("store_taken");
});

test.each([1, 2, 3, 4, 5, 7, 9, 16])(
  "blocks of structs of %i words have a power of two of threads",
  (words) => {
    const fields = Object.fromEntries(Array.from({ length: words }, (_, at) => [`f${at}`, f32]));
    const Item = struct({ name: "Item", fields });
    for (const facts of [nvidia, factsWith({ vendor: "amd" }, nvidia.limits)]) {
      for (let log = 14; log <= 24; log++) {
        const plan = planTopK({ type: Item, key: "x.f0", k: 100, maxLength: 2 ** log } as never, facts);
        for (const { code } of plan.kernels) {
          for (const [, lanes = ""] of code.matchAll(/const LANES = (\S+);/g)) {
            expect(lanes).toMatch(/^(1|2|4|8|16|32|64|128|256|512|1024)u$/);
          }
        }
      }
    }
  },
);
