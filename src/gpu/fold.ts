import type { AnyArray, ArrayOf, NameOf, ScalarArray, ValueIn } from "../algebra/arrays.ts";
import { isOnGpu } from "../algebra/arrays.ts";
import type { Operator } from "../algebra/monoid.ts";
import type { ElementType, ScalarOf, Value, WideName } from "../algebra/types.ts";
import { refuse, shown } from "../errors.ts";
import { afterLoad, loadArrays, loadFolds, loadPrimitives, loadSorts, loadStreams } from "../parts.ts";
import type { CompactOptions, PartitionOptions } from "../plan/compact.ts";
import type { ExpandOptions } from "../plan/expand_runs.ts";
import type { ConditionOptions } from "../plan/find.ts";
import type { HistogramOptions } from "../plan/histogram.ts";
import type { PreparedMapOptions } from "../plan/map_elements.ts";
import type { MergeOptions, SetOptions } from "../plan/merge.ts";
import type { FoldName } from "../plan/plan_recording.ts";
import type { UniqueOptions } from "../plan/planned_unique.ts";
import type { ReduceOptions } from "../plan/reduce.ts";
import type { ScanOptions } from "../plan/scan.ts";
import type { ScatterOptions } from "../plan/scatter_base.ts";
import type { SearchOptions } from "../plan/search.ts";
import type { NthOptions, TopKOptions, TopKRowsOptions } from "../plan/select.ts";
import type { PreparedSortOptions } from "../plan/sort_with_values.ts";
import type { IntoOption } from "../primitives/call_options.ts";
import type { EitherCompact, FlaggedCompact, PreparedCompact } from "../primitives/compact.ts";
import type { PreparedExpandRuns } from "../primitives/expand_runs.ts";
import type { HandConditionOptions, PreparedCondition } from "../primitives/find.ts";
import type { GatherOptions, HandGatherOptions, PreparedGather } from "../primitives/gather.ts";
import type { PreparedHistogram } from "../primitives/histogram.ts";
import type { PreparedMap } from "../primitives/map.ts";
import type { HandSetOptions, PreparedMerge, PreparedSet } from "../primitives/merge.ts";
import type { HandNthOptions, PreparedNth } from "../primitives/nth.ts";
import type { FlaggedPartitionRanges, PartitionRanges, PreparedPartition } from "../primitives/partition.ts";
import type { PreparedReduce } from "../primitives/reduce.ts";
import type { PreparedScan } from "../primitives/scan.ts";
import type { PreparedScatter } from "../primitives/scatter.ts";
import type { HandSearchOptions, PreparedSearchSorted } from "../primitives/search_sorted.ts";
import type { PreparedSort } from "../primitives/sort.ts";
import type { PreparedTopK } from "../primitives/top_k.ts";
import type { PreparedUnique, RunOptions } from "../primitives/unique.ts";
import type { HandArgOptions } from "./at_hand/arg_min_max_at_hand.ts";
import type { CallExplained } from "./at_hand/choose_cpu.ts";
import { explainCall } from "./at_hand/choose_cpu.ts";
import { scanAtHand } from "./at_hand/fold_at_hand.ts";
import type { ArgValue } from "./at_hand/hand_types.ts";
import type {
  Answer,
  ArgSortOptions,
  Binned,
  CompactCallOptions,
  ExpandCallOptions,
  Expanded,
  FirstOf,
  FoldArray,
  FoldArrays,
  HistogramCallOptions,
  MapCallOptions,
  MergeCallOptions,
  MergedValues,
  NameIn,
  NthOf,
  NumberOfEach,
  NumbersBeside,
  OfKind,
  PartitionCallOptions,
  Partitioned,
  ReduceCallOptions,
  Reduced,
  ResultArray,
  ResultName,
  ScanCallOptions,
  Scanned,
  ScatterCallOptions,
  Scattered,
  SegmentsOf,
  SortCallOptions,
  SortResult,
  SortValues,
  Taken,
  TopKCallOptions,
  TopKOf,
  U32Array,
  UniqueCallOptions,
  Uniques,
} from "./call_types.ts";
import type { Context, SinglePassTest } from "./device/context.ts";
import { onGpuAlone, withDevice } from "./device/cpu_context.ts";
import type { Given } from "./device/given.ts";
import { givenOf } from "./device/given.ts";
import { withNumbers } from "./executor/plan_with_parts.ts";
import { loadParamsOf } from "./executor/with_params.ts";
import type { Arguments } from "./forms/call.ts";
import type { CallForms, Forms } from "./forms/forms.ts";
import type { GpuArray, Memory } from "./gpu_arrays/gpu_array.ts";
import type { UploadOptions, WrapOptions } from "./gpu_arrays/upload_and_wrap.ts";
import type { Prepared } from "./recordings/recording.ts";
import type {
  AnyStreamOptions,
  ArraySource,
  ArrayStream,
  StreamCaller,
  StreamCompactOptions,
  StreamEnds,
  StreamOf,
  StreamOptions,
  StreamRowsOption,
  StreamScanOption,
} from "./streams/streams.ts";

// What the calls take and give. src/index.ts exports all that this file exports, so a new type of a call is named here alone.

export type { WeighedOptions } from "../plan/bin_weights.ts";
export type { BinOptions } from "../plan/bins.ts";
export type { SortOptions } from "../plan/check_sort.ts";
export type { CompactOptions, PartitionOptions } from "../plan/compact.ts";
export type { CountBounds } from "../plan/count_bounds.ts";
export type { ExpandOptions } from "../plan/expand_runs.ts";
export type { ConditionOption, ConditionOptions } from "../plan/find.ts";
export type { Grouping } from "../plan/grouping.ts";
export type { HistogramOptions, HistogramTuning } from "../plan/histogram.ts";
export type { MapText, NeighbourOptions, PreparedMapOptions } from "../plan/map_elements.ts";
export type { MergeOptions, MergeOrder, SetOptions } from "../plan/merge.ts";
export type { ParamsOption, Passes, SegmentOptions, SegmentsBy, TuningOptions } from "../plan/options.ts";
export type { UniqueOptions } from "../plan/planned_unique.ts";
export type { ReduceOptions } from "../plan/reduce.ts";
export type { RunKeyOptions } from "../plan/run_key.ts";
export type { ScanOptions } from "../plan/scan.ts";
export type { ScatterOptions } from "../plan/scatter_base.ts";
export type { SearchOptions, SearchTuning } from "../plan/search.ts";
export type { NthOptions, TopKOptions, TopKOrder, TopKRowsOptions } from "../plan/select.ts";
export type { KeysOrder, SortKeyOptions, SortOrder } from "../plan/sort_key.ts";
export type { SegmentSortOptions } from "../plan/sort_segments.ts";
export type { PreparedSortOptions, ValueTypes } from "../plan/sort_with_values.ts";
export type { CallParamsOption, IntoOption, MapOption, TypesOption } from "../primitives/call_options.ts";
export type {
  CompactOf,
  CompactRanges,
  EitherCompact,
  FlaggedCompact,
  FlaggedRanges,
  KeepOption,
  PreparedCompact,
} from "../primitives/compact.ts";
export type {
  ExpandRanges,
  GpuExpandOptions,
  HandExpandOptions,
  PreparedExpandRuns,
  RankedItems,
} from "../primitives/expand_runs.ts";
export type { ConditionRanges, HandConditionOptions, PreparedCondition } from "../primitives/find.ts";
export type {
  GatherOptions,
  GatherRanges,
  GatherTuning,
  HandGatherOptions,
  PreparedGather,
} from "../primitives/gather.ts";
export type {
  HandHistogramOptions,
  HistogramRanges,
  PreparedHistogram,
  SecondOption,
  WeightsOption,
} from "../primitives/histogram.ts";
export type { MapRanges, PreparedMap, WithOption } from "../primitives/map.ts";
export type {
  HandSetOptions,
  MergeRanges,
  MergeValues,
  PreparedMerge,
  PreparedSet,
  SetRanges,
} from "../primitives/merge.ts";
export type { HandNthOptions, Nth, NthRanges, PreparedNth } from "../primitives/nth.ts";
export type {
  ClassOptions,
  ClassPartition,
  FlaggedPartitionRanges,
  Partition,
  PartitionRanges,
  PreparedPartition,
} from "../primitives/partition.ts";
export type { BufferRange, Length } from "../primitives/ranges.ts";
export type { FoldOptions, PreparedReduce, ReduceRanges, SegmentParts } from "../primitives/reduce.ts";
export type { PreparedScan, ScanOption, ScanRanges, TotalOption } from "../primitives/scan.ts";
export type { HandScatterOptions, PreparedScatter, ScatterRanges } from "../primitives/scatter.ts";
export type { HandSearchOptions, PreparedSearchSorted, SearchRanges } from "../primitives/search_sorted.ts";
export type { PreparedSort, Sorted, SortRanges } from "../primitives/sort.ts";
export type { HandTopKOptions, PreparedTopK, TopK, TopKOfEach, TopKRanges } from "../primitives/top_k.ts";
export type { CountsOption, PreparedUnique, RunOptions, UniqueRanges } from "../primitives/unique.ts";

/** A method of `Fold` that takes typed arrays; `segments`, for scans and reductions of segments; or `exactAdd`, for calls with that operator. */
export type CallName =
  | "scan"
  | "reduce"
  | "segments"
  | "exactAdd"
  | "compact"
  | "partition"
  | "unique"
  | "runLengths"
  | "expandRuns"
  | "count"
  | "any"
  | "all"
  | "findFirst"
  | "findLast"
  | "histogram"
  | "searchSorted"
  | "gather"
  | "map"
  | "scatter"
  | "sort"
  | "merge"
  | "union"
  | "intersection"
  | "difference"
  | "argSort"
  | "topK"
  | "nth"
  | "argMin"
  | "argMax";

/** All of them: what the methods `prepare…` prepare, and a few more. */
const callNames = (): readonly string[] => [
  ...Object.getOwnPropertyNames(Fold.prototype)
    .filter((name) => name.startsWith("prepare"))
    .map((name) => `${name.slice(7, 8).toLowerCase()}${name.slice(8)}`),
  ...(["runLengths", "argSort", "argMin", "argMax", "segments", "exactAdd"] satisfies CallName[]),
];

/** The calls that have forms, by the names of the primitives. */
type FormsName = Exclude<CallName, "segments" | "exactAdd" | "argMin" | "argMax">;

/** A part that has forms. */
interface FormsPart {
  readonly forms: Readonly<Record<string, CallForms>>;
}

/** Loads the part that has the forms of a primitive of this name. */
const loaderOf = (name: FormsName): (() => FormsPart | Promise<FormsPart>) =>
  name === "sort" || name === "argSort" ? loadSorts : loadPrimitives;

/**
 * The option that names the type. It stands beside the other options, since TypeScript infers nothing from options of which one is missing
 * and another one is unknown, such as a misspelled `maxLength`. It would then report the operator.
 */
export interface OfType<Name extends string> {
  /** The type of the elements that are combined, and of the output. */
  readonly type: ElementType<Name>;
}

/** Whether it is an object that holds others, and no array. */
const isPlainObject = (given: unknown): given is object =>
  typeof given === "object" &&
  given !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(Object(given)));

/** Options of a scan or a reduction that decide how it is called. Nobody has checked them yet. */
interface SegmentsAndInto {
  readonly segments?: object | undefined;
  readonly into?: unknown;
}

/** The arrays that stand among the options of folds, sorts and selections, and in their `segments`. A call takes some of them. */
function arraysIn(options: object | undefined): Readonly<Record<string, unknown>> {
  const { into, initial, total, flags, segments } = Object(options);
  const { offsets, begins, ends, heads, headBits, keys } = Object(segments);
  return { into, initial, total, flags, offsets, begins, ends, heads, headBits, keys };
}

/** What a call of a primitive is given beside its arrays and options. */
interface OtherArguments extends Pick<Arguments, "numbers"> {
  /** The operands that are lists of arrays. */
  readonly lists?: Readonly<Record<string, readonly unknown[]>>;
}

/** The two ends of a stream, whose code is loaded later. */
function streamFor(
  context: Context,
  caller: StreamCaller,
  options: AnyStreamOptions,
): ArrayStream<never, never> {
  const ends = (async () => {
    await loadParamsOf(options);
    return (await loadStreams()).streamEnds(await withDevice(context), caller, options);
  })();
  /** What a stream calls at one of its ends. */
  const end = (side: keyof StreamEnds, ...names: string[]): object =>
    Object.fromEntries(
      names.map((name) => [name, async (given: unknown) => (await ends)[side][name]?.(given as never)]),
    );
  return {
    readable: new ReadableStream(end("readable", "start", "pull", "cancel"), { highWaterMark: 0 }),
    writable: new WritableStream(end("writable", "start", "write", "close", "abort")),
  };
}

/**
 * Scans, reductions, selections, sorts and the other primitives on one device, which {@link openFold} opens.
 *
 * Results on integers are exact. On floats, `min`, `max`, `minimum`, `maximum` and the logical operators are exact. `exactAdd` is the
 * exact sum, rounded once: the same bits on every adapter, in every plan. `add` and `mul` of f64 round after each operation, in the plan's order.
 * Those of f32 and f16 stay within a bound.
 */
export class Fold {
  readonly #context: Context;
  readonly #release: () => void;
  /** The memory of its arrays on the GPU. */
  readonly #arrays = new Set<WeakRef<Memory>>();

  /** @internal */
  constructor(context: Context, release: () => void) {
    this.#context = context;
    this.#release = release;
  }

  /** @internal */
  static contextOf(fold: Fold): Context {
    return fold.#context;
  }

  /**
   * The device that it computes on. It is yours if you gave one.
   *
   * @throws {NoGpuError} if there is none: see {@link Fold.machine}.
   *
   * @group Device
   */
  get device(): GPUDevice {
    return onGpuAlone(this.#context, "fold.device").device;
  }

  /**
   * What it computes on. On `"gpu"` there is a WebGPU device, which may be that of a software adapter: then {@link Fold.software} is
   * true. Short calls on typed arrays may still run on the CPU, and on a software adapter most calls do:
   * {@link Fold.explain} says where a call runs, and {@link OpenOptions.cpu} decides it. On `"cpu"` there is
   * no device. Then all calls give the same results, but `device`, `wrap` and what is prepared for recordings throw a {@link NoGpuError}.
   *
   * @group Device
   */
  get machine(): "gpu" | "cpu" {
    return this.#context.cpu?.noGpu ? "cpu" : "gpu";
  }

  /**
   * Where a call on typed arrays runs, if its options name no sizes or algorithms of kernels, and why.
   *
   * @param method - the method's name; `"segments"` stands for scans and reductions of segments, and `"exactAdd"` for calls with that operator.
   * @param length - the elements of the longest array.
   * @throws {ArgumentError} for a method that there is not, or a length that is none.
   * @group Device
   *
   * @example
   * ```ts
   * const fold = await openFold({ cpu: "always" });
   * fold.explain("scan", 1000).machine; // "cpu"
   * fold.destroy();
   * ```
   */
  explain(method: CallName, length: number): CallExplained {
    const names = callNames();
    if (!names.includes(method)) {
      refuse("explain", "method", shown(method), names.join(", "));
    }
    return explainCall(this.#context, method, length);
  }

  /**
   * What the adapter calls itself. For a device of yours, it is undefined in a browser that lacks `device.adapterInfo`.
   *
   * @group Device
   */
  get adapterInfo(): GPUAdapterInfo {
    return this.device.adapterInfo;
  }

  /**
   * Whether the adapter computes on the CPU, or there is none. With a software adapter, it is true and {@link Fold.machine} is `"gpu"`.
   *
   * @group Device
   */
  get software(): boolean {
    return this.#context.facts.software;
  }

  /**
   * The result of the test that `openFold({ testSinglePass: true })` runs. The test scans and compacts with tiles that
   * hand on late, in part or never, and compares every element. If the test passes, single pass becomes the default where
   * we expect it to be faster; if not, it stays off. It does not change plans whose `passes` is set, nor calls at hand,
   * whose copies to and from the device take longer than a second read.
   *
   * @group Device
   *
   * @example
   * ```ts
   * const fold = await openFold({ testSinglePass: true });
   * fold.singlePassTest?.passed; // true
   * fold.destroy();
   * ```
   */
  get singlePassTest(): SinglePassTest | undefined {
    return this.#context.singlePassTest;
  }

  /**
   * The prefix sums of an array, or its prefixes with another operator: for each place, the combination of all elements up to it.
   *
   * @param data - `Uint32Array` is u32, `Int32Array` i32, `Float32Array` f32, `Float16Array` f16,
   * `BigUint64Array` u64, `BigInt64Array` i64, `Float64Array` f64; a `StructArray` its struct. It is read during the
   * call: do not change it before the call ends. Or an array on the GPU, which gives an array on the GPU:
   * see {@link Fold.upload}.
   * @returns an array like `data`; with a map to another `type`, an array of that type. With `into`, that array; on the GPU,
   * an array in the memory of that array, for as long as that is not destroyed.
   * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before the GPU is touched.
   * @throws {SourceError} if your operator or map does not compile.
   * @throws {OutOfMemoryError} {@link DeviceLostError}
   * @group Scan and reduce
   *
   * @example
   * ```ts
   * await fold.scan(Uint32Array.of(3, 1, 7, 0, 4, 1, 6, 3)); // 3 4 11 11 15 16 22 25
   * await fold.scan(Float32Array.of(0.2, 0.9, 0.7), { type: u32, map: "u32(x > 0.5)" }); // 0 1 2
   *
   * const sums = new Uint32Array(3);
   * await fold.scan(Uint32Array.of(3, 1, 7), { into: sums }); // 3 4 11
   * ```
   */
  scan<
    Data extends FoldArray,
    Type extends ElementType | undefined = undefined,
    Kind extends string = string,
  >(data: Data & OfKind<Kind>, options?: ScanCallOptions<Data, Type>): Promise<Scanned<Data, Type, Kind>> {
    return this.#fold("scan", data, options);
  }

  /**
   * The combination of all elements, in order. For an empty array it is the operator's identity. An array on the GPU gives an
   * array of one element on the GPU.
   *
   * @throws as {@link Fold.scan}.
   * @group Scan and reduce
   *
   * @example
   * ```ts
   * await fold.reduce(Float32Array.of(2, 9, 4), { op: max }); // 9
   * await fold.reduce(Float32Array.of(2, 9, 4), { map: "x * x" }); // 101
   * await fold.reduce(Uint32Array.of(1, 2, 3, 4), { segments: { rows: 2 } }); // 3 7
   * await fold.reduce(Uint32Array.of(1, 2, 3, 4), { segments: { columns: 2 } }); // 4 6
   * await fold.reduce(Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8), { segments: { shape: [2, 2, 2], axis: 1 } }); // 4 6 12 14
   * await fold.reduce(Uint32Array.of(1, 2, 3, 4), { segments: { begins: [0, 3], ends: [2, 4] } }); // 3 4
   * const tens = await fold.reduce(Uint32Array.of(11, 12, 25), { segments: { key: "x / 10u" } });
   * tens.values; // 23 25
   * const runs = await fold.reduce(Uint32Array.of(1, 2, 3), { segments: { keys: Int32Array.of(5, 5, -1) } });
   * runs.keys; // 5 -1
   * runs.values; // 3 3
   * ```
   */
  reduce<
    Data extends FoldArray,
    Type extends ElementType | undefined = undefined,
    By extends SegmentsOf<Data> | undefined = undefined,
  >(data: Data, options?: ReduceCallOptions<Data, Type, By>): Promise<Reduced<Data, Type, By>> {
    return this.#fold("reduce", data, options);
  }

  /**
   * The elements that a condition or flags keep, in order and bit for bit: with both, those that have a flag and meet the condition. With
   * `indices`, their positions.
   *
   * @returns an array like `data`; with `indices`, a `Uint32Array` of positions; with a map to another `type`, an array
   * of that type.
   * @throws as {@link Fold.scan}; {@link SourceError} also if the condition does not compile.
   * @group Select
   *
   * @example
   * ```ts
   * await fold.compact(Uint32Array.of(4, 7, 2, 9), { where: "x % 2u == 1u" }); // 7 9
   * await fold.compact(Uint32Array.of(4, 7, 2, 9), { where: "x % 2u == 1u", map: "10u * x + i" }); // 71 93
   * ```
   */
  compact<
    Data extends FoldArray,
    Type extends ElementType | undefined = undefined,
    Indices extends boolean = false,
  >(data: Data, options: CompactCallOptions<Data, Type, Indices>): Promise<Taken<Data, Type, Indices>> {
    return this.#fold("compact", data, options);
  }

  /**
   * All elements: first those that a condition or flags keep, then the rest, both in order and bit for bit. `count` is the
   * number of kept elements, which is where the rest begins. With `indices`, `values` has the elements' positions instead.
   *
   * With `classes`, it has more parts than two: the elements of class 0, then those of class 1, and so on, each in order.
   * `offsets` has where each class begins, and where the last one ends.
   *
   * @returns `values`, an array like `data` and as long; with `indices`, a `Uint32Array`; with `into`, that array. An array on
   * the GPU gives arrays on the GPU: `count` then has one element. The data is read twice, whatever `passes` is.
   * @throws as {@link Fold.compact}.
   * @group Select
   *
   * @example
   * ```ts
   * const numbers = Uint32Array.of(4, 7, 2, 9, 6);
   * const { values, count } = await fold.partition(numbers, { where: "x % 2u == 1u" });
   * values; // 7 9 4 2 6
   * count; // 2
   * values.subarray(count); // 4 2 6
   * (await fold.partition(numbers, { where: "x % 2u == 1u", indices: true })).values; // 1 3 0 2 4
   * const parts = await fold.partition(numbers, { classes: 3, class: "x % 3u" });
   * parts.values; // 9 6 4 7 2
   * parts.offsets; // 0 2 4 5
   * ```
   */
  partition<
    Data extends FoldArray,
    Classes extends number | undefined = undefined,
    Indices extends boolean = false,
  >(
    data: Data,
    options: PartitionCallOptions<Data, Classes, Indices>,
  ): Promise<Partitioned<Data, Classes, Indices>> {
    return this.#fold("partition", data, options);
  }

  /**
   * The elements of an array without those that are equal to the element before: the first of each run of equal elements. In
   * a sorted array, each element is there once. Two elements are equal if they have the same bits, or are both NaN. Bits
   * between the fields of a struct do not count. With `key`, keys are compared instead of elements, and of each run the first
   * element is kept. With `indices`, the positions of these elements.
   *
   * With `sort`, the elements of any array, each once and in ascending order. With `counts`, it gives how many elements each run has,
   * too, and with `inverse` for each element the index of its run: `values[inverse[i]]` is element `i`. With `minCount` and
   * `maxCount`, only the runs that have so many elements: those that occur twice and more, or once.
   *
   * @returns an array like `data`; with `indices`, a `Uint32Array` of positions. With `counts` or `inverse`, an object of that array as
   * `values`, and of what was asked for.
   * @throws as {@link Fold.scan}; {@link SourceError} also if the key does not compile.
   * @group Select
   *
   * @example
   * ```ts
   * await fold.unique(Uint32Array.of(4, 4, 7, 7, 7, 4)); // 4 7 4
   * await fold.unique(Uint32Array.of(11, 12, 25, 27), { key: "x / 10u" }); // 11 25
   * await fold.unique(Uint32Array.of(4, 4, 7, 7, 7, 4), { indices: true }); // 0 2 5
   *
   * const ids = Uint32Array.of(30, 10, 30, 20);
   * const { values, inverse, counts } = await fold.unique(ids, { sort: true, inverse: true, counts: true });
   * values; // 10 20 30
   * inverse; // 2 0 2 1
   * counts; // 1 1 2
   * await fold.unique(ids, { sort: true, minCount: 2 }); // 30
   * ```
   */
  unique<
    Data extends FoldArray,
    Indices extends boolean = false,
    Counts extends boolean = false,
    Inverse extends boolean = false,
  >(
    data: Data,
    options?: UniqueCallOptions<Data, Indices, Counts, Inverse>,
  ): Promise<Uniques<Data, Indices, Counts, Inverse>> {
    return this.#call("unique", { data }, options);
  }

  /**
   * Run-length coding: for each run of equal elements, the element and how many there are. It is {@link Fold.unique} with `counts`,
   * and takes the same options.
   *
   * @throws as {@link Fold.scan}.
   * @group Runs and positions
   *
   * @example
   * ```ts
   * const runs = await fold.runLengths(Uint32Array.of(4, 4, 7, 7, 7, 4));
   * runs.values; // 4 7 4
   * runs.counts; // 2 3 1
   * ```
   */
  runLengths<Data extends FoldArray, Indices extends boolean = false, Inverse extends boolean = false>(
    data: Data,
    options?: RunOptions<NameIn<Data>, Indices, Inverse>,
  ): Promise<Uniques<Data, Indices, true, Inverse>> {
    return this.#call("runLengths", { data }, options);
  }

  /**
   * The inverse of {@link Fold.runLengths}: each value as often as its count says. A count may be 0. With `indices`, the index of
   * each item's run in place of its value. With `ranks`, each item's rank, too: how many items of the same run come before it.
   *
   * @param values - as {@link Fold.scan} takes it.
   * @param counts - a `Uint32Array` with as many elements. If `values` is on the GPU, it is there, too.
   * @param options - on the GPU, `maxLength` is the most elements that the result may have: elements past that many are left
   * out. The length of the result is then on the GPU.
   * @returns an array like `values`, or u32; with `ranks`, both of them.
   * @throws as {@link Fold.scan}.
   * @group Runs and positions
   *
   * @example
   * ```ts
   * await fold.expandRuns(Uint32Array.of(4, 7, 4), Uint32Array.of(2, 3, 1)); // 4 4 7 7 7 4
   * const counts = Uint32Array.of(2, 0, 3);
   * const work = await fold.expandRuns(counts, counts, { indices: true, ranks: true });
   * work.values; // 0 0 2 2 2
   * work.ranks; // 0 1 0 1 2
   * ```
   */
  expandRuns<Data extends FoldArray, Indices extends boolean = false, Ranks extends boolean = false>(
    values: Data,
    counts: U32Array<Data>,
    ...options: ExpandCallOptions<Data, Indices, Ranks>
  ): Promise<Expanded<Data, Indices, Ranks>> {
    return this.#call("expandRuns", { values, counts }, options[0]);
  }

  /**
   * How many elements fall in each bin. A bin has its lower edge and not its upper one, but the last bin has both. Elements
   * outside all bins are not counted, and neither is NaN. Counts wrap at 2^32.
   *
   * The result does not depend on the adapter: whole numbers are divided exactly, and floats are compared with edges that the
   * CPU computed.
   *
   * `weights` of any number type give their sums instead of counts. Those of a bin are combined in the order of the elements, so that sums have
   * the same bits each time. With `op: exactAdd`, sums of floats are exact, and the same on every adapter.
   *
   * @param data - as {@link Fold.scan} takes it, but no structs. Of an array on the GPU, the result and the weights are on the GPU.
   * @param options - `edges`, or `bins` and `range`, or `bins` and `bin`.
   * @returns counts; with `weights`, sums in an array like that of the weights, of weights of 8 and 16 bits in 32 bits. With `channels`, the bins of each channel, one channel after another;
   * with `y`, the bins of `y` for each bin of the data, one after another.
   * @throws as {@link Fold.scan}; {@link SourceError} also if `bin` does not compile.
   * @group Count and find
   *
   * @example
   * ```ts
   * await fold.histogram(Uint32Array.of(3, 1, 7, 8, 1), { bins: 4, range: [0, 8] }); // 2 1 0 2
   * await fold.histogram(Float32Array.of(0.2, 5, 0.7), { edges: [0, 0.5, 1] }); // 1 1
   * await fold.histogram(Uint32Array.of(3, 1, 7, 8, 1), { bins: 2, bin: "x % 2u" }); // 1 4
   * await fold.histogram(Uint32Array.of(0, 9, 1, 9), { bins: 2, range: [0, 10], channels: 2 }); // 2 0 0 2
   * await fold.histogram(Uint32Array.of(1, 0, 1), { bins: 2, bin: "x", weights: Float64Array.of(0.5, 2, 8) }); // 2 8.5
   * await fold.histogram(Float32Array.of(0, 1, 1), { y: Float32Array.of(5, 5, 9), bins: 2, range: [0, 1], yRange: [0, 10] }); // 0 1 0 2
   * ```
   */
  histogram<Data extends ScalarArray | GpuArray, Weights extends NumbersBeside<Data> | undefined = undefined>(
    data: Data,
    options: HistogramCallOptions<Data, Weights>,
  ): Promise<Binned<Data, Weights>> {
    const arrays = { data, weights: options?.weights, y: options?.y };
    return this.#call("histogram", arrays, options);
  }

  /**
   * How many elements a condition holds for.
   *
   * @param data - as {@link Fold.scan} takes it.
   * @returns a number; an array of one u32, if the data is on the GPU.
   * @throws as {@link Fold.scan}; {@link SourceError} also if the condition does not compile.
   * @group Count and find
   *
   * @example
   * ```ts
   * await fold.count(Float32Array.of(0.2, 0.9, 0.7), { where: "x > 0.5" }); // 2
   * ```
   */
  count<Data extends FoldArray>(
    data: Data,
    options: HandConditionOptions<NameIn<Data>>,
  ): Promise<Answer<Data, number>> {
    return this.#call("count", { data }, options);
  }

  /**
   * Whether a condition holds for any element. The search ends once one is found. As {@link Fold.count}; on the GPU, the u32 is 1 or 0.
   *
   * @group Count and find
   *
   * @example
   * ```ts
   * await fold.any(Float32Array.of(0.2, 0.9, 0.7), { where: "x > 0.8" }); // true
   * ```
   */
  any<Data extends FoldArray>(
    data: Data,
    options: HandConditionOptions<NameIn<Data>>,
  ): Promise<Answer<Data, boolean>> {
    return this.#call("any", { data }, options);
  }

  /**
   * Whether a condition holds for all elements, as it does if there are none. The search ends once it does not hold for one. As
   * {@link Fold.count}; on the GPU, the u32 is 1 or 0.
   *
   * @group Count and find
   *
   * @example
   * ```ts
   * await fold.all(Float32Array.of(0.2, 0.9, 0.7), { where: "x > 0.5" }); // false
   * ```
   */
  all<Data extends FoldArray>(
    data: Data,
    options: HandConditionOptions<NameIn<Data>>,
  ): Promise<Answer<Data, boolean>> {
    return this.#call("all", { data }, options);
  }

  /**
   * The index of the first element that a condition holds for, and −1 if there is none. Elements far behind it are not read. As
   * {@link Fold.count}; on the GPU, the u32 is 0xffffffff if there is none.
   *
   * @group Count and find
   *
   * @example
   * ```ts
   * await fold.findFirst(Float32Array.of(0.2, 0.9, 0.7), { where: "x > 0.5" }); // 1
   * await fold.findFirst(Float32Array.of(0.2, 0.9, 0.7), { where: "x > 1.0" }); // -1
   * ```
   */
  findFirst<Data extends FoldArray>(
    data: Data,
    options: HandConditionOptions<NameIn<Data>>,
  ): Promise<Answer<Data, number>> {
    return this.#call("findFirst", { data }, options);
  }

  /**
   * The index of the last element that a condition holds for, and −1 if there is none. As {@link Fold.findFirst}.
   *
   * @group Count and find
   *
   * @example
   * ```ts
   * await fold.findLast(Float32Array.of(0.2, 0.9, 0.7), { where: "x > 0.5" }); // 2
   * ```
   */
  findLast<Data extends FoldArray>(
    data: Data,
    options: HandConditionOptions<NameIn<Data>>,
  ): Promise<Answer<Data, number>> {
    return this.#call("findLast", { data }, options);
  }

  /**
   * The least element and its index. Of equal elements it is the first one. As for `min`, −0 is less than 0, and any number wins
   * against NaN; of NaNs alone, the first one is the result.
   *
   * @param data - as {@link Fold.scan} takes it, but no structs and no array on the GPU.
   * @throws as {@link Fold.scan}; {@link ArgumentError} also for an empty array.
   * @group Count and find
   *
   * @example
   * ```ts
   * await fold.argMin(Float32Array.of(3, 1, 7, 1)); // { value: 1, index: 1 }
   * ```
   */
  async argMin<A extends ScalarArray>(
    data: A,
    options: HandArgOptions<NameOf<A>> = {},
  ): Promise<ArgValue<ScalarOf<NameOf<A>>>> {
    const given = givenOf(data);
    return (await loadPrimitives()).argAtHand(this.#context, "argMin", given, options) as Promise<never>;
  }

  /**
   * The greatest element and its index. Of equal elements it is the first one. As {@link Fold.argMin}.
   *
   * @group Count and find
   *
   * @example
   * ```ts
   * await fold.argMax(Float32Array.of(3, 7, Number.NaN, 7)); // { value: 7, index: 1 }
   * ```
   */
  async argMax<A extends ScalarArray>(
    data: A,
    options: HandArgOptions<NameOf<A>> = {},
  ): Promise<ArgValue<ScalarOf<NameOf<A>>>> {
    const given = givenOf(data);
    return (await loadPrimitives()).argAtHand(this.#context, "argMax", given, options) as Promise<never>;
  }

  /**
   * The place of each value in a sorted array: how many of its elements come before the value. This is where the value can be put
   * in so that the array stays sorted.
   *
   * NaN comes behind all numbers, and −0 is where 0 is. If the array is not sorted, the places mean nothing, but are still between
   * 0 and its length.
   *
   * @param sorted - elements in ascending order, as {@link Fold.scan} takes them, but no structs.
   * @param values - an array of the same type. If one array is on the GPU, both are, and so is the result.
   * @param options - `side: "right"` counts equal elements, too.
   * @throws as {@link Fold.scan}.
   * @group Count and find
   *
   * @example
   * ```ts
   * const sorted = Float32Array.of(1, 3, 3, 7);
   * await fold.searchSorted(sorted, Float32Array.of(3, 0, 9)); // 1 0 4
   * await fold.searchSorted(sorted, Float32Array.of(3, 0, 9), { side: "right" }); // 3 0 4
   * ```
   */
  searchSorted<Data extends ScalarArray | GpuArray>(
    sorted: Data,
    values: NoInfer<Data>,
    options?: HandSearchOptions<NameIn<Data>>,
  ): Promise<U32Array<Data>> {
    return this.#call("searchSorted", { sorted, values }, options);
  }

  /**
   * The value at each position: `values[positions[0]]`, `values[positions[1]]` and so on, bit for bit. Positions count from 0. They may be
   * in any order, and the same more than once.
   *
   * At hand, a position past the last value is an error, which names the first such position. On the GPU, nobody sees the positions
   * beforehand: the result has an element there whose bits are all zero, and nothing past the last value is read.
   *
   * @param values - as {@link Fold.scan} takes it.
   * @param positions - a `Uint32Array`. If `values` is on the GPU, it is there, too, as an array of u32. The length of either may be there.
   * @param options - `into` is an array for the result, as long as `positions`.
   * @returns an array like `values`, as long as `positions`; with `into`, that array.
   * @throws as {@link Fold.scan}; {@link ArgumentError} also for a position past the last value.
   * @group Runs and positions
   *
   * @example
   * ```ts
   * await fold.gather(Float32Array.of(0.5, 2, 8), Uint32Array.of(2, 0, 2)); // 8 0.5 8
   * ```
   */
  gather<Data extends FoldArray>(
    values: Data,
    positions: U32Array<Data>,
    options?: HandGatherOptions<NameIn<Data>> & IntoOption<Data>,
  ): Promise<Data> {
    const { into } = Object(options);
    return this.#call("gather", { values, positions, into }, options);
  }

  /**
   * Each value at its position, in an array of `length` elements: `result[positions[i]] = values[i]`. Positions count from 0. Where no value
   * goes, all bits are zero. Where positions meet, one of the values stays, whole, and which is not stated.
   *
   * With `op`, the values of a position are combined, in their order, by any operator: the results have the same bits each time, and
   * `exactAdd` gives exact sums. Where no value goes, there is what {@link Fold.reduce} gives for no elements.
   *
   * At hand, a position past the end is an error, which names the first such position. On the GPU, nobody sees the positions
   * beforehand: the value is left out, and nothing is written past the end.
   *
   * @param values - as {@link Fold.scan} takes it.
   * @param positions - a `Uint32Array`, as long as `values`. If `values` is on the GPU, it is there, too, as an array of u32.
   * @param options - `length` is that of the result. `into` is an array for it, of that length, whatever it holds.
   * @returns an array like `values`; with `op`, one of `type`, or of 32 bits if the values have 8 or 16 and no type is named.
   * @throws as {@link Fold.scan}; {@link ArgumentError} also for a position past the end.
   * @group Runs and positions
   *
   * @example
   * ```ts
   * const positions = Uint32Array.of(3, 0, 3);
   * await fold.scatter(Float32Array.of(0.5, 2, 8), positions, { length: 4, op: exactAdd }); // 2 0 0 8.5
   * await fold.scatter(Uint32Array.of(7, 5, 9), Uint32Array.of(2, 0, 1), { length: 4 }); // 5 9 7 0
   * await fold.scatter(Uint8Array.of(200, 1, 100), positions, { length: 4, op: add }); // Uint32Array.of(1, 0, 0, 300)
   * ```
   */
  scatter<
    Data extends FoldArray,
    Type extends ElementType | undefined = undefined,
    Op extends Operator<WideName<ResultName<Data, Type>>> | undefined = undefined,
  >(
    values: Data,
    positions: U32Array<Data>,
    options: ScatterCallOptions<Type, Op> & IntoOption<Scattered<Data, Type, Op>>,
  ): Promise<Scattered<Data, Type, Op>> {
    const { into } = Object(options);
    return this.#call("scatter", { values, positions, into }, options);
  }

  /**
   * What each element becomes: by itself, with the elements at its index in other arrays, or with its neighbours. Each step of an expression is
   * one operation of WGSL, so that floats are rounded as WGSL rounds them.
   *
   * @param data - as {@link Fold.scan} takes it.
   * @param options - `map` is the text. `with` has other arrays for it, as long as `data`: each has its own type, and all of them are where
   * `data` is. A kernel reads up to six arrays beside the data, or five if the length is on the GPU; more where the device binds more than 8 storage
   * buffers. `neighbours` has elements at a distance, and `edge` says what stands past the ends.
   * @returns as {@link Fold.scan}: as many elements as `data` has. `into` may be `data` or an array that shares its memory; on the GPU, only if
   * the map sees no neighbours.
   * @throws as {@link Fold.scan}.
   * @group Map
   *
   * @example
   * ```ts
   * const heights = Float32Array.of(1, 3, 2);
   * await fold.map(heights, { map: "x * 2.0 + 1.0" }); // 3 7 5
   * await fold.map(heights, { with: { y: Float32Array.of(2, 2, 4) }, map: "x * y" }); // 2 6 8
   * await fold.map(heights, { type: u32, map: "u32(x) << i" }); // 1 6 8
   * await fold.map(heights, { neighbours: { before: -1 }, edge: "nearest", map: "x - before" }); // 0 2 -1
   * ```
   */
  map<Data extends FoldArray, Type extends ElementType | undefined = undefined>(
    data: Data,
    options: MapCallOptions<Data, Type>,
  ): Promise<ResultArray<Data, Type>> {
    const beside: unknown = options?.with;
    const lists = isPlainObject(beside) ? { with: Object.values(beside) } : {};
    return this.#call("map", { data, with: beside, into: options?.into }, options, { lists });
  }

  /**
   * The elements in order. The sort is stable: elements with equal keys keep their order.
   *
   * Floats are in the order of their numbers, with −0 before 0, and NaN behind all others. With `descending`, everything is the
   * other way round, so that NaN comes first, but equal elements still keep their order. The result is the same on every adapter.
   *
   * @param data - as {@link Fold.scan} takes it. Structs are sorted by a `key`. Or a list of arrays of equal lengths: the first array
   * decides, and where its elements are equal, the second one, and so on. Then `descending` may be a list, too, and there is no `key`
   * and no `bits`.
   * @param options - with `values`, one array or a list of arrays: they move as the elements do. If `data` is on the GPU, they are,
   * too, and so are the results. With `segments`, each row, or each range of offsets, is sorted on its own.
   * @returns the sorted elements, or a list of them; with `values`, the elements as `keys`, and the values in the same order.
   * @throws as {@link Fold.scan}; {@link SourceError} also if `key` does not compile.
   * @group Sort and rank
   *
   * @example
   * ```ts
   * await fold.sort(Float32Array.of(3, -1, 7)); // -1 3 7
   * await fold.sort(Uint32Array.of(3, 1, 7), { descending: true }); // 7 3 1
   * await fold.sort(Uint32Array.of(31, 12, 22), { key: "x % 10u" }); // 31 12 22
   * await fold.sort(Uint32Array.of(3, 1, 7, 0, 2, 1), { segments: { rows: 3 } }); // 1 3 7 0 1 2
   * const sorted = await fold.sort(Uint32Array.of(3, 1, 7), { values: Float32Array.of(0.75, 0.25, 1.75) });
   * sorted.keys; // 1 3 7
   * sorted.values; // 0.25 0.75 1.75
   * const [cities, ages] = [Uint32Array.of(2, 1, 2), Float32Array.of(30, 40, 50)];
   * await fold.sort([cities, ages], { descending: [false, true] }); // [Uint32Array.of(1, 2, 2), Float32Array.of(40, 50, 30)]
   * ```
   */
  sort<
    const Data extends FoldArray | FoldArrays,
    const Values extends SortValues<FirstOf<Data>> | undefined = undefined,
  >(data: Data, options?: SortCallOptions<Data, Values>): Promise<SortResult<Data, Values>> {
    return this.#sort("sort", data, options);
  }

  /**
   * The positions of the elements in order: the result's first element is the position of the least element of the data. As
   * {@link Fold.sort}. With `segments`, positions are those in the data, too.
   *
   * @group Sort and rank
   *
   * @example
   * ```ts
   * await fold.argSort(Float32Array.of(3, -1, 7)); // 1 0 2
   * await fold.argSort(Float32Array.of(3, -1, 7), { descending: true }); // 2 0 1
   * const [cities, ages] = [Uint32Array.of(2, 1, 2), Float32Array.of(30, 40, 50)];
   * await fold.argSort([cities, ages], { descending: [false, true] }); // 1 2 0
   * ```
   */
  argSort<const Data extends FoldArray | FoldArrays>(
    data: Data,
    options?: ArgSortOptions<Data>,
  ): Promise<U32Array<FirstOf<Data>>> {
    return this.#sort("argSort", data, options);
  }

  /**
   * All elements of two sorted arrays, in order. Of elements with equal keys, those of the first array come first, and all others keep their
   * order. It reads each element about once, and takes far less time than a sort of both.
   *
   * The order is that of {@link Fold.sort}, with the same `key` and `descending`. If the arrays are at hand and elements are their own keys, an
   * array in another order is an error, which names the first element that is out of order. Otherwise nobody looks: then the result has elements
   * of both arrays, in no order.
   *
   * @param data - a sorted array, as {@link Fold.sort} gives it. Structs have a `key`.
   * @param other - another one of the same type. Both are on the GPU, or neither is. The length of either may be there: then that of the result
   * is, too.
   * @param options - with `values` and `otherValues`, a value for each element of `data` and of `other`. They move as the elements do.
   * @returns an array like `data`; with values, the elements as `keys`, and the values in the same order.
   * @throws as {@link Fold.sort}; {@link ArgumentError} also for elements at hand that are in another order.
   * @group Sort and rank
   *
   * @example
   * ```ts
   * await fold.merge(Uint32Array.of(1, 3, 3), Uint32Array.of(2, 3)); // 1 2 3 3 3
   * const merged = await fold.merge(Uint32Array.of(1, 5), Uint32Array.of(2), {
   *   values: Float32Array.of(0.25, 0.75),
   *   otherValues: Float32Array.of(8),
   * });
   * merged.keys; // 1 2 5
   * merged.values; // 0.25 8 0.75
   * ```
   */
  merge<Data extends FoldArray, Values extends MergedValues<Data> | undefined = undefined>(
    data: Data,
    other: Data,
    options?: MergeCallOptions<Data, Values>,
  ): Promise<SortResult<Data, Values>> {
    const { values, otherValues } = Object(options);
    return this.#call("merge", { data, other, values, otherValues }, options);
  }

  /**
   * The elements of either of two sorted arrays, in order. Each is there once, however often the arrays have it, as in a `Set`. Of elements with
   * equal keys, the result has the first one of `data`, or else of `other`.
   *
   * Elements are equal if their keys are, in the order of {@link Fold.sort}: NaN equals NaN, and −0, which comes before 0, does not equal it.
   *
   * @param data - as {@link Fold.merge} takes it.
   * @param other - as {@link Fold.merge} takes it.
   * @returns an array like `data`. On the GPU, its length is there.
   * @throws as {@link Fold.merge}.
   * @group Sort and rank
   *
   * @example
   * ```ts
   * await fold.union(Uint32Array.of(1, 3, 3), Uint32Array.of(2, 3)); // 1 2 3
   * ```
   */
  union<Data extends FoldArray>(
    data: Data,
    other: Data,
    options?: HandSetOptions<NameIn<Data>>,
  ): Promise<Data> {
    return this.#call("union", { data, other }, options);
  }

  /**
   * The elements that are in both of two sorted arrays, in order. Each is there once, however often the arrays have it. They are the first ones of
   * `data` with their keys. As {@link Fold.union}.
   *
   * @group Sort and rank
   *
   * @example
   * ```ts
   * await fold.intersection(Uint32Array.of(1, 3, 3, 7), Uint32Array.of(2, 3, 7)); // 3 7
   * ```
   */
  intersection<Data extends FoldArray>(
    data: Data,
    other: Data,
    options?: HandSetOptions<NameIn<Data>>,
  ): Promise<Data> {
    return this.#call("intersection", { data, other }, options);
  }

  /**
   * The elements of a sorted array that another one lacks, in order. Each is there once, however often `data` has it. They are the first ones of
   * `data` with their keys. As {@link Fold.union}.
   *
   * @group Sort and rank
   *
   * @example
   * ```ts
   * await fold.difference(Uint32Array.of(1, 1, 3, 7), Uint32Array.of(2, 3)); // 1 7
   * ```
   */
  difference<Data extends FoldArray>(
    data: Data,
    other: Data,
    options?: HandSetOptions<NameIn<Data>>,
  ): Promise<Data> {
    return this.#call("difference", { data, other }, options);
  }

  /**
   * The greatest elements, the greatest first, and their positions. The others are not sorted.
   *
   * The order is that of {@link Fold.sort} with `descending`: NaN counts as the greatest number, and of equal elements, those that
   * come first are taken first. The result is the same on every adapter.
   *
   * @param data - as {@link Fold.scan} takes it. Structs are taken by a `key`.
   * @param k - how many elements to take, from 1 up. If there are fewer, all are taken. With `segments`, an array may have a number for each
   * segment, from 0 up. Then the results of a segment follow those of the segment before, without gaps, and `offsets` says where those of each
   * start. If the data is on the GPU, the array is, too.
   * @param options - with `smallest`, the least elements, the least first. There NaN comes last. With `segments`, the elements of each
   * row, or of each segment between `offsets`, one segment after another. Between offsets, each segment has `k` places: if it has fewer
   * elements, all bits of its last values are 0, and their positions are 4294967295, which no element has.
   * @throws as {@link Fold.sort}.
   * @group Sort and rank
   *
   * @example
   * ```ts
   * const { values, indices } = await fold.topK(Float32Array.of(3, -1, 7, 3), 3);
   * values; // 7 3 3
   * indices; // 2 0 3
   * const best = await fold.topK(Float32Array.of(3, -1, 7, 5), 2, { segments: { offsets: [0, 3, 4] } });
   * best.values; // 7 3 5 0
   * best.indices; // 2 0 3 4294967295
   * const each = await fold.topK(Float32Array.of(3, -1, 7, 5), [2, 1], { segments: { offsets: [0, 3, 4] } });
   * each.values; // 7 3 5
   * each.offsets; // 0 2 3
   * ```
   */
  topK<Data extends FoldArray, K extends number | NumberOfEach<Data>>(
    data: Data,
    k: K,
    options?: TopKCallOptions<Data>,
  ): Promise<TopKOf<Data, K>> {
    const arrays = { data, ...arraysIn(options), ...(Object(k) === k && { k }) };
    return this.#call("topK", arrays, options, { numbers: { k } });
  }

  /**
   * The element that has `n` others before it in the order of {@link Fold.sort}, and its position. The elements are not sorted. So
   * `n` is 0 for the least element, and half the length for the median.
   *
   * @param data - as {@link Fold.topK} takes it.
   * @param n - from 0 up, and less than the length. If the length is on the GPU, and at most `n`, the result is the last element; of an
   * empty array, it is an element whose bits are all 0.
   * @throws as {@link Fold.sort}.
   * @group Sort and rank
   *
   * @example
   * ```ts
   * await fold.nth(Float32Array.of(3, -1, 7, 3), 2); // { value: 3, index: 3 }
   * await fold.nth(Float32Array.of(3, -1, 7, 3), 0, { descending: true }); // { value: 7, index: 2 }
   * ```
   */
  nth<Data extends FoldArray>(
    data: Data,
    n: number,
    options?: HandNthOptions<NameIn<Data>>,
  ): Promise<NthOf<Data>> {
    return this.#call("nth", { data }, options, { numbers: { n } });
  }

  /** Scans, reduces, compacts or partitions an array. The calling method gives the result its type. */
  async #fold(primitive: FoldName, data: unknown, options: SegmentsAndInto = {}): Promise<never> {
    if (isOnGpu(data)) {
      return this.#call(primitive, { data, ...arraysIn(options) }, options, {}, loadArrays);
    }
    // The arrays may change while the code is loaded.
    const { segments, into: room } = Object(options);
    const [given, into] = [givenOf(data as AnyArray), givenOf(room)];
    if (segments !== undefined && (primitive === "scan" || primitive === "reduce")) {
      const { segmentsAtHand } = await loadArrays();
      return segmentsAtHand(primitive, this.#context, this.#arrays, given, options, into) as never;
    }
    const call = primitive === "scan" ? scanAtHand : (await loadFolds())[`${primitive}AtHand`];
    return call(this.#context, given, options as object, into) as never;
  }

  /** Calls a primitive once its code is there. Arrays on the GPU may be destroyed right after the call. */
  async #call(
    name: FormsName,
    operands: Readonly<Record<string, unknown>>,
    options: object = {},
    { lists = {}, ...others }: OtherArguments = {},
    load: () => FormsPart | Promise<FormsPart> = loaderOf(name),
  ): Promise<never> {
    // The arrays may change while the code is loaded.
    const arrays: Record<string, Given | readonly Given[]> = {};
    for (const operand in operands) {
      if (operands[operand] !== undefined) {
        arrays[operand] = givenOf(operands[operand] as AnyArray);
      }
    }
    for (const operand in lists) {
      arrays[operand] = (lists[operand] as readonly AnyArray[]).map(givenOf);
    }
    const given = { ...others, arrays, options };
    const params = loadParamsOf(options);
    const loaded = afterLoad(
      afterLoad(params, load) as FormsPart | Promise<FormsPart>,
      ({ forms }) => forms[name] as CallForms,
    );
    if (!(loaded instanceof Promise)) {
      return loaded.call(this.#context, this.#arrays, given) as never;
    }
    const shared: GpuArray[] = [];
    for (const one of Object.values(arrays).flat() as { data: unknown }[]) {
      const array = isOnGpu(one.data) && (one.data as Partial<GpuArray>).share?.();
      if (array) {
        shared.push(array);
        one.data = array;
      }
    }
    try {
      return (await (await loaded).call(this.#context, this.#arrays, given)) as never;
    } finally {
      for (const array of shared) {
        array.destroy();
      }
    }
  }

  /** Sorts by an array, or by a list of the first key and those behind it. */
  #sort(name: "sort" | "argSort", data: unknown, options: object = {}): Promise<never> {
    const { values } = Object(options);
    const [first, ...thenBy] = Array.isArray(data) ? data : [data];
    const lists = { ...(thenBy.length > 0 && { thenBy }), ...(Array.isArray(values) && { values }) };
    const arrays = { data: first, values, ...arraysIn(options) };
    return this.#call(name, arrays, options, { lists });
  }

  /** Prepares a scan, a reduction, a compaction or a partition for recordings once its code is there. */
  #prepareFold(primitive: FoldName, options: object): Promise<Prepared> {
    return withNumbers(async () =>
      (await loadFolds()).prepareFold(primitive, this.#context, options as never),
    );
  }

  /** Prepares a primitive for recordings once its code is there. */
  #prepare(name: Exclude<FormsName, FoldName>, options: object): Promise<Prepared> {
    return withNumbers(async () =>
      ((await loaderOf(name)()).forms[name] as Forms).prepare(this.#context, options),
    );
  }

  /**
   * Copies an array to the GPU, where it stays. Calls that take such an array give arrays on the GPU. They read nothing back, and
   * do not wait for the GPU.
   *
   * @param data - as {@link Fold.scan} takes it.
   * @throws {ArgumentError} {@link LimitError} {@link OutOfMemoryError} {@link DeviceLostError}
   * @group Arrays on the GPU
   *
   * @example
   * ```ts
   * const numbers = await fold.upload(Uint32Array.of(3, 1, 7));
   * const sums = await fold.scan(numbers);
   * await sums.read(); // 3 4 11
   * numbers.destroy();
   * sums.destroy();
   * ```
   */
  async upload<
    A extends AnyArray,
    Name extends NameOf<A> = Exclude<NameOf<A>, A extends Uint16Array ? "f16" : never>,
  >(data: A, options?: UploadOptions<Name>): Promise<GpuArray<Name, ValueIn<A>>> {
    const given = givenOf(data);
    const { upload } = await loadArrays();
    return upload(await withDevice(this.#context), this.#arrays, given, options) as never;
  }

  /**
   * An array on the GPU over a buffer of yours, or a part of it. Nothing is copied. `destroy()` of the array leaves the buffer
   * as it is.
   *
   * @throws {ArgumentError} {@link LimitError} {@link DeviceLostError}
   * @throws {WavefoldError} for a buffer of another device.
   * @group Arrays on the GPU
   *
   * @example
   * ```ts
   * const numbers = await fold.wrap({ buffer: input, type: u32, offset: 16, length: 100 });
   * const sums = await fold.scan(numbers);
   * (await sums.read()).length; // 100
   * ```
   */
  async wrap<Name extends string, V extends Value>(
    options: WrapOptions<Name, V>,
  ): Promise<GpuArray<Name, V>> {
    return (await loadArrays()).wrap(onGpuAlone(this.#context, "wrap"), this.#arrays, options) as never;
  }

  /**
   * The prefixes of a stream of arrays, as of one array of all their elements. The elements may be more than any memory
   * holds.
   *
   * Chunks may have any length. They are cut into pieces of 16 MiB, in browsers of 8 MiB (of the larger items, if a map changes their size), and
   * results come piece by piece. At most four pieces are in staging memory each way, and one of each on the GPU: if nobody
   * reads the results, `write` waits. The total of each piece stays on the GPU, for the next piece.
   *
   * A sum of f64 is rounded as a scan of each piece on top of the total before it, however the stream was divided.
   *
   * `total` is filled before the results end.
   *
   * With `segments: { rows }`, each row is scanned for itself. It may be of any length, and the stream ends with a row.
   *
   * @returns a `readable` and a `writable`, as `pipeThrough` takes them. What fails at one end (also wrong options, and a
   * lost device) is the error of both; f16 comes as `Float16Array`, or as bits if the runtime has none.
   * @group Streams
   *
   * @example
   * ```ts
   * const counts = new Blob([Uint32Array.of(3, 1, 7)]).stream();
   * const words = new TransformStream({
   *   transform: (bytes, controller) => controller.enqueue(new Uint32Array(bytes.slice().buffer)),
   * });
   * const prefixes = counts.pipeThrough(words).pipeThrough(fold.scanStream({ type: u32 }));
   * (await prefixes.getReader().read()).value; // 3 4 11
   * ```
   */
  scanStream<Name extends string, V extends Value, From extends string = Name, FromValue extends Value = V>(
    options: StreamOptions<Name, V, From, FromValue> & StreamScanOption<ArrayOf<Name, V>>,
  ): StreamOf<Name, V, From, FromValue> {
    return streamFor(this.#context, "scanStream", options);
  }

  /**
   * The elements of a stream of arrays that a condition keeps, in order and bit for bit; with `indices`, their positions.
   * As {@link Fold.scanStream}. The index `i` and positions count over the whole stream. They are u32, so they start again
   * from 0 after 2^32 elements.
   *
   * @group Streams
   *
   * @example
   * ```ts
   * const { readable, writable } = fold.compactStream({ type: u32, where: "x % 2u == 1u" });
   * const writer = writable.getWriter();
   * await writer.write(Uint32Array.of(4, 7, 2, 9));
   * await writer.close();
   * (await readable.getReader().read()).value; // 7 9
   * ```
   */
  compactStream<
    Name extends string,
    V extends Value,
    From extends string = Name,
    FromValue extends Value = V,
    Indices extends boolean = false,
  >(
    options: StreamCompactOptions<Name, V, From, FromValue, Indices>,
  ): Indices extends true ? StreamOf<"u32", number, From, FromValue> : StreamOf<Name, V, From, FromValue> {
    return streamFor(this.#context, "compactStream", options);
  }

  /**
   * The combination of all elements of a stream of arrays, in order. It is read from the GPU once, at the end. As
   * {@link Fold.scanStream}.
   *
   * With `segments: { rows }`, there is no source: it gives a stream, as `scanStream` does, of the totals of rows.
   *
   * @param source - a `ReadableStream`, or what can be iterated with `for await`. If the call fails, it is cancelled.
   * @group Streams
   *
   * @example
   * ```ts
   * async function* heights() {
   *   yield Float32Array.of(2, 9);
   *   yield Float32Array.of(4);
   * }
   * await fold.reduceStream(heights(), { type: f32, op: max }); // 9
   *
   * const { readable, writable } = fold.reduceStream({ type: f32, op: max, segments: { rows: 2 } });
   * const writer = writable.getWriter();
   * await writer.write(Float32Array.of(2, 9, 4, 1));
   * await writer.close();
   * (await readable.getReader().read()).value; // 9 4
   * ```
   */
  reduceStream<Name extends string, V extends Value, From extends string = Name, FromValue extends Value = V>(
    source: ArraySource<ArrayOf<From, FromValue>>,
    options: StreamOptions<Name, V, From, FromValue>,
  ): Promise<V>;
  reduceStream<Name extends string, V extends Value, From extends string = Name, FromValue extends Value = V>(
    options: StreamOptions<Name, V, From, FromValue> & StreamRowsOption,
  ): StreamOf<Name, V, From, FromValue>;
  reduceStream(source: unknown, options?: AnyStreamOptions): unknown {
    return options || !(source as AnyStreamOptions | undefined)?.segments
      ? (async () => {
          await loadParamsOf(options);
          return (await loadStreams()).reduceStream(
            await withDevice(this.#context),
            source as never,
            options as AnyStreamOptions,
          );
        })()
      : streamFor(this.#context, "reduceStream", source as AnyStreamOptions);
  }

  /**
   * Compiles a scan and allocates its scratch, to record it into encoders of your own. On a GPU, kernels for ranges that share a buffer, or that
   * do not start at a vector, may be compiled a little later: a recording that needs them before that compiles them.
   *
   * @throws as {@link Fold.scan}.
   * @group Recordings
   *
   * @example
   * ```ts
   * const scan = await fold.prepareScan({ type: f32, op: add, exclusive: true, maxLength: 1 << 20 });
   * scan.record(encoder, { input, output, length });
   *
   * // Not to wait for the compiler: the first recordings use kernels that compile quickly.
   * const sooner = await fold.prepareScan({ type: u32, maxLength: 1 << 20, soon: true });
   * sooner.record(encoder, { input, output, length });
   * await sooner.settled; // from now on, recordings use the fastest kernels
   * ```
   */
  prepareScan<Name extends string>(options: ScanOptions<Name> & OfType<Name>): Promise<PreparedScan> {
    return this.#prepareFold("scan", options);
  }

  /**
   * Compiles a reduction and allocates its scratch. As {@link Fold.prepareScan}.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const reduce = await fold.prepareReduce({ type: f32, op: max, maxLength: 1 << 20 });
   * reduce.record(encoder, { input, output, length });
   * ```
   */
  prepareReduce<Name extends string>(options: ReduceOptions<Name> & OfType<Name>): Promise<PreparedReduce> {
    return this.#prepareFold("reduce", options);
  }

  /**
   * Compiles a compaction and allocates its scratch. As {@link Fold.prepareScan}. With `where`, the condition decides what is
   * kept. Without it, the flags decide that each recording is given. With `where` and `flags: true`, both have to hold.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const compact = await fold.prepareCompact({ type: u32, where: "x > 7u", maxLength: 1 << 20 });
   * compact.record(encoder, { input, output, count, length });
   * const flagged = await fold.prepareCompact({ type: u32, maxLength: 1 << 20 });
   * flagged.record(encoder, { input, flags, output, count, length });
   * ```
   */
  prepareCompact<Name extends string>(
    options: CompactOptions<Name> & {
      /** WGSL over an item `x` and its index `i`: which items are kept. */
      readonly where: string;
      /** Not beside `where` alone. */
      readonly flags?: false;
    },
  ): Promise<PreparedCompact>;
  prepareCompact<Name extends string>(
    options: CompactOptions<Name> & {
      /** WGSL over an item `x` and its index `i`: which items are kept, if their flags are not zero. */
      readonly where: string;
      /** Flags beside the condition. */
      readonly flags: true;
    },
  ): Promise<FlaggedCompact>;
  prepareCompact<Name extends string>(
    options: CompactOptions<Name> & {
      /** WGSL over an item `x` and its index `i`: which items are kept. */
      readonly where?: never;
    },
  ): Promise<FlaggedCompact>;
  prepareCompact<Name extends string>(options: CompactOptions<Name>): Promise<EitherCompact>;
  prepareCompact(options: CompactOptions): Promise<PreparedCompact> {
    return this.#prepareFold("compact", options);
  }

  /**
   * Compiles a histogram. As {@link Fold.prepareScan}. Edges are copied, and stay on the GPU.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const histogram = await fold.prepareHistogram({ type: f32, bins: 256, range: [0, 1], maxLength: 1 << 20 });
   * histogram.record(encoder, { input, output, length });
   * ```
   */
  prepareHistogram<Name extends string, Weight extends string = string>(
    options: HistogramOptions<Name, Weight>,
  ): Promise<PreparedHistogram> {
    return this.#prepare("histogram", options);
  }

  /**
   * Compiles a count of the items that a condition holds for, and allocates its scratch. As {@link Fold.prepareScan}. The output receives a
   * u32.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const count = await fold.prepareCount({ type: f32, where: "x > 0.5", maxLength: 1 << 20 });
   * count.record(encoder, { input, output, length });
   * ```
   */
  prepareCount<Name extends string>(options: ConditionOptions<Name>): Promise<PreparedCondition> {
    return this.#prepare("count", options);
  }

  /**
   * Compiles a search for any item that a condition holds for. As {@link Fold.prepareCount}. The output receives 1 if there is one, and
   * otherwise 0.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const any = await fold.prepareAny({ type: f32, where: "x > 0.5", maxLength: 1 << 20 });
   * any.record(encoder, { input, output, length });
   * ```
   */
  prepareAny<Name extends string>(options: ConditionOptions<Name>): Promise<PreparedCondition> {
    return this.#prepare("any", options);
  }

  /**
   * Compiles a search for any item that a condition does not hold for. As {@link Fold.prepareCount}. The output receives 0 if there is one,
   * and otherwise 1.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const all = await fold.prepareAll({ type: f32, where: "x > 0.5", maxLength: 1 << 20 });
   * all.record(encoder, { input, output, length });
   * ```
   */
  prepareAll<Name extends string>(options: ConditionOptions<Name>): Promise<PreparedCondition> {
    return this.#prepare("all", options);
  }

  /**
   * Compiles a search for the first item that a condition holds for. As {@link Fold.prepareCount}. The output receives its index, or
   * 0xffffffff if there is none.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const first = await fold.prepareFindFirst({ type: f32, where: "x > 0.5", maxLength: 1 << 20 });
   * first.record(encoder, { input, output, length });
   * ```
   */
  prepareFindFirst<Name extends string>(options: ConditionOptions<Name>): Promise<PreparedCondition> {
    return this.#prepare("findFirst", options);
  }

  /**
   * Compiles a search for the last item that a condition holds for. As {@link Fold.prepareFindFirst}.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const last = await fold.prepareFindLast({ type: f32, where: "x > 0.5", maxLength: 1 << 20 });
   * last.record(encoder, { input, output, length });
   * ```
   */
  prepareFindLast<Name extends string>(options: ConditionOptions<Name>): Promise<PreparedCondition> {
    return this.#prepare("findLast", options);
  }

  /**
   * Compiles a search in sorted items. As {@link Fold.prepareScan}.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const search = await fold.prepareSearchSorted({ type: u32, side: "right", maxLength: 1 << 20 });
   * search.record(encoder, { sorted, sortedLength: 100, input, output, length });
   * ```
   */
  prepareSearchSorted<Name extends string>(options: SearchOptions<Name>): Promise<PreparedSearchSorted> {
    return this.#prepare("searchSorted", options);
  }

  /**
   * Compiles a gather. As {@link Fold.prepareScan}. The input has the positions. Where one is `valuesLength` or more, the output receives an
   * element whose bits are all zero.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const gather = await fold.prepareGather({ type: u32, maxLength: 1 << 20 });
   * gather.record(encoder, { values, valuesLength: 100, input, output, length });
   * ```
   */
  prepareGather<Name extends string>(options: GatherOptions<Name>): Promise<PreparedGather> {
    return this.#prepare("gather", options);
  }

  /**
   * Compiles a search for runs of equal items, and allocates its scratch. As {@link Fold.prepareScan}. With `counts`, it gives run
   * lengths.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const unique = await fold.prepareUnique({ type: u32, sort: true, counts: true, maxLength: 1 << 20 });
   * unique.record(encoder, { input, unique: output, counts, count, length });
   * ```
   */
  prepareUnique<Name extends string>(options: UniqueOptions<Name>): Promise<PreparedUnique> {
    return this.#prepare("unique", options);
  }

  /**
   * Compiles a scatter, and allocates its scratch. As {@link Fold.prepareScan}. An output that is shorter than `maxOutputLength` is right,
   * too: each recording gives its length. Values whose position is past its end are left out.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const scatter = await fold.prepareScatter({ type: u32, op: add, maxLength: 1 << 20, maxOutputLength: 256 });
   * scatter.record(encoder, { input, positions, output, outputLength: 256, length });
   * ```
   */
  prepareScatter<Name extends string>(options: ScatterOptions<Name>): Promise<PreparedScatter> {
    return this.#prepare("scatter", options);
  }

  /**
   * Compiles a map. As {@link Fold.prepareScan}.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const scale = await fold.prepareMap({ type: f32, map: "x * by", params: { by: f32 }, maxLength: 1 << 20 });
   * scale.record(encoder, { input, output, length, params: { by: 0.5 } });
   * ```
   */
  prepareMap<Name extends string>(options: PreparedMapOptions<Name>): Promise<PreparedMap> {
    return this.#prepare("map", options);
  }

  /**
   * Compiles the writing out of runs, and allocates its scratch: a word for each run. As {@link Fold.prepareScan}.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const expand = await fold.prepareExpandRuns({ type: u32, maxLength: 1 << 20 });
   * expand.record(encoder, { input, counts, output, outputLength: 1000, count, length });
   * ```
   */
  prepareExpandRuns<Name extends string>(options: ExpandOptions<Name>): Promise<PreparedExpandRuns> {
    return this.#prepare("expandRuns", options);
  }

  /**
   * Compiles a partition and allocates its scratch. As {@link Fold.prepareCompact}.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const partition = await fold.preparePartition({ type: u32, where: "x > 7u", maxLength: 1 << 20 });
   * partition.record(encoder, { input, output, count, length });
   *
   * // The rest in a range of its own: the data is read once.
   * const rest = fold.device.createBuffer({ size: output.size, usage: output.usage });
   * const apart = await fold.preparePartition({ type: u32, where: "x > 7u", rest: true, maxLength: 1 << 20 });
   * apart.record(encoder, { input, output, rest, count, length });
   * ```
   */
  preparePartition<Name extends string>(
    options: PartitionOptions<Name> &
      (
        | {
            /** WGSL over an item `x` and its index `i`: which items are kept. */
            readonly where: string;
            /** Not beside `where` alone. */
            readonly flags?: false;
          }
        | {
            /** How many classes there are. */
            readonly classes: number;
            /** WGSL over an item `x` and its index `i` that gives its class. */
            readonly class: string;
          }
      ),
  ): Promise<PreparedPartition>;
  preparePartition<Name extends string>(
    options: PartitionOptions<Name> & {
      /** WGSL over an item `x` and its index `i`: which items are kept, if their flags are not zero. */
      readonly where: string;
      /** Flags beside the condition. */
      readonly flags: true;
    },
  ): Promise<PreparedPartition<FlaggedPartitionRanges>>;
  preparePartition<Name extends string>(
    options: PartitionOptions<Name> & {
      /** WGSL over an item `x` and its index `i`: which items are kept. */
      readonly where?: never;
    },
  ): Promise<PreparedPartition<FlaggedPartitionRanges>>;
  preparePartition<Name extends string>(
    options: PartitionOptions<Name>,
  ): Promise<PreparedPartition<PartitionRanges & Partial<FlaggedPartitionRanges>>>;
  preparePartition(options: PartitionOptions): Promise<PreparedPartition> {
    return this.#prepareFold("partition", options);
  }

  /**
   * Compiles a sort and allocates its scratch: a copy of the items and of the values, and for each tile a word for each digit. As
   * {@link Fold.prepareScan}.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const sort = await fold.prepareSort({ type: f32, descending: true, maxLength: 1 << 20 });
   * sort.record(encoder, { input, output, length });
   * const order = await fold.prepareSort({ type: u32, thenBy: f32, descending: [false, true], indices: true, maxLength: 1 << 20 });
   * order.record(encoder, { input, thenBy, output, length });
   * ```
   */
  prepareSort<Name extends string>(options: PreparedSortOptions<Name>): Promise<PreparedSort> {
    return this.#prepare("sort", options);
  }

  /**
   * Compiles a merge, and allocates its scratch: a word for each tile. As {@link Fold.prepareScan}. With `lengthOnGpu` or `otherCount`, each recording
   * takes `count`, too.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const merge = await fold.prepareMerge({ type: f32, maxLength: 1 << 20 });
   * merge.record(encoder, { input, length, other, otherLength: 100, output });
   * ```
   */
  prepareMerge<Name extends string>(options: MergeOptions<Name>): Promise<PreparedMerge> {
    return this.#prepare("merge", options);
  }

  /**
   * Compiles a union, and allocates its scratch: three words for each tile. As {@link Fold.prepareMerge}.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const union = await fold.prepareUnion({ type: u32, maxLength: 1 << 20 });
   * union.record(encoder, { input, length, other, otherLength: 100, output, count });
   * ```
   */
  prepareUnion<Name extends string>(options: SetOptions<Name>): Promise<PreparedSet> {
    return this.#prepare("union", options);
  }

  /**
   * Compiles an intersection, and allocates its scratch. As {@link Fold.prepareUnion}.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const intersection = await fold.prepareIntersection({ type: u32, maxLength: 1 << 20 });
   * intersection.record(encoder, { input, length, other, otherLength: 100, output, count });
   * ```
   */
  prepareIntersection<Name extends string>(options: SetOptions<Name>): Promise<PreparedSet> {
    return this.#prepare("intersection", options);
  }

  /**
   * Compiles a difference, and allocates its scratch. As {@link Fold.prepareUnion}.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const difference = await fold.prepareDifference({ type: u32, maxLength: 1 << 20 });
   * difference.record(encoder, { input, length, other, otherLength: 100, output, count });
   * ```
   */
  prepareDifference<Name extends string>(options: SetOptions<Name>): Promise<PreparedSet> {
    return this.#prepare("difference", options);
  }

  /**
   * Compiles a selection of the first elements in an order, and allocates its scratch. As {@link Fold.prepareScan}.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const best = await fold.prepareTopK({ type: f32, k: 100, maxLength: 1 << 20 });
   * best.record(encoder, { input, output, indices, length });
   * const each = await fold.prepareTopK({ type: f32, k: u32, segments: "offsets", maxLength: 1 << 20 });
   * each.record(encoder, { input, length, offsets, segmentCount: 100, k, output, indices, outputOffsets, count });
   * ```
   */
  prepareTopK<Name extends string>(
    options: TopKOptions<Name> | TopKRowsOptions<Name>,
  ): Promise<PreparedTopK> {
    return this.#prepare("topK", options);
  }

  /**
   * Compiles a selection of one element in an order, and allocates its scratch. As {@link Fold.prepareScan}.
   *
   * @group Recordings
   *
   * @example
   * ```ts
   * const median = await fold.prepareNth({ type: f32, n: 1 << 19, maxLength: 1 << 20 });
   * median.record(encoder, { input, output, indices, length });
   * ```
   */
  prepareNth<Name extends string>(options: NthOptions<Name>): Promise<PreparedNth> {
    return this.#prepare("nth", options);
  }

  /**
   * Drops everything that is kept for the next call: pipelines, and the buffers and plans of calls at hand and on the GPU. Prepared plans keep theirs. The next call of each kind compiles its kernels again.
   *
   * @group Device
   *
   * @example
   * ```ts
   * await fold.compact(Uint32Array.of(4, 7, 2, 9), { where: "x > 4u" }); // 7 9
   * fold.trim();
   * ```
   */
  trim(): void {
    this.#context.trim?.();
  }

  /**
   * Destroys the device if `openFold` opened it, and rejects pending calls. A device of yours stays open: for that, this
   * destroys the fold's arrays on the GPU, and does the same as {@link Fold.trim}. Later calls of the fold still work on it.
   *
   * @group Device
   */
  destroy(): void {
    for (const one of this.#arrays) {
      one.deref()?.destroy();
    }
    this.trim();
    this.#release();
  }

  /**
   * The same as {@link Fold.destroy}, for `using`.
   *
   * @group Device
   */
  [Symbol.dispose](): void {
    this.destroy();
  }
}
