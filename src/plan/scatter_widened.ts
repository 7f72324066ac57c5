import type { ElementType } from "../algebra/types.ts";
import { planMap } from "./map_elements.ts";
import type { Plan, Scratch } from "./plan.ts";
import { distinct, paddedBytes, withRanges } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import type { ScatterOptions } from "./scatter_base.ts";

// Scatters of elements that are widened first.

/** A scatter of values that become those of the output's type before. `plan` is that of the wider values. */
export function widenedFirst(
  plan: Plan,
  { type, from, maxLength, lengthOnGpu = false }: Omit<ScatterOptions, "op"> & { readonly from: ElementType },
  facts: PlanFacts,
): Plan {
  const widen = planMap({ type, from, map: `${type.name}(x)`, maxLength, lengthOnGpu }, facts);
  const widened: Scratch = { name: "wider values", bytes: paddedBytes(maxLength, type.bytes, 4) };
  return {
    ...plan,
    itemTypes: { ...plan.itemTypes, input: from },
    kernels: distinct([...widen.kernels, ...plan.kernels]),
    scratch: [widened, ...plan.scratch],
    passes(length, arrangement, aside, params = {}) {
      return [
        ...(params.room === 0 ? [] : withRanges(widen.passes(length, "items"), { output: widened })),
        ...withRanges(plan.passes(length, arrangement, aside, params), { input: widened }),
      ];
    },
  };
}
