import { arrayOver } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { FieldType, VectorScalarName } from "../../src/algebra/fields.ts";
import {
  alignOf,
  fixedArray,
  leavesOf,
  roundUp,
  scalarAt,
  vec2,
  vec3,
  vec4,
} from "../../src/algebra/fields.ts";
import { encodeFloat16 } from "../../src/algebra/float16.ts";
import { narrowTypes } from "../../src/algebra/narrow_types.ts";
import type { StructType } from "../../src/algebra/struct.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, NarrowName, ScalarType, StructValue, TypeName } from "../../src/algebra/types.ts";
import { bitsOf } from "../../src/primitives/example_calls.ts";

export { arrayOf, bitsOf, bytesOf } from "../../src/primitives/example_calls.ts";

/** The type of a struct's field: a scalar's name, a vector, an array, or a struct. */
export type FieldSpec =
  | TypeName
  | { readonly vector: 2 | 3 | 4; readonly of: VectorScalarName }
  | { readonly array: FieldSpec; readonly count: number }
  | { readonly fields: readonly FieldSpec[] };

/** A type as a case names it: a scalar's name, or the types of a struct's fields. */
export type TypeSpec = TypeName | readonly FieldSpec[];

/** What items are like: any bits; few small whole numbers; mostly what changes little; numbers of one magnitude. */
export const dataKinds = ["small", "bits", "sparse", "level"] as const;
export type DataKind = (typeof dataKinds)[number];

/** Items of a case, made from a seed. */
export interface DataSpec {
  readonly kind: DataKind;
  readonly seed: number;
}

const structs = new Map<string, StructType>();
const fieldNames = "abcdefghijklmnop";
const LEAST_STRUCT = 4;
const MOST_STRUCT = 64;

const vectors = { 2: vec2, 3: vec3, 4: vec4 } as const;

/** The type that a field's description names. An array has as many entries as 64 bytes take. */
function fieldTypeOf(spec: FieldSpec): FieldType {
  if (typeof spec === "string") {
    return elementTypes[spec] as ScalarType;
  }
  if ("vector" in spec) {
    return vectors[spec.vector](elementTypes[spec.of] as ScalarType<VectorScalarName, number>);
  }
  if ("fields" in spec) {
    return structOf(spec.fields) as unknown as FieldType;
  }
  const entry = fieldTypeOf(spec.array);
  const stride = roundUp(entry.bytes, alignOf(entry));
  return fixedArray(entry, Math.min(spec.count, Math.floor(MOST_STRUCT / stride)));
}

/** The struct of these fields, as many as 64 bytes take: always the same object for the same fields. */
function structOf(given: readonly FieldSpec[]): StructType {
  const specs: FieldSpec[] = [];
  const fields: FieldType[] = [];
  let end = 0;
  let align = 1;
  for (const spec of [...given, ...(given.length === 0 ? (["u32"] as const) : [])]) {
    const type = fieldTypeOf(spec);
    const next = roundUp(end, alignOf(type)) + type.bytes;
    const most = Math.max(align, alignOf(type));
    if (fields.length < fieldNames.length && roundUp(next, most) <= MOST_STRUCT) {
      specs.push(spec);
      fields.push(type);
      end = next;
      align = most;
    }
  }
  if (end < LEAST_STRUCT) {
    specs.push("u32");
    fields.push(elementTypes.u32);
  }
  const key = JSON.stringify(specs);
  const known =
    structs.get(key) ??
    (struct({
      // Two structs of one name could not be in one kernel.
      name: `Row_${specs.every((spec) => typeof spec === "string") ? specs.join("_") : `of${structs.size}`}`,
      fields: Object.fromEntries(fields.map((type, at) => [fieldNames[at] ?? "", type])),
    }) as unknown as StructType);
  structs.set(key, known);
  return known;
}

/** The element type that a case names. */
export const typeOf = (spec: TypeSpec | NarrowName): ElementType =>
  typeof spec === "string" ? { ...elementTypes, ...narrowTypes }[spec] : structOf(spec);

/** A scalar that a type is made of. */
export interface ScalarField {
  /** How WGSL names it behind the whole and a point, such as `a` or `b[1]`. */
  readonly name: string;
  readonly keys: readonly (string | number)[];
  readonly type: TypeName;
  readonly offset: number;
}

/** The scalars of a struct with their offsets; of a scalar, itself. */
export const fieldsOf = (type: ElementType): readonly ScalarField[] =>
  type.kind === "struct"
    ? leavesOf(type as StructType).map((leaf) => ({
        name: leaf.access.slice(1),
        keys: leaf.keys,
        type: leaf.type.name,
        offset: leaf.offset,
      }))
    : [{ name: "", keys: [], type: (type.wide ?? type).name as TypeName, offset: 0 }];

/** A struct's value of these scalars. */
export function structWith(type: ElementType, scalar: (field: ScalarField) => unknown): StructValue {
  const value = (type as StructType).array(1).get(0);
  for (const field of fieldsOf(type)) {
    const last = field.keys.at(-1) ?? "";
    const holder = scalarAt(value, field.keys.slice(0, -1)) as unknown as Record<string | number, unknown>;
    holder[last] = scalar(field);
  }
  return value;
}

/** A type as a caller's text names it, in which there are types of 64 bits. */
const callersName = (type: FieldType): string =>
  type.kind === "array" ? `array<${callersName(type.element)}, ${type.count}>` : type.name;

/** A struct in a caller's WGSL, of these scalars. */
export function structText(type: ElementType, scalar: (field: ScalarField) => string): string {
  const texts = fieldsOf(type).map(scalar);
  const textOf = (one: FieldType): string =>
    "layout" in one
      ? `${callersName(one)}(${one.layout.parts.map((part) => textOf(part.type)).join(", ")})`
      : (texts.shift() ?? "");
  return textOf(type as StructType as unknown as FieldType);
}

const f32Specials = [
  0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001,
  0xff800001, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff,
];
const f16Specials = [
  0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0xfc01, 0x7d55, 0x0001, 0x8001, 0x03ff,
  0x0400, 0x7bff, 0xfbff,
];
const integerSpecials = [0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x10000, 0xffff];
/** The upper words of f64. */
const f64Specials = [
  0x00000000, 0x80000000, 0x3ff00000, 0xbff00000, 0x7ff00000, 0xfff00000, 0x7ff80000, 0xfff80001, 0x000fffff,
  0x00100000, 0x7fefffff, 0xffefffff,
];

const one = <T>(next: () => number, from: readonly [T, ...T[]] | readonly T[]): T =>
  from[next() % from.length] as T;

/**
 * Writes a scalar. `isPlain`: floats are normal numbers of moderate size, or +0, since what an adapter does to others is
 * left open where they are numbers, and not only bits.
 */
function writeScalar(
  view: DataView,
  at: number,
  type: TypeName,
  kind: DataKind,
  isPlain: boolean,
  next: () => number,
): void {
  const small = kind === "sparse" ? (next() % 16 === 0 ? 1 + (next() % 3) : 0) : next() % 4;
  const isFloat = type === "f32" || type === "f16" || type === "f64";
  if (isFloat && (kind === "level" || (kind === "bits" && isPlain))) {
    const magnitude = 2 ** ((kind === "level" ? 0 : (next() % 13) - 6) + 1);
    const x = (next() / 2 ** 32 - 0.5) * magnitude;
    if (type === "f64") {
      view.setFloat64(at, x, true);
    } else if (type === "f32") {
      view.setFloat32(at, x, true);
    } else {
      view.setUint16(at, encodeFloat16(Math.abs(x) < 2 ** -10 ? 0.5 : x), true);
    }
    return;
  }
  const isBits = kind === "bits" || kind === "level";
  switch (type) {
    case "u32":
    case "i32": {
      const bits = next() % 4 === 0 ? one(next, integerSpecials) : next();
      view.setUint32(at, isBits ? bits : type === "i32" ? small - 1 : small, true);
      return;
    }
    case "u64":
    case "i64": {
      const word = (): number => (next() % 4 === 0 ? one(next, integerSpecials) : next());
      if (isBits) {
        view.setUint32(at, word(), true);
        view.setUint32(at + 4, word(), true);
      } else {
        view.setBigInt64(at, BigInt(type === "i64" ? small - 1 : small), true);
      }
      return;
    }
    case "f32":
      if (isBits) {
        view.setUint32(at, next() % 4 === 0 ? one(next, f32Specials) : next(), true);
      } else {
        view.setFloat32(at, small, true);
      }
      return;
    case "f16":
      view.setUint16(
        at,
        isBits ? (next() % 4 === 0 ? one(next, f16Specials) : next() & 0xffff) : encodeFloat16(small),
        true,
      );
      return;
    case "f64":
      if (isBits) {
        view.setUint32(at, next() % 8 === 0 ? 0 : next(), true);
        view.setUint32(at + 4, next() % 4 === 0 ? one(next, f64Specials) : next(), true);
      } else {
        view.setFloat64(at, small, true);
      }
      return;
    default:
      throw new Error(type satisfies never);
  }
}

/**
 * Bytes of `length` items. Of structs, one in four is all zeros, and of the others the first field is not zero: so that
 * {@link latest} has its identity among them, and nothing that is almost it.
 */
export function itemBytes(
  type: ElementType,
  { kind, seed }: DataSpec,
  length: number,
  isPlain: boolean,
): Uint8Array<ArrayBuffer> {
  const next = bitsOf(seed);
  if (type.wide) {
    const { buffer } = itemBytes(type.wide, { kind, seed }, length, isPlain);
    const items = arrayOver(type, new ArrayBuffer(length * type.bytes)) as Uint8Array<ArrayBuffer>;
    items.set(new Uint32Array(buffer, 0, length));
    return new Uint8Array(items.buffer);
  }
  const bytes = new Uint8Array(Math.ceil((length * type.bytes) / 8) * 8);
  const view = new DataView(bytes.buffer);
  const fields = fieldsOf(type);
  const isStruct = type.kind === "struct";
  for (let index = 0; index < length; index++) {
    if (isStruct && next() % 4 === 0) {
      continue;
    }
    for (const field of fields) {
      const at = index * type.bytes + field.offset;
      writeScalar(view, at, field.type, kind, isPlain || isStruct, next);
      if (isStruct && field === fields[0]) {
        const { bytes: size } = elementTypes[field.type];
        if (bytes.subarray(at, at + size).every((byte) => byte === 0)) {
          writeOne(view, at, field.type);
        }
      }
    }
  }
  return bytes.subarray(0, length * type.bytes);
}

function writeOne(view: DataView, at: number, type: TypeName): void {
  switch (type) {
    case "u32":
    case "i32":
      view.setUint32(at, 1, true);
      return;
    case "u64":
    case "i64":
      view.setBigUint64(at, 1n, true);
      return;
    case "f32":
      view.setFloat32(at, 1, true);
      return;
    case "f16":
      view.setUint16(at, encodeFloat16(1), true);
      return;
    case "f64":
      view.setFloat64(at, 1, true);
      return;
    default:
      throw new Error(type satisfies never);
  }
}

/** Whether every float of these items is a normal number of moderate size, or +0; and of structs, see {@link itemBytes}. */
export function isPlain(type: ElementType, bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields = fieldsOf(type);
  const floats = fields.filter(
    (field) =>
      field.type === "f32" || field.type === "f16" || (type.kind === "struct" && field.type === "f64"),
  );
  const length = bytes.length / type.bytes;
  for (let index = 0; index < length; index++) {
    const start = index * type.bytes;
    for (const field of floats) {
      const at = start + field.offset;
      const isNormal =
        field.type === "f32"
          ? isWithin(view.getUint32(at, true), 23, 8, 127, 60)
          : field.type === "f16"
            ? isWithin(view.getUint16(at, true), 10, 5, 15, 12)
            : isWithin(view.getUint32(at + 4, true), 20, 11, 1023, 999);
      if (!isNormal) {
        return false;
      }
    }
  }
  return true;
}

/** Whether these bits are +0, or a number between 2^-most and 2^most. */
function isWithin(bits: number, fraction: number, width: number, bias: number, most: number): boolean {
  if (bits === 0) {
    return true;
  }
  const exponent = ((bits >>> fraction) & (2 ** width - 1)) - bias;
  return exponent >= -most && exponent <= most;
}

/** Whether each struct whose first field is zero is zero in all. */
export function isZeroOrMarked(type: ElementType, bytes: Uint8Array): boolean {
  const [first] = fieldsOf(type);
  const size = first === undefined ? 0 : elementTypes[first.type].bytes;
  for (let start = 0; start < bytes.length; start += type.bytes) {
    const isZero = bytes.subarray(start, start + size).every((byte) => byte === 0);
    if (isZero && bytes.subarray(start, start + type.bytes).some((byte) => byte !== 0)) {
      return false;
    }
  }
  return true;
}
