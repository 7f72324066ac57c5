import oneByOneFile from "../../shaders/device/kernels/one_by_one.wgsl";
import type { SourceText } from "../algebra/types.ts";

// This is loaded where a plan for a software adapter has long items.

export const instead: readonly SourceText[] = [
  { name: "shaders/device/kernels/one_by_one.wgsl", text: oneByOneFile },
];
