import { Buffer } from "node:buffer";
import process from "node:process";
import type { AnyArray, ScalarArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { encodeFloat16 } from "../../src/algebra/float16.ts";
import type { StructType } from "../../src/algebra/struct.ts";
import type { ElementType, Scalar, ScalarType, StructValue, TypeName } from "../../src/algebra/types.ts";

/** The whole run's, which prints it when it starts. WAVEFOLD_SEED repeats a run. */
export const seed: number = Number(process.env.WAVEFOLD_SEED);

/** Mulberry32: 32 random bits a call, the same for the same seed and name. */
export function randomBits(name: string): () => number {
  let state = seed ^ Buffer.from(name).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return (bits ^ (bits >>> 14)) >>> 0;
  };
}

const f32SpecialBits = [
  0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001,
  0xff800001, 0x7fedcba9, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff,
];
const f16SpecialBits = [
  0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0xfc01, 0x7d55, 0x0001, 0x8001, 0x03ff,
  0x83ff, 0x0400, 0x7bff, 0xfbff,
];
const integerSpecials = [0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x10000, 0xffff];

const words64 = (high: number, low: number): bigint => (BigInt(high) << 32n) | BigInt(low);
const wideIntegerSpecials = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff].flatMap((high) =>
  [0, 1, 0xffffffff, 0xfffffffe].map((low) => words64(high, low)),
);
const f64SpecialBits = [
  0x0000000000000000n,
  0x8000000000000000n,
  0x3ff0000000000000n,
  0xbff0000000000000n,
  0x7ff0000000000000n,
  0xfff0000000000000n,
  0x7ff8000000000000n,
  0xfff8000000000001n,
  0x7ff0000000000001n,
  0xfff00000ffffffffn,
  0x0000000000000001n,
  0x8000000000000001n,
  0x000fffffffffffffn,
  0x800fffffffffffffn,
  0x0010000000000000n,
  0x7fefffffffffffffn,
  0xffefffffffffffffn,
];

const specials: Record<TypeName, readonly (number | bigint)[]> = {
  u32: integerSpecials,
  i32: integerSpecials,
  f32: f32SpecialBits,
  f16: f16SpecialBits,
  u64: wideIntegerSpecials,
  i64: wideIntegerSpecials,
  f64: f64SpecialBits,
};

/** An array of the type over these bits. */
export function arrayOfBits(type: TypeName, bits: readonly (number | bigint)[]): ScalarArray {
  const { bytes } = elementTypes[type];
  const unsigned =
    bytes === 8
      ? BigUint64Array.from(bits, BigInt)
      : bytes === 2
        ? Uint16Array.from(bits, Number)
        : Uint32Array.from(bits, Number);
  return arrayOn(type, unsigned.buffer);
}

/** An array of the type over a buffer. */
function arrayOn(type: TypeName, buffer: ArrayBuffer): ScalarArray {
  switch (type) {
    case "u32":
      return new Uint32Array(buffer);
    case "i32":
      return new Int32Array(buffer);
    case "f32":
      return new Float32Array(buffer);
    case "f16":
      return new Uint16Array(buffer);
    case "u64":
      return new BigUint64Array(buffer);
    case "i64":
      return new BigInt64Array(buffer);
    case "f64":
      return new Float64Array(buffer);
    default:
      return type satisfies never;
  }
}

/** Any bits of the type, every fourth item one of its special values. */
export function anyItems(type: TypeName, length: number, name: string): ScalarArray {
  const next = randomBits(name);
  const { bytes } = elementTypes[type];
  const Units = bytes === 2 ? Uint16Array : Uint32Array;
  const special = new Units(arrayOfBits(type, specials[type]).buffer as ArrayBuffer);
  const units = Math.max(1, bytes / 4);
  const items = new Units(length * units);
  for (let at = 0; at < items.length; at += units) {
    const from = next() % 4 === 0 ? units * (next() % specials[type].length) : undefined;
    // The upper word of an item is drawn first.
    for (let unit = units - 1; unit >= 0; unit--) {
      items[at + unit] = from === undefined ? next() : (special[from + unit] as number);
    }
  }
  return arrayOn(type, items.buffer);
}

/** Zeros but for one in `oneIn` items: for operators that a long run of values saturates. */
export function sparseItems(
  type: TypeName,
  length: number,
  name: string,
  oneIn: number,
  rare: Scalar,
  usual: Scalar,
): ScalarArray {
  const next = randomBits(name);
  return valuesAs(
    type,
    Array.from({ length }, () => (next() % oneIn === 0 ? rare : usual)),
  );
}

/** An array of the type that holds these values. */
export function valuesAs(type: TypeName, values: readonly Scalar[]): ScalarArray {
  const numbers = values.map(Number);
  switch (type) {
    case "u32":
      return Uint32Array.from(numbers);
    case "i32":
      return Int32Array.from(numbers);
    case "f32":
      return Float32Array.from(numbers);
    case "f16":
      return Uint16Array.from(numbers, encodeFloat16);
    case "u64":
      return BigUint64Array.from(values, BigInt);
    case "i64":
      return BigInt64Array.from(values, BigInt);
    case "f64":
      return Float64Array.from(numbers);
    default:
      return type satisfies never;
  }
}

/** f64 of magnitudes up to 2 to this power, so that each order of additions has bits of its own. */
export function manyMagnitudes(length: number, name: string, exponents = 40): Float64Array<ArrayBuffer> {
  const next = randomBits(name);
  return Float64Array.from({ length }, () => (next() / 2 ** 32 - 0.5) * 2 ** (next() % exponents));
}

/** Random words. The same name gives the same words in a run. */
export const randomWords = (length: number, name: string): Uint32Array =>
  Uint32Array.from({ length }, randomBits(name));

/** Items of any type: any bits of a scalar; of a struct, a whole number from 1 to 1000 in every scalar of it. */
export function randomItems(type: ElementType, length: number, name: string): AnyArray {
  if (type.kind !== "struct") {
    return anyItems(type.name as TypeName, length, name);
  }
  const next = randomBits(name);
  const struct = type as StructType;
  const valueLike = (zero: unknown): unknown => {
    if (Array.isArray(zero)) {
      return zero.map(valueLike);
    }
    if (typeof zero === "object") {
      return Object.fromEntries(Object.entries(zero ?? {}).map(([key, one]) => [key, valueLike(one)]));
    }
    const value = 1 + (next() % 1000);
    return typeof zero === "bigint" ? BigInt(value) : value;
  };
  const zeros = struct.array(1).get(0);
  return struct.from(Array.from({ length }, () => valueLike(zeros) as StructValue));
}

/** The value of an integer type whose bits are all set. */
export const allBits = ({ zero, round }: ScalarType): Scalar =>
  round((typeof zero === "bigint" ? -1n : -1) as never);
