import { describe, expect, test } from "vitest";
import { checkKernel } from "../../../src/simulator/index.ts";
import type { Kind, Planted } from "./kernels.ts";
import { kernelOf, kinds } from "./kernels.ts";

/** The lines that a finding may name. */
const faultyLines = (code: string): readonly number[] =>
  code.split("\n").flatMap((line, at) => (line.includes("// fault") ? at + 1 : []));

const codeOf = (statements: string, { declarations }: Planted, { usesSubgroups }: Kind): string =>
  kernelOf(statements, {
    ...(declarations !== undefined && { declarations }),
    ...(usesSubgroups !== undefined && { usesSubgroups }),
  });

describe.each(kinds)("$kind", (kind) => {
  test.each(kind.planted)("$title", (planted) => {
    const code = codeOf(planted.faulty, planted, kind);
    const options = { ...kind.options, ...(planted.runs !== undefined && { runs: planted.runs }) };
    const { findings } = checkKernel(code, options);
    expect(new Set(findings.map((one) => one.kind))).toEqual(new Set([kind.kind]));
    const lines = faultyLines(code);
    for (const { line, otherLine = line, runs } of findings) {
      expect(lines).toContain(line);
      expect(lines).toContain(otherLine);
      expect(runs).toBeGreaterThan(0);
    }
    expect(checkKernel(codeOf(planted.right, planted, kind), options).findings).toEqual([]);
  });
});
