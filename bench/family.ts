import { u32 } from "../src/algebra/integers.ts";
import type { Fold } from "../src/gpu/fold.ts";
import { createBuffer } from "./buffers.ts";
import { prepareCopy, preparePoison } from "./copy.ts";
import type { Timer } from "./timer.ts";
import { problemOf, wordAt, wordsBy, writeWords } from "./words.ts";

// The rest of the family: unique and run lengths, sums by key, partitions and histograms, each beside a copy of as many u32. CUB's
// program, bench/peers/cub.cu, has the same tasks on the same data.

/** What is timed, by the names of the tasks of bench/peers/cub.cu. */
export const familyTasks = ["runs", "sums", "halves", "bins", "equal"] as const;
export type FamilyTask = (typeof familyTasks)[number];

/** What each of them is. */
export const familyTitles: Readonly<Record<FamilyTask, string>> = {
  runs: "run lengths, runs of about 4",
  sums: "sums by key, runs of about 256",
  halves: "partition, about half kept",
  bins: "histogram, 256 even bins, random",
  equal: "histogram, 256 even bins, all equal",
};

const BINS = 256;
const RANGE = 2 ** 16;
const BITS = { runs: 2, sums: 8 } as const;

/** Keys that rise by one where a run starts: at one of 2^bits places, at random. */
function keysOf(length: number, bits: number): Uint32Array<ArrayBuffer> {
  let key = 0;
  return wordsBy(length, (at) => {
    key += wordAt(at) >>> (32 - bits) === 0 ? 1 : 0;
    return key;
  });
}

/** The data of a task. */
export function familyData(task: FamilyTask, length: number): Uint32Array<ArrayBuffer> {
  switch (task) {
    case "runs":
    case "sums":
      return keysOf(length, BITS[task]);
    case "halves":
      return wordsBy(length, wordAt);
    case "bins":
      return wordsBy(length, (at) => wordAt(at) % RANGE);
    case "equal":
      return new Uint32Array(length).fill(RANGE / 3);
    default:
      return task satisfies never;
  }
}

/** What the outputs must begin with: the output, the keys of runs, and the count. */
interface Expected {
  readonly output: Uint32Array;
  readonly unique?: Uint32Array;
  readonly count?: number;
}

/** The values that are summed. */
export const familyValues = (length: number): Uint32Array<ArrayBuffer> => wordsBy(length, wordAt);

/** What a task gives, on the CPU. Loops take 2^28 words in seconds, and callbacks in minutes. */
export function familyExpected(task: FamilyTask, data: Uint32Array): Expected {
  const { length } = data;
  switch (task) {
    case "runs":
    case "sums": {
      const unique = new Uint32Array(length);
      const output = new Uint32Array(length);
      let run = -1;
      for (let at = 0; at < length; at++) {
        const key = data[at] as number;
        if (at === 0 || key !== data[at - 1]) {
          unique[++run] = key;
        }
        output[run] = (output[run] as number) + (task === "runs" ? 1 : wordAt(at));
      }
      const count = run + 1;
      return { output: output.subarray(0, count), unique: unique.subarray(0, count), count };
    }
    case "halves": {
      let count = 0;
      for (let at = 0; at < length; at++) {
        count += (data[at] as number) % 2;
      }
      const output = new Uint32Array(length);
      let kept = 0;
      let rest = count;
      for (let at = 0; at < length; at++) {
        const word = data[at] as number;
        if (word % 2 === 1) {
          output[kept++] = word;
        } else {
          output[rest++] = word;
        }
      }
      return { output, count };
    }
    case "bins":
    case "equal": {
      const output = new Uint32Array(BINS);
      for (let at = 0; at < length; at++) {
        const bin = Math.floor(((data[at] as number) * BINS) / RANGE);
        output[bin] = (output[bin] as number) + 1;
      }
      return { output };
    }
    default:
      return task satisfies never;
  }
}

interface Buffers {
  readonly input: GPUBuffer;
  /** Of sums by key. */
  readonly values: GPUBuffer;
  readonly output: GPUBuffer;
  readonly unique: GPUBuffer;
  readonly count: GPUBuffer;
}

interface Prepared {
  record(pass: GPUComputePassEncoder): void;
  destroy(): void;
}

/** Compiles a task. */
async function prepare(fold: Fold, task: FamilyTask, length: number, buffers: Buffers): Promise<Prepared> {
  const { input, values, output, unique, count } = buffers;
  const maxLength = length;
  switch (task) {
    case "runs":
    case "sums": {
      const plan = await fold.prepareReduce({
        type: u32,
        maxLength,
        segments: { keys: u32, unique: true },
        ...(task === "runs" && { map: "1u" }),
      });
      const summed = task === "runs" ? input : values;
      return {
        record: (pass) => plan.record(pass, { input: summed, keys: input, output, unique, count, length }),
        destroy: () => plan.destroy(),
      };
    }
    case "halves": {
      const plan = await fold.preparePartition({ type: u32, maxLength, where: "x % 2u == 1u" });
      return {
        record: (pass) => plan.record(pass, { input, output, count, length }),
        destroy: () => plan.destroy(),
      };
    }
    case "bins":
    case "equal": {
      const plan = await fold.prepareHistogram({ type: u32, maxLength, bins: BINS, range: [0, RANGE] });
      return {
        record: (pass) => plan.record(pass, { input, output: { buffer: output, size: 4 * BINS }, length }),
        destroy: () => plan.destroy(),
      };
    }
    default:
      return task satisfies never;
  }
}

/** How long a task took, and a copy of as many u32: microseconds. */
export interface FamilyRow {
  readonly task: FamilyTask;
  readonly length: number;
  readonly median: number;
  readonly copy: number;
  /** What is wrong with the result. Then the time does not count. */
  readonly problem: string | undefined;
}

/** What another program found on the same tasks. */
export interface FamilyPeer {
  readonly name: string;
  readonly results: readonly {
    readonly primitive: string;
    readonly length: number;
    /** Microseconds; undefined if the task did not run. */
    readonly median?: number;
    readonly verified?: boolean;
    readonly problem?: string;
  }[];
}

/** Whether all results are right: ours, and those of what ran in the other program. */
export const areAllRight = (rows: readonly FamilyRow[], peer: FamilyPeer | undefined): boolean =>
  rows.every(({ problem }) => problem === undefined) &&
  (peer?.results ?? []).every(({ median, verified }) => median === undefined || verified === true);

/** Times a task at a length, after its result was compared with the CPU's. */
export async function timeFamily(
  fold: Fold,
  timer: Timer,
  task: FamilyTask,
  length: number,
): Promise<FamilyRow> {
  const { device } = fold;
  const made: { destroy(): void }[] = [];
  const buffer = async (name: string, words: number): Promise<GPUBuffer> => {
    const one = await createBuffer(device, name, 4 * Math.max(4, words));
    made.push(one);
    return one;
  };
  try {
    const buffers = {
      input: await buffer("input", length),
      values: await buffer("values", task === "sums" ? length : 0),
      output: await buffer("output", Math.max(length, BINS)),
      unique: await buffer("unique", length),
      count: await buffer("count", 4),
    };
    const data = familyData(task, length);
    writeWords(device, buffers.input, data);
    if (task === "sums") {
      writeWords(device, buffers.values, familyValues(length));
    }
    const copy = await prepareCopy(device, buffers.input, buffers.unique, 4 * length);
    const copied = await timer.time({ pass: copy.record });
    const prepared = await prepare(fold, task, length, buffers);
    made.push(prepared);
    const poison = await Promise.all(
      [buffers.output, buffers.unique, buffers.count].map((one) => preparePoison(device, one)),
    );
    const encoder = device.createCommandEncoder({ label: "bench verify" });
    for (const record of [...poison.map((one) => one.record), prepared.record]) {
      const pass = encoder.beginComputePass({ label: "bench verify" });
      record(pass);
      pass.end();
    }
    device.queue.submit([encoder.finish()]);
    const problem = await problemWith(device, buffers, familyExpected(task, data));
    const { median } = await timer.time({ pass: prepared.record });
    return { task, length, median, copy: copied.median, problem };
  } finally {
    for (const one of made) {
      one.destroy();
    }
  }
}

/** What is wrong with the outputs. */
async function problemWith(
  device: GPUDevice,
  { output, unique, count }: Buffers,
  expected: Expected,
): Promise<string | undefined> {
  const wanted: readonly (readonly [string, GPUBuffer, Uint32Array | undefined])[] = [
    ["count", count, expected.count === undefined ? undefined : Uint32Array.of(expected.count)],
    ["output", output, expected.output],
    ["keys", unique, expected.unique],
  ];
  for (const [name, buffer, words] of wanted) {
    const problem = words && (await problemOf(device, name, buffer, words));
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}
