import loadKeptFile from "../../shaders/device/io/load_kept_one_by_one.wgsl";
import itemsFile from "../../shaders/device/io/one_by_one.wgsl";
import storeKeptFile from "../../shaders/device/io/store_kept_one_by_one.wgsl";
import reduceTilesFile from "../../shaders/device/kernels/reduce_tiles_one_by_one.wgsl";
import scanTilesFile from "../../shaders/device/kernels/scan_tiles_one_by_one.wgsl";
import type { SourceText } from "../text/source.ts";

// This is loaded where a plan for a software adapter has long items.

/** Each is for the kernels that have what it replaces. */
export const instead: readonly SourceText[] = [
  { name: "shaders/device/io/one_by_one.wgsl", text: itemsFile },
  { name: "shaders/device/kernels/scan_tiles_one_by_one.wgsl", text: scanTilesFile },
  { name: "shaders/device/kernels/reduce_tiles_one_by_one.wgsl", text: reduceTilesFile },
  { name: "shaders/device/io/load_kept_one_by_one.wgsl", text: loadKeptFile },
  { name: "shaders/device/io/store_kept_one_by_one.wgsl", text: storeKeptFile },
];
