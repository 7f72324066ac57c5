import runLengthsFile from "../../shaders/device/kernels/run_lengths.wgsl";
import keyBeforeByLoadFile from "../../shaders/device/runs/key_before_by_load.wgsl";
import keyBeforeByShuffleFile from "../../shaders/device/runs/key_before_by_shuffle.wgsl";
import keysFile from "../../shaders/device/runs/keys.wgsl";
import keysAloneFile from "../../shaders/device/runs/keys_alone.wgsl";
import storeFirstItemFile from "../../shaders/device/runs/store_first_item.wgsl";
import storeKeyFile from "../../shaders/device/runs/store_key.wgsl";
import storeStartsFile from "../../shaders/device/runs/store_starts.wgsl";
import storeTogetherFile from "../../shaders/device/runs/store_together.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import { u64 } from "../algebra/types_64.ts";
import type { SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { algorithms, memoryOf, subgroupSlots } from "./algorithms.ts";
import { carriedAs, elementWords, file, operatorSources } from "./contract.ts";
import type { Kernel, KernelOptions } from "./kernel.ts";
import { lengthFile, linkKernel, outputItems } from "./kernel.ts";
import { lookBackMemory } from "./look_back.ts";
import type { KeySource } from "./segments.ts";
import { keySources } from "./segments.ts";
import type { Sizes } from "./sizes.ts";

// This is loaded only if a plan takes segments.

const runLengths = /* @__PURE__ */ file("kernels/run_lengths.wgsl", runLengthsFile);
const keyItems = /* @__PURE__ */ file("runs/keys.wgsl", keysFile);
const keysAlone = /* @__PURE__ */ file("runs/keys_alone.wgsl", keysAloneFile);
const keyBeforeByLoad = /* @__PURE__ */ file("runs/key_before_by_load.wgsl", keyBeforeByLoadFile);
const keyBeforeByShuffle = /* @__PURE__ */ file("runs/key_before_by_shuffle.wgsl", keyBeforeByShuffleFile);
const storeFirstItem = /* @__PURE__ */ file("runs/store_first_item.wgsl", storeFirstItemFile);
const storeKey = /* @__PURE__ */ file("runs/store_key.wgsl", storeKeyFile);
const storeStarts = /* @__PURE__ */ file("runs/store_starts.wgsl", storeStartsFile);

const storeTogether = /* @__PURE__ */ file("runs/store_together.wgsl", storeTogetherFile);

/** What is stored for each run. */
export interface RunStores {
  /** Its key, or with an expression its first item. */
  readonly unique: boolean | "first item";
  /** How many items it has, or the index of its first one. */
  readonly number: "length" | "start" | undefined;
}

/** The operator of the look-back: it adds the numbers of runs, and keeps where the last one starts. */
export const startedRuns: Monoid = {
  key: "started_runs",
  title: "runs",
  type: u64,
  domain: u64.native,
  operation: undefined,
  combine: "vec2<u32>(earlier.x + later.x, max(earlier.y, later.y))",
  identity: 0n,
};

/** Rows of a subgroup whose runs are put side by side before they are stored. */
const STAGED_ROWS = 4;

/** Bytes of work-group memory that the kernel uses for keys of `keyBytes` bytes. */
export const runLengthsMemory = (
  kernel: Pick<KernelOptions, "algorithm"> & { readonly sizes: Sizes },
  keyBytes: number,
): number => {
  const { algorithm, sizes } = kernel;
  const { elementBytes } = startedRuns.domain;
  const staged = subgroupSlots(sizes) * STAGED_ROWS * sizes.maxSubgroupSize;
  return (
    algorithms[algorithm].memory(sizes, elementBytes) +
    lookBackMemory(kernel, elementBytes) +
    memoryOf([subgroupSlots(sizes) * sizes.items], 16, 0) +
    memoryOf([staged], Math.max(4, keyBytes), 0) +
    memoryOf([staged], 4, 0)
  );
};

/** Keys that a subgroup can shuffle. */
const isShuffled = (type: ElementType): boolean => /^([uif]32|vec2<[uif]32>)$/.test(carriedAs(type));

/** The kernel that finds runs of keys in one dispatch. `carry` is what it looks back with. */
export function runLengthsKernel(
  keys: KeySource,
  { unique, number }: RunStores,
  carry: readonly SourceText[],
  { sources, sizes, lengthOnGpu }: Pick<KernelOptions, "sources" | "sizes" | "lengthOnGpu">,
): Kernel {
  const { type, by } = keys;
  return linkKernel(
    `wavefold run lengths <${type.name}>`,
    "run_lengths",
    [
      generated("alias Output = u32;"),
      ...operatorSources(startedRuns),
      outputItems,
      ...keySources(keys, keyItems),
      ...(by === undefined ? type.files : by.known.flatMap(({ files }) => files)),
      isShuffled(type) ? keyBeforeByShuffle : keyBeforeByLoad,
      ...(unique === "first item" ? [storeFirstItem] : unique ? [storeKey] : []),
      // H100, u32, runs of about 4, 2^28: lengths 862 µs (stored as they are found: 1084), keys alone 687 (together: 876).
      ...(number === "start" ? [storeStarts] : number === undefined ? [keysAlone] : [storeTogether]),
      ...carry,
      lengthFile(lengthOnGpu),
      // It replaces a function of the tile.
      runLengths,
      ...sources(startedRuns, true),
    ],
    sizes,
    1,
    elementWords(startedRuns),
    { STAGED_ROWS },
  );
}
