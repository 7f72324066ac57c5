import { ArgumentError, shown } from "../errors.ts";
import { requireCount } from "../options.ts";
import type { SourceText } from "../text/source.ts";
import { describe, problemOf } from "./check_value.ts";
import { decodeFloat16, encodeFloat16 } from "./float16.ts";
import type { ElementType, Literal, Scalar, ScalarOf, ScalarType, StructValue, TypeName } from "./types.ts";
import { isElementType } from "./types.ts";

// The types of a struct's fields: scalars; and vectors, arrays and structs, which have parts. What is done with a value is
// done part by part, here, down to scalars.

/** A part of a vector, an array or a struct: one of its numbers, an entry, or a field. */
export interface Part {
  /** Its key in a value on the CPU. Of a field it is the name, and of others the place. */
  readonly key: string | number;
  readonly type: FieldType;
  /** Bytes from the start of the whole. */
  readonly offset: number;
}

/** How a type of several parts lies in a buffer, and how WGSL of ours names it. */
export interface Layout {
  /** Its offset in a buffer is a multiple of this, in bytes. */
  readonly align: number;
  /** The type in WGSL, where the names of structs have the mark. */
  readonly wgsl: string;
  readonly parts: readonly Part[];
}

/** The scalar types that WGSL has vectors of. */
export type VectorScalarName = "f32" | "f16" | "i32" | "u32";

/** What vectors and arrays have in common. */
interface Several {
  /** Its name in WGSL, such as `vec3<f32>` or `array<f32, 4>`. */
  readonly name: string;
  /** The bytes that it takes: 12 for a vector of three f32. */
  readonly bytes: number;
  /** @internal */
  readonly layout: Layout;
}

/** A vector of WGSL as the type of a struct's field. {@link vec2}, {@link vec3} and {@link vec4} make one. */
export interface VectorType<
  Name extends VectorScalarName = VectorScalarName,
  Count extends 2 | 3 | 4 = 2 | 3 | 4,
> extends Several {
  /** It tells vectors from other types. */
  readonly kind: "vector";
  /** The type of its numbers. */
  readonly element: ScalarType<Name, number>;
  /** How many numbers it has. */
  readonly count: Count;
}

/** An array of a fixed length as the type of a struct's field. {@link fixedArray} makes one. */
export interface FixedArrayType<Element extends FieldType = FieldType> extends Several {
  /** It tells arrays from other types. */
  readonly kind: "array";
  /** The type of its entries. */
  readonly element: Element;
  /** How many entries it has. */
  readonly count: number;
  /** Bytes from the start of one entry to that of the next. */
  readonly stride: number;
}

/** A struct as the type of a field of another struct. */
export interface NestedType<Name extends string = string, V extends StructValue = StructValue>
  extends ElementType<Name, V> {
  /** It tells structs from other types. */
  readonly kind: "struct";
  /** @internal */
  readonly layout: Layout;
}

/** What is known of a struct's type while it is made. */
type Laid = Pick<NestedType, "layout">;

/** A type that a field of a struct may have: a scalar, a vector, an array of a fixed length, or a struct. */
export type FieldType = ScalarType | VectorType | FixedArrayType | NestedType;

/** A value of a field of that type: a number or a `bigint`, as many numbers as a vector has, an array, or an object. */
export type FieldValueOf<Type> = Type extends { readonly kind: "vector"; readonly count: infer Count }
  ? VectorValue<Count>
  : Type extends { readonly kind: "array"; readonly element: infer Element }
    ? readonly FieldValueOf<Element>[]
    : Type extends NestedType<string, infer V>
      ? V
      : Type extends { readonly name: infer Name extends TypeName }
        ? ScalarOf<Name>
        : never;

/** The numbers of a vector, in order. */
export type VectorValue<Count> =
  | (Count extends 2 ? readonly [x: number, y: number] : never)
  | (Count extends 3 ? readonly [x: number, y: number, z: number] : never)
  | (Count extends 4 ? readonly [x: number, y: number, z: number, w: number] : never);

const layoutOf = (type: FieldType | Laid): Layout | undefined => ("layout" in type ? type.layout : undefined);

/** Bytes at whose multiples WGSL puts a value. Of a scalar these are its own. */
export const alignOf = (type: FieldType): number => layoutOf(type)?.align ?? type.bytes;

/** The type in WGSL of ours. */
export const wgslOf = (type: FieldType): string => ("layout" in type ? type.layout.wgsl : type.value);

export const roundUp = (bytes: number, to: number): number => Math.ceil(bytes / to) * to;

/** How WGSL names a part, behind the whole. A vector's number is named by its place, as an array's entry is. */
const accessOf = (key: string | number): string => (typeof key === "number" ? `[${key}]` : `.${key}`);

/** One of the scalars that a type is made of. */
export interface Leaf {
  readonly type: ScalarType;
  /** Bytes from the start of the whole. */
  readonly offset: number;
  /** How WGSL names it, behind the whole. */
  readonly access: string;
  /** The keys that lead to it. */
  readonly keys: readonly (string | number)[];
}

/** What one function makes of each scalar of a type, put together by another one for each type of several parts. */
function built<T>(
  type: FieldType | Laid,
  scalar: (leaf: Leaf) => T,
  whole: (layout: Layout, parts: readonly T[]) => T,
  { offset, access, keys }: Omit<Leaf, "type"> = { offset: 0, access: "", keys: [] },
): T {
  const layout = layoutOf(type);
  return layout === undefined
    ? scalar({ type: type as ScalarType, offset, access, keys })
    : whole(
        layout,
        layout.parts.map(({ key, type: part, offset: at }) =>
          built(part, scalar, whole, {
            offset: offset + at,
            access: access + accessOf(key),
            keys: [...keys, key],
          }),
        ),
      );
}

/** The scalars that a type is made of, in order. */
export const leavesOf = (type: FieldType | Laid): readonly Leaf[] =>
  built<readonly Leaf[]>(
    type,
    (leaf) => [leaf],
    (_, parts) => parts.flat(),
  );

/** WGSL for a value, from an expression for each of its scalars. */
export const constructed = (type: FieldType | Laid, scalar: (leaf: Leaf) => string): string =>
  built(type, scalar, ({ wgsl }, parts) => `${wgsl}(${parts.join(", ")})`);

/** The scalar of a value that keys lead to. */
export const scalarAt = (value: unknown, keys: readonly (string | number)[]): Scalar =>
  keys.reduce(partOf, value) as Scalar;

/** A value in WGSL of ours. `name` starts the names of variables, which are the fields' for the scalars of the struct itself. */
export function literalOf(type: FieldType, value: unknown, name: string): Literal {
  let setup = "";
  const expression = constructed(type, ({ type: one, keys, offset }) => {
    const [own, before = ""] = one.native.literal(
      scalarAt(value, keys),
      keys.length === 1 ? `${name}_${keys[0]}` : `${name}${offset}`,
    );
    setup += before;
    return own;
  });
  return [expression, setup];
}

/** WGSL that moves a value between lanes. WGSL's built-ins take scalars and vectors. */
export const movedText = (type: FieldType, builtin: string, of: string, place: string): string => {
  const layout = isWhole(type) ? undefined : layoutOf(type);
  return layout === undefined
    ? `${builtin}(${of}, ${place})`
    : `${layout.wgsl}(${layout.parts.map(({ key, type: part }) => movedText(part, builtin, of + accessOf(key), place)).join(", ")})`;
};

/** Whether WGSL's built-ins move a value between lanes. */
export const isWhole = ({ kind }: FieldType): boolean => kind !== "array" && kind !== "struct";

/** The value of the type that is nearest to a value of the same form. @throws {ArgumentError} for a value of another form. */
export function rounded(type: FieldType, value: unknown, path = ""): unknown {
  const layout = layoutOf(type);
  if (layout === undefined) {
    return (type as ScalarType).round(value as never);
  }
  const problem = path === "" ? undefined : formProblem(type, layout, value);
  if (problem !== undefined) {
    throw new ArgumentError(`${path}: ${problem}`, "value");
  }
  return gathered(layout, ({ key, type: part }) => rounded(part, partOf(value, key), pathTo(path, key)));
}

/** A value out of bytes. */
export function readValue(type: FieldType, view: DataView, at: number): unknown {
  const layout = layoutOf(type);
  return layout === undefined
    ? accessors[type.name as TypeName].get(view, at)
    : gathered(layout, ({ type: part, offset }) => readValue(part, view, at + offset));
}

/** A value from those of its parts: an object of a struct's fields, or an array. */
function gathered({ parts }: Layout, partValue: (part: Part) => unknown): unknown {
  if (typeof parts[0]?.key === "number") {
    return parts.map(partValue);
  }
  const value: Record<string, unknown> = {};
  for (const part of parts) {
    value[part.key] = partValue(part);
  }
  return value;
}

/** Writes a value of the type into bytes. */
export function writeValue(type: FieldType, view: DataView, at: number, value: unknown): void {
  const layout = layoutOf(type);
  if (layout === undefined) {
    accessors[type.name as TypeName].set(view, at, value as never);
    return;
  }
  for (const { key, type: part, offset } of layout.parts) {
    writeValue(part, view, at + offset, partOf(value, key));
  }
}

interface Accessor<V> {
  get(view: DataView, offset: number): V;
  set(view: DataView, offset: number, value: V): void;
}

/** Little-endian, as GPUs are. */
const accessors = {
  u32: { get: (view, at) => view.getUint32(at, true), set: (view, at, x) => view.setUint32(at, x, true) },
  i32: { get: (view, at) => view.getInt32(at, true), set: (view, at, x) => view.setInt32(at, x, true) },
  f32: { get: (view, at) => view.getFloat32(at, true), set: (view, at, x) => view.setFloat32(at, x, true) },
  f16: {
    get: (view, at) => decodeFloat16(view.getUint16(at, true)),
    set: (view, at, x) => view.setUint16(at, encodeFloat16(x), true),
  },
  u64: {
    get: (view, at) => view.getBigUint64(at, true),
    set: (view, at, x) => view.setBigUint64(at, x, true),
  },
  i64: { get: (view, at) => view.getBigInt64(at, true), set: (view, at, x) => view.setBigInt64(at, x, true) },
  f64: { get: (view, at) => view.getFloat64(at, true), set: (view, at, x) => view.setFloat64(at, x, true) },
} as const satisfies { [Name in TypeName]: Accessor<ScalarOf<Name>> };

/** What is wrong with a value that is not one of a type, with the path to it; undefined if nothing is. `ofScalar` checks its scalars. */
export function problemAt(
  type: FieldType,
  value: unknown,
  path = "",
  ofScalar: (type: ScalarType, value: unknown) => string | undefined = problemOf,
): string | undefined {
  const layout = layoutOf(type);
  const own = layout === undefined ? ofScalar(type as ScalarType, value) : formProblem(type, layout, value);
  if (own !== undefined) {
    return path === "" ? own : `${path}: ${own}`;
  }
  for (const { key, type: part } of layout?.parts ?? []) {
    const problem = problemAt(part, partOf(value, key), pathTo(path, key), ofScalar);
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

const pathTo = (path: string, key: string | number): string =>
  path === "" ? String(key) : path + accessOf(key);

const partOf = (value: unknown, key: string | number): unknown =>
  (value as Readonly<Record<string | number, unknown>>)[key];

/** Why a value has not the parts of the type; undefined if it has. */
function formProblem(type: FieldType, { parts }: Layout, value: unknown): string | undefined {
  if (type.kind === "vector" || type.kind === "array") {
    return Array.isArray(value) && value.length === parts.length
      ? undefined
      : `${describe(value)} is no value of ${type.name}, which takes an array of ${parts.length} values of ${type.element.name}`;
  }
  const names = parts.map(({ key }) => key).join(", ");
  if (typeof value !== "object" || value === null) {
    return `${describe(value)} is no value of ${type.name}, which takes { ${names} }`;
  }
  const stranger = Object.keys(value).find((key) => !parts.some((part) => part.key === key));
  return stranger === undefined
    ? undefined
    : `${describe(value)} has a field ${stranger}, and ${type.name} has ${names}`;
}

/** Bytes that a struct takes at most. */
export const MOST_BYTES = 64;

/** What a field takes, for messages. */
const fieldTypes = "u32, i32, f32, f16, u64, i64, f64, vec2(…), vec3(…), vec4(…), fixedArray(…) or struct(…)";

/** The type of a field itself, or the error that what `option` gives is none. */
export function requireFieldType(type: unknown, caller: string, option: string): FieldType {
  const known = type as FieldType | null | undefined;
  // A scalar has no parts.
  const isType = isElementType(type) || (known && typeof known === "object" && layoutOf(known));
  const { wide } = Object(type) as Partial<ElementType>;
  if (!isType || wide !== undefined) {
    const hint = wide && `, since WGSL has none of its size: take ${wide.name}`;
    throw new ArgumentError(
      `${caller}: ${known?.name ?? shown(type)} is not a type of a field${hint ?? `; it takes ${fieldTypes}`}`,
      option,
    );
  }
  return known as FieldType;
}

const vectorScalars = ["f32", "f16", "i32", "u32"] as const satisfies readonly VectorScalarName[];

function vector<Name extends VectorScalarName, Count extends 2 | 3 | 4>(
  caller: string,
  element: ScalarType<Name, number>,
  count: Count,
): VectorType<Name, Count> {
  const scalar = element?.name as Name | undefined;
  if (!isElementType(element) || !vectorScalars.some((one) => one === scalar)) {
    throw new ArgumentError(
      `${caller}: the type is ${scalar ?? shown(element)}; WGSL has vectors of ${vectorScalars.join(", ")}, and fixedArray(type, ${count}) holds others`,
      "type",
    );
  }
  const { bytes } = element;
  const name = `vec${count}<${element.value}>`;
  return {
    name,
    kind: "vector",
    bytes: count * bytes,
    element,
    count,
    layout: {
      align: (count === 3 ? 4 : count) * bytes,
      wgsl: name,
      parts: partsOf(element, count, bytes),
    },
  };
}

const partsOf = (type: FieldType, count: number, stride: number): readonly Part[] =>
  Array.from({ length: count }, (_, key) => ({ key, type, offset: key * stride }));

/**
 * WGSL's `vec2` of a scalar type, as the type of a struct's field. On the CPU, its value is an array of two numbers.
 *
 * @param type - f32, f16, i32 or u32.
 *
 * @throws {ArgumentError} for a type that WGSL has no vectors of, such as u64.
 *
 * @example
 * ```ts
 * const Hit = struct({ name: "Hit", fields: { at: vec2(f32), count: u32 } });
 * Hit.from([{ at: [0.5, 2], count: 1 }]).get(0).at; // 0.5 2
 * ```
 */
export const vec2 = <Name extends VectorScalarName>(type: ScalarType<Name, number>): VectorType<Name, 2> =>
  vector("vec2", type, 2);

/**
 * WGSL's `vec3` of a scalar type, as the type of a struct's field. On the CPU, its value is an array of three numbers. As in
 * WGSL, one of f32 takes 12 bytes, at multiples of 16.
 *
 * @param type - f32, f16, i32 or u32.
 *
 * @throws {ArgumentError} for a type that WGSL has no vectors of, such as u64.
 *
 * @example
 * ```ts
 * const Particle = struct({ name: "Particle", fields: { position: vec3(f32), mass: f32 } });
 * Particle.offsets.mass; // 12
 * ```
 */
export const vec3 = <Name extends VectorScalarName>(type: ScalarType<Name, number>): VectorType<Name, 3> =>
  vector("vec3", type, 3);

/**
 * WGSL's `vec4` of a scalar type, as the type of a struct's field. On the CPU, its value is an array of four numbers.
 *
 * @param type - f32, f16, i32 or u32.
 *
 * @throws {ArgumentError} for a type that WGSL has no vectors of, such as u64.
 *
 * @example
 * ```ts
 * const Pixel = struct({ name: "Pixel", fields: { color: vec4(f32) } });
 * Pixel.from([{ color: [1, 0, 0, 1] }]).get(0).color; // 1 0 0 1
 * ```
 */
export const vec4 = <Name extends VectorScalarName>(type: ScalarType<Name, number>): VectorType<Name, 4> =>
  vector("vec4", type, 4);

/**
 * WGSL's array of a fixed length, as the type of a struct's field. On the CPU, its value is an array. Each entry starts at a
 * multiple of the entries' alignment, as in WGSL: those of `vec3(f32)` are 16 bytes apart.
 *
 * @param type - the type of an entry: any that a field may have.
 * @param count - how many entries it has. A struct, and so an array in it, takes 64 bytes at most.
 *
 * @throws {ArgumentError} for what is no type of a field, and for a count out of range.
 *
 * @example
 * ```ts
 * const Digest = struct({ name: "Digest", fields: { words: fixedArray(u32, 4) } });
 * Digest.from([{ words: [1, 2, 3, 4] }]).get(0).words; // 1 2 3 4
 * ```
 */
export function fixedArray<const Element extends FieldType>(
  type: Element,
  count: number,
): FixedArrayType<Element> {
  const element = requireFieldType(type, "fixedArray", "type");
  requireCount("fixedArray", "count", count, 1);
  const stride = roundUp(element.bytes, alignOf(element));
  const name = `array<${nameOf(element)}, ${count}>`;
  if (count * stride > MOST_BYTES) {
    throw new ArgumentError(
      `fixedArray: ${name} takes ${count * stride} bytes; a struct takes at most ${MOST_BYTES}`,
      "count",
    );
  }
  return {
    name,
    kind: "array",
    bytes: count * stride,
    element: type,
    count,
    stride,
    layout: {
      align: alignOf(element),
      wgsl: `array<${wgslOf(element)}, ${count}>`,
      parts: partsOf(element, count, stride),
    },
  };
}

/** The type in WGSL of a caller's. */
export const nameOf = (type: FieldType): string => (isElementType(type) ? type.value : type.name);

/** The files of the scalars and the structs that a type is made of. */
export const filesOf = (type: FieldType): readonly SourceText[] =>
  isElementType(type) ? type.files : filesOf((type as Exclude<FieldType, ElementType>).element);

/** The structs that a field holds, those first that others hold. */
export const structsIn = (type: FieldType): readonly NestedType[] =>
  type.kind === "struct"
    ? [...type.layout.parts.flatMap((part) => structsIn(part.type)), type]
    : type.kind === "array"
      ? structsIn(type.element)
      : [];

/** A struct's declaration in WGSL. */
export const declarationOf = (
  name: string,
  fields: readonly Part[],
  typeName: (type: FieldType) => string,
): string =>
  [`struct ${name} {`, ...fields.map(({ key, type }) => `  ${key}: ${typeName(type)},`), "}"].join("\n");
