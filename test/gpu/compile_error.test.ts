import { expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { linesOf } from "../../src/gpu/compile_error.ts";
import { factsWith } from "../support/kernels.ts";
import { planScan } from "../support/plans.ts";

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
        // Loops are written out: their heads are gone, and their variables are numbers.
        const written = origin?.source.text.split("\n")[origin.number - 1] ?? "";
        expect(written).toBe(origin?.text);
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
