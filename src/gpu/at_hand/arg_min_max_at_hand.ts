import { isOnGpu } from "../../algebra/arrays.ts";
import type { ElementType, Scalar, ScalarType } from "../../algebra/types.ts";
import { u64 } from "../../algebra/words_64.ts";
import { ArgumentError } from "../../errors.ts";
import type { OptionTable } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import { loadCpuPrimitives } from "../../parts.ts";
import type { ArgCall } from "../../plan/arg_min_max.ts";
import { elementOf, keyOfWords, reductionOf } from "../../plan/arg_min_max.ts";
import type { TuningOptions } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import { planFactsFor } from "../../plan/plan_facts_for.ts";
import { planReduce } from "../../plan/reduce.ts";
import { requireScalar } from "../../plan/require_scalar.ts";
import type { Context } from "../device/context.ts";
import type { Given } from "../device/given.ts";
import { plannedLength } from "../executor/planned.ts";
import { arrangementFor } from "../executor/plans_of_calls.ts";
import { onCpu } from "./choose_cpu.ts";
import type { ArgValue } from "./hand_types.ts";
import { typesOf } from "./hand_types.ts";
import { isLong, runAtOnce } from "./run_at_hand.ts";

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
} as const satisfies OptionTable<HandArgOptions<string>>;

/** `Fold.argMin` and `Fold.argMax`. `given` is the array as it was when the call began. */
export async function argAtHand(
  context: Context,
  call: ArgCall,
  given: Given,
  options: HandArgOptions<string>,
): Promise<ArgValue<Scalar>> {
  requireOptions(call, options, names);
  if (isOnGpu(given.data)) {
    throw new ArgumentError(
      `${call}: data is on the GPU; it takes a typed array, as data.read() gives one. On the GPU, reduce by ${call} of wavefold/monoids`,
      "data",
    );
  }
  const { type: named, ...others } = options;
  const type = requireScalar((await typesOf(given, { type: named }, call)).type, call, "data");
  if (given.length === 0) {
    throw new ArgumentError(`${call}: the array is empty, and the result is one of its elements`, "data");
  }
  const size = { primitive: call, length: given.length, options: others };
  const found = await onCpu(context, size, async () =>
    (await loadCpuPrimitives()).argMinMax(context, call, given, type),
  );
  if (found) {
    return found;
  }
  const valued = (type.wide ?? type) as ScalarType;
  const reduction = { ...reductionOf(call, valued, u64), from: type };
  // Entries have no value on the CPU that could be carried from piece to piece. So the parts of a long array are calls of their own.
  let items = given.length;
  while (isLong(items, reduction.type.bytes, context)) {
    items = Math.ceil(items / 2);
  }
  const all = { ...others, ...reduction, maxLength: plannedLength(items) };
  const plan = async (options: typeof all): Promise<Plan> =>
    planReduce(options, await planFactsFor(options, context.facts), [arrangementFor(options)]);
  let best = new Uint32Array(0);
  let start = 0;
  for (let at = 0; at < given.length; at += items) {
    const length = Math.min(items, given.length - at);
    const [byteOffset, byteLength] = [given.byteOffset + at * type.bytes, length * type.bytes];
    const part = { ...given, length, byteOffset, byteLength };
    const made = await runAtOnce(context, { primitive: call, all, plan }, all.type, part);
    const entry = new Uint32Array(made.buffer as ArrayBuffer, 0, all.type.bytes / 4);
    // Of equal keys, the first one stays.
    if (at === 0 || keyOfWords(entry) < keyOfWords(best)) {
      best = entry;
      start = at;
    }
  }
  const { value, index } = elementOf(call, valued, best);
  return { value, index: start + index };
}
