import fc from "fast-check";
import type { SimulatorOptions } from "../../src/simulator/options.ts";
import { Pooled } from "./plans.ts";

// The simulated machines that cases run on. What a kernel's text depends on is the same for many cases, so that kernels need not be
// compiled anew for each. All else is drawn for each case.

/** What an adapter reports: Wavefold writes kernels for it. */
export interface Subgroups {
  readonly subgroupSize: number;
  readonly subgroupMinSize: number;
  readonly subgroupMaxSize: number;
}

/** A machine, as a case names it. */
export type MachineSpec = Subgroups &
  Required<
    Pick<SimulatorOptions, "lanes" | "residentGroups" | "schedule" | "atomics" | "olderValues" | "seed">
  >;

/** The sizes that WebGPU allows. */
const sizes = [4, 8, 16, 32, 64, 128] as const;

/** Most adapters report the size that their subgroups have; others report smaller and larger ones, too. */
const subgroupsArbitrary: fc.Arbitrary<Subgroups> = fc
  .tuple(
    fc.constantFrom(32, ...sizes),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom(...sizes) },
    ),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom(...sizes) },
    ),
  )
  .map(([subgroupSize, least = subgroupSize, most = subgroupSize]) => ({
    subgroupSize,
    subgroupMinSize: Math.min(least, subgroupSize),
    subgroupMaxSize: Math.max(most, subgroupSize),
  }));

/** Any machine that Wavefold is made for. The first of each choice is the simplest. */
export const machineArbitrary = (): fc.Arbitrary<MachineSpec> =>
  fc
    .tuple(
      new Pooled(subgroupsArbitrary, 1),
      fc.record({
        lanes: fc.constantFrom("natural", "reversed", "permuted"),
        residentGroups: fc.constantFrom(8, 1, 2, 3, 5, 30),
        schedule: fc.constantFrom("in order", "reversed", "random", "priorities", "starve"),
        atomics: fc.constantFrom("natural", "reversed", "random"),
        olderValues: fc.boolean(),
        seed: fc.nat({ max: 0xffff }),
      }),
    )
    .map(([subgroups, behaviour]) => ({ ...subgroups, ...behaviour }));

/** What a case runs on that names no machine. */
export const simplestMachine: MachineSpec = {
  subgroupSize: 32,
  subgroupMinSize: 32,
  subgroupMaxSize: 32,
  lanes: "natural",
  residentGroups: 8,
  schedule: "in order",
  atomics: "natural",
  olderValues: false,
  seed: 0,
};
