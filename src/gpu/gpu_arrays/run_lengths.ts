import type { AnyArray } from "../../algebra/arrays.ts";
import { u32 } from "../../algebra/integers.ts";
import { min } from "../../algebra/operators.ts";
import type { ElementType } from "../../algebra/types.ts";
import { ArgumentError } from "../../errors.ts";
import type { IndicesOption, OptionTable } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import { requireBindable } from "../../plan/binding_length.ts";
import type { TuningOptions } from "../../plan/options.ts";
import { tuningNames } from "../../plan/options.ts";
import type { Alone, OwnSegments, RunKeyOptions } from "../../plan/run_key.ts";
import { ALONE, FIRST_ITEMS, requireRunKey } from "../../plan/run_key.ts";
import { typesOf } from "../at_hand/scan_at_hand.ts";
import { bufferBytesFor } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import { requireDevice } from "../device/device.ts";
import type { Given } from "../device/transfer.ts";
import { requireNamed } from "./calls_on_gpu.ts";
import { callOnGpu } from "./fold_calls.ts";
import type { Arrays } from "./gpu_array.ts";
import { GpuArray } from "./gpu_array.ts";
import { readAll, upload, viaGpu } from "./upload_and_wrap.ts";

// Runs of equal elements: reductions whose keys are the data itself.

/** The options of `unique` and `runLengths`. */
export interface RunOptions<Name extends string> extends RunKeyOptions, TuningOptions {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

/** Runs of equal elements: the element of each, and how many it has. */
export interface RunLengths<Values, Counts> {
  /** The element of each run. */
  readonly values: Values;
  /** How many elements each run has. */
  readonly counts: Counts;
}

const common = { type: true, key: true, keyType: true, ...tuningNames } as const satisfies OptionTable<
  RunOptions<string>
>;
const names = { unique: { indices: "boolean", ...common }, runLengths: common } as const satisfies {
  unique: OptionTable<RunOptions<string> & IndicesOption>;
  runLengths: OptionTable<RunOptions<string>>;
};

/** What `Fold` calls for either. */
export type RunPrimitive = keyof typeof names;

interface Options extends RunOptions<string> {
  readonly indices?: unknown;
}

/** @throws {ArgumentError} for an option that the call does not take. */
function requireRunOptions(primitive: RunPrimitive, options: Options & { readonly counts?: unknown }): void {
  if (primitive === "unique" && options?.counts !== undefined) {
    throw new ArgumentError(
      "unique takes no option counts; runLengths gives the elements and their counts",
      "counts",
    );
  }
  requireOptions(primitive, options, names[primitive]);
}

/** Reduces each run of an array on the GPU. The map gives what is combined, and the operator combines it. */
async function reduced(
  context: Context,
  arrays: Arrays,
  data: GpuArray,
  { type: _, indices = false, key, keyType, ...tuning }: Options,
  alone: Alone | undefined,
): Promise<unknown> {
  const own: OwnSegments = {
    ...(key !== undefined && !indices && { [FIRST_ITEMS]: true }),
    ...(alone && { [ALONE]: alone }),
  };
  return callOnGpu("reduce", context, arrays, data, {
    ...tuning,
    from: data.type,
    type: u32,
    segments: { keys: data, key, keyType, ...own },
    // The least position of a run is that of its first element.
    ...(indices ? { map: "i", op: min } : { map: "1u" }),
  });
}

/** @throws {LimitError} for data that the device cannot bind, or whose counts it cannot. */
const requireRunsBindable = (
  primitive: RunPrimitive,
  length: number,
  { name, bytes }: ElementType,
  { facts: { limits } }: Context,
): void => requireBindable(`${primitive}<${name}>`, length, Math.max(bytes, u32.bytes), limits, "data");

/** `Fold.unique` and `Fold.runLengths` of an array on the GPU. */
export async function runsOnGpu(
  primitive: RunPrimitive,
  context: Context,
  arrays: Arrays,
  data: GpuArray,
  options: Options,
): Promise<GpuArray | RunLengths<GpuArray, GpuArray>> {
  requireRunOptions(primitive, options);
  const { type, indices } = options;
  requireNamed(primitive, data, type);
  requireRunKey(options, data.type, primitive);
  requireRunsBindable(primitive, data.maxLength, data.type, context);
  const alone = primitive === "runLengths" ? undefined : indices ? "totals" : "keys";
  const result = await reduced(context, arrays, data, options, alone);
  if (alone === "totals") {
    return result as GpuArray;
  }
  const { keys, values } = result as { readonly keys: GpuArray; readonly values: GpuArray };
  if (alone === "keys") {
    values.destroy();
    return keys;
  }
  return { values: keys, counts: values };
}

/** `Fold.unique` and `Fold.runLengths` of an array. `given` is the array as it was when the call began. */
export async function runsAtHand(
  primitive: RunPrimitive,
  context: Context,
  arrays: Arrays,
  given: Given,
  options: Options,
): Promise<AnyArray | RunLengths<AnyArray, Uint32Array>> {
  requireRunOptions(primitive, options);
  requireDevice(context, primitive);
  const { type } = await typesOf(given, { type: options.type }, primitive);
  requireRunKey(options, type, primitive);
  requireRunsBindable(primitive, given.length, type, context);
  const bytes = 2 * bufferBytesFor(given.byteLength) + bufferBytesFor(given.length * u32.bytes);
  return viaGpu(context, `${primitive}<${type.name}>`, given.length, bytes, async (own) => {
    const data = own(await upload(context, arrays, given, { type }, true));
    const result = await runsOnGpu(primitive, context, arrays, data, options);
    if (result instanceof GpuArray) {
      return own(result).read();
    }
    const [values, counts] = await readAll([own(result.values).read(), own(result.counts).read()]);
    return { values, counts: counts as Uint32Array };
  });
}
