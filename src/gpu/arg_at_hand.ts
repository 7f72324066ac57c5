import { f32 } from "../algebra/floats.ts";
import type { Operator } from "../algebra/monoid.ts";
import type { ElementType, Scalar, ScalarType } from "../algebra/types.ts";
import { ArgumentError, refuse } from "../errors.ts";
import { argMax } from "../monoids/arg-max.ts";
import { argMin } from "../monoids/arg-min.ts";
import type { MonoidType, MonoidTypeName } from "../monoids/scalar.ts";
import { requireOptions } from "../options.ts";
import type { TuningOptions } from "../plan/options.ts";
import { typesOf } from "./at_hand.ts";
import type { Context } from "./context.ts";
import type { GpuArray } from "./gpu_array.ts";
import { reduceAtHand } from "./reduce_at_hand.ts";
import type { Given } from "./transfer.ts";

/** An element and its index. */
export type ArgValue<V extends Scalar> = {
  readonly value: V;
  readonly index: number;
};

/** The options of `argMin` and `argMax`. */
export interface HandArgOptions<Name extends string> extends Omit<TuningOptions, "passes"> {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

const names = {
  type: true,
  algorithm: true,
  workGroupSize: true,
  itemsPerThread: true,
} as const satisfies Record<keyof HandArgOptions<string>, true>;

const operators = { argMin, argMax } as const;

/** The reduction that gives a value and its index. Values of f16 become f32, which holds each of them. */
function reductionOf(caller: keyof typeof operators, from: ElementType): object {
  if (from.kind === "struct") {
    refuse(caller, "data", `an array of the struct ${from.name}`, "u32, i32, f32, f16, u64, i64 or f64");
  }
  const isHalf = from.name === "f16";
  const type = (isHalf ? f32 : (from as ScalarType)) as MonoidType<MonoidTypeName>;
  const op = operators[caller](type);
  return {
    from,
    type: op.type,
    op: op as object as Operator,
    map: `${op.type.name}(${isHalf ? "f32(x)" : "x"}, i)`,
  };
}

/**
 * `Fold.argMin` and `Fold.argMax`. `given` is the array as it was when the call began. `onGpu` reduces it if it is on the GPU.
 */
export async function argAtHand(
  context: Context,
  caller: keyof typeof operators,
  given: Given,
  options: HandArgOptions<string>,
  onGpu: (options: object) => Promise<object> | undefined,
): Promise<object> {
  requireOptions(caller, options, names);
  const { type: named, ...others } = options;
  const { callOnGpu, type: own } = Object(given.data) as Partial<Pick<GpuArray, "callOnGpu" | "type">>;
  if (callOnGpu !== undefined && own !== undefined) {
    const reduction = reductionOf(caller, named ?? own);
    return onGpu({ ...others, ...reduction }) as Promise<object>;
  }
  const { type } = await typesOf(given.data, { type: named }, caller);
  const reduction = reductionOf(caller, type);
  if (given.length === 0) {
    throw new ArgumentError(`${caller}: the array is empty, and the result is one of its elements`, "data");
  }
  const all: object = { ...others, ...reduction };
  return (await reduceAtHand(context, given, all)) as ArgValue<Scalar>;
}
