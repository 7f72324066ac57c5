import portableFile from "../../shaders/device/tiles/portable.wgsl";
import hillisSteeleFile from "../../shaders/work_group/hillis_steele.wgsl";
import hillisSteeleReduceFile from "../../shaders/work_group/hillis_steele_reduce.wgsl";
import type { SourceText } from "../text/source.ts";

// This is loaded where a plan takes the algorithm.
const files: readonly SourceText[] = [
  { name: "shaders/work_group/hillis_steele.wgsl", text: hillisSteeleFile },
  { name: "shaders/work_group/hillis_steele_reduce.wgsl", text: hillisSteeleReduceFile },
  { name: "shaders/device/tiles/portable.wgsl", text: portableFile },
];

export const sourcesOf = () => () => files;
