import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { onExit } from "signal-exit";
import type { BenchTypeName, OperatorName } from "./elements.ts";
import { benchTypes } from "./elements.ts";
import type { Row } from "./run.ts";
import { rowFrom } from "./run.ts";
import type { CaseSet } from "./suite.ts";

// A peer on CUDA is a program of its own. Its arguments are what it is to run, as `scan:u32:1048576`;
// it prints one JSON object: { name, results: [{ primitive, type, length, median, quartiles, runs,
// verified, problem? }] }, in microseconds. bench/peers/README.md says what it must do.

interface CudaResult {
  readonly primitive: Row["primitive"];
  readonly type: BenchTypeName;
  readonly length: number;
  readonly median: number;
  readonly quartiles: readonly [number, number];
  readonly runs: number;
  readonly verified: boolean;
  readonly problem?: string;
}

/** What the programs found. */
export interface CudaOutcome {
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
  readonly wrong: readonly string[];
}

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end; nothing where there is no such program. */
function execute(program: string, args: readonly string[]): Promise<Ended | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    const forget = onExit(() => {
      child.kill();
    });
    const texts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        texts[name] += text;
      });
    }
    child.on("error", (cause: NodeJS.ErrnoException) => {
      forget();
      cause.code === "ENOENT" ? resolve(undefined) : reject(cause);
    });
    child.on("close", (status) => {
      forget();
      resolve({ status, ...texts });
    });
  });
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";

/** Whether a set has what a CUDA peer can do: sums of types that CUDA has. */
const tasksOf = (sets: readonly CaseSet[]): string[] => [
  ...new Set(
    sets
      .filter(({ type, op }) => op === "add" && type !== "struct16" && type !== "f16")
      .flatMap(({ type, length, cases }) => [
        `copy:${type}:${length}`,
        ...cases.map(({ primitive }) => `${primitive}:${type}:${length}`),
      ]),
  ),
];

/**
 * Builds a source by `nvcc` and runs it. A program of the same name beside it, without `.cu`, was built
 * before and is taken instead.
 *
 * @param rows - the rows of the run, for the times of the copies.
 */
export async function runCuda(
  source: string,
  sets: readonly CaseSet[],
  rows: readonly Row[],
  step: (stage: string) => void,
): Promise<CudaOutcome> {
  const title = basename(source, ".cu");
  const tasks = tasksOf(sets);
  const note = (text: string): CudaOutcome => ({ rows: [], notes: [`${title}: ${text}`], wrong: [] });
  if (tasks.length === 0) {
    return note("it was left out: it has none of what was timed");
  }
  const ahead = source.slice(0, -".cu".length);
  const folder = mkdtempSync(join(tmpdir(), "wavefold-cuda-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const forget = onExit(remove);
  try {
    let program = ahead;
    if (!existsSync(ahead)) {
      step(`${title}: nvcc`);
      program = join(folder, title);
      const built = await execute("nvcc", ["-O3", "-std=c++17", "-arch=native", "-o", program, source]);
      if (built === undefined) {
        return note("it was left out: there is no nvcc on the PATH");
      }
      if (built.status !== 0) {
        return note(`it was left out: nvcc failed: ${lastLine(built.stderr) || lastLine(built.stdout)}`);
      }
    }
    step(`${title}: running`);
    const ran = await execute(program, tasks);
    if (ran === undefined || ran.status !== 0) {
      return note(`it was left out: it failed: ${lastLine(ran?.stderr ?? "") || `status ${ran?.status}`}`);
    }
    return outcomeFrom(title, ran.stdout, rows);
  } finally {
    forget();
    remove();
  }
}

function outcomeFrom(title: string, text: string, rows: readonly Row[]): CudaOutcome {
  let parsed: { readonly name?: string; readonly results?: readonly CudaResult[] };
  try {
    parsed = JSON.parse(text) as typeof parsed;
  } catch {
    return { rows: [], notes: [`${title}: what it printed is no JSON`], wrong: [] };
  }
  const { name: implementation = title, results = [] } = parsed;
  const wrong: string[] = [];
  const notes: string[] = [];
  const own = results.flatMap((result): Row[] => {
    const { primitive, type, length, problem = "" } = result;
    const what = `${implementation} ${primitive}<${type}> at ${length}`;
    if (!(Number.isFinite(result.median) && result.median > 0 && type in benchTypes)) {
      notes.push(`${what} was left out: ${problem || "it has no time"}`);
      return [];
    }
    if (result.verified !== true) {
      wrong.push(`${what} is wrong: ${problem}`);
      return [];
    }
    const copy = rows.find(
      (one) =>
        one.implementation === "copy" &&
        one.primitive === "copy" &&
        one.type === type &&
        one.length === length,
    );
    if (copy === undefined) {
      notes.push(`${what} was left out: there is no copy to compare it with`);
      return [];
    }
    return [
      rowFrom(
        {
          implementation: primitive === "copy" ? `${implementation} (copy)` : implementation,
          primitive,
          type,
          ...((primitive === "scan" || primitive === "reduce") && { op: "add" as OperatorName }),
          length,
        },
        result,
        copy.median,
      ),
    ];
  });
  return { rows: own, notes, wrong };
}
