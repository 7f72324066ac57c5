// Times the rest of the family beside a copy and, where there is a CUDA device, beside CUB: its program runs the same tasks on the
// same data after ours. GPU timestamps here, CUDA's events there; each result is compared with the CPU's first.
// usage: node build/bench/family-run.js [--adapter gpu|software] [--sizes 20,24,28] [--cub PROGRAM] [--json FILE]
// PROGRAM is built from bench/peers/cub.cu: nvcc -O3 -std=c++17 -arch=native -o cub bench/peers/cub.cu
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { openFold } from "../src/node.ts";
import type { FamilyPeer, FamilyRow } from "./family.ts";
import { areAllRight, familyTasks, familyTitles, timeFamily } from "./family.ts";
import { createTimer, paceFor } from "./timer.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { adapter: text, sizes: text, cub: text, json: text } });
const adapter = values.adapter as "gpu" | "software" | undefined;
const fold = await openFold(adapter === undefined ? {} : { adapter });
const { description } = fold.adapterInfo;
const powers = (values.sizes ?? (fold.software ? "12" : "20,24,28")).split(",").map(Number);
const timer = await createTimer(fold.device, paceFor(fold.software, fold.software));
await timer.heat();
const rows: FamilyRow[] = [];
for (const task of familyTasks) {
  for (const power of powers) {
    rows.push(await timeFamily(fold, timer, task, 2 ** power));
  }
}
timer.destroy();
fold.destroy();

const theirs: FamilyPeer | undefined =
  values.cub === undefined
    ? undefined
    : JSON.parse(
        execFileSync(
          values.cub,
          rows.map(({ task, length }) => `${task}:u32:${length}`),
          { encoding: "utf8" },
        ),
      );
const table = new Table({
  style: { head: [], border: [] },
  head: ["u32", "length", "µs", "a copy", "copies", ...(theirs ? [theirs.name, "of its time"] : [])],
});
for (const { task, length, median, copy, problem } of rows) {
  const other = theirs?.results.find((one) => one.primitive === task && one.length === length);
  const theirTime = other?.verified ? other.median : undefined;
  table.push([
    familyTitles[task],
    `2^${Math.log2(length)}`,
    problem === undefined ? median.toFixed(1) : `WRONG: ${problem}`,
    copy.toFixed(1),
    (median / copy).toFixed(2),
    ...(theirs
      ? [theirTime?.toFixed(1) ?? other?.problem ?? "", theirTime ? (median / theirTime).toFixed(2) : ""]
      : []),
  ]);
}
console.log(`${description}\n${table.toString()}`);
if (values.json !== undefined) {
  writeFileSync(values.json, `${JSON.stringify({ description, rows, theirs }, undefined, 1)}\n`);
}
process.exitCode = areAllRight(rows, theirs) ? 0 : 1;
