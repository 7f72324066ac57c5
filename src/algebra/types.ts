import { ArgumentError } from "../errors.ts";
import type { SourceText } from "../text/source.ts";

export type { SourceText };

/** A `Float16Array`, for runtimes and TypeScript versions that have none. */
export interface Float16ArrayLike extends ArrayBufferView {
  readonly length: number;
  readonly BYTES_PER_ELEMENT: number;
  readonly [Symbol.toStringTag]: "Float16Array";
  [index: number]: number;
}

/** The scalar element types, and what holds their arrays on the CPU. */
export interface TypedArrays {
  u32: Uint32Array;
  i32: Int32Array;
  f32: Float32Array;
  /** Where the runtime has no `Float16Array`, the bits in a `Uint16Array` with `type: f16`. */
  f16: Float16ArrayLike | Uint16Array;
  u64: BigUint64Array;
  i64: BigInt64Array;
  f64: Float64Array;
}

/** The name of a scalar element type, as WGSL would have it. */
export type TypeName = keyof TypedArrays;

/** A value of a scalar type on the CPU: a `bigint` for u64 and i64. */
export type Scalar = number | bigint;

/** A value of a struct on the CPU: a plain object, field by field. */
export interface StructValue {
  readonly [field: string]: Scalar;
}

/** A value of any element type on the CPU. */
export type Value = Scalar | StructValue;

/** A value of the scalar type of that name. */
export type ScalarOf<Name extends TypeName> = Name extends "u64" | "i64" ? bigint : number;

/** What an operator does to the elements of a domain. */
export type Operation = "add" | "mul" | "min" | "max" | "and" | "or" | "xor";

/** A value in WGSL: an expression, and the statements that must stand before it. */
export interface Literal {
  readonly setup?: readonly string[];
  readonly expression: string;
}

/**
 * What comes before the first element of an exclusive scan, and what a reduction of nothing gives, where that is not the
 * identity: a sum's zero, whose identity is −0.
 */
export interface Start<V extends Value = Value> {
  readonly value: V;
  /** WGSL for the combination of it and a later element `x`. */
  readonly before: string;
}

/**
 * How a type's values are represented while an operator combines them. The four conversions are
 * WGSL expressions over `x`.
 */
export interface Domain<V extends Value = Value> {
  /** WGSL type that is combined. */
  readonly element: string;
  /** Its fields, where it is a struct. */
  readonly fields?: readonly string[];
  /** WGSL type of an item in a storage buffer, and how it is converted, where that is not the element. */
  readonly stored?: string;
  readonly fromStored?: string;
  readonly toStored?: string;
  /** From and to the type itself, as a kernel of the caller's holds it, where that is another. */
  readonly fromValue?: string;
  readonly toValue?: string;
  /** `element_from_value` and `value_from_element` then. */
  readonly conversions?: string;
  /** Bytes of an element. */
  readonly elementBytes: number;
  /** WGSL expressions over `earlier` and `later`, where WGSL's own operators do not combine the elements. */
  readonly operations?: Readonly<Partial<Record<Operation, string>>>;
  /** Whether an operation is hundreds of instructions. */
  readonly long?: boolean;
  /** Whether WGSL's subgroup scans take the element. */
  readonly subgroupScans: boolean;
  /** The element for a value. `name` starts the names of variables that it needs. */
  literal(value: V, name: string): Literal;
}

/** An element type: a scalar of the table, or a struct of the caller's. */
export interface ElementType<Name extends string = string, V extends Value = Value> {
  readonly name: Name;
  /** `unsigned` and `signed` wrap around; `float` rounds to nearest even in the reference. */
  readonly kind: "unsigned" | "signed" | "float" | "struct";
  /** Bytes of an item in a buffer. */
  readonly bytes: number;
  /** The WebGPU feature that the type needs. */
  readonly feature?: "shader-f16";
  /** WGSL type of a value in a kernel of the caller's: `vec2<u32>` (low word, high word) for 64 bits. */
  readonly value: string;
  /** WGSL type that carries the bits of an item unchanged through a copy, where it is not `value`. */
  readonly carried?: string;
  /** WGSL expression for the value of a carried item `x`, then. */
  readonly fromCarried?: string;
  /** Files whose functions the conversions call, and an operator or a predicate may call. */
  readonly files: readonly SourceText[];
  /** As written: arithmetic on the WGSL type itself. */
  readonly native: Domain<V>;
  /** The nearest value of the type: wraps integers, rounds floats. */
  round(value: V): V;
  /** What it takes in the place of one of the table's operators, where those have no meaning on it. @internal */
  readonly takes?: string;
  /** What is wrong with a value, where it is none of a struct. See {@link problemOf}. */
  problemOf?(value: unknown): string | undefined;
}

/** One row of the table of scalar element types. */
export interface ScalarType<Name extends TypeName = TypeName, V extends Scalar = Scalar>
  extends ElementType<Name, V> {
  readonly kind: "unsigned" | "signed" | "float";
  readonly zero: V;
  readonly one: V;
  /** The least and the greatest value; infinities for floats. */
  readonly lowest: V;
  readonly greatest: V;
  /** What changes nothing in a sum, where it is not `zero`: −0 where the sign of zero is kept. */
  readonly addIdentity?: V;
  /** What sums start from then. @internal */
  readonly addStart?: Start<V>;
  /** As something that compares exactly, for `min` and `max`. */
  readonly order: Domain<V>;
  /** As 0 or 1, for the logical operators, where that is not as for all integers of 32 bits. */
  readonly truth?: Domain<V>;
}

/**
 * Whether it is an element type. What makes one is what it can do: a program may hold a scalar type twice,
 * as what it names and as what was loaded for an array.
 */
export const isElementType = (type: unknown): type is ElementType =>
  typeof (type as Partial<ElementType> | null | undefined)?.round === "function";

/** Whether two are the same element type. Scalar types are what their name says. */
export const isSameType = (a: ElementType, b: ElementType): boolean =>
  a === b || (a.name === b.name && a.kind !== "struct" && b.kind !== "struct");

/** Their names, for messages. */
export const scalarTypes = "u32, i32, f32, f16, u64, i64, f64";

/** The element type itself, or the error that what `option` gives is none. */
export function requireType(type: unknown, caller: string, option = "type"): ElementType {
  if (!isElementType(type)) {
    const name = (type as ElementType | undefined)?.name;
    throw new ArgumentError(
      `${caller}: ${name ?? String(type)} is not an element type; it takes ${scalarTypes}, or struct(…)`,
      option,
    );
  }
  return type;
}
