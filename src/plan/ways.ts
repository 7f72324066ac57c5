import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import type { Pass, Plan, Scratch } from "./plan.ts";
import { distinct } from "./plan.ts";

/** One way to carry out a plan: kernels and scratch, and the dispatches for the ranges and lengths that it takes. */
export interface Way {
  /** How ranges may lie that it takes. */
  readonly arrangements: readonly Arrangement[];
  /** Whether it takes this execution. Without it, it takes all whose ranges lie so. */
  readonly takes?: (...execution: Parameters<Plan["passes"]>) => boolean;
  readonly kernels: readonly (Kernel | undefined)[];
  readonly scratch: readonly Scratch[];
  readonly spine?: Plan["spine"];
  readonly vector: number;
  readonly groupingOf: Plan["groupingOf"];
  readonly passes: Plan["passes"];
}

/** Passes that come before those of a plan, and change what these bind or how they are dispatched. */
export interface Preparation {
  readonly kernels: readonly (Kernel | undefined)[];
  readonly scratch: readonly Scratch[];
  /** All passes of an execution, from those that the plan has for it. */
  passes(planned: readonly Pass[], length: number, arrangement: Arrangement): readonly Pass[];
}

/** What a plan's ways do not decide. */
export type PlanBase = Omit<Plan, keyof Way>;

/** A plan that goes the first of its ways that takes an execution. Buffers that the ways share are made once. */
export function planOfWays(base: PlanBase, ways: readonly (Way | undefined)[]): Plan {
  const known = ways.filter((way) => way !== undefined);
  const spine = known.find((way) => way.spine)?.spine;
  const lying = (arrangement: Arrangement): readonly Way[] => {
    const taking = known.filter((way) => way.arrangements.includes(arrangement));
    if (taking.length === 0) {
      throw new Error(`the plan has no kernel: ${arrangement}`);
    }
    return taking;
  };
  return {
    ...base,
    vector: Math.max(...known.map((way) => way.vector)),
    kernels: distinct(known.flatMap((way) => way.kernels)),
    scratch: [...new Set(known.flatMap((way) => way.scratch))],
    ...(spine && { spine }),
    groupingOf: (arrangement, params) => (lying(arrangement)[0] as Way).groupingOf(arrangement, params),
    passes: (length, arrangement, ...others) =>
      (lying(arrangement).find((way) => way.takes?.(length, arrangement, ...others) ?? true) as Way).passes(
        length,
        arrangement,
        ...others,
      ),
  };
}

/** A plan with passes before its own. */
export const prepared = (plan: Plan, preparation: Preparation | undefined): Plan =>
  preparation === undefined
    ? plan
    : {
        ...plan,
        kernels: distinct([...plan.kernels, ...preparation.kernels]),
        scratch: [...plan.scratch, ...preparation.scratch],
        passes: (length, arrangement, aside, params) =>
          preparation.passes(plan.passes(length, arrangement, aside, params), length, arrangement),
      };
