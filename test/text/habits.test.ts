import { expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { f32 } from "../../src/algebra/floats.ts";
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
