import { amdTraits, traits as gpu } from "./gpu.ts";
import { traits as nvidia } from "./nvidia.ts";
import { traits as software } from "./software.ts";
import type { Traits } from "./tables.ts";

/** The kinds of adapters, by their files: those that compute on the CPU, NVIDIA's GPUs, which were measured, and all other GPUs. */
export type AdapterKind = "software" | "nvidia" | "gpu";

/** What an adapter's kind follows from. */
export interface AdapterIdentity {
  /** Whether the adapter computes on the CPU. */
  readonly software: boolean;
  /** `GPUAdapterInfo.vendor`, such as "nvidia"; empty if the adapter does not tell it. */
  readonly vendor: string;
}

/** A table for each kind of adapter. */
export type ByKind<Table> = Readonly<Record<AdapterKind, Table>>;

/** The kind of an adapter. Its tables have that name. */
export const kindOf = ({ software, vendor }: AdapterIdentity): AdapterKind =>
  software ? "software" : vendor === "nvidia" ? "nvidia" : "gpu";

/** The table for an adapter. A caller names the tables of one primitive, so that a program loads no others. */
export const tableFor = <Table>(tables: ByKind<Table>, adapter: AdapterIdentity): Table =>
  tables[kindOf(adapter)];

const traits: ByKind<Traits> = { software, nvidia, gpu };

/** The traits of an adapter. */
export const traitsOf = (adapter: AdapterIdentity): Traits =>
  adapter.vendor === "amd" && !adapter.software ? amdTraits : tableFor(traits, adapter);
