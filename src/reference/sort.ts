import { valuesOf } from "../algebra/array_values.ts";
import type { AnyArray, NameOf, ValueIn } from "../algebra/arrays.ts";
import { arrayLike } from "../algebra/arrays.ts";
import { bytesFor } from "../algebra/bytes.ts";
import { bitsOfFloat } from "../algebra/float_bits.ts";
import type { CheckedSegments } from "../algebra/segments.ts";
import { requireSegments } from "../algebra/segments.ts";
import type { ElementType, Scalar, ScalarType } from "../algebra/types.ts";
import { refuse, shown } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import { requireOptions } from "../options.ts";
import { requireScalar } from "../plan/require_scalar.ts";
import type { SortOrder } from "../plan/sort_key.ts";
import { requireBits, requireKey, requireWhole } from "../plan/sort_key.ts";
import { typeOfArray } from "./items.ts";
import { resultsOver } from "./texts.ts";

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
    | {
        /** Where each segment starts, and where the last one ends: one number more than there are segments. */
        readonly offsets: ArrayLike<number>;
      };
}

const names = {
  type: true,
  key: true,
  keyType: true,
  descending: "boolean",
  bits: true,
  segments: true,
} as const satisfies OptionTable<ReferenceSort<AnyArray>>;
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

/** The key of a value as an unsigned integer in the order of a type's values: −0 before 0, and all NaNs as one, the last. */
function orderOf(type: ScalarType, value: Scalar): bigint {
  if (type.kind !== "float") {
    return BigInt(value) - BigInt(type.lowest);
  }
  const number = Number(value);
  const width = BigInt(type.bytes * 8);
  const all = (1n << width) - 1n;
  if (Number.isNaN(number)) {
    return all;
  }
  const bits = bitsOfFloat(type, number);
  const sign = 1n << (width - 1n);
  return bits >= sign ? bits ^ all : bits ^ sign;
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
 * ```
 */
export function argSortReference<A extends AnyArray>(data: A, options: ReferenceSort<A> = {}): Uint32Array {
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
export function sortReference<A extends AnyArray>(data: A, options: ReferenceSort<A> = {}): A {
  const caller = "sortReference";
  const positions = positionsOf(caller, data, options);
  return elementsAt(positions, data, typeOfArray(data, options.type, caller), caller);
}

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
  /** Takes elements of each row on its own. */
  readonly segments?: {
    /** Elements of a row. They divide the length. */
    readonly rows: number;
  };
  /** Whether to take the least elements instead, the least of all first. */
  readonly smallest?: boolean;
}

/**
 * What `fold.topK` means, on the CPU: the greatest elements, the greatest first, and their positions.
 *
 * @throws {ArgumentError} as the call itself.
 *
 * @example
 * ```ts
 * const { values, indices } = topKReference(Float32Array.of(3, -1, 7, 3), 3);
 * values; // 7 3 3
 * indices; // 2 0 3
 * ```
 */
export function topKReference<A extends AnyArray>(
  data: A,
  k: number,
  options: ReferenceTopK<A> = {},
): {
  /** The elements, the first one first. */
  readonly values: A;
  /** The position of each in the data. */
  readonly indices: Uint32Array;
} {
  const caller = "topKReference";
  requireOptions(caller, options, topKNames);
  const { smallest, ...others } = options;
  requireWhole(k, 1, caller, "k");
  const positions = positionsOf(caller, data, { ...others, descending: smallest !== true });
  const { rows } = requireTopKRows(others.segments, data.length, caller);
  const indices = positions.filter((_, at) => at % rows < k);
  return {
    values: elementsAt(indices, data, typeOfArray(data, options.type, caller), caller),
    indices,
  };
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

function positionsOf<A extends AnyArray>(caller: string, data: A, options: ReferenceSort<A>): Uint32Array {
  requireOptions(caller, options, names);
  const { key, descending, keyType } = options;
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
      : requireScalar(keyType ?? type, caller, key ? "keyType" : "type");
  const [from, to] = requireBits(options.bits, { type: ofKey }, caller);
  const mask = (1n << BigInt(to - from)) - 1n;
  const keyed = { caller, option: "key", to: ofKey, hasIndex: false };
  const read = key === undefined ? valuesOf(data, type) : resultsOver(key, { array: data, type }, keyed);
  const keys = Array.from({ length: data.length }, (_, index) => {
    const own = key === undefined ? (read(index) as Scalar) : ofKey.round(read(index) as never);
    return (orderOf(ofKey, own) >> BigInt(from)) & mask;
  });
  const sign = descending ? -1 : 1;
  const numbers = segmentsOf(options.segments, data.length, caller);
  const compare = (a: number, b: number): number => {
    const between = (numbers?.[a] ?? 0) - (numbers?.[b] ?? 0);
    if (between !== 0) {
      return between;
    }
    const [x, y] = [keys[a] as bigint, keys[b] as bigint];
    return x === y ? a - b : sign * (x < y ? -1 : 1);
  };
  return Uint32Array.from(keys, (_, index) => index).sort(compare);
}

/** The elements of a row, of which a selection takes the first. Without rows, all elements are one. */
function requireTopKRows(segments: unknown, length: number, caller: string): { readonly rows: number } {
  if (segments === undefined) {
    return { rows: Math.max(1, length) };
  }
  const checked = requireSegments(segments, length, caller);
  if (checked.kind !== "rows") {
    refuse(caller, "segments", `{ ${checked.kind} }`, "{ rows }");
  }
  return checked;
}

/** The number of each element's segment. */
function segmentsOf(segments: unknown, length: number, caller: string): Uint32Array | undefined {
  if (segments === undefined) {
    return undefined;
  }
  const checked = requireSegments(segments, length, caller);
  if (checked.kind !== "rows" && checked.kind !== "offsets") {
    refuse(caller, "segments", `{ ${checked.kind} }`, "{ rows } or { offsets }");
  }
  const numbers = new Uint32Array(length);
  if ("rows" in checked) {
    const { rows } = checked;
    return numbers.map((_, index) => Math.floor(index / rows));
  }
  const { words } = checked as Extract<CheckedSegments, { readonly words: Uint32Array }>;
  words.forEach((offset, segment) => {
    numbers.fill(segment, offset, words[segment + 1] ?? length);
  });
  return numbers;
}
