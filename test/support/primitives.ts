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
  /** What it means, on the CPU, with the arguments of the method of `Fold`. */
  reference(...given: readonly unknown[]): unknown;
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

const parts = optionTables.filter(isPrimitive).map((primitive) => ({
  primitive,
  examples: exported[`${primitive.name}Examples`],
  reference: (references as Readonly<Record<string, unknown>>)[`${primitive.name}Reference`],
}));

/** The primitives that are described, with examples and a reference. */
export const described: readonly Described[] = parts.filter(
  (one): one is Described => one.examples !== undefined && one.reference !== undefined,
);

/** What described primitives lack. */
export const missing: readonly string[] = parts.flatMap(({ primitive: { name }, examples, reference }) => [
  ...(examples ? [] : [`the file of src/primitives/ that exports ${name} exports ${name}Examples`]),
  ...(reference ? [] : [`src/reference/index.ts exports ${name}Reference`]),
]);

/** The method of `Fold` that prepares a primitive. */
export const prepareName = ({ name }: OptionsOf): string =>
  `prepare${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
