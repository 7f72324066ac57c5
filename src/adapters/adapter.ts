import { amdTraits, gpu } from "./gpu.ts";
import { nvidia } from "./nvidia.ts";
import { software } from "./software.ts";
import type { Tables, Traits, TwoPassTable } from "./tables.ts";

/** What an adapter's kind follows from. */
export interface AdapterIdentity {
  /** Whether the adapter computes on the CPU. */
  readonly software: boolean;
  /** `GPUAdapterInfo.vendor`, such as "nvidia"; empty if the adapter does not tell it. */
  readonly vendor: string;
}

/**
 * The tables of each kind of adapter, by the name of the kind's file: those that compute on the CPU, NVIDIA's GPUs, which were measured, and all
 * other GPUs.
 */
const kinds = { software, nvidia, gpu } as const;

const kindOf = ({ software, vendor }: AdapterIdentity): keyof typeof kinds =>
  software ? "software" : vendor === "nvidia" ? "nvidia" : "gpu";

/** The tables for an adapter. */
export const tablesFor = (adapter: AdapterIdentity): Tables => kinds[kindOf(adapter)];

/** The rows of plans for which the faster ways are not loaded. Those of NVIDIA's GPUs name subgroups, which such plans lack. */
export const portableTwoPass = (adapter: AdapterIdentity): TwoPassTable =>
  adapter.software ? software.twoPass : gpu.twoPass;

/** The traits of an adapter. */
export const traitsOf = (adapter: AdapterIdentity): Traits =>
  !adapter.software && adapter.vendor === "amd" ? amdTraits : tablesFor(adapter).traits;

/** The name of the file that has the tables for an adapter. */
export const fileFor = (adapter: AdapterIdentity): string => `${kindOf(adapter)}.ts`;
