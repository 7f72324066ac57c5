import type { ElementType } from "../../src/algebra/types.ts";
import type { FoldName } from "../../src/plan/plan_recording.ts";
import { primitives } from "../../src/primitives/described.ts";
import type { WithExamples } from "../../src/primitives/example_calls.ts";
import { bitsOf } from "../../src/primitives/example_calls.ts";
import type { Example } from "../../src/primitives/examples.ts";
import { folds } from "../../src/primitives/folds.ts";
import type { Described as DescribedPrimitive } from "../../src/primitives/help.ts";
import type { OptionsOf } from "../../src/primitives/option_names.ts";
import * as references from "../../src/reference/index.ts";
import { foldExamples } from "./fold_examples.ts";

/** A primitive with all that tests need of it. */
export interface Described extends WithExamples {
  /** What it means, on the CPU, with the arguments of the method of `Fold`, except optional operands that have an order. */
  reference(...given: readonly unknown[]): unknown;
  /** The positions of the elements that results like optional operands have, by the same arguments. */
  order?(...given: readonly unknown[]): Uint32Array;
}

const referenceOf = (name: string): Described["reference"] =>
  (references as Readonly<Record<string, unknown>>)[`${name}Reference`] as Described["reference"];

/** The primitives that have a command of their description. */
export const withHelp = primitives.map((one) => ({
  ...one,
  reference: referenceOf(one.primitive.name),
  ...(one.examples.order && { order: referenceOf(one.examples.order) }),
})) as readonly (Described & DescribedPrimitive)[];

/** Scans and reductions take the type of their results as `type`: of elements of 8 and 16 bits, a wider one. */
const foldReference =
  (name: FoldName): Described["reference"] =>
  (data, given) => {
    const { type, ...options } = Object(given) as { readonly type?: ElementType };
    return referenceOf(name)(data, type?.wide ? options : { type, ...options });
  };

/** References of compactions and partitions take what is kept, or the class of an element, before the options. */
const selectionReference =
  (name: FoldName): Described["reference"] =>
  (data, given) => {
    const { where, class: classOf, ...options } = Object(given) as Readonly<Record<string, unknown>>;
    return referenceOf(name)(data, where ?? classOf ?? (() => true), options);
  };

const foldReferences = {
  scan: foldReference("scan"),
  reduce: foldReference("reduce"),
  compact: selectionReference("compact"),
  partition: selectionReference("partition"),
} as const satisfies Record<FoldName, unknown>;

/** The primitives that are described. */
export const described: readonly Described[] = [
  ...(Object.keys(folds) as FoldName[]).map((name) => ({
    primitive: folds[name],
    examples: foldExamples[name],
    reference: foldReferences[name],
  })),
  ...withHelp,
];

/** The numbers of those of a primitive's examples on elements of a type that are of some kind. There must be one. */
export function exampleNumbers(
  name: string,
  type: ElementType,
  isOfKind: (one: Example) => boolean,
): readonly [number, ...number[]] {
  const of = described.find(({ primitive }) => primitive.name === name);
  const all = of?.examples.of(type, 100, bitsOf(1)) ?? [];
  const [first, ...others] = all.flatMap((one, at) => (isOfKind(one) ? [at] : []));
  if (first === undefined) {
    throw new Error(`${name}<${type.name}> has no such example`);
  }
  return [first, ...others];
}

/** The method of `Fold` that prepares a primitive. */
export const prepareName = ({ name, recordedBy = name }: OptionsOf): string =>
  `prepare${recordedBy.slice(0, 1).toUpperCase()}${recordedBy.slice(1)}`;
