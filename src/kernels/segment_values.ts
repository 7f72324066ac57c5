import type { Monoid } from "../algebra/monoid.ts";
import { algorithms, hasFullSubgroups, memoryOf } from "./algorithms.ts";
import type { KernelOptions } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";

/** The bits of a word: the most lanes whose votes are in one, and the most items of a thread of which a word tells which ones end segments. */
export const WORD_BITS = 32;
/** The most bytes of a value that is moved lane by lane. */
const MOST_VALUE_BYTES = 8;

/** Whether kernels that hold the values of segments without heads take the operator and the sizes. */
export const takesValues = (
  { onValues: own, tiles }: Monoid,
  { algorithm, sizes }: Pick<KernelOptions, "algorithm" | "sizes">,
): boolean =>
  own !== undefined &&
  own.tiles === undefined &&
  tiles === undefined &&
  !own.domain.long &&
  own.domain.elementBytes <= MOST_VALUE_BYTES &&
  algorithms[algorithm].subgroups &&
  hasFullSubgroups(sizes) &&
  !sizes.oneByOne &&
  sizes.maxSubgroupSize <= WORD_BITS &&
  sizes.items <= WORD_BITS;

/** The places of a thread's items in work-group memory: an odd number, so that lanes hit different banks. */
export const stagedItems = ({ items }: Pick<Sizes, "items">): number => items | 1;

/** Bytes of work-group memory that a reduction by offsets takes beside its algorithm and its look-back, if it takes the operator. */
export const offsetsMemory = (
  monoid: Monoid,
  options: Pick<KernelOptions, "algorithm" | "sizes">,
): number => {
  const { workGroupSize } = options.sizes;
  return takesValues(monoid, options)
    ? memoryOf([workGroupSize * stagedItems(options.sizes)], monoid.onValues?.domain.elementBytes ?? 0, 2) +
        memoryOf([workGroupSize], 4, 0)
    : 0;
};
