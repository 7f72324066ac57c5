import type { SimulatorOptions } from "../../src/simulator/index.ts";
import { randomBits } from "./random.ts";

const pick = <T>(values: readonly T[], bits: number): T => values[bits % values.length] as T;

/**
 * The simulated machine of a file of tests, by the seed: subgroups of 4 to 128 lanes, which are reported as they are or as a range; lanes in
 * any order; several work-groups at once, under a schedule.
 */
export function machineOf(file: string): SimulatorOptions {
  const next = randomBits(file);
  const subgroupSize = pick([4, 8, 16, 32, 64, 128], next());
  const isRange = pick([true, false], next());
  return {
    memoryLimit: 2 ** 30,
    // Work-groups that wait for one that has not started look for its elements thousands of times before they compute them.
    patience: 2 ** 20,
    seed: next(),
    subgroupSize,
    subgroupMinSize: isRange ? 4 : subgroupSize,
    subgroupMaxSize: isRange ? 128 : subgroupSize,
    lanes: pick(["natural", "reversed", "permuted"], next()),
    residentGroups: pick([2, 5, 9], next()),
    schedule: pick(["in order", "reversed", "random", "priorities", "starve"], next()),
    atomics: pick(["natural", "reversed", "random"], next()),
    olderValues: pick([true, false], next()),
  };
}
