import loadClasses from "#shaders/device/io/load_classes.wgsl";
import countByVotes from "#shaders/device/kernels/count_classes_by_votes.wgsl";
import partByVotes from "#shaders/device/kernels/part_classes_by_votes.wgsl";
import memory from "#shaders/device/sort/memory.wgsl";
import rankByVotes from "#shaders/device/sort/rank_by_votes.wgsl";
import type { TileShape } from "./algorithms.ts";
import { algorithms, memoryOf, subgroupSlots } from "./algorithms.ts";
import type { ClassKernels } from "./compact.ts";

/**
 * The kernels of a partition by classes in which subgroups rank a tile's items by their classes, as a sort does by a digit, and load them
 * once; undefined if the algorithm has no subgroups, or if counters have no room in work-group memory.
 */
export function classesByVotes(
  classes: number,
  mostMemory: number,
  { algorithm, sizes }: TileShape,
): ClassKernels | undefined {
  const counters = subgroupSlots(sizes) * classes;
  // Subgroups that may lack lanes are numbered in as much memory again.
  const bytes = memoryOf([counters, 2 * subgroupSlots(sizes)], 4, 0);
  if (!algorithms[algorithm].subgroups || bytes > mostMemory) {
    return undefined;
  }
  const files = [loadClasses, rankByVotes, memory];
  return {
    count: [...files, countByVotes],
    move: [...files, partByVotes],
    loadOnce: true,
    constants: {
      RADIX: classes,
      DIGIT_BITS: Math.ceil(Math.log2(classes)),
      MEMORY: counters,
    },
  };
}
