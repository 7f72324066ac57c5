import { test } from "vitest";
import { check, testArithmetic } from "./arithmetic.ts";
import { f16 } from "./rationals.ts";

testArithmetic(f16);

test("clamp takes the lower bound of NaN, and saturate 0", () => {
  check("f16_clamp", [0x7e01, 0x3c00, 0x4000], 0x3c00);
  check("f16_clamp", [0x4200, 0x3c00, 0x4000], 0x4000);
  check("f16_saturate", [0xfe01], 0);
  check("f16_saturate", [0x4000], 0x3c00);
  check("f16_saturate", [0x3400], 0x3400);
});
