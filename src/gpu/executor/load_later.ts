import type { NumbersMissing } from "../../algebra/numbers_later.ts";
import type { ParamTypes } from "../../algebra/params.ts";
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

const loadParams = /* @__PURE__ */ once(() => import("../../algebra/params.ts"));

/** The option `params` of a call, checked: as the plan takes it, with the values. @throws {ArgumentError} {@link FeatureError} */
export async function paramsAtHand(
  options: { readonly params?: unknown },
  caller: string,
  { facts }: Context,
): Promise<ParamsOption> {
  if (options.params === undefined) {
    return {};
  }
  const { paramsOfCall } = await loadParams();
  return { params: paramsOfCall(options, caller, facts.features) as object as ParamTypes };
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
