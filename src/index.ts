/**
 * Scan, reduce, compact, sort and the other primitives in the browser: at hand, from typed array to typed array, and device-wide,
 * recorded into an encoder of your own. Start with {@link openFold}, which gives a {@link Fold}.
 *
 * @module wavefold
 */
export * from "./algebra/index.ts";
export type { Segments, SegmentsByAxis, SegmentsByExpression } from "./algebra/segments.ts";
export type { Float16ArrayLike, TypedArrays } from "./algebra/types.ts";
export {
  AdapterError,
  ArgumentError,
  DeviceLostError,
  FeatureError,
  LimitError,
  MissingPackageError,
  NoGpuError,
  OutOfMemoryError,
  ShaderError,
  SourceError,
  WavefoldError,
} from "./errors.ts";
export type { HandArgOptions } from "./gpu/at_hand/arg_min_max_at_hand.ts";
export type { CallExplained } from "./gpu/at_hand/choose_cpu.ts";
export type { ArgValue } from "./gpu/at_hand/hand_types.ts";
export type * from "./gpu/call_types.ts";
export type { SinglePassTest } from "./gpu/device/context.ts";
export type * from "./gpu/fold.ts";
// Only `openFold` makes one. Named as a type, it stands in the API reference as an interface.
export type { Fold } from "./gpu/fold.ts";
export type { ContentsOf, GpuArray, GpuArrayOf, GpuView } from "./gpu/gpu_arrays/gpu_array.ts";
export type { GpuSegments, GpuSegmentsByExpression } from "./gpu/gpu_arrays/segments_on_gpu.ts";
export type { UploadOptions, WrapOptions } from "./gpu/gpu_arrays/upload_and_wrap.ts";
export type { OpenOptions } from "./gpu/open.ts";
export { openFold } from "./gpu/open.ts";
export type {
  ArraySource,
  ArrayStream,
  StreamCompactOptions,
  StreamMapOption,
  StreamOf,
  StreamOptions,
  StreamRows,
  StreamRowsOption,
  StreamScanOption,
  StreamTypes,
} from "./gpu/streams/streams.ts";
export type { LitmusOptions, LitmusResult } from "./gpu/tuning/litmus_types.ts";
export { runLitmusTests, tuneAdapter } from "./gpu/tuning/measure_adapter.ts";
export type { TuneAdapterOptions } from "./gpu/tuning/tune_adapter.ts";
export type { Algorithm } from "./kernels/algorithms.ts";
export type { Indirect } from "./kernels/compact.ts";
export type { LitmusName } from "./kernels/litmus.ts";
export type { SortedSegments } from "./kernels/sort_segments.ts";
export type { IndicesOption, InitialOption, SegmentsOption, ValuesOption } from "./options.ts";
export type { AdapterTuning, AdapterTuningRow, TunedAdapter } from "./plan/adapter_tuning.ts";
