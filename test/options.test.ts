import { expect, test } from "vitest";
import { max } from "../src/algebra/operators.ts";
import { ArgumentError, shown } from "../src/errors.ts";
import { requireOptions } from "../src/options.ts";
import { useFold } from "./support/fold.ts";

const fold = useFold();

test.each([
  ["a string that may be an operator's name", "max", "op map", '"max"', "{ op: max }"],
  ["another string", "x > 2", "type where map", '"x > 2"', '{ where: "x > 2" }'],
  ["a word that names no operator", "sum", "op map", '"sum"', "{ op: add }"],
  ["a function where a text is the only key", (x: number) => x, "key", "a function", undefined],
  ["a key", "abs(x)", "op key", '"abs(x)"', '{ key: "abs(x)" }'],
  ["a function", (x: number) => x > 2, "type where map", "a function", '{ where: "x > 2" }'],
  ["a function of a map", (x: number) => x * 2, "type map", "a function", '{ map: "x * x" }'],
  ["a function of two elements", (a: number, b: number) => a + b, "op map", "a function", "{ op: max }"],
  ["a comparison", (a: number, b: number) => a - b, "key descending", "a function", "{ descending: true }"],
  ["an operator", max, "map op", "an operator", "{ op: max }"],
  ["an operator where none belongs", max, "type", "an operator", undefined],
  ["a number", 16, "type", "16", undefined],
  ["a string where no option takes one", "max", "type", '"max"', undefined],
  ["null", null, "where", "null", '{ where: "x > 2" }'],
])("given %s, the error says what would be right", (_, given, options, told, example) => {
  const names = Object.fromEntries(options.split(" ").map((name) => [name, true]));
  const such = example === undefined ? "" : `, such as ${example}`;
  const error = new ArgumentError(`call: options is ${told}; it takes an object${such}`, "options");
  expect(() => requireOptions("call", given, names)).toThrow(error);
});

test.each([
  ["2", '"2"'],
  [2, "2"],
  [2n, "2n"],
  [[2, 2n, "2", [null]], '[2, 2n, "2", [null]]'],
  [undefined, "undefined"],
])("a message shows %o with its type", (value, text) => {
  expect(shown(value)).toBe(text);
});

test("a bigint among numbers of calls is shown as one", async () => {
  const data = Float32Array.of(3, 1, 2);
  await expect(fold().topK(data, 2n as never)).rejects.toThrow("topK<f32>: k is 2n; it takes a whole number");
  await expect(fold().sort(Uint32Array.of(1), { bits: [0, 2n] as never })).rejects.toThrow(
    "bits is [0, 2n];",
  );
  await expect(fold().merge(BigInt64Array.of(2n, 1n), BigInt64Array.of(3n))).rejects.toThrow(
    "merge<i64>: data[1] is 1n, after 2n",
  );
});
