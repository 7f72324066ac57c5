import inputItems from "#shaders/device/io/input_items.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import searchCounted from "#shaders/device/kernels/search_counted.wgsl";
import searchSorted from "#shaders/device/kernels/search_sorted.wgsl";
import search from "#shaders/device/search/search.wgsl";
import tableItems from "#shaders/device/search/table_items.wgsl";
import type { ScalarType } from "../algebra/types.ts";
import { generated } from "../text/source.ts";
import { carriedAs } from "./contract.ts";
import { itemsText } from "./copied_items.ts";
import type { Kernel } from "./kernel.ts";
import { lengthFile, linkKernel } from "./kernel.ts";
import { keySources } from "./ordered_keys.ts";
import type { Sizes } from "./sizes.ts";

/** Which place a value has among equal items of the sorted range: before the first, or behind the last. */
export type Side = "left" | "right";

/** The kernel that finds the places of items in a sorted range. `countOnGpu` is whether the number of sorted items is on the GPU. */
export const searchKernel = (
  type: ScalarType,
  side: Side,
  lengthOnGpu: boolean,
  countOnGpu: boolean,
  sizes: Sizes,
): Kernel =>
  linkKernel(
    `wavefold search sorted <${type.name}>`,
    countOnGpu ? "search_counted" : "search_sorted",
    [
      itemsText(carriedAs(type), "u32"),
      generated(
        [
          "fn comes_before(entry: Key, key: Key) -> bool {",
          `  return ${side === "left" ? "is_less(entry, key)" : "!is_less(key, entry)"};`,
          "}",
        ].join("\n"),
      ),
      ...type.files,
      ...keySources(type),
      inputItems,
      outputItems,
      lengthFile(lengthOnGpu),
      search,
      tableItems,
      countOnGpu ? searchCounted : searchSorted,
    ],
    sizes,
  );
