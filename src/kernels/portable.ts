import loadKeptOneByOneFile from "../../shaders/device/io/load_kept_one_by_one.wgsl";
import itemsOneByOneFile from "../../shaders/device/io/one_by_one.wgsl";
import storeKeptOneByOneFile from "../../shaders/device/io/store_kept_one_by_one.wgsl";
import reduceTilesOneByOneFile from "../../shaders/device/kernels/reduce_tiles_one_by_one.wgsl";
import scanTilesOneByOneFile from "../../shaders/device/kernels/scan_tiles_one_by_one.wgsl";
import portableFile from "../../shaders/device/tiles/portable.wgsl";
import blellochFile from "../../shaders/work_group/blelloch.wgsl";
import hillisSteeleFile from "../../shaders/work_group/hillis_steele.wgsl";
import hillisSteeleReduceFile from "../../shaders/work_group/hillis_steele_reduce.wgsl";
import type { SourceText } from "../text/source.ts";
import { file } from "./kernel.ts";
import type { TileAlgorithm } from "./tiles.ts";

// Tiles without subgroups: a thread takes consecutive items, and the threads' totals are scanned in work-group memory.

const portable = /* @__PURE__ */ file("tiles/portable.wgsl", portableFile);

const blellochFiles: readonly SourceText[] = [
  { name: "shaders/work_group/blelloch.wgsl", text: blellochFile },
  portable,
];
export const blelloch: TileAlgorithm = () => () => blellochFiles;

const hillisSteeleFiles: readonly SourceText[] = [
  { name: "shaders/work_group/hillis_steele.wgsl", text: hillisSteeleFile },
  { name: "shaders/work_group/hillis_steele_reduce.wgsl", text: hillisSteeleReduceFile },
  portable,
];
export const hillisSteele: TileAlgorithm = () => () => hillisSteeleFiles;

/**
 * Loops that hold no item over a barrier, in place of those of a kernel's own files: see `Sizes.oneByOne`. Each is for the
 * kernels that have what it replaces.
 */
export const oneByOne: readonly SourceText[] = [
  { name: "shaders/device/io/one_by_one.wgsl", text: itemsOneByOneFile },
  { name: "shaders/device/kernels/scan_tiles_one_by_one.wgsl", text: scanTilesOneByOneFile },
  { name: "shaders/device/kernels/reduce_tiles_one_by_one.wgsl", text: reduceTilesOneByOneFile },
  { name: "shaders/device/io/load_kept_one_by_one.wgsl", text: loadKeptOneByOneFile },
  { name: "shaders/device/io/store_kept_one_by_one.wgsl", text: storeKeptOneByOneFile },
];
