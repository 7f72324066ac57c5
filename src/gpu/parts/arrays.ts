// Arrays on the GPU, and scans and reductions of segments, which put their arrays there.

export { callOnGpu } from "../gpu_arrays/fold_calls.ts";
export { segmentsAtHand } from "../gpu_arrays/segments_via_gpu.ts";
export { upload, wrap } from "../gpu_arrays/upload_and_wrap.ts";
