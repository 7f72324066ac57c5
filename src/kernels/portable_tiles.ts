import portable from "#shaders/device/tiles/portable.wgsl";
import portableThreads from "#shaders/device/tiles/portable_threads.wgsl";
import blellochFile from "#shaders/work_group/blelloch.wgsl";
import hillisSteeleFile from "#shaders/work_group/hillis_steele.wgsl";
import hillisSteeleReduceFile from "#shaders/work_group/hillis_steele_reduce.wgsl";
import type { SourceText } from "../text/source.ts";
import type { TileAlgorithm } from "./tiles.ts";

// Tiles without subgroups: a thread takes consecutive items, and the threads' totals are scanned in work-group memory.

const blellochFiles: readonly SourceText[] = [blellochFile, portableThreads, portable];
export const blelloch: TileAlgorithm = () => () => blellochFiles;

const hillisSteeleFiles: readonly SourceText[] = [
  hillisSteeleFile,
  hillisSteeleReduceFile,
  portableThreads,
  portable,
];
export const hillisSteele: TileAlgorithm = () => () => hillisSteeleFiles;
