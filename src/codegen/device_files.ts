import type { Monoid } from "../operators.ts";
import type { SourceText } from "../types.ts";
import type { Algorithm } from "./algorithms.ts";
import { patienceText, wordsText } from "./contract.ts";

/** What a kernel's algorithm is linked with. Unlike a caller's, kernels of our own may number their threads. */
export type AlgorithmSources = (monoid: Monoid) => readonly SourceText[];

const files = new Map<string, Promise<SourceText>>();

/** A file of shaders/, loaded when it is first asked for. */
function load(name: string, module: () => Promise<{ readonly default: string }>): Promise<SourceText> {
  let file = files.get(name);
  if (file === undefined) {
    file = module().then(({ default: text }) => ({ name: `shaders/${name}`, text }));
    files.set(name, file);
    // A failure is reported, not remembered: the network may be back.
    file.catch(() => files.delete(name));
  }
  return file;
}

const portable = (): Promise<SourceText> =>
  load("device/portable.wgsl", () => import("../../shaders/device/portable.wgsl"));

/** Nobody needs more than one of the algorithms on a device: each is loaded where a plan takes it. */
const algorithmSources: Record<Algorithm, () => Promise<AlgorithmSources>> = {
  async blelloch() {
    const sources = await Promise.all([
      load("work_group/blelloch.wgsl", () => import("../../shaders/work_group/blelloch.wgsl")),
      portable(),
    ]);
    return () => sources;
  },
  async "hillis-steele"() {
    const sources = await Promise.all([
      load("work_group/hillis_steele.wgsl", () => import("../../shaders/work_group/hillis_steele.wgsl")),
      portable(),
    ]);
    return () => sources;
  },
  async subgroup() {
    const [{ subgroupText }, file] = await Promise.all([
      import("./subgroup_text.ts"),
      load("device/subgroup.wgsl", () => import("../../shaders/device/subgroup.wgsl")),
    ]);
    return (monoid) => [subgroupText(monoid), file];
  },
};

/** A tuning with its algorithm's sources; with none, where no kernel takes them. */
export async function withSources<Tuning extends { readonly algorithm: Algorithm }>(
  tuning: Tuning,
  areTaken = true,
): Promise<Tuning & { readonly sources: AlgorithmSources }> {
  return { ...tuning, sources: areTaken ? await algorithmSources[tuning.algorithm]() : () => [] };
}

/** What a single-pass kernel is generated for beside. */
export interface LookBackOptions {
  /** Attempts to read what another work-group hands on, before it is computed again. */
  readonly patience: number;
  /** Whether tiles are taken in the order in which work-groups start. */
  readonly tickets: boolean;
  /** For tests: declarations in place of those of faults_none.wgsl. */
  readonly faults?: SourceText;
}

/** What a single pass looks back with: by one subgroup, or by the work-group's threads together. */
export async function loadLookBack({
  bySubgroup,
}: {
  readonly bySubgroup: boolean;
}): Promise<(monoid: Monoid, options: LookBackOptions) => readonly SourceText[]> {
  const [{ faultsNone, spineEntries, tileByNumber, tileByTicket }, lookBack] = await Promise.all([
    import("./look_back.ts"),
    bySubgroup
      ? load("device/look_back_subgroup.wgsl", () => import("../../shaders/device/look_back_subgroup.wgsl"))
      : load("device/look_back.wgsl", () => import("../../shaders/device/look_back.wgsl")),
  ]);
  return (monoid, { faults, patience, tickets }) => [
    ...(faults === undefined ? [] : [faults]),
    faultsNone,
    patienceText(patience),
    wordsText(monoid),
    spineEntries,
    lookBack,
    tickets ? tileByTicket : tileByNumber,
  ];
}

/** A scan in a single pass. */
export const loadScanSinglePass = (): Promise<SourceText> =>
  load("device/scan_single_pass.wgsl", () => import("../../shaders/device/scan_single_pass.wgsl"));
