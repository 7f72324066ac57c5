import { randomBits } from "../../support/random.ts";

/** Zeros, subnormals, whole and half numbers, numbers beside powers of two, limits of integers, infinities, NaN with bits of their own. */
const f32Magnitudes = [
  0, 1, 2, 0x007fffff, 0x00800000, 0x00800001, 0x33800000, 0x33800001, 0x387ff000, 0x387fffff, 0x3e800000,
  0x3eaaaaab, 0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x40000000,
  0x40200000, 0x40490fdb, 0x42c80000, 0x46fffe00, 0x477fefff, 0x477ff000, 0x4b000000, 0x4b000001, 0x4b800000,
  0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x7effffff, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000,
  0x7fedcba9,
] as const;
const f16Magnitudes = [
  0, 1, 2, 0x03ff, 0x0400, 0x0401, 0x1400, 0x37ff, 0x3800, 0x3801, 0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x4000,
  0x4100, 0x4248, 0x5640, 0x63ff, 0x6400, 0x6401, 0x6800, 0x77ff, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7d55,
] as const;

export const specialIntegers: readonly number[] = [
  0, 1, 2, 3, 5, 7, 8, 31, 32, 33, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000, 0x00ffffff,
  0x01000001, 0x55555555, 0x7fffff80, 0x7fffffff, 0x80000000, 0x80000001, 0xaaaaaaaa, 0xfffffeff, 0xffffff00,
  0xffff8000, 0xfffffffe, 0xffffffff,
].map((word) => word | 0);

export const specialFloats: Readonly<Record<"f32" | "f16", readonly number[]>> = {
  f32: f32Magnitudes.flatMap((word) => [word, word | 0x80000000]),
  f16: f16Magnitudes.flatMap((word) => [word, word | 0x8000]),
};

export type WordType = "i32" | "u32" | "f32" | "f16" | "bool";

export const specialWords = (type: WordType): readonly number[] =>
  type === "bool" ? [0, 1] : type === "f32" || type === "f16" ? specialFloats[type] : specialIntegers;

/** What gives random words of a type: any bits, or floats of like magnitudes, which cancel and carry. */
export function randomWord(type: WordType, name: string): () => number {
  const next = randomBits(name);
  return () => {
    const word = next();
    const near = next() % 2 === 0;
    switch (type) {
      case "f32":
        return near ? (word & 0x81ffffff) | 0x3f000000 : word | 0;
      case "f16":
        return near ? (word & 0x87ff) | 0x3800 : word & 0xffff;
      case "bool":
        return word & 1;
      default:
        return near ? (word | 0) >> (next() % 32) : word | 0;
    }
  };
}

/** All pairs of special words, then random ones. */
export function* pairsOf(type: WordType, name: string, count: number): Generator<readonly [number, number]> {
  const specials = specialWords(type);
  for (const a of specials) {
    for (const b of specials) {
      yield [a, b];
    }
  }
  const next = randomWord(type, name);
  for (let at = 0; at < count; at++) {
    yield [next(), next()];
  }
}

/** A word as it is told in a failure. */
export const hex = (word: number): string => `0x${(word >>> 0).toString(16)}`;
