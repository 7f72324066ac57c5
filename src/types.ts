import f16BitsFile from "../shaders/numeric/f16_bits.wgsl";
import floatOrderFile from "../shaders/numeric/float_order.wgsl";
import { ArgumentError } from "./errors.ts";
import { decodeFloat16, encodeFloat16 } from "./reference/float16.ts";

/** A `Float16Array`, for runtimes and TypeScript versions that have none. */
export interface Float16ArrayLike extends ArrayBufferView {
  readonly length: number;
  readonly BYTES_PER_ELEMENT: number;
  readonly [Symbol.toStringTag]: "Float16Array";
  [index: number]: number;
}

/** The element types, and what holds their arrays on the CPU. */
export interface TypedArrays {
  u32: Uint32Array;
  i32: Int32Array;
  f32: Float32Array;
  /** Where the runtime has no `Float16Array`, the bits in a `Uint16Array` with `type: f16`. */
  f16: Float16ArrayLike | Uint16Array;
}

/** The name of an element type, as WGSL has it. */
export type TypeName = keyof TypedArrays;

/** A file of real WGSL, or text of the caller's: where a line came from is kept for error messages. */
export interface SourceText {
  /** What a message calls it. */
  readonly name: string;
  readonly text: string;
  /** Whether the caller wrote it. */
  readonly callers?: boolean;
}

/**
 * How a type's values are represented while an operator combines them. The four conversions are
 * WGSL expressions over `x`.
 */
export interface Domain {
  /** WGSL type that is combined. */
  readonly element: string;
  /** WGSL type of an item in a storage buffer. */
  readonly stored: string;
  readonly fromStored: string;
  readonly toStored: string;
  /** From and to the type itself, as a kernel of the caller's holds it. */
  readonly fromValue: string;
  readonly toValue: string;
  /** Bytes of an element. */
  readonly elementBytes: number;
  /** Files that the conversions call into. */
  readonly files: readonly SourceText[];
  /** The body of a WGSL function that returns the element for a value. */
  literal(value: number): string;
}

/** One row of the table of element types. */
export interface ElementType<Name extends TypeName = TypeName> {
  readonly name: Name;
  /** `unsigned` and `signed` wrap around; `float` rounds to nearest even in the reference. */
  readonly kind: "unsigned" | "signed" | "float";
  /** Bytes of an item in a buffer. */
  readonly bytes: number;
  /** The WebGPU feature that the type needs. */
  readonly feature?: "shader-f16";
  /** NumPy's little-endian dtype. */
  readonly dtype: string;
  /** The least and the greatest value; infinities for floats. */
  readonly lowest: number;
  readonly greatest: number;
  /** The nearest value of the type: wraps integers, rounds floats. */
  round(value: number): number;
  /** The product, in the type: exact where a double would not hold it. */
  multiply(a: number, b: number): number;
  /** WGSL type that carries the bits of an item unchanged through a copy. */
  readonly carried: string;
  /** WGSL expression for the value of a carried item `x`, and the files that it calls into. */
  readonly fromCarried: string;
  /** As written: arithmetic on the WGSL type itself. */
  readonly native: Domain;
  /** As something that compares exactly, for `min` and `max`. */
  readonly order: Domain;
  /** As 0 or 1, for the logical operators. */
  readonly truth: Domain;
}

const floatOrder: SourceText = { name: "shaders/numeric/float_order.wgsl", text: floatOrderFile };
const f16Bits: SourceText = { name: "shaders/numeric/f16_bits.wgsl", text: f16BitsFile };

/** A domain in which the element, the stored item and the value are all of one WGSL type. */
const plain = (wgsl: string, bytes: number, literal: (value: number) => string): Domain => ({
  element: wgsl,
  stored: wgsl,
  fromStored: "x",
  toStored: "x",
  fromValue: "x",
  toValue: "x",
  elementBytes: bytes,
  files: [],
  literal,
});

const unsignedLiteral = (value: number): string => `return ${value >>> 0}u;`;
const signedLiteral = (value: number): string =>
  // WGSL has no literal for the least i32: the minus sign is an operator.
  value === -0x80000000 ? "return -2147483647i - 1i;" : `return ${value | 0}i;`;
const truthLiteral = (value: number): string => `return ${value === 0 ? 0 : 1}u;`;

const f32Bits = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;

// A constant infinity or NaN is a compile error, and a constant expression may lose the sign of
// zero: anything but a plain number goes through its bits, in a `var`, which is no constant.
const isPlainFloat = (value: number, least: number): boolean =>
  Number.isFinite(value) && !Object.is(value, -0) && (value === 0 || Math.abs(value) >= least);
const decimal = (value: number): string => (Number.isInteger(value) ? `${value}.0` : `${value}`);
const f32Literal = (value: number): string => {
  const rounded = Math.fround(value);
  return isPlainFloat(rounded, 2 ** -126) && Math.abs(rounded) < 1e15
    ? `return ${decimal(rounded)}f;`
    : `var bits = ${hex(f32Bits(rounded))};\n  return bitcast<f32>(bits);`;
};
const f16Literal = (value: number): string => {
  const bits = encodeFloat16(value);
  const rounded = decodeFloat16(bits);
  return isPlainFloat(rounded, 2 ** -14)
    ? `return ${rounded}h;`
    : `var bits = ${hex(bits)};\n  return bitcast<vec2<f16>>(bits).x;`;
};
const hex = (bits: number): string => `0x${bits.toString(16)}u`;

const integerTruth = (wgsl: string): Domain => ({
  ...plain(wgsl, 4, truthLiteral),
  element: "u32",
  fromStored: "u32(x != 0)",
  toStored: `${wgsl}(x)`,
  fromValue: "u32(x != 0)",
  toValue: `${wgsl}(x)`,
});

/** 32-bit unsigned integers; arithmetic wraps. */
export const u32: ElementType<"u32"> = {
  name: "u32",
  kind: "unsigned",
  bytes: 4,
  dtype: "<u4",
  lowest: 0,
  greatest: 0xffffffff,
  round: (value) => value >>> 0,
  multiply: (a, b) => Math.imul(a, b) >>> 0,
  carried: "u32",
  fromCarried: "x",
  native: /* @__PURE__ */ plain("u32", 4, unsignedLiteral),
  order: /* @__PURE__ */ plain("u32", 4, unsignedLiteral),
  truth: /* @__PURE__ */ integerTruth("u32"),
};

/** 32-bit signed integers; arithmetic wraps. */
export const i32: ElementType<"i32"> = {
  name: "i32",
  kind: "signed",
  bytes: 4,
  dtype: "<i4",
  lowest: -0x80000000,
  greatest: 0x7fffffff,
  round: (value) => value | 0,
  multiply: (a, b) => Math.imul(a, b),
  carried: "u32",
  fromCarried: "bitcast<i32>(x)",
  native: /* @__PURE__ */ plain("i32", 4, signedLiteral),
  order: /* @__PURE__ */ plain("i32", 4, signedLiteral),
  truth: /* @__PURE__ */ integerTruth("i32"),
};

/** IEEE-754 binary32. `add` and `mul` are the adapter's own, with the freedoms that WGSL gives it. */
export const f32: ElementType<"f32"> = {
  name: "f32",
  kind: "float",
  bytes: 4,
  dtype: "<f4",
  lowest: -Infinity,
  greatest: Infinity,
  round: Math.fround,
  multiply: (a, b) => Math.fround(a * b),
  carried: "u32",
  fromCarried: "bitcast<f32>(x)",
  native: /* @__PURE__ */ plain("f32", 4, f32Literal),
  order: {
    element: "u32",
    stored: "u32",
    fromStored: "order_from_f32_bits(x)",
    toStored: "f32_bits_from_order(x)",
    fromValue: "order_from_f32_bits(bitcast<u32>(x))",
    toValue: "bitcast<f32>(f32_bits_from_order(x))",
    elementBytes: 4,
    files: [floatOrder],
    literal: (value) => `return ${hex(floatOrderKey(f32Bits(value), 32))};`,
  },
  truth: {
    element: "u32",
    stored: "u32",
    fromStored: "select(0u, 1u, (x & 0x7fffffffu) != 0u)",
    toStored: "select(0u, 0x3f800000u, x != 0u)",
    fromValue: "select(0u, 1u, (bitcast<u32>(x) & 0x7fffffffu) != 0u)",
    toValue: "f32(x)",
    elementBytes: 4,
    files: [],
    literal: truthLiteral,
  },
};

/** IEEE-754 binary16, where the adapter has `shader-f16`. `add` and `mul` are the adapter's own. */
export const f16: ElementType<"f16"> = {
  name: "f16",
  kind: "float",
  bytes: 2,
  feature: "shader-f16",
  dtype: "<f2",
  lowest: -Infinity,
  greatest: Infinity,
  round: (value) => decodeFloat16(encodeFloat16(value)),
  multiply: (a, b) => decodeFloat16(encodeFloat16(a * b)),
  carried: "f16",
  fromCarried: "x",
  native: /* @__PURE__ */ plain("f16", 2, f16Literal),
  order: {
    element: "u32",
    stored: "f16",
    fromStored: "order_from_f16_bits(bits_from_f16(x))",
    toStored: "f16_from_bits(f16_bits_from_order(x))",
    fromValue: "order_from_f16_bits(bits_from_f16(x))",
    toValue: "f16_from_bits(f16_bits_from_order(x))",
    elementBytes: 4,
    files: [floatOrder, f16Bits],
    literal: (value) => `return ${hex(floatOrderKey(encodeFloat16(value), 16))};`,
  },
  truth: {
    element: "u32",
    stored: "f16",
    fromStored: "select(0u, 1u, (bits_from_f16(x) & 0x7fffu) != 0u)",
    toStored: "f16(x)",
    fromValue: "select(0u, 1u, (bits_from_f16(x) & 0x7fffu) != 0u)",
    toValue: "f16(x)",
    elementBytes: 4,
    files: [f16Bits],
    literal: truthLiteral,
  },
};

/** The integer that stands for a float's bits in `order`: numeric/float_order.wgsl, on the CPU. */
function floatOrderKey(bits: number, width: 16 | 32): number {
  const sign = 2 ** (width - 1);
  const all = 2 ** width - 1;
  return (bits >= sign ? bits ^ all : bits ^ sign) >>> 0;
}

/** Every element type, by name. */
export const elementTypes = { u32, i32, f32, f16 } as const satisfies {
  [Name in TypeName]: ElementType<Name>;
};

/** The type's name for messages, or what was given instead of a type. */
export function requireType(type: unknown, caller: string): ElementType {
  const name = (type as ElementType | undefined)?.name;
  const known = Object.values<ElementType>(elementTypes).find((row) => row === type);
  if (known === undefined) {
    throw new ArgumentError(
      `${caller}: ${name ?? String(type)} is not an element type; it takes ${Object.keys(elementTypes).join(", ")}`,
    );
  }
  return known;
}

const arrayTypes = {
  Uint32Array: u32,
  Int32Array: i32,
  Float32Array: f32,
  Float16Array: f16,
} as const satisfies Record<string, ElementType>;

/**
 * The element type of a typed array: `Uint32Array` is u32, and so on. Where the runtime has no
 * `Float16Array`, a `Uint16Array` holds f16 bits when `type` says so.
 *
 * @throws {ArgumentError} when the array holds none of the element types, or not the one named.
 */
export function typeOfArray(data: unknown, type: ElementType | undefined, caller: string): ElementType {
  const tag = ArrayBuffer.isView(data)
    ? (data as { [Symbol.toStringTag]?: string })[Symbol.toStringTag]
    : undefined;
  if (tag === "Uint16Array" && type === f16) {
    return f16;
  }
  const own = Object.hasOwn(arrayTypes, tag ?? "") ? arrayTypes[tag as keyof typeof arrayTypes] : undefined;
  if (own === undefined) {
    const given = tag ?? (data === null ? "null" : typeof data);
    throw new ArgumentError(
      `${caller}: ${given} is not an array of an element type; it takes ${Object.keys(arrayTypes).join(", ")}, or Uint16Array with type: f16`,
    );
  }
  if (type !== undefined && type !== own) {
    throw new ArgumentError(
      `${caller}: ${tag} holds ${own.name}, but type says ${(type as Partial<ElementType>).name ?? String(type)}`,
    );
  }
  return own;
}
