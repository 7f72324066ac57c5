import numberOfRun from "#shaders/device/expand/number_of_run.wgsl";
import storeAtPositions from "#shaders/device/expand/store_at_positions.wgsl";
import storeNumber from "#shaders/device/expand/store_number.wgsl";
import storeRanks from "#shaders/device/expand/store_ranks.wgsl";
import storeValue from "#shaders/device/expand/store_value.wgsl";
import inputItems from "#shaders/device/io/input_items.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import expandRuns from "#shaders/device/kernels/expand_runs.wgsl";
import type { ElementType } from "../algebra/types.ts";
import type { SourceText } from "../text/source.ts";
import { carriedAs } from "./contract.ts";
import { itemsText } from "./copied_items.ts";
import type { Kernel } from "./kernel.ts";
import { lengthFile, linkKernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";

/** The most items of a block. It has a word of work-group memory for each. */
const MOST_IN_BLOCK = 2048;

/** The items of a block that a thread takes: as many as divide a thread's items, and as there is room for. */
export function blockItems({ workGroupSize, items }: Pick<Sizes, "workGroupSize" | "items">): number {
  let own = items;
  while (own > 1 && (items % own !== 0 || own * workGroupSize > MOST_IN_BLOCK)) {
    own--;
  }
  return own;
}

/** What is stored of each item: the value or the number of its run, and its rank beside that; or that number at the item's position. */
export interface ExpandStores {
  readonly indices: boolean;
  readonly ranks: boolean;
  readonly atPositions: boolean;
}

/** The files that read a run, and store an item of it. */
function filesOf({ indices, ranks, atPositions }: ExpandStores): readonly SourceText[] {
  if (atPositions) {
    return [numberOfRun, storeAtPositions];
  }
  return ranks
    ? [numberOfRun, indices ? storeNumber : storeValue, storeRanks]
    : [indices ? numberOfRun : inputItems, outputItems];
}

/** The kernel that writes runs out. */
export const expandKernel = (
  type: ElementType,
  stores: ExpandStores,
  lengthOnGpu: boolean,
  sizes: Sizes,
): Kernel =>
  linkKernel(
    `wavefold expand runs <${type.name}>`,
    "expand_runs",
    [itemsText(carriedAs(type)), ...type.files, ...filesOf(stores), lengthFile(lengthOnGpu), expandRuns],
    sizes,
    { more: { BLOCK_ITEMS: blockItems(sizes) } },
  );
