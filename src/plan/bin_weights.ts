import { atomicOf } from "../algebra/atomics.ts";
import type { Operator } from "../algebra/monoid.ts";
import { monoid } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { ElementType, ScalarType } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import { requireScalar } from "./require_scalar.ts";

// The weights of a histogram, and what becomes of them. The reference checks them, too, so this loads no kernels.

/** What combines the weights of a bin. */
export interface WeighedOptions<Weight extends string = string> {
  /**
   * What combines the weights of a bin, in the order of the elements, as in a scatter: `add`, which is the default, `exactAdd` for exact sums of
   * floats, or any other operator. A bin without elements has what a reduction of nothing gives: 0 for a sum.
   */
  readonly op?: Operator<NoInfer<Weight>>;
}

/** Weights that were checked. */
export interface Weights {
  /** The type of the sums: of weights of 8 and 16 bits, that of 32 bits. */
  readonly type: ScalarType;
  /** The type of the weights. */
  readonly itemType: ElementType;
  readonly op: Operator;
  /** Whether they are f32 that `add` sums up. Where the CPU does, it computes sums as doubles, and rounds them at the end. */
  readonly areFloatSums: boolean;
  /** Whether they are u32 or i32 that threads add by atomics: their sums have the same bits in any order. Others are combined in that of the elements. */
  readonly areAdded: boolean;
}

/** Options that nobody has checked. `weights` is the type of the weights. */
type Unchecked = { readonly [Name in keyof WeighedOptions | "weights"]?: unknown };

/** Checks the type of weights, and the options that are for them. It is undefined without weights. @throws {ArgumentError} */
export function requireWeights({ weights, op }: Unchecked, title: string): Weights | undefined {
  if (weights === undefined) {
    if (op !== undefined) {
      throw new ArgumentError(`${title}: op is only for weights; it takes weights, too`, "op");
    }
    return undefined;
  }
  const itemType: ElementType = requireScalar(weights, `${title}: weights`, "weights");
  // A plan of 32 bits has a type that tells the narrow one.
  const type = ((itemType.narrow ?? itemType).wide ?? itemType) as ScalarType;
  const used = (op === undefined ? add : op) as Operator;
  const combined = monoid(used, type, `${title}: weights`);
  return {
    type,
    itemType,
    op: used,
    areFloatSums: type.name === "f32" && combined.operation === "add",
    areAdded: atomicOf(combined) === "atomicAdd",
  };
}
