import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { dumpElements, parseElements } from "../../src/cli/npy.ts";
import type { CheckReport } from "../../src/simulator/index.ts";
import type { Ended } from "../support/command.ts";
import { runIn } from "../support/command.ts";

const SCALE = `override FACTOR = 2.0;
struct Params { count: u32 }
@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;
@compute @workgroup_size(64)
fn scale(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < params.count) { output[id.x] = input[id.x] * FACTOR; }
}
`;
const RACE = `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn add() { data[0] += 1u; }
@compute @workgroup_size(64)
fn clear(@builtin(global_invocation_id) id: vec3<u32>) { if (id.x < arrayLength(&data)) { data[id.x] = 0u; } }
`;
const LINKED = `// wavefold: work_group_reduce_add_u32
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn total(@builtin(local_invocation_index) t: u32) { data[t] = work_group_reduce_add_u32(data[t], t); }
`;
const IMAGE = `@group(0) @binding(0) var image: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(1) fn draw() { textureStore(image, vec2<i32>(0), vec4<f32>()); }
`;
const PAIRS = `struct Pair { at: f32, count: u32 }
@group(0) @binding(0) var<storage, read_write> pairs: array<Pair>;
@group(0) @binding(1) var<storage, read_write> places: array<vec2<f32>>;
@compute @workgroup_size(1) fn fill() { pairs[1] = Pair(1.0, 7u); places[1] = vec2<f32>(3.0, 4.0); }
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-check-"));
  for (const [name, text] of Object.entries({ SCALE, RACE, LINKED, IMAGE, PAIRS })) {
    writeFileSync(join(folder, `${name.toLowerCase()}.wgsl`), text);
  }
  writeFileSync(join(folder, "wrong.wgsl"), "@compute @workgroup_size(1)\nfn main() { let a = 3 }\n");
  writeFileSync(
    join(folder, "in.npy"),
    dumpElements({ type: f32, data: Float32Array.of(1, 2.5, -3), shape: [3] }),
  );
  writeFileSync(
    join(folder, "words.npy"),
    dumpElements({ type: u32, data: Uint32Array.of(1, 2, 3), shape: [3] }),
  );
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]): Ended => runIn(folder, ["check", ...args]);
const elements = (name: string) => parseElements(readFileSync(join(folder, name)), name);

describe("the exit status is", () => {
  test("0 if nothing was found", () => {
    expect(run("scale.wgsl")).toEqual({
      status: 0,
      stderr: "",
      stdout: `scale.wgsl: scale, 16 × 1 × 1 work-groups of 64 × 1 × 1 threads
  override FACTOR = 2.0
  0:0 input: array<f32>, 1000 elements: floats random from 0 to 1
  0:1 output: array<f32>, 1000 elements: floats random from 0 to 1
  1:0 params: Params: params.count = 1000
8 runs
nothing found
`,
    });
  });

  test("1 if something was", () => {
    const { status, stdout, stderr } = run("race.wgsl", "--entry", "add");
    expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
    expect(stdout).toMatch(/^race\.wgsl:3: race: thread 1 of work-group .*at line 3 .*\(in all runs\)$/m);
    expect(stdout).toMatch(/\n\d findings?; what was not given was assumed: .*\n$/);
  });

  test.each([
    [["none.wgsl"], "none.wgsl: there is no such file"],
    [["race.wgsl"], "check: --entry is left out; it takes one of those that race.wgsl has: add, clear"],
    [["wrong.wgsl"], "wrong.wgsl:2:23: expected ';', and found '}'"],
    [["image.wgsl"], "image.wgsl:1:1: the simulator has no texture_storage_2d"],
    [["scale.wgsl", "--dispatch", "0"], "check: --dispatch is 0; it takes one to three whole numbers"],
    [["scale.wgsl", "--dispatch", "x"], "It takes whole numbers divided by commas"],
    [["scale.wgsl", "--items", "0"], '"0" has no elements'],
    [["scale.wgsl", "--lanes", "odd"], 'check: --lanes is "odd"; it takes some of "natural"'],
    [["scale.wgsl", "--set", "params.count"], "check: --set is params.count; it takes NAME=number"],
    [["scale.wgsl", "--set", "params.count=x"], "check: --set params.count=x: this is no number"],
    [["scale.wgsl", "--set", "n=1"], 'check: --set is "n"; it takes numbers of the kernel\'s buffers'],
    [
      ["scale.wgsl", "--override", "SIZE=1"],
      'check: --override is "SIZE"; it takes the overrides of scale.wgsl',
    ],
    [
      ["scale.wgsl", "--buffer", "other=in.npy"],
      'check: --buffer is "other"; it takes the kernel\'s buffers',
    ],
    [["scale.wgsl", "--buffer", "input=none.npy"], "none.npy: there is no such file"],
    [
      ["scale.wgsl", "--buffer", "input=words.npy"],
      "is a Uint32Array; it takes a Float32Array: input is array<f32>",
    ],
    [["scale.wgsl", "--show", "other"], "check: --show is other; it takes the kernel's buffers: input (0:0)"],
    [["scale.wgsl", "--show", "0=a.npy", "--show", "1=a.npy"], "a.npy: two outputs would go there"],
    [["scale.wgsl", "--shows"], "unknown option '--shows'"],
    [[], "missing required argument 'kernel.wgsl'"],
  ])("2 for %j", (args, message) => {
    const before = readdirSync(folder);
    const { status, stdout, stderr } = run(...args);
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^wavefold: [^\n]+\n$/);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(readdirSync(folder)).toEqual(before);
  });
});

describe("files", () => {
  test("of NumPy's are read and written", () => {
    const args = [
      "--buffer",
      "input=in.npy",
      "--override",
      "FACTOR=3",
      "--show",
      "1=out.npy",
      "--show",
      "params",
    ];
    const { status, stdout, stderr } = run("scale.wgsl", ...args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("  override FACTOR = 3\n  0:0 input: array<f32>, 3 elements: as given\n");
    expect(stdout).toContain("\nparams: 3\n");
    expect(elements("out.npy")).toEqual({
      type: f32,
      dtype: "<f4",
      data: Float32Array.of(3, 7.5, -9),
      shape: [3],
    });
  });

  test("have the type of a buffer's scalars, and rows of vectors; of several types, words", () => {
    const args = ["--items", "2", "--show", "pairs=pairs.npy", "--show", "places=places.npy"];
    expect(run("pairs.wgsl", ...args)).toMatchObject({ status: 0, stderr: "" });
    const pairs = elements("pairs.npy");
    expect(pairs).toMatchObject({ type: u32, shape: [2, 2] });
    expect(Array.from(pairs.data as Uint32Array).slice(2)).toEqual([0x3f800000, 7]);
    const places = elements("places.npy");
    expect(places).toMatchObject({ type: f32, shape: [2, 2] });
    expect(Array.from(places.data as Float32Array).slice(2)).toEqual([3, 4]);
  });

  test("of kernels may come from stdin", () => {
    const { status, stdout } = runIn(folder, ["check", "-", "--entry", "clear", "--show", "0"], RACE);
    expect(status).toBe(0);
    expect(stdout).toContain("stdin: clear, ");
    expect(stdout).toMatch(/^data: (?:0 ){32}… 968 more$/m);
  });

  test("of kernels may ask for our functions", () => {
    expect(run("linked.wgsl")).toMatchObject({ status: 0, stderr: "" });
  });
});

describe("--json", () => {
  test("prints findings and what was assumed, alone on stdout", () => {
    const { status, stdout, stderr } = run("race.wgsl", "--entry", "add", "--json", "--dispatch", "2,1,1");
    expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
    const { findings, ...report } = JSON.parse(stdout) as CheckReport;
    expect(new Set(findings.map(({ kind, file, line }) => `${kind} ${file} ${line}`))).toEqual(
      new Set(["race race.wgsl 3"]),
    );
    expect(report).toEqual({
      entryPoint: "add",
      workGroupSize: [64, 1, 1],
      dispatch: [2, 1, 1],
      overrides: [],
      runs: 8,
      skippedRuns: 0,
      subgroupSizes: [],
      buffers: [
        {
          name: "data",
          group: 0,
          binding: 0,
          type: "array<u32>",
          size: 4000,
          elements: 1000,
          scalar: "u32",
          stride: 4,
          contents: "integers random below 1000",
        },
      ],
    });
  });

  test("writes a file beside the text", () => {
    const { status, stdout } = run("scale.wgsl", "--json", "report.json");
    expect(status).toBe(0);
    expect(stdout).toContain("nothing found");
    expect(JSON.parse(readFileSync(join(folder, "report.json"), "utf8"))).toMatchObject({ findings: [] });
  });
});

test("what the guide shows is what is printed", () => {
  const guide = readFileSync("docs/guides/check-a-kernel.md", "utf8");
  const [, kernel = ""] = /```wgsl\n([\s\S]*?)```/.exec(guide) ?? [];
  const [shown = "", line = ""] = Array.from(
    guide.matchAll(/\n\n```\n([\s\S]*?)```/g),
    ([, text = ""]) => text,
  );
  expect(runIn(folder, ["check", "-"], kernel).stdout.replaceAll("stdin:", "scale.wgsl:")).toBe(shown);
  const unguarded = kernel.replace(/ {2}if \(.*\n(.*\n) {2}\}\n/, "$1");
  const { status, stdout } = runIn(folder, ["check", "-"], unguarded);
  expect(status).toBe(1);
  expect(stdout.replaceAll("stdin:", "scale.wgsl:")).toContain(line);
});
