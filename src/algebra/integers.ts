import type { Literal, ScalarType } from "./types.ts";

/** 32-bit unsigned integers; arithmetic wraps. */
export const u32: ScalarType<"u32", number> = {
  name: "u32",
  kind: "unsigned",
  bytes: 4,
  value: "u32",
  zero: 0,
  one: 1,
  lowest: 0,
  greatest: 0xffffffff,
  round: (value) => value >>> 0,
  files: [],
  native: {
    element: "u32",
    elementBytes: 4,
    literal: (value) => [`${value >>> 0}u`],
  },
} satisfies ScalarType<"u32", number>;

const signedLiteral = (value: number): Literal =>
  // WGSL has no literal for the least i32: the minus sign is an operator.
  [value === -0x80000000 ? "-2147483647i - 1i" : `${value | 0}i`];

/** 32-bit signed integers; arithmetic wraps. */
export const i32: ScalarType<"i32", number> = {
  name: "i32",
  kind: "signed",
  bytes: 4,
  value: "i32",
  zero: 0,
  one: 1,
  lowest: -0x80000000,
  greatest: 0x7fffffff,
  round: (value) => value | 0,
  carried: "u32",
  fromCarried: "bitcast<i32>(x)",
  files: [],
  native: { element: "i32", elementBytes: 4, literal: signedLiteral },
} satisfies ScalarType<"i32", number>;
