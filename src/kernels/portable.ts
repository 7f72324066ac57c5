import oneByOneFile from "../../shaders/device/kernels/one_by_one.wgsl";
import portableFile from "../../shaders/device/tiles/portable.wgsl";
import blellochFile from "../../shaders/work_group/blelloch.wgsl";
import hillisSteeleFile from "../../shaders/work_group/hillis_steele.wgsl";
import hillisSteeleReduceFile from "../../shaders/work_group/hillis_steele_reduce.wgsl";
import type { SourceText } from "../algebra/types.ts";
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

/** Loops that hold no item over a barrier, in place of those of a kernel's own files: see `Sizes.oneByOne`. */
export const oneByOne: readonly SourceText[] = [
  /* @__PURE__ */ file("kernels/one_by_one.wgsl", oneByOneFile),
];
