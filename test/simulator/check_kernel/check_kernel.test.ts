import { describe, expect, test } from "vitest";
import { ArgumentError, SourceError } from "../../../src/errors.ts";
import type { CheckOptions, CheckReport } from "../../../src/simulator/index.ts";
import { checkKernel } from "../../../src/simulator/index.ts";

const kindsOf = ({ findings }: CheckReport): readonly string[] => findings.map(({ kind }) => kind);
const resultOf = ({ buffers }: CheckReport, name: string): Uint32Array => {
  const result = buffers.find((buffer) => buffer.name === name)?.result ?? new Uint8Array(0);
  return new Uint32Array(result.slice().buffer);
};

const SCALE = `struct Params { count: u32, factor: u32, offset: i32, size: vec2<u32>, weight: f32 }
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(1) @binding(2) var<uniform> params: Params;
@compute @workgroup_size(64)
fn scale(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < params.count) {
    output[id.x] = input[id.x] * params.factor + u32(params.offset) + params.size.x + u32(params.weight);
  }
}`;

describe("the report", () => {
  const report = checkKernel(SCALE, { values: { "params.factor": 3, "params.size": 0 } });

  test("says what ran", () => {
    expect(report).toMatchObject({
      entryPoint: "scale",
      workGroupSize: [64, 1, 1],
      dispatch: [16, 1, 1],
      overrides: [],
      runs: 8,
      skippedRuns: 0,
      subgroupSizes: [],
      findings: [],
    });
  });

  test("says what each buffer held, and has what it holds after the first run", () => {
    expect(report.buffers.map(({ result: _, ...buffer }) => buffer)).toEqual([
      {
        name: "input",
        group: 0,
        binding: 0,
        type: "array<u32>",
        size: 4000,
        elements: 1000,
        scalar: "u32",
        stride: 4,
        contents: "integers random below 1000",
      },
      expect.objectContaining({ name: "output" }),
      {
        name: "params",
        group: 1,
        binding: 2,
        type: "Params",
        size: 32,
        elements: 0,
        scalar: undefined,
        stride: 0,
        contents:
          "params.count = 1000, params.factor = 3, params.offset = 0, params.size.x = 0, params.size.y = 0, params.weight = 0.5 (0 to 1 in other runs)",
      },
    ]);
    const input = resultOf(report, "input");
    expect(Math.max(...input)).toBeLessThan(1000);
    expect(new Set(input).size).toBeGreaterThan(500);
    expect([...resultOf(report, "output")]).toEqual([...input].map((x) => 3 * x));
  });

  test("is plain data", () => {
    expect(structuredClone(report)).toEqual(report);
  });

  test("of a race has both lines, both threads, and the runs in which it was", () => {
    const { findings } = checkKernel(
      `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> shifted: array<u32, 64>;
@compute @workgroup_size(64)
fn shift(@builtin(local_invocation_index) t: u32, @builtin(global_invocation_id) id: vec3<u32>) {
  shifted[t] = data[id.x];
  data[id.x] = shifted[(t + 1u) % 64u];
}`,
      { file: "shift.wgsl", dispatch: 4 },
    );
    expect(findings).toEqual([
      {
        kind: "race",
        file: "shift.wgsl",
        line: 5,
        column: 3,
        otherLine: 6,
        entryPoint: "shift",
        threads: [
          { workGroup: [0, 0, 0], thread: 1 },
          { workGroup: [0, 0, 0], thread: 0 },
        ],
        message: expect.stringContaining("which thread 0 read at line 6") as string,
        runs: 8,
        options: { schedule: "in order", atomics: "natural", seed: 1 },
        values: {},
      },
    ]);
  });
});

describe("buffers", () => {
  test("are as they are given, by name, by number, or by group and number", () => {
    for (const key of ["input", "0", "0:0"]) {
      const report = checkKernel(SCALE, {
        buffers: { [key]: Uint32Array.of(5, 6, 7), "1:2": Uint32Array.of(3, 2, 1, 0, 4, 0, 0, 0) },
      });
      expect(report.findings).toEqual([]);
      expect([...resultOf(report, "output")]).toEqual([15, 17, 19]);
      expect(report.buffers[0]?.contents).toBe("as given");
    }
  });

  test("have as many elements as the shortest that is given", () => {
    expect(checkKernel(SCALE, { buffers: { input: new Uint32Array(100) } }).buffers).toMatchObject([
      { elements: 100 },
      { elements: 100 },
      { contents: expect.stringContaining("params.count = 100,") as string },
    ]);
  });

  test("are the same by the same seed alone", () => {
    const input = (options: CheckOptions): Uint32Array => resultOf(checkKernel(SCALE, options), "input");
    expect(input({ runs: 1 })).toEqual(input({ seed: 1 }));
    expect(input({ runs: 1 })).not.toEqual(input({ runs: 1, seed: 2 }));
    expect(Math.max(...input({ runs: 1, fill: "words" }))).toBeGreaterThan(2 ** 31);
  });

  test("hold zeros for atomics, floats from 0 to 1, and f16", () => {
    const report = checkKernel(
      `enable f16;
struct Item { count: atomic<u32>, at: vec3<f32>, halves: array<f16, 3> }
struct List { length: atomic<i32>, items: array<Item> }
@group(0) @binding(0) var<storage, read_write> list: List;
@group(0) @binding(1) var<storage, read_write> halves: array<f16>;
@compute @workgroup_size(1)
fn main() { list.items[0].at.x += f32(halves[0]); atomicAdd(&list.items[0].count, 1u); atomicAdd(&list.length, 1); }`,
      { dispatch: 1 },
    );
    expect(kindsOf(report)).toEqual([]);
    const [list, halves] = report.buffers;
    expect(list).toMatchObject({ contents: "atomics 0, floats random from 0 to 1", elements: 1000 });
    expect(halves).toMatchObject({ scalar: "f16", size: 2000, elements: 1000 });
    const words = resultOf(report, "list");
    expect([words[0], words[4]]).toEqual([1, 1]);
    const floats = new Float32Array(words.buffer).subarray(4 + 12 + 4, 4 + 12 + 7);
    expect(floats.every((x) => x >= 0 && x < 1)).toBe(true);
  });

  test("are as long as the kernel goes, unless that is where its threads or a loop go", () => {
    const far = `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x * 7u] = 1u; }`;
    expect(checkKernel(far)).toMatchObject({ findings: [], buffers: [{ elements: 1023 * 7 + 1 }] });
    expect(kindsOf(checkKernel(far, { items: 1000 }))).toEqual(["out-of-bounds"]);
    expect(kindsOf(checkKernel(far.replace("* 7u", "")))).toEqual(["out-of-bounds"]);
    const late = far.replace("data[id.x * 7u] = 1u;", "if (id.x <= 1000u) { data[id.x] = 1u; }");
    expect(kindsOf(checkKernel(late))).toEqual(["out-of-bounds"]);
  });
});

describe("settings by their names", () => {
  const contentsOf = (members: string): string | undefined =>
    checkKernel(`struct P { ${members} }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> data: array<P>;
@compute @workgroup_size(1) fn main() { data[0] = p; }`).buffers[0]?.contents;

  test.each([
    ["n: u32", "p.n = 1000"],
    ["element_count: u32, first: u32", "p.element_count = 1000, p.first = 0"],
    ["m: u32, n: u32, k: u32", "p.m = 31, p.n = 31, p.k = 31"],
    ["width: i32, height: i32, n: u32", "p.width = 31, p.height = 31, p.n = 1000"],
    ["nx: u32, ny: u32, nz: u32", "p.nx = 10, p.ny = 10, p.nz = 10"],
    ["size: vec3<u32>", "p.size.x = 10, p.size.y = 10, p.size.z = 10"],
    [
      "stride: u32, frame_index: u32, index_count: u32",
      "p.stride = 1, p.frame_index = 0, p.index_count = 1000",
    ],
    ["resolution: vec2<f32>", "p.resolution.x = 31, p.resolution.y = 31"],
    [
      "rowCount: u32, colOffset: u32, max_index: u32",
      "p.rowCount = 31, p.colOffset = 0, p.max_index = 500 (1 to 1000 in other runs)",
    ],
    [
      "factor: i32, weight: f32",
      "p.factor = 500 (1 to 1000 in other runs), p.weight = 0.5 (0 to 1 in other runs)",
    ],
    ["sort_mode: u32", "p.sort_mode = 0 (0 to 2 in other runs)"],
    ["sizeX: u32, sizeY: u32, step: i32", "p.sizeX = 31, p.sizeY = 31, p.step = 1"],
    ["color: vec4<f32>", "floats random from 0 to 1"],
  ])("%s", (members, contents) => {
    expect(contentsOf(members)).toBe(contents);
  });
});

describe("the dispatch", () => {
  const dispatchOf = (size: string, builtin = "global_invocation_id", options: CheckOptions = {}) =>
    checkKernel(
      `@group(0) @binding(0) var<storage, read_write> data: array<atomic<u32>>;
@compute @workgroup_size(${size})
fn main(@builtin(${builtin}) id: vec3<u32>) { atomicStore(&data[0], id.x); }`,
      options,
    ).dispatch;

  test.each([
    ["256", [8, 1, 1]],
    ["64", [16, 1, 1]],
    ["1", [1000, 1, 1]],
    ["8, 8", [4, 4, 1]],
    ["16, 16", [4, 2, 1]],
    ["4, 4, 4", [3, 3, 3]],
  ])("covers the items in as many dimensions as work-groups of %s have", (size, dispatch) => {
    expect(dispatchOf(size)).toEqual(dispatch);
  });

  test("is as it is given", () => {
    expect(dispatchOf("64", "workgroup_id", { dispatch: 3 })).toEqual([3, 1, 1]);
    expect(dispatchOf("64", "workgroup_id", { dispatch: [2, 3, 4] })).toEqual([2, 3, 4]);
  });

  test("has one work-group if all would do the same", () => {
    expect(dispatchOf("64", "local_invocation_id")).toEqual([1, 1, 1]);
  });
});

describe("a text", () => {
  const WITH_OVERRIDES = `override SIZE: u32; @id(7) override FACTOR = 2u; override FLAG: bool = false; override DOUBLE = SIZE * 2u;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> words: array<u32, DOUBLE>;
@compute @workgroup_size(SIZE, 2)
fn main(@builtin(local_invocation_index) t: u32) {
  words[t] = FACTOR;
  data[t] = select(words[t], 9u, FLAG);
}`;

  test("takes values for overrides, by name or number, also for sizes", () => {
    const report = checkKernel(WITH_OVERRIDES, { overrides: { SIZE: 16, 7: 5, FLAG: false } });
    expect(report).toMatchObject({ workGroupSize: [16, 2, 1], findings: [] });
    expect(report.overrides).toEqual([
      { name: "SIZE", value: "16" },
      { name: "FACTOR", value: "5" },
      { name: "FLAG", value: "false" },
      { name: "DOUBLE", value: "SIZE * 2u" },
    ]);
    expect(resultOf(report, "data")[31]).toBe(5);
    const flagged = checkKernel(WITH_OVERRIDES, { overrides: { SIZE: 16, FLAG: true } });
    expect(resultOf(flagged, "data")[31]).toBe(9);
  });

  test("may have shaders of graphics, with textures that the entry point does not reach", () => {
    const code = `struct Vertex { @builtin(position) at: vec4<f32>, @location(0) uv: vec2<f32> }
@group(1) @binding(0) var image: texture_2d<f32>;
@group(1) @binding(1) var smooth_sampler: sampler;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
fn color(uv: vec2<f32>) -> vec4<f32> { return textureSample(image, smooth_sampler, uv); }
@vertex fn corner() -> Vertex { return Vertex(); }
@fragment fn draw(v: Vertex) -> @location(0) vec4<f32> { return color(v.uv); }
@compute @workgroup_size(64) fn first(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = 1u; }
@compute @workgroup_size(64) fn second() { data[0] = u32(textureLoad(image, vec2<i32>(0), 0).x); }`;
    expect(checkKernel(code, { entryPoint: "first", dispatch: 2 }).findings).toEqual([]);
    expect(checkKernel(code, { entryPoint: "first" }).findings).toMatchObject([
      { kind: "out-of-bounds", line: 8 },
    ]);
    expect(() => checkKernel(code, { entryPoint: "second" })).toThrow(
      "kernel.wgsl:2:1: the simulator has no texture_2d; it runs compute shaders on buffers",
    );
  });

  test("may read past the end in a select that does not choose it", () => {
    const code = `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> words: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32) {
  words[t] = t;
  workgroupBarrier();
  data[t] = select(0u, words[t - 1u], t > 0u);
}`;
    expect(checkKernel(code).findings).toEqual([]);
    const plain = code.replace("select(0u, words[t - 1u], t > 0u)", "words[t - 1u]");
    expect(kindsOf(checkKernel(plain))).toEqual(["out-of-bounds"]);
  });

  test("that does not compile is an error, with the place", () => {
    const error = (() => {
      try {
        return checkKernel("@compute @workgroup_size(1)\nfn main() { let a = 3 }", { file: "a.wgsl" });
      } catch (cause) {
        return cause;
      }
    })();
    expect(error).toBeInstanceOf(SourceError);
    expect(error).toMatchObject({ line: 2, column: 23, message: "a.wgsl:2:23: expected ';', and found '}'" });
  });

  test.each([
    ["fn main() {}", "kernel.wgsl has no @compute shader"],
    [
      "@group(0) @binding(0) var s: sampler;\n@compute @workgroup_size(1) fn main() { _ = s; }",
      "kernel.wgsl:1:1: the simulator has no sampler; it runs compute shaders on buffers",
    ],
    [
      "@compute @workgroup_size(1) fn main(@builtin(vertex_index) i: u32) {}",
      "the simulator has no built-in value vertex_index",
    ],
  ])("that cannot run is an error: %s", (code, message) => {
    expect(() => checkKernel(code)).toThrow(SourceError);
    expect(() => checkKernel(code)).toThrow(message);
  });
});

describe("results of two sizes of subgroups", () => {
  const listOf = (
    value: string,
  ): string => `@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> list: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<f32>;
@compute @workgroup_size(64)
fn append(@builtin(global_invocation_id) id: vec3<u32>, @builtin(subgroup_size) size: u32) {
  let all = subgroupAdd(1u);
  if (subgroupElect()) {
    let first = atomicAdd(&count, all);
    list[first] = ${value};
  }
  sums[id.x] = subgroupAdd(0.1 * f32(id.x)) / subgroupAdd(f32(id.x)) + 0.3;
}`;

  test("are not compared where they depend on the order of work-groups", () => {
    expect(checkKernel(listOf("id.x / 64u"), { dispatch: 8, lanes: ["natural"] })).toMatchObject({
      findings: [],
      runs: 13,
      subgroupSizes: [32, 64, 16, 8, 128, 4],
    });
  });

  test("are compared elsewhere", () => {
    const { findings } = checkKernel(listOf("7u + size"), { dispatch: 8, lanes: ["natural"] });
    expect(new Set(findings.map(({ kind, line }) => `${kind} ${line}`))).toEqual(
      new Set(["subgroup-size 9"]),
    );
    expect(findings[0]?.message).toContain(
      "word 0 of list is 0x00000027 with subgroups of 32 lanes, and 0x00000047 with subgroups of 64 lanes",
    );
  });
});

describe("an option", () => {
  test.each<[CheckOptions, string]>([
    [{ entryPoint: "other" }, 'entryPoint is "other"; it takes one of those that kernel.wgsl has: scale'],
    [{ dispatch: 0 }, "dispatch is 0; it takes one to three whole numbers from 1 to 65535"],
    [{ dispatch: [1, 2, 3, 4] }, "dispatch is [1, 2, 3, 4]; it takes one to three whole numbers"],
    [{ items: 0 }, "items is 0; it takes a whole number from 1 up"],
    [{ seed: -1 }, "seed is -1; it takes a whole number from 0 up"],
    [{ seed: 2 ** 32 }, "seed is 4294967296; it takes a whole number from 0 to 4294967295"],
    [{ runs: 0 }, "runs is 0; it takes a whole number from 1 up"],
    [{ seconds: 0 }, "seconds is 0; it takes a number above 0"],
    [{ fill: "zeros" as never }, 'fill is "zeros"; it takes some of "indices", "words"'],
    [{ subgroupSizes: [12] }, "subgroupSizes is 12; it takes some of 1, 2, 4, 8, 16, 32, 64, 128"],
    [{ lanes: [] }, 'lanes is []; it takes some of "natural", "reversed", "permuted"'],
    [{ unordered: 1 as never }, "unordered is 1; it takes true or false"],
    [{ overrides: { SIZE: 1 } }, 'overrides is "SIZE"; it takes the overrides of kernel.wgsl: it has none'],
    [
      { values: { "params.n": 1 } },
      'values is "params.n"; it takes numbers of the kernel\'s buffers, such as input',
    ],
    [{ values: { "params.count": "1" as never } }, 'values["params.count"] is "1"; it takes a number'],
    [
      { buffers: { other: new Uint32Array(4) } },
      'buffers is "other"; it takes the kernel\'s buffers: input (0:0), output (0:1), params (1:2)',
    ],
    [
      { buffers: { input: new Float32Array(4) } },
      'buffers["input"] is a Float32Array; it takes Uint32Array or Int32Array or bytes: input is array<u32>',
    ],
    [
      { buffers: { params: new Uint32Array(2) } },
      'buffers["params"] is 8 bytes; it takes 32 or more: params is Params',
    ],
    [
      { buffers: { input: [1] as never } },
      'buffers["input"] is [1]; it takes a typed array or an ArrayBuffer',
    ],
    [{ overrides: null as never }, "overrides is null; it takes an object, by the names in the kernel"],
    [{ groups: 3 } as never, "checkKernel takes no option groups"],
  ])("%o is refused", (options, message) => {
    expect(() => checkKernel(SCALE, options)).toThrow(ArgumentError);
    expect(() => checkKernel(SCALE, options)).toThrow(message);
  });

  test("that an override needs is asked for", () => {
    const code = "override A: u32; override B: f32;\n@compute @workgroup_size(A) fn main() { _ = B; }";
    expect(() => checkKernel(code)).toThrow("overrides has no A, B, to which kernel.wgsl gives no value");
  });

  test("runs and seconds bound the runs", () => {
    expect(checkKernel(SCALE, { runs: 30 })).toMatchObject({ runs: 30, skippedRuns: 0 });
    expect(checkKernel(SCALE, { seconds: 1e-9, runs: 5000 })).toMatchObject({
      skippedRuns: expect.any(Number) as number,
    });
    expect(checkKernel(SCALE, { seconds: 1e-9, runs: 5000 }).runs).toBeLessThan(100);
  });
});

describe("kernels of all kinds", () => {
  test.each([
    [
      "matrices",
      "@group(0) @binding(0) var<storage, read> m: array<mat4x3<f32>>;\n@group(0) @binding(1) var<storage, read_write> out: array<vec3<f32>>;",
      "if (id.x < arrayLength(&m)) { out[id.x] = m[id.x] * vec4<f32>(1.0, 2.0, 3.0, 4.0) + transpose(mat3x4<f32>()) * vec4<f32>(); }",
    ],
    [
      "structs in arrays, pointers and switch",
      `struct Body { at: vec3<f32>, kind: u32, links: array<u32, 3> }
@group(0) @binding(0) var<storage, read_write> bodies: array<Body>;
fn step(body: ptr<function, Body>) { let at = &(*body).at; switch ((*body).kind % 3u) { case 0u, 1u: { (*at).x += 1.0; } default: { *at = vec3<f32>(); } } }`,
      "if (id.x < arrayLength(&bodies)) { var body = bodies[id.x]; step(&body); bodies[id.x] = body; }",
    ],
    [
      "f16 vectors",
      "@group(0) @binding(0) var<storage, read_write> halves: array<vec4<f16>>;",
      "if (id.x < arrayLength(&halves)) { halves[id.x] = fma(halves[id.x], vec4<f16>(2.0h), vec4<f16>(0.5h)); }",
    ],
    [
      "packed numbers",
      "@group(0) @binding(0) var<storage, read_write> packed: array<u32>;",
      "if (id.x < arrayLength(&packed)) { packed[id.x] = pack4x8unorm(unpack4x8unorm(packed[id.x])) ^ dot4U8Packed(packed[id.x], 3u); }",
    ],
  ])("%s", (_, declarations, statement) => {
    const code = `enable f16;\n${declarations}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { ${statement} }`;
    expect(checkKernel(code).findings).toEqual([]);
  });
});

describe("typed arrays for buffers", () => {
  const arrays = {
    Uint32Array,
    Int32Array,
    Float32Array,
    Uint16Array,
    Int16Array,
    BigUint64Array,
    BigInt64Array,
    Float64Array,
    Uint8Array,
  };
  const words = ["Uint32Array", "Int32Array", "Uint8Array"];
  const pairs = [...words, "BigUint64Array", "BigInt64Array", "Float64Array"];
  test.each([
    ["array<u32>", words],
    ["array<i32, 4>", words],
    ["array<atomic<u32>>", words],
    ["array<vec3<u32>>", words],
    ["array<vec2<u32>>", pairs],
    ["array<vec4<i32>, 2>", pairs],
    ["array<f32>", ["Float32Array", "Uint8Array"]],
    ["array<vec2<f32>>", ["Float32Array", "Uint8Array"]],
    ["array<f16>", ["Uint16Array", "Uint8Array"]],
    ["array<Two>", Object.keys(arrays)],
  ])("%s takes those whose elements it has", (type, fitting) => {
    const code = `enable f16; struct Two { a: u32, b: f32 }
@group(0) @binding(0) var<storage, read_write> data: ${type};
@compute @workgroup_size(1) fn main() { let p = &data; }`;
    const taken = Object.entries(arrays).filter(([, array]) => {
      try {
        checkKernel(code, { runs: 1, buffers: { data: new array(64) } });
        return true;
      } catch (cause) {
        expect((cause as Error).message).toContain(`is a ${array.name}; it takes `);
        return false;
      }
    });
    expect(taken.map(([name]) => name).sort()).toEqual([...fitting].sort());
  });
});
