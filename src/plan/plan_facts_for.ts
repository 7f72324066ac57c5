import { traitsOf } from "../adapters/adapter.ts";
import { part } from "../errors.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { TuningOptions } from "./options.ts";
import type { PlanFacts } from "./plan_facts.ts";
import type { ScanOptions } from "./scan.ts";

/**
 * The facts that a plan is made from. Subgroups and the single pass are loaded if the options name one of them. For a
 * recording, they are also loaded if the adapter was tuned, or is known to be faster with them: a call at hand takes longer for its copies
 * than either saves. What reversed scans take is loaded for these.
 */
export async function planFactsFor(
  { algorithm, passes, reverse }: TuningOptions & Pick<ScanOptions, "reverse">,
  facts: DeviceFacts,
  isRecorded = false,
): Promise<PlanFacts> {
  const isFaster = isRecorded && (traitsOf(facts).recordsBySubgroups || facts.lookBack || facts.tuned);
  const own =
    isFaster || algorithm === "subgroup" || passes === "single"
      ? (await part(import("./faster_ways.ts"))).withFasterWays(facts)
      : facts;
  return reverse ? { ...own, ...(await part(import("./reverse.ts"))) } : own;
}
