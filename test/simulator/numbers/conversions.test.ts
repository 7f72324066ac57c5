import { test } from "vitest";
import { check } from "./arithmetic.ts";
import type { Exact, Format } from "./rationals.ts";
import { compared, decoded, f16, f32, infinite, rounded, truncated, whole } from "./rationals.ts";
import { randomWord, specialFloats, specialIntegers } from "./special_words.ts";

/** The greatest integers that floats become are floats themselves: https://www.w3.org/TR/WGSL/#floating-point-conversion */
const limits = {
  f32: { i32: [-(2n ** 31n), 2147483520n], u32: [0n, 4294967040n] },
  f16: { i32: [-65504n, 65504n], u32: [0n, 65504n] },
} as const;

function integerOf(x: Exact, [least, greatest]: readonly [bigint, bigint]): number {
  if (x.kind === "NaN") {
    return 0;
  }
  const cut = truncated(x);
  const isBelow = (compared(cut, whole(least)) ?? 0) < 0;
  const isAbove = (compared(cut, whole(greatest)) ?? 0) > 0;
  const inside = cut.kind === "finite" ? (cut.isNegative ? -cut.n : cut.n) : 0n;
  return Number(BigInt.asIntN(32, isBelow ? least : isAbove ? greatest : inside));
}

const some = (type: "i32" | "f32" | "f16", count: number): readonly number[] => {
  const next = randomWord(type, `conversions of ${type}`);
  return Array.from({ length: count }, next);
};

test.each([f32, f16])("$name becomes an integer toward zero, within limits", (format: Format) => {
  // Every f16, so its subnormals and whole numbers, too.
  const operands =
    format === f16
      ? Array.from({ length: 2 ** 16 }, (_, at) => at)
      : [...specialFloats.f32, ...some("f32", 4000)];
  for (const a of operands) {
    const x = decoded(a, format);
    check(`${format.name}_to_i32`, [a], integerOf(x, limits[format.name].i32));
    check(`${format.name}_to_u32`, [a], integerOf(x, limits[format.name].u32));
  }
});

test("integers become the nearest float", () => {
  for (const a of [
    ...specialIntegers,
    ...some("i32", 2000),
    0x1000001,
    0x3000001,
    2049,
    2051,
    65519,
    65520,
  ]) {
    for (const format of [f32, f16]) {
      check(`i32_to_${format.name}`, [a], rounded(whole(BigInt.asIntN(32, BigInt(a))), format));
      check(`u32_to_${format.name}`, [a], rounded(whole(BigInt.asUintN(32, BigInt(a))), format));
    }
  }
});

test("f32 becomes the nearest f16, from 65520 on infinity; f16 stays what it is", () => {
  for (const a of [...specialFloats.f32, ...some("f32", 6000)]) {
    const half = rounded(decoded(a, f32), f16);
    check("f32_to_f16", [a], half);
    check("f32_quantize_to_f16", [a], rounded(decoded(half, f16), f32));
  }
  for (let a = 0; a < 2 ** 16; a++) {
    check("f16_to_f32", [a], rounded(decoded(a, f16), f32));
  }
  check("f32_to_f16", [rounded(infinite(true), f32)], 0xfc00);
});
