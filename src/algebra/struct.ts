import { ArgumentError, refuse, shown } from "../errors.ts";
import { MARK } from "../text/mark.ts";
import type { SourceText } from "../text/source.ts";
import { bytesFor } from "./bytes.ts";
import { problemOfNearest } from "./check_value.ts";
import { requireDefinition } from "./custom_operator.ts";
import type {
  FieldType,
  FieldValueOf,
  FixedArrayType,
  Leaf,
  NestedType,
  Part,
  VectorType,
} from "./fields.ts";
import {
  alignOf,
  constructed,
  declarationOf,
  filesOf,
  isWhole,
  leavesOf,
  literalOf,
  MOST_BYTES,
  movedText,
  nameOf,
  problemAt,
  readValue,
  requireFieldType,
  rounded,
  roundUp,
  structsIn,
  wgslOf,
  writeValue,
} from "./fields.ts";
import { requireName, requireUnreserved } from "./require_name.ts";
import type { Domain, Scalar, ScalarType, StructValue } from "./types.ts";

/** What {@link struct} takes. */
export interface StructDefinition<Name extends string, Fields extends StructFields> {
  /** The struct's name in WGSL: it starts with an upper-case letter. */
  readonly name: Name;
  /**
   * The type of each field, in order: a scalar, such as f32; `vec2`, `vec3` or `vec4` of one; `fixedArray` of any of these; or
   * another struct.
   */
  readonly fields: Fields;
}

/** The fields of a struct, by name, in order. */
export interface StructFields {
  readonly [field: string]: FieldType;
}

/**
 * A value of a struct with these fields: `number`, or `bigint` for u64 and i64; an array for a vector or an array; an object for
 * a struct.
 */
export type StructValueOf<Fields extends StructFields> = {
  readonly [Field in keyof Fields]: FieldValueOf<Fields[Field]>;
};

/** The type of a field, as far as its values tell it. */
export type FieldTypeFor<V> = [V] extends [Scalar]
  ? ScalarType
  : [V] extends [readonly unknown[]]
    ? VectorType | FixedArrayType
    : [V] extends [StructValue]
      ? NestedType<string, V>
      : FieldType;

/** An element type of the caller's own. See {@link struct}. */
export interface StructType<Name extends string = string, V extends StructValue = StructValue>
  extends NestedType<Name, V> {
  /** The struct's declaration in WGSL, after those of the structs that its fields hold. */
  readonly declaration: string;
  /** The type of each field, in order. */
  readonly fields: { readonly [Field in keyof V]: FieldTypeFor<V[Field]> };
  /** The byte offset of each field, as WGSL lays it out. */
  readonly offsets: { readonly [Field in keyof V]: number };
  /** An array of `length` structs, all bytes zero. @throws {ArgumentError} where there is no memory for as many. */
  array(length: number): StructArray<Name, V>;
  /** An array of these structs. See {@link StructArray.set}. @throws {ArgumentError} for what is no value of the struct. */
  from(values: Iterable<V>): StructArray<Name, V>;
  /** An array over existing bytes: all of them, or `length` structs from a byte offset on. */
  over(buffer: ArrayBuffer, byteOffset?: number, length?: number): StructArray<Name, V>;
}

/**
 * An array of structs on the CPU, with the same bytes as a buffer of these structs on the GPU. `array`, `from` and `over`
 * of a {@link StructType} make one.
 *
 * @example
 * ```ts
 * const pair = struct({ name: "Pair", fields: { key: u32, value: f32 } });
 * const pairs = pair.from([{ key: 1, value: 0.5 }, { key: 2, value: 1.5 }]);
 * pairs.get(1).value; // 1.5
 * ```
 */
export class StructArray<Name extends string = string, V extends StructValue = StructValue>
  implements Iterable<V>
{
  /** The struct's type. */
  readonly type: StructType<Name, V>;
  /** Its bytes. A GPU buffer is written from them. */
  readonly buffer: ArrayBuffer;
  /** Where in `buffer` it starts. */
  readonly byteOffset: number;
  /** The number of structs. */
  readonly length: number;
  readonly #view: DataView;

  /** @internal */
  constructor(type: StructType<Name, V>, buffer: ArrayBuffer, byteOffset: number, length: number) {
    this.type = type;
    this.buffer = buffer;
    this.byteOffset = byteOffset;
    this.length = length;
    this.#view = new DataView(buffer, byteOffset, length * type.bytes);
  }

  /** Bytes of one struct. */
  get BYTES_PER_ELEMENT(): number {
    return this.type.bytes;
  }

  /** Bytes of all structs. */
  get byteLength(): number {
    return this.length * this.type.bytes;
  }

  /**
   * A copy of the struct at an index, 0 to `length - 1`, as a plain object.
   *
   * @throws {ArgumentError} when there is no such index.
   */
  get(index: number): V {
    return readValue(this.type, this.#view, this.#startOf(index)) as V;
  }

  /**
   * Writes a struct at an index, 0 to `length - 1`. A number in a float is rounded to the nearest value of its type, as a
   * `Float32Array` does it.
   *
   * @throws {ArgumentError} when there is no such index, or a field holds no value of its type: a fraction for an integer, or
   * a number out of range.
   */
  set(index: number, value: V): void {
    const start = this.#startOf(index);
    const problem = problemAt(this.type, value, "", problemOfNearest);
    if (problem !== undefined) {
      throw new ArgumentError(`${this.type.name} at ${index}: ${problem}`, "value");
    }
    writeValue(this.type, this.#view, start, value);
  }

  /** Each struct as a plain object, in order. */
  *[Symbol.iterator](): IterableIterator<V> {
    for (let index = 0; index < this.length; index++) {
      yield this.get(index);
    }
  }

  #startOf(index: number): number {
    if (!Number.isInteger(index) || index < 0 || index >= this.length) {
      throw new ArgumentError(
        `${this.type.name}: index is ${shown(index)}; the array holds ${this.length} structs`,
        "index",
      );
    }
    return index * this.type.bytes;
  }
}

const LEAST_BYTES = 4;

/**
 * A struct as an element type, for operators of your own: 4 to 64 bytes, laid out as WGSL lays it out in a storage buffer (u64,
 * i64 and f64 as `vec2<u32>`, low word first). A field may also be a vector, an array of a fixed length, or another struct, by
 * `vec2`, `vec3`, `vec4`, `fixedArray` and `struct`.
 *
 * @example
 * ```ts
 * const pair = struct({ name: "Pair", fields: { key: u32, value: f32 } });
 * const latest = operator({
 *   name: "latest",
 *   type: pair,
 *   identity: { key: 0, value: 0 },
 *   combine: "if (later.key >= earlier.key) { return later; }\nreturn earlier;",
 * });
 * await fold.reduce(pair.from([{ key: 2, value: 1 }, { key: 1, value: 9 }]), { op: latest }); // { key: 2, value: 1 }
 * ```
 *
 * @throws {ArgumentError} for a name that WGSL would not take, for what is no type of a field, for two structs of one name, and
 * for a size out of range.
 */
export function struct<const Name extends string, const Fields extends StructFields>(
  definition: StructDefinition<Name, Fields>,
): StructType<Name, StructValueOf<Fields>> {
  type V = StructValueOf<Fields>;
  requireDefinition(definition, "struct", { name: true, fields: true });
  const { name } = definition;
  requireName(name, "struct");
  requireUnreserved(name, `struct ${name}`, "name");
  if (!/^[A-Z]/.test(name)) {
    throw new ArgumentError(
      `struct ${name}: the name starts with a lower-case letter; a struct's starts with an upper-case one, as ${name[0]?.toUpperCase()}${name.slice(1)}`,
      "name",
    );
  }
  const fields = layOut(name, definition.fields);
  const align = Math.max(...fields.map(({ type }) => alignOf(type)));
  const end = fields.reduce((most, { type, offset }) => Math.max(most, offset + type.bytes), 0);
  const bytes = roundUp(end, align);
  if (bytes < LEAST_BYTES || bytes > MOST_BYTES) {
    throw new ArgumentError(
      `struct ${name}: it takes ${bytes} bytes; a struct takes ${LEAST_BYTES} to ${MOST_BYTES}`,
      "fields",
    );
  }
  // Beside our own WGSL, the struct's name has the mark.
  const marked = MARK + name;
  const file = { name: `struct ${name}`, text: declarationOf(marked, fields, wgslOf), as: () => name };
  const files = filesWith(file, fields);
  const whole = { kind: "struct", name, layout: { align, wgsl: marked, parts: fields } } as const;
  const leaves = leavesOf(whole);
  const stored = storedAs(bytes);
  const fromStored = constructed(whole, (leaf) => readScalar(leaf, bytes));
  const toStored = stored.construct((word) => writeWord(leaves, bytes, word));
  const numbers = leaves.find(({ type }) => type.numbers)?.type.numbers;
  const usesF16 = leaves.some(({ type }) => type.name === "f16");
  const inParts = fields.filter((field) => !isWhole(field.type));
  const native: Domain<V> = {
    element: marked,
    fields: fields.map(({ key }) => String(key)),
    ...(inParts.length > 0 && {
      shuffles: Object.fromEntries(
        inParts.map(({ key, type }) => [
          key,
          (builtin: string, of: string, place: string) => movedText(type, builtin, of, place),
        ]),
      ),
    }),
    stored: stored.wgsl,
    fromStored,
    toStored,
    elementBytes: bytes,
    align,
    long: leaves.some(({ type }) => type.native.long),
    literal: (value, variable) => literalOf(type, value, variable),
  };
  const type: StructType<Name, V> = {
    ...whole,
    bytes,
    ...(usesF16 && { feature: "shader-f16" as const }),
    value: name,
    declaration: [
      ...new Set(
        [...fields.flatMap(({ type }) => structsIn(type)), whole].map((one) =>
          declarationOf(one.name, one.layout.parts, nameOf),
        ),
      ),
    ].join("\n"),
    takes: `operator({ type: ${name}, … })`,
    fields: Object.fromEntries(fields.map((field) => [field.key, field.type])) as StructType<
      Name,
      V
    >["fields"],
    offsets: Object.fromEntries(fields.map((field) => [field.key, field.offset])) as {
      [Field in keyof V]: number;
    },
    carried: stored.wgsl,
    fromCarried: fromStored,
    files,
    ...(numbers && { numbers }),
    native,
    round: (value) => rounded(type, value) as V,
    problemOf: (value, ofScalar) => problemAt(type, value, "", ofScalar),
    array: (length) => emptyArray(type, length),
    from: (values) => arrayFrom(type, values),
    over: (buffer, byteOffset, length) => arrayOver(type, buffer, byteOffset, length),
  };
  return type;
}

function emptyArray<Name extends string, V extends StructValue>(
  type: StructType<Name, V>,
  length: number,
): StructArray<Name, V> {
  const caller = `${type.name}.array`;
  if (!Number.isInteger(length) || length < 0 || length > 0xffffffff) {
    refuse(caller, "length", shown(length), "a whole number from 0 to 2^32 - 1");
  }
  return new StructArray<Name, V>(type, bytesFor(length, type, caller, "length"), 0, length);
}

function arrayFrom<Name extends string, V extends StructValue>(
  type: StructType<Name, V>,
  values: Iterable<V>,
): StructArray<Name, V> {
  const { name } = type;
  if (typeof (Object(values) as Partial<Iterable<V>>)[Symbol.iterator] !== "function") {
    refuse(`${name}.from`, "values", shown(values), `values of ${name}, in an array or another iterable`);
  }
  const all = [...values];
  const array = type.array(all.length);
  all.forEach((value, index) => {
    array.set(index, value);
  });
  return array;
}

function arrayOver<Name extends string, V extends StructValue>(
  type: StructType<Name, V>,
  buffer: ArrayBuffer,
  byteOffset = 0,
  given?: number,
): StructArray<Name, V> {
  const { name, bytes } = type;
  requireBuffer(buffer, `${name}.over`);
  const length = given ?? Math.floor((buffer.byteLength - byteOffset) / bytes);
  const option = byteOffset >= 0 && byteOffset <= buffer.byteLength ? "length" : "byteOffset";
  if (![byteOffset, length].every((count) => Number.isInteger(count) && count >= 0)) {
    throw new ArgumentError(
      `${name}.over: byteOffset is ${shown(byteOffset)}, and length is ${shown(length)}; it takes whole numbers from 0 up`,
      option,
    );
  }
  if (byteOffset + length * bytes > buffer.byteLength) {
    throw new ArgumentError(
      `${name}.over: ${length} structs of ${bytes} bytes from offset ${byteOffset} on are more than the ${buffer.byteLength} bytes given`,
      option,
    );
  }
  return new StructArray<Name, V>(type, buffer, byteOffset, length);
}

/** @throws {ArgumentError} for what is no buffer, and for one that was transferred. */
function requireBuffer(buffer: unknown, caller: string): void {
  const tag: unknown = Object(buffer)[Symbol.toStringTag];
  if (tag !== "ArrayBuffer" && tag !== "SharedArrayBuffer") {
    refuse(caller, "buffer", shown(buffer), "an ArrayBuffer, such as the buffer of a typed array");
  }
  try {
    new Uint8Array(buffer as ArrayBuffer);
  } catch {
    refuse(caller, "buffer", "a buffer that was transferred", "one that still has its memory");
  }
}

/** Where WGSL puts each field: at the next multiple of its alignment. */
function layOut(name: string, fields: StructFields): Part[] {
  if (typeof fields !== "object" || fields === null || Object.keys(fields).length === 0) {
    throw new ArgumentError(`struct ${name}: there are no fields; it takes { field: type, … }`, "fields");
  }
  let end = 0;
  return Object.entries(fields).map(([key, given]) => {
    const caller = `struct ${name}, field ${key}`;
    requireName(key, caller, "fields");
    requireUnreserved(key, caller, "fields");
    const type = requireFieldType(given, caller, "fields");
    const offset = roundUp(end, alignOf(type));
    end = offset + type.bytes;
    return { key, type, offset };
  });
}

/**
 * The files of the fields' types, each once, and then that of the struct itself.
 *
 * @throws {ArgumentError} if two structs have one name, and are not declared in the same way.
 */
function filesWith(own: SourceText, fields: readonly Part[]): readonly SourceText[] {
  const files = new Map<string, SourceText>();
  for (const file of fields.flatMap(({ type }) => filesOf(type))) {
    const known = file.name === own.name ? own : files.get(file.name);
    if (known !== undefined && known.text !== file.text) {
      throw new ArgumentError(
        `${own.name}: ${known === own ? `it holds another ${file.name}` : `it holds two structs that are called ${file.name}`}; rename one`,
        "fields",
      );
    }
    // These files are only for min and max of scalars.
    if (!file.name.endsWith("_order.wgsl")) {
      files.set(file.name, file);
    }
  }
  return [...files.values(), own];
}

/** The vectors of words that a struct is stored in. They are as wide as its size allows, so that loads are wide. */
function wordsOf(bytes: number): { width: number; vector: string; count: number } {
  const width = bytes % 16 === 0 ? 4 : bytes % 8 === 0 ? 2 : 1;
  return { width, vector: width === 1 ? "u32" : `vec${width}<u32>`, count: bytes / 4 / width };
}

/** The type of a struct in a storage buffer, and a function that writes a value of that type from its words. */
function storedAs(bytes: number): { wgsl: string; construct(word: (index: number) => string): string } {
  if (bytes % 4 !== 0) {
    const wgsl = `array<f16, ${bytes / 2}>`;
    return {
      wgsl,
      construct: (word) =>
        `${wgsl}(${range(bytes / 2)
          .map(word)
          .join(", ")})`,
    };
  }
  const { width, vector, count } = wordsOf(bytes);
  const wgsl = count === 1 ? vector : `array<${vector}, ${count}>`;
  return {
    wgsl,
    construct: (word) => {
      const vectors = range(count).map((at) => {
        const words = range(width).map((lane) => word(at * width + lane));
        return width === 1 ? words.join() : `${vector}(${words.join(", ")})`;
      });
      return count === 1 ? vectors.join() : `${wgsl}(${vectors.join(", ")})`;
    },
  };
}

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

/** A word of a stored struct `x`. */
function storedWord(bytes: number, word: number): string {
  const { width, count } = wordsOf(bytes);
  const vector = count > 1 ? `x[${Math.floor(word / width)}]` : "x";
  return width === 1 ? vector : `${vector}.${"xyzw"[word % width]}`;
}

/** A scalar's value from a stored struct `x`. */
function readScalar({ type, offset }: Leaf, bytes: number): string {
  if (bytes % 4 !== 0) {
    return `x[${offset / 2}]`;
  }
  const word = storedWord(bytes, Math.floor(offset / 4));
  const { name } = type;
  switch (name) {
    case "u32":
      return word;
    case "i32":
    case "f32":
      return `bitcast<${name}>(${word})`;
    case "f16":
      return `f16(unpack2x16float(${word}).${offset % 4 === 0 ? "x" : "y"})`;
    case "u64":
    case "i64":
    case "f64":
      return `vec2<u32>(${word}, ${storedWord(bytes, offset / 4 + 1)})`;
    default:
      return name satisfies never;
  }
}

/**
 * A word of a stored struct, from the struct `x`. Padding is zero. If the struct has no whole number of words, this is an
 * f16.
 */
function writeWord(leaves: readonly Leaf[], bytes: number, word: number): string {
  if (bytes % 4 !== 0) {
    const leaf = leaves.find(({ offset }) => offset === word * 2);
    return leaf === undefined ? "0.0h" : `x${leaf.access}`;
  }
  const inside = leaves.filter(({ offset, type }) => offset < word * 4 + 4 && offset + type.bytes > word * 4);
  const [first] = inside;
  if (first === undefined) {
    return "0u";
  }
  const { name } = first.type;
  switch (name) {
    case "u32":
      return `x${first.access}`;
    case "i32":
    case "f32":
      return `bitcast<u32>(x${first.access})`;
    case "f16": {
      const half = (at: number): string => {
        const leaf = inside.find(({ offset }) => offset === word * 4 + at);
        return leaf === undefined ? "0.0" : `f32(x${leaf.access})`;
      };
      return `pack2x16float(vec2<f32>(${half(0)}, ${half(2)}))`;
    }
    case "u64":
    case "i64":
    case "f64":
      return `x${first.access}.${word * 4 === first.offset ? "x" : "y"}`;
    default:
      return name satisfies never;
  }
}
