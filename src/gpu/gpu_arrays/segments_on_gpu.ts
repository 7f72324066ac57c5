import type { SegmentsByAxis, SegmentsByExpression } from "../../algebra/segments.ts";
import type { Value } from "../../algebra/types.ts";
import type { GpuArray } from "./gpu_array.ts";

// Segments of an array on the GPU. What says where they start is on the GPU, too.

/** Where the segments of an array on the GPU start. */
export type GpuSegments<Keys extends GpuArray = GpuArray> =
  | {
      /** The length of a row. Each row is a segment. */
      readonly rows: number;
    }
  | {
      /** The number of columns. Each column is a segment. */
      readonly columns: number;
    }
  | SegmentsByAxis
  | {
      /** Where each segment begins, and where the last one ends. */
      readonly offsets: GpuArray<"u32", number>;
    }
  | {
      /** Where each segment begins. Segments ascend and do not overlap. Elements between two segments are in none. */
      readonly begins: GpuArray<"u32", number>;
      /** Where each segment ends: the position behind its last element. */
      readonly ends: GpuArray<"u32", number>;
    }
  | {
      /** A flag for each element. A segment begins where the flag is not zero. */
      readonly heads: GpuArray<"u32", number>;
    }
  | {
      /** A bit for each element, the lowest first. A segment begins where the bit is set. */
      readonly headBits: GpuArray<"u32", number>;
    }
  | {
      /** A key for each element. Consecutive elements with equal keys are a segment. */
      readonly keys: Keys;
      /** Not in this form, in which the elements of `keys` are the keys. */
      readonly key?: undefined;
      /** Not in this form, as `key`. */
      readonly keyType?: undefined;
    };

/** Segments of an array on the GPU whose keys are computed. */
export type GpuSegmentsByExpression<Name extends string = string, K extends Value = Value> = Omit<
  SegmentsByExpression<GpuArray, Name, K>,
  "type"
>;
