import type { ParamTypes } from "../../algebra/params.ts";
import { paramsOfCall, paramsOfPlan } from "../../algebra/params.ts";
import type { ParamsOption } from "../../plan/options.ts";
import type { Context } from "./context.ts";

/** The bytes of a uniform that every device has. A context that computes on the CPU alone may have no device. */
const LEAST_BYTES = 2 ** 16;

const readers = { call: paramsOfCall, plan: paramsOfPlan } as const;

/** The option `params` of a call or a plan, checked, as planners take it. @throws {ArgumentError} {@link LimitError} {@link FeatureError} */
export function checkedParams(
  of: keyof typeof readers,
  options: { readonly params?: unknown },
  caller: string,
  context: Context,
): ParamsOption {
  const { cpu, facts } = context;
  const { features } = facts;
  const isOnCpu = cpu !== undefined && cpu.lengths === undefined;
  const mostBytes = isOnCpu ? LEAST_BYTES : context.device.limits.maxUniformBufferBindingSize;
  return { params: readers[of](options, caller, { features, mostBytes }) as object as ParamTypes };
}
