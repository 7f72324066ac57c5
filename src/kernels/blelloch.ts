import portableFile from "../../shaders/device/tiles/portable.wgsl";
import blellochFile from "../../shaders/work_group/blelloch.wgsl";
import type { SourceText } from "../text/source.ts";

// This is loaded where a plan takes the algorithm.
const files: readonly SourceText[] = [
  { name: "shaders/work_group/blelloch.wgsl", text: blellochFile },
  { name: "shaders/device/tiles/portable.wgsl", text: portableFile },
];

export const sourcesOf = () => () => files;
