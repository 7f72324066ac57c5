import { expect, test } from "vitest";
import { randomBits } from "../../support/random.ts";
import { call, check, checkFma, testArithmetic } from "./arithmetic.ts";
import { f32 } from "./rationals.ts";

testArithmetic(f32);

const GREATEST = 0x7f7fffff;

test("fma is right beside the middles between two numbers, where binary64 rounds the sum onto the middle", () => {
  const next = randomBits("beside the middle");
  for (let at = 0; at < 4000; at++) {
    // The product is half a step of the addend, but for one part in 2^40 and more: (1 + x)(1 - x) is 1 - x², where x is some steps.
    const steps = 1 + (next() % 4);
    const isSubnormal = at % 8 === 0;
    const exponent = 1 + (next() % 250);
    const addend = isSubnormal ? next() & 0xffffff : (exponent << 23) | (next() & 0x7fffff);
    const power = isSubnormal ? -150 : exponent - 127 - 24;
    const [high, low] = [Math.floor(power / 2), Math.ceil(power / 2)];
    const a = ((high + 127) << 23) + steps;
    const below = ((low + 126) << 23) + (0x800000 - 2 * steps);
    const above = ((low + 127) << 23) + steps;
    for (const b of [below, below | 0x80000000, above, above | 0x80000000]) {
      checkFma([a, b, addend], f32);
      checkFma([b, a, addend | 0x80000000], f32);
    }
  }
});

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
