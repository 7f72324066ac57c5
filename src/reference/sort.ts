import { valuesOf } from "../algebra/array_values.ts";
import type { AnyArray, NameOf, ValueIn } from "../algebra/arrays.ts";
import { arrayLike } from "../algebra/arrays.ts";
import { bytesFor } from "../algebra/bytes.ts";
import { bitsOfFloat } from "../algebra/float_bits.ts";
import { encodeFloat16 } from "../algebra/float16.ts";
import type { CheckedSegments, SegmentsByAxis } from "../algebra/segments.ts";
import { requireSegments } from "../algebra/segments.ts";
import type { ElementType, Scalar, ScalarType } from "../algebra/types.ts";
import { refuse, shown } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import { requireOptions } from "../options.ts";
import { requireScalar } from "../plan/require_scalar.ts";
import type { KeysOrder, SortOrder } from "../plan/sort_key.ts";
import { requireBits, requireKey, requireKeys, requireWhole } from "../plan/sort_key.ts";
import type { TopK, TopKOfEach } from "../primitives/top_k.ts";
import { typeOfArray } from "./items.ts";
import { resultsOver } from "./texts.ts";

/** What is sorted: an array, or several, of which the first decides, and where its elements are equal the second, and so on. */
export type SortedData = AnyArray | readonly [AnyArray, ...(readonly AnyArray[])];

/** The array that is sorted, or the first of several. */
export type FirstArray<Data extends SortedData> = Data extends AnyArray
  ? Data
  : Data extends readonly [infer First extends AnyArray, ...(readonly AnyArray[])]
    ? First
    : never;

/** What a sort of an array, or of several, is by. With several, there is no `key`, no `keyType` and no `bits`. */
export type ReferenceSortOf<Data extends SortedData> = Omit<ReferenceSort<FirstArray<Data>>, "descending"> &
  KeysOrder;

/** What a sort is by, on the CPU. */
export interface ReferenceSort<A extends AnyArray> extends SortOrder {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<NameOf<A>>;
  /** Gives the key of an element, as a function or as WGSL over `x`, which the call itself takes. Without it, an element is its own key. */
  readonly key?: ((value: ValueIn<A>) => Scalar) | string;
  /** The type of the keys. The default is the type of the elements, or that of the part which a text names, such as `"x.depth"`. */
  readonly keyType?: ElementType;
  /** Sorts each segment on its own. */
  readonly segments?:
    | {
        /** Elements of a row. They divide the length. */
        readonly rows: number;
      }
    | SegmentsByAxis
    | {
        /** Where each segment starts, and where the last one ends: one number more than there are segments. */
        readonly offsets: ArrayLike<number>;
      }
    | {
        /** Where each segment begins. Elements between two segments stay where they are. */
        readonly begins: ArrayLike<number>;
        /** Where each segment ends. */
        readonly ends: ArrayLike<number>;
      };
}

const names = {
  type: true,
  key: true,
  keyType: true,
  descending: true,
  bits: true,
  segments: true,
} as const satisfies OptionTable<ReferenceSort<AnyArray>, "descending">;
const nthNames = {
  type: true,
  key: true,
  keyType: true,
  descending: "boolean",
  bits: true,
} as const satisfies OptionTable<Omit<ReferenceSort<AnyArray>, "segments">>;
const topKNames = {
  type: true,
  key: true,
  keyType: true,
  bits: true,
  smallest: "boolean",
  segments: true,
} as const satisfies OptionTable<ReferenceTopK<AnyArray>>;

/**
 * What gives the keys of a type's values as unsigned integers in their order: −0 before 0, and all NaNs as one, the last. They are bigints only if
 * the type has 64 bits, since numbers are far faster.
 */
const orderOf = (type: ScalarType): ((value: Scalar) => number | bigint) =>
  type.bytes === 8 ? (value) => longOrder(type, value) : (value) => shortOrder(type, Number(value));

function longOrder(type: ScalarType, value: Scalar): bigint {
  if (type.kind !== "float") {
    return BigInt(value) - BigInt(type.lowest);
  }
  const number = Number(value);
  if (Number.isNaN(number)) {
    return 2n ** 64n - 1n;
  }
  const bits = bitsOfFloat(type, number);
  const sign = 2n ** 63n;
  return bits < sign ? bits + sign : 2n ** 64n - 1n - bits;
}

const float32 = /* @__PURE__ */ new Float32Array(1);
const float32Bits = /* @__PURE__ */ new Uint32Array(float32.buffer);

function shortOrder({ kind, bytes, lowest }: ScalarType, value: number): number {
  if (kind !== "float") {
    return value - Number(lowest);
  }
  const sign = 2 ** (8 * bytes - 1);
  if (Number.isNaN(value)) {
    return 2 * sign - 1;
  }
  float32[0] = value;
  const bits = bytes === 2 ? encodeFloat16(value) : (float32Bits[0] as number);
  return bits < sign ? bits + sign : 2 * sign - 1 - bits;
}

/** What takes the bits from one on and before another out of a key. Where a number has room for them, they are a number. */
function bitsBetween(from: number, to: number): (key: number | bigint) => number | bigint {
  const mask = (1n << BigInt(to - from)) - 1n;
  const isShort = to - from <= 53;
  return (key) => {
    if (typeof key === "number") {
      return Math.floor(key / 2 ** from) % 2 ** (to - from);
    }
    const bits = (key >> BigInt(from)) & mask;
    return isShort ? Number(bits) : bits;
  };
}

/**
 * What `fold.argSort` means, on the CPU: the positions of the elements in order. Elements with equal keys keep their order.
 *
 * @throws {ArgumentError} as the call itself.
 *
 * @example
 * ```ts
 * argSortReference(Float32Array.of(3, -1, 7)); // 1 0 2
 * argSortReference(Uint32Array.of(31, 12, 22), { key: (x) => x % 10 }); // 0 1 2
 * argSortReference(Uint32Array.of(31, 12, 22), { key: "x % 10" }); // 0 1 2
 * argSortReference([Uint32Array.of(2, 1, 2), Float32Array.of(30, 40, 50)], { descending: [false, true] }); // 1 2 0
 * ```
 */
export function argSortReference<const Data extends SortedData>(
  data: Data,
  options: ReferenceSortOf<Data> = {},
): Uint32Array {
  return positionsOf("argSortReference", data, options);
}

/**
 * What `fold.sort` means, on the CPU: the elements in order, bit for bit. Elements with equal keys keep their order.
 *
 * @throws {ArgumentError} as the call itself.
 *
 * @example
 * ```ts
 * sortReference(Float32Array.of(3, -1, 7)); // -1 3 7
 * sortReference(Uint32Array.of(3, 1, 7), { descending: true }); // 7 3 1
 * ```
 */
export function sortReference<const Data extends SortedData>(
  data: Data,
  options: ReferenceSortOf<Data> = {},
): Data extends AnyArray ? Data : { -readonly [At in keyof Data]: Data[At] } {
  const caller = "sortReference";
  const positions = positionsOf(caller, data, options);
  const sorted = arraysIn(data).map((array, at) =>
    elementsAt(positions, array, typeOfArray(array, at === 0 ? options.type : undefined, caller), caller),
  );
  return (Array.isArray(data) ? sorted : sorted[0]) as never;
}

/** The only array, or all of several. */
const arraysIn = (data: SortedData): readonly AnyArray[] => (Array.isArray(data) ? data : [data as AnyArray]);

/** The elements at these positions, bit for bit. */
function elementsAt<A extends AnyArray>(
  positions: Uint32Array,
  data: A,
  type: ElementType,
  caller: string,
): A {
  const { bytes } = type;
  const from = new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  const elements = new Uint8Array(bytesFor(positions.length, type, caller));
  positions.forEach((position, at) => {
    elements.set(from.subarray(position * bytes, (position + 1) * bytes), at * bytes);
  });
  return arrayLike(data, elements.buffer) as A;
}

/** What a selection of the greatest or least elements is by, on the CPU. */
export interface ReferenceTopK<A extends AnyArray> extends Omit<ReferenceSort<A>, "descending" | "segments"> {
  /**
   * Takes elements of each segment on its own. Between offsets, each segment has `k` places: if it has fewer elements, all bits of its
   * last values are 0, and their positions are 4294967295.
   */
  readonly segments?: ReferenceSort<A>["segments"];
  /** Whether to take the least elements instead, the least of all first. */
  readonly smallest?: boolean;
}

/**
 * What `fold.topK` means, on the CPU: the greatest elements, the greatest first, and their positions. With a number for each segment, also where
 * the results of each segment start.
 *
 * @throws {ArgumentError} as the call itself.
 *
 * @example
 * ```ts
 * const { values, indices } = topKReference(Float32Array.of(3, -1, 7, 3), 3);
 * values; // 7 3 3
 * indices; // 2 0 3
 * topKReference(Float32Array.of(3, -1, 7, 3), [1, 2], { segments: { rows: 2 } }).offsets; // 0 1 3
 * ```
 */
export function topKReference<A extends AnyArray, K extends number | ArrayLike<number>>(
  data: A,
  k: K,
  options: ReferenceTopK<A> = {},
): K extends number ? TopK<A, Uint32Array> : TopKOfEach<A, Uint32Array> {
  const caller = "topKReference";
  requireOptions(caller, options, topKNames);
  const { smallest, ...others } = options;
  const isEach = typeof k === "object" && typeof Object(k).length === "number";
  const number = isEach ? 0 : requireWhole(k, 1, caller, "k");
  const sorted = positionsOf(caller, data, { ...others, descending: smallest !== true });
  const { positions, offsets } = isEach
    ? positionsOfEach(sorted, k as ArrayLike<number>, others.segments, caller)
    : { positions: firstPositions(sorted, number, others.segments, caller) };
  return {
    values: elementsAt(positions, data, typeOfArray(data, options.type, caller), caller),
    indices: positions,
    ...(offsets && { offsets }),
  } as never;
}

/**
 * What `fold.nth` means, on the CPU: the element that has `n` others before it in the order of a sort, and its position.
 *
 * @throws {ArgumentError} as the call itself.
 *
 * @example
 * ```ts
 * nthReference(Float32Array.of(3, -1, 7, 3), 2); // { value: 3, index: 3 }
 * ```
 */
export function nthReference<A extends AnyArray>(
  data: A,
  n: number,
  options: ReferenceSort<A> = {},
): {
  /** The element. */
  readonly value: ValueIn<A>;
  /** Its position in the data. */
  readonly index: number;
} {
  const caller = "nthReference";
  requireOptions(caller, options, nthNames);
  requireWhole(n, 0, caller, "n");
  const index = positionsOf(caller, data, options)[n];
  if (index === undefined) {
    refuse(caller, "n", n, `less than the number of elements, which is ${data.length}`);
  }
  return { value: valuesOf(data, typeOfArray(data, options.type, caller))(index) as ValueIn<A>, index };
}

/** The positions of elements in their order. */
function positionsOf(caller: string, data: SortedData, given: object): Uint32Array {
  requireOptions(caller, given, names);
  const options = given as ReferenceSortOf<AnyArray>;
  const { descending = false, ...others } = options;
  const arrays = arraysIn(data);
  const [first] = arrays as readonly [AnyArray];
  const keys = Array.isArray(data)
    ? keysOfEach(caller, arrays, options)
    : [{ keys: keysOf(caller, first, others), isDescending: requireFlag(descending, caller) }];
  const numbers = segmentsOf(options.segments, first.length, caller);
  const compare = (a: number, b: number): number => {
    const between = (numbers?.[a] ?? 0) - (numbers?.[b] ?? 0);
    if (between !== 0) {
      return between;
    }
    for (const { keys: own, isDescending } of keys) {
      const x = own[a] as number | bigint;
      const y = own[b] as number | bigint;
      if (x !== y) {
        return x < y === isDescending ? 1 : -1;
      }
    }
    return a - b;
  };
  return Uint32Array.from({ length: first.length }, (_, index) => index).sort(compare);
}

/** @throws {ArgumentError} for what is neither true nor false. */
function requireFlag(descending: unknown, caller: string): boolean {
  if (typeof descending !== "boolean") {
    refuse(caller, "descending", shown(descending), "true or false");
  }
  return descending;
}

/** Keys of elements, as unsigned integers in their order. */
interface OrderedKeys {
  readonly keys: readonly (number | bigint)[];
  readonly isDescending: boolean;
}

/** The keys of several arrays. @throws {ArgumentError} */
function keysOfEach(
  caller: string,
  arrays: readonly AnyArray[],
  options: ReferenceSortOf<AnyArray>,
): readonly OrderedKeys[] {
  const types = arrays.map((array, at) => typeOfArray(array, at === 0 ? options.type : undefined, caller));
  const [first] = arrays;
  const other = arrays.findIndex(({ length }) => length !== first?.length);
  if (first === undefined || other >= 0) {
    const found =
      first === undefined ? "an empty list" : `${arrays[other]?.length} elements of data[${other}]`;
    refuse(caller, "data", found, first === undefined ? "arrays" : `${first.length}, as data[0] has`);
  }
  return requireKeys(options, types, caller).map(({ type, descending }, at) => {
    const read = valuesOf(arrays[at] as AnyArray, type);
    const keyOf = orderOf(type);
    const keys = Array.from({ length: first.length }, (_, index) => keyOf(read(index) as Scalar));
    return { keys, isDescending: descending };
  });
}

/** The key of each element, or the bits of it that count, as an unsigned integer in the order of a sort. @throws {ArgumentError} */
export function keysOf<A extends AnyArray>(
  caller: string,
  data: A,
  options: Omit<ReferenceSort<A>, "descending">,
): readonly (number | bigint)[] {
  const { key, keyType } = options;
  const type = typeOfArray(data, options.type, caller);
  if (key === undefined && keyType !== undefined) {
    refuse(caller, "keyType", keyType?.name ?? shown(keyType), "a type only beside key");
  }
  if (key === undefined && type.kind === "struct") {
    refuse(caller, "key", "undefined", `a function of an element of the struct ${type.name}`);
  }
  const ofKey =
    typeof key === "string"
      ? requireKey({ key, ...(keyType && { keyType }) }, type, caller).type
      : requireScalar(keyType ?? ((key && type.wide) || type), caller, key ? "keyType" : "type");
  const [from, to] = requireBits(options.bits, { type: ofKey }, caller);
  const [keyOf, bitsOf] = [orderOf(ofKey), bitsBetween(from, to)];
  const keyed = { caller, option: "key", to: ofKey, hasIndex: false };
  const read = key === undefined ? valuesOf(data, type) : resultsOver(key, { array: data, type }, keyed);
  return Array.from({ length: data.length }, (_, index) => {
    const own = key === undefined ? (read(index) as Scalar) : ofKey.round(read(index) as never);
    return bitsOf(keyOf(own));
  });
}

/** The first positions of each segment. Without segments, all elements are one. */
function firstPositions(sorted: Uint32Array, k: number, segments: unknown, caller: string): Uint32Array {
  const { length } = sorted;
  const checked =
    segments === undefined ? { rows: Math.max(1, length) } : requireSegments(segments, length, caller);
  if ("rows" in checked) {
    return sorted.filter((_, at) => at % checked.rows < k);
  }
  const spans = spansOf(checked, length);
  return Uint32Array.from({ length: spans.length * k }, (_, place) => {
    const [begin, end] = spans[Math.floor(place / k)] as Span;
    const sortedAt = begin + (place % k);
    return sortedAt < end ? (sorted[sortedAt] as number) : 0xffffffff;
  });
}

/** Where a segment begins, and where it ends. */
type Span = readonly [begin: number, end: number];

/** The span of each segment. */
function spansOf(checked: CheckedSegments, length: number): readonly Span[] {
  if ("rows" in checked) {
    const { rows } = checked;
    return Array.from({ length: length / rows }, (_, row) => [row * rows, (row + 1) * rows]);
  }
  const { words } = checked as Extract<CheckedSegments, { readonly words: Uint32Array }>;
  const ends = checked.kind === "begins" ? checked.ends : words.subarray(1);
  return Array.from(ends, (end, segment) => [words[segment] as number, end]);
}

/** The first positions of each segment, as many as its number says, and where those of each segment start. */
function positionsOfEach(
  sorted: Uint32Array,
  k: ArrayLike<number>,
  segments: unknown,
  caller: string,
): { readonly positions: Uint32Array; readonly offsets: Uint32Array } {
  if (segments === undefined) {
    refuse(caller, "k", "an array", "a whole number, or beside segments an array with a number for each");
  }
  const spans = spansOf(requireSegments(segments, sorted.length, caller), sorted.length);
  if (k.length !== spans.length) {
    refuse(caller, "k", `${k.length} numbers for ${spans.length} segments`, "one for each");
  }
  const positions: number[] = [];
  const offsets = [0];
  for (const [segment, [begin, end]] of spans.entries()) {
    const number = requireWhole(k[segment], 0, caller, "k");
    for (const position of sorted.subarray(begin, Math.min(end, begin + number))) {
      positions.push(position);
    }
    offsets.push(positions.length);
  }
  return { positions: Uint32Array.from(positions), offsets: Uint32Array.from(offsets) };
}

/** The number of each element's segment. */
function segmentsOf(segments: unknown, length: number, caller: string): Uint32Array | undefined {
  if (segments === undefined) {
    return undefined;
  }
  const checked = requireSegments(segments, length, caller);
  if (checked.kind !== "rows" && checked.kind !== "offsets" && checked.kind !== "begins") {
    refuse(caller, "segments", `{ ${checked.kind} }`, "{ rows }, { offsets } or { begins, ends }");
  }
  const numbers = new Uint32Array(length);
  if ("rows" in checked) {
    const { rows } = checked;
    return numbers.map((_, index) => Math.floor(index / rows));
  }
  if (checked.kind === "begins") {
    // Each element in a gap has a number of its own.
    const { words: begins, ends } = checked;
    const own = numbers.map((_, index) => index);
    begins.forEach((begin, segment) => {
      own.fill(begin, begin, ends[segment]);
    });
    return own;
  }
  const { words } = checked as Extract<CheckedSegments, { readonly words: Uint32Array }>;
  words.forEach((offset, segment) => {
    numbers.fill(segment, offset, words[segment + 1] ?? length);
  });
  return numbers;
}
