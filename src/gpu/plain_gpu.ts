import { linked } from "../kernels/linked_gpu.ts";
import { plainKernels } from "../kernels/linked_kernels.ts";
import type { PlainScan } from "./hand.ts";
import { scanPlainly } from "./plain_scan.ts";

// This is loaded with the first scan of plain u32 on a GPU.

const kernels = /* @__PURE__ */ plainKernels(linked);

export const plainScan: PlainScan = (...scan) => scanPlainly(kernels, ...scan);
