import portableFile from "../../shaders/device/tiles/portable.wgsl";
import blellochFile from "../../shaders/work_group/blelloch.wgsl";
import hillisSteeleFile from "../../shaders/work_group/hillis_steele.wgsl";
import hillisSteeleReduceFile from "../../shaders/work_group/hillis_steele_reduce.wgsl";
import type { SourceText } from "../text/source.ts";
import { file } from "./contract.ts";
import type { TileAlgorithm } from "./tiles.ts";

// Tiles without subgroups: a thread takes consecutive items, and the threads' totals are scanned in work-group memory.

const portable = /* @__PURE__ */ file("tiles/portable.wgsl", portableFile);

const blellochFiles: readonly SourceText[] = [
  { name: "shaders/work_group/blelloch.wgsl", text: blellochFile },
  portable,
];
export const blelloch: TileAlgorithm = { sources: () => () => blellochFiles, threadsTake: "runs" };

const hillisSteeleFiles: readonly SourceText[] = [
  { name: "shaders/work_group/hillis_steele.wgsl", text: hillisSteeleFile },
  { name: "shaders/work_group/hillis_steele_reduce.wgsl", text: hillisSteeleReduceFile },
  portable,
];
export const hillisSteele: TileAlgorithm = { sources: () => () => hillisSteeleFiles, threadsTake: "runs" };
