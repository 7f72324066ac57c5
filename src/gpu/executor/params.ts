import type { ParamTypes } from "../../algebra/params.ts";
import { paramsOfCall, paramsOfPlan } from "../../algebra/params.ts";
import type { ParamsOption } from "../../plan/options.ts";
import type { Context } from "../device/context.ts";

// What calls and recordings with params load.

export { paramSlots } from "./param_slots.ts";

/** The bytes of a uniform that every device has. Without a GPU, there is no device yet. */
const LEAST_BYTES = 2 ** 16;

const readers = { call: paramsOfCall, plan: paramsOfPlan } as const;

/** The option `params` of a call or a plan, checked, as planners take it. @throws {ArgumentError} {@link LimitError} {@link FeatureError} */
export function checkedParams(
  of: keyof typeof readers,
  options: { readonly params?: unknown },
  caller: string,
  { facts: { features }, device }: Context,
): ParamsOption {
  const mostBytes = device?.limits.maxUniformBufferBindingSize ?? LEAST_BYTES;
  return { params: readers[of](options, caller, { features, mostBytes }) as object as ParamTypes };
}
