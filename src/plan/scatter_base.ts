import type { Monoid, Operator } from "../algebra/monoid.ts";
import { monoid as monoidOf } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import { isSameType, requireType } from "../algebra/types.ts";
import { widens } from "../algebra/widening.ts";
import { ArgumentError, LimitError } from "../errors.ts";
import type { Kernel } from "../kernels/kernel.ts";
import type { Sizes } from "../kernels/sizes.ts";
import { requireMaxLength } from "./choose_sizes.ts";
import type { AnyOperator, TuningOptions } from "./options.ts";
import { moveSizes, ofItems } from "./plain_plan.ts";
import type { Pass, Plan, Scratch } from "./plan.ts";
import { distinct, itemTypesOf, rangesTaken } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import { countsOf } from "./segment_counts.ts";

// What all plans of scatters have in common.

/** The options of `prepareScatter`. */
export interface ScatterOptions<Name extends string = string>
  extends Pick<TuningOptions, "workGroupSize" | "itemsPerThread"> {
  /** The type of the output, and of the values unless `from` names that. */
  readonly type: ElementType<Name>;
  /** With `op`, the type of the values, of which `type` has every value: a sum of u8 may be u32. */
  readonly from?: ElementType;
  /** What combines values whose positions meet. Without it, one of them stays there. */
  readonly op?: Operator<NoInfer<Name>>;
  /** The most values of a recording: a whole number from 0 up. It sets the size of the scratch. */
  readonly maxLength: number;
  /** The most items of the output: a whole number from 0 up. It decides how many bits of a position count, and the size of scratch, too. */
  readonly maxOutputLength: number;
  /** Whether recordings take the number of values from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/** The type of the values, what combines them, and how messages begin. @throws {ArgumentError} */
export function checkedScatter(
  options: { readonly type: unknown; readonly op?: Operator | undefined },
  option = "type",
): { readonly type: ElementType; readonly monoid: Monoid | undefined; readonly title: string } {
  const type = requireType(options.type, "scatter", option);
  const monoid = options.op === undefined ? undefined : monoidOf(options.op, type, "scatter");
  return { type, monoid, title: `scatter<${monoid?.title ?? type.name}>` };
}

/** @throws {ArgumentError} for values of another type than that of the output, unless an operator combines them and it has all their values. */
export function requireCombinable(from: ElementType, type: ElementType, op: unknown): void {
  if (isSameType(from, type)) {
    return;
  }
  if (op === undefined) {
    throw new ArgumentError(
      `scatter: the values are ${from.name}, and type is ${type.name}; values that only move keep their type, and those that op combines take a wider one`,
      "type",
    );
  }
  if (!widens(from, type)) {
    throw new ArgumentError(
      `scatter: the values are ${from.name}, and type is ${type.name}, which lacks some of their values; fold.map makes others of them first`,
      "type",
    );
  }
}

/** What the plans of scatters have in common. */
export interface ScatterBase {
  readonly title: string;
  readonly type: ElementType;
  readonly lengthOnGpu: boolean;
  /** The sizes of kernels that move items. */
  readonly sizes: Sizes;
  readonly maxLength: number;
  readonly maxOutputLength: number;
  /** The members of the plan that do not depend on its way. */
  readonly common: Omit<Plan, "kernels" | "scratch" | "vector" | "variants" | "passes">;
}

/** Checks the options. @throws {ArgumentError} {@link LimitError} {@link FeatureError} */
export function baseOf(
  options: AnyOperator<ScatterOptions>,
  facts: PlanFacts,
): ScatterBase & { readonly monoid: Monoid | undefined } {
  const { lengthOnGpu = false } = options;
  const { type, monoid, title } = checkedScatter(options);
  const sizes = moveSizes(title, type, facts, options);
  const itemBytes = Math.max(type.bytes, 4);
  const maxLength = requireMaxLength(title, options.maxLength, itemBytes, facts.limits);
  const most = requireMaxLength(title, options.maxOutputLength, itemBytes, facts.limits, "maxOutputLength");
  return {
    title,
    type,
    monoid,
    lengthOnGpu,
    sizes,
    maxLength,
    maxOutputLength: most,
    common: {
      ...ofItems(title, maxLength),
      needs: rangesTaken({ input: true, positions: true, output: true, length: lengthOnGpu }),
      // Items of 8 and 16 bits are widened before.
      itemTypes: itemTypesOf(options.from ?? type, type),
      outputLength: (_, { room = 0 } = {}) => room,
      // The number of segments is the length of the output.
      segments: {
        numbers: ["outputLength"],
        reduces: true,
        headsOf: () => 0,
        countsOf(...given) {
          const counts = countsOf(...given);
          const { room = 0 } = counts;
          if (room > most) {
            throw new LimitError(
              `${title}: outputLength is ${room}, and this was prepared with a maxOutputLength of ${most}`,
              room,
              most,
              "outputLength",
            );
          }
          return counts;
        },
      },
    },
  };
}

/** The passes of a plan whose ranges start at any item. */
type ItemPasses = (length: number, room: number) => readonly Pass[];

/** A plan for ranges that start at any item. Dispatches over no items are left out, and without room for results, it does nothing. */
export const planOfItems = (
  { common }: ScatterBase,
  kernels: readonly Kernel[],
  scratch: readonly Scratch[],
  passes: ItemPasses,
): Plan => ({
  ...common,
  kernels: distinct(kernels),
  scratch,
  vector: 1,
  variants: [{ arrangement: "items" }],
  passes: (length, _arrangement, _aside, { room = 0 } = {}) =>
    room === 0 ? [] : passes(length, room).filter(({ tiles }) => tiles > 0),
});
