import { expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { SourceError } from "../../src/errors.ts";
import { withCure } from "../../src/text/habits.ts";
import { useFold } from "../support/fold.ts";

const fold = useFold();

test.each([
  ["x === 2", "WGSL compares by == and !="],
  ["x !== 2", "WGSL compares by == and !="],
  ["x > 1 and x < 5", "WGSL writes && for and, || for or, ! for not"],
  ["not (x > 1)", "WGSL writes && for and, || for or, ! for not"],
  ["x > 1 ? 1 : 0", "WGSL has select(otherwise, then, condition)"],
  ["x => x > 1", "a text has no parameters before it: it is the expression alone"],
  ["x ** 2 > 3", "WGSL has no **: a square is x * x"],
  ["Math.abs(x) > 1", "WGSL's functions have no prefix, as in abs(x)"],
  ["x < Infinity", "WGSL has no Infinity and no NaN; the largest f32 is 3.4028234e38"],
  ["isNaN(x)", "WGSL has no isNaN; a NaN of f32 has (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u"],
  ["x >>> 1 > 0", "WGSL has no >>>: >> of a u32 shifts zeros in"],
  ["x > limit", "give your own values as params, or write them into the text"],
])("%s: the error says what WGSL has, over f32 and f64", async (where, cure) => {
  for (const data of [Float32Array.of(1, 2), Float64Array.of(1, 2)]) {
    const error = await fold()
      .compact(data as Float32Array, { where: `/* why? */\n ${where} // and so on?` })
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(SourceError);
    const { message, line } = error as SourceError;
    expect(message).toMatch(/^the predicate, line 2: /);
    expect(message.split("\n")[0]?.endsWith(`; ${cure}`), message).toBe(true);
    expect(message.split("\n")[1]?.trim()).toContain(where);
    expect(line).toBe(2);
  }
});

test("an operator's text sees no params", async () => {
  const cure = "; write your own values into the text, or make them fields of the elements";
  for (const [type, data] of [
    [f32, Float32Array.of(1, 2)],
    [f64, Float64Array.of(1, 2)],
  ] as const) {
    const own = { name: "scaled", type: type as typeof f32, identity: 0 };
    const declarations = `fn scaled(a: ${type.name}) -> ${type.name} { return a * scale; }`;
    for (const texts of [
      { combine: "earlier + later * scale" },
      { combine: "scaled(earlier) + later", declarations },
    ]) {
      const error = await fold()
        .reduce(data as Float32Array, { op: operator({ ...own, ...texts }) })
        .catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(SourceError);
      const { message } = error as SourceError;
      expect(message).toMatch(/^(combine|declarations) of the operator scaled, line 1: /);
      expect(message.split("\n")[0]?.endsWith(cure), message).toBe(true);
    }
  }
});

test("a line that holds nothing of the kind has no cure", () => {
  expect(withCure("this is no bool", "x + 1.5 // Math.abs(x)?")).toBe("this is no bool");
});

const typedAs = (type: string, value = "5"): string =>
  `; limit is an f32; as ${type}, a call takes limit: [${type}, ${value}], and a plan limit: ${type}`;

test.each([
  [Uint32Array.of(1, 7), "x > limit", typedAs("u32")],
  [Uint32Array.of(1, 7), "i < limit", typedAs("u32")],
  [Int32Array.of(1, 7), "limit < x", typedAs("i32")],
  [Int32Array.of(1, 7), "(x >> limit) > 0", typedAs("u32")],
  [Uint8Array.of(1, 7), "x > limit", typedAs("u32")],
  [BigUint64Array.of(1n, 7n), "x > limit", typedAs("u64", "5n")],
  [BigInt64Array.of(1n, 7n), "x * limit > 5", typedAs("i64", "5n")],
])("a number among params is an f32: over %o, the error of %s says so", async (data, where, cure) => {
  const error = await fold()
    .compact(data as Uint32Array, { where, params: { limit: 5, other: 6 } })
    .catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(SourceError);
  const [first = ""] = (error as SourceError).message.split("\n");
  expect(first.endsWith(cure), first).toBe(true);
});

test("a plan's params of f32 have the same error", async () => {
  const plan = fold().prepareCompact({ type: u32, where: "x > limit", params: { limit: f32 }, maxLength: 9 });
  await expect(plan).rejects.toThrow(typedAs("u32"));
});

test("the param of f32 that a line uses is named, if it is the only one, and only where types do not fit", () => {
  const problem = "no matching overload for 'operator > (u32, f32)'";
  const told = (line: string, of = problem) => withCure(of, line, true, ["low", "high"]);
  expect(told("x > low")).toBe(
    `${problem}; low is an f32; as u32, a call takes low: [u32, 5], and a plan low: u32`,
  );
  // Either may be right as it is.
  expect(told("x > low && f32(x) < high")).toBe(problem);
  expect(told("x > 1.5f // low")).toBe(problem);
  expect(told("x.low > lower")).toBe(problem);
  expect(told("x > low", "expected ')'")).toBe("expected ')'");
});

test("a bigint among params is told the types that take one", async () => {
  const call = fold().compact(BigInt64Array.of(1n), { where: "x > limit", params: { limit: 5n as never } });
  await expect(call).rejects.toThrow(
    "params: limit is 5n; it takes a number, which is an f32, or [type, value], such as [i64, 5n]",
  );
});
