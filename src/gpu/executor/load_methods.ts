import { traitsOf } from "../../adapters/adapter.ts";
import type { NumbersMissing } from "../../algebra/numbers_later.ts";
import { part } from "../../errors.ts";
import type { EndChoices } from "../../kernels/initial_and_total.ts";
import type { DeviceFacts } from "../../plan/device_facts.ts";
import type { MapOptions } from "../../plan/map.ts";
import type { Methods } from "../../plan/methods.ts";
import { portableMethods } from "../../plan/methods.ts";
import type { TuningOptions } from "../../plan/options.ts";

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

const loadNumbers = /* @__PURE__ */ once(() => import("./numbers_64_part.ts"));

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

/** Loads what the options need that most calls do without. */
export const loadOptionsPart = /* @__PURE__ */ once(() => import("./options_part.ts"));

/**
 * The methods that a plan may choose from. Subgroups and the single pass are loaded if the options name one of them. For a
 * recording, they are also loaded if the adapter was tuned, or is known to be faster with them: a call at hand takes longer for its copies
 * than either saves. Those that most plans do without are loaded if the options need one of them.
 */
export async function methodsFor(
  options: TuningOptions & MapOptions & EndChoices & { readonly lengthOnGpu?: unknown },
  facts: DeviceFacts,
  isRecorded = false,
): Promise<Methods> {
  const { algorithm, workGroupSize, itemsPerThread, passes, map, initial, total, from, lengthOnGpu } =
    options;
  const isFaster = isRecorded && (traitsOf(facts).recordsBySubgroups || facts.lookBack || facts.tuned);
  if (isFaster || algorithm === "subgroup" || passes === "single") {
    return (await part(import("../../plan/methods_with_subgroups.ts"))).methodsWithSubgroups;
  }
  const isPlain =
    !lengthOnGpu &&
    [algorithm, workGroupSize, itemsPerThread, passes, map, from, initial, total].every(
      (one) => one === undefined,
    );
  return isPlain ? portableMethods : { ...portableMethods, ...(await loadOptionsPart()).methodsOfOptions };
}
