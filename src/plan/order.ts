import type { Monoid } from "../algebra/monoid.ts";
import type { Arrangement, Mirror } from "../kernels/kernel.ts";

/** The order in which the kernels of a scan take items. `orderOf` in src/plan/reverse.ts gives that of a plan. */
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

/** The options that the order depends on. */
export interface Ordered {
  readonly reverse?: boolean | undefined;
  readonly segments?: unknown;
  readonly lengthOnGpu?: boolean | undefined;
}
