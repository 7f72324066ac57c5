import type { AtomicOrder, LaneOrder, Schedule } from "../../src/simulator/options.ts";
import type { StepSize } from "./moments.ts";

/** How the machine behaves that runs a kernel: options of the simulator. */
export interface MachineChoices {
  readonly subgroupSize: number;
  readonly lanes: LaneOrder;
  readonly schedule: Schedule;
  readonly residentGroups: number;
  readonly atomics: AtomicOrder;
  readonly seed: number;
  readonly olderValues: boolean;
  readonly unorderedAtomics: boolean;
  readonly uninitialized: boolean;
}

export const defaultChoices: MachineChoices = {
  subgroupSize: 4,
  lanes: "natural",
  schedule: "in order",
  residentGroups: 4,
  atomics: "natural",
  seed: 1,
  olderValues: false,
  unorderedAtomics: false,
  uninitialized: false,
};

/** What the page runs. */
export interface Setup {
  readonly code: string;
  /** Empty: the only one. */
  readonly entryPoint: string;
  /** How many work-groups: up to three numbers. */
  readonly groups: string;
  /** The numbers that buffers hold at first, by the names of their variables. */
  readonly values: Readonly<Record<string, string>>;
  readonly machine: MachineChoices;
}

/** A kernel to choose from. */
export interface ReadyKernel extends Omit<Setup, "machine"> {
  /** It stands in links. */
  readonly name: string;
  readonly title: string;
  /** What there is to see. */
  readonly about: string;
  /** What the list shows it under. */
  readonly section: string;
  readonly machine?: Partial<MachineChoices>;
  /** The steps that show it best. To the next barrier by default. */
  readonly step?: StepSize;
}
