// One table of the rows that were once far from the speed of memory: the time of each, a copy of the same bytes in the same run, and
// the goal. Each result is first compared, on every vector, with another algorithm's that reads the data twice.
// usage: node build/bench/gaps.js [--adapter gpu|software] [--only TEXT] [--shapes] [--cold] [--power N] [--json FILE]
// `--shapes` also times the other shapes of some rows. `--cold` times the first `prepareScan` of fresh processes, with NVIDIA's cache of
// compiled shaders off. `--power N` takes 2^N bytes where a row takes 2^28 or more, so that a software adapter gets through.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { operator } from "../src/algebra/custom_operator.ts";
import { f32 } from "../src/algebra/floats.ts";
import { u32 } from "../src/algebra/integers.ts";
import type { Operator } from "../src/algebra/monoid.ts";
import { add, max, mul } from "../src/algebra/operators.ts";
import { struct } from "../src/algebra/struct.ts";
import type { ElementType } from "../src/algebra/types.ts";
import { f64, u64 } from "../src/algebra/types_64.ts";
import { contextOf } from "../src/gpu/device/device.ts";
import type { Prepared, Ranges } from "../src/gpu/recordings/recording.ts";
import { prepareFor } from "../src/gpu/recordings/recording.ts";
import { argMin, minMax, variance } from "../src/monoids/index.ts";
import type { Fold } from "../src/node.ts";
import { openFold } from "../src/node.ts";
import { createBuffer, readerOf } from "./buffers.ts";
import { prepareCompare, prepareCopy, preparePoison } from "./copy.ts";
import type { Timer } from "./timer.ts";
import { createTimer, paceFor } from "./timer.ts";

type Primitive = "scan" | "reduce" | "compact";
type Options = Record<string, unknown> & { readonly type: ElementType };

/** A row of the table. */
interface Row {
  readonly what: string;
  readonly primitive: Primitive;
  readonly options: Options;
  /** Bytes of the input. */
  readonly bytes: number;
  /** At most so many copies of these bytes, or microseconds. */
  readonly goal: { readonly copies: number } | { readonly micros: number };
  /** The words of the input, from a random one. The default leaves it as it is. */
  readonly word?: (random: number, at: number) => number;
  readonly arrangement?: "items" | "in-place";
  /** Items of a recording, if it has fewer than the input. */
  readonly length?: number;
  /** Other shapes: threads and items. */
  readonly shapes?: readonly (readonly [threads: number, items: number])[];
}

/** A struct of words, half of which are added, where the other half keep the latest that is not 0: that does not commute. */
function structOf(words: number): { readonly type: ElementType; readonly op: Operator<string> } {
  const names = Array.from({ length: words }, (_, at) => `w${at}`);
  const type = struct({
    name: `Words${words}`,
    fields: Object.fromEntries(names.map((name) => [name, u32] as const)),
  });
  const combined = names.map((name, at) =>
    at % 2 === 0
      ? `earlier.${name} + later.${name}`
      : `select(later.${name}, earlier.${name}, later.${name} == 0u)`,
  );
  const op = operator({
    name: "addAndKeep",
    type,
    identity: Object.fromEntries(names.map((name) => [name, 0])),
    combine: `Words${words}(${combined.join(", ")})`,
  });
  return { type, op: op as Operator as Operator<string> };
}

const floatBits = new Uint32Array(new Float32Array(1).buffer);
const floatOf = new Float32Array(floatBits.buffer);
/** A float of 32 bits that is a small whole number. */
const smallFloat = (random: number): number => {
  floatOf[0] = (random >>> 20) - 2048;
  return floatBits[0] as number;
};
const doubleBits = new Uint32Array(new Float64Array(1).buffer);
const doubleOf = new Float64Array(doubleBits.buffer);
const doubleWord = (value: number, at: number): number => {
  doubleOf[0] = value;
  return doubleBits[at % 2] as number;
};
/** Whole numbers of f64: the low word of each is 0. */
const smallDouble = (random: number, at: number): number => doubleWord((random >>> 12) - 2 ** 19, at);
/** ±1 of f64. */
const unitDouble = (random: number, at: number): number => doubleWord(random >>> 31 === 0 ? 1 : -1, at);

/** Every second item is one sample, all samples are equal, and the other items are empty: what no order of operations changes. */
const equalSamples = (_: number, at: number): number => {
  floatOf[0] = 3;
  return [1, floatBits[0] as number][at % 6] ?? 0;
};

const minMaxF32 = minMax(f32);
const argMinF32 = argMin(f32);
const varianceF32 = variance();

function rowsOf(largest: number): Row[] {
  const sized = (power: number): number => 2 ** Math.min(power, largest);
  const monoids = [
    ["minMax", minMaxF32, smallFloat],
    ["argMin", argMinF32, (random: number, at: number) => (at % 2 === 0 ? smallFloat(random) : random)],
  ] as const;
  const shapesOf8 = [
    [512, 16],
    [256, 8],
    [128, 32],
    [512, 8],
    [384, 16],
    [256, 24],
  ] as const;
  return [
    {
      what: "scan, 32-byte struct",
      primitive: "scan",
      options: structOf(8),
      bytes: sized(30),
      goal: { copies: 1.4 },
    },
    {
      what: "scan, 64-byte struct",
      primitive: "scan",
      options: structOf(16),
      bytes: sized(30),
      goal: { copies: 1.6 },
      shapes: [
        [192, 5],
        [224, 4],
        [160, 6],
        [96, 8],
      ],
    },
    {
      what: "scan, 12-byte struct",
      primitive: "scan",
      options: structOf(3),
      bytes: 12 * Math.floor(sized(28) / 12 / 64) * 64,
      goal: { copies: 1.2 },
    },
    {
      what: "scan, variance",
      primitive: "scan",
      options: { type: varianceF32.type, op: varianceF32 },
      bytes: 12 * Math.floor(sized(28) / 12 / 64) * 64,
      word: equalSamples,
      goal: { copies: 1.4 },
    },
    ...monoids.flatMap(([name, op, word]): Row[] => [
      {
        what: `scan, ${name}`,
        primitive: "scan",
        options: { type: op.type, op },
        bytes: sized(28),
        word,
        goal: { copies: name === "minMax" ? 1.3 : 1.2 },
        shapes: shapesOf8,
      },
      {
        what: `reduction, ${name}`,
        primitive: "reduce",
        options: { type: op.type, op },
        bytes: sized(28),
        word,
        goal: { copies: 0.6 },
        shapes: shapesOf8,
      },
    ]),
    {
      what: "scan, max of u64",
      primitive: "scan",
      options: { type: u64, op: max },
      bytes: sized(28),
      goal: { copies: 1.12 },
    },
    {
      what: "scan, max of f64",
      primitive: "scan",
      options: { type: f64, op: max },
      bytes: sized(28),
      word: smallDouble,
      goal: { copies: 1.12 },
    },
    {
      what: "scan, f64",
      primitive: "scan",
      options: { type: f64, op: add },
      bytes: sized(30),
      word: smallDouble,
      goal: { copies: 3.5 },
    },
    {
      what: "scan, product of f64",
      primitive: "scan",
      options: { type: f64, op: mul },
      bytes: sized(28),
      word: unitDouble,
      goal: { copies: 4.5 },
    },
    {
      what: "reduction, f64",
      primitive: "reduce",
      options: { type: f64, op: add },
      bytes: sized(30),
      word: smallDouble,
      goal: { copies: 1 },
      shapes: [
        [256, 20],
        [256, 24],
        [256, 32],
        [512, 16],
        [384, 16],
        [320, 16],
        [192, 24],
        [256, 12],
      ],
    },
    ...([16, 18, 20, 22] as const).flatMap((power, at) =>
      ([u32, f32] as const).map(
        (type): Row => ({
          what: `reduction, ${type.name}, 2^${power}`,
          primitive: "reduce",
          options: { type },
          bytes: 4 * 2 ** power,
          ...(type === f32 && { word: smallFloat }),
          goal: { micros: [10.4, 10.4, 9.9, 11.3][at] as number },
        }),
      ),
    ),
    {
      what: "compaction, u32, half kept, 2^24",
      primitive: "compact",
      options: { type: u32, where: "(x & 1u) == 1u" },
      bytes: 2 ** Math.min(26, largest),
      goal: { micros: 49 },
      shapes: [
        [512, 15],
        [448, 16],
        [480, 16],
        [384, 20],
        [320, 20],
        [256, 24],
        [512, 13],
      ],
    },
    {
      what: "scan from the middle of a vector, u32, 2^24",
      primitive: "scan",
      options: { type: u32 },
      arrangement: "items",
      bytes: 2 ** Math.min(26, largest),
      goal: { copies: 1.4 },
    },
    ...([24, 28] as const).map(
      (power): Row => ({
        what: `scan in place, u32, 2^${power}`,
        primitive: "scan",
        options: { type: u32 },
        arrangement: "in-place",
        bytes: 2 ** Math.min(power + 2, largest),
        goal: { copies: 1.4 },
      }),
    ),
    {
      what: "scan of 1000 of at most 2^28 u32, lengthOnGpu",
      primitive: "scan",
      options: { type: u32, lengthOnGpu: true },
      bytes: sized(30),
      length: 1000,
      goal: { micros: 20 },
    },
  ];
}

/** Words of the pattern that data repeats: no multiple of a tile. */
const PATTERN = 3 * 2 ** 18;

/** Fills a buffer with a pattern, over and over. */
function fill(
  device: GPUDevice,
  buffer: GPUBuffer,
  aside: GPUBuffer,
  word: Row["word"],
  bytes: number,
): void {
  const words = new Uint32Array(PATTERN);
  let state = 0x9e3779b9;
  let random = 0;
  // An item of f64 has two words of one random number; other words have one each.
  const pairs = word === smallDouble || word === unitDouble;
  for (let at = 0; at < words.length; at++) {
    if (!pairs || at % 2 === 0) {
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
  readonly shape: string;
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

/** Compiles a row with a shape; without one, with what the adapter's row has. */
function prepareRow(
  fold: Fold,
  { primitive, options, arrangement, bytes }: Row,
  shape: Shape,
): Promise<Prepared> {
  const [workGroupSize, itemsPerThread] = shape ?? [];
  const maxLength = Math.floor(bytes / options.type.bytes);
  return prepareFor(
    primitive,
    contextOf(fold.device),
    { ...options, maxLength, ...(shape && { workGroupSize, itemsPerThread }) } as never,
    arrangement === undefined ? ["vectors"] : ["vectors", arrangement],
  );
}

/** The same by Hillis and Steele, in another shape and in two passes. */
const prepareOther = (fold: Fold, { primitive, options, bytes }: Row): Promise<Prepared> =>
  prepareFor(
    primitive,
    contextOf(fold.device),
    {
      ...options,
      lengthOnGpu: false,
      maxLength: Math.floor(bytes / options.type.bytes),
      algorithm: "hillis-steele",
      workGroupSize: 128,
      itemsPerThread: 4,
      ...(primitive !== "reduce" && { passes: "reduce-then-scan" }),
    } as never,
    ["vectors", "items"],
  );

/** Times a row, after its result was compared. */
async function timeRow(
  fold: Fold,
  timer: Timer,
  row: Row,
  prepared: readonly (readonly [shape: string, plan: Prepared])[],
  other: Prepared,
  buffers: Buffers,
): Promise<Result[]> {
  const { device } = fold;
  const { input, output, other: expected, words } = buffers;
  const { bytes, arrangement, goal, what, length } = row;
  fill(device, input, expected, row.word, bytes);
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
  for (const [shape, plan] of prepared) {
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
    const problem = differing === 0 ? undefined : `${differing} vectors differ`;
    results.push({ what, shape, micros: median, copy: copied.median, clock, goal, problem });
  }
  return results;
}

const columns = [48, 10, 9, 9, 7, 9, 7, 7] as const;
const show = (cells: readonly string[]): void =>
  console.log(
    cells.map((cell, at) => (at === 0 ? cell.padEnd(columns[0]) : cell.padStart(columns[at] ?? 0))).join(" "),
  );

function showResult({ what, shape, micros, copy, goal, clock, problem }: Result): void {
  const copies = micros / copy;
  const isMet = "copies" in goal ? copies <= goal.copies : micros <= goal.micros;
  show([
    what,
    shape,
    micros.toFixed(1),
    copy.toFixed(1),
    copies.toFixed(2),
    "copies" in goal ? `${goal.copies}` : `${goal.micros} µs`,
    clock === undefined ? "" : clock.toFixed(2),
    problem === undefined ? (isMet ? "met" : "short") : `WRONG: ${problem}`,
  ]);
}

/** What a fresh process prepares first, and the goal in milliseconds. */
const coldRows = {
  u32: [{ type: u32 }, 150],
  f32: [{ type: f32 }, 150],
  u64: [{ type: u64 }, 300],
  f64: [{ type: f64 }, 300],
  struct16: [structOf(4), 300],
} as const satisfies Record<string, readonly [Options, number]>;

/** The first `prepareScan` of this process, in milliseconds; and how long it takes until the next one of its kind is at hand. */
async function timeCold(name: string): Promise<void> {
  const { openFold: open } = await import("../src/node.ts");
  const fold = await open({});
  const [options] = coldRows[name as keyof typeof coldRows];
  const begun = performance.now();
  const plan = await fold.prepareScan({ ...options, maxLength: 2 ** 24 } as never);
  console.log(JSON.stringify({ milliseconds: performance.now() - begun }));
  plan.destroy();
  fold.destroy();
  process.exit(0);
}

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const { values } = parseArgs({
  options: { adapter: text, only: text, shapes: flag, cold: flag, "cold-row": text, power: text, json: text },
});
if (values["cold-row"] !== undefined) {
  await timeCold(values["cold-row"]);
}
const results: Result[] = [];
const cold: Record<string, number[]> = {};
const save = (): void => {
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify({ results, cold }, undefined, 1)}\n`);
  }
};
if (values.cold) {
  const script = process.argv[1] as string;
  const env = { ...process.env, __GL_SHADER_DISK_CACHE: "0" };
  for (const [name, [, goal]] of Object.entries(coldRows)) {
    cold[name] = Array.from({ length: 3 }, () => {
      const printed = execFileSync(process.execPath, [script, "--cold-row", name], { encoding: "utf8", env });
      return JSON.parse(printed.trim().split("\n").at(-1) as string).milliseconds as number;
    });
    const sorted = [...(cold[name] as number[])].sort((a, b) => a - b);
    const median = sorted[1] as number;
    show([
      `first prepareScan, ${name}, ms`,
      "",
      median.toFixed(0),
      "",
      "",
      `${goal} ms`,
      "",
      median <= goal ? "met" : "short",
    ]);
    save();
  }
}
const adapter = values.adapter as "gpu" | "software" | undefined;
const fold = await openFold(adapter === undefined ? {} : { adapter });
const rows = rowsOf(Number(values.power ?? 30)).filter(({ what }) => what.includes(values.only ?? ""));
if (values.only !== "nothing") {
  // All kernels are compiled before anything is timed, since that would share the processors, and on some systems the GPU.
  const prepared = await Promise.all(
    rows.map(async (row) => {
      const shapes: readonly Shape[] = [undefined, ...((values.shapes && row.shapes) || [])];
      const plans = await Promise.all(
        shapes.map(async (shape) => [shape?.join(" × ") ?? "", await prepareRow(fold, row, shape)] as const),
      );
      return { row, plans, other: await prepareOther(fold, row) };
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
  console.log(fold.adapterInfo.description);
  show(["", "shape", "µs", "a copy", "copies", "goal", "clock", ""]);
  for (const { row, plans, other } of prepared) {
    for (const result of await timeRow(fold, timer, row, plans, other, buffers)) {
      results.push(result);
      showResult(result);
      save();
    }
  }
  timer.destroy();
}
fold.destroy();
process.exitCode = results.every(({ problem }) => problem === undefined) ? 0 : 1;
