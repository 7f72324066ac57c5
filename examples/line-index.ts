/**
 * The line index of a text file, on the best adapter there is: where each line ends, where it
 * starts, and how long the longest is. Each step is checked against the CPU.
 *
 *     npm start                                  package-lock.json
 *     npm start -- PATH [--adapter gpu|software]
 */
import { readFile } from "node:fs/promises";
import process from "node:process";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import type { Fold } from "wavefold/node";
import { max, openFold } from "wavefold/node";
import { compactReference, reduceReference, scanReference } from "wavefold/reference";

const NEWLINE = 10;

interface Step {
  readonly name: string;
  readonly elements: number;
  readonly milliseconds: number;
  readonly verified: boolean;
}

const same = (a: ArrayLike<number>, b: ArrayLike<number>): boolean =>
  a.length === b.length && Array.prototype.every.call(a, (value, index) => value === b[index]);

const RUNS = 5;

/** Runs once to compile, then several times; the time is their median. */
async function timed<Result>(run: () => Promise<Result>): Promise<{ result: Result; milliseconds: number }> {
  let result = await run();
  const times: number[] = [];
  for (let count = 0; count < RUNS; count++) {
    const start = performance.now();
    result = await run();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { result, milliseconds: times[Math.floor(RUNS / 2)] ?? Number.NaN };
}

/** Each line's length, its newline included; what follows the last newline is a line too. */
function lineLengths(newlines: Uint32Array, size: number): Uint32Array {
  const ends = Array.from(newlines, (position) => position + 1);
  if (size > (ends.at(-1) ?? 0)) {
    ends.push(size);
  }
  return Uint32Array.from(ends, (end, line) => end - (ends[line - 1] ?? 0));
}

async function indexLines(fold: Fold, bytes: Uint8Array): Promise<{ steps: Step[]; summary: string }> {
  const data = Uint32Array.from(bytes);

  const newlines = await timed(() => fold.compact(data, { where: `x == ${NEWLINE}u`, indices: true }));
  const isNewline = (value: number): boolean => value === NEWLINE;
  const newlinesVerified = same(newlines.result, compactReference(data, isNewline, { indices: true }));

  const lengths = lineLengths(newlines.result, data.length);
  const starts = await timed(() => fold.scan(lengths, { exclusive: true }));
  const startsVerified = same(starts.result, scanReference(lengths, { exclusive: true }));

  const longest = await timed(() => fold.reduce(lengths, { op: max }));
  const longestVerified = longest.result === reduceReference(lengths, { op: max });

  const line = lengths.indexOf(longest.result);
  return {
    steps: [
      {
        name: "newlines (compact)",
        elements: data.length,
        milliseconds: newlines.milliseconds,
        verified: newlinesVerified,
      },
      {
        name: "line starts (exclusive scan)",
        elements: lengths.length,
        milliseconds: starts.milliseconds,
        verified: startsVerified,
      },
      {
        name: "longest line (max reduce)",
        elements: lengths.length,
        milliseconds: longest.milliseconds,
        verified: longestVerified,
      },
    ],
    summary:
      lengths.length === 0
        ? "no lines"
        : `${lengths.length} lines; the longest is line ${line + 1}, at byte ${starts.result[line] ?? 0}, with ${longest.result} bytes`,
  };
}

function tableOf(steps: readonly Step[]): string {
  const table = new Table({
    head: ["step", "elements", "time (ms)", "elements/s", "verified"],
    colAligns: ["left", "right", "right", "right", "left"],
    style: { head: [], border: [] },
  });
  for (const { name, elements, milliseconds, verified } of steps) {
    const rate = Math.round((elements / milliseconds) * 1000).toLocaleString("en");
    table.push([name, elements.toLocaleString("en"), milliseconds.toFixed(2), rate, verified ? "yes" : "no"]);
  }
  return table.toString();
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { adapter: { type: "string" } },
    allowPositionals: true,
  });
  const { adapter } = values;
  if (adapter !== undefined && adapter !== "gpu" && adapter !== "software") {
    throw new Error(`--adapter is ${adapter}; it takes gpu or software`);
  }
  if (positionals.length > 1) {
    throw new Error(`it takes one path, and there are ${positionals.length}`);
  }
  const [path = "package-lock.json"] = positionals;
  const bytes = await readFile(path);
  const fold = await openFold(adapter === undefined ? {} : { adapter });
  try {
    const { description, device, vendor } = fold.adapterInfo;
    console.log(`adapter: ${description || device || vendor} (${fold.software ? "software" : "GPU"})`);
    const { steps, summary } = await indexLines(fold, bytes);
    console.log(`${path}: ${bytes.length.toLocaleString("en")} bytes, ${summary}`);
    console.log(tableOf(steps));
    console.log(`Times: upload, compute and read-back; the median of ${RUNS} runs, after one that compiles.`);
    const wrong = steps.filter((step) => !step.verified);
    if (wrong.length > 0) {
      throw new Error(`wrong results: ${wrong.map((step) => step.name).join(", ")}`);
    }
  } finally {
    fold.destroy();
  }
}

try {
  await main();
} catch (cause) {
  const message = cause instanceof Error ? cause.message : String(cause);
  console.error(`line-index: ${message.replace(/\s*\n\s*/g, " ")}`);
  process.exitCode = 1;
}
