// One table of the rows that were once far from the speed of memory: the time of each, a copy of the same bytes in the same run, and
// the goal. Each result is first compared, on every vector, with another algorithm's that reads the data twice.
// usage: node build/bench/gaps.js [--adapter gpu|software] [--only TEXT] [--shapes] [--parts] [--cold] [--tune] [--power N] [--json FILE]
// `--shapes` also times the other shapes of some rows. `--parts` times scans without some of their parts, which shows what binds them, where
// the row's plan takes a single pass by subgroups. `--cold` times the first `prepareScan` of fresh processes, also with `soon`, with NVIDIA's cache of compiled shaders off. `--tune` times
// `wavefold tune --types u32`. `--power N` takes 2^N bytes where a row takes more, so that a software adapter gets through.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { exactAdd } from "../src/algebra/exact_add.ts";
import { f16, f32 } from "../src/algebra/floats.ts";
import { u32 } from "../src/algebra/integers.ts";
import { f64, u64 } from "../src/algebra/types_64.ts";
import { contextOf } from "../src/gpu/device/device.ts";
import { prepareFor } from "../src/gpu/recordings/prepare_folds.ts";
import type { Prepared, Ranges } from "../src/gpu/recordings/recording.ts";
import { prepare } from "../src/gpu/recordings/recording.ts";
import type { Fold } from "../src/node.ts";
import { openFold } from "../src/node.ts";
import { planFactsFor } from "../src/plan/plan_facts_for.ts";
import type { ScanOptions } from "../src/plan/scan.ts";
import { planScan } from "../src/plan/scan.ts";
import { createBuffer, readerOf } from "./buffers.ts";
import { prepareCompare, prepareCopy, preparePoison } from "./copy.ts";
import type { Options, Row } from "./gap_rows.ts";
import { rowsOf, structOf } from "./gap_rows.ts";
import type { Host } from "./host.ts";
import { headOf, hostOf } from "./host.ts";
import { lineOfWidths } from "./line.ts";
import type { PartLeftOut } from "./parts_left_out.ts";
import { partsLeftOut, planWithout } from "./parts_left_out.ts";
import type { Timer } from "./timer.ts";
import { createTimer, paceFor, timingOf } from "./timer.ts";

/** Words of the pattern that data repeats: no multiple of a tile. */
const PATTERN = 3 * 2 ** 18;

/** Fills a buffer with a pattern, over and over. */
function fill(device: GPUDevice, buffer: GPUBuffer, aside: GPUBuffer, { word, inPairs, bytes }: Row): void {
  const words = new Uint32Array(PATTERN);
  let state = 0x9e3779b9;
  let random = 0;
  for (let at = 0; at < words.length; at++) {
    if (!inPairs || at % 2 === 0) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      random = (state ^ (state >>> 15)) >>> 0;
    }
    words[at] = word === undefined ? random : word(random, at);
  }
  const first = Math.min(bytes, words.byteLength);
  device.queue.writeBuffer(buffer, 0, words, 0, first / 4);
  const encoder = device.createCommandEncoder({ label: "bench fill" });
  for (let done = first; done < bytes; done *= 2) {
    const more = Math.min(done, bytes - done);
    encoder.copyBufferToBuffer(buffer, 0, aside, 0, more);
    encoder.copyBufferToBuffer(aside, 0, buffer, done, more);
  }
  device.queue.submit([encoder.finish()]);
}

/** What a row, or another shape of it, came to. */
export interface Result {
  readonly what: string;
  readonly form: string;
  readonly isWrong: true | undefined;
  readonly micros: number;
  readonly copy: number;
  readonly clock: number | undefined;
  readonly goal: Row["goal"];
  readonly problem: string | undefined;
}

/** Buffers that rows take in turn. */
interface Buffers {
  readonly input: GPUBuffer;
  readonly output: GPUBuffer;
  readonly other: GPUBuffer;
  readonly words: GPUBuffer;
}

const MIDDLE = 4;

/** The ranges of a recording. */
function rangesOf({ primitive, options, bytes, arrangement, length }: Row, buffers: Buffers): Ranges {
  const { input, output, words } = buffers;
  const { bytes: itemBytes } = options.type;
  const items = Math.floor(bytes / itemBytes) - (arrangement === "items" ? MIDDLE : 0);
  const offset = arrangement === "items" ? 4 : 0;
  const range = (buffer: GPUBuffer) => ({ buffer, offset, size: items * itemBytes });
  return {
    input: range(arrangement === "in-place" ? output : input),
    output: primitive === "reduce" ? { buffer: output, size: itemBytes } : range(output),
    ...(primitive === "compact" && { count: { buffer: words, offset: 256, size: 4 } }),
    length: options.lengthOnGpu ? { buffer: words, offset: 512, size: 4 } : (length ?? items),
  };
}

type Shape = readonly [threads: number, items: number] | undefined;

/** A row's options, as plans take them, and how its ranges may lie. */
const plannedOf = ({ options, arrangement, bytes }: Row) => ({
  options: { ...options, maxLength: Math.floor(bytes / options.type.bytes) },
  arrangements: ["vectors", ...(arrangement === undefined ? [] : [arrangement])] as const,
});

/** Compiles a row with a shape; without one, with what the adapter's row has. */
function prepareRow(fold: Fold, row: Row, shape: Shape): Promise<Prepared> {
  const { options, arrangements } = plannedOf(row);
  const [workGroupSize, itemsPerThread] = shape ?? [];
  return prepareFor(
    row.primitive,
    contextOf(fold.device),
    { ...options, ...(shape && { workGroupSize, itemsPerThread }) } as never,
    arrangements,
  );
}

/** The same by Hillis and Steele, in another shape and in two passes. */
const prepareOther = (fold: Fold, row: Row): Promise<Prepared> =>
  prepareFor(
    row.primitive,
    contextOf(fold.device),
    {
      ...plannedOf(row).options,
      lengthOnGpu: false,
      algorithm: "hillis-steele",
      // Exact sums have elements of up to 268 bytes, so few of their threads fit.
      ...(row.options.op !== exactAdd && { workGroupSize: 128, itemsPerThread: 4 }),
      ...(row.primitive !== "reduce" && { passes: "reduce-then-scan" }),
    } as never,
    ["vectors", "items"],
  );

/** A plan of a row that is timed. */
interface Form {
  /** Its shape, or the part that is left out; nothing for what plans choose by themselves. */
  readonly name: string;
  readonly plan: Prepared;
  /** A part is left out, so the result is wrong and is not compared. */
  readonly isWrong?: true;
}

/** Compiles the kernels of a row with each part left out that they have. */
async function prepareParts(fold: Fold, row: Row): Promise<readonly Form[]> {
  if (row.primitive !== "scan" || row.options.lengthOnGpu) {
    return [];
  }
  const context = contextOf(fold.device);
  const { options, arrangements } = plannedOf(row);
  const facts = await planFactsFor(options as ScanOptions, context.facts, true);
  const plan = planScan(options, facts, arrangements);
  const parts = (Object.keys(partsLeftOut) as PartLeftOut[]).flatMap((name) => {
    const without = planWithout(plan, name);
    return without === undefined ? [] : [{ name, plan: prepare(context, without), isWrong: true } as const];
  });
  return Promise.all(parts.map(async (part) => ({ ...part, plan: await part.plan })));
}

/** Times a row, after its result was compared. */
async function timeRow(
  fold: Fold,
  timer: Timer,
  row: Row,
  forms: readonly Form[],
  other: Prepared,
  buffers: Buffers,
): Promise<Result[]> {
  const { device } = fold;
  const { input, output, other: expected, words } = buffers;
  const { bytes, arrangement, goal, what, length } = row;
  fill(device, input, expected, row);
  device.queue.writeBuffer(words, 512, Uint32Array.of(length ?? 0));
  const [poison, poisonExpected, compare, copy] = await Promise.all([
    preparePoison(device, output),
    preparePoison(device, expected),
    prepareCompare(device, output, expected, words),
    prepareCopy(device, input, output, bytes),
  ]);
  const run = (...records: readonly ((pass: GPUComputePassEncoder) => void)[]): void => {
    const encoder = device.createCommandEncoder({ label: "bench" });
    for (const record of records) {
      const pass = encoder.beginComputePass({ label: "bench" });
      record(pass);
      pass.end();
    }
    device.queue.submit([encoder.finish()]);
  };
  const refill = (encoder: GPUCommandEncoder): void => encoder.copyBufferToBuffer(input, 0, output, 0, bytes);
  const submitted = (record: (encoder: GPUCommandEncoder) => void): void => {
    const encoder = device.createCommandEncoder({ label: "bench" });
    record(encoder);
    device.queue.submit([encoder.finish()]);
  };
  const isApart = arrangement !== "in-place";
  const given = rangesOf({ ...row, options: { ...row.options, lengthOnGpu: false } }, buffers);
  const whole = { ...given, input: { ...(given.input as { offset: number; size: number }), buffer: input } };
  run(poisonExpected.record, (pass) =>
    other.record(pass, {
      ...whole,
      output: { ...(whole.output as { offset: number; size: number }), buffer: expected },
    }),
  );
  if (!isApart) {
    // Behind the range, there is no poison in place.
    submitted((encoder) => encoder.copyBufferToBuffer(input, bytes, expected, bytes, expected.size - bytes));
  }
  const copied = await timer.time({ pass: copy.record });
  const results: Result[] = [];
  for (const { name, plan, isWrong } of forms) {
    const record = (pass: GPUComputePassEncoder): void => plan.record(pass, rangesOf(row, buffers));
    device.queue.writeBuffer(words, 0, Uint32Array.of(0));
    if (isApart) {
      run(poison.record);
    } else {
      submitted((encoder) => encoder.copyBufferToBuffer(input, 0, output, 0, output.size));
    }
    run(record, compare.record);
    const found = new Uint32Array(1);
    const reader = readerOf(device, words);
    await reader.read(new Uint8Array(found.buffer));
    reader.destroy();
    const differing = found[0] as number;
    const { median, clock } = await timer.time({ pass: record }, isApart ? undefined : refill);
    const problem = isWrong || differing === 0 ? undefined : `${differing} vectors differ`;
    results.push({ what, form: name, isWrong, micros: median, copy: copied.median, clock, goal, problem });
  }
  return results;
}

const lineOf = lineOfWidths([50, 28, 9, 9, 7, 9, 7, 7]);
const show = (cells: readonly string[]): void => console.log(lineOf(cells));

function showResult({ what, form, isWrong, micros, copy, goal, clock, problem }: Result): void {
  const copies = micros / copy;
  const isMet = "copies" in goal ? copies <= goal.copies : micros <= goal.micros;
  show([
    what,
    form,
    micros.toFixed(1),
    copy.toFixed(1),
    copies.toFixed(2),
    "copies" in goal ? `${goal.copies}` : `${goal.micros} µs`,
    clock === undefined ? "" : clock.toFixed(2),
    problem ? `WRONG: ${problem}` : isWrong ? "in part" : isMet ? "met" : "short",
  ]);
}

const firstTypes = [
  ["u32", { type: u32 }, 150],
  ["f32", { type: f32 }, 150],
  ["u64", { type: u64 }, 300],
  ["f64", { type: f64 }, 300],
  ["16-byte struct", structOf(4), 300],
] as const satisfies readonly (readonly [string, Options, number])[];

/** What a fresh process prepares first, and the goal in milliseconds. */
const coldRows = firstTypes.flatMap(([name, options, goal]) => [
  { name, options, form: "", goal },
  { name, options: { ...options, soon: true }, form: "soon", goal },
]);

/** The first `prepareScan` of this process, and how long its own kernels take, in milliseconds. */
async function timeCold(row: number): Promise<void> {
  const one = await openFold({ cpu: "never", ...(adapter !== undefined && { adapter }) });
  const begun = performance.now();
  const plan = await one.prepareScan({ ...coldRows[row]?.options, maxLength: 2 ** 24 } as never);
  const milliseconds = performance.now() - begun;
  await plan.settled;
  console.log(JSON.stringify({ milliseconds, settled: performance.now() - begun }));
  plan.destroy();
  one.destroy();
  process.exit(0);
}

/** Seconds of `wavefold tune --types u32`, and the longest time in which it printed no line. */
async function timeTune(adapter: string[]): Promise<{ readonly seconds: number; readonly silent: number }> {
  const script = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
  const child = spawn(process.execPath, [script, "tune", "--types", "u32", ...adapter], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const begun = performance.now();
  let last = begun;
  let silent = 0;
  const hear = (): void => {
    const now = performance.now();
    silent = Math.max(silent, now - last);
    last = now;
  };
  child.stderr.on("data", hear);
  const [status] = (await once(child, "close")) as [number | null];
  hear();
  if (status !== 0) {
    throw new Error(`wavefold tune ended with status ${status}`);
  }
  return { seconds: (last - begun) / 1000, silent: silent / 1000 };
}

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const { values } = parseArgs({
  options: {
    ...{ adapter: text, only: text, power: text, json: text, "cold-row": text },
    ...{ shapes: flag, parts: flag, cold: flag, tune: flag },
  },
});
const adapter = values.adapter as "gpu" | "software" | undefined;
const adapterOption = adapter === undefined ? [] : ["--adapter", adapter];
if (values["cold-row"] !== undefined) {
  await timeCold(Number(values["cold-row"]));
}
const results: Result[] = [];
/** The times of `timeCold` in some processes. */
interface Cold {
  readonly name: string;
  readonly form: string;
  readonly milliseconds: readonly number[];
  readonly settled: readonly number[];
}
const cold: Cold[] = [];
/** Where rows are timed. It is known once their device is open, after what processes of their own are timed for. */
let host: Host | undefined;
let tune: Awaited<ReturnType<typeof timeTune>> | undefined;
const save = (): void => {
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify({ ...host, results, cold, tune }, undefined, 1)}\n`);
  }
};
if (values.cold) {
  const script = process.argv[1] as string;
  const env = { ...process.env, __GL_SHADER_DISK_CACHE: "0" };
  for (const [at, { name, form, goal }] of coldRows.entries()) {
    const times = Array.from({ length: 3 }, () => {
      const printed = execFileSync(process.execPath, [script, "--cold-row", `${at}`, ...adapterOption], {
        encoding: "utf8",
        env,
      });
      return JSON.parse(printed.trim().split("\n").at(-1) as string) as {
        readonly milliseconds: number;
        readonly settled: number;
      };
    });
    const milliseconds = times.map((one) => one.milliseconds);
    const settled = times.map((one) => one.settled);
    cold.push({ name, form, milliseconds, settled });
    const { median } = timingOf(milliseconds);
    const isMet = median <= goal;
    show([
      `first prepareScan, ${name}, ms`,
      form && `${form}, settled ${timingOf(settled).median.toFixed(0)}`,
      ...[median.toFixed(0), "", "", `${goal} ms`, "", isMet ? "met" : "short"],
    ]);
    save();
  }
}
if (values.tune) {
  tune = await timeTune(adapterOption);
  const { seconds, silent } = tune;
  const isMet = seconds <= 30;
  show([
    "wavefold tune --types u32, s",
    `silent ${silent.toFixed(1)} s`,
    ...[seconds.toFixed(1), "", "", "30 s", "", isMet ? "met" : "short"],
  ]);
  save();
}
const fold = await openFold({ cpu: "never", ...(adapter !== undefined && { adapter }) });
host = hostOf(fold);
const { features } = fold.device;
const rows = rowsOf(Number(values.power ?? 30)).filter(
  ({ what, options: { type } }) =>
    what.includes(values.only ?? "") && (type !== f16 || features.has("shader-f16")),
);
if (values.only !== "nothing") {
  // All kernels are compiled before anything is timed, since that would share the processors, and on some systems the GPU.
  const prepared = await Promise.all(
    rows.map(async (row) => {
      const shapes: readonly Shape[] = [undefined, ...((values.shapes && row.shapes) || [])];
      const [forms, parts, other] = await Promise.all([
        Promise.all(
          shapes.map(
            async (shape): Promise<Form> => ({
              name: shape?.join(" × ") ?? "",
              plan: await prepareRow(fold, row, shape),
            }),
          ),
        ),
        values.parts ? prepareParts(fold, row) : [],
        prepareOther(fold, row),
      ]);
      return { row, forms: [...forms, ...parts], other };
    }),
  );
  const { device } = fold;
  const size = Math.max(...rows.map(({ bytes }) => bytes)) + 256;
  const buffer = (name: string): Promise<GPUBuffer> => createBuffer(device, name, size);
  const buffers: Buffers = {
    input: await buffer("input"),
    output: await buffer("output"),
    other: await buffer("other"),
    words: await createBuffer(device, "words", 1024),
  };
  const timer = await createTimer(device, {
    ...paceFor(fold.software, true),
    ...(fold.software ? {} : { heatMs: 800, warmUpMs: 40, runs: 15, attempts: 2 }),
  });
  await timer.heat();
  console.log(headOf(host));
  show(["", "form", "µs", "a copy", "copies", "goal", "clock", ""]);
  for (const { row, forms, other } of prepared) {
    for (const result of await timeRow(fold, timer, row, forms, other, buffers)) {
      results.push(result);
      showResult(result);
      save();
    }
  }
  timer.destroy();
}
fold.destroy();
process.exitCode = results.every(({ problem }) => problem === undefined) ? 0 : 1;
