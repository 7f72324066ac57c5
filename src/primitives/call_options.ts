import type { ParamsOfCall } from "../algebra/params.ts";
import type { ElementType } from "../algebra/types.ts";

// Options that calls of several primitives take.

/** The types of a call that can map elements to another type. */
export interface TypesOption<From extends string, Type> {
  /**
   * The type of the results. Needed if a map gives another type than the array's, and for f16 bits in a `Uint16Array`. Without a map it may
   * be a type that has every value of the array's: then elements are converted as they are loaded. u64 has the values of u32, i64 those of
   * u32 and i32, f32 those of f16, and f64 those of u32, i32, f32 and f16.
   */
  readonly type?: Type;
  /** The type of the array's elements. Needed only for f16 bits in a `Uint16Array`, if the results have another type. */
  readonly from?: ElementType<From>;
}

/** The option `params` of calls. */
export interface CallParamsOption {
  /**
   * Values that the WGSL of the other options names, such as `{ limit: 0.5 }` for `"x > limit"`: a number is an f32, and `[u32, 5]` has
   * another type. Another value needs no new kernel, as another text would. They are read during the call. A float is rounded to
   * the nearest value of its type. Params take the types of {@link ParamsOption.params}.
   */
  readonly params?: ParamsOfCall | undefined;
}

/** The option `map`. */
export interface MapOption extends CallParamsOption {
  /**
   * WGSL over each element's value `x` and its index `i`, such as `"u32(x > 0.5)"`. It is applied as the element is loaded:
   * see {@link ScanOptions.map}. A compaction applies it only to kept elements.
   */
  readonly map?: string;
}

/** Where the result of a call goes. */
export interface IntoOption<Result> {
  /**
   * An array of yours to fill with the result, of the result's type. For `scan` and `partition` it has as many elements as
   * the data, and is what the call returns. For `compact` it has at least as many; the call returns the part that it filled. It may be
   * the data itself. If the call is rejected, what the array holds is open.
   */
  readonly into?: NoInfer<Result>;
}
