/**
 * Scans one array that lies in parts, on several processes with a device each: what scan-parts.sh does with commands, for an
 * engine that runs JavaScript. Its three steps are the functions `totalOf`, `carriesOf` and `scanPart`. Here a pool of child
 * processes runs them. The parts are files of elements without a header.
 *
 *     node build/examples/parts/scan-parts.js --type u64 [--op add] [--exclusive] [--initial 7] [--workers 4]
 *       [--adapter gpu|software|simulated] -o FOLDER PART...
 *
 * FOLDER must not exist. It gets a file for each part. It is there whole at the end, or not at all.
 */
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Fold } from "wavefold/node";
import { add, and, max, min, mul, openFold, or, xor } from "wavefold/node";

const arrays = {
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  u64: BigUint64Array,
  i64: BigInt64Array,
  f64: Float64Array,
} as const;
const operators = { add, and, max, min, mul, or, xor } as const;

type Value = number | bigint;

/** What all steps need. It goes from process to process, and so do values: numbers and BigInts, with all their bits. */
interface Options {
  readonly type: keyof typeof arrays;
  readonly op: keyof typeof operators;
  readonly exclusive: boolean;
}

/** The options of a call. The types of the array, of the operator and of the value are known at run time alone. */
const optionsOf = ({ op }: Options, initial: Value | undefined) =>
  ({ op: operators[op], ...(initial !== undefined && { initial }) }) as { op: typeof add; initial?: number };

async function read(path: string, { type }: Options): Promise<Uint32Array> {
  const bytes = await readFile(path);
  const size = arrays[type].BYTES_PER_ELEMENT;
  if (bytes.length % size !== 0) {
    throw new Error(`${path}: it holds ${bytes.length} bytes, and each ${type} takes ${size}`);
  }
  return new arrays[type](Uint8Array.from(bytes).buffer) as Uint32Array;
}

/** Step 1, for each part: its total. */
const totalOf = async (fold: Fold, options: Options, part: string): Promise<Value> =>
  fold.reduce(await read(part, options), optionsOf(options, undefined));

/** Step 2, once: what comes before each part is the exclusive scan of the totals, in the order of the parts. */
async function carriesOf(
  fold: Fold,
  options: Options,
  totals: readonly Value[],
  initial: Value | undefined,
): Promise<Value[]> {
  const data = (arrays[options.type] as typeof Uint32Array).from(totals as number[]);
  // A sum of floats that are all -0 is -0, unless it starts with 0, as an exclusive one does.
  const isSum = options.type.startsWith("f") && options.op === "add" && !options.exclusive;
  const start = initial ?? (isSum ? -0 : undefined);
  return [...(await fold.scan(data, { ...optionsOf(options, start), exclusive: true }))];
}

/** Step 3, for each part: its scan, on top of what comes before it. */
async function scanPart(
  fold: Fold,
  options: Options,
  part: string,
  carry: Value | undefined,
  output: string,
): Promise<void> {
  const { exclusive } = options;
  const scan = await fold.scan(await read(part, options), { ...optionsOf(options, carry), exclusive });
  await writeFile(output, scan);
}

/** The steps by their names: what a process asks another for. */
const steps = { totalOf, carriesOf, scanPart } as const;
type Step = keyof typeof steps;
type Arguments<S extends Step> = (typeof steps)[S] extends (fold: Fold, ...rest: infer A) => unknown
  ? A
  : never;
type Result<S extends Step> = Awaited<ReturnType<(typeof steps)[S]>>;
type AnyStep = (fold: Fold, ...args: readonly unknown[]) => Promise<unknown>;
type Answer = { readonly result: unknown } | { readonly failure: string };

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** A child process: it opens a device, and runs a step for each message. */
async function work(adapter: string | undefined): Promise<void> {
  const fold = openFold(
    adapter === undefined ? {} : { adapter: adapter as "gpu" | "software" | "simulated" },
  );
  // Without an adapter, the answer to each message is the failure.
  fold.catch(() => {});
  process.on("message", ({ step, args }: { step: Step; args: readonly unknown[] }) => {
    const run = async (): Promise<unknown> => (steps[step] as AnyStep)(await fold, ...args);
    run().then(
      (result) => process.send?.({ result } satisfies Answer),
      (cause: unknown) => process.send?.({ failure: messageOf(cause) } satisfies Answer),
    );
  });
  process.on("disconnect", () => process.exit());
}

/** Has a child process run a step. */
const ask = <S extends Step>(child: ChildProcess, step: S, ...args: Arguments<S>): Promise<Result<S>> =>
  new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error("a process ended before its work was done"));
    child.once("exit", ended);
    child.once("message", (answer: Answer) => {
      child.off("exit", ended);
      if ("failure" in answer) {
        reject(new Error(answer.failure));
      } else {
        resolve(answer.result as Result<S>);
      }
    });
    child.send({ step, args });
  });

/** Gives each task to the next child process that is free. The results are in the order of the tasks, whichever is done first. */
async function inParallel<Task, Done>(
  children: readonly ChildProcess[],
  tasks: readonly Task[],
  run: (child: ChildProcess, task: Task, index: number) => Promise<Done>,
): Promise<Done[]> {
  const done: Done[] = [];
  const left = tasks.entries();
  await Promise.all(
    children.map(async (child) => {
      for (const [index, task] of left) {
        done[index] = await run(child, task, index);
      }
    }),
  );
  return done;
}

/** A value as JavaScript writes it. */
function valueIn(text: string, { type }: Options): Value {
  const isBig = arrays[type] === BigUint64Array || arrays[type] === BigInt64Array;
  if (isBig ? !/^-?\d+$/.test(text) : text.trim() === "" || (Number.isNaN(Number(text)) && text !== "NaN")) {
    throw new Error(`--initial is "${text}"; it takes a value of ${type}`);
  }
  return isBig ? BigInt(text) : Number(text);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    throw new Error(`${path}: there is no such file, or it cannot be read`);
  }
}

async function main(): Promise<void> {
  const { values, positionals: parts } = parseArgs({
    options: {
      type: { type: "string" },
      op: { type: "string", default: "add" },
      exclusive: { type: "boolean", default: false },
      initial: { type: "string" },
      workers: { type: "string", default: "4" },
      adapter: { type: "string" },
      output: { type: "string", short: "o" },
    },
    allowPositionals: true,
  });
  const { type = "", op = "", exclusive = false, output, adapter } = values;
  if (!Object.hasOwn(arrays, type) || !Object.hasOwn(operators, op)) {
    throw new Error(`--type takes ${Object.keys(arrays)}, and --op takes ${Object.keys(operators)}`);
  }
  const workers = Number(values.workers);
  if (output === undefined || parts.length === 0 || !Number.isInteger(workers) || workers < 1) {
    throw new Error("it takes -o FOLDER, one PART or more, and --workers of 1 or more");
  }
  const names = parts.map((part) => basename(part));
  if (new Set(names).size < names.length) {
    throw new Error("two parts have one name; both results would be one file");
  }
  if (existsSync(output)) {
    throw new Error(`${output} is there already; -o takes the name of a new folder`);
  }
  const options = { type, op, exclusive } as Options;
  const initial = values.initial === undefined ? undefined : valueIn(values.initial, options);

  // A part without elements is a scan of nothing, and changes nothing.
  const sizes = await Promise.all(parts.map(sizeOf));
  const filled = parts.filter((_, index) => sizes[index] !== 0);

  // Beside the output, so that one rename puts it there.
  const folder = mkdtempSync(`${output}.`);
  const children: ChildProcess[] = [];
  const clean = (): void => {
    for (const child of children) {
      child.kill();
    }
    rmSync(folder, { recursive: true, force: true });
  };
  for (const [signal, status] of [
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.once(signal, () => {
      clean();
      process.exit(status);
    });
  }
  try {
    const place = join(folder, "out");
    await mkdir(place);
    const target = (part: string): string => join(place, basename(part));
    for (let count = 0; count < Math.min(workers, filled.length); count++) {
      const child = fork(fileURLToPath(import.meta.url), adapter === undefined ? [] : [adapter], {
        serialization: "advanced",
        env: { ...process.env, SCAN_PARTS_CHILD: "1" },
      });
      children.push(child);
    }
    const totals = await inParallel(children, filled, (child, part) => ask(child, "totalOf", options, part));
    const [first] = children;
    const carries = first === undefined ? [] : await ask(first, "carriesOf", options, totals, initial);
    // Nothing comes before the first one, unless --initial says so.
    await inParallel(children, filled, (child, part, index) =>
      ask(child, "scanPart", options, part, index === 0 ? initial : carries[index], target(part)),
    );
    for (const part of parts.filter((one) => !filled.includes(one))) {
      await writeFile(target(part), "");
    }
    await rename(place, output);
  } finally {
    clean();
  }
}

if (process.env.SCAN_PARTS_CHILD === "1") {
  await work(process.argv[2]);
} else {
  try {
    await main();
  } catch (cause) {
    console.error(`scan-parts: ${messageOf(cause).replace(/\s*\n\s*/g, " ")}`);
    process.exitCode = 1;
  }
}
