import process from "node:process";
import { monoid } from "../operators.ts";
import type { TuningOptions } from "../primitives/tuning.ts";
import { u32 } from "../types.ts";
import { UsageError } from "./errors.ts";
import { openTarget, readInput } from "./files.ts";
import { formatValue } from "./format.ts";
import type { ElementsFile } from "./npy.ts";
import { dumpElements, parseElements, parseFlags } from "./npy.ts";
import type { AdapterOption, OperatorOption, TuningOption } from "./options.ts";
import { withFold } from "./options.ts";
import type { Progress } from "./progress.ts";
import { startProgress } from "./progress.ts";

interface OutputOption {
  readonly output: string;
}

const tuningOf = ({ algorithm }: TuningOption): TuningOptions =>
  algorithm === undefined ? {} : { algorithm };

async function withProgress<Result>(
  total: number,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const progress = startProgress(total);
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}

async function readElements(path: string): Promise<ElementsFile> {
  return parseElements(await readInput(path), path);
}

/** `wavefold scan` */
export async function scanFile(
  input: string,
  options: OutputOption & OperatorOption & TuningOption & AdapterOption & { readonly exclusive?: boolean },
): Promise<void> {
  const { op, exclusive = false } = options;
  await withProgress(4, async (progress) => {
    progress.step("reading");
    const target = await openTarget(options.output);
    const { type, data, shape } = await readElements(input);
    monoid(op, type, "scan");
    progress.step("opening the adapter");
    const result = await withFold(options, (fold) => {
      progress.step("running");
      return fold.scan(data, { ...tuningOf(options), op, type, exclusive });
    });
    progress.step("writing");
    await target.write(dumpElements({ type, data: result, shape }));
  });
}

/** `wavefold reduce` */
export async function reduceFile(
  input: string,
  options: OperatorOption & TuningOption & AdapterOption,
): Promise<void> {
  const { op } = options;
  const value = await withProgress(3, async (progress) => {
    progress.step("reading");
    const { type, data } = await readElements(input);
    monoid(op, type, "reduce");
    progress.step("opening the adapter");
    const total = await withFold(options, (fold) => {
      progress.step("running");
      return fold.reduce(data, { ...tuningOf(options), op, type });
    });
    return formatValue(total, type);
  });
  process.stdout.write(`${value}\n`);
}

/** `wavefold compact` */
export async function compactFile(
  input: string,
  options: OutputOption &
    TuningOption &
    AdapterOption & { readonly where?: string; readonly flags?: string; readonly indices?: boolean },
): Promise<void> {
  const { where, indices = false } = options;
  if ((where === undefined) === (options.flags === undefined)) {
    throw new UsageError("compact takes one of --where EXPR and --flags FLAGS.npy, and not both");
  }
  await withProgress(4, async (progress) => {
    progress.step("reading");
    const target = await openTarget(options.output);
    const { type, data } = await readElements(input);
    const flags =
      options.flags === undefined ? undefined : await readFlags(options.flags, data.length, input);
    progress.step("opening the adapter");
    const kept = await withFold(options, (fold) => {
      progress.step("running");
      return fold.compact(data, {
        ...tuningOf(options),
        type,
        indices,
        ...(where !== undefined && { where }),
        ...(flags !== undefined && { flags }),
      });
    });
    progress.step("writing");
    await target.write(dumpElements({ type: indices ? u32 : type, data: kept, shape: [kept.length] }));
  });
}

async function readFlags(path: string, length: number, input: string): Promise<Uint8Array> {
  const { flags } = parseFlags(await readInput(path), path);
  if (flags.length !== length) {
    throw new UsageError(
      `${path}: it holds ${flags.length} flags, and ${input} holds ${length} elements; it takes one flag for each`,
    );
  }
  return flags;
}
