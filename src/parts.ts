import { once } from "./errors.ts";

// All that the package loads when a call first needs it, in alphabetical order of the files. ARCHITECTURE.md says what loads each part. A bundler
// leaves out the loaders that a program does without, since each is a pure const.

export const loadOtherElements = /* @__PURE__ */ once(() => import("./cpu/other_elements.ts"));
export const loadCpuCalls = /* @__PURE__ */ once(() => import("./gpu/at_hand/cpu_calls.ts"));
export const loadCpuPrimitives = /* @__PURE__ */ once(() => import("./gpu/at_hand/cpu_primitives.ts"));
export const loadCpuTexts = /* @__PURE__ */ once(() => import("./gpu/at_hand/cpu_texts.ts"));
export const loadOnDevice = /* @__PURE__ */ once(() => import("./gpu/at_hand/on_device.ts"));
export const loadParamsAndEnds = /* @__PURE__ */ once(() => import("./gpu/device/params_and_ends.ts"));
export const loadShaderErrors = /* @__PURE__ */ once(() => import("./gpu/device/shader_errors.ts"));
export const loadNumbers64 = /* @__PURE__ */ once(() => import("./gpu/executor/numbers_64.ts"));
export const loadArrays = /* @__PURE__ */ once(() => import("./gpu/parts/arrays.ts"));
export const loadFolds = /* @__PURE__ */ once(() => import("./gpu/parts/folds.ts"));
export const loadPrimitives = /* @__PURE__ */ once(() => import("./gpu/parts/primitives.ts"));
export const loadSorts = /* @__PURE__ */ once(() => import("./gpu/parts/sorts.ts"));
export const loadStreams = /* @__PURE__ */ once(() => import("./gpu/streams/streams.ts"));
export const loadTuning = /* @__PURE__ */ once(() => import("./gpu/tuning/tuning.ts"));
export const loadFasterAndNarrow = /* @__PURE__ */ once(() => import("./plan/faster_and_narrow.ts"));
export const loadSegmentsAndRuns = /* @__PURE__ */ once(() => import("./plan/segments_and_runs.ts"));
export const loadSelectedAndSorted = /* @__PURE__ */ once(() => import("./plan/selected_and_sorted.ts"));

/** What follows from a value, as soon as it is there. A call whose part is loaded makes no promise for it. */
export const afterLoad = <T, Made>(
  value: T | Promise<T>,
  use: (value: T) => Made,
): Made | Promise<Awaited<Made>> =>
  (value instanceof Promise ? value.then(use) : use(value)) as Made | Promise<Awaited<Made>>;
