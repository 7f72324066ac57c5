import type { ElementType } from "../../src/algebra/types.ts";
import { planPrimitive } from "../../src/gpu/forms/prepare.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { exampleOf, operandsIn, typeIn } from "../../src/primitives/example_calls.ts";
import { lengthOf } from "../../src/primitives/examples.ts";
import { bitsOf, bytesOf } from "../fuzz/values.ts";
import type { Described } from "./primitives.ts";
import { withHelp } from "./primitives.ts";
import { requestFor } from "./request_for.ts";

// The plans of described primitives, by their examples: without arrays, so that these may be of any length.

/** Which plan of a primitive. */
export interface PlannedExample {
  readonly type: ElementType;
  readonly maxLength: number;
  /** The number of the example. */
  readonly example: number;
  /** Whether the length of the input is on the GPU, if the example leaves that open. */
  readonly lengthOnGpu?: boolean;
  /** Whether the lengths of the other arrays are, if these may be. */
  readonly counted?: boolean;
  /** Options beside those of the example. */
  readonly tuning?: Readonly<Record<string, unknown>>;
}

const SEED = 1;

/** How many examples a primitive has of a type. */
export const countExamples = ({ examples }: Described, type: ElementType): number =>
  examples.of(type, 1, bitsOf(SEED)).length;

/** Plans an example. */
export function planExample(
  of: Described,
  { type, maxLength, example: number, lengthOnGpu, counted, tuning }: PlannedExample,
  facts: DeviceFacts,
): Promise<Plan> {
  const { primitive } = of;
  // A result may be a few times as long as the input, and has to be bound, too.
  const some = Math.ceil(maxLength / 4);
  const drawn = exampleOf(of, type, { maxLength: some, example: number, seed: SEED });
  if (drawn === undefined) {
    throw new Error(`${primitive.name} has no example of ${type.name}`);
  }
  const { example, options } = drawn;
  const operands = operandsIn(primitive, example).map(([operand, given]) => {
    const bytes = operand.inside ? bytesOf(Uint32Array.of(0, some)) : new Uint8Array(0);
    const length = lengthOf(given, some);
    return { operand, type: typeIn(operand, given, type), bytes, length: bytes.length / 4, room: length };
  });
  const isCounted = lengthOnGpu === true && !example.isLengthKnown;
  const request = requestFor(facts, primitive, { operands, isCounted }, options);
  const counts = primitive.operands.flatMap(({ count }) => (count && counted ? [[count, true]] : []));
  const planned: object = {
    ...request.options,
    ...Object.fromEntries(counts),
    ...tuning,
    maxLength,
    ...(isCounted && { lengthOnGpu: true }),
  };
  return planPrimitive(primitive, facts, planned);
}

/**
 * Of a type, the plans of all examples. Each takes the options of `tuning` that it has, unless it has algorithms to choose, which take some
 * sizes alone. Every second plan has its lengths on the GPU.
 */
export const examplePlans = (
  type: ElementType,
  maxLength: number,
  facts: DeviceFacts,
  tuning: Readonly<Record<string, unknown>> = {},
): readonly Promise<Plan>[] =>
  withHelp.flatMap((of) => {
    const { options } = of.primitive;
    const taken = Object.entries(tuning).filter(([name]) => name in options && !("algorithm" in options));
    return Array.from({ length: countExamples(of, type) }, (_, example) => {
      const isCounted = example % 2 === 1;
      const onGpu = { lengthOnGpu: isCounted, counted: isCounted };
      return planExample(
        of,
        { type, maxLength, example, ...onGpu, tuning: Object.fromEntries(taken) },
        facts,
      );
    });
  });
