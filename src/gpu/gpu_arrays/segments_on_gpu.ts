import { u32 } from "../../algebra/integers.ts";
import type { SegmentsByExpression } from "../../algebra/segments.ts";
import { hasKey, requireKind, requireRows } from "../../algebra/segments.ts";
import type { ElementType, Value } from "../../algebra/types.ts";
import { isSameType } from "../../algebra/types.ts";
import { ArgumentError, refuse } from "../../errors.ts";
import type { SegmentsBy } from "../../plan/options.ts";
import type { OwnSegments } from "../../plan/run_key.ts";
import { ALONE, FIRST_ITEMS, requireRunKey } from "../../plan/run_key.ts";
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
  | {
      /** Where each segment begins, and where the last one ends. */
      readonly offsets: GpuArray<"u32", number>;
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

/** The segments of a call. */
export interface SegmentsOnGpu {
  /** What the plan takes. */
  readonly by: SegmentsBy;
  /** What the recording takes. */
  readonly ranges: { readonly [Name in "heads" | "keys" | "offsets"]?: GpuArray };
  readonly numbers: { readonly rows?: number; readonly columns?: number; readonly segmentCount?: number };
  /** The most segments that there may be, and whether only the GPU knows how many there are. */
  readonly most: number;
  readonly isCounted: boolean;
  /** What a reduction gives for each run: its key, or its first item. It is an array of this type, made as that of `like` if there is one. */
  readonly runs?: { readonly type: ElementType; readonly like: GpuArray | undefined };
  /** The same as `by`, as values that tell plans apart. */
  readonly named?: Readonly<Record<string, unknown>>;
}

/**
 * Checks the segments of an array on the GPU. `requireArray` checks an array on the GPU.
 *
 * @throws {ArgumentError}
 */
export function segmentsOnGpu(
  given: unknown,
  data: GpuArray,
  reduces: boolean,
  caller: string,
  requireArray: (array: unknown, kind: string) => GpuArray,
): SegmentsOnGpu {
  const [kind, value] = requireKind(given, caller);
  const { length, maxLength } = data;
  const items = typeof length === "number" ? length : undefined;
  if (kind === "rows" || kind === "columns") {
    const rows = requireRows(kind, value, items, caller);
    return {
      by: kind,
      ranges: {},
      numbers: { [kind]: rows },
      most: kind === "rows" ? Math.ceil(maxLength / rows) : rows,
      // There are as many columns, however many rows there are.
      isCounted: kind === "rows" && items === undefined,
    };
  }
  const array = kind === "keys" && value === undefined && hasKey(given) ? data : requireArray(value, kind);
  if (kind !== "keys" && !isSameType(array.type, u32)) {
    throw new ArgumentError(`${caller}: ${kind} holds ${array.type.name}; it takes u32`, "segments");
  }
  const own = array.maxLength;
  if (kind === "offsets") {
    if (typeof array.length !== "number" || own < 1) {
      refuse(
        caller,
        "segments",
        own < 1 ? "no offsets" : "offsets with a length on the GPU",
        "one offset more than there are segments, and their number on the CPU",
      );
    }
    const segmentCount = own - 1;
    return {
      by: kind,
      ranges: { offsets: array },
      numbers: { segmentCount },
      most: segmentCount,
      isCounted: false,
    };
  }
  const wanted = kind === "headBits" ? Math.ceil(maxLength / 32) : maxLength;
  const isExact = items !== undefined && typeof array.length === "number" && kind !== "headBits";
  if (isExact ? own !== wanted : own < wanted) {
    throw new ArgumentError(
      `${caller}: ${kind} has ${own} for ${maxLength} items; it takes ${kind === "headBits" ? `${wanted} words, a bit for each` : "one for each"}`,
      "segments",
    );
  }
  const common = { numbers: {}, most: maxLength, isCounted: true };
  if (kind !== "keys") {
    return { by: kind, ranges: { heads: array }, ...common };
  }
  const { key, keyType } = given as { readonly key?: string; readonly keyType?: ElementType };
  const { type, text } = requireRunKey({ key, keyType }, array.type, caller, "segments");
  const { [FIRST_ITEMS]: isFirst = false, [ALONE]: alone } = given as OwnSegments;
  const computed = text === undefined ? {} : { key: text, keyType: type };
  const isItem = text === undefined || isFirst;
  return {
    by: {
      keys: array.type,
      ...computed,
      ...(reduces && alone !== "totals" && { unique: true }),
      ...(isFirst && { [FIRST_ITEMS]: true }),
      ...(alone && { [ALONE]: alone }),
    },
    ranges: { keys: array },
    ...common,
    ...(reduces &&
      alone !== "totals" && { runs: isItem ? { type: array.type, like: array } : { type, like: undefined } }),
    named: { segments: array.type, ...computed, isFirst, alone },
  };
}
