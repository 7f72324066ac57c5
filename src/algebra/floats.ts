import f16BitsFile from "#shaders/numeric/f16_bits.wgsl";
import floatOrder from "#shaders/numeric/float_order.wgsl";
import { decodeFloat16, encodeFloat16 } from "./float16.ts";
import { converted, hex, sharedFile } from "./literals.ts";
import type { Domain, Literal, ScalarType } from "./types.ts";

const f16Bits = /* @__PURE__ */ sharedFile(f16BitsFile);

const f32Bits = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;

// In WGSL, a constant infinity or NaN is a compile error, and a constant expression may lose the sign of zero. So anything
// but a plain number goes through its bits, in a `var`, which is no constant.
const isPlainFloat = (value: number, least: number): boolean =>
  Number.isFinite(value) && !Object.is(value, -0) && (value === 0 || Math.abs(value) >= least);
const decimal = (value: number): string => (Number.isInteger(value) ? `${value}.0` : `${value}`);
const fromBits = (bits: number, name: string, text: string): Literal => [
  text,
  `var ${name} = ${hex(bits)};\n  `,
];
const f32Literal = (value: number, name: string): Literal => {
  const rounded = Math.fround(value);
  return isPlainFloat(rounded, 2 ** -126) && Math.abs(rounded) < 1e15
    ? [`${decimal(rounded)}f`]
    : fromBits(f32Bits(rounded), name, `bitcast<f32>(${name})`);
};
const f16Literal = (value: number, name: string): Literal => {
  const bits = encodeFloat16(value);
  const rounded = decodeFloat16(bits);
  return isPlainFloat(rounded, 2 ** -14)
    ? [`${rounded}h`]
    : fromBits(bits, name, `f16(unpack2x16float(${name}).x)`);
};

// Floats as integers in the same order. `nan` is what NaN becomes.
function orderOfF32(nan: string, bits = "f32_bits_from_order(x)"): Domain<number> {
  return converted(`order_from_f32_bits(bitcast<u32>(x), ${nan})`, `bitcast<f32>(${bits})`, {
    element: "u32",
    stored: "u32",
    fromStored: `order_from_f32_bits(x, ${nan})`,
    toStored: bits,
    elementBytes: 4,
    literal: (value) => [hex(floatOrderKey(f32Bits(value), 32))],
  });
}
function orderOfF16(nan: string, bits = "f16_bits_from_order(x)"): Domain<number> {
  const fromValue = `order_from_f16_bits(bits_from_f16(x), ${nan})`;
  const toValue = `f16_from_bits(${bits})`;
  return converted(fromValue, toValue, {
    element: "u32",
    stored: "f16",
    fromStored: fromValue,
    toStored: toValue,
    elementBytes: 4,
    literal: (value) => [hex(floatOrderKey(encodeFloat16(value), 16))],
  });
}

const roundF16 = (value: number): number => decodeFloat16(encodeFloat16(value));

/** IEEE-754 binary32. `add` and `mul` are the adapter's own, with the freedoms that WGSL gives it. */
export const f32: ScalarType<"f32", number> = {
  name: "f32",
  kind: "float",
  bytes: 4,
  value: "f32",
  zero: 0,
  one: 1,
  lowest: -Infinity,
  greatest: Infinity,
  round: Math.fround,
  carried: "u32",
  fromCarried: "bitcast<f32>(x)",
  files: [floatOrder],
  native: { element: "f32", elementBytes: 4, literal: f32Literal },
  order: /* @__PURE__ */ orderOfF32("identity()"),
  nanFirst: /* @__PURE__ */ orderOfF32("0u", "f32_bits_or_nan_from_order(x)"),
  nanLast: /* @__PURE__ */ orderOfF32("0xffffffffu", "f32_bits_or_nan_from_order(x)"),
} satisfies ScalarType<"f32", number>;

/** IEEE-754 binary16. It needs the adapter feature `shader-f16`. `add` and `mul` are the adapter's own. */
export const f16: ScalarType<"f16", number> = {
  name: "f16",
  kind: "float",
  bytes: 2,
  feature: "shader-f16",
  value: "f16",
  zero: 0,
  one: 1,
  lowest: -Infinity,
  greatest: Infinity,
  round: roundF16,
  files: [floatOrder, f16Bits],
  native: { element: "f16", elementBytes: 2, literal: f16Literal },
  order: /* @__PURE__ */ orderOfF16("identity()"),
  nanFirst: /* @__PURE__ */ orderOfF16("0u", "f16_bits_or_nan_from_order(x)"),
  nanLast: /* @__PURE__ */ orderOfF16("0xffffu", "f16_bits_or_nan_from_order(x)"),
} satisfies ScalarType<"f16", number>;

/** The integer that stands for a float's bits in `order`. It is shaders/numeric/float_order.wgsl on the CPU. */
function floatOrderKey(bits: number, width: 16 | 32): number {
  const sign = 2 ** (width - 1);
  const all = 2 ** width - 1;
  return (bits >= sign ? bits ^ all : bits ^ sign) >>> 0;
}
