import { describe, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";

import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add } from "../../src/algebra/operators.ts";
import { shaderError } from "../../src/gpu/device/shader_errors.ts";
import type { Module } from "../../src/text/link.ts";
import { linesOf } from "../../src/text/origins.ts";
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
      expect(named("struct Call {")?.source.callers).toBeUndefined();
    }
  },
);

test.each([
  ["alone", "enable nonsense; fn f() {}", 1],
  ["behind a comment that names it", "// nonsense is next\nenable nonsense;", 2],
  ["behind a function of that name", "fn nonsense() {}\n/* enable\nnonsense; */\n\nenable nonsense;", 5],
  ["among others, on two lines", "enable f16; requires nonsense;\nenable f16,\n  nonsense;", 3],
  [
    "behind one that has some of its words",
    "diagnostic(off, a);\ndiagnostic(off, b);",
    2,
    "diagnostic(off, b);",
  ],
])(
  "a directive is found where the caller wrote it: %s",
  (_, written, line, directive = "enable nonsense;") => {
    const source = { name: "declarations", text: written, callers: true };
    const ours = { name: "ours", text: "// nonsense\nenable nonsense;" };
    // Linking moves directives, so no line of the module has an origin.
    const linked: Module = {
      code: `${directive}\nfn main() {}`,
      relink(change) {
        [ours, source].forEach(change);
        return "";
      },
    };
    const message = { message: "no such thing", lineNum: 1, linePos: 8 } as GPUCompilationMessage;
    const error = shaderError(linked, "kernel", message, null);
    expect(error).toMatchObject({ line, source: written });
    expect(error.message).toBe(
      `declarations, line ${line}: no such thing\n  ${written.split("\n")[line - 1]?.trim()}`,
    );
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
    expect(await messageOf(fold().scan(data, { map: "x + y" }))).toMatch(
      /unresolved value 'y'; give your own values as params, or write them into the text$/,
    );
    expect(await messageOf(fold().compact(data, { where: "vec2(x, x)" }))).toMatch(/^the predicate, [^;]+$/);
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
});
