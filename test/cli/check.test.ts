import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { i64 } from "../../src/algebra/types_64.ts";
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

const KEEP = `struct Params { limit: u32 }
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> kept: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;
@compute @workgroup_size(64)
fn keep(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&input) && input[id.x] > params.limit) {
    kept[0] = input[id.x];
  }
}
`;
/** What no compiler takes, and the simulator does: all threads read the same. */
const PLACE = `struct Place { end: u32 }
@group(0) @binding(0) var<storage, read_write> place: Place;
@compute @workgroup_size(64)
fn main() {
  if (place.end == 0u) { return; }
  workgroupBarrier();
}
`;
const RANKS = `// wavefold: work_group_scan_exclusive_add_u32 256
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(256)
fn ranks(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {
  if (id.x >= arrayLength(&data)) { return; }
  data[id.x] = work_group_scan_exclusive_add_u32(data[id.x], t);
}
`;
const HINT =
  "what was not given was assumed: --items, --dispatch, --set and --buffer say what the kernel may rely on";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-check-"));
  for (const [name, text] of Object.entries({ SCALE, RACE, LINKED, IMAGE, PAIRS, KEEP, PLACE, RANKS })) {
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
  writeFileSync(
    join(folder, "long.npy"),
    dumpElements({ type: i64, data: BigInt64Array.of(1n, 2n, 3n), shape: [3] }),
  );
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

type Json = CheckReport & { readonly isCompiled: boolean };
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
nothing found; ${HINT}
`,
    });
  });

  test("1 if something was", () => {
    const { status, stdout, stderr } = run("race.wgsl", "--entry", "add");
    expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
    expect(stdout).toMatch(/^race\.wgsl:3: race: thread 1 of work-group .*at line 3 .*\(in all runs\)$/m);
    expect(stdout).toMatch(/\n\d findings?; what was not given was assumed: .*\n$/);
  });

  test("1 if it takes some numbers to find it, which are named", () => {
    const { status, stdout } = run("keep.wgsl");
    expect(status).toBe(1);
    expect(stdout).toContain("params.limit = 500 (1 to 1000 in other runs)\n");
    expect(stdout).toMatch(
      /^keep\.wgsl:8: race: .*\(in \d of 8 runs: params\.limit = 500, seed 1, schedule in order\)$/m,
    );
    expect(stdout).toMatch(/\n1 finding; what/);
  });

  test("0 if nothing was found where not all lines ran, which are named", () => {
    const { status, stdout } = run("keep.wgsl", "--set", "params.limit=5000", "--json", "keep.json");
    expect(status).toBe(0);
    const others = "other values may lead there: --set params.limit=…, --fill, --items, --buffer";
    expect(stdout).toMatch(
      new RegExp(
        `\n8 runs\nkeep\\.wgsl:8: not run: statements of line 8 never ran in any run, and were not checked; ${others}\n`,
      ),
    );
    expect(stdout.endsWith(`\nnothing found, and line 8 not run; ${HINT}\n`)).toBe(true);
    const { notRun, isCompiled } = JSON.parse(readFileSync(join(folder, "keep.json"), "utf8")) as Json;
    expect({ notRun, isCompiled }).toEqual({ notRun: [{ line: 8, endLine: 8 }], isCompiled: true });
  });

  test.each([
    [
      "place.wgsl",
      "place.wgsl:6:3: Dawn refuses it: 'workgroupBarrier' must only be called from uniform control flow; ",
      "",
    ],
    [
      "ranks.wgsl",
      "ranks.wgsl:6:16: Dawn refuses it: 'workgroupBarrier' must only ",
      "ranks.wgsl:6: divergence: ",
    ],
  ])("2 if Dawn refuses %s, unless it is not asked", (path, message, found) => {
    const { status, stdout, stderr } = run(path);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^wavefold: [^\n]+; --no-compiler leaves Dawn out\n$/);
    const without = run(path, "--no-compiler");
    expect(without.status).toBe(found === "" ? 0 : 1);
    expect(without.stdout).toContain("\nno GPU's compiler has seen the text: --no-compiler\n");
    expect(without.stdout).toContain(found);
    expect(without.stdout.match(/^ranks\.wgsl:\d+:/gm) ?? []).toHaveLength(found === "" ? 0 : 1);
  });

  test.each([
    [["none.wgsl"], "none.wgsl: there is no such file"],
    [["race.wgsl"], "check: --entry is left out; it takes one of those that race.wgsl has: add, clear"],
    [["wrong.wgsl"], "wrong.wgsl:2:23: Dawn refuses it: expected ';' for variable declaration; "],
    [["wrong.wgsl", "--no-compiler"], "wrong.wgsl:2:23: expected ';', and found '}'"],
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
      'check: --buffer input has elements of <u4, and input is array<f32>; it takes <f4: convert it with a.astype("<f4")',
    ],
    [
      ["scale.wgsl", "--buffer", "0=long.npy"],
      'check: --buffer 0 has elements of <i8, and input is array<f32>; it takes <f4: convert it with a.astype("<f4")',
    ],
    [
      ["race.wgsl", "--entry", "add", "--buffer", "data=long.npy"],
      'check: --buffer data has elements of <i8, and data is array<u32>; it takes |b1 |u1 |i1 <u2 <i2 <u4 <i4: convert it with a.astype("<u4")',
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
    const { findings, ...report } = JSON.parse(stdout) as Json;
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
      notRun: [],
      isCompiled: true,
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

test("without the package webgpu, a line says that no compiler has seen the text", () => {
  const alone = join(folder, "alone");
  cpSync("dist", join(alone, "dist"), { recursive: true });
  cpSync("package.json", join(alone, "package.json"));
  const args = [join(alone, "dist/cli.js"), "check", "../place.wgsl"];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: alone, encoding: "utf8" });
  expect(status).toBe(0);
  expect(stdout).toContain(
    "\nno GPU's compiler has seen the text: the package webgpu, which has one, is not installed\n../place.wgsl",
  );
});

describe("what the guide shows is what is printed:", () => {
  const guide = readFileSync("docs/guides/check-a-kernel.md", "utf8");
  const textsOf = (pattern: RegExp): readonly string[] =>
    Array.from(guide.matchAll(pattern), ([, text = ""]) => text);
  const [scale = "", keep = "", ranks = ""] = textsOf(/```wgsl.*\n([\s\S]*?)```/g);
  const [assumed = "", outside, notRun, divergence, refused] = textsOf(/\n\n```\n([\s\S]*?)```/g);
  const of = (name: string, kernel: string, ...args: string[]): Ended => {
    const { status, stdout, stderr } = runIn(folder, ["check", "-", ...args], kernel);
    const named = (text: string): string => text.replaceAll("stdin:", `${name}:`);
    return { status, stdout: named(stdout), stderr: named(stderr) };
  };

  test("a kernel", () => {
    expect(of("scale.wgsl", scale).stdout).toBe(assumed);
  });

  test("without what keeps it inside", () => {
    const unguarded = scale.replace(/ {2}if \(.*\n(.*\n) {2}\}\n/, "$1");
    const { status, stdout } = of("scale.wgsl", unguarded);
    expect(status).toBe(1);
    expect(stdout).toContain(outside);
  });

  test("lines that did not run", () => {
    const { status, stdout } = of("keep.wgsl", keep, "--set", "params.limit=5000");
    expect(status).toBe(0);
    expect(stdout).toContain(notRun);
    expect(of("keep.wgsl", keep).stdout).toContain("keep.wgsl:9: race: ");
  });

  test("a linked kernel", () => {
    expect(of("ranks.wgsl", ranks, "--no-compiler").stdout).toContain(divergence);
    expect(of("ranks.wgsl", ranks)).toEqual({ status: 2, stdout: "", stderr: refused });
  });
});
