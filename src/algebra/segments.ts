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
  | SegmentsByAxis
  | {
      /**
       * One position more than there are segments: where each starts, and where the last one ends. They start from 0, never
       * fall, and end with the length of the data. A segment may have no item. They are numbers, not bigints.
       */
      readonly offsets: ArrayLike<number>;
    }
  | {
      /**
       * Where each segment starts. Segments ascend and do not overlap, but there may be gaps: items that are in no segment. A segment may have
       * no item. They are numbers, not bigints.
       */
      readonly begins: ArrayLike<number>;
      /** Where each segment ends: the position behind its last item. */
      readonly ends: ArrayLike<number>;
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

/**
 * Segments along an axis of an array: the elements that differ only in their index on that axis. The array lies in C order, as NumPy has it, so
 * the last axis is that of rows. A reduction gives what an array of the shape without the axis holds, in C order.
 */
export interface SegmentsByAxis {
  /** The array's dimensions, from 1 up: their product is the length of the data. */
  readonly shape: readonly number[];
  /** The number of the axis, from 0 on; −1 is the last one, −2 the one before. */
  readonly axis: number;
}

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

const kinds = ["rows", "columns", "offsets", "begins", "heads", "headBits", "keys", "shape"] as const;

/** What some kinds take beside their own name. */
const partners: Readonly<Partial<Record<(typeof kinds)[number], string>>> = { shape: "axis", begins: "ends" };

/** How a kind is written, as messages have it. */
const written = (kind: (typeof kinds)[number]): string =>
  `{ ${[kind, ...(partners[kind] === undefined ? [] : [partners[kind]])].join(", ")} }`;

/** A way to say where segments start. */
export type SegmentKind = Exclude<(typeof kinds)[number], "shape"> | "matrices";

/** The columns of some matrices of as many rows, one matrix behind another. */
export type Matrices = readonly [matrices: number, rows: number, columns: number];

/** The way that an axis is taken: the last one as rows, the first one as columns, and those between as columns of matrices. */
export type AxisKind =
  | readonly [kind: "rows" | "columns", value: number]
  | readonly [kind: "matrices", value: Matrices];

const product = (lengths: readonly number[]): number => lengths.reduce((one, other) => one * other, 1);

/**
 * The way that an axis is taken. Axes of one element do not count.
 *
 * @throws {ArgumentError} for a shape or an axis that is none.
 */
export function requireAxis({ shape, axis }: Readonly<Record<string, unknown>>, caller: string): AxisKind {
  const wholes = Array.isArray(shape) && shape.every((one) => Number.isInteger(one) && one >= 1);
  const items = wholes ? product(shape) : 0;
  if (!wholes || shape.length === 0 || items > 0xfffffffe) {
    const wanted = "an array of whole numbers from 1 up, whose product is at most 2^32 - 2";
    refuse(caller, "segments", `shape: ${wholes ? `[${shape}]` : describe(shape)}`, wanted);
  }
  if (!Number.isInteger(axis) || (axis as number) < -shape.length || (axis as number) >= shape.length) {
    refuse(
      caller,
      "segments",
      `axis: ${shown(axis)}`,
      `a whole number from ${-shape.length} to ${shape.length - 1}, since the shape has ${shape.length} ${shape.length === 1 ? "axis" : "axes"}`,
    );
  }
  const at = (axis as number) + ((axis as number) < 0 ? shape.length : 0);
  const [matrices, rows, columns] = [product(shape.slice(0, at)), shape[at], product(shape.slice(at + 1))];
  return columns === 1
    ? ["rows", rows]
    : matrices === 1
      ? ["columns", columns]
      : ["matrices", [matrices, rows, columns]];
}

/** Whether segments lie along an axis. */
export const hasShape = (given: unknown): given is SegmentsByAxis =>
  (given as { readonly shape?: unknown } | null | undefined)?.shape !== undefined;

/** As {@link requireAxis}, of data of this length. @throws {ArgumentError} if the shape is not that of the data. */
function requireAxisOf(given: SegmentsByAxis, length: number | undefined, caller: string): AxisKind {
  const found = requireAxis({ ...given }, caller);
  const items = product(given.shape);
  if (items !== length) {
    throw new ArgumentError(
      length === undefined
        ? `${caller}: a shape is for data whose length the CPU knows; { rows } or { columns } take other data, too`
        : `${caller}: shape is [${given.shape}], which is ${items} items, and the array has ${length}`,
      "segments",
    );
  }
  return found;
}

/**
 * The way that the option names, and what it gives. The length of the data may not be known.
 *
 * @throws {ArgumentError} if it is not exactly one way.
 */
export function requireKind(
  given: unknown,
  caller: string,
  length: number | undefined,
  beside: readonly string[] = [],
): readonly [kind: SegmentKind, value: unknown] {
  const isObject = typeof given === "object" && given !== null;
  // What is undefined counts as left out.
  const named = Object.entries(Object(given)).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const computed = ["key", "keyType"].filter((name) => named.includes(name));
  const own = kinds.filter((kind) => named.includes(kind));
  // The elements that keys are computed from may be left out. Then the keys are computed from the data.
  const [kind] = own.length === 0 && hasKey(given) ? (["keys"] as const) : own;
  const partner = kind && partners[kind];
  const known = [...kinds, ...beside, "key", "keyType", partner];
  const stranger = named.find((name) => !known.some((one) => one === name));
  const isHalf = kind === "begins" && !named.includes("ends");
  if (kind === undefined || own.length > 1 || stranger !== undefined || isHalf) {
    refuse(
      caller,
      "segments",
      isObject && named.length > 0 ? `{ ${named.join(", ")} }` : describe(given),
      isHalf ? written(kind) : `one of ${kinds.map(written).join(", ")}`,
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
  return kind === "shape"
    ? requireAxisOf(given as SegmentsByAxis, length, caller)
    : [kind, (given as Record<SegmentKind, unknown>)[kind]];
}

/** Where segments with gaps end. */
export const endsIn = (given: unknown): unknown => (given as { readonly ends?: unknown }).ends;

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

/**
 * Where the segments of an array start, checked: offsets, begins and ends, a bit for each item, keys, or the items of a row. Columns have rows,
 * too; those of matrices have the rows and the columns of each.
 */
export type CheckedSegments =
  | { readonly kind: "rows"; readonly rows: number }
  | { readonly kind: "columns"; readonly rows: number }
  | { readonly kind: "matrices"; readonly rows: number; readonly columns: number }
  | { readonly kind: "offsets" | "headBits"; readonly words: Uint32Array }
  | { readonly kind: "begins"; readonly words: Uint32Array; readonly ends: Uint32Array }
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
  const [kind, value] = requireKind(given, caller, length, ["type"]);
  if (kind === "keys" && value === undefined && data !== undefined && hasKey(given)) {
    return { kind, keys: data };
  }
  if (kind === "rows" || kind === "columns") {
    return { kind, rows: requireRows(kind, value, length, caller) };
  }
  if (kind === "matrices") {
    const [, rows, columns] = value as Matrices;
    return { kind, rows, columns };
  }
  const own = requireArray(value, kind, caller);
  const wanted = kind === "headBits" ? Math.ceil(length / 32) : length;
  if (kind !== "offsets" && kind !== "begins" && own.length !== wanted) {
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
    case "begins": {
      const ends = requireArray(endsIn(given), "ends", caller);
      return { kind, ...spansOf(own as ArrayLike<number>, ends as ArrayLike<number>, length, caller) };
    }
    default:
      return { kind, words: offsetsOf(own as ArrayLike<number>, length, caller) };
  }
}

/** An array that says where segments are. @throws {ArgumentError} */
function requireArray(value: unknown, name: string, caller: string): ArrayLike<unknown> {
  if (isOnGpu(value)) {
    throw new ArgumentError(
      `${caller}: ${name} is on the GPU, and data is not; fold.upload(data) puts it there`,
      "segments",
    );
  }
  const own = Object(value) as ArrayLike<unknown>;
  if (typeof value !== "object" || typeof own.length !== "number") {
    refuse(caller, "segments", `${name}: ${shown(value)}`, "an array");
  }
  requireMemory(caller, "segments", value, name);
  return own;
}

/** The items of the longest segment, of segments that were checked. It is at least 1. */
export const longestOf = (begins: Uint32Array, ends: Uint32Array): number =>
  ends.reduce((most, end, at) => Math.max(most, end - (begins[at] as number)), 1);

/** A bit for each flag. They take less time to copy than flags. */
function bitsOf(flags: ArrayLike<unknown>): Uint32Array {
  const words = new Uint32Array(Math.ceil(flags.length / 32));
  if (flags instanceof Uint8Array) {
    putBits(flags, words);
    return words;
  }
  for (let index = 0; index < flags.length; index++) {
    if (isTrue(flags[index])) {
      words[index >>> 5] = (words[index >>> 5] as number) | (1 << index);
    }
  }
  return words;
}

/** The same for bytes, four at a time. A branch for each, or one byte at a time, takes three times as long. */
function putBits(flags: Uint8Array, words: Uint32Array): void {
  const { buffer, byteOffset, length } = flags.byteOffset % 4 === 0 ? flags : new Uint8Array(flags);
  const fours = new Int32Array(buffer, byteOffset, length >>> 2);
  for (let word = 0; word < words.length; word++) {
    const end = Math.min(fours.length, 8 * word + 8);
    let bits = 0;
    for (let four = 8 * word; four < end; four++) {
      const bytes = fours[four] as number;
      // The highest bit of each byte that is not zero, and these four side by side in the highest bits.
      const marks = (((bytes & 0x7f7f7f7f) + 0x7f7f7f7f) | bytes) & 0x80808080;
      bits |= (Math.imul(marks >>> 7, 0x10204080) >>> 28) << (4 * four);
    }
    words[word] = bits;
  }
  for (let index = 4 * fours.length; index < length; index++) {
    words[index >>> 5] = (words[index >>> 5] as number) | (Number(flags[index] !== 0) << index);
  }
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
  return new Uint32Array(given);
}

/** Where segments with gaps begin and end, checked. */
function spansOf(
  begins: ArrayLike<number>,
  ends: ArrayLike<number>,
  length: number,
  caller: string,
): { readonly words: Uint32Array; readonly ends: Uint32Array } {
  if (begins.length !== ends.length) {
    throw new ArgumentError(
      `${caller}: there are ${begins.length} begins and ${ends.length} ends; each segment has one of both`,
      "segments",
    );
  }
  if (typeof begins[0] === "bigint" || typeof ends[0] === "bigint") {
    refuse(
      caller,
      "segments",
      "begins or ends of bigint",
      "numbers, such as Uint32Array.from(begins, Number)",
    );
  }
  let before = 0;
  for (let at = 0; at < begins.length; at++) {
    const [begin, end] = [begins[at] as number, ends[at] as number];
    const areWhole = Number.isInteger(begin) && Number.isInteger(end);
    if (!areWhole || begin < before || end < begin || end > length) {
      const behind = at === 0 ? "" : `, and segment ${at - 1} ends at ${before}`;
      throw new ArgumentError(
        `${caller}: segment ${at} begins at ${shown(begin)} and ends at ${shown(end)}${behind}; segments ascend, do not overlap, and end at the length, ${length}, or before`,
        "segments",
      );
    }
    before = end;
  }
  return { words: new Uint32Array(begins), ends: new Uint32Array(ends) };
}
