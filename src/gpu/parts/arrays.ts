import { folds } from "../../primitives/folds.ts";
import { foldsOnGpu } from "../forms/folds_on_gpu.ts";
import { formsOf } from "../forms/forms.ts";

// Arrays on the GPU; scans, reductions, compactions and partitions of these; and scans and reductions of segments, which put their arrays there.

export { segmentsAtHand } from "../forms/segments_at_hand.ts";
export { upload, wrap } from "../gpu_arrays/upload_and_wrap.ts";

export const scan = formsOf(folds.scan, foldsOnGpu);
export const reduce = formsOf(folds.reduce, foldsOnGpu);
export const compact = formsOf(folds.compact, foldsOnGpu);
export const partition = formsOf(folds.partition, foldsOnGpu);
