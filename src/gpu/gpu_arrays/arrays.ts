// Arrays on the GPU, and the calls at hand that take several of them: those on segments.

export { callOnGpu } from "./fold_calls.ts";
export { segmentsAtHand } from "./segments_via_gpu.ts";
export { upload, wrap } from "./upload_and_wrap.ts";
