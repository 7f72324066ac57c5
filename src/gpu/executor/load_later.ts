import { traitsOf } from "../../adapters/adapter.ts";
import type { NumbersMissing } from "../../algebra/numbers_later.ts";
import { part } from "../../errors.ts";
import type { DeviceFacts } from "../../plan/device_facts.ts";
import type { TuningOptions } from "../../plan/options.ts";
import type { PlanFacts } from "../../plan/plan_facts.ts";

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

/**
 * The facts that a plan is made from. Subgroups and the single pass are loaded if the options name one of them. For a
 * recording, they are also loaded if the adapter was tuned, or is known to be faster with them: a call at hand takes longer for its copies
 * than either saves.
 */
export async function planFactsFor(
  { algorithm, passes }: TuningOptions,
  facts: DeviceFacts,
  isRecorded = false,
): Promise<PlanFacts> {
  const isFaster = isRecorded && (traitsOf(facts).recordsBySubgroups || facts.lookBack || facts.tuned);
  return isFaster || algorithm === "subgroup" || passes === "single"
    ? (await part(import("../../plan/faster_ways.ts"))).withFasterWays(facts)
    : facts;
}
