import type { ParamsOption } from "../../plan/options.ts";
import type { Context } from "../device/context.ts";
import { loadParamsAndEnds } from "../device/load_params_and_ends.ts";
import type { MayHaveParams } from "./load_later.ts";
import { paramsPart } from "./load_later.ts";

/** The option `params` of a call, checked, once `loadParamsOf` is done: as the plan takes it, with the values. @throws {ArgumentError} {@link FeatureError} */
export const checkedParams = (options: MayHaveParams, caller: string, context: Context): ParamsOption =>
  options.params === undefined ? {} : paramsPart().checkedParams("call", options, caller, context);

/** The options of a plan, with their params checked: the types of what each recording gives. @throws {ArgumentError} {@link LimitError} {@link FeatureError} */
export const withParams = async <Options extends MayHaveParams>(
  options: Options,
  caller: string,
  context: Context,
): Promise<Options> =>
  options.params === undefined
    ? options
    : { ...options, ...(await loadParamsAndEnds()).checkedParams("plan", options, caller, context) };
