import { folds } from "../../primitives/folds.ts";
import { foldRunner } from "../forms/folds_on_gpu.ts";
import { callFormsOf } from "../forms/forms.ts";

// Arrays on the GPU; scans, reductions, compactions and partitions of these; and scans and reductions of segments, which put their arrays there.

export { segmentsAtHand } from "../forms/segments_at_hand.ts";
export { upload, wrap } from "../gpu_arrays/upload_and_wrap.ts";

export const forms = callFormsOf(Object.values(folds), foldRunner);
