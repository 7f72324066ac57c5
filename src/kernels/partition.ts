import carrySpine from "#shaders/device/io/carry_spine.wgsl";
import loadOneClass from "#shaders/device/io/load_one_class.wgsl";
import storeAll from "#shaders/device/io/store_all.wgsl";
import storeApart from "#shaders/device/io/store_apart.wgsl";
import storeKept from "#shaders/device/io/store_kept.wgsl";
import storeParted from "#shaders/device/io/store_parted.wgsl";
import countClasses from "#shaders/device/kernels/count_classes.wgsl";
import partClasses from "#shaders/device/kernels/part_classes.wgsl";
import storeOffsets from "#shaders/device/kernels/store_offsets.wgsl";
import { generated } from "../text/source.ts";
import type { TileShape } from "./algorithms.ts";
import type { ClassKernels, Parted } from "./compact.ts";
import { classesText } from "./compact.ts";
import { operatorSources, storageText } from "./contract.ts";
import { linkKernel } from "./kernel.ts";

/** Options of a partition in two. */
export const inTwo: Parted = { store: [storeAll, storeParted], restFollows: true };

/** Options of a partition in two whose rest has a range of its own. */
export const withRest: Parted = { store: [storeAll, storeApart], restFollows: false };

/** The kernels of a partition by classes that every adapter runs: each class loads and scans its tile. */
const portable: ClassKernels = {
  loadOnce: false,
  count: [loadOneClass, countClasses],
  move: [loadOneClass, storeKept, partClasses],
};

/** Options of a partition into classes. Where `byVotes` gives kernels, these are taken. */
export const byClass = (
  number: number,
  expression: string,
  byVotes: (options: TileShape) => ClassKernels | undefined,
): Parted => ({
  restFollows: true,
  classes: {
    number,
    expression,
    kernelsOf: (options) => byVotes(options) ?? portable,
    offsets: (count, sizes) =>
      linkKernel(
        "wavefold store where classes begin",
        "store_offsets",
        [
          ...operatorSources(count),
          storageText(count, "elements", "elements", 1),
          generated(classesText(number)),
          carrySpine,
          storeOffsets,
        ],
        sizes,
      ),
  },
});
