import { describe, expect, test } from "vitest";
import type { TraceEvent } from "../../src/simulator/index.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";
import type { SimulatorOptions } from "../../src/simulator/options.ts";
import { runProgram } from "./run_program.ts";

type Buffers = Parameters<typeof runProgram>[1];

/** Runs a kernel with a trace. */
function traced(
  code: string,
  buffers: Buffers,
  groups: readonly [number, number, number] = [1, 1, 1],
  options: SimulatorOptions = {},
) {
  const events: TraceEvent[] = [];
  const run = runProgram(code, buffers, groups, { ...options, trace: (event) => events.push(event) });
  return { events, ...run };
}

/** An event as text: `7 write 0 of shared[2] = 5`. */
const told = ({ kind, line, threads, memory, variable, index, values }: TraceEvent): string =>
  [
    `${line} ${kind}${threads.length > 0 ? ` ${threads.join(",")}` : ""}`,
    variable === "" ? memory : `of ${variable}[${index}]`,
    values.length > 0 ? `= ${values.join(" ")}` : "",
  ]
    .filter(Boolean)
    .join(" ");

const head = `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> count: atomic<u32>;
var<workgroup> first: array<u32, 2>;
var<workgroup> shared_sum: atomic<u32>;
`;

/** A kernel of two threads, whose body starts in line 7. */
const kernel = (body: string): string => `${head}@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) id: vec3<u32>) {
${body}
}`;

describe("a trace tells", () => {
  test.each([
    {
      name: "reads and writes of both memories",
      body: "first[t] = data[t] + 1u;\nworkgroupBarrier();\ndata[t] = first[1u - t];",
      expected: [
        "7 read 0 of data[0] = 5",
        "7 write 0 of first[0] = 6",
        "7 read 1 of data[1] = 9",
        "7 write 1 of first[1] = 10",
        "8 barrier 0,1 work-group",
        "9 read 0 of first[1] = 10",
        "9 write 0 of data[0] = 10",
        "9 read 1 of first[0] = 6",
        "9 write 1 of data[1] = 6",
      ],
    },
    {
      name: "atomics of both memories",
      body: "atomicAdd(&count, 3u);\natomicAdd(&shared_sum, t + 1u);\nstorageBarrier();\n_ = atomicLoad(&count);\n_ = atomicLoad(&shared_sum);\natomicStore(&shared_sum, 8u);",
      expected: [
        "7 atomic change 0 of count[0] = 3",
        "8 atomic change 0 of shared_sum[0] = 1",
        "7 atomic change 1 of count[0] = 6",
        "8 atomic change 1 of shared_sum[0] = 3",
        "9 barrier 0,1 buffer",
        "10 atomic load 0 of count[0] = 6",
        "11 atomic load 0 of shared_sum[0] = 3",
        "12 atomic change 0 of shared_sum[0] = 8",
        "10 atomic load 1 of count[0] = 6",
        "11 atomic load 1 of shared_sum[0] = 8",
        "12 atomic change 1 of shared_sum[0] = 8",
      ],
    },
    {
      name: "what some threads alone do, and an operator in place",
      body: "if (t == 1u) {\n  data[2] += 4u;\n}",
      expected: ["8 read 1 of data[2] = 7", "8 write 1 of data[2] = 11"],
    },
  ])("$name", ({ body, expected }) => {
    const { events } = traced(kernel(body), [[5, 9, 7], 1]);
    expect(events.map(told)).toEqual(["0 start 0,1", ...expected]);
    for (const { file, entryPoint, workGroup } of events) {
      expect({ file, entryPoint, workGroup }).toEqual({
        file: "test",
        entryPoint: "main",
        workGroup: [0, 0, 0],
      });
    }
  });

  test("functions of subgroups, with a result for each thread", () => {
    const { events } = traced(
      `enable subgroups;\n${kernel("let sum = subgroupInclusiveAdd(t + 1u);\nlet x = subgroupBroadcast(sum, 1u);\nif (t == 1u) { data[0] = x; }")}`,
      [1, 1],
    );
    expect(events.map(told)).toEqual([
      "0 start 0,1",
      "8 subgroup 0,1 = 1 3",
      "9 subgroup 0,1 = 3 3",
      "10 write 1 of data[0] = 3",
    ]);
  });

  test("vectors, members, uniforms and halves, by words from the start of the variable", () => {
    const code = `enable f16;
struct Both { pad: u32, pair: vec2<u32> }
@group(0) @binding(0) var<uniform> given: Both;
@group(0) @binding(1) var<storage, read_write> halves: array<f16>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<u32>>;
var<workgroup> shared_pairs: array<vec2<u32>, 2>;
@compute @workgroup_size(1)
fn main() {
  shared_pairs[1] = given.pair;
  halves[3] = halves[0] * 2h;
  out[1] = shared_pairs[1].xyxy;
}`;
    const { events } = traced(code, [[0, 0, 6, 7], [0x3c00, 0x12345678], 8]);
    expect(events.slice(1).map(told)).toEqual([
      "9 read 0 of given[2] = 6 7",
      "9 write 0 of shared_pairs[2] = 6 7",
      "10 read 0 of halves[0] = 15360",
      `10 write 0 of halves[1] = ${0x40005678}`,
      "11 read 0 of shared_pairs[2] = 6 7",
      "11 write 0 of out[4] = 6 7 6 7",
    ]);
  });
});

test.each([
  {
    name: "races",
    body: "data[0] = t;\nfirst[0] = t;",
    expected: ["7 write 1 of data[0] = 1", "8 write 1 of first[0] = 1"],
  },
  {
    name: "an index past the end, behind a write",
    body: "data[t] = 4u;\nfirst[t + 1u] = 5u;",
    // It is a race, too: the last element is taken, which the other thread has.
    expected: ["8 write 1 of first[1] = 5", "8 write 1 of first[1] = 5"],
  },
  {
    name: "a barrier that some do not reach",
    body: "data[t] = 4u;\nif (data[t] > t + 3u) { workgroupBarrier(); }",
    expected: ["8 barrier 0 work-group"],
  },
  {
    name: "a loop without an end",
    body: "data[t] = 4u;\nloop { if (atomicLoad(&count) == 7u) { break; } }",
    expected: [],
  },
])("a finding comes just before the event that it is about: $name", ({ body, expected }) => {
  const events: TraceEvent[] = [];
  const moments: number[] = [];
  runProgram(kernel(body), [2, 1], [1, 1, 1], {
    patience: 10,
    trace: (event) => events.push(event),
    onFinding: () => moments.push(events.length),
  });
  const found = moments.flatMap((at) => events.slice(at, at + 1).map(told));
  expect(moments.length).toBeGreaterThan(0);
  expect(found).toEqual(expected);
});

/** Work-groups that add to counters of each other, and scan in work-group memory. */
const busy = `${head}@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) id: vec3<u32>) {
  let place = atomicAdd(&count, 1u);
  first[t] = place;
  atomicMax(&shared_sum, place);
  workgroupBarrier();
  let other = first[1u - t] + atomicLoad(&shared_sum);
  data[2u * id.x + t] = other + atomicLoad(&count);
}`;

describe.each(["in order", "reversed", "random", "priorities"] as const)("by the schedule %s", (schedule) => {
  const options = { schedule, seed: 5, atomics: "random", olderValues: true } as const;

  test("a kernel does the same with a trace and without it", () => {
    const { words, findings } = traced(busy, [12, 1], [6, 1, 1], options);
    const plain = runProgram(busy, [12, 1], [6, 1, 1], options);
    expect(words).toEqual(plain.words);
    expect(findings).toEqual(plain.findings);
  });

  test("memory follows from the events", () => {
    const { events, words } = traced(busy, [12, 1], [6, 1, 1], options);
    const memory = { data: new Int32Array(12), count: new Int32Array(1) };
    for (const { kind, variable, index, values } of events) {
      if ((kind === "write" || kind === "atomic change") && (variable === "data" || variable === "count")) {
        memory[variable].set(values, index);
      }
    }
    expect([memory.data, memory.count]).toEqual(words);
    expect(events.filter(({ kind }) => kind === "start")).toHaveLength(6);
  });
});

test("findings about atomics of work-group memory come only with their own option", () => {
  const body = "atomicStore(&shared_sum, t);\ndata[t] = atomicLoad(&shared_sum);";
  const kinds = (options: SimulatorOptions): readonly string[] =>
    traced(kernel(body), [2, 1], [1, 1, 1], options).findings.map(({ kind }) => kind);
  expect(kinds({})).toEqual([]);
  expect(kinds({ unorderedAtomics: true })).toContain("unordered");
});

test("of two sizes of subgroups, only the usual one is traced", () => {
  const code = `enable subgroups;\n${kernel("data[t] = subgroupAdd(1u);")}`;
  const { events, times } = traced(code, [2, 1], [1, 1, 1], { subgroupSize: 4, otherSubgroupSize: 1 });
  expect(times).toBe(2);
  expect(events.filter(({ kind }) => kind === "subgroup").map(told)).toEqual(["8 subgroup 0,1 = 2 2"]);
});

test("what the callback throws ends the device", async () => {
  const gpu = simulatedGpu({
    trace() {
      throw new Error("enough");
    },
  });
  const device = (await (await gpu.requestAdapter())?.requestDevice()) as GPUDevice;
  const module = device.createShaderModule({ code: "@compute @workgroup_size(1) fn main() {}" });
  const pipeline = device.createComputePipeline({ layout: "auto", compute: { module } });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.dispatchWorkgroups(1);
  pass.end();
  device.queue.submit([encoder.finish()]);
  expect((await device.lost).message).toContain("enough");
});
