import { describe, expect, test } from "vitest";
import type { Operand, Scalar } from "../../src/simulator/builtin_texts.ts";
import {
  binaryText,
  builtinWords,
  constantWord,
  convertText,
  matrixText,
  unaryText,
} from "../../src/simulator/builtin_texts.ts";
import { f16Number, f32Number } from "../../src/simulator/numbers/words.ts";
import type { BinaryOperator } from "../../src/text/syntax.ts";
import type { Type } from "../../src/text/wgsl_types.ts";
import { scalar, unknown } from "../../src/text/wgsl_types.ts";
import { functions } from "./numbers/rationals.ts";

type Shape = number | readonly [columns: number, rows: number];

const typeOf = (name: Scalar, shape: Shape): Type =>
  typeof shape !== "number"
    ? { kind: "matrix", columns: shape[0], rows: shape[1], of: scalar(name) }
    : shape === 1
      ? scalar(name)
      : { kind: "vector", count: shape, of: scalar(name) };

/** An operand of literals. */
const literals = (
  name: Scalar,
  values: readonly (number | boolean)[],
  shape: Shape = values.length,
): Operand => ({
  type: typeOf(name, shape),
  words: values.map((value) => String(constantWord(name, value))),
});

/** What texts give, all of them computed by one function. */
function allEvaluated(texts: readonly string[]): readonly unknown[] {
  const body = `"use strict"; return [${texts.join(",\n")}];`;
  return new Function(...Object.keys(functions), body)(...Object.values(functions));
}

const evaluated = (text: string): number => Number(allEvaluated([text])[0]);

const numberOf = { f32: f32Number, f16: f16Number } as const;

/** The numbers that a function's words stand for. */
function numbers(words: readonly string[] | undefined, name: "f32" | "f16"): readonly number[] {
  return (words ?? []).map((word) => numberOf[name](evaluated(word)));
}

describe.each(["f32", "f16"] as const)("vectors and matrices of %s", (name) => {
  const of = (...values: number[]): Operand => literals(name, values);
  const call = (called: string, ...operands: Operand[]): readonly number[] =>
    numbers(builtinWords(called, operands, unknown), name);

  test.each<readonly [called: string, operands: readonly (readonly number[])[], result: readonly number[]]>([
    [
      "dot",
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      [32],
    ],
    ["length", [[3, 4]], [5]],
    ["length", [[-3]], [3]],
    ["length", [[1, -1, 1, -1]], [2]],
    [
      "distance",
      [
        [5, 7],
        [2, 3],
      ],
      [5],
    ],
    ["distance", [[5], [7]], [2]],
    [
      "cross",
      [
        [1, 0, 0],
        [0, 1, 0],
      ],
      [0, 0, 1],
    ],
    [
      "cross",
      [
        [1, 2, 3],
        [3, 5, 7],
      ],
      [-1, 2, -1],
    ],
    ["normalize", [[0, 2, 0, 0]], [0, 1, 0, 0]],
    ["normalize", [[1, -1, 1, 1]], [0.5, -0.5, 0.5, 0.5]],
    [
      "reflect",
      [
        [1, -1],
        [0, 1],
      ],
      [1, 1],
    ],
    ["refract", [[0, -1], [0, 1], [0.5]], [0, -1]],
    ["refract", [[1, 0], [0, 1], [2]], [0, 0]],
    [
      "faceForward",
      [
        [1, -2],
        [0, 1],
        [0, -1],
      ],
      [1, -2],
    ],
    [
      "faceForward",
      [
        [1, -2],
        [0, 1],
        [0, 1],
      ],
      [-1, 2],
    ],
    ["mix", [[1, 2], [3, 6], [0.25]], [1.5, 3]],
    [
      "mix",
      [
        [1, 2],
        [3, 6],
        [0.25, 0.5],
      ],
      [1.5, 4],
    ],
    ["modf", [[1.5, -2.25]], [0.5, -0.25, 1, -2]],
    [
      "clamp",
      [
        [1, 5, 9],
        [2, 2, 2],
        [7, 7, 7],
      ],
      [2, 5, 7],
    ],
    [
      "fma",
      [
        [2, 3],
        [4, 5],
        [1, -1],
      ],
      [9, 14],
    ],
  ])("%s of %j", (called, operands, result) => {
    expect(call(called, ...operands.map((values) => of(...values)))).toEqual(result);
  });

  test("frexp gives fractions, then exponents, which are i32; ldexp takes such", () => {
    const words = builtinWords("frexp", [of(6, -0.375)], unknown) ?? [];
    expect(numbers(words.slice(0, 2), name)).toEqual([0.75, -0.75]);
    expect(words.slice(2).map(evaluated)).toEqual([3, -1]);
    expect(call("ldexp", of(0.75, -0.75), literals("i32", [3, -1]))).toEqual([6, -0.375]);
  });

  test("select takes a condition for all components, or one for each", () => {
    expect(call("select", of(1, 2), of(3, 4), literals("bool", [true]))).toEqual([3, 4]);
    expect(call("select", of(1, 2), of(3, 4), literals("bool", [false, true]))).toEqual([1, 4]);
  });

  test("matrices: products, sums, transposes and determinants, by columns", () => {
    // 1 3 5      1 4
    // 2 4 6      2 5
    //            3 6
    const wide = literals(name, [1, 2, 3, 4, 5, 6], [3, 2]);
    const tall = literals(name, [1, 2, 3, 4, 5, 6], [2, 3]);
    const product = (left: Operand, right: Operand, shape: Shape, operator: BinaryOperator = "*") =>
      numbers(matrixText(operator, left, right, typeOf(name, shape)), name);
    expect(product(wide, tall, [2, 2])).toEqual([22, 28, 49, 64]);
    expect(product(tall, wide, [3, 3])).toEqual([9, 12, 15, 19, 26, 33, 29, 40, 51]);
    expect(product(wide, of(1, 10, 100), 2)).toEqual([531, 642]);
    expect(product(of(1, 10), wide, 3)).toEqual([21, 43, 65]);
    expect(product(wide, of(2), [3, 2])).toEqual([2, 4, 6, 8, 10, 12]);
    expect(product(of(2), wide, [3, 2])).toEqual([2, 4, 6, 8, 10, 12]);
    expect(product(wide, wide, [3, 2], "+")).toEqual([2, 4, 6, 8, 10, 12]);
    expect(product(wide, wide, [3, 2], "-")).toEqual([0, 0, 0, 0, 0, 0]);
    expect(call("transpose", wide)).toEqual([1, 3, 5, 2, 4, 6]);
    expect(call("determinant", literals(name, [2, 1, 0, 1, 3, 1, 0, 1, 4], [3, 3]))).toEqual([18]);
  });
});

test("integers: each operator and function, of literals", () => {
  const [i, u] = [(value: number) => literals("i32", [value]), (value: number) => literals("u32", [value])];
  const call = (name: string, ...operands: Operand[]): readonly number[] =>
    (builtinWords(name, operands, unknown) ?? []).map(evaluated);
  expect(call("abs", i(-5))).toEqual([5]);
  expect(call("abs", i(-(2 ** 31)))).toEqual([-(2 ** 31)]);
  expect(call("max", u(0xffffffff), u(1))).toEqual([-1]);
  expect(call("max", i(-1), i(1))).toEqual([1]);
  expect(call("firstLeadingBit", i(-2))).toEqual([0]);
  expect(call("firstLeadingBit", i(-1))).toEqual([-1]);
  expect(call("firstLeadingBit", u(0xffffffff))).toEqual([31]);
  expect(call("firstTrailingBit", i(-8))).toEqual([3]);
  expect(call("firstTrailingBit", u(0))).toEqual([-1]);
  expect(call("insertBits", u(0xff), u(0), u(4), u(2))).toEqual([0xcf]);
  expect(call("extractBits", i(0xf0), u(4), u(4))).toEqual([-1]);
  expect(call("dot", literals("i32", [2 ** 30, 3]), literals("i32", [4, -5]))).toEqual([-15]);
  expect(call("all", literals("bool", [true, false]))).toEqual([0]);
  expect(call("any", literals("bool", [true, false]))).toEqual([1]);
  expect(call("pack4xI8Clamp", literals("i32", [-300, 300, -1, 5]))).toEqual([0x05ff7f80]);
  expect(call("unpack4xI8", literals("u32", [0x05ff7f80]))).toEqual([-128, 127, -1, 5]);
  expect(call("unpack4xU8", literals("u32", [0xf5ff7f80]))).toEqual([128, 127, 255, 245]);
  expect(call("sign", literals("i32", [-7, 0, 7]))).toEqual([-1, 0, 1]);
});

/** Every operator, on literals whose signs a text must not run into. */
function operatorTexts(): readonly (readonly [text: string, what: string])[] {
  const words = ["-2147483648", "-5", "-1", "0", "3", "33"];
  const binary: Readonly<Record<Scalar, string>> = {
    bool: "== != & |",
    i32: "+ - * / % & | ^ << >> == != < <= > >=",
    u32: "+ - * / % & | ^ << >> == != < <= > >=",
    f32: "+ - * / % == != < <= > >=",
    f16: "+ - * / % == != < <= > >=",
  };
  const unary: Readonly<Record<Scalar, string>> = { bool: "!", i32: "- ~", u32: "~", f32: "-", f16: "-" };
  const allowed = (type: Scalar): readonly string[] =>
    type === "bool" ? ["0", "1"] : type === "f16" ? ["0", "15360", "48640", "64512"] : words;
  return (Object.keys(binary) as Scalar[]).flatMap((type) => [
    ...binary[type].split(" ").flatMap((operator) =>
      allowed(type).flatMap((a) =>
        allowed(type).map((b) => {
          const text = binaryText(operator as BinaryOperator, type, a, b);
          return [text, `${a} ${operator} ${b} of ${type}`] as const;
        }),
      ),
    ),
    ...unary[type].split(" ").flatMap((operator) =>
      allowed(type).map((a) => {
        const text = unaryText(operator as "-" | "!" | "~", type, a);
        return [text, `${operator} ${a} of ${type}`] as const;
      }),
    ),
  ]);
}

/** Calls of all functions, with operands of each type that they take. */
function functionTexts(): readonly (readonly [text: string, what: string])[] {
  const values: Readonly<Record<Scalar, readonly number[]>> = {
    bool: [1, 0],
    i32: [-5, -(2 ** 31), 33],
    u32: [2 ** 32 - 1, 5, 33],
    f32: [-1.5, 0.75, 2],
    f16: [-1.5, 0.75, 2],
  };
  const of = (type: Scalar, from = 0, count = 1): Operand =>
    literals(
      type,
      Array.from({ length: count }, (_, at) => values[type][(from + at) % values[type].length] ?? 0),
    );
  const floats =
    `acos acosh asin asinh atan atanh ceil cos cosh degrees exp exp2 floor fract inverseSqrt log log2 radians round
    saturate sin sinh sqrt tan tanh trunc abs sign length modf frexp`.split(/\s+/);
  const integers =
    `abs countLeadingZeros countOneBits countTrailingZeros firstLeadingBit firstTrailingBit reverseBits`.split(
      " ",
    );
  const ofFloats = (type: Scalar): readonly (readonly [string, ...Operand[]])[] => [
    ...floats.map((name) => [name, of(type)] as const),
    ...["atan2", "pow", "step", "min", "max", "distance"].map(
      (name) => [name, of(type), of(type, 1)] as const,
    ),
    ...["fma", "mix", "smoothstep", "clamp"].map(
      (name) => [name, of(type), of(type, 1), of(type, 2)] as const,
    ),
    ...["cross", "dot", "reflect"].map((name) => [name, of(type, 0, 3), of(type, 1, 3)] as const),
    ["faceForward", of(type, 0, 3), of(type, 1, 3), of(type, 2, 3)],
    ["refract", of(type, 0, 3), of(type, 1, 3), of(type, 1)],
    ["normalize", of(type, 0, 3)],
    ["ldexp", of(type), of("i32")],
    ["select", of(type), of(type, 1), of("bool")],
    ["determinant", literals(type, [1, 2, 3, 4], [2, 2])],
    ["transpose", literals(type, [1, 2, 3, 4, 5, 6], [3, 2])],
  ];
  const ofIntegers = (type: Scalar): readonly (readonly [string, ...Operand[]])[] => [
    ...integers.map((name) => [name, of(type)] as const),
    ["min", of(type), of(type, 1)],
    ["max", of(type), of(type, 1)],
    ["clamp", of(type), of(type, 1), of(type, 2)],
    ["dot", of(type, 0, 3), of(type, 1, 3)],
    ["extractBits", of(type), of("u32", 1), of("u32", 1)],
    ["insertBits", of(type), of(type, 1), of("u32", 1), of("u32", 1)],
    ["select", of(type), of(type, 1), of("bool", 1)],
  ];
  const calls: readonly (readonly [string, ...Operand[]])[] = [
    ...ofFloats("f32"),
    ...ofFloats("f16"),
    ...ofIntegers("i32"),
    ...ofIntegers("u32"),
    ["sign", of("i32")],
    ["all", of("bool", 0, 3)],
    ["any", of("bool", 0, 3)],
    ["quantizeToF16", of("f32")],
    ["dot4I8Packed", of("u32"), of("u32", 1)],
    ["dot4U8Packed", of("u32"), of("u32", 1)],
    ...["pack4x8snorm", "pack4x8unorm"].map((name) => [name, of("f32", 0, 4)] as const),
    ...["pack2x16snorm", "pack2x16unorm", "pack2x16float"].map((name) => [name, of("f32", 0, 2)] as const),
    ...["pack4xI8", "pack4xI8Clamp"].map((name) => [name, of("i32", 0, 4)] as const),
    ...["pack4xU8", "pack4xU8Clamp"].map((name) => [name, of("u32", 0, 4)] as const),
    ...["unpack4x8snorm", "unpack4x8unorm", "unpack4xI8", "unpack4xU8"].map(
      (name) => [name, of("u32")] as const,
    ),
    ...["unpack2x16snorm", "unpack2x16unorm", "unpack2x16float"].map((name) => [name, of("u32")] as const),
  ];
  return calls.flatMap(([name, ...operands]) => {
    const words = builtinWords(name, operands, unknown);
    expect(words, name).toBeDefined();
    return (words ?? []).map((text) => [text, name] as const);
  });
}

const types: readonly Scalar[] = ["bool", "i32", "u32", "f32", "f16"];
const conversionTexts = (): readonly (readonly [text: string, what: string])[] =>
  types.flatMap((from) =>
    types.map((to) => [convertText(from, to, from === "bool" ? "1" : "17"), `${to} of ${from}`] as const),
  );

test("a text is a word in the range of int32, and can stand inside any expression", () => {
  const texts = [...operatorTexts(), ...functionTexts(), ...conversionTexts()];
  expect(texts.length).toBeGreaterThan(1000);
  const around = (text: string): readonly string[] => [
    text,
    `2 * ${text} - 1`,
    `~${text}`,
    `${text} ^ 1`,
    `${text} >>> 1`,
    `${text} === 0`,
    `- ${text}`,
  ];
  const results = allEvaluated(texts.flatMap(([text]) => around(text)));
  for (const [at, [text, what]] of texts.entries()) {
    const [first, ...others] = results.slice(7 * at, 7 * at + 7);
    const word = Number(first);
    expect(Object.is(word, word | 0), `${what}: ${text} is ${word}`).toBe(true);
    expect(others, `${what}: ${text}`).toEqual([
      2 * word - 1,
      ~word,
      word ^ 1,
      word >>> 1,
      word === 0,
      -word,
    ]);
  }
});

test("a conversion keeps a value, where the other type has it", () => {
  for (const from of types) {
    for (const to of types) {
      const expected = from === "bool" || to === "bool" ? 1 : 17;
      const text = convertText(from, to, String(constantWord(from, from === "bool" ? 1 : 17)));
      expect(evaluated(text), `${to}(${from})`).toBe(constantWord(to, expected));
      const zero = convertText(from, to, String(constantWord(from, 0)));
      expect(evaluated(zero), `${to}(${from}) of 0`).toBe(constantWord(to, 0));
    }
  }
  expect(evaluated(convertText("f32", "bool", "-2147483648")), "-0 is false").toBe(0);
  expect(evaluated(convertText("f16", "bool", "32768")), "-0 is false").toBe(0);
  expect(evaluated(convertText("f32", "bool", "2143289344")), "NaN is true").toBe(1);
  expect(evaluated(convertText("u32", "f32", "-1"))).toBe(constantWord("f32", 2 ** 32));
});

test("bitcast goes between halves and words, the first half lowest", () => {
  const cast = (operand: Operand, result: Type): readonly number[] =>
    (builtinWords("bitcast", [operand], result) ?? []).map(evaluated);
  const halves: Operand = { type: typeOf("f16", 4), words: ["15360", "49152", "0", "64512"] };
  expect(cast(halves, typeOf("u32", 2))).toEqual([0xc0003c00 | 0, 0xfc000000 | 0]);
  expect(cast({ type: typeOf("f16", 2), words: ["15360", "49152"] }, scalar("f32"))).toEqual([
    0xc0003c00 | 0,
  ]);
  const words: Operand = { type: typeOf("i32", 2), words: [String(0xc0003c00 | 0), String(0xfc000000 | 0)] };
  expect(cast(words, typeOf("f16", 4))).toEqual([15360, 49152, 0, 64512]);
  expect(cast(words, typeOf("f32", 2))).toEqual([0xc0003c00 | 0, 0xfc000000 | 0]);
  expect(cast(halves, typeOf("f16", 4))).toEqual([15360, 49152, 0, 64512]);
});

test("the word of a constant wraps around, or is rounded once", () => {
  expect(constantWord("bool", true)).toBe(1);
  expect(constantWord("bool", 0)).toBe(0);
  expect(constantWord("u32", 4294967295n)).toBe(-1);
  expect(constantWord("u32", 4294967295)).toBe(-1);
  expect(constantWord("i32", -2147483648n)).toBe(-2147483648);
  expect(constantWord("f32", -0)).toBe(-2147483648);
  expect(constantWord("f32", 0.1)).toBe(0x3dcccccd);
  expect(constantWord("f16", 65519)).toBe(0x7bff);
  expect(constantWord("f16", 2049n)).toBe(constantWord("f16", 2048));
  // A bit above the middle of two f32 that binary64 does not hold beside the others.
  expect(f32Number(constantWord("f32", 2n ** 62n + 2n ** 38n + 1n))).toBe(2 ** 62 + 2 ** 39);
  expect(f32Number(constantWord("f32", -(2n ** 62n) - 2n ** 38n - 1n))).toBe(-(2 ** 62) - 2 ** 39);
  expect(f32Number(constantWord("f32", 2n ** 62n + 2n ** 38n))).toBe(2 ** 62);
});

test("functions with effects, and names that are none of WGSL's, are not known", () => {
  const others =
    `atomicAdd workgroupBarrier subgroupAdd dpdx textureLoad arrayLength quadSwapX toString constructor
    hasOwnProperty __proto__`.split(/\s+/);
  for (const name of others) {
    expect(builtinWords(name, [literals("u32", [1])], unknown), name).toBeUndefined();
  }
});

describe("what a text does not take is told", () => {
  const word = literals("u32", [1]);
  test.each<readonly [() => unknown, string]>([
    [() => binaryText("%", "bool", "a", "b"), "'%' takes no bool; of bool there are == != & |"],
    [
      () => binaryText("<<", "f32", "a", "b"),
      "'<<' takes no f32; of f32 there are + - * / % == != < <= > >=",
    ],
    [() => binaryText("&&", "bool", "a", "b"), "'&&' takes no bool"],
    [() => unaryText("-", "u32", "a"), "'-' takes no u32; of u32 there are ~"],
    [() => builtinWords("sin", [word], unknown), "sin takes no u32; it takes f32, f16"],
    [() => builtinWords("sin", [], unknown), "sin takes 1 operands, and here are 0"],
    [() => builtinWords("clamp", [word, word], unknown), "clamp takes 3 operands, and here are 2"],
    [() => builtinWords("dot", [word], unknown), "dot takes 2 operands, and here are 1"],
    [() => builtinWords("length", [word], unknown), "u32 is not made of floats; f32 and f16 are"],
    [() => builtinWords("pack4xU8", [word], unknown), "pack4xU8 takes 4 components, and here are 1"],
    [() => builtinWords("transpose", [word], unknown), "transpose takes a matrix, and this is a u32"],
    [
      () => builtinWords("determinant", [literals("f32", [1, 2, 3, 4, 5, 6], [3, 2])], unknown),
      "determinant takes a square matrix, and this is a mat3x2<f32>",
    ],
    [
      () => builtinWords("abs", [{ type: scalar("u64"), words: ["a"] }], unknown),
      "u64 is no scalar, vector or matrix of bool, i32, u32, f32, f16",
    ],
    [
      () => matrixText("*", literals("f32", [1, 2, 3, 4], [2, 2]), literals("f32", [1, 2, 3]), unknown),
      "the left operand of '*' has 2 columns, and the right one 3 rows; they must be as many",
    ],
    [
      () => matrixText("/", literals("f32", [1, 2, 3, 4], [2, 2]), literals("f32", [1]), unknown),
      "'/' takes no mat2x2<f32> and f32; matrices have + - and *",
    ],
  ])("%#", (refused, message) => {
    expect(refused).toThrow(TypeError);
    expect(refused).toThrow(message);
  });
});
