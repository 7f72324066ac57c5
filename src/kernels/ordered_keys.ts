import binary64Keys from "#shaders/device/keys/binary64_keys.wgsl";
import floatKeys from "#shaders/device/keys/float_keys.wgsl";
import { bitsOfFloat } from "../algebra/float_bits.ts";
import { hex } from "../algebra/literals.ts";
import type { Scalar, ScalarType, TypeName } from "../algebra/types.ts";
import type { Source, SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { carriedAs, conversion } from "./contract.ts";

// Keys are unsigned integers in the order of a type's values. Both zeros of a float type have one key, and NaN has the last.

/** The key of an item as it is carried, `x`, in WGSL. */
const keyTexts: Readonly<Record<TypeName, readonly [text: string, files: readonly SourceText[]]>> = {
  u32: ["x", []],
  i32: ["x ^ 0x80000000u", []],
  f32: ["key_from_f32_bits(x)", [floatKeys]],
  f16: ["key_from_f16_bits(bits_from_f16(x))", [floatKeys]],
  u64: ["x", []],
  i64: ["x ^ vec2<u32>(0u, 0x80000000u)", []],
  f64: ["key_from_f64_bits(x)", [binary64Keys]],
};

const isWide = (type: ScalarType): boolean => type.bytes === 8;

/** `Key`, `key_of` for an item, and `is_less` for two keys. It is linked with the type's files. */
export function keySources(type: ScalarType): readonly Source[] {
  const [text, files] = keyTexts[type.name];
  const key = isWide(type) ? "vec2<u32>" : "u32";
  return [
    generated(
      [
        `alias Key = ${key};`,
        conversion("key_of", carriedAs(type), "Key", text),
        "fn is_less(a: Key, b: Key) -> bool {",
        `  return ${isWide(type) ? "less_u64(a, b)" : "a < b"};`,
        "}",
      ].join("\n"),
    ),
    ...files,
  ];
}

/** The key of a value of the type. Integers of less than 64 bits may be numbers. */
export function keyOfValue(type: ScalarType, value: Scalar): bigint {
  if (type.kind !== "float") {
    return BigInt(value) - BigInt(type.lowest);
  }
  const number = Number(value);
  const sign = 1n << BigInt(type.bytes * 8 - 1);
  const word = bitsOfFloat(type, number);
  return Number.isNaN(number)
    ? (1n << BigInt(isWide(type) ? 64 : 32)) - 1n
    : word >= sign
      ? sign + sign - word
      : sign + word;
}

/** A key in WGSL. */
export const keyText = (type: ScalarType, key: bigint): string =>
  isWide(type)
    ? `vec2<u32>(${hex(Number(key & 0xffffffffn))}, ${hex(Number(key >> 32n))})`
    : hex(Number(key));

/** Keys as a buffer holds them. It has one word at least, so that it can be bound. */
export function keyWords(type: ScalarType, keys: readonly bigint[]): Uint32Array {
  const words = new Uint32Array(Math.max(2, keys.length * (isWide(type) ? 2 : 1)));
  keys.forEach((key, at) => {
    if (isWide(type)) {
      words[2 * at] = Number(key & 0xffffffffn);
      words[2 * at + 1] = Number(key >> 32n);
    } else {
      words[at] = Number(key);
    }
  });
  return words;
}
