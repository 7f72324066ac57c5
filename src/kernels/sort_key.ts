import keysOfOne from "#shaders/device/select/keys.wgsl";
import keysOfPairs from "#shaders/device/select/keys_of_pairs.wgsl";
import digitsOfKey from "#shaders/device/sort/digits.wgsl";
import digitsOfPairs from "#shaders/device/sort/digits_of_pairs.wgsl";
import { expressionFiles, typeFiles } from "../algebra/expression_files.ts";
import type { ParamsSeen } from "../algebra/seen_params.ts";
import type { ElementType, ScalarType, TypeName } from "../algebra/types.ts";
import type { Constants } from "../text/module.ts";
import type { Source, SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { conversion, valueFromItem } from "./contract.ts";
import { textFunction } from "./text_function.ts";

// The keys of sorts and of selections, and their digits.

/** What is sorted by: the items themselves, or a caller's WGSL over each item, which gives a value of a type. */
export interface SortKey extends ParamsSeen {
  readonly type: ScalarType;
  readonly descending: boolean;
  readonly text?: string | undefined;
}

/** The bits of the keys that are sorted by, as digits from the lowest on. */
export interface Digits {
  /** The first bit, and how many there are. */
  readonly from: number;
  readonly bits: number;
  /** The bits of a digit. The last one may have fewer. */
  readonly each: number;
  readonly count: number;
}

/** The digits of a range of a key's bits, of at most `most` bits each. The last digit may have fewer bits than the others. */
export function digitsOf([from, to]: readonly [number, number], most: number): Digits {
  const bits = to - from;
  const count = Math.ceil(bits / most);
  return { from, bits, each: Math.ceil(bits / count), count };
}

/** The constants of digits, by their names in shaders. */
export const digitConstants = ({ from, bits, each, count }: Digits): Constants => ({
  FIRST_BIT: from,
  DIGIT_BITS: each,
  DIGITS: count,
  RADIX: 2 ** each,
  LAST_DIGIT: 2 ** (bits - (count - 1) * each) - 1,
});

/** Bits of an item's key. */
export const keyBits = (type: ScalarType): number => type.bytes * 8;

/** Words of a key. */
export const wordsPerKey = (type: ScalarType): 1 | 2 => (type.bytes === 8 ? 2 : 1);

/** The bits of keys that count, in WGSL. */
export function keyBitsText({ key, digits }: { readonly key: SortKey; readonly digits: Digits }): string {
  const mask = ((1n << BigInt(digits.bits)) - 1n) << BigInt(digits.from);
  const masks = Array.from(
    { length: wordsPerKey(key.type) },
    (_, at) => `${(mask >> BigInt(32 * at)) & 0xffff_ffffn}u`,
  );
  return `fn key_bits() -> Key {\n  return Key(${masks.join(", ")});\n}`;
}

/** WGSL for the key of an item `x` as it is carried, and of a value `x`. Keys have the order of the values, and NaN the last. */
const orders: Readonly<Record<TypeName, readonly [carried: string, value: string]>> = {
  u32: ["x", "x"],
  i32: ["x ^ 0x80000000u", "bitcast<u32>(x) ^ 0x80000000u"],
  f32: ["order_from_f32_bits(x, 0xffffffffu)", "order_from_f32_bits(bitcast<u32>(x), 0xffffffffu)"],
  f16: ["order_from_f16_bits(bits_from_f16(x), 0xffffu)", "order_from_f16_bits(bits_from_f16(x), 0xffffu)"],
  u64: ["x", "x"],
  i64: ["x ^ vec2<u32>(0u, 0x80000000u)", "x ^ vec2<u32>(0u, 0x80000000u)"],
  f64: ["order_from_f64_bits(x, vec2<u32>(~0u))", "order_from_f64_bits(x, vec2<u32>(~0u))"],
};

/** WGSL for the key of an item `x` as it is carried, or of a value `x`, in the order of a sort. */
export function orderText({ type, descending }: SortKey, of: "carried" | "value" = "carried"): string {
  const text = orders[type.name][of === "carried" ? 0 : 1];
  return descending ? `~(${text})` : text;
}

/** Declares `Key`: its words, the low one first. */
export const keyAlias = ({ type }: SortKey): string =>
  `alias Key = ${wordsPerKey(type) === 2 ? "vec2<u32>" : "u32"};`;

/** Declares `Key`, and `key_from_item` for an `Input` that carries an item of the type. */
export function keySourcesOf(type: ElementType, key: SortKey): readonly Source[] {
  const alias = keyAlias(key);
  const files = filesOf(type, key);
  return key.text === undefined
    ? [generated([alias, conversion("key_from_item", "Input", "Key", orderText(key))].join("\n")), ...files]
    : [
        generated(
          [
            alias,
            conversion("key_from_item", "Input", "Key", "order_of(key_value(value_from_item(x)))"),
            conversion("order_of", key.type.native.element, "Key", orderText(key, "value")),
            valueFromItem(type),
          ].join("\n"),
        ),
        ...textFunction({
          name: "key_value",
          title: "the key",
          text: key.text,
          parameters: { x: type },
          result: key.type,
          params: key.params,
        }),
        ...files,
      ];
}

const filesOf = (type: ElementType, key: SortKey): readonly SourceText[] =>
  (key.text === undefined ? typeFiles : expressionFiles)(type, key.type);

/** Declares the order of keys, and their bits and words. */
export const orderFile = ({ type }: SortKey): SourceText =>
  wordsPerKey(type) === 2 ? keysOfPairs : keysOfOne;

/** Declares `digit_of` a key. */
export const digitSources = ({ type }: SortKey): readonly SourceText[] => [
  digitsOfKey,
  ...(wordsPerKey(type) === 2 ? [digitsOfPairs] : []),
];
