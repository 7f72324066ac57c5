// Times scan, reduce and compact beside a copy kernel of the same size, in one run: GPU timestamps,
// the median of many, each result verified before its time counts.
// usage: node build/bench/throughput.js [--adapter gpu|software] [--json FILE] [POWER ...]
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import type { Algorithm, ElementType, Operator } from "wavefold/node";
import { add, f32, open, u32 } from "wavefold/node";

const RUNS = 21;
const WARM_UP_MS = 1500;
const WARM_UP_AT_MOST_MS = 4000;
const WARM_UP_AGREEMENT = 0.03;
const STORAGE = 0x80 | 0x4 | 0x8;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { adapter: { type: "string" }, json: { type: "string" } },
});
const powers = positionals.length > 0 ? positionals.map(Number) : [16, 20, 22, 24, 26, 28];
const adapter = values.adapter as "gpu" | "software" | undefined;
const fold = await open(adapter === undefined ? {} : { adapter });
const { device } = fold;
const { description, vendor, architecture } = fold.adapterInfo;
console.error(`${description} (${vendor} ${architecture}), ${fold.software ? "software" : "GPU"}`);

const querySet = device.createQuerySet({ label: "bench", type: "timestamp", count: 2 });
const resolved = device.createBuffer({ label: "bench timestamps", size: 16, usage: 0x200 | 0x4 });
const staging = device.createBuffer({ label: "bench staging", size: 16, usage: 0x1 | 0x8 });

/** Microseconds on the GPU: the median of many runs, and the spread between the quartiles. */
async function time(
  record: (pass: GPUComputePassEncoder) => void,
): Promise<{ median: number; spread: number }> {
  const times: number[] = [];
  // An idle GPU lowers its clocks: keep it busy until two rounds take as long.
  const begun = performance.now();
  for (let before = 0, took = Number.POSITIVE_INFINITY; ; before = took) {
    const start = performance.now();
    for (let run = 0; run < 10; run++) {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      record(pass);
      pass.end();
      device.queue.submit([encoder.finish()]);
    }
    await device.queue.onSubmittedWorkDone();
    took = performance.now() - start;
    const elapsed = performance.now() - begun;
    const agree = Math.abs(took - before) < WARM_UP_AGREEMENT * took;
    if ((agree && elapsed > WARM_UP_MS) || elapsed > WARM_UP_AT_MOST_MS) {
      break;
    }
  }
  for (let run = 0; run < RUNS + 3; run++) {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass({
      timestampWrites: { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
    });
    record(pass);
    pass.end();
    encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, staging, 0, 16);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(1);
    const [begin = 0n, end = 0n] = new BigUint64Array(staging.getMappedRange());
    staging.unmap();
    if (run >= 3) {
      times.push(Number(end - begin) / 1000);
    }
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(share * (RUNS - 1))] ?? 0;
  return { median: at(0.5), spread: at(0.75) - at(0.25) };
}

async function readBack(buffer: GPUBuffer, offset: number, bytes: number): Promise<Uint32Array> {
  const into = device.createBuffer({ label: "bench read-back", size: bytes, usage: 0x1 | 0x8 });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, offset, into, 0, bytes);
  device.queue.submit([encoder.finish()]);
  await into.mapAsync(1);
  const words = new Uint32Array(into.getMappedRange().slice(0));
  into.destroy();
  return words;
}

const copyModule = device.createShaderModule({
  label: "bench copy",
  code: `@group(0) @binding(0) var<storage, read> input: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<u32>>;
@compute @workgroup_size(256) fn copy(@builtin(workgroup_id) g: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>,
  @builtin(local_invocation_index) thread: u32) {
  let first = (g.y * n.x + g.x) * 1024u + thread;
  for (var k = 0u; k < 4u; k++) { let i = first + k * 256u; if (i < arrayLength(&input)) { output[i] = input[i]; } }
}`,
});
const copyPipeline = device.createComputePipeline({
  label: "bench copy",
  layout: "auto",
  compute: { module: copyModule, entryPoint: "copy" },
});

interface Result {
  readonly what: string;
  readonly power: number;
  readonly microseconds: number;
  readonly spread: number;
  readonly toCopy: number;
}
const results: Result[] = [];
const largest = Math.floor(Math.log2(device.limits.maxStorageBufferBindingSize / 4));

for (const power of powers.filter((one) => one <= largest)) {
  const length = 2 ** power;
  const data = new Uint32Array(length);
  // Small whole numbers: an f32 sum of their low bits stays exact where it is verified.
  for (let index = 0, state = 1; index < length; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    data[index] = state >>> 31;
  }
  const make = (label: string): GPUBuffer => device.createBuffer({ label, size: length * 4, usage: STORAGE });
  const [input, output, count] = [make("bench input"), make("bench output"), make("bench count")];
  device.queue.writeBuffer(input, 0, data);
  const bindGroup = device.createBindGroup({
    layout: copyPipeline.getBindGroupLayout(0),
    entries: [
      { binding: 0, resource: { buffer: input } },
      { binding: 1, resource: { buffer: output } },
    ],
  });
  const groups = Math.ceil(length / 4096);
  const rows = Math.ceil(groups / 65535);
  const copy = await time((pass) => {
    pass.setPipeline(copyPipeline);
    pass.setBindGroup(0, bindGroup);
    pass.dispatchWorkgroups(Math.ceil(groups / rows), rows);
  });
  results.push({ what: "copy", power, microseconds: copy.median, spread: copy.spread, toCopy: 1 });
  const keep = async (
    what: string,
    record: (pass: GPUComputePassEncoder) => void,
    verify: () => Promise<boolean>,
  ): Promise<void> => {
    const { median, spread } = await time(record);
    if (!(await verify())) {
      throw new Error(`${what} at 2^${power} is wrong`);
    }
    results.push({ what, power, microseconds: median, spread, toCopy: median / copy.median });
  };
  const sums = (at: number): number => data.subarray(0, at).reduce((total, value) => total + value, 0);
  const scans: readonly [string, ElementType, Operator<"u32" | "f32">, Algorithm | undefined][] = [
    ["scan u32", u32, add, undefined],
    ["scan u32 subgroup", u32, add, "subgroup"],
    ["scan u32 hillis-steele", u32, add, "hillis-steele"],
    ["scan u32 blelloch", u32, add, "blelloch"],
  ];
  for (const [what, type, op, algorithm] of scans) {
    if (algorithm === "subgroup" && !device.features.has("subgroups")) {
      continue;
    }
    const scan = await fold.prepareScan({
      type: type as typeof u32,
      op,
      exclusive: true,
      maxLength: length,
      ...(algorithm && { algorithm }),
    });
    await keep(
      what,
      (pass) => scan.record(pass, { input, output, length }),
      async () => {
        const prefixes = await readBack(output, 0, length * 4);
        let prefix = 0;
        return prefixes.every((value, index) => {
          const right = value === prefix;
          prefix = (prefix + (data[index] ?? 0)) >>> 0;
          return right;
        });
      },
    );
    scan.destroy();
  }
  const reduce = await fold.prepareReduce({ type: u32, op: add, maxLength: length });
  await keep(
    "reduce u32",
    (pass) => reduce.record(pass, { input, output: count, length }),
    async () => (await readBack(count, 0, 4))[0] === sums(length),
  );
  reduce.destroy();
  const compact = await fold.prepareCompact({
    type: u32,
    where: "x == 1u",
    indices: true,
    maxLength: length,
  });
  await keep(
    "compact u32 indices, half kept",
    (pass) => compact.record(pass, { input, output, count, length }),
    async () => {
      const kept = (await readBack(count, 0, 4))[0] ?? 0;
      const positions = await readBack(output, 0, Math.max(4, kept * 4));
      let slot = 0;
      for (let index = 0; index < length; index++) {
        if (data[index] === 1 && positions[slot++] !== index) {
          return false;
        }
      }
      return slot === kept;
    },
  );
  compact.destroy();
  const floatScan = await fold.prepareScan({ type: f32, op: add, maxLength: length });
  if (power <= 24) {
    device.queue.writeBuffer(input, 0, Float32Array.from(data));
    await keep(
      "scan f32",
      (pass) => floatScan.record(pass, { input, output, length }),
      async () => {
        const prefixes = new Float32Array((await readBack(output, 0, length * 4)).buffer);
        let prefix = 0;
        return prefixes.every((value, index) => {
          prefix += data[index] ?? 0;
          return value === prefix;
        });
      },
    );
  }
  floatScan.destroy();
  for (const buffer of [input, output, count]) {
    buffer.destroy();
  }
}

const table = new Table({ head: ["", ...new Set(results.map(({ power }) => `2^${power}`))] });
for (const what of new Set(results.map((one) => one.what))) {
  const cells = [...new Set(results.map(({ power }) => power))].map((power) => {
    const one = results.find((result) => result.what === what && result.power === power);
    return one === undefined ? "" : `${one.microseconds.toFixed(1)} µs (${one.toCopy.toFixed(2)})`;
  });
  table.push([what, ...cells]);
}
console.log(`${description}: medians of ${RUNS}, and the ratio to the copy\n${table.toString()}`);
if (values.json !== undefined) {
  let commit = "unknown";
  try {
    commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    commit = process.env.WAVEFOLD_COMMIT ?? "unknown";
  }
  const device_ = { vendor, architecture, description };
  writeFileSync(
    values.json,
    `${JSON.stringify({ device: device_, commit, runs: RUNS, results }, undefined, 1)}\n`,
  );
}
fold.destroy();
