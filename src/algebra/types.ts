import { ArgumentError, shown } from "../errors.ts";
import type { CallersNumbers } from "../text/callers.ts";
import type { SourceText } from "../text/source.ts";

export type { SourceText };

/** A `Float16Array`, for runtimes and TypeScript versions that have none. */
export interface Float16ArrayLike extends ArrayBufferView {
  /** The number of elements. */
  readonly length: number;
  /** 2. */
  readonly BYTES_PER_ELEMENT: number;
  /** It tells this array from others. */
  readonly [Symbol.toStringTag]: "Float16Array";
  [index: number]: number;
}

/** The scalar element types, and what holds their arrays on the CPU. */
export interface TypedArrays {
  /** Whole numbers from 0 to 2^32 − 1. */
  u32: Uint32Array;
  /** Whole numbers from −2^31 to 2^31 − 1. */
  i32: Int32Array;
  /** IEEE-754 binary32. */
  f32: Float32Array;
  /** If the runtime has no `Float16Array`, a `Uint16Array` holds the bits, with `type: f16`. */
  f16: Float16ArrayLike | Uint16Array;
  /** Whole numbers from 0 to 2^64 − 1. */
  u64: BigUint64Array;
  /** Whole numbers from −2^63 to 2^63 − 1. */
  i64: BigInt64Array;
  /** IEEE-754 binary64. */
  f64: Float64Array;
}

/** The types whose items are narrower than a word, and what holds their arrays on the CPU. */
export interface NarrowArrays {
  /** Whole numbers from 0 to 255. */
  u8: Uint8Array | Uint8ClampedArray;
  /** Whole numbers from −128 to 127. */
  i8: Int8Array;
  /** Whole numbers from 0 to 65,535. With `type: f16`, a `Uint16Array` holds bits of f16 instead. */
  u16: Uint16Array;
  /** Whole numbers from −32,768 to 32,767. */
  i16: Int16Array;
}

/** The name of a type whose items are narrower than a word. */
export type NarrowName = keyof NarrowArrays;

/**
 * The names of the types of 32 bits that values of narrow types have in WGSL. All other names stay. Elements of a `Uint16Array` are u16 or
 * f16, and count as u16.
 */
export type WideName<Name extends string, All = Name> = Name extends "u8" | "u16"
  ? "u32"
  : Name extends "i8" | "i16"
    ? "i32"
    : Name extends ([All, "u16" | "f16"] extends ["u16" | "f16", All] ? "f16" : never)
      ? never
      : Name;

/** The name of a scalar element type, as WGSL would have it. */
export type TypeName = keyof TypedArrays;

/** A value of a scalar type on the CPU: a `bigint` for u64 and i64. */
export type Scalar = number | bigint;

/** A value of a struct on the CPU: a plain object, field by field. */
export interface StructValue {
  readonly [field: string]: FieldValue;
}

/**
 * A value of a struct's field on the CPU. That of a vector or an array is an array. The empty one makes TypeScript take what a
 * function returns, such as `[1, 2, 3]`, for a tuple.
 */
export type FieldValue = Scalar | StructValue | readonly FieldValue[] | readonly [];

/** A value of any element type on the CPU. */
export type Value = Scalar | StructValue;

/** A value of the scalar type of that name. */
export type ScalarOf<Name extends TypeName | NarrowName> = Name extends "u64" | "i64" ? bigint : number;

/** What an operator does to the elements of a domain. */
export type Operation = "add" | "mul" | "min" | "max" | "and" | "or" | "xor";

/** A value in WGSL: an expression, and the statements that must stand before it in a function, each with a line's end. */
export type Literal = readonly [expression: string, setup?: string];

/**
 * The value that comes before the first element of an exclusive scan, and that a reduction of no elements gives, if it is
 * not the identity. A sum of f64 has one: the identity is −0, and sums start from 0.
 */
export interface Start<V extends Value = Value> {
  readonly value: V;
  /** WGSL for the combination of this value and a later element `x`. */
  readonly before: string;
  /** The same as the function `value_from_exclusive` of in-kernel functions. */
  readonly inKernel: string;
}

/**
 * How a type's values are represented while an operator combines them. The four conversions are
 * WGSL expressions over `x`.
 */
export interface Domain<V extends Value = Value> {
  /** WGSL type that is combined. */
  readonly element: string;
  /** Its fields, if it is a struct. */
  readonly fields?: readonly string[];
  /** Expressions that move fields between lanes, by the fields' names, if built-ins of WGSL do not take these fields. */
  readonly shuffles?: Readonly<Record<string, NonNullable<Domain["shuffle"]>>>;
  /**
   * WGSL type of an item in a storage buffer, and its conversions from and to the element, if it is not the element itself.
   */
  readonly stored?: string;
  readonly fromStored?: string;
  readonly toStored?: string;
  /** The conversion from a stored initial value to the element, if it is not that of items. */
  readonly fromInitial?: string;
  /** The conversions from and to a value as a caller's kernel holds it, if that is not the element itself. */
  readonly fromValue?: string;
  readonly toValue?: string;
  /** The functions `element_from_value` and `value_from_element` with these conversions. */
  readonly conversions?: string;
  /** Bytes of an element. */
  readonly elementBytes: number;
  /** The bytes at whose multiples WGSL puts an element, if these are not all of its bytes. */
  readonly align?: number;
  /** WGSL expressions over `earlier` and `later`, if WGSL's own operators do not combine the elements. */
  readonly operations?: Readonly<Partial<Record<Operation, string>>>;
  /** Whether an operation is hundreds of instructions. */
  readonly long?: boolean;
  /** The algorithm and the sizes of a primitive on a GPU, if tuning rows for elements of this size do not fit. */
  row?(primitive: string): {
    readonly elementBytes: number;
    readonly algorithm: "blelloch";
    readonly workGroupSize: number;
    readonly items: number;
  };
  /**
   * An expression that moves an element between lanes by a built-in of WGSL, if that takes neither the element nor its
   * fields.
   */
  shuffle?(builtin: string, element: string, place: string): string;
  /** The element for a value. `name` starts the names of variables that it needs. */
  literal(value: V, name: string): Literal;
}

/** The files that read and write ranges that lie in some way, and whether they do so as vectors. */
export interface RangeFiles {
  readonly files: readonly SourceText[];
  /** The files that read the input, for a kernel that writes to another buffer. */
  readonly input: readonly SourceText[];
  readonly wide: boolean;
}

/** An element type: a scalar of the table, or a struct of the caller's. */
export interface ElementType<Name extends string = string, V extends Value = Value> {
  /** Its name, as WGSL or the caller has it. */
  readonly name: Name;
  /** `unsigned` and `signed` wrap around; `float` rounds to nearest even in the reference. */
  readonly kind: "unsigned" | "signed" | "float" | "struct";
  /** Bytes of an item in a buffer. */
  readonly bytes: number;
  /** The type of 32 bits that its values have in WGSL, if its items are narrower than a word: those of u8 are u32. */
  readonly wide?: ElementType<"u32" | "i32", number>;
  /** In plans that have items narrower than a word in words, the type of these items. @internal */
  readonly narrow?: ElementType;
  /** In such plans, the files of kernels that read these items from the words that they share, by how ranges lie. @internal */
  readonly packed?: Readonly<Record<string, RangeFiles>>;
  /** The WebGPU feature that the type needs. */
  readonly feature?: "shader-f16";
  /** WGSL type of a value in a caller's kernel: `vec2<u32>` (low word, high word) for 64 bits. */
  readonly value: string;
  /** WGSL type that carries the bits of an item unchanged through a copy, if it is not `value`. */
  readonly carried?: string;
  /** WGSL expression for the value of a carried item `x`, if there is `carried`. */
  readonly fromCarried?: string;
  /** Files whose functions the conversions call, and an operator or a condition may call. */
  readonly files: readonly SourceText[];
  /** What lets a caller's text take 64-bit values as numbers, if the type has any. @internal */
  readonly numbers?: CallersNumbers;
  /** The domain of arithmetic on the WGSL type itself. */
  readonly native: Domain<V>;
  /** The nearest value of the type: wraps integers, rounds floats. */
  round(value: V): V;
  /** The operators to take instead, if those of the table have no meaning on the type. For messages. @internal */
  readonly takes?: string;
  /** What is wrong with a value that is not one of the struct; undefined if nothing is. `ofScalar` checks its scalars. See {@link problemOf}. */
  problemOf?(
    value: unknown,
    ofScalar?: (type: ScalarType, value: unknown) => string | undefined,
  ): string | undefined;
}

/**
 * A value of a type, by the type's own: `ElementOf<typeof Particle>` is an object of its fields, `ElementOf<typeof f32>` a number, and
 * `ElementOf<typeof u64>` a `bigint`.
 */
export type ElementOf<Type> = Type extends ElementType<string, infer V> ? V : never;

/** A WGSL type that in-kernel functions alone take. `wgslType` of `wavefold/wgsl` makes it. */
export interface WgslType<Name extends string = string> extends ElementType<Name, never> {
  /** As a struct's. */
  readonly kind: "struct";
}

/** One row of the table of scalar element types. */
export interface ScalarType<Name extends TypeName = TypeName, V extends Scalar = Scalar>
  extends ElementType<Name, V> {
  /** `unsigned` and `signed` wrap around; `float` rounds to nearest even in the reference. */
  readonly kind: "unsigned" | "signed" | "float";
  /** 0, as its arrays hold it. */
  readonly zero: V;
  /** 1, as its arrays hold it. */
  readonly one: V;
  /** The least and the greatest value; infinities for floats. */
  readonly lowest: V;
  /** The greatest value. */
  readonly greatest: V;
  /** The identity of sums, if it is not `zero`: −0 for types that keep the sign of zero. */
  readonly addIdentity?: V;
  /** The value that sums start from, if there is `addIdentity`. @internal */
  readonly addStart?: Start<V>;
  /** The domain for `min` and `max`, whose elements compare exactly, if it is not `native`. */
  readonly order?: Domain<V>;
  /** The same for `minimum`, if NaN is a value of the type: NaN comes before all numbers. */
  readonly nanFirst?: Domain<V>;
  /** The same for `maximum`: NaN comes after all numbers. */
  readonly nanLast?: Domain<V>;
}

/**
 * Whether it is an element type. This is decided by what it can do, not by which object it is: a program may hold a scalar
 * type twice, once as its own import and once as loaded for an array.
 */
export const isElementType = (type: unknown): type is ElementType =>
  typeof (type as Partial<ElementType> | null | undefined)?.round === "function";

/** How deep options hold types: in a list or an object, or in a list of names and types. */
export const TYPES_DEPTH = 3;

/** Whether options name a type of 8 or 16 bits. */
export const namesNarrow = (options: unknown, depth = TYPES_DEPTH): boolean =>
  isElementType(options)
    ? options.wide !== undefined
    : depth > 0 &&
      typeof options === "object" &&
      Object.values(options ?? {}).some((value) => namesNarrow(value, depth - 1));

/** Whether two are the same element type. Scalar types are the same if their names are. */
export const isSameType = (a: ElementType, b: ElementType): boolean =>
  a === b || (a.name === b.name && a.kind !== "struct" && b.kind !== "struct");

/** Returns the type. @throws {ArgumentError} if it is neither an element type nor a `wgslType`. */
export const requireValueType = (type: unknown, caller: string): ElementType =>
  (type as ElementType | null | undefined)?.native?.shuffle
    ? (type as ElementType)
    : requireType(type, caller);

/** The names of the scalar types, for messages. */
export const scalarTypes = "u32, i32, f32, f16, u64, i64, f64";

/** Returns the type. @throws {ArgumentError} if it is no element type; `option` gave it. */
export function requireType(type: unknown, caller: string, option = "type"): ElementType {
  if (!isElementType(type)) {
    const name = (type as ElementType | undefined)?.name;
    throw new ArgumentError(
      `${caller}: ${name ?? shown(type)} is not an element type; it takes ${scalarTypes}, or struct(…)`,
      option,
    );
  }
  return type;
}
