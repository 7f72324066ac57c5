import type { NumbersMissing } from "../../algebra/numbers_later.ts";
import type { DeviceOfParams, ParamTypes } from "../../algebra/params.ts";
import { part } from "../../errors.ts";
import type { ParamsOption } from "../../plan/options.ts";
import type { Context } from "../device/context.ts";

/** Loads a part when it is first asked for. Later calls need not wait: even for what is there, `import()` takes a while. */
export function once<T>(load: () => Promise<T>): () => T | Promise<T> {
  let loaded: T | undefined;
  return () =>
    loaded ??
    part(load()).then((made) => {
      loaded = made;
      return made;
    });
}

const loadParams = /* @__PURE__ */ once(() => import("./params.ts"));

/** Options that may have params. Nobody has checked these yet. */
interface MayHaveParams {
  readonly params?: unknown;
}

/** Loads what checks params, if options have some. */
export const loadParamsOf = (options: MayHaveParams | undefined): unknown =>
  options?.params === undefined ? undefined : loadParams();

/** What options with params have loaded. */
export const paramsPart = () => loadParams() as typeof import("./params.ts");

// Without a GPU, there is no device yet.
const deviceOf = ({ facts: { features }, device }: Context): DeviceOfParams => ({
  features,
  mostBytes: device?.limits.maxUniformBufferBindingSize ?? 2 ** 16,
});

/** The option `params` of a call, checked, once {@link loadParamsOf} is done: as the plan takes it, with the values. @throws {ArgumentError} {@link FeatureError} */
export function paramsOf(options: MayHaveParams, caller: string, context: Context): ParamsOption {
  if (options.params === undefined) {
    return {};
  }
  return { params: paramsPart().paramsOfCall(options, caller, deviceOf(context)) as object as ParamTypes };
}

/** The same of a call that may wait. */
export async function paramsAtHand(
  options: MayHaveParams,
  caller: string,
  context: Context,
): Promise<ParamsOption> {
  await loadParamsOf(options);
  return paramsOf(options, caller, context);
}

/** The options of a plan, with their params checked: the types of what each recording gives. @throws {ArgumentError} {@link FeatureError} */
export async function withParams<Options extends MayHaveParams>(
  options: Options,
  caller: string,
  context: Context,
): Promise<Options> {
  if (options.params === undefined) {
    return options;
  }
  const { paramsOfPlan } = await loadParams();
  return { ...options, params: paramsOfPlan(options, caller, deviceOf(context)) };
}

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
