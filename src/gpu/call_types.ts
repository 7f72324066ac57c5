import type { AnyArray, ArrayOf, NameOf, ScalarArray, ValueIn, WideArray } from "../algebra/arrays.ts";
import type { Segments, SegmentsByAxis, SegmentsByExpression } from "../algebra/segments.ts";
import type { ElementType, NarrowArrays, NarrowName, Value, WideName } from "../algebra/types.ts";
import type { NarrowerThan } from "../algebra/widening.ts";
import type { IndicesOption, SegmentsOption, ValuesOption } from "../options.ts";
import type { MapText, NeighbourOptions } from "../plan/map_elements.ts";
import type { TuningOptions } from "../plan/options.ts";
import type { KeysOrder, SortKeyOptions } from "../plan/sort_key.ts";
import type { CallParamsOption, IntoOption, MapOption, TypesOption } from "../primitives/call_options.ts";
import type { KeepOption } from "../primitives/compact.ts";
import type { GpuExpandOptions, HandExpandOptions, RankedItems } from "../primitives/expand_runs.ts";
import type { HandHistogramOptions, SecondOption, WeightsOption } from "../primitives/histogram.ts";
import type { WithOption } from "../primitives/map.ts";
import type { HandSetOptions, MergeValues } from "../primitives/merge.ts";
import type { Nth } from "../primitives/nth.ts";
import type { ClassOptions, ClassPartition, Partition } from "../primitives/partition.ts";
import type { FoldOptions } from "../primitives/reduce.ts";
import type { ScanOption } from "../primitives/scan.ts";
import type { HandScatterOptions } from "../primitives/scatter.ts";
import type { Sorted } from "../primitives/sort.ts";
import type { HandTopKOptions, TopK, TopKOfEach } from "../primitives/top_k.ts";
import type { CountsOption, RunOptions } from "../primitives/unique.ts";
import type { GpuArray } from "./gpu_arrays/gpu_array.ts";
import type { GpuSegments, GpuSegmentsByExpression } from "./gpu_arrays/segments_on_gpu.ts";

// The types of `Fold`'s calls: which options a call takes, and what it gives. src/index.ts exports all of them. A method has one signature for
// arrays on the CPU and on the GPU. If it had several, TypeScript would report a wrong option for the last one, whichever the caller meant.
// `Data` is the array's type, `Type` the element type that the option `type` names, `undefined` if it is left out.

/** An array that a call takes: on the CPU or on the GPU. */
export type FoldArray = AnyArray | GpuArray;

/** Several arrays, all at hand or all on the GPU. */
export type FoldArrays =
  | readonly [AnyArray, ...(readonly AnyArray[])]
  | readonly [GpuArray, ...(readonly GpuArray[])];

/** The first of several arrays, or the only one. */
export type FirstOf<Data> = Data extends readonly [infer First, ...(readonly unknown[])] ? First : Data;

/** The name of an array's element type. */
export type NameIn<Data> = Data extends GpuArray<infer Name> ? Name : NameOf<Data>;

/** A value of an array's element type, on the CPU. */
export type ElementIn<Data> = Data extends GpuArray<string, infer V> ? V : ValueIn<Data>;

/** An array where `Data` is: of its own type, or of the type that a call names. */
export type ResultArray<Data, Type> =
  Type extends ElementType<infer Name, infer V>
    ? Name extends NameIn<Data>
      ? Data
      : Data extends GpuArray
        ? GpuArray<Name, V>
        : ArrayOf<Name, V>
    : Data;

/** Positions or counts, where `Data` is. */
export type U32Array<Data> = Data extends GpuArray ? GpuArray<"u32", number> : Uint32Array;

/** What calls with a condition give: an array of one u32 on the GPU, and `AtHand` at hand. */
export type Answer<Data, AtHand> = Data extends GpuArray ? GpuArray<"u32", number> : AtHand;

/** The name of the type of a call's results. */
export type ResultName<Data, Type> = Type extends ElementType<infer Name> ? Name : NameIn<Data>;

/** A value of the type of a call's results. */
export type ResultValue<Data, Type> =
  Type extends ElementType<string, infer V extends Value> ? V : ElementIn<Data>;

/** The option `map`. A call that names another type than the array's needs it, unless that type has every value of the array's. */
export type MapTo<Data, Type> =
  Type extends ElementType<infer Name>
    ? [Extract<NameIn<Data>, Name | NarrowerThan<Name>>] extends [never]
      ? MapOption & Required<Pick<MapOption, "map">>
      : MapOption
    : MapOption;

/** The array of a scan or a reduction, where `Data` is. Without a type, elements of 8 and 16 bits give 32 bits. */
export type FoldedArray<Data, Type> = undefined extends Type
  ? Data extends GpuArray<infer Name extends NarrowName, infer V>
    ? GpuArray<WideName<Name>, V>
    : WideArray<Data>
  : ResultArray<Data, Type>;

/** An array whose kind has this name. TypeScript finds the names of the arrays that a caller's type parameter stands for. */
export interface OfKind<Kind extends string> {
  /** What a typed array is called. */
  readonly [Symbol.toStringTag]?: Kind;
  /** The element type of an array on the GPU. */
  readonly type?: {
    /** Its name. */
    readonly name: Kind;
  };
}

/** The array of a scan. If no array of the kind has 8 or 16 bits, it is of the data's own type, also where that is a type parameter. */
export type Scanned<Data, Type, Kind extends string> = [
  undefined extends Type ? Kind & (NarrowName | NarrowArrays[NarrowName][typeof Symbol.toStringTag]) : never,
] extends [never]
  ? ResultArray<Data, Type>
  : FoldedArray<Data, Type>;

/** What `scan` and `reduce` take. */
export type FoldCallOptions<Data, Type> = FoldOptions<
  NameIn<Data>,
  WideName<ResultName<Data, Type>>,
  Type,
  | ResultValue<Data, Type>
  | FoldedArray<Data, Type>
  | ArrayOf<WideName<ResultName<Data, Type>>, ResultValue<Data, Type>>
> &
  MapTo<Data, Type>;

/** Where the segments of an array start. */
export type SegmentsOf<Data> = Data extends GpuArray
  ? GpuSegments | GpuSegmentsByExpression
  : Segments | SegmentsByExpression<AnyArray>;

/** The options of `scan`. */
export type ScanCallOptions<Data, Type> = FoldCallOptions<Data, Type> &
  ScanOption<FoldedArray<Data, Type>> &
  Partial<SegmentsOption<SegmentsOf<Data>>>;

/** The names of the properties of all types of a union. */
export type NamesIn<Union> = Union extends unknown ? keyof Union : never;

/** The option `segments` as it was given, if it has no names that it does not take. Otherwise TypeScript names these. */
export type GivenSegments<Data, By> =
  Exclude<NamesIn<By>, NamesIn<SegmentsOf<Data>>> extends never ? By : SegmentsOf<Data>;

/** The options of `reduce`. */
export type ReduceCallOptions<Data, Type, By> = FoldCallOptions<Data, Type> &
  Partial<SegmentsOption<GivenSegments<Data, By>>> &
  (Data extends GpuArray ? IntoOption<FoldedArray<Data, Type>> : unknown);

/** The totals of runs of equal keys, and the key of each run. */
export interface Runs<Keys, Values> {
  /** The key of each run. */
  readonly keys: Keys;
  /** The total of each run. */
  readonly values: Values;
}

/** The keys of runs that were computed. If their type is not named, it is not known here. */
export type ComputedKeys<Data, By> = By extends { readonly keyType: ElementType<infer Name, infer V> }
  ? Data extends GpuArray
    ? GpuArray<Name, V>
    : ArrayOf<Name, V>
  : Data extends GpuArray
    ? GpuArray
    : AnyArray;

/** What `reduce` gives: a total, an array of one on the GPU; with segments a total of each; by keys, the runs. */
export type Reduced<Data, Type, By> = By extends { readonly key: string }
  ? Runs<ComputedKeys<Data, By>, FoldedArray<Data, Type>>
  : By extends { readonly keys: infer Keys }
    ? Runs<Keys, FoldedArray<Data, Type>>
    : By extends object
      ? FoldedArray<Data, Type>
      : Data extends GpuArray
        ? FoldedArray<Data, Type>
        : ResultValue<Data, Type>;

/** The options of `scatter`. */
export interface ScatterCallOptions<Type, Op> extends Omit<HandScatterOptions<string>, "op" | "type"> {
  /** What combines elements whose positions meet, in the order of the elements. Without it, one of them stays there. */
  readonly op?: Op;
  /**
   * With `op`, the type of the result, which has every value of the elements' type. Elements of 8 and 16 bits are combined as u32 or i32 unless it
   * names another one. It is also needed for f16 bits in a `Uint16Array`.
   */
  readonly type?: Type;
}

/** What `scatter` gives. */
export type Scattered<Data, Type, Op> = Op extends undefined ? Data : FoldedArray<Data, Type>;

/** The elements of a result, or their positions. */
export type Taken<Data, Type, Indices> = Indices extends true ? U32Array<Data> : ResultArray<Data, Type>;

/** Flags of elements, where `Data` is. */
export type FlagsOf<Data> = Data extends GpuArray ? GpuArray<"u32", number> : ArrayLike<number | boolean>;

/** What `compact` and `partition` take beside what is kept. */
export type TakeOptions<Data, Type, Indices extends boolean> = TuningOptions &
  CallParamsOption &
  Partial<IndicesOption<Indices>> &
  IntoOption<Taken<Data, Type, Indices>>;

/** The options of `compact`. It takes `where` or `flags`. */
export type CompactCallOptions<Data, Type, Indices extends boolean> = TakeOptions<Data, Type, Indices> &
  TypesOption<NameIn<Data>, Type> &
  MapTo<Data, Type> &
  KeepOption<FlagsOf<Data>>;

/** The options of `partition`. It takes `where`, or `flags`, or `classes` and `class`. */
export type PartitionCallOptions<Data, Classes, Indices extends boolean> = TakeOptions<
  Data,
  undefined,
  Indices
> & {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<NameIn<Data>>;
} & (Classes extends number
    ? ClassOptions<Classes> & { readonly [Name in "where" | "flags"]?: undefined }
    : KeepOption<FlagsOf<Data>> & { readonly [Name in keyof ClassOptions]?: Classes });

/** What `partition` gives. */
export type Partitioned<Data, Classes, Indices> = Classes extends number
  ? ClassPartition<Taken<Data, undefined, Indices>, U32Array<Data>>
  : Partition<Taken<Data, undefined, Indices>, Data extends GpuArray ? GpuArray<"u32", number> : number>;

/** The options of `unique`. */
export type UniqueCallOptions<Data, Indices extends boolean, Counts, Inverse> = RunOptions<
  NameIn<Data>,
  Indices,
  Inverse
> &
  CountsOption<Counts>;

/** What `unique` and `runLengths` give beside the first elements of runs: an array of the name if the option is true. */
export type AskedResults<Data, Counts, Inverse> = (Counts extends true
  ? {
      /** How many elements each run has. */
      readonly counts: U32Array<Data>;
    }
  : unknown) &
  (Inverse extends true
    ? {
        /** For each element of the data, the index of its run. */
        readonly inverse: U32Array<Data>;
      }
    : unknown);

/** What `unique` and `runLengths` give: the first elements of runs or their positions; with `counts` or `inverse`, an object of all. */
export type Uniques<Data, Indices, Counts, Inverse> = true extends Counts | Inverse
  ? {
      /** The first element of each run, or its position. */
      readonly values: Taken<Data, undefined, Indices>;
    } & AskedResults<Data, Counts, Inverse>
  : Taken<Data, undefined, Indices>;

/** The options of `expandRuns`. On the GPU, `maxLength` is needed. */
export type ExpandCallOptions<Data, Indices, Ranks> = [Data] extends [GpuArray]
  ? readonly [options: GpuExpandOptions<NameIn<Data>, Indices, Ranks>]
  : readonly [options?: HandExpandOptions<NameIn<Data>, Indices, Ranks>];

/** What `expandRuns` gives. */
export type Expanded<Data, Indices, Ranks> = Ranks extends true
  ? RankedItems<Taken<Data, undefined, Indices>, U32Array<Data>>
  : Taken<Data, undefined, Indices>;

/** An array of numbers that goes with another one: on the GPU if that is there. */
export type NumbersBeside<Data> = Data extends GpuArray
  ? GpuArray<string, number> | GpuArray<string, bigint>
  : ScalarArray;

/** The options of `histogram`: `edges`, or `bins` and `range`, or `bins` and `bin`. */
export type HistogramCallOptions<Data, Weights> = HandHistogramOptions<
  NameIn<Data>,
  WideName<NameIn<Weights>>
> &
  Partial<WeightsOption<Weights>> &
  SecondOption<NumbersBeside<Data>>;

/** What `histogram` gives. */
export type Binned<Data, Weights> =
  Weights extends GpuArray<infer Name, infer V>
    ? GpuArray<WideName<Name>, V>
    : Weights extends ScalarArray
      ? WideArray<Weights>
      : U32Array<Data>;

/** The options of `map`. */
export type MapCallOptions<Data, Type> = MapText &
  NeighbourOptions<ElementIn<Data>> &
  WithOption<Readonly<Record<string, Data extends GpuArray ? GpuArray : AnyArray>>> &
  TypesOption<NameIn<Data>, Type> &
  CallParamsOption &
  IntoOption<ResultArray<Data, Type>> &
  Pick<TuningOptions, "workGroupSize" | "itemsPerThread">;

/** The segments of a sort: rows of equal length, or the last axis of an array; or where each segment starts, and where the last one ends. */
export type SortSegments =
  | {
      /** The elements of a row. Each row is a segment. */
      readonly rows: number;
    }
  | SegmentsByAxis
  | {
      /** One position more than there are segments. They start from 0, never fall, and end with the length of the data. */
      readonly offsets: ArrayLike<number> | GpuArray<"u32", number>;
    }
  | {
      /** Where each segment begins. Segments ascend and do not overlap. A sort leaves the elements between two segments where they are. */
      readonly begins: ArrayLike<number> | GpuArray<"u32", number>;
      /** Where each segment ends: the position behind its last element. */
      readonly ends: ArrayLike<number> | GpuArray<"u32", number>;
    };

/** The order of a sort: by an array, or by several. */
export type OrderOf<Data> = Data extends readonly unknown[] ? KeysOrder : SortKeyOptions & CallParamsOption;

/** The options of `sort` and `argSort`, beside the order. */
export interface HandSortOptions<Name extends string> extends TuningOptions {
  /** Needed only for f16 bits in a `Uint16Array`. Of several arrays, it is the type of the first. */
  readonly type?: ElementType<Name>;
  /** Sorts each segment on its own. If the data is on the GPU, offsets are, too. */
  readonly segments?: SortSegments;
  /** The most elements of a segment, if the offsets are on the GPU. Segments that fit in work-group memory take one dispatch. */
  readonly maxSegmentLength?: number;
}

/** The values that a sort can move along. */
export type SortValues<Data> = Data extends GpuArray
  ? GpuArray | readonly GpuArray[]
  : AnyArray | readonly AnyArray[];

/** The options of `sort`. */
export type SortCallOptions<Data, Values> = HandSortOptions<NameIn<FirstOf<Data>>> &
  OrderOf<Data> &
  Partial<ValuesOption<Values>> &
  // With values or several keys, there are several results.
  IntoOption<Values extends undefined ? (Data extends readonly unknown[] ? undefined : Data) : undefined>;

/** What is sorted, in order: an array, or a list of arrays. */
export type InOrder<Data> = Data extends readonly unknown[]
  ? { -readonly [At in keyof Data]: Data[At] }
  : Data;

/** What `sort` gives. `Own` is `Values`, which TypeScript is not to infer from what a caller does with the result. */
export type SortResult<Data, Values> = Values extends undefined
  ? InOrder<Data>
  : Values extends infer Own
    ? Sorted<InOrder<Data>, Own>
    : never;

/** The options of `argSort`. */
export type ArgSortOptions<Data> = HandSortOptions<NameIn<FirstOf<Data>>> &
  OrderOf<Data> &
  IntoOption<U32Array<FirstOf<Data>>>;

/** The options of `topK`. */
export interface TopKCallOptions<Data> extends HandTopKOptions<NameIn<Data>> {
  /**
   * Takes the first elements of each segment. The results have those of the first segment, then those of the second one, and so on. Of
   * a row, they have `k`, or all if it has fewer. Between offsets, each segment has `k` places. If it has fewer elements, all bits of its
   * last values are 0, and their positions are 4294967295, which no element has.
   */
  readonly segments?: SortSegments;
  /** The most elements of a segment, if the offsets are on the GPU. Segments that fit in work-group memory are sorted in one dispatch. */
  readonly maxSegmentLength?: number;
  /**
   * With an array of numbers: the most elements to take of a segment. A greater number counts as this one. On the GPU, results have room for no
   * more, and if it is small, long rows are not sorted.
   */
  readonly maxK?: number;
}

/** How many elements to take of each segment: an array with a number for each. */
export type NumberOfEach<Data> = Data extends GpuArray ? GpuArray<"u32", number> : ArrayLike<number>;

/** What `topK` gives: with a number for each segment, also where the results of each segment start. */
export type TopKOf<Data, K> = K extends number
  ? TopK<Data, U32Array<Data>>
  : TopKOfEach<Data, U32Array<Data>>;

/** The values that a merge can move along. */
export type MergedValues<Data> = Data extends GpuArray ? GpuArray : AnyArray;

/** The options of `merge`. With values of the first array, it takes those of the other one, too. */
export type MergeCallOptions<Data, Values> = HandSetOptions<NameIn<Data>> &
  (Values extends undefined ? Partial<MergeValues<Values>> : MergeValues<Values>);

/** What `nth` gives. */
export type NthOf<Data> = Data extends GpuArray
  ? Nth<Data, GpuArray<"u32", number>>
  : Nth<ElementIn<Data>, number>;
