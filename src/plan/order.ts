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

/** The order of reversed scans, of these segments if they have some. */
export type InReverse = (segments: unknown) => Order;

/** The order that options ask for. */
export const orderOf = (
  { reverse, segments }: { readonly reverse?: boolean | undefined; readonly segments?: unknown },
  { inReverse }: { readonly inReverse?: InReverse },
): Order => (reverse ? (inReverse as InReverse)(segments) : forward);
