import type { SimulatorOptions } from "../../src/simulator/index.ts";

const pick = <T>(values: readonly T[], bits: number): T => values[bits % values.length] as T;

/** Bits that follow from a text and the run's seed. */
function bitsOf(text: string): () => number {
  let state = Number(process.env.WAVEFOLD_SEED ?? 0) | 0;
  for (const letter of text) {
    state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193);
  }
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return (state ^ (state >>> 13)) >>> 0;
  };
}

/** Whether a file of tests runs on SwiftShader this time: one in ten does. */
export const isOnSwiftShader = (file: string): boolean => bitsOf(`SwiftShader ${file}`)() % 10 === 0;

/**
 * The simulated machine of a file of tests, by the seed: subgroups of 4 to 128 lanes, which are reported as they are or as a range; lanes in
 * any order; several work-groups at once, under a schedule.
 */
export function machineOf(file: string): SimulatorOptions {
  const next = bitsOf(file);
  const subgroupSize = pick([4, 8, 16, 32, 64, 128], next());
  const isRange = pick([true, false], next());
  return {
    memoryLimit: 2 ** 30,
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
