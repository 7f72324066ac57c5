import { beforeAll, expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { add } from "../../src/algebra/operators.ts";
import { useFold } from "../support/fold.ts";
import { shuffleSubgroups, withShuffledSubgroups } from "./subgroup_order.ts";

const fold = useFold({ subgroupSize: 4, subgroupMinSize: 4, subgroupMaxSize: 4 });
const texts: string[] = [];
beforeAll(() => {
  const { device } = fold();
  const create = device.createShaderModule;
  Object.defineProperty(device, "createShaderModule", {
    configurable: true,
    value(descriptor: GPUShaderModuleDescriptor) {
      texts.push(descriptor.code);
      return create.call(device, descriptor);
    },
  });
});

test("every kernel whose subgroups may lack lanes has them numbered in another order", async () => {
  const tuning = { algorithm: "subgroup", workGroupSize: 23, itemsPerThread: 2 } as const;
  await fold().scan(Uint32Array.of(3, 1, 2), { op: add, type: u32, ...tuning });
  await fold().compact(Uint32Array.of(3, 1, 2), { where: "x > 1u", passes: "single", ...tuning });
  // Copies and the like know no subgroups.
  const counting = texts.filter((code) => code.includes("subgroupExclusiveAdd"));
  expect(counting.length).toBeGreaterThan(1);
  for (const code of counting) {
    const changed = withShuffledSubgroups(code, 4);
    expect(changed).not.toBe(code);
    expect(changed).toBe(withShuffledSubgroups(code, 4));
    // Lines keep their numbers.
    expect(changed.split("\n")).toHaveLength(code.split("\n").length);
  }
});

test("a device compiles what was changed", async () => {
  const before = texts.length;
  shuffleSubgroups(fold().device);
  await fold().reduce(Uint32Array.of(3, 1, 2), {
    algorithm: "subgroup",
    workGroupSize: 21,
    itemsPerThread: 2,
  });
  const changed = texts.slice(before).filter((code) => /\[(?:started|counted >> 16u)\]/.test(code));
  expect(changed.length).toBeGreaterThan(0);
});
