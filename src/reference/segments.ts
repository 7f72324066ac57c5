import type { AnyArray } from "../algebra/arrays.ts";
import { usedBytes } from "../algebra/padding.ts";
import { requireSegments } from "../algebra/segments.ts";
import type { ElementType, Value } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import type { ColumnOptions } from "./columns.ts";
import { columnsScan } from "./columns.ts";
import { groupedScanFrom, requireGrouping } from "./grouping.ts";
import { typeOfArray } from "./items.ts";
import { rowsScan } from "./rows.ts";
import { keysOfRuns } from "./run_key.ts";
import type { Typed } from "./texts.ts";
import type { ReferenceMonoid } from "./twins.ts";

/** The segments of an array. */
export interface ReferenceSegments {
  /** Whether a segment starts at an item. */
  isHead(index: number): boolean;
  /** For each segment, the item after its last one, or undefined if it has no item. Segments of runs have one at least. */
  ends(length: number): readonly (number | undefined)[];
  /** How many columns there are, if the segments are columns. Then no other field is set. */
  readonly columns?: number;
  /** The items of each matrix, if the columns are those of several. */
  readonly matrixItems?: number;
  /** How many items a row has, if rows are the segments. */
  readonly rows?: number;
  /** The keys, if a segment is a run of these. */
  readonly keys?: Typed;
  /** Whether an item is in no segment, if there may be such items. */
  isInGap?(index: number): boolean;
}

/**
 * Where the segments of an array start, and end. Keys are computed from the data if nothing else is given.
 *
 * @throws {ArgumentError} as the scan itself.
 */
export function segmentsOf(given: unknown, data: Typed, caller: string): ReferenceSegments {
  const { length } = data.array;
  const checked = requireSegments(given, length, caller, data.array);
  if (checked.kind === "offsets") {
    const { words } = checked;
    const starts = new Set(words);
    return {
      isHead: (index) => starts.has(index),
      ends: () => Array.from(words.subarray(1), (end, at) => (end > (words[at] as number) ? end : undefined)),
    };
  }
  if (checked.kind === "begins") {
    return betweenGaps(checked.words, checked.ends, length);
  }
  if (checked.kind === "columns") {
    return { columns: checked.rows, isHead: () => false, ends: () => [] };
  }
  if (checked.kind === "matrices") {
    const { rows, columns } = checked;
    return { columns, matrixItems: rows * columns, isHead: () => false, ends: () => [] };
  }
  const keys = checked.kind === "keys" ? keysIn(checked.keys, given, data, caller) : undefined;
  const isHead = headsOf(checked, keys);
  return {
    isHead,
    ends(items) {
      const ends: number[] = [];
      for (let index = 0; index < items; index++) {
        if (index + 1 === items || isHead(index + 1)) {
          ends.push(index + 1);
        }
      }
      return ends;
    },
    ...(checked.kind === "rows" && { rows: checked.rows }),
    ...(keys && { keys }),
  };
}

/** Segments with gaps, each of which is a segment of its own whose results nobody asks for. */
function betweenGaps(begins: Uint32Array, ends: Uint32Array, length: number): ReferenceSegments {
  const starts = new Set([...begins, ...ends]);
  const inside = new Uint8Array(length);
  begins.forEach((begin, at) => {
    inside.fill(1, begin, ends[at]);
  });
  return {
    isHead: (index) => index === 0 || starts.has(index),
    isInGap: (index) => inside[index] === 0,
    ends: () => Array.from(ends, (end, at) => (end > (begins[at] as number) ? end : undefined)),
  };
}

/** The keys, computed if they are to be. @throws {ArgumentError} */
function keysIn(array: AnyArray, given: unknown, data: Typed, caller: string): Typed {
  const isData = array === data.array && (given as { readonly type?: unknown }).type === undefined;
  const type = isData ? data.type : keyType(array, given, caller);
  return keysOfRuns({ array, type }, given as object, caller, "segments");
}

/** The type of the keys. @throws {ArgumentError} if they are no array of an element type. */
function keyType(keys: AnyArray, given: unknown, caller: string): ElementType {
  try {
    return typeOfArray(keys, (given as { readonly type?: ElementType }).type, `${caller}: keys`, "segments");
  } catch (cause) {
    throw cause instanceof ArgumentError ? new ArgumentError(cause.message, "segments") : cause;
  }
}

function headsOf(
  checked: Exclude<
    ReturnType<typeof requireSegments>,
    { kind: "offsets" | "begins" | "columns" | "matrices" }
  >,
  keys: Typed | undefined,
): (index: number) => boolean {
  switch (checked.kind) {
    case "rows":
      return (index) => index % checked.rows === 0;
    case "keys": {
      const same = sameKeys(keys as Typed);
      return (index) => index === 0 || !same(index - 1, index);
    }
    default: {
      const { words } = checked;
      return (index) => index === 0 || (((words[index >>> 5] as number) >>> (index & 31)) & 1) === 1;
    }
  }
}

/** Whether two keys of an array are the same: of the same bits, but those between a struct's fields, or both NaN. */
function sameKeys({ array: keys, type }: Typed): (a: number, b: number) => boolean {
  const { kind, bytes, name } = type;
  const used = usedBytes(type);
  const own = new DataView(keys.buffer as ArrayBuffer, keys.byteOffset, keys.byteLength);
  const isNan = (at: number): boolean => {
    switch (name) {
      case "f16":
        return (own.getUint16(at * 2, true) & 0x7fff) > 0x7c00;
      case "f32":
        return Number.isNaN(own.getFloat32(at * 4, true));
      default:
        return Number.isNaN(own.getFloat64(at * 8, true));
    }
  };
  return (a, b) => {
    for (let byte = 0; byte < bytes; byte++) {
      if (used[byte] !== 0 && own.getUint8(a * bytes + byte) !== own.getUint8(b * bytes + byte)) {
        return kind === "float" && isNan(a) && isNan(b);
      }
    }
    return true;
  };
}

/** The elements of each matrix; without a number of items, all of them are one. */
export const matricesOf = (elements: readonly Value[], items?: number): (readonly Value[])[] =>
  items === undefined
    ? [elements]
    : Array.from({ length: elements.length / items }, (_, at) =>
        elements.slice(at * items, (at + 1) * items),
      );

/** A value, and how many segments start in what was combined to it: an element of shaders/device/segments/. */
type Segmented = {
  readonly value: Value;
  readonly heads: number;
};

/**
 * The prefixes of items that are combined each with those of its segment, one after another or in the order of a plan. If
 * there is an initial value, it comes before each.
 */
export function segmentedScan(
  { identity, reference }: ReferenceMonoid,
  elements: readonly Value[],
  { isHead, columns, matrixItems, rows }: ReferenceSegments,
  options: ColumnOptions,
  caller: string,
): readonly Value[] {
  if (columns !== undefined) {
    return matricesOf(elements, matrixItems).flatMap((matrix) =>
      columnsScan({ identity, reference }, matrix, columns, options, caller),
    );
  }
  const { exclusive = false, initial, grouping } = options;
  if (rows !== undefined && grouping?.fanIn !== undefined) {
    return rowsScan({ identity, reference }, elements, rows, options, caller);
  }
  const after = (value: Value): Value => (initial === undefined ? value : reference(initial, value));
  if (grouping === undefined) {
    let prefix = identity;
    return elements.map((element, index) => {
      const earlier = isHead(index) ? identity : prefix;
      prefix = isHead(index) ? element : reference(prefix, element);
      return after(exclusive ? earlier : prefix);
    });
  }
  requireGrouping(grouping, grouping?.passes === "single" ? 1 : 2, caller);
  const items = elements.map((value, index): Segmented => ({ value, heads: isHead(index) ? 1 : 0 }));
  const segmented = {
    identity: { value: identity, heads: 0 },
    reference: (earlier: Segmented, later: Segmented): Segmented => ({
      value: later.heads > 0 ? later.value : reference(earlier.value, later.value),
      heads: earlier.heads + later.heads,
    }),
    exclusive: (earlier: Segmented, inclusive: Segmented): Segmented =>
      earlier.heads === inclusive.heads ? earlier : { value: identity, heads: inclusive.heads },
  };
  const { prefixes } = groupedScanFrom(segmented, undefined, items, exclusive, grouping);
  return (prefixes as readonly Segmented[]).map(({ value }) => after(value));
}
