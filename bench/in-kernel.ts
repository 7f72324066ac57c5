// Times the bodies of the in-kernel functions beside one another: many work-groups of 256 threads, each
// calling a function 32 times on values that depend on the call before. GPU timestamps, the median of
// many, and each body's results must be those of the first.
// usage: node build/bench/in-kernel.js [--adapter gpu|software] [--json FILE]
import { writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { openFold } from "wavefold/node";
import type { ElementType, InKernelFunctions, WorkGroupAlgorithm } from "wavefold/wgsl";
import {
  blelloch,
  f32,
  f64,
  hillisSteele,
  link,
  max,
  subgroup,
  subgroupOf,
  threadTileScan,
  u32,
  u64,
  workGroupCompact,
  workGroupReduce,
  workGroupScan,
  workGroupSort,
  workGroupSortPairs,
  workGroupSplit,
} from "wavefold/wgsl";
import { readerOf } from "./buffers.ts";
import { headOf, hostOf } from "./host.ts";
import { createTimer, paceFor } from "./timer.ts";

const THREADS = 256;
const CALLS = 32;

const { values } = parseArgs({ options: { adapter: { type: "string" }, json: { type: "string" } } });
const adapter = values.adapter as "gpu" | "software" | undefined;
const fold = await openFold({ cpu: "never", ...(adapter !== undefined && { adapter }) });
const { device } = fold;
const host = hostOf(fold);
const groups = fold.software ? 2 : 8192;

const timer = await createTimer(device, paceFor(fold.software, fold.software));
const output = device.createBuffer({ label: "bench output", size: groups * THREADS * 8, usage: 0x80 | 0x4 });

interface Case {
  readonly title: string;
  readonly type: ElementType<"u32"> | ElementType<"f32"> | ElementType<"u64"> | ElementType<"f64">;
  /** What a thread calls, on `x`. */
  readonly call: string;
  readonly declarations?: string;
  functions(algorithm: WorkGroupAlgorithm): InKernelFunctions;
}

const size = { workGroupSize: THREADS };
/** Four keys that a thread sorts. */
const FOUR = "array(x * 2654435761u, x * 2246822519u, x ^ 0x9e3779b9u, ~x)";
const cases: readonly Case[] = [
  ...([u32, f32, u64, f64] as const).map(
    (type): Case => ({
      title: `work_group_scan_inclusive_max_${type.name}`,
      type,
      call: `x = work_group_scan_inclusive_max_${type.name}(x, thread);`,
      functions: (algorithm) =>
        workGroupScan({ type: type as ElementType<"u32">, op: max, algorithm, ...size }),
    }),
  ),
  ...([u32, u64, f64] as const).map(
    (type): Case => ({
      title: `work_group_scan_exclusive_add_${type.name}`,
      type,
      call: `x = work_group_scan_exclusive_add_${type.name}(x, thread);`,
      functions: (algorithm) => workGroupScan({ type: type as ElementType<"u32">, algorithm, ...size }),
    }),
  ),
  {
    title: "work_group_reduce_add_u32",
    type: u32,
    call: "x += work_group_reduce_add_u32(x, thread);",
    functions: (algorithm) => workGroupReduce({ type: u32, algorithm, ...size }),
  },
  ...[8, 32, 64].map(
    (tileSize): Case => ({
      title: `thread_tile_${tileSize}_scan_exclusive_add_u32`,
      type: u32,
      call: `x = thread_tile_${tileSize}_scan_exclusive_add_u32(x, thread);`,
      functions: (algorithm) => threadTileScan({ type: u32, tileSize, algorithm, ...size }),
    }),
  ),
  {
    title: "work_group_compact",
    type: u32,
    call: "x = work_group_compact((x & 1u) == 0u, thread).slot;",
    functions: (algorithm) => workGroupCompact({ algorithm, ...size }),
  },
  // A sort's keys come from the keys of the sort before.
  {
    title: "work_group_sort_u32, 1 item",
    type: u32,
    call: "var keys = array(x * 2654435761u); work_group_sort_u32(&keys, thread); x = keys[0] + thread;",
    functions: (algorithm) => workGroupSort({ type: u32, algorithm, ...size }),
  },
  {
    title: "32 × work_group_split, which sort 1 item",
    type: u32,
    declarations: `var<workgroup> moved: array<u32, ${THREADS}>;`,
    call: `x *= 2654435761u;
    for (var bit = 0u; bit < 32u; bit++) {
      moved[work_group_split(extractBits(x, bit, 1u) == 1u, thread)] = x;
      workgroupBarrier();
      x = moved[thread];
      workgroupBarrier();
    }
    x += thread;`,
    functions: (algorithm) => workGroupSplit({ algorithm, ...size }),
  },
  ...([undefined, [0, 8]] as const).map(
    (bits): Case => ({
      title: `work_group_sort_u32, 4 items${bits === undefined ? "" : ", 8 bits"}`,
      type: u32,
      call: `var keys = ${FOUR}; work_group_sort_u32(&keys, thread); x = keys[0] + keys[3] + thread;`,
      functions: (algorithm) =>
        workGroupSort({ type: u32, items: 4, algorithm, ...size, ...(bits && { bits }) }),
    }),
  ),
  {
    title: "work_group_sort_pairs_u32_u32, 4 items",
    type: u32,
    call: `var keys = ${FOUR}; var own = array(x, x + 1u, x + 2u, x + 3u);
    work_group_sort_pairs_u32_u32(&keys, &own, thread);
    x = keys[0] ^ own[3];`,
    functions: (algorithm) => workGroupSortPairs({ type: u32, values: u32, items: 4, algorithm, ...size }),
  },
];

const kernel = ({ type, call, declarations = "" }: Case): string => `
@group(0) @binding(0) var<storage, read_write> output: array<${type.value}>;
${declarations}

@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
  let index = group.x * ${THREADS}u + thread;
  var x = ${type.value}(${type.value.startsWith("vec2") ? "index * 2654435761u, index & 0x3fffffffu" : "index"});
  for (var turn = 0u; turn < ${CALLS}u; turn++) {
    ${call}
  }
  output[index] = x;
}
`;

interface Result {
  readonly title: string;
  readonly body: string;
  /** Of one call by one work-group, if they ran one after another. */
  readonly nanoseconds: number;
  readonly same: boolean;
}

async function measure(
  one: Case,
  algorithm: WorkGroupAlgorithm,
): Promise<{ nanoseconds: number; words: Uint32Array }> {
  const pipeline = await device.createComputePipelineAsync({
    layout: "auto",
    compute: {
      module: device.createShaderModule({ code: link(kernel(one), [one.functions(algorithm)]) }),
    },
  });
  const bindGroup = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: output } }],
  });
  const { median } = await timer.time({
    pass(pass) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindGroup);
      pass.dispatchWorkgroups(groups);
    },
  });
  const bytes = new Uint8Array(groups * THREADS * (one.type.value.startsWith("vec2") ? 8 : 4));
  const reader = readerOf(device, output);
  await reader.read(bytes);
  reader.destroy();
  return { nanoseconds: (median * 1000) / (groups * CALLS), words: new Uint32Array(bytes.buffer) };
}

const results: Result[] = [];
const { vendor, subgroupMinSize = 4, subgroupMaxSize = 128 } = fold.adapterInfo;
// Others may report more lanes than their subgroups have.
const isTrue = fold.software || vendor === "nvidia" || vendor === "amd";
const [least, most] = isTrue ? [subgroupMinSize, subgroupMaxSize] : [4, 128];
/** The bodies, and the subgroup one again for adapters of the size at hand alone. */
const bodies = [
  { name: "blelloch", algorithm: blelloch },
  { name: "hillis-steele", algorithm: hillisSteele },
  { name: "subgroup", algorithm: subgroup },
  { name: `subgroup of ${least} to ${most}`, algorithm: subgroupOf({ minSize: least, maxSize: most }) },
] as const satisfies readonly { name: string; algorithm: WorkGroupAlgorithm }[];
await timer.heat();
const table = new Table({
  style: { head: [], border: [] },
  head: ["ns a call and work-group of 256", ...bodies.map(({ name }) => name)],
});
for (const one of cases) {
  let first: Uint32Array | undefined;
  const cells: string[] = [];
  for (const body of bodies) {
    const { algorithm } = body;
    const isTile = one.title.startsWith("thread_tile");
    if ((isTile && algorithm === blelloch) || (algorithm.subgroups && !device.features.has("subgroups"))) {
      cells.push("");
      continue;
    }
    const { nanoseconds, words } = await measure(one, algorithm);
    const reference = first ?? words;
    first = reference;
    // The order of f64 sums differs from body to body, and so do their last bits.
    const same = one.title.endsWith("add_f64") || words.every((word, index) => word === reference[index]);
    results.push({ title: one.title, body: body.name, nanoseconds, same });
    cells.push(`${nanoseconds.toFixed(2)}${same ? "" : " WRONG"}`);
  }
  table.push([one.title, ...cells]);
}
console.log(`${headOf(host)}\n${table.toString()}`);
if (values.json !== undefined) {
  writeFileSync(values.json, `${JSON.stringify({ ...host, results }, undefined, 1)}\n`);
}
timer.destroy();
fold.destroy();
process.exitCode = results.every((one) => one.same) ? 0 : 1;
