import { expect, test } from "vitest";
import { formatTime, threeDigits } from "../../site/timing.ts";

test("times and ratios have three digits, and no exponent", () => {
  expect([0.5, 1.024, 33.76, 999.4, 1730, 26_543].map(threeDigits)).toEqual([
    "0.500",
    "1.02",
    "33.8",
    "999",
    "1,730",
    "26,500",
  ]);
  expect([0.25, 999.4, 999.7, 80_000, 999_400, 999_700, 2e9].map(formatTime)).toEqual([
    "0.250 µs",
    "999 µs",
    "1.00 ms",
    "80.0 ms",
    "999 ms",
    "1.00 s",
    "2,000 s",
  ]);
});
