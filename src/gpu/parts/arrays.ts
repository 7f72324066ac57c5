import { expandRuns as anExpansion } from "../../primitives/expand_runs.ts";
import { runLengths as theLengths, unique as theUnique } from "../../primitives/unique.ts";
import { formsOf } from "../forms/forms.ts";

// Arrays on the GPU, and the calls that put several there: those on segments, and on runs of equal elements.

export { callOnGpu } from "../gpu_arrays/fold_calls.ts";
export { segmentsAtHand } from "../gpu_arrays/segments_via_gpu.ts";
export { upload, wrap } from "../gpu_arrays/upload_and_wrap.ts";

export const unique = formsOf(theUnique);
export const runLengths = formsOf(theLengths);
export const expandRuns = formsOf(anExpansion);
