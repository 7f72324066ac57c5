import type { Monoid } from "../algebra/monoid.ts";
import type { Arrangement, Mirror } from "../kernels/kernel.ts";

/** The order in which the kernels of a scan take items. src/plan/reverse.ts has the mirrored one. */
export interface Order {
  /** The files by which they take items in mirrored order. */
  readonly mirror?: Mirror;
  /** WGSL for whether there is no element at all, if that is another than for other plans. */
  readonly isEmpty?: string;
  /** How they take ranges that lie so. */
  arrangementsOf(given: readonly Arrangement[]): readonly Arrangement[];
  /** The operator on elements in that order. */
  operatorOf(own: Monoid): Monoid;
}

const same = <T>(given: T): T => given;
const forward: Order = { arrangementsOf: same, operatorOf: same };

/** The options that the order depends on. */
export interface Ordered {
  readonly reverse?: boolean | undefined;
  readonly segments?: unknown;
  readonly lengthOnGpu?: boolean | undefined;
}

/** The order of reversed scans, of segments if they have some. */
export type InReverse = (options: Ordered) => Order;

/** The order that options ask for. */
export const orderOf = (options: Ordered, { inReverse }: { readonly inReverse?: InReverse }): Order =>
  options.reverse ? (inReverse as InReverse)(options) : forward;
