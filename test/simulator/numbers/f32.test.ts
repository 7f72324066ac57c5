import { expect, test } from "vitest";
import { call, check, checkFma, testArithmetic } from "./arithmetic.ts";
import { f32 } from "./rationals.ts";

testArithmetic(f32);

const GREATEST = 0x7f7fffff;

test("fma overflows from the middle behind the greatest number on", () => {
  // 2^103 is half a step of the greatest number. 2^52 (1 + 2^-23) · 2^51 (1 - 2^-23) is less by 2^57.
  const [a, b] = [((52 + 127) << 23) + 1, ((51 + 126) << 23) + 0x7ffffe];
  expect(call("f32_fma", a, b, GREATEST)).toBe(GREATEST);
  expect(call("f32_fma", a, b | 0x80000000, GREATEST | 0x80000000)).toBe(GREATEST | 0x80000000);
  expect(call("f32_fma", (52 + 127) << 23, (51 + 127) << 23, GREATEST)).toBe(0x7f800000);
  checkFma([a, b, GREATEST], f32);
});

test("clamp takes the lower bound of NaN, and saturate 0", () => {
  check("f32_clamp", [0x7fc00001, 0x3f800000, 0x40000000], 0x3f800000);
  check("f32_clamp", [0x40400000, 0x3f800000, 0x40000000], 0x40000000);
  check("f32_clamp", [0xbf800000 | 0, 0x3f800000, 0x40000000], 0x3f800000);
  check("f32_clamp", [0x3fc00000, 0x3f800000, 0x40000000], 0x3fc00000);
  check("f32_saturate", [0x7fc00001], 0);
  check("f32_saturate", [0x40000000], 0x3f800000);
  check("f32_saturate", [0x3e800000], 0x3e800000);
});
