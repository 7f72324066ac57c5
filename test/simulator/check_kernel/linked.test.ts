import { describe, expect, test } from "vitest";
import { ArgumentError } from "../../../src/errors.ts";
import type { CheckOptions, CheckReport } from "../../../src/simulator/index.ts";
import { checkKernel } from "../../../src/simulator/index.ts";
import { linkDirectives } from "../../../src/wgsl.ts";

const SCAN = "work_group_scan_exclusive_add_u32";

const kernel = (statements: string, functions = `${SCAN} 64`): string => `// wavefold: ${functions}
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {
  let count = arrayLength(&data);
  var x = t;
${statements}
}
`;
const FIRST = 8;

const check = (source: string, change = (code: string) => code, options: CheckOptions = {}): CheckReport =>
  checkKernel(change(linkDirectives(source)), { source, ...options });

/** The text without the barriers of linked functions. */
const withoutBarriers = (code: string): string => {
  const [kernelText = "", ...linked] = code.split(/(?<=\n}\n)\n/);
  return [kernelText, ...linked.map((one) => one.replaceAll("workgroupBarrier();", ""))].join("\n");
};

/** A finding's kind, its lines from the first statement on, and the linked function. */
const told = ({ findings }: CheckReport) =>
  findings.map(({ kind, line, otherLine, called }) => [
    kind,
    line - FIRST,
    ...(otherLine === undefined ? [] : [otherLine - FIRST]),
    called,
  ]);

describe("divergence", () => {
  test("is one finding, at the call, and names the line where a thread left", () => {
    const report = check(kernel(`  if (id.x >= count) { return; }\n  data[id.x] = ${SCAN}(x, t);`));
    expect(told(report)).toEqual([["divergence", 1, SCAN]]);
    expect(report.findings[0]?.message).toBe(
      `${SCAN}, called at line 9 (in main), is not reached by all threads: thread 0 of work-group (15, 0, 0) calls it, thread 40 does not: it returned at line 8 (in main)`,
    );
  });

  test.each([
    ["if (t < 9u) {\n x = SCAN(x, t);\n }", "it took another way at line 8"],
    ["if (t > 9u) {\n x = 1u;\n } else {\n x = SCAN(x, t);\n }", "it took another way at line 8"],
    [
      "for (var i = 0u; i < 2u; i++) {\n if (t == 5u) { break; }\n x = SCAN(x, t);\n }",
      "it left the loop at line 9",
    ],
    ["for (var i = 0u; i < t; i++) {\n x = SCAN(x, t);\n }", "it left the loop at line 8"],
    [
      "for (var i = 0u; i < 2u; i++) {\n if (t == 5u) { continue; }\n x = SCAN(x, t);\n }",
      "it went on with the loop at line 9",
    ],
    ["switch t {\n case 0u, 1u: { x = SCAN(x, t); }\n default: {}\n }", "it took another way at line 8"],
  ])("of %j", (statements, way) => {
    const report = check(kernel(statements.replace("SCAN", SCAN)));
    const line = statements.split("\n").findIndex((one) => one.includes("SCAN"));
    expect(told(report)).toEqual([["divergence", line, SCAN]]);
    expect(report.findings[0]?.message).toContain(way);
  });

  test("in a linked function is told at its call, and of a thread that is there, not where it left others before", () => {
    const source = `@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32) {
  if (t > 40u) { workgroupBarrier(); return; } else {
    wait(t);
  }
}
`;
    const wait = "fn wait(t: u32) { if (t < 5u) { workgroupBarrier(); } }";
    const { findings } = checkKernel(`${source}\n${wait}\n`, { source });
    expect(findings.map(({ line }) => line)).toEqual([3, 4]);
    expect(findings[1]?.message).toBe(
      "only 5 of 64 threads reach the barrier at line 4 (in wait, which main calls there): thread 0 of work-group (0, 0, 0) does, thread 5 does not",
    );
  });

  test("hides what comes of it in the same call, and nothing else", () => {
    const source = kernel(`  if (t < 60u) { x = ${SCAN}(x, t); }\n  data[0] = x;`);
    const report = check(source, withoutBarriers, { dispatch: 1 });
    expect(new Set(told(report).map(([kind, line]) => `${kind} ${line}`))).toEqual(
      new Set(["race 0", "race 1"]),
    );
    const one = check(source, (code) => code.replace(/workgroupBarrier\(\);/, ""), { dispatch: 1 });
    expect(told(one)).toEqual([
      ["divergence", 0, SCAN],
      ["race", 1, 1, undefined],
    ]);
  });

  test("of a barrier of the kernel's own names the line, too", () => {
    const { findings } = check(
      kernel(`  x = ${SCAN}(x, t);\n  if (t == 7u) { return; }\n  workgroupBarrier();`),
    );
    expect(findings).toMatchObject([{ kind: "divergence", line: 10 }]);
    expect(findings[0]?.message).toMatch(/thread 7 does not: it returned at line 9 \(in main\)$/);
  });
});

describe("a race", () => {
  test("between two calls has the lines of both", () => {
    const report = check(kernel(`  x = ${SCAN}(x, t);\n  x += 1u;\n  x = ${SCAN}(x, t);`), withoutBarriers);
    const pairs = told(report).map(([kind, line, otherLine]) => [kind, line, otherLine]);
    expect(pairs.map(String)).toEqual(expect.arrayContaining(["race,0,0", "race,2,2"]));
    const lines = new Set(report.findings.flatMap(({ line, otherLine = line }) => [line, otherLine]));
    expect(lines).toEqual(new Set([FIRST, FIRST + 2]));
    expect(new Set(pairs.map(String)).size).toBe(pairs.length);
    expect(report.findings[0]?.message).toContain(`(in ${SCAN}, which main calls there)`);
  });

  test("has lines of the whole text without source", () => {
    const source = kernel(`  x = ${SCAN}(x, t);`);
    const { findings } = checkKernel(withoutBarriers(linkDirectives(source)));
    expect(Math.max(...findings.map(({ line }) => line))).toBeGreaterThan(source.split("\n").length);
  });
});

test("an index past the end is told at the call, also of a function in which no threads meet", () => {
  const source = `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
fn twice(at: u32) -> u32 { return read(at) + read(at + 1u); }
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32) {
  if (t == 0u) {
    data[0] = twice(read(5u));
    data[1] = read(
      read(0u) * 0u + 9u);
  }
}
`;
  const code = `${source}\nfn read(at: u32) -> u32 { return data[at]; }\n`;
  const report = checkKernel(code, { source, items: 3 });
  expect(report.findings.map(({ kind, line, called }) => [kind, line, called])).toEqual([
    ["out-of-bounds", 6, "read"],
    ["out-of-bounds", 7, "read"],
  ]);
  const inTwice = code.replace("twice(read(5u))", "twice(9u)");
  expect(checkKernel(inTwice, { source, items: 10 }).findings.map(({ line }) => line)).toEqual([2]);
});

test("a linked function that calls one of the kernel's stays in its call", () => {
  const source = `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
fn combine(at: u32) -> u32 { return read(at); }
@compute @workgroup_size(1)
fn main() {
  data[0] = outer(0u);
  data[1] = outer(7u);
}
`;
  const linked = `fn read(at: u32) -> u32 { return data[at]; }
fn outer(at: u32) -> u32 { return combine(at) * 0u + data[at]; }`;
  const { findings } = checkKernel(`${source}\n${linked}\n`, { source, items: 3 });
  expect(findings.map(({ line, called }) => [line, called])).toEqual([
    [2, "read"],
    [6, "outer"],
  ]);
});

test("a linked kernel without faults has no findings, and no line of the linked text that did not run", () => {
  const report = check(kernel(`  x = ${SCAN}(x, t);\n  if (id.x < count) { data[id.x] = x; }`));
  expect(report).toMatchObject({ findings: [], notRun: [] });
});

test("source is a text", () => {
  expect(() => checkKernel("", { source: 3 as unknown as string })).toThrow(ArgumentError);
});
