import type { NumbersMissing } from "../../algebra/numbers_later.ts";
import { namesNarrow } from "../../algebra/types.ts";
import { once } from "../../errors.ts";
import type { DeviceFacts } from "../../plan/device_facts.ts";
import { loadFasterAndNarrow } from "../../plan/load_faster_and_narrow.ts";
import type { ParamsOption } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Context } from "../device/context.ts";
import { loadParamsAndEnds } from "../device/load_params_and_ends.ts";
import type { Planned } from "./planned.ts";

/** What follows from a value, as soon as it is there. A call whose code is loaded makes no promise for it. */
export const afterLoad = <T, Made>(
  value: T | Promise<T>,
  use: (value: T) => Made,
): Made | Promise<Awaited<Made>> =>
  (value instanceof Promise ? value.then(use) : use(value)) as Made | Promise<Awaited<Made>>;

/** Options that may have params. Nobody has checked these yet. */
export interface MayHaveParams {
  readonly params?: unknown;
}

/** Loads what checks params, if options have some. */
export const loadParamsOf = (options: MayHaveParams | undefined): unknown =>
  options?.params === undefined ? undefined : loadParamsAndEnds();

/** What options with params have loaded. */
export const paramsPart = () => loadParamsAndEnds() as typeof import("../device/params_and_ends.ts");

/** The option `params` of a call, checked: as the plan takes it, with the values. @throws {ArgumentError} {@link FeatureError} */
export const paramsAtHand = (
  options: MayHaveParams,
  caller: string,
  context: Context,
): ParamsOption | Promise<ParamsOption> =>
  options.params === undefined
    ? {}
    : afterLoad(loadParamsAndEnds(), (params) => params.checkedParams("call", options, caller, context));

/** Plans. If options name types of 8 or 16 bits, loads what plans for these. */
export const planFor = async <Options extends object>(
  options: Options,
  facts: DeviceFacts,
  planOf: (options: Options) => Plan | Promise<Plan>,
): Promise<Plan> =>
  namesNarrow(options) ? (await loadFasterAndNarrow()).planNarrow(options, facts, planOf) : planOf(options);

export const loadNumbers = /* @__PURE__ */ once(() => import("./numbers_64.ts"));

/** Plans. If a caller's text needs the reader of texts over 64-bit values, loads it and plans again: nothing was begun. */
export async function withNumbers<T>(plan: () => Promise<T>): Promise<T> {
  try {
    return await plan();
  } catch (cause) {
    const provideNumbers = (cause as Partial<NumbersMissing> | undefined)?.provideNumbers;
    if (!provideNumbers) {
      throw cause;
    }
    provideNumbers((await loadNumbers()).numbers);
    return plan();
  }
}

/** Makes the plan of a call at hand or of a stream. */
export const planOfCall = (call: Planned, { facts }: Context): Promise<Plan> =>
  withNumbers(() => planFor(call.all, facts, call.plan));
