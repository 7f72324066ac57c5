import { Buffer } from "node:buffer";
import process from "node:process";
import { encodeFloat16 } from "../../src/reference/float16.ts";
import type { AnyArray } from "../../src/reference/items.ts";
import type { TypeName } from "../../src/types.ts";

/** Printed once a file; WAVEFOLD_SEED repeats a run. */
export const seed: number = Number(process.env.WAVEFOLD_SEED ?? (Math.random() * 2 ** 32) >>> 0);
console.log(`WAVEFOLD_SEED=${seed}`);

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

const specials: Record<TypeName, readonly number[]> = {
  u32: integerSpecials,
  i32: integerSpecials,
  f32: f32SpecialBits,
  f16: f16SpecialBits,
};

/** An array of the type over these bits. */
export function arrayOfBits(type: TypeName, bits: readonly number[]): AnyArray {
  switch (type) {
    case "u32":
      return Uint32Array.from(bits);
    case "i32":
      return new Int32Array(Uint32Array.from(bits).buffer);
    case "f32":
      return new Float32Array(Uint32Array.from(bits).buffer);
    case "f16":
      return Uint16Array.from(bits);
    default:
      return type satisfies never;
  }
}

/** Any bits of the type, every fourth item one of its special values. */
export function anyItems(type: TypeName, length: number, name: string): AnyArray {
  const next = randomBits(name);
  const mask = type === "f16" ? 0xffff : 0xffffffff;
  const bits = Array.from({ length }, () => {
    const row = specials[type];
    return next() % 4 === 0 ? (row[next() % row.length] ?? 0) : (next() & mask) >>> 0;
  });
  return arrayOfBits(type, bits);
}

/** Zeros but for one item in so many: for operators that a long run of values saturates. */
export function sparseItems(
  type: TypeName,
  length: number,
  name: string,
  oneIn: number,
  rare: number,
  usual: number,
): AnyArray {
  const next = randomBits(name);
  return numbersAs(
    type,
    Array.from({ length }, () => (next() % oneIn === 0 ? rare : usual)),
  );
}

/** An array of the type that holds these numbers. */
export function numbersAs(type: TypeName, numbers: readonly number[]): AnyArray {
  switch (type) {
    case "u32":
      return Uint32Array.from(numbers);
    case "i32":
      return Int32Array.from(numbers);
    case "f32":
      return Float32Array.from(numbers);
    case "f16":
      return Uint16Array.from(numbers, encodeFloat16);
    default:
      return type satisfies never;
  }
}
