import { describe, expect, test } from "vitest";
import type { CheckOptions } from "../../../src/simulator/index.ts";
import { checkKernel } from "../../../src/simulator/index.ts";
import { Program, readModule } from "../../../src/simulator/program.ts";

/** A compaction in which a barrier is missing before its last line. */
const racy = (name: string): string => `struct Params { ${name}: u32 }
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read_write> length: atomic<u32>;
@group(0) @binding(3) var<uniform> params: Params;
var<workgroup> flags: array<u32, 64>;
var<workgroup> start: u32;

@compute @workgroup_size(64)
fn compact(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {
  let keep = id.x < arrayLength(&input) && input[id.x] > params.${name};
  flags[t] = u32(keep);
  workgroupBarrier();
  if (keep) {
    var place = 0u;
    for (var other = 0u; other < t; other++) {
      place += flags[other];
    }
    if (place == 0u) {
      start = atomicAdd(&length, 64u);
    }

    // All threads read what the first has written.
    output[start + place] = input[id.x];
  }
}
`;

/** The lines around some text. */
const lineOf = (code: string, text: string): number => code.slice(0, code.indexOf(text)).split("\n").length;

describe("a racy compaction", () => {
  test.each(["limit", "threshold", "cutoff", "max", "lowest"])("by %s is found by default", (name) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const code = racy(name);
      const { findings, notRun } = checkKernel(code, { seed });
      const [race] = findings.filter(({ kind }) => kind === "race");
      expect(race).toMatchObject({ line: lineOf(code, "output[start"), otherLine: lineOf(code, "start =") });
      expect(race?.values).toEqual({ [`params.${name}`]: 500 });
      expect(notRun).toEqual([]);
    }
  });

  test("that keeps nothing names the lines that did not run", () => {
    const code = racy("limit");
    const report = checkKernel(code, { values: { "params.limit": 5000 } });
    const line = lineOf(code, "var place");
    expect(report).toMatchObject({ findings: [], notRun: [{ line, endLine: line + 9 }] });
  });

  test("is found by a float, too", () => {
    const code = racy("weight")
      .replaceAll("weight: u32", "weight: f32")
      .replace("input[id.x] >", "f32(input[id.x]) / 1000.0 >");
    const [race] = checkKernel(code).findings;
    expect(race).toMatchObject({ kind: "race", values: { "params.weight": 0.5 } });
  });
});

const kernel = (statements: string, more = ""): string => `${more}
struct Params { count: u32, mode: u32, seed: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {
  if (id.x >= arrayLength(&data)) { return; }
${statements}
}`;
const FIRST = 8;

const notRunIn = (
  statements: string,
  more = "",
  options: CheckOptions = {},
): readonly (readonly number[])[] =>
  checkKernel(kernel(statements, more), options).notRun.map(({ line, endLine }) => [
    line - FIRST,
    endLine - FIRST,
  ]);

describe("lines that did not run", () => {
  test.each([
    ["none", "data[id.x] = 1u;", []],
    ["of a branch", "if (params.seed > 5u) {\ndata[id.x] = 1u;\n\n// why\ndata[id.x] = 2u;\n}", [[1, 4]]],
    ["of one line", "if (params.seed > 5u) { data[id.x] = 1u; }\ndata[id.x] = 2u;", [[0, 0]]],
    [
      "of else if",
      "if (params.seed == 0u) {\ndata[id.x] = 1u;\n} else if (id.x == 3u) {\ndata[id.x] = 2u;\n} else {\ndata[id.x] = 3u;\n}",
      [[3, 5]],
    ],
    ["behind a return", "if (params.seed == 0u) {\nreturn;\n}\ndata[id.x] = 1u;\ndata[id.x] = 2u;", [[3, 4]]],
    [
      "behind a break",
      "for (var i = 0u; i < 4u; i++) {\ndata[id.x] = 1u;\nif (i == 0u) { break; }\ndata[id.x] = 2u;\n}\ndata[id.x] = 3u;",
      [[3, 3]],
    ],
    [
      "behind continue, not the continuing",
      "var i = 0u;\nloop {\nif (params.seed == 0u) { continue; }\ndata[id.x] = 1u;\ncontinuing {\ni++;\nbreak if i == 3u;\n}\n}",
      [[3, 3]],
    ],
    ["of a loop without turns", "for (var i = 1u; i < params.seed; i++) {\ndata[id.x] = 1u;\n}", [[1, 1]]],
    [
      "of a case",
      "switch params.seed {\ncase 0u: {\ndata[id.x] = 1u;\n}\ncase 1u, 2u: {\ndata[id.x] = 2u;\n}\ndefault: {\ndata[id.x] = 3u;\n}\n}",
      [[5, 8]],
    ],
    [
      "two of them",
      "if (params.seed > 5u) {\ndata[id.x] = 1u;\n}\ndata[id.x] = 2u;\nif (params.seed > 6u) {\ndata[id.x] = 3u;\n}",
      [
        [1, 1],
        [5, 5],
      ],
    ],
  ])("%s", (_, statements, lines) => {
    expect(notRunIn(statements)).toEqual(lines);
    // The same where threads meet in each statement.
    const meeting = statements.replaceAll(/(data\[id\.x\] = \du;)/g, "$1 workgroupBarrier();");
    expect(notRunIn(meeting.replaceAll("id.x == 3u", "params.seed == 1u"))).toEqual(lines);
  });

  test("of a function that nothing calls, in a branch that does not run", () => {
    const more = "fn add(a: u32) -> u32 { let b = a;\n  return b + 1u;\n}";
    const { notRun } = checkKernel(kernel("if (params.seed > 5u) {\ndata[id.x] = add(1u);\n}", more));
    expect(notRun).toEqual([
      { line: 1, endLine: 2 },
      { line: 11, endLine: 11 },
    ]);
    const both = kernel(
      "if (params.seed > 5u) {\ndata[id.x] = add(1u) + sub(1u);\n}",
      `${more} fn sub(a: u32) -> u32 {\n  return a;\n}`,
    );
    expect(checkKernel(both).notRun).toMatchObject([{ endLine: 2 }, { line: 4, endLine: 4 }, { line: 13 }]);
  });

  test("are sought with other values, and numbers that choose are 0, 1 and 2", () => {
    expect(notRunIn("if (params.mode == 2u) {\ndata[id.x] = 1u;\n}")).toEqual([]);
    expect(notRunIn("if (params.mode == 3u) {\ndata[id.x] = 1u;\n}")).toEqual([[1, 1]]);
    const narrow = (code: string): string => code.replace("mode: u32", "low: u32, high: u32");
    const code = narrow(kernel("if (params.low > 600u && params.high < 400u) {\ndata[id.x] = 1u;\n}"));
    expect(checkKernel(code)).toMatchObject({ notRun: [] });
    expect(checkKernel(code, { runs: 1 })).toMatchObject({ notRun: [{}], runs: 1 });
  });
});

test("a program that is not checked notes nothing", () => {
  const code = racy("limit");
  expect(new Program(readModule(code), "compact").blocks).toEqual([]);
});
