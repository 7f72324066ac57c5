import { powerOfTwoFor } from "../../algebra/power_of_two.ts";
import { paramsIn } from "../../algebra/seen_params.ts";
import type { Arrangement } from "../../kernels/kernel.ts";
import type { TuningOptions } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ScanOptions } from "../../plan/scan.ts";

// What a plan of a call depends on.

/** The options of a call's plan, with types and the length. */
export type PlanOptions = TuningOptions &
  Pick<ScanOptions, "maxLength" | "reverse"> & { readonly params?: unknown };

/**
 * The length that the plan of a call at hand is made for: a power of two, so that other lengths can use it, too. It is at least
 * 256, which is one tile, or a part of one: an array of one tile takes fewer kernels.
 */
export const plannedLength = (length: number): number => powerOfTwoFor(Math.max(256, length));

/** What a plan of a call depends on, and how it is made. */
export interface Planned {
  readonly primitive: string;
  readonly all: PlanOptions;
  /** How the call's buffers lie for its plan. The default is {@link arrangementFor}. */
  arrangementOf?(plan: Plan): Arrangement | undefined;
  /** Makes the plan for these options, if none is kept. */
  plan(all: PlanOptions): Promise<Plan>;
}

const numbers = new WeakMap<object, number>();
let mostNumber = 0;

/**
 * A text that differs for different values of options. Objects, such as operators and types, are different unless they are the same object;
 * arrays, such as edges, unless they have the same elements.
 */
function nameOf(value: unknown): string {
  if (
    typeof value === "object" &&
    typeof (value as Partial<ArrayLike<unknown>> | null)?.length === "number"
  ) {
    return `[${Array.from(value as ArrayLike<unknown>, nameOf).join()}]`;
  }
  if ((typeof value === "object" && value !== null) || typeof value === "function") {
    const number = numbers.get(value) ?? ++mostNumber;
    numbers.set(value, number);
    return `#${number}`;
  }
  return typeof value === "string" ? JSON.stringify(value) : `${typeof value} ${String(value)}`;
}

/** The key of a call's plan. The order of the options does not count. */
export function keyOfCall({ primitive, all }: Pick<Planned, "primitive" | "all">): string {
  let key = primitive;
  for (const name of Object.keys(all).sort()) {
    const value = all[name as keyof PlanOptions];
    if (value !== undefined) {
      // The values of params are in no plan.
      key += ` ${name}: ${nameOf(name === "params" ? paramsIn(all)?.key : value)}`;
    }
  }
  return key;
}
