import { valuesOf } from "../src/algebra/array_values.ts";
import type { ScalarArray } from "../src/algebra/arrays.ts";
import { problemOf } from "../src/algebra/check_value.ts";
import type { Scalar } from "../src/algebra/types.ts";
import type { TypeName } from "../src/index.ts";
import { ArgumentError, elementTypes } from "../src/index.ts";
import { encodeFloat16 } from "../src/reference/index.ts";

/** Arrays of each type, f16 as bits. */
export const arrayTypes = {
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f16: Uint16Array,
  u64: BigUint64Array,
  i64: BigInt64Array,
  f64: Float64Array,
} as const satisfies Record<TypeName, unknown>;

/** An array of a type, from what each place holds. */
export function arrayOf(type: TypeName, length: number, valueAt: (index: number) => Scalar): ScalarArray {
  const array = new arrayTypes[type](length);
  for (let index = 0; index < length; index++) {
    const value = elementTypes[type].round(valueAt(index) as never) as Scalar;
    array[index] = type === "f16" ? encodeFloat16(value as number) : value;
  }
  return array;
}

export const isWide = (type: TypeName): boolean => type === "u64" || type === "i64";
const isFloat = (type: TypeName): boolean => elementTypes[type].kind === "float";

/** What the page can fill an array with. */
export const sources = {
  random: "random numbers",
  counting: "1 2 3 4 …",
  ones: "1 1 1 1 …",
  runs: "runs: 0 1 1 1 2 2 2 2 2 3 …",
  typed: "numbers that I type or paste",
  npy: "a NumPy file (.npy)",
} as const;

/** Random numbers that a result can be told by: products of floats stay near 1. */
export function randomArray(type: TypeName, op: string, length: number, seed: number): ScalarArray {
  let state = seed | 0;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 8) / 2 ** 24;
  };
  const small = type !== "u32" && type !== "u64" ? 200 : 100;
  const value = (): number =>
    !isFloat(type)
      ? op === "mul"
        ? 2 * Math.floor(random() * 50) + 1
        : Math.floor(random() * small) - (small - 100)
      : op === "mul"
        ? 1 + (random() - 0.5) / 64
        : random() * 2 - 1;
  return arrayOf(type, length, () => (isWide(type) ? BigInt(value()) : value()));
}

/** 1 2 3 …, or 1 1 1 …. */
export const countingArray = (type: TypeName, length: number, same: boolean): ScalarArray =>
  arrayOf(type, length, (index) => {
    const value = same ? 1 : index + 1;
    return isWide(type) ? BigInt(value) : value;
  });

/** Runs, each longer than the one before: 0, three times 1, five times 2 and so on, and after 9 from 0 again. */
export const runsArray = (type: TypeName, length: number): ScalarArray =>
  arrayOf(type, length, (index) => {
    const value = Math.floor(Math.sqrt(index)) % 10;
    return isWide(type) ? BigInt(value) : value;
  });

const takes = {
  u32: "whole numbers from 0 to 4294967295",
  i32: "whole numbers from -2147483648 to 2147483647",
  u64: "whole numbers from 0 to 18446744073709551615",
  i64: "whole numbers from -9223372036854775808 to 9223372036854775807",
  f32: "numbers",
  f16: "numbers",
  f64: "numbers",
} as const satisfies Record<TypeName, string>;

const floatNames: Readonly<Record<string, number>> = {
  inf: Infinity,
  "+inf": Infinity,
  "-inf": -Infinity,
  infinity: Infinity,
  "-infinity": -Infinity,
  nan: Number.NaN,
};

/**
 * One value as it is typed.
 *
 * @throws {ArgumentError} when it is none of the type.
 */
export function parseValue(text: string, type: TypeName, what: string): Scalar {
  const wrong = (): ArgumentError =>
    new ArgumentError(`${what} is “${text.slice(0, 40)}”; ${type} takes ${takes[type]}`);
  if (isFloat(type)) {
    const value = floatNames[text.toLowerCase()] ?? Number(text);
    if (text.trim() === "" || (Number.isNaN(value) && text.toLowerCase() !== "nan")) {
      throw wrong();
    }
    return elementTypes[type].round(value as never) as number;
  }
  if (!/^[+-]?(\d+|0x[\da-f]+)$/i.test(text)) {
    throw wrong();
  }
  const negative = text.startsWith("-");
  const digits = BigInt(text.replace(/^[+-]/, ""));
  const value: Scalar = isWide(type) ? (negative ? -digits : digits) : Number(negative ? -digits : digits);
  // A whole number has no −0.
  const whole = value === 0 ? 0 : value;
  if (problemOf(elementTypes[type], whole) !== undefined) {
    throw wrong();
  }
  return whole;
}

/** Words of numbers that are typed or pasted, divided by spaces, commas, semicolons or lines. */
const wordsOf = (text: string): string[] => text.split(/[\s,;[\]()]+/).filter((word) => word !== "");

/** Numbers of no type. Whole ones that a double has no room for are bigints. */
export const parseList = (text: string): Scalar[] =>
  wordsOf(text).map((word, index) =>
    /^[+-]?\d+$/.test(word) && !Number.isSafeInteger(Number(word))
      ? BigInt(word.replace("+", ""))
      : parseValue(word, "f64", `Number ${index + 1}`),
  );

/** Numbers of a type. */
export function parseNumbers(text: string, type: TypeName): ScalarArray {
  const values = wordsOf(text).map((word, index) => parseValue(word, type, `Number ${index + 1}`));
  return arrayOf(type, values.length, (index) => values[index] as Scalar);
}

/** The values of an array, whether it holds them or their bits. */
export const readerOf = (data: ScalarArray, type: TypeName): ((index: number) => Scalar) =>
  valuesOf(data, elementTypes[type]) as (index: number) => Scalar;

/** A value as the tables show it. */
export function show(value: Scalar): string {
  if (typeof value === "bigint" || Number.isInteger(value)) {
    return Object.is(value, -0) ? "-0" : String(value);
  }
  return Number.isFinite(value) ? String(Number(value.toPrecision(7))) : String(value);
}
