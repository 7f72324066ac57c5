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
export type { CallExplained, CallName } from "./gpu/at_hand/choose_cpu.ts";
export type { ArgValue } from "./gpu/at_hand/hand_types.ts";
export type {
  Answer,
  ArgSortOptions,
  AskedResults,
  Binned,
  CompactCallOptions,
  ComputedKeys,
  ElementIn,
  ExpandCallOptions,
  Expanded,
  FirstOf,
  FlagsOf,
  FoldArray,
  FoldArrays,
  FoldCallOptions,
  FoldedArray,
  GivenSegments,
  HandSortOptions,
  HistogramCallOptions,
  InOrder,
  MapCallOptions,
  MapTo,
  MergeCallOptions,
  MergedValues,
  NameIn,
  NamesIn,
  NthOf,
  NumberOfEach,
  NumbersBeside,
  OfKind,
  OrderOf,
  PartitionCallOptions,
  Partitioned,
  ReduceCallOptions,
  Reduced,
  ResultArray,
  ResultName,
  ResultValue,
  Runs,
  ScanCallOptions,
  Scanned,
  ScatterCallOptions,
  Scattered,
  SegmentsOf,
  SortCallOptions,
  SortResult,
  SortSegments,
  SortValues,
  Taken,
  TakeOptions,
  TopKCallOptions,
  TopKOf,
  U32Array,
  UniqueCallOptions,
  Uniques,
} from "./gpu/call_types.ts";
export type { SinglePassTest } from "./gpu/device/context.ts";
export type { Fold, OfType } from "./gpu/fold.ts";
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
export type { WeighedOptions } from "./plan/bin_weights.ts";
export type { BinOptions } from "./plan/bins.ts";
export type { SortOptions } from "./plan/check_sort.ts";
export type { CompactOptions, PartitionOptions } from "./plan/compact.ts";
export type { CountBounds } from "./plan/count_bounds.ts";
export type { ExpandOptions } from "./plan/expand_runs.ts";
export type { ConditionOption, ConditionOptions } from "./plan/find.ts";
export type { Grouping } from "./plan/grouping.ts";
export type { HistogramOptions, HistogramTuning } from "./plan/histogram.ts";
export type { MapText, NeighbourOptions, PreparedMapOptions } from "./plan/map_elements.ts";
export type { MergeOptions, MergeOrder, SetOptions } from "./plan/merge.ts";
export type { ParamsOption, Passes, SegmentOptions, SegmentsBy, TuningOptions } from "./plan/options.ts";
export type { UniqueOptions } from "./plan/planned_unique.ts";
export type { ReduceOptions } from "./plan/reduce.ts";
export type { RunKeyOptions } from "./plan/run_key.ts";
export type { ScanOptions } from "./plan/scan.ts";
export type { ScatterOptions } from "./plan/scatter_base.ts";
export type { SearchOptions, SearchTuning } from "./plan/search.ts";
export type { NthOptions, TopKOptions, TopKOrder, TopKRowsOptions } from "./plan/select.ts";
export type { KeysOrder, SortKeyOptions, SortOrder } from "./plan/sort_key.ts";
export type { SegmentSortOptions } from "./plan/sort_segments.ts";
export type { PreparedSortOptions, ValueTypes } from "./plan/sort_with_values.ts";
export type { CallParamsOption, IntoOption, MapOption, TypesOption } from "./primitives/call_options.ts";
export type {
  CompactOf,
  CompactRanges,
  EitherCompact,
  FlaggedCompact,
  FlaggedRanges,
  KeepOption,
  PreparedCompact,
} from "./primitives/compact.ts";
export type {
  ExpandRanges,
  GpuExpandOptions,
  HandExpandOptions,
  PreparedExpandRuns,
  RankedItems,
} from "./primitives/expand_runs.ts";
export type { ConditionRanges, HandConditionOptions, PreparedCondition } from "./primitives/find.ts";
export type {
  GatherOptions,
  GatherRanges,
  GatherTuning,
  HandGatherOptions,
  PreparedGather,
} from "./primitives/gather.ts";
export type {
  HandHistogramOptions,
  HistogramRanges,
  PreparedHistogram,
  SecondOption,
  WeightsOption,
} from "./primitives/histogram.ts";
export type { MapRanges, PreparedMap, WithOption } from "./primitives/map.ts";
export type {
  HandSetOptions,
  MergeRanges,
  MergeValues,
  PreparedMerge,
  PreparedSet,
  SetRanges,
} from "./primitives/merge.ts";
export type { HandNthOptions, Nth, NthRanges, PreparedNth } from "./primitives/nth.ts";
export type {
  ClassOptions,
  ClassPartition,
  FlaggedPartitionRanges,
  Partition,
  PartitionRanges,
  PreparedPartition,
} from "./primitives/partition.ts";
export type { BufferRange, Length } from "./primitives/ranges.ts";
export type { FoldOptions, PreparedReduce, ReduceRanges, SegmentParts } from "./primitives/reduce.ts";
export type { PreparedScan, ScanOption, ScanRanges, TotalOption } from "./primitives/scan.ts";
export type { HandScatterOptions, PreparedScatter, ScatterRanges } from "./primitives/scatter.ts";
export type { HandSearchOptions, PreparedSearchSorted, SearchRanges } from "./primitives/search_sorted.ts";
export type { PreparedSort, Sorted, SortRanges } from "./primitives/sort.ts";
export type { HandTopKOptions, PreparedTopK, TopK, TopKOfEach, TopKRanges } from "./primitives/top_k.ts";
export type { CountsOption, PreparedUnique, RunOptions, UniqueRanges } from "./primitives/unique.ts";
