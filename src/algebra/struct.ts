import { ArgumentError, refuse } from "../errors.ts";
import { MARK } from "../text/mark.ts";
import { isReserved } from "../text/reserved.ts";
import { bytesFor } from "./bytes.ts";
import { requireDefinition, requireName } from "./custom_operator.ts";
import { decodeFloat16, encodeFloat16 } from "./float16.ts";
import type { Domain, ElementType, Literal, ScalarOf, ScalarType, StructValue, TypeName } from "./types.ts";
import { requireType } from "./types.ts";
import { describe, problemOf } from "./value_problem.ts";

/** What {@link struct} takes. */
export interface StructDefinition<Name extends string, Fields extends StructFields> {
  /** The struct's name in WGSL: it starts with an upper-case letter. */
  readonly name: Name;
  /** A scalar element type for each field, in order. */
  readonly fields: Fields;
}

/** The fields of a struct, by name, in order. */
export interface StructFields {
  readonly [field: string]: ScalarType;
}

/** A value of a struct with these fields: `number`, or `bigint` for u64 and i64. */
export type StructValueOf<Fields extends StructFields> = {
  readonly [Field in keyof Fields]: Fields[Field] extends { readonly name: infer Name extends TypeName }
    ? ScalarOf<Name>
    : never;
};

/** An element type of the caller's own. See {@link struct}. */
export interface StructType<Name extends string = string, V extends StructValue = StructValue>
  extends ElementType<Name, V> {
  /** It tells structs from other types. */
  readonly kind: "struct";
  /** The struct's declaration in WGSL. */
  readonly declaration: string;
  /** The scalar type of each field, in order. */
  readonly fields: { readonly [Field in keyof V]: ScalarType };
  /** The byte offset of each field, as WGSL lays it out. */
  readonly offsets: { readonly [Field in keyof V]: number };
  /** An array of so many structs, all bytes zero. @throws {ArgumentError} where there is no memory for as many. */
  array(length: number): StructArray<Name, V>;
  /** An array of these structs. */
  from(values: Iterable<V>): StructArray<Name, V>;
  /** An array over existing bytes: all of them, or `length` structs from a byte offset on. */
  over(buffer: ArrayBuffer, byteOffset?: number, length?: number): StructArray<Name, V>;
}

interface Field {
  readonly name: string;
  readonly type: ScalarType;
  readonly offset: number;
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
  readonly #fields: readonly Field[];

  /** @internal */
  constructor(
    type: StructType<Name, V>,
    fields: readonly Field[],
    buffer: ArrayBuffer,
    byteOffset: number,
    length: number,
  ) {
    this.type = type;
    this.buffer = buffer;
    this.byteOffset = byteOffset;
    this.length = length;
    this.#fields = fields;
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

  /** @throws {ArgumentError} when there is no such place. */
  get(index: number): V {
    const start = this.#startOf(index);
    const value: Record<string, number | bigint> = {};
    for (const { name, type, offset } of this.#fields) {
      value[name] = accessors[type.name as TypeName].get(this.#view, start + offset);
    }
    return value as unknown as V;
  }

  /** @throws {ArgumentError} when there is no such place, or a field holds no value of its type. */
  set(index: number, value: V): void {
    const start = this.#startOf(index);
    const problem = problemOf(this.type, value);
    if (problem !== undefined) {
      throw new ArgumentError(`${this.type.name} at ${index}: ${problem}`, "value");
    }
    for (const { name, type, offset } of this.#fields) {
      accessors[type.name as TypeName].set(this.#view, start + offset, value[name] as never);
    }
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
        `${this.type.name}: index is ${String(index)}; the array holds ${this.length} structs`,
        "index",
      );
    }
    return index * this.type.bytes;
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

const MOST_BYTES = 64;
const LEAST_BYTES = 4;

/**
 * A struct as an element type, for operators of your own: 4 to 64 bytes, laid out as WGSL lays it
 * out (u64, i64 and f64 as `vec2<u32>`, low word first).
 *
 * @example
 * ```ts
 * const pair = struct({ name: "Pair", fields: { key: u32, value: f32 } });
 * const latest = operator({
 *   name: "latest",
 *   type: pair,
 *   identity: { key: 0, value: 0 },
 *   combine: "if (later.key >= earlier.key) { return later; }\nreturn earlier;",
 *   reference: (earlier, later) => (later.key >= earlier.key ? later : earlier),
 * });
 * await fold.reduce(pair.from([{ key: 2, value: 1 }, { key: 1, value: 9 }]), { op: latest }); // { key: 2, value: 1 }
 * ```
 *
 * @throws {ArgumentError} for a name that WGSL would not take, a field of no scalar type, or a size out of range.
 */
export function struct<const Name extends string, const Fields extends StructFields>(
  definition: StructDefinition<Name, Fields>,
): StructType<Name, StructValueOf<Fields>> {
  type V = StructValueOf<Fields>;
  requireDefinition(definition, "struct");
  const { name } = definition;
  requireName(name, "struct");
  requireFree(name, `struct ${name}`, "name");
  if (!/^[A-Z]/.test(name)) {
    throw new ArgumentError(
      `struct ${name}: the name starts with a lower-case letter; a struct's starts with an upper-case one, as ${name[0]?.toUpperCase()}${name.slice(1)}`,
      "name",
    );
  }
  const fields = layOut(name, definition.fields);
  const align = Math.max(...fields.map(({ type }) => type.bytes));
  const end = fields.reduce((most, { type, offset }) => Math.max(most, offset + type.bytes), 0);
  const bytes = Math.ceil(end / align) * align;
  if (bytes < LEAST_BYTES || bytes > MOST_BYTES) {
    throw new ArgumentError(
      `struct ${name}: it takes ${bytes} bytes; a struct takes ${LEAST_BYTES} to ${MOST_BYTES}`,
      "fields",
    );
  }
  const declarationAs = (own: string): string =>
    [`struct ${own} {`, ...fields.map((field) => `  ${field.name}: ${field.type.value},`), "}"].join("\n");
  // Beside our own WGSL, the struct's name has the mark.
  const marked = MARK + name;
  const stored = storedAs(bytes);
  const fromStored = `${marked}(${fields.map((field) => readField(field, bytes)).join(", ")})`;
  const toStored = stored.construct((word) => writeWord(fields, bytes, word));
  const usesF16 = fields.some(({ type }) => type.name === "f16");
  const native: Domain<V> = {
    element: marked,
    fields: fields.map((field) => field.name),
    stored: stored.wgsl,
    fromStored,
    toStored,
    elementBytes: bytes,
    align,
    long: fields.some((field) => field.type.native.long),
    literal(value, variable): Literal {
      const parts = fields.map((field) =>
        field.type.native.literal(value[field.name] as never, `${variable}_${field.name}`),
      );
      return [
        `${marked}(${parts.map(([expression]) => expression).join(", ")})`,
        parts.map(([, setup]) => setup).join(""),
      ];
    },
  };
  const make = (buffer: ArrayBuffer, byteOffset: number, length: number): StructArray<Name, V> =>
    new StructArray<Name, V>(type, fields, buffer, byteOffset, length);
  const type: StructType<Name, V> = {
    name,
    kind: "struct",
    bytes,
    ...(usesF16 && { feature: "shader-f16" as const }),
    value: name,
    declaration: declarationAs(name),
    takes: `operator({ type: ${name}, … })`,
    fields: Object.fromEntries(fields.map((field) => [field.name, field.type])) as {
      [Field in keyof V]: ScalarType;
    },
    offsets: Object.fromEntries(fields.map((field) => [field.name, field.offset])) as {
      [Field in keyof V]: number;
    },
    carried: stored.wgsl,
    fromCarried: fromStored,
    files: [...new Set(fields.flatMap((field) => field.type.files))]
      .filter(
        // These files are only for min and max of scalars.
        (file) => !file.name.endsWith("_order.wgsl"),
      )
      .concat({ name: `struct ${name}`, text: declarationAs(marked), as: () => name }),
    native,
    round: (value) =>
      Object.fromEntries(
        fields.map((field) => [field.name, field.type.round(value[field.name] as never)]),
      ) as unknown as V,
    problemOf(value) {
      if (typeof value !== "object" || value === null) {
        return `${describe(value)} is no value of ${name}, which takes { ${fields.map((field) => field.name).join(", ")} }`;
      }
      const given = value as Record<string, unknown>;
      const stranger = Object.keys(given).find((key) => !fields.some((field) => field.name === key));
      if (stranger !== undefined) {
        return `${describe(value)} has a field ${stranger}, and ${name} has ${fields.map((field) => field.name).join(", ")}`;
      }
      for (const field of fields) {
        const problem = problemOf(field.type, given[field.name]);
        if (problem !== undefined) {
          return `${field.name}: ${problem}`;
        }
      }
      return undefined;
    },
    array(length) {
      if (!Number.isInteger(length) || length < 0 || length > 0xffffffff) {
        refuse(`${name}.array`, "length", String(length), "a whole number from 0 to 2^32 - 1");
      }
      return make(bytesFor(length, type, `${name}.array`, "length"), 0, length);
    },
    from(values) {
      const all = [...values];
      const array = type.array(all.length);
      all.forEach((value, index) => {
        array.set(index, value);
      });
      return array;
    },
    over(buffer, byteOffset = 0, length = Math.floor((buffer.byteLength - byteOffset) / bytes)) {
      const option = byteOffset >= 0 && byteOffset <= buffer.byteLength ? "length" : "byteOffset";
      if (![byteOffset, length].every((one) => Number.isInteger(one) && one >= 0)) {
        throw new ArgumentError(
          `${name}.over: byteOffset is ${String(byteOffset)}, and length is ${String(length)}; it takes whole numbers from 0 up`,
          option,
        );
      }
      if (byteOffset + length * bytes > buffer.byteLength) {
        throw new ArgumentError(
          `${name}.over: ${length} structs of ${bytes} bytes from offset ${byteOffset} on are more than the ${buffer.byteLength} bytes given`,
          option,
        );
      }
      return make(buffer, byteOffset, length);
    },
  };
  return type;
}

/** Throws for a reserved word of WGSL, since a caller's kernel could not use it as a name. */
function requireFree(name: string, caller: string, option: string): void {
  if (isReserved(name)) {
    throw new ArgumentError(
      `${caller}: ${name} is a reserved word of WGSL; choose another, such as ${name}_`,
      option,
    );
  }
}

/** Where WGSL puts each field: at the next multiple of its alignment, which is its size for all scalars here. */
function layOut(name: string, fields: StructFields): Field[] {
  if (typeof fields !== "object" || fields === null || Object.keys(fields).length === 0) {
    throw new ArgumentError(`struct ${name}: there are no fields; it takes { field: type, … }`, "fields");
  }
  let end = 0;
  return Object.entries(fields).map(([field, given]) => {
    const caller = `struct ${name}, field ${field}`;
    requireName(field, caller, "fields");
    requireFree(field, caller, "fields");
    const type = requireType(given, caller, "fields");
    if (type.kind === "struct") {
      throw new ArgumentError(
        `${caller}: ${type.name} is a struct; a field takes u32, i32, f32, f16, u64, i64 or f64`,
        "fields",
      );
    }
    const offset = Math.ceil(end / type.bytes) * type.bytes;
    end = offset + type.bytes;
    return { name: field, type: type as ScalarType, offset };
  });
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

/** A field's value from a stored struct `x`. */
function readField({ type, offset }: Field, bytes: number): string {
  if (bytes % 4 !== 0) {
    return `x[${offset / 2}]`;
  }
  const word = storedWord(bytes, Math.floor(offset / 4));
  const name = type.name;
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
function writeWord(fields: readonly Field[], bytes: number, word: number): string {
  if (bytes % 4 !== 0) {
    const field = fields.find(({ offset }) => offset === word * 2);
    return field === undefined ? "0.0h" : `x.${field.name}`;
  }
  const inside = fields.filter(({ offset, type }) => offset < word * 4 + 4 && offset + type.bytes > word * 4);
  const [first] = inside;
  if (first === undefined) {
    return "0u";
  }
  const name = first.type.name;
  switch (name) {
    case "u32":
      return `x.${first.name}`;
    case "i32":
    case "f32":
      return `bitcast<u32>(x.${first.name})`;
    case "f16": {
      const half = (at: number): string => {
        const field = inside.find(({ offset }) => offset === word * 4 + at);
        return field === undefined ? "0.0" : `f32(x.${field.name})`;
      };
      return `pack2x16float(vec2<f32>(${half(0)}, ${half(2)}))`;
    }
    case "u64":
    case "i64":
    case "f64":
      return `x.${first.name}.${word * 4 === first.offset ? "x" : "y"}`;
    default:
      return name satisfies never;
  }
}
