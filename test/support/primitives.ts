import type { Examples } from "../../src/primitives/examples.ts";
import type { OptionsOf, Primitive } from "../../src/primitives/primitive.ts";
import * as references from "../../src/reference/index.ts";

// The primitives that src/primitives/ describes: a new file is among them by itself.

declare global {
  interface ImportMeta {
    glob(pattern: string, options: { readonly eager: true }): Readonly<Record<string, object>>;
  }
}

/** A primitive with all that tests need of it. */
export interface Described {
  readonly primitive: Primitive<never>;
  readonly examples: Examples;
  /** What it means, on the CPU, with the arguments of the method of `Fold`, except optional operands that have an order. */
  reference(...given: readonly unknown[]): unknown;
  /** The positions of the elements that results like optional operands have, by the same arguments. */
  order?(...given: readonly unknown[]): Uint32Array;
}

/** What the files of src/primitives/ export, by the names. */
const exported: Readonly<Record<string, unknown>> = Object.assign(
  {},
  ...Object.values(import.meta.glob("../../src/primitives/*.ts", { eager: true })),
);

const isTable = (one: unknown): one is OptionsOf =>
  typeof one === "object" && one !== null && "name" in one && "options" in one;

const isPrimitive = (one: OptionsOf): one is Primitive<never> => "operands" in one && "plan" in one;

/** The tables of options of all primitives, described or not. */
export const optionTables: readonly OptionsOf[] = Object.values(exported).filter(isTable);

const referenceOf = (name: string): unknown =>
  (references as Readonly<Record<string, unknown>>)[`${name}Reference`];

const parts = optionTables.filter(isPrimitive).map((primitive) => {
  const examples = exported[`${primitive.name}Examples`] as Examples | undefined;
  return {
    primitive,
    examples,
    reference: referenceOf(primitive.name),
    ...(examples?.order && { order: referenceOf(examples.order) }),
  };
});

/** The primitives that are described, with examples and a reference. */
export const described: readonly Described[] = parts.filter(
  (one): one is typeof one & Described => one.examples !== undefined && one.reference !== undefined,
);

/** What described primitives lack. */
export const missing: readonly string[] = parts.flatMap(({ primitive: { name }, examples, reference }) => [
  ...(examples ? [] : [`the file of src/primitives/ that exports ${name} exports ${name}Examples`]),
  ...(reference ? [] : [`src/reference/index.ts exports ${name}Reference`]),
]);

/** The method of `Fold` that prepares a primitive. */
export const prepareName = ({ name, recordedBy = name }: OptionsOf): string =>
  `prepare${recordedBy.slice(0, 1).toUpperCase()}${recordedBy.slice(1)}`;
