// Times calls of the family, each beside what it should cost: a copy of its bytes, the same call without the option, another call, or a bare
// kernel that does nothing but the task. GPU timestamps; each result is first compared with the CPU's.
// usage: node build/bench/beside.js [--adapter gpu|software] [--only TEXT] [--least N] [--power N] [--cub PROGRAM] [--json FILE]
// `--least N` leaves rows of fewer than 2^N items out. `--power N` takes 2^N items where a row takes more, so that a software adapter gets through.
// `--cub PROGRAM` runs CUB on the same data right after ours, by CUDA's events, where CUB has the task. PROGRAM is built from
// bench/peers/cub.cu: nvcc -O3 -std=c++17 -arch=native -o cub bench/peers/cub.cu
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { openFold } from "../src/node.ts";
import type { Row } from "./beside_rows.ts";
import { BUFFERS, rows } from "./beside_rows.ts";
import type { Buffers, Task } from "./beside_task.ts";
import { createBuffer } from "./buffers.ts";
import { preparePoison } from "./copy.ts";
import { headOf, hostOf } from "./host.ts";
import { lineOfWidths } from "./line.ts";
import { createTimer, paceFor } from "./timer.ts";
import { problemOf, wordsBy, writeWords } from "./words.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: { adapter: text, only: text, least: text, power: text, cub: text, json: text },
});
const adapter = values.adapter as "gpu" | "software" | undefined;
const fold = await openFold({ cpu: "never", ...(adapter !== undefined && { adapter }) });
const { device } = fold;
const host = hostOf(fold);
const timer = await createTimer(device, {
  ...paceFor(fold.software, true),
  ...(fold.software ? {} : { heatMs: 400, warmUpMs: 40, runs: 15, attempts: 2 }),
});
await timer.heat();

const lineOf = lineOfWidths([58, 6, 9, 28, 9, 7, 6, 9, 6]);
const print = (cells: readonly string[]): void => console.log(lineOf(cells));

/** Does something once. */
function runOnce(record: (pass: GPUComputePassEncoder) => void): void {
  const encoder = device.createCommandEncoder({ label: "bench verify" });
  const pass = encoder.beginComputePass({ label: "bench verify" });
  record(pass);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

/** What is wrong with a task's results, or nothing. */
async function problemWith(task: Task, buffers: Buffers): Promise<string | undefined> {
  for (const name of task.writes) {
    runOnce((await preparePoison(device, buffers[name])).record);
  }
  runOnce(task.record);
  for (const { from, words } of task.expected()) {
    const problem = await problemOf(device, from, buffers[from], words);
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

interface Timed {
  readonly micros: number;
  readonly problem: string | undefined;
}

/** Each task is timed once for each length. */
const timed = new Map<string, Timed>();

async function timeTask(row: Pick<Row, "name" | "task">, length: number, buffers: Buffers): Promise<Timed> {
  const key = `${row.name} ${length}`;
  const known = timed.get(key);
  if (known !== undefined) {
    return known;
  }
  const task = await row.task({ fold, buffers, length });
  try {
    const problem = await problemWith(task, buffers);
    // The GPU has idled while the CPU made what is expected.
    await timer.heat();
    const { median } = await timer.time({ pass: task.record });
    const result = { micros: median, problem };
    timed.set(key, result);
    return result;
  } finally {
    task.destroy();
  }
}

/** What CUB's program says of a task. */
interface CubOutcome {
  readonly results: readonly {
    /** Microseconds; undefined if the task did not run. */
    readonly median?: number;
    readonly verified?: boolean;
    readonly problem?: string;
  }[];
}

/** CUB's time for a row's task, and what is wrong with its result. */
function timeCub(program: string, task: string, length: number): Partial<Timed> {
  const outcome: CubOutcome = JSON.parse(
    execFileSync(program, [`${task}:u32:${length}`], { encoding: "utf8" }),
  );
  const { median, verified, problem = "it was not verified" } = outcome.results[0] ?? {};
  return median === undefined || verified ? { ...(median !== undefined && { micros: median }) } : { problem };
}

/** The most that a row may take, as a power of two. */
const most = Number(values.power ?? 32);
const powerOf = ({ power }: Row): number => Math.min(power, most);

const results: object[] = [];
let isRight = true;
console.log(headOf(host));
print(["", "length", "µs", "beside", "µs", "times", "goal", "CUB, µs", ""]);
for (const power of [...new Set(rows.map(powerOf))].sort((a, b) => a - b)) {
  const length = 2 ** power;
  const taken = rows.filter(
    (row, at) =>
      powerOf(row) === power &&
      row.name.includes(values.only ?? "") &&
      row.power >= Number(values.least ?? 0) &&
      (values.power === undefined || rows.findIndex(({ name }) => name === row.name) === at),
  );
  if (taken.length === 0) {
    continue;
  }
  const buffers = Object.fromEntries(
    await Promise.all(
      BUFFERS.map(async ({ name, words }) => [name, await createBuffer(device, name, 4 * words(length))]),
    ),
  ) as Buffers;
  for (const { name, word } of BUFFERS) {
    if (word !== undefined) {
      writeWords(
        device,
        buffers[name],
        wordsBy(length, (at) => word(at, length)),
      );
    }
  }
  for (const row of taken) {
    const other = await timeTask(row.beside, length, buffers);
    const { micros, problem } = await timeTask(row, length, buffers);
    const times = (micros - (row.plus ?? 0)) / other.micros;
    const cub = values.cub && row.cub ? timeCub(values.cub, row.cub, length) : undefined;
    const wrong = problem ?? other.problem ?? (cub?.problem && `CUB: ${cub.problem}`);
    isRight &&= wrong === undefined;
    results.push({
      name: row.name,
      beside: row.beside.name,
      power,
      micros,
      other: other.micros,
      times,
      cub: cub?.micros,
      wrong,
    });
    print([
      row.name,
      `2^${power}`,
      micros.toFixed(1),
      row.beside.name,
      other.micros.toFixed(1),
      times.toFixed(3),
      `${row.goal}`,
      cub?.micros?.toFixed(1) ?? "",
      wrong === undefined ? (times <= row.goal ? "met" : "short") : `WRONG: ${wrong}`,
    ]);
    if (values.json !== undefined) {
      writeFileSync(values.json, `${JSON.stringify({ ...host, results }, undefined, 1)}\n`);
    }
  }
  for (const buffer of Object.values(buffers)) {
    buffer.destroy();
  }
}
timer.destroy();
fold.destroy();
process.exitCode = isRight ? 0 : 1;
