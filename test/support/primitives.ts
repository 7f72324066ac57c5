import { primitives } from "../../src/primitives/described.ts";
import type { Described as DescribedPrimitive } from "../../src/primitives/help.ts";
import type { OptionsOf } from "../../src/primitives/option_names.ts";
import * as references from "../../src/reference/index.ts";

/** A primitive with all that tests need of it. */
export interface Described extends DescribedPrimitive {
  /** What it means, on the CPU, with the arguments of the method of `Fold`, except optional operands that have an order. */
  reference(...given: readonly unknown[]): unknown;
  /** The positions of the elements that results like optional operands have, by the same arguments. */
  order?(...given: readonly unknown[]): Uint32Array;
}

const referenceOf = (name: string): unknown =>
  (references as Readonly<Record<string, unknown>>)[`${name}Reference`];

/** The primitives that are described. */
export const described = primitives.map((one) => ({
  ...one,
  reference: referenceOf(one.primitive.name),
  ...(one.examples.order && { order: referenceOf(one.examples.order) }),
})) as readonly Described[];

/** The method of `Fold` that prepares a primitive. */
export const prepareName = ({ name, recordedBy = name }: OptionsOf): string =>
  `prepare${recordedBy.slice(0, 1).toUpperCase()}${recordedBy.slice(1)}`;
