import { describe, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add } from "../../src/algebra/operators.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { linesOf, shaderError } from "../../src/gpu/device/device_errors.ts";
import { useSoftwareFold } from "../support/fold.ts";
import { factsWith } from "../support/kernels.ts";
import { planScan } from "../support/plans.ts";

const fold = useSoftwareFold();

const declarations = "// the greater one\nfn greater(a: u32, b: u32) -> u32 {\n\n  return max(a, b);\n}";
const op = operator({
  name: "greater",
  type: u32,
  identity: 0,
  combine: "let a = earlier;\nreturn greater(a, later);",
  declarations,
  reference: Math.max,
}) as Operator as Operator<string>;

test.each(["single", "reduce-then-scan"] as const)(
  "each line of a kernel knows where it was written: %s",
  async (passes) => {
    const { kernels } = await planScan(
      { type: u32, op, passes, algorithm: "blelloch", workGroupSize: 8, itemsPerThread: 8, maxLength: 1000 },
      factsWith(),
    );
    for (const kernel of kernels) {
      const lines = linesOf(kernel);
      const code = kernel.code.split("\n");
      expect(lines).toHaveLength(code.length);
      code.forEach((text, at) => {
        const origin = lines[at];
        if (text === "" || /^(enable|diagnostic)/.test(text)) {
          expect(origin).toBeUndefined();
          return;
        }
        // Loops are written out: their heads are gone, their turns have braces of their own, and their variables are numbers.
        if (origin === undefined) {
          expect(text).toMatch(/^ *[{}]$/);
          return;
        }
        const written = origin.source.text.split("\n")[origin.number - 1] as string;
        expect(written).toBe(origin.text);
        expect(written === text || written.includes("// unroll") || / \d+u|\[\d+u/.test(text)).toBe(true);
      });
      const named = (text: string) => lines[code.indexOf(text)];
      expect(named("  return max(a, b);")).toMatchObject({ number: 4, source: { callers: true } });
      expect(named("return callers_greater(a, later);")).toMatchObject({
        number: 2,
        source: { callers: true },
      });
      expect(named("struct Params {")?.source.callers).toBeUndefined();
    }
  },
);

describe("an expression of another type", () => {
  const data = Uint32Array.of(3, 1, 7);
  const messageOf = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => "",
      (cause: Error) => cause.message.split("\n")[0] ?? "",
    );

  test("is told with the option that names its type", async () => {
    const type = "; the option type says what the map gives";
    const keyType = "; the option keyType says what the key gives";
    const shorter = { segments: { key: "f32(x)" } };
    expect(await messageOf(fold().scan(data, { map: "f32(x)" }))).toContain(type);
    expect(await messageOf(fold().sort(data, { key: "f32(x)" }))).toContain(keyType);
    expect(await messageOf(fold().reduce(data, shorter))).toContain(keyType);
    // Other faults have nothing to do with it.
    expect(await messageOf(fold().scan(data, { map: "x + y" }))).toMatch(/unresolved value 'y'$/);
    expect(await messageOf(fold().compact(data, { where: "vec2(x, x)" }))).toMatch(/^the predicate, [^;]+$/);
  });

  test("is told with the function that takes a pair of words", async () => {
    const pairs = "; f64, u64 and i64 are pairs of words, vec2<u32>:";
    const numbers = Float64Array.of(0.5, 2.5);
    const keys = { keys: numbers, key: "u32(x)", keyType: u32 };
    const floor = { map: "floor(x)" };
    const product = { map: "x * 2.0" };
    expect(await messageOf(fold().reduce(Uint32Array.of(1, 1), { segments: keys }))).toContain(
      `${pairs} u32_from_f64 converts an f64`,
    );
    expect(await messageOf(fold().scan(numbers, floor))).toContain(`${pairs} floor_f64 takes an f64`);
    expect(await messageOf(fold().scan(numbers, product))).toContain(
      `${pairs} functions such as mul_f64 and add_u64 take them`,
    );
    const whole = BigUint64Array.of(1n, 2n);
    const low = "and x.x is the low word of a u64 or i64";
    const told = (bin: string) => messageOf(fold().histogram(whole, { bins: 4, bin }));
    expect(await told("u32(x)")).toContain(`${pairs} u32_from_f64 converts an f64, ${low}`);
    expect(await told("i32(x)")).toContain(`'i32(vec2<u32>)'${pairs} i32_from_f64 converts an f64, ${low}`);
    // Nobody wrote an i32 here.
    expect(await told("x")).toBe(
      `the bin, line 1: no matching constructor for 'u32(vec2<u32>)'${pairs} u32_from_f64 converts an f64, ${low}`,
    );
    expect(await told("u32(x.x)")).toBe("");
    const asFloat = { map: "f32(x)", type: f32 } as const;
    expect(await messageOf(fold().scan(whole, asFloat))).toContain(
      `${pairs} f32_from_f64 converts an f64, and f32_from_u64 and f32_from_i64 convert the others`,
    );
  });

  test("in naga's words, too", async () => {
    const { kernels } = await planScan(
      { type: u32, op: add as Operator as Operator<string>, map: "f32(x)", maxLength: 1000 },
      factsWith(),
    );
    const [kernel] = kernels;
    const lines = kernel?.code.split("\n") ?? [];
    const lineNum = lines.findIndex((text) => text.includes("f32(x)")) + 1;
    const report =
      "Shader validation error: Function [0] 'f' is invalid\n  = The `return` expression Some([1]) does not match the declared return type Some([0])";
    const message = { message: report, lineNum, linePos: 1 } as GPUCompilationMessage;
    expect(shaderError(kernel as never, "kernel", message, null).message).toContain(
      "the map, line 1: Function [0] 'f' is invalid; the option type says what the map gives",
    );
  });

  test("is told with the function in naga's words, too", async () => {
    const { kernels } = await planScan(
      { type: u32, from: f64, op: add as Operator as Operator<string>, map: "u32(x)", maxLength: 1000 },
      factsWith(),
    );
    const [kernel] = kernels;
    const lineNum = (kernel?.code.split("\n") ?? []).findIndex((text) => text.includes("u32(x)")) + 1;
    const report = "Shader '' parsing error: cannot cast a vec2<u32> to a u32";
    const message = { message: report, lineNum, linePos: 1 } as GPUCompilationMessage;
    expect(shaderError(kernel as never, "kernel", message, null).message).toContain(
      "the map, line 1: cannot cast a vec2<u32> to a u32; f64, u64 and i64 are pairs of words, vec2<u32>: u32_from_f64 converts an f64",
    );
  });
});
