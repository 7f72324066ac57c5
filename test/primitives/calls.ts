import { isOnGpu } from "../../src/algebra/arrays.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { Fold } from "../../src/gpu/fold.ts";
import type { GpuArray } from "../../src/gpu/gpu_arrays/gpu_array.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import type { Filled } from "../../src/primitives/example_calls.ts";
import {
  argumentsOfReference,
  asArray,
  callOn,
  exampleOf,
  optionsAtHand,
} from "../../src/primitives/example_calls.ts";
import { argumentsOf } from "../fuzz/described_arguments.ts";
import { bitsOf } from "../fuzz/values.ts";
import type { Described } from "../support/primitives.ts";
import { prepareName } from "../support/primitives.ts";
import { requestFor } from "../support/request_for.ts";

// The calls of a described primitive's examples, for tests that make them in each way.

export type Options = Readonly<Record<string, unknown>>;

/** A call of an example. */
export interface ExampleCall {
  readonly of: Described;
  readonly operands: readonly Filled[];
  /** The options, with the numbers. */
  readonly options: Options;
  /** Whether the length of the input may be on the GPU. */
  readonly isCountable: boolean;
  /** Whether calls at hand may refuse what the arrays hold. */
  readonly isRefusedAtHand: boolean;
  /** The arguments of the reference, the options last. */
  referenced(): readonly unknown[];
  /** The options of the plan. */
  planned(facts: DeviceFacts): Options;
}

/** Calls on so many elements of a type, one for each example. */
export const exampleCalls = (
  of: Described,
  type: ElementType,
  length: number,
  seed = 1,
): readonly ExampleCall[] =>
  of.examples
    .of(type, length, bitsOf(seed))
    .map((_, example) => exampleCall(of, type, length, example, seed));

/** The call of an example on so many elements of a type. */
export function exampleCall(
  of: Described,
  type: ElementType,
  length: number,
  example = 0,
  seed = 1,
): ExampleCall {
  const drawn = exampleOf(of, type, { maxLength: length, example, seed });
  if (drawn === undefined) {
    throw new Error(`${of.primitive.name} has no example of ${type.name}`);
  }
  const { operands } = argumentsOf(of, type, drawn, {
    length,
    room: length,
    data: { kind: "small", seed },
  });
  return {
    of,
    operands,
    options: drawn.options,
    isCountable: drawn.example.isLengthKnown !== true,
    isRefusedAtHand: drawn.example.isRefusedAtHand === true,
    referenced: () => argumentsOfReference(of, { operands, type, ...drawn }, 0),
    planned: (facts) => ({
      ...requestFor(facts, of.primitive, { operands, isCounted: false }, drawn.options).options,
      maxLength: length,
    }),
  };
}

/** Of a primitive's calls on so many u32, the one that has the most arrays and options. */
export function widestCall(of: Described, length: number, seed?: number): ExampleCall {
  const widthOf = ({ operands, options }: ExampleCall): number =>
    operands.length + Object.keys(options).length;
  return exampleCalls(of, u32, length, seed)
    .filter(({ isRefusedAtHand }) => !isRefusedAtHand)
    .reduce((most, one) => (widthOf(one) > widthOf(most) ? one : most));
}

/** The call's arrays at hand, by the names of the operands. */
export const arraysOf = ({ operands }: ExampleCall): Options =>
  Object.fromEntries(operands.map((one) => [one.operand.name, asArray(one)]));

/** The call's arrays on the GPU. */
export async function uploaded(fold: Fold, { operands }: ExampleCall): Promise<Record<string, GpuArray>> {
  const made = operands.map(async (one) => [
    one.operand.name,
    await fold.upload(asArray(one) as Uint32Array, { type: one.type as never }),
  ]);
  return Object.fromEntries(await Promise.all(made)) as Record<string, GpuArray>;
}

/** Makes the call on these arrays. `others` come in the place of its options. */
export function made(
  fold: Fold,
  { of: { primitive }, options }: ExampleCall,
  arrays: Options,
  others: Options = {},
): Promise<unknown> {
  const isThere = Object.values(arrays).some(isOnGpu);
  return callOn(fold, primitive, arrays, {
    ...(isThere ? options : optionsAtHand(primitive, options)),
    ...others,
  });
}

/** Prepares the call's plan. `others` come in the place of its options. */
export const prepared = async (fold: Fold, call: ExampleCall, others: Options = {}): Promise<Prepared> =>
  (
    fold[prepareName(call.of.primitive) as keyof Fold] as unknown as (options: Options) => Promise<Prepared>
  ).call(fold, { ...call.planned(contextOf(fold.device).facts), ...others });

/** Whether there are recordings of a primitive. */
export const isPrepared = ({ primitive }: Described): boolean => prepareName(primitive) in Fold.prototype;
