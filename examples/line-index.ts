/**
 * The line index of a text file, on the best adapter there is: where each line ends, where it
 * starts, and how long the longest is. Each step is checked against the CPU.
 *
 *     npm start                                  package-lock.json
 *     npm start -- PATH [--adapter gpu|software]
 */
import { open, stat } from "node:fs/promises";
import process from "node:process";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import type { Fold } from "wavefold/node";
import { max, openFold } from "wavefold/node";
import { compactReference, reduceReference, scanReference } from "wavefold/reference";

const NEWLINE = 10;

/** Bytes that go through the GPU at once. A longer file goes in parts, so that memory does not grow with it. */
const PART_BYTES = 2 ** 24;

interface Step {
  readonly name: string;
  elements: number;
  milliseconds: number;
  verified: boolean;
}

const same = (a: ArrayLike<number>, b: ArrayLike<number>): boolean =>
  a.length === b.length && Array.prototype.every.call(a, (value, index) => value === b[index]);

const RUNS = 5;

/** Runs once to compile, then several times; the time is their median. Of a part of a long file, one run is timed. */
async function timed<Result>(
  run: () => Promise<Result>,
  { runs, isCompiled }: { readonly runs: number; readonly isCompiled: boolean },
): Promise<{ result: Result; milliseconds: number }> {
  let result = isCompiled ? undefined : await run();
  const times: number[] = [];
  for (let count = 0; count < runs; count++) {
    const start = performance.now();
    result = await run();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { result: result as Result, milliseconds: times[Math.floor(runs / 2)] ?? Number.NaN };
}

interface Index {
  readonly steps: readonly Step[];
  readonly summary: string;
}

/** @param tell - is told after each part how many bytes are done. */
async function indexLines(
  fold: Fold,
  path: string,
  size: number,
  tell: (bytes: number) => void,
): Promise<Index> {
  const newlineStep: Step = { name: "newlines (compact)", elements: 0, milliseconds: 0, verified: true };
  const startStep: Step = {
    name: "line starts (exclusive scan)",
    elements: 0,
    milliseconds: 0,
    verified: true,
  };
  const longestStep: Step = {
    name: "longest line (max reduce)",
    elements: 0,
    milliseconds: 0,
    verified: true,
  };
  const add = (step: Step, elements: number, milliseconds: number, verified: boolean): void => {
    step.elements += elements;
    step.milliseconds += milliseconds;
    step.verified &&= verified;
  };
  const isNewline = (value: number): boolean => value === NEWLINE;
  const runs = size > PART_BYTES ? 1 : RUNS;

  let lines = 0;
  // Of the line that the next part goes on with: where it starts.
  let lineStart = 0;
  let longest = { length: -1, line: 0, start: 0 };
  for await (const { bytes, start, isLast } of partsOf(path, size)) {
    const pace = { runs, isCompiled: start > 0 };
    const data = Uint32Array.from(bytes);
    const newlines = await timed(
      () => fold.compact(data, { where: `x == ${NEWLINE}u`, indices: true }),
      pace,
    );
    const expected = compactReference(data, isNewline, { indices: true });
    add(newlineStep, data.length, newlines.milliseconds, same(newlines.result, expected));

    const lengths = lineLengths(newlines.result, start - lineStart, isLast ? data.length : undefined);
    // A place in a file of 4 GiB or more is not a u32: it counts from the first line of the part.
    const starts = await timed(() => fold.scan(lengths, { exclusive: true }), pace);
    add(
      startStep,
      lengths.length,
      starts.milliseconds,
      same(starts.result, scanReference(lengths, { exclusive: true })),
    );

    const most = await timed(() => fold.reduce(lengths, { op: max }), pace);
    add(
      longestStep,
      lengths.length,
      most.milliseconds,
      most.result === reduceReference(lengths, { op: max }),
    );

    if (lengths.length > 0 && most.result > longest.length) {
      const line = lengths.indexOf(most.result);
      longest = {
        length: most.result,
        line: lines + line + 1,
        start: lineStart + (starts.result[line] ?? 0),
      };
    }
    lines += lengths.length;
    lineStart += (starts.result.at(-1) ?? 0) + (lengths.at(-1) ?? 0);
    tell(start + bytes.length);
  }
  return {
    steps: [newlineStep, startStep, longestStep],
    summary:
      lines === 0
        ? "no lines"
        : `${shown(lines)} lines; the longest is line ${shown(longest.line)}, at byte ${shown(longest.start)}, with ${shown(longest.length)} bytes`,
  };
}

/** Each line's length, its newline included. What follows the last newline of the file is a line too: `size` is the part's, at the end. */
function lineLengths(newlines: Uint32Array, before: number, size: number | undefined): Uint32Array {
  const rest =
    size === undefined ? 0 : size - ((newlines.at(-1) ?? -1) + 1) + (newlines.length === 0 ? before : 0);
  const lengths = new Uint32Array(newlines.length + (rest > 0 ? 1 : 0));
  newlines.forEach((position, line) => {
    lengths[line] = position - (line === 0 ? -1 - before : (newlines[line - 1] ?? 0));
  });
  if (rest > 0) {
    lengths[newlines.length] = rest;
  }
  return lengths;
}

/** A file's bytes, a part after another. An empty file is one part. */
async function* partsOf(
  path: string,
  size: number,
): AsyncGenerator<{ readonly bytes: Uint8Array; readonly start: number; readonly isLast: boolean }> {
  const file = await open(path);
  try {
    const memory = new Uint8Array(Math.min(size, PART_BYTES));
    for (let start = 0; start === 0 || start < size; start += PART_BYTES) {
      const wanted = Math.min(PART_BYTES, size - start);
      let filled = 0;
      while (filled < wanted) {
        const { bytesRead } = await file.read(memory, filled, wanted - filled, start + filled);
        if (bytesRead === 0) {
          throw new Error(`${path} became shorter while it was read`);
        }
        filled += bytesRead;
      }
      yield { bytes: memory.subarray(0, wanted), start, isLast: start + PART_BYTES >= size };
    }
  } finally {
    await file.close();
  }
}

/** A number as people read it. */
const shown = (number: number): string => number.toLocaleString("en");

function tableOf(steps: readonly Step[]): string {
  const table = new Table({
    head: ["step", "elements", "time (ms)", "elements/s", "verified"],
    colAligns: ["left", "right", "right", "right", "left"],
    style: { head: [], border: [] },
  });
  for (const { name, elements, milliseconds, verified } of steps) {
    const rate = shown(Math.round((elements / milliseconds) * 1000));
    table.push([name, shown(elements), milliseconds.toFixed(2), rate, verified ? "yes" : "no"]);
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
  const { size } = await stat(path);
  const fold = await openFold(adapter === undefined ? {} : { adapter });
  try {
    const { description, device, vendor } = fold.adapterInfo;
    console.log(`adapter: ${description || device || vendor} (${fold.software ? "software" : "GPU"})`);
    const isLong = size > PART_BYTES;
    const { steps, summary } = await indexLines(fold, path, size, (bytes) => {
      if (isLong) {
        console.error(`${shown(bytes)} of ${shown(size)} bytes`);
      }
    });
    console.log(`${path}: ${shown(size)} bytes, ${summary}`);
    console.log(tableOf(steps));
    console.log(
      isLong
        ? `Times: upload, compute and read-back; one run over parts of ${PART_BYTES / 2 ** 20} MiB, after one that compiles.`
        : `Times: upload, compute and read-back; the median of ${RUNS} runs, after one that compiles.`,
    );
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
