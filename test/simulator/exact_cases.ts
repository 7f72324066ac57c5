import * as exact from "./accuracy.ts";
import type { DeviceCase, OperandName, TypeName } from "./device_cases.ts";
import { isSubnormal, isZero, numberOf } from "./float_words.ts";
import { decoded, f16, f32, rounded } from "./numbers/rationals.ts";

// Expressions whose results have the same bits everywhere, but for what WGSL leaves open.

const same = (result: TypeName, names: string, ...on: OperandName[]): DeviceCase[] =>
  names.split(" ").map((name) => ({ name, on, result }));

/** Integers may be rounded up or down. */
const isBeside = (integer: number, actual: number): boolean =>
  Math.abs(numberOf(actual) - integer) < exact.ulp(integer);

/** A field that ends with the word is the same as a longer one, so every offset and count is allowed here. */
export const integerCases: readonly DeviceCase[] = [
  ...same("i32", "+ - * / % & | ^", "i", "j"),
  ...same("u32", "+ - * / % & | ^", "u", "v"),
  ...same("i32", "<< >>", "i", "v"),
  ...same("u32", "<< >>", "u", "v"),
  ...same("bool", "== != < <= > >=", "i", "j"),
  ...same("bool", "== != < <= > >=", "u", "v"),
  ...same("bool", "== != & |", "p", "q"),
  ...same("i32", "- ~ abs countLeadingZeros countOneBits countTrailingZeros firstLeadingBit", "i"),
  ...same("i32", "firstTrailingBit reverseBits sign i32", "i"),
  ...same("u32", "~ abs countLeadingZeros countOneBits countTrailingZeros firstLeadingBit", "u"),
  ...same("u32", "firstTrailingBit reverseBits u32", "u"),
  ...same("bool", "! all any bool", "p"),
  ...same("bool", "all any", "pq"),
  ...same("bool", "all any", "qpp"),
  ...same("vec3i", "+ - * / %", "ijk", "jki"),
  ...same("vec3u", "* / % & >> <<", "uvw", "wuv"),
  ...same("i32", "min max", "i", "j"),
  ...same("u32", "min max", "u", "v"),
  ...same("vec3i", "min max", "ijk", "jki"),
  ...same("i32", "clamp", "i", "j", "k"),
  ...same("u32", "clamp", "u", "v", "w"),
  ...same("i32", "select", "i", "j", "p"),
  ...same("vec3u", "select", "uvw", "wuv", "qpp"),
  ...same("vec3i", "select", "ijk", "jki", "q"),
  ...same("i32", "extractBits", "i", "v", "w"),
  ...same("u32", "extractBits", "u", "v", "w"),
  ...same("vec3i", "extractBits", "ijk", "v", "w"),
  ...same("vec3u", "extractBits", "uvw", "v", "w"),
  ...same("u32", "insertBits", "u", "w", "v", "w"),
  ...same("i32", "insertBits", "k", "i", "u", "v"),
  ...same("i32", "dot", "ij", "ij"),
  ...same("i32", "dot", "ijk", "jki"),
  ...same("u32", "dot", "uvw", "wuv"),
  ...same("i32", "dot4I8Packed", "u", "v"),
  ...same("u32", "dot4U8Packed", "u", "v"),
  ...same("u32", "pack4xI8 pack4xI8Clamp", "ijki"),
  ...same("u32", "pack4xU8 pack4xU8Clamp", "uvwu"),
  ...same("vec4i", "unpack4xI8", "u"),
  ...same("vec4u", "unpack4xU8", "u"),
  ...same("i32", "bitcast i32", "u"),
  ...same("u32", "bitcast u32", "i"),
  ...same("vec2i", "bitcast", "uv"),
  ...same("u32", "u32", "p"),
  ...same("i32", "i32", "q"),
  ...same("bool", "bool", "i"),
  ...same("bool", "bool", "u"),
  { name: "f32", on: ["i"], result: "f32", allows: ([word], actual) => isBeside(word, actual) },
  { name: "f32", on: ["u"], result: "f32", allows: ([word], actual) => isBeside(word >>> 0, actual) },
  ...same("f32", "f32", "p"),
];

const steps8 = (isSigned: boolean): Bounds => normalizedFields(4, isSigned ? 127 : 255, isSigned);
const steps16 = (isSigned: boolean): Bounds => normalizedFields(2, isSigned ? 32767 : 65535, isSigned);
type Bounds = NonNullable<DeviceCase["allows"]>;

/** What is packed may differ by one step beside the middle of two, where the product is rounded. */
function normalizedFields(count: number, steps: number, isSigned: boolean): Bounds {
  const bits = 32 / count;
  return (words, actual) => {
    const components = [...words, words[0]].slice(0, count);
    return components.every((word, at) => {
      const shifted = (actual << (32 - bits * (at + 1))) >> (32 - bits);
      const packed = isSigned ? shifted : shifted & (2 ** bits - 1);
      const held = Math.max(isSigned ? -1 : 0, Math.min(1, numberOf(word)));
      const product = 0.5 + steps * held;
      const slack = 2 * exact.ulp(product) + exact.ulp(steps * held);
      return packed >= Math.floor(product - slack) && packed <= Math.floor(product + slack);
    });
  };
}

const isPastHalf = (word: number): boolean => Math.abs(numberOf(word)) >= 65504;

/**
 * Halves may be rounded up or down, subnormal ones flushed, and what is past the greatest may be anything. A number between the greatest subnormal half and the least
 * normal one may be rounded down, and flushed then.
 */
const isHalf = (word: number, half: number): boolean => {
  const nearest = rounded(decoded(word, f32), f16);
  const isTiny = Math.abs(numberOf(word)) < 2 ** -14;
  return isPastHalf(word) || Math.abs(nearest - half) <= 1 || (isTiny && (half & 0x7fff) === 0);
};

export const exactCases: readonly DeviceCase[] = [
  ...same("f32", "+ - *", "x", "y"),
  ...same("vec3f", "+ *", "xyz", "zxy"),
  ...same("bool", "== != < <= > >=", "x", "y"),
  ...same("f32", "- abs ceil floor round trunc sign saturate f32 bitcast", "x"),
  ...same("vec3f", "- abs floor", "xyz"),
  ...same("f32", "min max step", "x", "y"),
  ...same("f32", "select", "x", "y", "q"),
  ...same("vec2f", "min", "xy", "yz"),
  ...same("i32", "i32 bitcast", "x"),
  ...same("u32", "u32 bitcast", "x"),
  ...same("bool", "bool", "x"),
  ...same("f32", "bitcast", "u"),
  ...same("vec2f", "bitcast", "uv"),
  ...same("mat2x3", "+ -", "m23", "m23"),
  ...same("mat2x2", "*", "m22", "x"),
  ...same("mat2x3", "*", "y", "m23"),
  ...same("mat2x3", "transpose", "m32"),
  ...same("mat3x2", "transpose", "m23"),
  {
    name: "clamp",
    on: ["x", "y", "z"],
    result: "f32",
    isOpen: ([, low, high]) => numberOf(low) > numberOf(high),
  },
  { name: "modf", on: ["x"], result: "f32", member: "whole" },
  { name: "modf", on: ["x"], result: "f32", member: "fract" },
  { name: "modf", on: ["xyz"], result: "vec3f", member: "whole" },
  { name: "frexp", on: ["x"], result: "f32", member: "fract", isOpen: ([x]) => isSubnormal(x) },
  { name: "frexp", on: ["x"], result: "i32", member: "exp", isOpen: ([x]) => isSubnormal(x) },
  {
    name: "frexp",
    on: ["xy"],
    result: "vec2i",
    member: "exp",
    isOpen: ([x, y]) => isSubnormal(x) || isSubnormal(y),
  },
  {
    name: "ldexp",
    on: ["x", "j"],
    result: "f32",
    isOpen: ([, exponent], actual) => exponent > 128 || (exponent <= -127 && isZero(actual)),
  },
  {
    name: "quantizeToF16",
    on: ["x"],
    result: "f32",
    allows: ([x], actual) => isHalf(x, rounded(decoded(actual, f32), f16)),
  },
  {
    name: "pack2x16float",
    on: ["xy"],
    result: "u32",
    allows: ([x, y], actual) =>
      isPastHalf(x) || isPastHalf(y) || (isHalf(x, actual & 0xffff) && isHalf(y, actual >>> 16)),
  },
  { name: "pack4x8snorm", on: ["xyzx"], result: "u32", allows: steps8(true) },
  { name: "pack4x8unorm", on: ["xyzx"], result: "u32", allows: steps8(false) },
  { name: "pack2x16snorm", on: ["xy"], result: "u32", allows: steps16(true) },
  { name: "pack2x16unorm", on: ["xy"], result: "u32", allows: steps16(false) },
];
