import outputItems from "#shaders/device/io/output_items.wgsl";
import runLengths from "#shaders/device/kernels/run_lengths.wgsl";
import keyItems from "#shaders/device/runs/keys.wgsl";
import loadKeysAsVectors from "#shaders/device/runs/load_keys_as_vectors.wgsl";
import loadKeysOneByOne from "#shaders/device/runs/load_keys_one_by_one.wgsl";
import numbersAlone from "#shaders/device/runs/numbers_alone.wgsl";
import stageFirsts from "#shaders/device/runs/stage_firsts.wgsl";
import stageNoFirsts from "#shaders/device/runs/stage_no_firsts.wgsl";
import storeFirstItem from "#shaders/device/runs/store_first_item.wgsl";
import storeKey from "#shaders/device/runs/store_key.wgsl";
import storeLengths from "#shaders/device/runs/store_lengths.wgsl";
import storeNoKeys from "#shaders/device/runs/store_no_keys.wgsl";
import storeNoNumbers from "#shaders/device/runs/store_no_numbers.wgsl";
import storeStarts from "#shaders/device/runs/store_starts.wgsl";
import { u32 } from "../algebra/integers.ts";
import type { Monoid } from "../algebra/monoid.ts";
import { u64 } from "../algebra/words_64.ts";
import type { SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { algorithms, memoryOf } from "./algorithms.ts";
import { arrayOfVectorText } from "./array_of_vector.ts";
import { carriedAs, elementWords, operatorSources } from "./contract.ts";
import type { Kernel, KernelOptions } from "./kernel.ts";
import { lengthFile, linkKernel } from "./kernel.ts";
import { lookBackMemory } from "./look_back.ts";
import type { KeySource } from "./segments.ts";
import { isWordKey, runKeySources } from "./segments.ts";
import type { Sizes } from "./sizes.ts";

// The package loads this file only if a plan has segments.

/** What is stored for each run. */
export interface RunStores {
  /** Its key, or with an expression its first item. */
  readonly unique: boolean | "first item";
  /** How many items it has, or the index of its first one. */
  readonly number: "length" | "start" | undefined;
}

/** The operator of a look-back that adds the numbers of runs, and keeps where the last one starts. */
const startedRuns: Monoid = {
  key: "started_runs",
  title: "runs",
  type: u64,
  domain: u64.native,
  operation: undefined,
  combine: "vec2<u32>(earlier.x + later.x, max(earlier.y, later.y))",
  identity: 0n,
};

/** The same without where the last one starts. */
const numbersOfRuns: Monoid = {
  key: "numbers_of_runs",
  title: "numbers of runs",
  type: u32,
  domain: u32.native,
  operation: "add",
  combine: "earlier + later",
  identity: 0,
};

/** The operator of the look-back. A run ends where the next one starts, which only lengths need. */
export const runsMonoid = ({ number }: RunStores): Monoid =>
  number === "length" ? startedRuns : numbersOfRuns;

const keepsKeys = ({ unique }: RunStores): boolean => unique === true;
const keepsFirsts = ({ unique, number }: RunStores): boolean =>
  unique === "first item" || number !== undefined;

/**
 * The most runs of a tile that lie in work-group memory at the same time. u32, H100, runs of 4, 2^28, with lengths: 756 µs (3/8 of the
 * items: 857), keys alone: 641 (3/8: 643; runs of 1: 883 and 953).
 */
const stagedRuns = ({ workGroupSize, items }: Sizes, stores: RunStores): number =>
  Math.ceil(workGroupSize * items * (keepsKeys(stores) && keepsFirsts(stores) ? 5 / 16 : 1 / 2));

/** Bytes of work-group memory that the kernel uses for keys of `keyBytes` bytes. */
export const runLengthsMemory = (
  kernel: Pick<KernelOptions, "algorithm"> & { readonly sizes: Sizes },
  stores: RunStores,
  keyBytes: number,
): number => {
  const { algorithm, sizes } = kernel;
  const { elementBytes } = runsMonoid(stores).domain;
  const staged = stagedRuns(sizes, stores);
  return (
    algorithms[algorithm].memory(sizes, elementBytes) +
    lookBackMemory(kernel, elementBytes) +
    memoryOf(keepsKeys(stores) ? [staged] : [], Math.max(4, keyBytes), 1) +
    memoryOf(keepsFirsts(stores) ? [staged] : [], 4, 0)
  );
};

/** How many keys of a thread are neighbours. */
const vectorOf = ({ items }: Sizes): number => [4, 2].find((vector) => items % vector === 0) ?? 1;

/** The kernel that finds runs of keys in one dispatch. `carry` is what it looks back with. */
export function runLengthsKernel(
  keys: KeySource,
  stores: RunStores,
  carry: readonly SourceText[],
  { sources, sizes, lengthOnGpu }: Pick<KernelOptions, "sources" | "sizes" | "lengthOnGpu">,
): Kernel {
  const { type, by } = keys;
  const { unique, number } = stores;
  const monoid = runsMonoid(stores);
  const vector = vectorOf(sizes);
  const isWide = isWordKey(keys);
  return linkKernel(
    `wavefold run lengths <${type.name}>`,
    "run_lengths",
    [
      generated("alias Output = u32;"),
      ...operatorSources(monoid),
      outputItems,
      ...runKeySources(keys, keyItems),
      ...(by === undefined ? type.files : by.known),
      ...(isWide
        ? [arrayOfVectorText("KeyVector", "Key", carriedAs(type), vector), loadKeysAsVectors]
        : [loadKeysOneByOne]),
      unique === "first item" ? storeFirstItem : unique ? storeKey : storeNoKeys,
      ...(number === "length" ? [storeLengths] : [numbersAlone, number ? storeStarts : storeNoNumbers]),
      keepsFirsts(stores) ? stageFirsts : stageNoFirsts,
      ...carry,
      lengthFile(lengthOnGpu),
      runLengths,
      ...sources(monoid, { votes: true, hasTotal: true }),
    ],
    sizes,
    {
      vector,
      words: elementWords(monoid),
      more: { STAGED: stagedRuns(sizes, stores), BYTE_WORDS: Math.ceil(sizes.items / vector / 4) },
    },
  );
}
