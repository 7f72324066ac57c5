import type { CpuLengths } from "../../adapters/tables.ts";
import type { Operator } from "../../algebra/monoid.ts";
import { requireCount } from "../../options.ts";
import { afterLoad, loadCpuCalls } from "../../parts.ts";
import type { TuningOptions } from "../../plan/options.ts";
import { tuningNames } from "../../plan/options.ts";
import type { Context } from "../device/context.ts";
import { withDevice } from "../device/cpu_context.ts";
import { requireDevice } from "../device/lost.ts";

// Which calls at hand run on the CPU.

/** Scans and reductions there, and what all calls there share. */
export type CpuCalls = typeof import("./cpu_calls.ts");

/** What a call is, as far as it decides where it runs. */
export interface CallSize {
  /** The method of `Fold`, or `segments`. */
  readonly primitive: string;
  /** The elements of the longest array. */
  readonly length: number;
  /** Options that name sizes or algorithms of kernels keep the call on the GPU. */
  readonly options: object;
}

const mostOf = (lengths: CpuLengths, primitive: string): number =>
  lengths[primitive as keyof CpuLengths] ?? lengths.others;

/** Whether the CPU takes a call, if it has loops for it. */
export function cpuTakes({ cpu }: Context, { primitive, length, options }: CallSize): boolean {
  for (const name in tuningNames) {
    if ((options as TuningOptions)[name as keyof TuningOptions] !== undefined) {
      return false;
    }
  }
  if (cpu === undefined) {
    return false;
  }
  const { lengths } = cpu;
  const name = (options as { readonly op?: Operator }).op?.mostBytes ? "exactAdd" : primitive;
  return lengths === undefined || length <= mostOf(lengths, name);
}

/**
 * Carries out a call on the CPU; undefined if that does not take it, or has no loops for it. Then the device is there.
 *
 * @throws {DeviceLostError} if the device is gone: also of calls that would not need it.
 */
export async function onCpu<Made>(
  context: Context,
  size: CallSize,
  run: (calls: CpuCalls) => Promise<Made | undefined>,
): Promise<Made | undefined> {
  if (cpuTakes(context, size)) {
    requireDevice(context, size.primitive);
    const made = await afterLoad(loadCpuCalls(), run);
    if (made !== undefined) {
      return made;
    }
  }
  await withDevice(context);
  return undefined;
}

/** Where a call runs. */
export interface CallExplained {
  /** What carries out the call. */
  readonly machine: "cpu" | "gpu";
  /** A sentence that says why. */
  readonly why: string;
}

/** `Fold.explain`, for a method that there is. */
export function explainCall({ cpu }: Pick<Context, "cpu">, method: string, length: number): CallExplained {
  requireCount("explain", "length", length, 0);
  if (cpu === undefined) {
    return {
      machine: "gpu",
      why: 'The fold was opened with cpu: "never", or on a device or an adapter of yours.',
    };
  }
  const { lengths, noGpu } = cpu;
  if (lengths === undefined) {
    const why = noGpu ? `There is no GPU. ${noGpu.message}` : 'The fold was opened with cpu: "always".';
    return { machine: "cpu", why };
  }
  const most = mostOf(lengths, method);
  return most === Infinity
    ? { machine: "cpu", why: "The adapter computes on the CPU itself, and is slower." }
    : {
        machine: length <= most ? "cpu" : "gpu",
        why: `Up to ${most} elements, the CPU is faster than the way to the GPU and back.`,
      };
}
