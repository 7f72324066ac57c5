import { amdTraits, traits as gpu } from "./gpu.ts";
import { traits as nvidia } from "./nvidia.ts";
import { traits as software } from "./software.ts";
import type { Traits } from "./tables.ts";

/** What an adapter's kind follows from. */
export interface AdapterIdentity {
  /** Whether the adapter computes on the CPU. */
  readonly software: boolean;
  /** `GPUAdapterInfo.vendor`, such as "nvidia"; empty if the adapter does not tell it. */
  readonly vendor: string;
}

/**
 * A table for each kind of adapter, by the name of the kind's file: those that compute on the CPU, NVIDIA's GPUs, which were measured, and all
 * other GPUs.
 */
export type ByKind<Table> = Readonly<Record<"software" | "nvidia" | "gpu", Table>>;

/** The table for an adapter, of those of one primitive. */
export const tableFor = <Table>(tables: ByKind<Table>, { software, vendor }: AdapterIdentity): Table =>
  tables[software ? "software" : vendor === "nvidia" ? "nvidia" : "gpu"];

/** The traits of an adapter. */
export const traitsOf = (adapter: AdapterIdentity): Traits =>
  tableFor<Traits>({ software, nvidia, gpu: adapter.vendor === "amd" ? amdTraits : gpu }, adapter);

/** The name of the file that has the tables for an adapter. */
export const fileFor = (adapter: AdapterIdentity): string =>
  tableFor({ software: "software.ts", nvidia: "nvidia.ts", gpu: "gpu.ts" }, adapter);
