import type { ByKind } from "../adapters/adapter.ts";
import { twoPass as gpu } from "../adapters/gpu.ts";
import { twoPass as software } from "../adapters/software.ts";
import type { TwoPassTable } from "../adapters/tables.ts";
import type { Monoid, Operator, WorkGroupLimits } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import type { TileShape } from "../kernels/algorithms.ts";
import type { ClassKernels } from "../kernels/compact.ts";
import type { EndChoices } from "../kernels/initial_and_total.ts";
import type {
  Arrangement,
  Ends,
  InitialBytes,
  Kernel,
  ScanKernelOptions,
  SegmentSources,
} from "../kernels/kernel.ts";
import type { LookBackChoices, SpineSize } from "../kernels/look_back.ts";
import type { ItemMap } from "../kernels/map.ts";
import { blelloch, hillisSteele } from "../kernels/portable_tiles.ts";
import type { TileAlgorithm, TileSources } from "../kernels/tiles.ts";
import type { SourceText } from "../text/source.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { Grouping } from "./grouping.ts";
import type { Chosen } from "./options.ts";
import type { Bindings, Plan, RangeName, SegmentRanges } from "./plan.ts";

/** An algorithm and sizes that the device can run. */
export interface Tuning extends TileShape {
  readonly subgroupIds: boolean;
}

/** A tuning with the files of its algorithm. */
export interface LoadedTuning extends Tuning {
  readonly sources: TileSources;
  readonly gpuLimits: WorkGroupLimits | false;
}

/** What a plan needs to read its data once: a single pass. */
export interface SinglePass {
  readonly tuning: LoadedTuning;
  /** The sources that its kernel looks back with. */
  readonly carry: readonly SourceText[];
  /** The number of tiles that `length` items take. */
  tilesOf(length: number): number;
  /** The size of the spine for `length` items. */
  spineOf(length: number): SpineSize;
  groupingOf(itemsPerVector: number): Grouping;
  /** Whether a scan of ranges in this arrangement takes a single pass. */
  takes(arrangement: Arrangement, segments: PlannedSegments | undefined): boolean;
  /** Changes a scan's plan, so that it takes a single pass where {@link takes} says so. */
  scanOf(plan: Plan, options: ScanKernelOptions, segments?: PlannedSegments): Plan;
}

/**
 * `flat` is a scan of segments whose threads may hold values without heads.
 *
 * Plans a single pass if the caller asks for one, or if it is faster and the adapter is known to manage it. Otherwise the
 * data is read twice, and the result is undefined.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError}
 */
export type PlanSinglePass = (
  primitive: "scan" | "flat" | "compact" | "totals" | "runs" | "parts",
  title: string,
  type: ElementType,
  monoid: Monoid,
  options: Chosen,
  facts: DeviceFacts,
  methods: Methods,
  testing: Partial<LookBackChoices>,
) => SinglePass | undefined;

/**
 * Changes a reduction's plan, so that one dispatch reduces data of several tiles, if the ranges start at a vector: up to a tile of tiles, or of any
 * length by operators that may combine in any order. `kernelOf` gives the kernel from items to the result, with these sources.
 */
export type ReduceOnce = (
  plan: Plan,
  monoid: Monoid,
  tuning: LoadedTuning,
  kernelOf: (sources: TileSources) => Kernel,
  options: Chosen,
  facts: DeviceFacts,
  testing: Partial<LookBackChoices>,
) => Plan;

/** What a plan needs for segments. */
export interface PlannedSegments {
  readonly title: string;
  /** The operator that combines within segments. */
  readonly monoid: Monoid;
  /** The sources of the kernels that read items. */
  readonly kernels: SegmentSources;
  readonly needs: readonly RangeName[];
  readonly initial?: InitialBytes;
  readonly ranges: SegmentRanges;
  /** Whether the threads of a scan may hold values without heads. */
  readonly isFlat: boolean;
  /** Whether the device can bind all ranges if input and output are bound as vectors. */
  readonly fitsVectors: boolean;
  /** What its kernels bind of the caller's. */
  readonly bindings: Bindings;
  /** Adds the passes that come before, if there are any. */
  around(plan: Plan, tuning: Tuning): Plan;
  /** Plans a reduction that only finds runs, in one dispatch of its own; undefined if it does more, or if the data is read twice. */
  runLengths?(
    options: RunLengthOptions,
    methods: Methods,
    testing: Partial<LookBackChoices>,
  ): Plan | undefined;
}

/** The options by which a plan knows whether a reduction only finds runs. */
export type RunLengthOptions = Chosen & {
  readonly type: ElementType;
  readonly op?: Operator;
  readonly map?: string;
  readonly initial?: unknown;
  readonly lengthOnGpu?: boolean;
};

/** Makes what plans need for segments; undefined if the options name none. `reduces` is for a reduction. */
export type PlanSegments = (
  options: Pick<Chosen, "workGroupSize" | "itemsPerThread"> & {
    readonly maxLength?: unknown;
    readonly segments?: unknown;
    readonly from?: ElementType;
    readonly map?: unknown;
    readonly exclusive?: boolean;
    readonly initial?: unknown;
    readonly total?: unknown;
    readonly lengthOnGpu?: boolean;
  },
  title: string,
  own: Monoid,
  facts: DeviceFacts,
  reduces: boolean,
) => PlannedSegments | undefined;

/** Plans a scan or a reduction down the columns of a matrix. `testing` replaces numbers that are chosen for the adapter. */
export type PlanColumns = (
  primitive: "scan" | "reduce",
  options: Chosen & {
    readonly type: ElementType;
    readonly op?: Operator;
    readonly map?: string;
    readonly exclusive?: boolean;
    readonly initial?: unknown;
    readonly total?: unknown;
    readonly lengthOnGpu?: boolean;
  },
  facts: DeviceFacts,
  methods: Methods,
  arrangements: readonly Arrangement[],
  testing?: { readonly alone?: number; readonly threads?: number; readonly block?: number },
) => Plan;

/** The methods that plans choose from. */
export interface Methods {
  readonly algorithms: {
    readonly blelloch: TileAlgorithm;
    readonly "hillis-steele": TileAlgorithm;
    readonly subgroup?: TileAlgorithm;
  };
  /** The rows of reductions, and of scans and compactions that read their data twice. All take algorithms that are loaded. */
  readonly twoPassTables: ByKind<TwoPassTable>;
  /** Checks each of the caller's choices on its own. Without it, options may choose nothing. */
  readonly requireChosen?: (options: Chosen, title: string, facts: DeviceFacts) => void;
  /** Checks that the algorithm and the sizes that a caller chose go together, and with the device's memory. */
  readonly requireFit?: (
    tuning: Tuning,
    options: Chosen,
    title: string,
    memory: number,
    mostMemory: number,
  ) => void;
  /** Without it, the data is read twice. */
  readonly singlePass?: PlanSinglePass;
  /** Without it, a reduction of several tiles takes a dispatch for each level of its spine. */
  readonly reduceOnce?: ReduceOnce;
  /** The kernels of a partition by classes in which subgroups vote, for a number of classes, bytes of work-group memory, and sizes. */
  readonly classesByVotes?: (
    classes: number,
    mostMemory: number,
    options: TileShape,
  ) => ClassKernels | undefined;
  /** Checks the map that options name, and makes it. Without it, no options may name a map or its type `from`. */
  readonly mapOf?: (
    options: { readonly map?: unknown; readonly from?: unknown },
    type: ElementType,
    title: string,
    features: ReadonlySet<string>,
  ) => ItemMap | undefined;
  /** Makes what kernels need for an initial value or a total. Without it, no options may ask for them. */
  readonly endsOf?: (options: EndChoices, title: string, monoid: Monoid) => Ends | undefined;
  /** Makes a recording whose length is on the GPU start no more work-groups than the length takes. */
  readonly countWorkGroups?: (plan: Plan, isScan: boolean, facts: DeviceFacts) => Plan;
  /** Without it, no options may name segments. */
  readonly segmentsOf?: PlanSegments;
  /** It is there if the options name columns, which take a plan of their own. */
  readonly planColumns?: PlanColumns;
}

/** The algorithms that run on every adapter. Every program has them. */
export const portableMethods: Methods = {
  algorithms: { blelloch, "hillis-steele": hillisSteele },
  // The rows of NVIDIA's GPUs take subgroups.
  twoPassTables: { software, nvidia: gpu, gpu },
};
