import { converted } from "./literals.ts";
import type { Domain, TypeName } from "./types.ts";

/** Whether a value counts as true. NaN does, as everything that is not zero, although JavaScript takes it for false. */
export const isTrue = (value: unknown): boolean => Boolean(value) || Number.isNaN(value);

/** A domain of 0 and 1. The conversions of items are given if they are not those of values. */
const truth = (
  stored: string,
  fromValue: string,
  toValue: string,
  fromStored = fromValue,
  toStored = toValue,
): Domain =>
  converted(fromValue, toValue, {
    element: "u32",
    elementBytes: 4,
    stored,
    fromStored,
    toStored,
    literal: (value) => [isTrue(value) ? "1u" : "0u"],
  });

/** The domain of 0 and 1 that the logical operators combine in, for each type. */
export const truths = {
  u32: /* @__PURE__ */ truth("u32", "u32(x != 0)", "u32(x)"),
  i32: /* @__PURE__ */ truth("i32", "u32(x != 0)", "i32(x)"),
  f32: /* @__PURE__ */ truth(
    "u32",
    "select(0u, 1u, (bitcast<u32>(x) & 0x7fffffffu) != 0u)",
    "f32(x)",
    "select(0u, 1u, (x & 0x7fffffffu) != 0u)",
    "select(0u, 0x3f800000u, x != 0u)",
  ),
  f16: /* @__PURE__ */ truth("f16", "select(0u, 1u, (bits_from_f16(x) & 0x7fffu) != 0u)", "f16(x)"),
  u64: /* @__PURE__ */ truth("vec2<u32>", "select(0u, 1u, (x.x | x.y) != 0u)", "vec2<u32>(x, 0u)"),
  i64: /* @__PURE__ */ truth("vec2<u32>", "select(0u, 1u, (x.x | x.y) != 0u)", "vec2<u32>(x, 0u)"),
  f64: /* @__PURE__ */ truth(
    "vec2<u32>",
    "select(0u, 1u, (x.x | (x.y & 0x7fffffffu)) != 0u)",
    "vec2<u32>(0u, select(0u, 0x3ff00000u, x != 0u))",
  ),
} as const satisfies Record<TypeName, Domain>;
