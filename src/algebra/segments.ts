import { ArgumentError, refuse, shown } from "../errors.ts";
import type { AnyArray } from "./arrays.ts";
import { isOnGpu, requireMemory } from "./arrays.ts";
import { describe } from "./check_value.ts";
import { isTrue } from "./truth.ts";
import type { ElementType, Value } from "./types.ts";

// Segments are parts of an array, each of which is combined on its own. This file has the option that says where they start, and
// its checks.

/** Where the segments of an array start. */
export type Segments<Keys extends AnyArray = AnyArray> =
  | {
      /** The items of a row. It divides the length of the data. */
      readonly rows: number;
    }
  | {
      /**
       * The number of columns. It divides the length of the data, which has the rows of a matrix one after another. Each
       * column is a segment.
       */
      readonly columns: number;
    }
  | {
      /**
       * One position more than there are segments: where each starts, and where the last one ends. They start from 0, never
       * fall, and end with the length of the data. A segment may have no item. They are numbers, not bigints.
       */
      readonly offsets: ArrayLike<number>;
    }
  | {
      /** A flag for each item. A segment starts where it is not zero or false, and at the first item. */
      readonly heads: ArrayLike<number | boolean>;
    }
  | {
      /** A bit for each item, 32 of them in a word, the lowest bit first. */
      readonly headBits: Uint32Array;
    }
  | {
      /**
       * A key for each item. A segment is a run of equal keys: of the same bits, or all NaN. The bits between a struct's fields do not
       * count.
       */
      readonly keys: Keys;
      /** The type of the keys. Needed only for f16 bits in a `Uint16Array`. */
      readonly type?: ElementType;
      /** Not in this form, in which the elements of `keys` are the keys. */
      readonly key?: undefined;
      /** Not in this form, as `key`. */
      readonly keyType?: undefined;
    };

/** Segments whose keys are computed. */
export interface SegmentsByExpression<Keys, Name extends string = string, V extends Value = Value> {
  /** An element for each item, from which its key is computed. The default is the data. */
  readonly keys?: Keys;
  /** The type of these elements. Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType;
  /** WGSL over such an element `x` that gives a key, such as `"x.cell"`. A segment is a run of equal keys. */
  readonly key: string;
  /** The type of the key. It is needed unless `key` is a field of a struct or a scalar in one, or the key has the elements' own type. */
  readonly keyType?: ElementType<Name, V>;
}

const kinds = ["rows", "columns", "offsets", "heads", "headBits", "keys"] as const;

/** A way to say where segments start. */
export type SegmentKind = (typeof kinds)[number];

/**
 * The way that the option names, and what it gives.
 *
 * @throws {ArgumentError} if it is not exactly one way.
 */
export function requireKind(
  given: unknown,
  caller: string,
  beside: readonly string[] = [],
): readonly [kind: SegmentKind, value: unknown] {
  const isObject = typeof given === "object" && given !== null;
  // What is undefined counts as left out.
  const named = Object.entries(Object(given)).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const computed = ["key", "keyType"].filter((name) => named.includes(name));
  const own = kinds.filter((kind) => named.includes(kind));
  // The elements that keys are computed from may be left out. Then the keys are computed from the data.
  const [kind] = own.length === 0 && hasKey(given) ? (["keys"] as const) : own;
  const stranger = named.find((name) => ![...kinds, ...beside, "key", "keyType"].some((one) => one === name));
  if (kind === undefined || own.length > 1 || stranger !== undefined) {
    refuse(
      caller,
      "segments",
      isObject && named.length > 0 ? `{ ${named.join(", ")} }` : describe(given),
      `one of ${kinds.map((one) => `{ ${one} }`).join(", ")}`,
    );
  }
  if (kind !== "keys" && named.includes("type")) {
    refuse(caller, "segments", `{ ${kind}, type }`, "a type only beside keys");
  }
  if (kind !== "keys" && computed.length > 0) {
    refuse(
      caller,
      "segments",
      `{ ${[kind, ...computed].join(", ")} }`,
      `${computed.join(" and ")} only beside keys`,
    );
  }
  return [kind, (given as Record<SegmentKind, unknown>)[kind]];
}

/** Whether segments are runs of keys that are computed. */
export const hasKey = (given: unknown): boolean =>
  (given as { readonly key?: unknown } | null | undefined)?.key !== undefined;

/**
 * The items of a row, or the number of columns, which is the same.
 *
 * @throws {ArgumentError} if rows of this length do not divide the length. The length may not be known.
 */
export function requireRows(
  kind: "rows" | "columns",
  rows: unknown,
  length: number | undefined,
  caller: string,
): number {
  if (typeof rows !== "number" || !Number.isInteger(rows) || rows < 1 || rows > 0xfffffffe) {
    refuse(
      caller,
      "segments",
      `${kind}: ${shown(rows)}`,
      `a whole number from 1 to 2^32 - 2, ${kind === "rows" ? "the items of a row" : "the number of columns"}`,
    );
  }
  if (length !== undefined && length % rows !== 0) {
    throw new ArgumentError(
      `${caller}: ${kind === "rows" ? `rows of ${rows} items do` : `${rows} columns do`} not divide the ${length} items of the array`,
      "segments",
    );
  }
  return rows;
}

/** Where the segments of an array start, checked: offsets, a bit for each item, keys, or the items of a row. Columns have rows, too. */
export type CheckedSegments =
  | { readonly kind: "rows"; readonly rows: number }
  | { readonly kind: "columns"; readonly rows: number }
  | { readonly kind: "offsets" | "headBits"; readonly words: Uint32Array }
  | { readonly kind: "keys"; readonly keys: AnyArray };

/**
 * What says where segments start, checked against the length of the data. The type of the keys is not checked, and neither is how
 * they are computed. If there are none, they are computed from the `data`.
 *
 * @throws {ArgumentError}
 */
export function requireSegments(
  given: unknown,
  length: number,
  caller: string,
  data?: AnyArray,
): CheckedSegments {
  const [kind, value] = requireKind(given, caller, ["type"]);
  if (kind === "keys" && value === undefined && data !== undefined && hasKey(given)) {
    return { kind, keys: data };
  }
  if (kind === "rows" || kind === "columns") {
    return { kind, rows: requireRows(kind, value, length, caller) };
  }
  const own = Object(value) as ArrayLike<unknown>;
  if (isOnGpu(value)) {
    throw new ArgumentError(
      `${caller}: ${kind} is on the GPU, and data is not; fold.upload(data) puts it there`,
      "segments",
    );
  }
  if (typeof value !== "object" || typeof own.length !== "number") {
    refuse(caller, "segments", `${kind}: ${shown(value)}`, "an array");
  }
  requireMemory(caller, "segments", value, kind);
  const wanted = kind === "headBits" ? Math.ceil(length / 32) : length;
  if (kind !== "offsets" && own.length !== wanted) {
    throw new ArgumentError(
      `${caller}: ${kind} has ${own.length} elements for ${length} items; it takes ${kind === "headBits" ? `${wanted} words, a bit for each item` : "one for each"}`,
      "segments",
    );
  }
  switch (kind) {
    case "keys":
      return { kind, keys: value as AnyArray };
    case "headBits":
      if (Object(value)[Symbol.toStringTag] !== "Uint32Array") {
        refuse(caller, "segments", "headBits in another array", "a Uint32Array");
      }
      return { kind, words: value as Uint32Array };
    case "heads":
      return { kind: "headBits", words: bitsOf(own) };
    default:
      return { kind, words: offsetsOf(own as ArrayLike<number>, length, caller) };
  }
}

/** The items of the longest segment between offsets that were checked. It is at least 1. */
export const longestOf = (offsets: Uint32Array): number =>
  offsets.reduce((most, offset, at) => Math.max(most, offset - (offsets[at - 1] ?? offset)), 1);

/** A bit for each flag. They take less time to copy than flags. */
function bitsOf(flags: ArrayLike<unknown>): Uint32Array {
  const words = new Uint32Array(Math.ceil(flags.length / 32));
  for (let index = 0; index < flags.length; index++) {
    if (isTrue(flags[index])) {
      words[index >>> 5] = (words[index >>> 5] ?? 0) | (1 << (index & 31));
    }
  }
  return words;
}

/** The offsets, checked. */
function offsetsOf(given: ArrayLike<number>, length: number, caller: string): Uint32Array {
  const wrong = (problem: string): never => {
    throw new ArgumentError(
      `${caller}: ${problem}; offsets start from 0, never fall, and end with the length, ${length}`,
      "segments",
    );
  };
  if (given.length < 1) {
    wrong("there are no offsets");
  }
  if (typeof given[0] === "bigint") {
    refuse(caller, "segments", "offsets of bigint", "numbers, such as Uint32Array.from(offsets, Number)");
  }
  let before = 0;
  for (let index = 0; index < given.length; index++) {
    const offset = given[index] as number;
    if (!Number.isInteger(offset) || offset < before || offset > length || (index === 0 && offset !== 0)) {
      wrong(`offset ${index} is ${shown(offset)}${index === 0 ? "" : `, after ${before}`}`);
    }
    before = offset;
  }
  if (before !== length) {
    wrong(`the last offset is ${before}`);
  }
  return Uint32Array.from(given);
}
