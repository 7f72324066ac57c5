// Times the rest of the family beside a copy and, where there is a CUDA device, beside CUB: its program runs each task on the same
// data right after ours. GPU timestamps here, CUDA's events there; each result is compared with the CPU's first. Each row is
// printed, and added to the file, when it is there.
// usage: node build/bench/family-run.js [--adapter gpu|software] [--tasks runs,halves] [--sizes 20,24,28] [--cub PROGRAM] [--json FILE]
// PROGRAM is built from bench/peers/cub.cu: nvcc -O3 -std=c++17 -arch=native -o cub bench/peers/cub.cu
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { openFold } from "../src/node.ts";
import type { FamilyPeer, FamilyRow, FamilyTask } from "./family.ts";
import { areAllRight, familyTasks, familyTitles, timeFamily } from "./family.ts";
import { headOf, hostOf } from "./host.ts";
import { lineOfWidths } from "./line.ts";
import { createTimer, paceFor } from "./timer.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { adapter: text, tasks: text, sizes: text, cub: text, json: text } });
const adapter = values.adapter as "gpu" | "software" | undefined;
const fold = await openFold({ cpu: "never", ...(adapter !== undefined && { adapter }) });
const host = hostOf(fold);
const asked = values.tasks?.split(",");
const unknown = asked?.find((one) => !familyTasks.some((task) => task === one));
if (unknown !== undefined) {
  throw new Error(`there is no task ${unknown}; the tasks are ${familyTasks.join(", ")}`);
}
const tasks: readonly FamilyTask[] = familyTasks.filter((task) => asked?.includes(task) ?? true);
const powers = (values.sizes ?? (fold.software ? "12" : "20,24,28")).split(",").map(Number);
const timer = await createTimer(fold.device, paceFor(fold.software, fold.software));
await timer.heat();

const lineOf = lineOfWidths([38, 6, 9, 9, 7, 9, 12]);
const print = (cells: readonly string[]): void => console.log(lineOf(cells));

/** CUB's time for the same task. */
const peerOf = (program: string, task: FamilyTask, length: number): FamilyPeer =>
  JSON.parse(execFileSync(program, [`${task}:u32:${length}`], { encoding: "utf8" }));

const rows: FamilyRow[] = [];
const theirs: FamilyPeer[] = [];
console.log(headOf(host));
print(["u32", "length", "µs", "a copy", "copies", ...(values.cub ? ["CUB", "of its time"] : [])]);
for (const task of tasks) {
  for (const power of powers) {
    const row = await timeFamily(fold, timer, task, 2 ** power);
    rows.push(row);
    const { length, median, copy, problem } = row;
    const peer = values.cub === undefined ? undefined : peerOf(values.cub, task, length);
    const [result] = peer?.results ?? [];
    const theirTime = result?.verified ? result.median : undefined;
    if (peer !== undefined) {
      theirs.push(peer);
    }
    print([
      familyTitles[task],
      `2^${power}`,
      median.toFixed(1),
      copy.toFixed(1),
      (median / copy).toFixed(2),
      ...(peer
        ? [theirTime?.toFixed(1) ?? result?.problem ?? "", theirTime ? (median / theirTime).toFixed(2) : ""]
        : []),
      ...(problem === undefined ? [] : [`WRONG: ${problem}`]),
    ]);
    if (values.json !== undefined) {
      writeFileSync(values.json, `${JSON.stringify({ ...host, rows, theirs }, undefined, 1)}\n`);
    }
  }
}
timer.destroy();
fold.destroy();
process.exitCode = areAllRight(rows, undefined) && theirs.every((one) => areAllRight([], one)) ? 0 : 1;
