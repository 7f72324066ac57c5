import type { Order, PlanFacts } from "./plan_facts.ts";

const same = <T>(given: T): T => given;
const forward: Order = { arrangementsOf: same, operatorOf: same };

/** The order that options ask for. */
export const orderOf = (
  { reverse, segments }: { readonly reverse?: unknown; readonly segments?: unknown },
  { inReverse }: PlanFacts,
): Order => (reverse ? (inReverse as Required<PlanFacts>["inReverse"])(segments) : forward);
