import type { AnyArray } from "../../algebra/arrays.ts";
import { goneError } from "../../algebra/arrays.ts";
import { describe } from "../../algebra/check_value.ts";
import { u32 } from "../../algebra/integers.ts";
import type { ElementType } from "../../algebra/types.ts";
import { isSameType } from "../../algebra/types.ts";
import { ArgumentError, DeviceLostError, LimitError, OutOfMemoryError, refuse, shown } from "../../errors.ts";
import type { OptionTable } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import { requireMaxLength } from "../../plan/choose_sizes.ts";
import type { ExpandOptions } from "../../plan/expand_runs.ts";
import { planExpandRuns, saturatingSum } from "../../plan/expand_runs.ts";
import { wholeWords } from "../../plan/plan.ts";
import type { BufferRange, Length } from "../../primitives/ranges.ts";
import { typesOf } from "../at_hand/scan_at_hand.ts";
import { bufferBytesFor } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import { allocate, requireDevice } from "../device/device.ts";
import type { Given } from "../device/transfer.ts";
import { STORAGE } from "../device/usage_flags.ts";
import { prepareFor } from "../recordings/prepare_folds.ts";
import type { Prepared, Ranges } from "../recordings/recording.ts";
import { prepare } from "../recordings/recording.ts";
import { plannedLengthOnGpu, requireNamed, requireOneEach, requireOnGpu } from "./calls_on_gpu.ts";
import { callOnGpu } from "./fold_calls.ts";
import type { Arrays } from "./gpu_array.ts";
import { GpuArray, hold } from "./gpu_array.ts";
import { runOnGpu } from "./one_plan_call.ts";
import { upload, viaGpu } from "./upload_and_wrap.ts";

// Runs that are written out: a scan of the counts says where each run ends, and then each item looks for its run.

/** The options of `expandRuns`. */
export interface HandExpandOptions<Name extends string>
  extends Pick<ExpandOptions, "workGroupSize" | "itemsPerThread"> {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

/** The options of `expandRuns` on arrays on the GPU. */
export interface GpuExpandOptions<Name extends string> extends HandExpandOptions<Name> {
  /** The most elements that the result may have. Elements past that many are left out. */
  readonly maxLength: number;
}

/** Where the writing out of runs reads and writes. */
export interface ExpandRanges {
  /** The value of each run. */
  readonly input: BufferRange;
  /** How many items each run has, as u32. A run may have none. */
  readonly counts: BufferRange;
  /** Receives the items. */
  readonly output: BufferRange;
  /** How many items the output has room for. Items past that many are left out. */
  readonly outputLength: number;
  /** Receives the number of items that were written, a u32. */
  readonly count: BufferRange;
  /** The number of runs. */
  readonly length: Length;
}

/** A prepared writing out of runs. */
export interface PreparedExpandRuns {
  /**
   * Records the writing out of `length` runs. Everything is checked before anything is recorded, and nothing is read back.
   * Ranges are apart, and what is written is in other buffers than what is read.
   *
   * @throws {ArgumentError} {@link LimitError} {@link DeviceLostError}
   */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: ExpandRanges): void;
  /** Frees the scratch. Recordings that are not yet submitted become invalid. */
  destroy(): void;
  /** The same as `destroy`, for `using`. */
  [Symbol.dispose](): void;
}

const handNames = { type: true, workGroupSize: true, itemsPerThread: true } as const satisfies OptionTable<
  HandExpandOptions<string>
>;
const preparedNames = {
  maxLength: true,
  lengthOnGpu: "boolean",
  ...handNames,
} as const satisfies OptionTable<ExpandOptions>;
const recordNames = {
  input: true,
  counts: true,
  output: true,
  outputLength: true,
  count: true,
  length: true,
} as const satisfies OptionTable<ExpandRanges>;

/** How messages of the scan of the counts begin: with the plan's title, or with that of a call. */
const SCAN_OF_COUNTS = /^scan<u32(, saturatingSum)?>/;

/**
 * Turns the error of a step into the error for the caller, who knows of no scan. `title` is that of the whole call, and `names` has the
 * caller's names for the ranges of the step.
 */
function errorForCaller(
  cause: unknown,
  title: string,
  names: Readonly<Record<string, string>> = {},
): unknown {
  if (!(cause instanceof Error)) {
    return cause;
  }
  const { option } = cause as ArgumentError;
  const name = names[option ?? ""];
  const ownTitle = cause.message.replace(SCAN_OF_COUNTS, title);
  const message = name ? ownTitle.replace(`: ${option}`, `: ${name}`) : ownTitle;
  if (cause instanceof ArgumentError) {
    return new ArgumentError(message, name ?? option);
  }
  if (cause instanceof LimitError) {
    return new LimitError(message, cause.needed, cause.limit, name ?? option);
  }
  if (cause instanceof OutOfMemoryError) {
    return new OutOfMemoryError(message, cause.needed);
  }
  return cause instanceof DeviceLostError
    ? Object.assign(new DeviceLostError(message), { reason: cause.reason })
    : cause;
}

/** @throws {ArgumentError} if the counts are in a buffer that is written. No step checks this, since none has both ranges. */
function requireCountsApart(title: string, { counts, output, count }: ExpandRanges): void {
  const bufferOf = (range: BufferRange): GPUBuffer => ("buffer" in range ? range.buffer : range);
  for (const [name, written] of Object.entries({ output, count })) {
    if (bufferOf(counts) === bufferOf(written)) {
      throw new ArgumentError(`${title}: counts and ${name} must be in different buffers`, "counts");
    }
  }
}

/** The most elements of a result: what the kernel takes as a number. */
const MOST = 2 ** 32 - 2;

/** @throws {LimitError} for values, or as many counts, that no binding of the device holds. */
const requireBindable = (title: string, length: number, { bytes }: ElementType, { facts }: Context): number =>
  requireMaxLength(`${title}: values`, length, Math.max(bytes, u32.bytes), facts.limits, "values");

/** `Fold.prepareExpandRuns`. */
export async function prepareExpandRuns(
  context: Context,
  options: ExpandOptions,
): Promise<PreparedExpandRuns> {
  requireOptions("prepareExpandRuns", options, preparedNames);
  const { lengthOnGpu = false } = options;
  const plan = planExpandRuns(options, context.facts);
  const { title, maxLength } = plan;
  const made: Prepared[] = [];
  let ends: GPUBuffer | undefined;
  const destroy = (): void => {
    for (const one of made) {
      one.destroy();
    }
    ends?.destroy();
  };
  try {
    const counted = { type: u32, op: saturatingSum, maxLength, lengthOnGpu };
    made.push(await prepareFor("scan", context, counted));
    made.push(await prepare(context, plan));
    const size = Math.max(16, wholeWords(maxLength * u32.bytes));
    ends = await allocate(context, { label: `wavefold ${title} ends`, size, usage: STORAGE }, title);
  } catch (cause) {
    destroy();
    throw errorForCaller(cause, title);
  }
  const [scan, expand] = made as [Prepared, Prepared];
  const positions = ends;
  return {
    record(encoder, given) {
      requireOptions(`${title}: record`, given, recordNames);
      const { input, counts, output, outputLength, count, length } = given;
      const steps: readonly [Prepared, Ranges, Readonly<Record<string, string>>][] = [
        [scan, { input: counts, output: positions, length }, { input: "counts" }],
        [
          expand,
          { input, positions, output, count, length, segmentCount: outputLength },
          { segmentCount: "outputLength" },
        ],
      ];
      const each = (step: (prepared: Prepared, ranges: Ranges) => void): void => {
        for (const [prepared, ranges, names] of steps) {
          try {
            step(prepared, ranges);
          } catch (cause) {
            throw errorForCaller(cause, title, names);
          }
        }
      };
      each((prepared, ranges) => prepared.check(ranges));
      requireCountsApart(title, given);
      each((prepared, ranges) => prepared.record(encoder, ranges));
    },
    destroy,
    [Symbol.dispose]: destroy,
  };
}

/** `Fold.expandRuns` of arrays on the GPU. */
export async function expandRunsOnGpu(
  context: Context,
  arrays: Arrays,
  data: unknown,
  counted: unknown,
  options: GpuExpandOptions<string>,
): Promise<GpuArray> {
  const caller = "expandRuns";
  requireOptions(caller, options, { ...handNames, maxLength: true });
  requireDevice(context, caller);
  const values = requireOnGpu(caller, context, data, "values", "counts");
  const counts = requireOnGpu(caller, context, counted, "counts", "values");
  const { type: named, maxLength: most, ...tuning } = options;
  requireNamed(caller, values, named);
  const title = `${caller}<${values.type.name}>`;
  if (!isSameType(counts.type, u32)) {
    throw new ArgumentError(`${title}: counts holds ${counts.type.name}; it takes u32`, "counts");
  }
  requireOneEach(title, values, counts, "counts", "values");
  if (typeof most !== "number" || !Number.isInteger(most) || most < 0 || most > MOST) {
    refuse(
      title,
      "maxLength",
      shown(most),
      "a whole number from 0 to 2^32 - 2, the most elements that the result may have",
    );
  }
  requireBindable(title, values.maxLength, values.type, context);
  requireMaxLength(title, most, values.type.bytes, context.facts.limits);
  const { partsOf } = GpuArray;
  const { count: runs } = partsOf(values);
  const all = {
    ...tuning,
    type: values.type,
    maxLength: plannedLengthOnGpu(values.maxLength, Math.max(values.type.bytes, u32.bytes), context),
    lengthOnGpu: runs !== undefined,
  };
  // The scan may compile, and the caller may destroy the values meanwhile.
  const release = hold(partsOf(values));
  let ends: GpuArray | undefined;
  try {
    ends = (await callOnGpu("scan", context, arrays, counts, { op: saturatingSum }).catch((cause): never => {
      throw errorForCaller(cause, title, { data: "counts" });
    })) as GpuArray;
    const [made] = await runOnGpu(context, arrays, {
      title,
      primitive: caller,
      all,
      plan: () => planExpandRuns(all, context.facts),
      sources: { input: values, positions: ends },
      ranges: { segmentCount: most },
      results: [{ name: "values", range: "output", type: values.type, most, like: "input", length: "count" }],
    });
    return made as GpuArray;
  } finally {
    ends?.destroy();
    release();
  }
}

/** `Fold.expandRuns` of arrays. `values` and `counts` are the arrays as they were when the call began. */
export async function expandRunsAtHand(
  context: Context,
  arrays: Arrays,
  values: Given,
  counts: Given,
  options: HandExpandOptions<string>,
): Promise<AnyArray> {
  const caller = "expandRuns";
  requireOptions(caller, options, handNames);
  requireDevice(context, caller);
  const { type } = await typesOf(values, { type: options.type }, caller, "values");
  const title = `${caller}<${type.name}>`;
  const counted = counts.data as unknown;
  if (!(counted instanceof Uint32Array)) {
    refuse(title, "counts", describe(counted), "a Uint32Array");
  }
  if (counts.isGone) {
    throw goneError(title, "counts");
  }
  if (counts.length !== values.length) {
    throw new ArgumentError(
      `${title}: ${counts.length} counts for ${values.length} values; it takes one for each`,
      "counts",
    );
  }
  requireBindable(title, values.length, type, context);
  const total = counted.reduce((sum, count) => sum + count, 0);
  if (total > MOST) {
    throw new LimitError(
      `${title}: the counts add up to ${total}, and a result has ${MOST} elements at most`,
      total,
      MOST,
      "counts",
    );
  }
  requireMaxLength(title, total, type.bytes, context.facts.limits, "counts");
  // The scan of the counts is as long as they are.
  const bytes =
    bufferBytesFor(values.byteLength) +
    2 * bufferBytesFor(counts.byteLength) +
    bufferBytesFor(total * type.bytes);
  return viaGpu(context, title, values.length, bytes, async (own) => {
    const data = own(await upload(context, arrays, values, { type }, true));
    const lengths = own(await upload(context, arrays, counts, { type: u32 }, true));
    const sizes = { ...options, maxLength: total };
    return own(await expandRunsOnGpu(context, arrays, data, lengths, sizes)).read();
  });
}
