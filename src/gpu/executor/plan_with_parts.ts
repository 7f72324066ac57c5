import type { NumbersMissing } from "../../algebra/numbers_later.ts";
import { namesNarrow } from "../../algebra/types.ts";
import { loadFasterAndNarrow, loadNumbers64 } from "../../parts.ts";
import type { DeviceFacts } from "../../plan/device_facts.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Context } from "../device/context.ts";
import type { Planned } from "./planned.ts";

// Plans are made with the parts that their types and texts need, which are loaded for that.

/** Plans. If options name types of 8 or 16 bits, loads what plans for these. */
export const planFor = async <Options extends object>(
  options: Options,
  facts: DeviceFacts,
  planOf: (options: Options) => Plan | Promise<Plan>,
): Promise<Plan> =>
  namesNarrow(options) ? (await loadFasterAndNarrow()).planNarrow(options, facts, planOf) : planOf(options);

/** Plans. If a caller's text needs the reader of texts over 64-bit values, loads it and plans again: nothing was begun. */
export async function withNumbers<T>(plan: () => Promise<T>): Promise<T> {
  try {
    return await plan();
  } catch (cause) {
    const provideNumbers = (cause as Partial<NumbersMissing> | undefined)?.provideNumbers;
    if (!provideNumbers) {
      throw cause;
    }
    provideNumbers((await loadNumbers64()).numbers);
    return plan();
  }
}

/** Makes the plan of a call at hand or of a stream. */
export const planOfCall = (call: Planned, { facts }: Context): Promise<Plan> =>
  withNumbers(() => planFor(call.all, facts, call.plan));
