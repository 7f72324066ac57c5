import type { Context } from "../device/context.ts";
import type { MayHaveParams } from "./load_later.ts";
import { loadParams } from "./load_later.ts";

/** The options of a plan, with their params checked: the types of what each recording gives. @throws {ArgumentError} {@link LimitError} {@link FeatureError} */
export const withParams = async <Options extends MayHaveParams>(
  options: Options,
  caller: string,
  context: Context,
): Promise<Options> =>
  options.params === undefined
    ? options
    : { ...options, ...(await loadParams()).checkedParams("plan", options, caller, context) };
