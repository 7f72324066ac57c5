import { afterLoad, loadParamsAndEnds } from "../../parts.ts";
import type { ParamsOption } from "../../plan/options.ts";
import type { Context } from "../device/context.ts";

// The option `params`. What checks it is loaded for the options that have it.

/** Options that may have params. Nobody has checked these yet. */
export interface MayHaveParams {
  readonly params?: unknown;
}

/** Loads what checks params, if options have some. */
export const loadParamsOf = (options: MayHaveParams | undefined): unknown =>
  options?.params === undefined ? undefined : loadParamsAndEnds();

/** What options with params have loaded. */
export const paramsPart = () => loadParamsAndEnds() as typeof import("../device/params_and_ends.ts");

/**
 * The option `params`, checked, as planners take it: of a call with its values, of a plan the types of what each recording gives.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError}
 */
export const paramsOf = (
  of: "call" | "plan",
  options: MayHaveParams,
  caller: string,
  context: Context,
): ParamsOption | Promise<ParamsOption> =>
  options.params === undefined
    ? {}
    : afterLoad(loadParamsAndEnds(), (part) => part.checkedParams(of, options, caller, context));

/** Those of a call once `loadParamsOf` is done. */
export const loadedParams = (options: MayHaveParams, caller: string, context: Context): ParamsOption =>
  paramsOf("call", options, caller, context) as ParamsOption;
