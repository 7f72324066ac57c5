import { u32 } from "../../algebra/integers.ts";
import type { Matrices, SegmentsByAxis, SegmentsByExpression } from "../../algebra/segments.ts";
import { endsIn, hasKey, requireKind, requireRows } from "../../algebra/segments.ts";
import type { ElementType, Value } from "../../algebra/types.ts";
import { isSameType } from "../../algebra/types.ts";
import { ArgumentError, refuse } from "../../errors.ts";
import type { SegmentsBy } from "../../plan/options.ts";
import { requireRunKey } from "../../plan/run_key.ts";
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

/** The segments of a call. */
export interface SegmentsOnGpu {
  /** What the plan takes. */
  readonly by: SegmentsBy;
  /** What the recording takes. */
  readonly ranges: { readonly [Name in "heads" | "keys" | "offsets" | "begins" | "ends"]?: GpuArray };
  readonly numbers: { readonly rows?: number; readonly columns?: number; readonly segmentCount?: number };
  /** The most segments that there may be, and whether only the GPU knows how many there are. */
  readonly most: number;
  readonly isCounted: boolean;
  /** The key that a reduction gives for each run. It is an array of this type, made as that of `like` if there is one. */
  readonly runs?: { readonly type: ElementType; readonly like: GpuArray | undefined };
  /** The same as `by`, as values that tell plans apart. */
  readonly named?: Readonly<Record<string, unknown>>;
}

/** Rows or columns of an array on the GPU. */
function rowsOnGpu(
  kind: "rows" | "columns",
  value: unknown,
  { length, maxLength }: GpuArray,
  caller: string,
): SegmentsOnGpu {
  const items = typeof length === "number" ? length : undefined;
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

/** The columns of matrices. Each call says how many matrices there are. */
const matricesOnGpu = ([matrices, rows, columns]: Matrices): SegmentsOnGpu => ({
  by: { shape: [2, rows, columns], axis: 1 },
  ranges: {},
  numbers: {},
  most: matrices * columns,
  isCounted: false,
  named: { segments: "matrices", rows, columns },
});

/** Segments that start at the offsets of an array on the GPU. */
function offsetsOnGpu(offsets: GpuArray, caller: string): SegmentsOnGpu {
  const { length, maxLength } = offsets;
  if (typeof length !== "number" || maxLength < 1) {
    refuse(
      caller,
      "segments",
      maxLength < 1 ? "no offsets" : "offsets with a length on the GPU",
      "one offset more than there are segments, and their number on the CPU",
    );
  }
  const segmentCount = maxLength - 1;
  return {
    by: "offsets",
    ranges: { offsets },
    numbers: { segmentCount },
    most: segmentCount,
    isCounted: false,
  };
}

/** Segments with gaps, whose begins and ends are in arrays on the GPU. */
function spansOnGpu(begins: GpuArray, ends: GpuArray, caller: string): SegmentsOnGpu {
  if (typeof begins.length !== "number" || typeof ends.length !== "number") {
    refuse(caller, "segments", "begins or ends with a length on the GPU", "their number on the CPU");
  }
  if (begins.length !== ends.length) {
    throw new ArgumentError(
      `${caller}: there are ${begins.length} begins and ${ends.length} ends; each segment has one of both`,
      "segments",
    );
  }
  return {
    by: "begins",
    ranges: { begins, ends },
    numbers: { segmentCount: begins.length },
    most: begins.length,
    isCounted: false,
  };
}

/** Requires a key, a flag or a bit for each item. @throws {ArgumentError} if the host knows that their numbers differ. */
function requireMarks(
  kind: "keys" | "heads" | "headBits",
  marks: GpuArray,
  data: GpuArray,
  caller: string,
): void {
  const { maxLength: given } = marks;
  const { maxLength: items } = data;
  const isBits = kind === "headBits";
  const needed = isBits ? Math.ceil(items / 32) : items;
  const isExact = typeof data.length === "number" && typeof marks.length === "number" && !isBits;
  if (isExact ? given !== needed : given < needed) {
    throw new ArgumentError(
      `${caller}: ${kind} has ${given} for ${items} items; it takes ${isBits ? `${needed} words, a bit for each` : "one for each"}`,
      "segments",
    );
  }
}

/** Runs of equal keys of an array on the GPU. */
function keysOnGpu(
  given: unknown,
  keys: GpuArray,
  data: GpuArray,
  reduces: boolean,
  caller: string,
): SegmentsOnGpu {
  const { key, keyType } = given as { readonly key?: string; readonly keyType?: ElementType };
  const { type, text } = requireRunKey({ key, keyType }, keys.type, caller, "segments");
  const computed = text === undefined ? {} : { key: text, keyType: type };
  return {
    by: { keys: keys.type, ...computed, ...(reduces && { unique: true }) },
    ranges: { keys },
    numbers: {},
    most: data.maxLength,
    isCounted: true,
    ...(reduces && { runs: { type, like: text === undefined ? keys : undefined } }),
    named: { segments: keys.type, ...computed },
  };
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
  const [kind, value] = requireKind(given, caller, typeof data.length === "number" ? data.length : undefined);
  if (kind === "rows" || kind === "columns") {
    return rowsOnGpu(kind, value, data, caller);
  }
  if (kind === "matrices") {
    return matricesOnGpu(value as Matrices);
  }
  const requireWords = (array: GpuArray, name: string): GpuArray => {
    if (!isSameType(array.type, u32)) {
      throw new ArgumentError(`${caller}: ${name} holds ${array.type.name}; it takes u32`, "segments");
    }
    return array;
  };
  const array = kind === "keys" && value === undefined && hasKey(given) ? data : requireArray(value, kind);
  if (kind !== "keys") {
    requireWords(array, kind);
  }
  if (kind === "begins") {
    return spansOnGpu(array, requireWords(requireArray(endsIn(given), "ends"), "ends"), caller);
  }
  if (kind === "offsets") {
    return offsetsOnGpu(array, caller);
  }
  requireMarks(kind, array, data, caller);
  return kind === "keys"
    ? keysOnGpu(given, array, data, reduces, caller)
    : { by: kind, ranges: { heads: array }, numbers: {}, most: data.maxLength, isCounted: true };
}
