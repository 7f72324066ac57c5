import { valuesOf } from "../algebra/array_values.ts";
import type { AnyArray, NameOf, ValueIn } from "../algebra/arrays.ts";
import { arrayLike } from "../algebra/arrays.ts";
import { bytesFor } from "../algebra/bytes.ts";
import { encodeFloat16 } from "../algebra/float16.ts";
import type { ElementType, Scalar, ScalarType } from "../algebra/types.ts";
import { describe } from "../algebra/value_problem.ts";
import { refuse } from "../errors.ts";
import { requireOptions } from "../options.ts";
import { requireScalar } from "../plan/scalar.ts";
import type { SortOrder } from "../plan/sort_key.ts";
import { requireBits } from "../plan/sort_key.ts";
import { typeOfArray } from "./items.ts";

/** What a sort is by, on the CPU. */
export interface ReferenceSort<A extends AnyArray> extends SortOrder {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<NameOf<A>>;
  /** Gives the key of an element. Without it, an element is its own key. */
  readonly key?: (value: ValueIn<A>) => Scalar;
  /** The type of the keys. The default is the type of the elements. */
  readonly keyType?: ElementType;
}

const names = { type: true, key: true, keyType: true, descending: true, bits: true } as const;

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
  const view = new DataView(new ArrayBuffer(8));
  if (type.bytes === 2) {
    view.setUint16(6, encodeFloat16(number));
  } else if (type.bytes === 4) {
    view.setFloat32(4, number);
  } else {
    view.setFloat64(0, number);
  }
  const bits = view.getBigUint64(0);
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
  const type = typeOfArray(data, options.type, caller);
  const { bytes } = type;
  const from = new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  const sorted = new Uint8Array(bytesFor(data.length, type, caller));
  positions.forEach((position, at) => {
    sorted.set(from.subarray(position * bytes, (position + 1) * bytes), at * bytes);
  });
  return arrayLike(data, sorted.buffer) as A;
}

function positionsOf<A extends AnyArray>(caller: string, data: A, options: ReferenceSort<A>): Uint32Array {
  requireOptions(caller, options, names);
  const { key, descending, keyType } = options;
  const type = typeOfArray(data, options.type, caller);
  if (descending !== undefined && typeof descending !== "boolean") {
    refuse(caller, "descending", describe(descending), "true or false");
  }
  if (key === undefined && keyType !== undefined) {
    refuse(caller, "keyType", keyType.name ?? String(keyType), "a type only beside key");
  }
  if (key !== undefined && typeof key !== "function") {
    refuse(caller, "key", describe(key), "a function of an element");
  }
  if (key === undefined && type.kind === "struct") {
    refuse(caller, "key", "undefined", `a function of an element of the struct ${type.name}`);
  }
  const ofKey = requireScalar(keyType ?? type, caller, key ? "keyType" : "type");
  const [from, to] = requireBits(options.bits, { type: ofKey }, caller);
  const mask = (1n << BigInt(to - from)) - 1n;
  const read = valuesOf(data, type);
  const keys = Array.from({ length: data.length }, (_, index) => {
    const value = read(index) as ValueIn<A>;
    const own = key === undefined ? (value as Scalar) : ofKey.round(key(value) as never);
    return (orderOf(ofKey, own) >> BigInt(from)) & mask;
  });
  const sign = descending ? -1 : 1;
  const compare = (a: number, b: number): number => {
    const [x, y] = [keys[a] as bigint, keys[b] as bigint];
    return x === y ? a - b : sign * (x < y ? -1 : 1);
  };
  return Uint32Array.from(keys, (_, index) => index).sort(compare);
}
