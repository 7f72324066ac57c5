import type { Type } from "../../text/wgsl_types.ts";
import { f16Word, f32Word } from "../numbers/words.ts";
import type { Operand, Scalar, WordText } from "./operand.ts";
import { applied, scalarOf } from "./operand.ts";

const same = (a = ""): string => a;
const isSet = (a = ""): string => `(${a} !== 0 ? 1 : 0)`;

/** From the first type to the second. */
const conversions = {
  bool: {
    bool: same,
    i32: same,
    u32: same,
    f32: (a) => `(${a} !== 0 ? 1065353216 : 0)`,
    f16: (a) => `(${a} !== 0 ? 15360 : 0)`,
  },
  i32: { bool: isSet, i32: same, u32: same, f32: "i32_to_f32", f16: "i32_to_f16" },
  u32: { bool: isSet, i32: same, u32: same, f32: "u32_to_f32", f16: "u32_to_f16" },
  f32: {
    bool: (a) => `((${a} & 2147483647) !== 0 ? 1 : 0)`,
    i32: "f32_to_i32",
    u32: "f32_to_u32",
    f32: same,
    f16: "f32_to_f16",
  },
  f16: {
    bool: (a) => `((${a} & 32767) !== 0 ? 1 : 0)`,
    i32: "f16_to_i32",
    u32: "f16_to_u32",
    f32: "f16_to_f32",
    f16: same,
  },
} satisfies Readonly<Record<Scalar, Readonly<Record<Scalar, WordText>>>>;

/** A value converted as `u32(x)`, `f32(x)` or `bool(x)` converts it. */
export const convertText = (from: Scalar, to: Scalar, a: string): string =>
  applied(conversions[from][to], [a]);

/** The word of a constant: integers wrap around, floats are rounded to nearest even. */
export function constantWord(type: Scalar, value: bigint | number | boolean): number {
  switch (type) {
    case "bool":
      return value ? 1 : 0;
    case "i32":
    case "u32":
      return typeof value === "bigint"
        ? Number(BigInt.asIntN(32, value))
        : nearestInteger(type, Number(value));
    case "f32":
      return f32Word(numberOf(value));
    case "f16":
      return f16Word(numberOf(value));
    default:
      return type satisfies never;
  }
}

/** A fraction is cut off, and what is out of range becomes the nearest value of the type. NaN becomes 0. */
const nearestInteger = (type: "i32" | "u32", value: number): number =>
  (type === "i32"
    ? Math.min(Math.max(value, -(2 ** 31)), 2 ** 31 - 1)
    : Math.min(Math.max(value, 0), 2 ** 32 - 1)) | 0;

/** Below this, every whole number is a number of binary64. */
const EXACT = 2n ** 53n;

/**
 * A constant as a number that rounds to a float as the constant itself does: what a long integer has below 2^11 is replaced by one bit there
 * that says whether there was anything.
 */
function numberOf(value: bigint | number | boolean): number {
  if (typeof value !== "bigint") {
    return Number(value);
  }
  const magnitude = value < 0n ? -value : value;
  const low = magnitude % 2048n;
  const kept = magnitude < EXACT || low === 0n ? magnitude : (magnitude - low) | 2048n;
  return Number(value < 0n ? -kept : kept);
}

/** The bits of a value as a value of another type of as many bits. Of two f16 in a word, the first has the low half. */
export function bitcastWords({ type, words }: Operand, result: Type): readonly string[] {
  const from = scalarOf(type) === "f16";
  const to = scalarOf(result) === "f16";
  if (from === to) {
    return words;
  }
  if (to) {
    return words.flatMap((word) => [`(${word} & 65535)`, `(${word} >>> 16)`]);
  }
  return words.flatMap((word, index) => (index % 2 === 0 ? [`(${word} | ${words[index + 1]} << 16)`] : []));
}
