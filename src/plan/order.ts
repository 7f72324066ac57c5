import type { Monoid } from "../algebra/monoid.ts";
import { monoid } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { Arrangement, Mirror } from "../kernels/kernel.ts";
import type { AnyOperator } from "./options.ts";
import type { PlanFacts } from "./plan_facts.ts";
import type { ScanOptions } from "./scan.ts";

/** The order in which the kernels of a scan take items. */
export interface Order {
  /** The files by which they take items in mirrored order, if they do. */
  readonly mirror?: Mirror;
  /** How they take ranges of two buffers that start at vectors. */
  readonly widest: Arrangement;
  /** How they take ranges that lie so. */
  arrangementsOf(given: readonly Arrangement[]): readonly Arrangement[];
}

const forward: Order = { widest: "vectors", arrangementsOf: (given) => given };

/** The order that options ask for. */
export function orderOf(
  { reverse, segments }: Pick<ScanOptions, "reverse"> & { readonly segments?: unknown },
  { inReverse }: PlanFacts,
): Order {
  if (!reverse) {
    return forward;
  }
  if (inReverse === undefined) {
    throw new Error("src/plan/reverse.ts is not loaded");
  }
  return inReverse(segments);
}

/** The operator on the elements as kernels get them. */
export function operatorOf(
  { op = add, type, reverse }: Pick<AnyOperator<ScanOptions>, "op" | "type" | "reverse">,
  primitive: string,
): Monoid {
  const own = monoid(op, type, primitive);
  return reverse ? { ...own, swapped: true } : own;
}
