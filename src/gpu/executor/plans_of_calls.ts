import { paramsIn } from "../../algebra/seen_params.ts";
import { LimitError } from "../../errors.ts";
import type { Arrangement } from "../../kernels/kernel.ts";
import type { TuningOptions } from "../../plan/options.ts";
import { withTextParams } from "../../plan/plan.ts";
import type { ScanOptions } from "../../plan/scan.ts";
import { endCall, startCall, takePlan } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import type { KeptPlan } from "../device/kept.ts";
import { keepPlan } from "../device/kept.ts";
import { pipelineKeyOf, usePipelines } from "../device/kept_pipelines.ts";
import type { ParamSlots } from "../device/param_slots.ts";
import type { Compiled, Dispatch, Range } from "./executor.ts";
import { compilePlan } from "./executor.ts";
import { planOfCall } from "./plan_with_parts.ts";
import type { Planned } from "./planned.ts";
import { keyOfCall } from "./planned.ts";
import { paramsPart } from "./with_params.ts";

// The plans of calls at hand and of streams. Each call finds the plan that an earlier one left, or makes one.

/**
 * Calls at hand make their own, padded buffers for input and output. Kernels for such buffers are the shortest, and no
 * other kernels need to be compiled. A single pass has no kernels for padded buffers, so it takes vectors. So do subgroups:
 * they combine vector by vector, so that sums of f64 from padded totals would have other bits than those of a recording. A reversed
 * scan takes its items one by one.
 */
export const arrangementFor = ({
  algorithm,
  passes,
  reverse,
}: TuningOptions & Pick<ScanOptions, "reverse">): Arrangement =>
  reverse ? "items" : passes === "single" || algorithm === "subgroup" ? "vectors" : "padded";

/** A compiled plan that calls at hand leave for the next ones, and its last execution. */
export interface PlanForCalls extends KeptPlan {
  readonly compiled: Compiled;
  /** Where the values of a call's params go. */
  readonly slots: ParamSlots | undefined;
  /** The next execution is the same if its length and its buffers are. */
  last?: {
    readonly length: number;
    readonly buffers: readonly (GPUBuffer | undefined)[];
    readonly dispatches: readonly Dispatch[];
  };
  /** The dispatches for pieces, by a piece's items and parity, and by its place in a row. They are the same if their buffers are. */
  pieces?: {
    readonly buffers: readonly (GPUBuffer | undefined)[];
    readonly dispatches: Map<string, readonly Dispatch[]>;
  };
}

/** Forgets the dispatches of a plan whose spine was replaced. They are destroyed with the plan. */
export function forgetRuns(own: PlanForCalls): void {
  delete own.last;
  delete own.pieces;
}

/** The error for a plan's maxLength. The caller gave it as `option`, which the error names. */
export const lengthError = (cause: unknown, option: string): unknown =>
  cause instanceof LimitError && cause.option === "maxLength"
    ? new LimitError(cause.message, cause.needed, cause.limit, option)
    : cause;

/** Writes the values of a call's params, if it has some, and returns the range that holds them. */
export function writtenParams(
  { slots }: PlanForCalls,
  { all }: Pick<Planned, "all">,
): { readonly params?: Range } {
  const values = paramsIn(all)?.values;
  if (slots === undefined || values === undefined) {
    return {};
  }
  slots.write(values);
  return { params: { buffer: slots.buffer(), offset: 0, bytes: 0 } };
}

/** Makes a call's plan, and compiles it. */
async function compiledFor(context: Context, call: Planned, key: string): Promise<PlanForCalls> {
  try {
    const plan = withTextParams(await planOfCall(call, context), call.all);
    const compiled = await compilePlan(context, plan);
    const slots = plan.textParams && paramsPart().paramSlots(context, plan, plan.textParams, true);
    return {
      key,
      compiled,
      slots,
      pipelines: plan.kernels.map(pipelineKeyOf),
      destroy() {
        compiled.destroy();
        slots?.destroy();
      },
    };
  } catch (cause) {
    // The plan's maxLength is the array's length.
    throw lengthError(cause, "data");
  }
}

/**
 * Does some work with the plan of a call: a plan that an earlier call left, or a new one. Then it leaves the plan for the next call.
 * `bytes` is the most that the call's buffers have. The work starts when that many bytes are free, and no other call uses the plan. A
 * stream gives 0 bytes: it must not wait for the bytes of other streams, since it may end only when another stream goes on.
 */
export async function withPlan<T>(
  context: Context,
  planned: Planned,
  bytes: number,
  work: (own: PlanForCalls) => Promise<T>,
): Promise<T> {
  const { kept } = context;
  const key = keyOfCall(planned);
  const started = startCall(kept, bytes, key);
  if (started) {
    await started;
  }
  let own: PlanForCalls | undefined;
  try {
    own = (takePlan(kept, key) as PlanForCalls | undefined) ?? (await compiledFor(context, planned, key));
    const result = await work(own);
    usePipelines(context, own.pipelines);
    keepPlan(kept, own, context.pipelines);
    return result;
  } catch (cause) {
    own?.destroy();
    throw cause;
  } finally {
    endCall(kept, bytes, key);
  }
}
