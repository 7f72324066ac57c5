import { ArgumentError, shown } from "../errors.ts";
import type { StructArray, StructType } from "./struct.ts";
import type {
  ElementType,
  Float16ArrayLike,
  NarrowArrays,
  NarrowName,
  StructValue,
  TypedArrays,
  TypeName,
  Value,
} from "./types.ts";
import { isElementType, requireType } from "./types.ts";

/** Any array of a scalar element type. */
export type ScalarArray = TypedArrays[TypeName] | NarrowArrays[NarrowName];

/** Any array of an element type. */
export type AnyArray = ScalarArray | StructArray;

/** The name of the element type of an array type. */
export type NameOf<A> =
  A extends StructArray<infer Name>
    ? Name
    : A extends Uint32Array
      ? "u32"
      : A extends Int32Array
        ? "i32"
        : A extends Float32Array
          ? "f32"
          : A extends BigUint64Array
            ? "u64"
            : A extends BigInt64Array
              ? "i64"
              : A extends Float64Array
                ? "f64"
                : A extends Float16ArrayLike
                  ? "f16"
                  : A extends Uint16Array
                    ? "u16" | "f16"
                    : A extends Uint8Array | Uint8ClampedArray
                      ? "u8"
                      : A extends Int8Array
                        ? "i8"
                        : A extends Int16Array
                          ? "i16"
                          : never;

/** The array type of an element type, by its name and its values. If the name is not known, it may be any array. */
export type ArrayOf<Name extends string, V extends Value> = string extends Name
  ? AnyArray
  : Name extends TypeName
    ? TypedArrays[Name]
    : Name extends NarrowName
      ? NarrowArrays[Name]
      : V extends StructValue
        ? StructArray<Name, V>
        : never;

/** The array of a scan's results, if no type is named: elements of 8 and 16 bits give 32 bits. */
export type WideArray<A> = A extends Uint8Array | Uint8ClampedArray | Uint16Array
  ? Uint32Array
  : A extends Int8Array | Int16Array
    ? Int32Array
    : A;

/** The type of an element of an array type: a number, a `bigint`, or a struct's value. */
export type ValueIn<A> =
  A extends StructArray<string, infer V> ? V : A extends BigUint64Array | BigInt64Array ? bigint : number;

/** The struct type of an array of structs; undefined if `data` is none, such as an array on the GPU. */
function structTypeOf(data: unknown): StructType | undefined {
  const { type, byteLength } = Object(data) as Partial<StructArray>;
  return byteLength !== undefined && isElementType(type) ? type : undefined;
}

/**
 * The arrays that hold the scalar types, by the types' names. A type is looked up by its name later, since not every program
 * needs the 64-bit types.
 */
const arrayKinds = {
  u32: "Uint32Array",
  i32: "Int32Array",
  f32: "Float32Array",
  f16: "Float16Array",
  u64: "BigUint64Array",
  i64: "BigInt64Array",
  f64: "Float64Array",
  u8: "Uint8Array",
  i8: "Int8Array",
  u16: "Uint16Array",
  i16: "Int16Array",
} as const satisfies Record<TypeName | NarrowName, string>;

/**
 * The name of the element type of a typed array: `Uint32Array` is u32, and so on. A `Uint16Array` holds f16 bits if `type` says so.
 *
 * @throws {ArgumentError} when the array holds none of the element types, or not the one named; `option` named it.
 */
export function typeNameOfArray(
  data: unknown,
  type: ElementType | undefined,
  caller: string,
  option = "type",
): TypeName | NarrowName {
  const tag = ArrayBuffer.isView(data)
    ? (data as { [Symbol.toStringTag]?: string })[Symbol.toStringTag]
    : undefined;
  if (tag === "Uint16Array" && type?.name === "f16" && type.kind === "float") {
    return "f16";
  }
  const kind = tag === "Uint8ClampedArray" ? arrayKinds.u8 : tag;
  const own = (Object.keys(arrayKinds) as (TypeName | NarrowName)[]).find(
    (name) => arrayKinds[name] === kind,
  );
  if (own === undefined) {
    const given =
      tag ??
      (Array.isArray(data)
        ? "Array"
        : data instanceof Promise
          ? "a promise"
          : data === null
            ? "null"
            : typeof data);
    throw new ArgumentError(
      `${caller}: ${given} has no element type; ${data instanceof Promise ? "await it" : `it takes ${Object.values(arrayKinds).join(", ")}, or a struct's array`}`,
      "data",
    );
  }
  if (type !== undefined && type.name !== own) {
    throw new ArgumentError(
      `${caller}: ${tag} holds ${own}, but type says ${type?.name ?? shown(type)}`,
      option,
    );
  }
  return own;
}

/**
 * The struct type of an array of structs; undefined if it is a typed array. A type that is given, by `option`, is
 * checked against the array.
 */
export function structOfArray(
  data: unknown,
  type: ElementType | undefined,
  caller: string,
  option = "type",
): ElementType | undefined {
  const own = structTypeOf(data);
  if (type !== undefined) {
    requireType(type, caller, option);
    if (own === undefined) {
      typeNameOfArray(data, type, caller, option);
    } else if (own !== type) {
      throw new ArgumentError(`${caller}: the array holds ${own.name}, but type says ${type.name}`, option);
    }
  }
  return own;
}

export const isStructArray = (data: unknown): data is StructArray => structTypeOf(data) !== undefined;

/** Whether what a caller gives is an array on the GPU. The array may come from another copy of the package. */
export const isOnGpu = (data: unknown): boolean =>
  (Object(data) as { readonly isOnGpu?: unknown }).isOnGpu !== undefined;

/**
 * Whether the memory of an array is gone: it was transferred, or became so short that the array lies outside of it. A typed array then
 * says that it is empty. `keys` fails for such an array, and not for one that is empty.
 */
export function isGone(data: unknown): boolean {
  try {
    if (isStructArray(data)) {
      new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    } else if (ArrayBuffer.isView(data) && data.byteLength === 0) {
      (data as Partial<Uint32Array>).keys?.();
    }
    return false;
  } catch {
    return true;
  }
}

/** The error for an array whose memory is gone. `name` is what messages call it. */
export const goneError = (caller: string, option: string, name = option): ArgumentError =>
  new ArgumentError(
    `${caller}: ${name} was transferred or became shorter before it was read; it takes an array that still has its memory`,
    option,
  );

/** @throws {ArgumentError} for an array whose memory is gone. */
export function requireMemory(caller: string, option: string, data: unknown, name?: string): void {
  if (isGone(data)) {
    throw goneError(caller, option, name);
  }
}

/** A buffer, and the part of it that an array covers: its first byte, and its number of elements. */
export type Bytes = readonly [bytes: ArrayBuffer, byteOffset?: number, length?: number];

/** An array of the kind of `data` over other bytes. */
export function arrayLike<A extends AnyArray>(data: A, ...range: Bytes): A {
  return isStructArray(data)
    ? (data.type.over(...range) as StructArray as A)
    : new (data.constructor as new (...range: Bytes) => A)(...range);
}

/**
 * The type that options name for an array's elements. If there is a map, `type` is the type of its results. Then `type` counts here only
 * if it says that a `Uint16Array` holds bits of f16.
 */
export function namedType(
  data: unknown,
  { from, type, map }: { readonly from?: ElementType; readonly type?: ElementType; readonly map?: unknown },
): ElementType | undefined {
  const isOwn = map === undefined || (type?.name === "f16" && data instanceof Uint16Array);
  return from ?? (isOwn ? type : undefined);
}

/** An array of a type over bytes. If the runtime has no `Float16Array`, an array of f16 holds bits. */
export function arrayOver(type: ElementType, ...range: Bytes): AnyArray {
  if (type.kind === "struct") {
    return (type as StructType).over(...range);
  }
  const { [arrayKinds[type.name as TypeName | NarrowName]]: TypedArray = Uint16Array } = globalThis as {
    readonly [Kind in (typeof arrayKinds)[TypeName | NarrowName]]?: new (
      ...range: Bytes
    ) => ScalarArray;
  };
  return new TypedArray(...range);
}
