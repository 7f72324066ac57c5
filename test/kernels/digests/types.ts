import { operator } from "../../../src/algebra/custom_operator.ts";
import { u32 } from "../../../src/algebra/integers.ts";
import type { Operator } from "../../../src/algebra/monoid.ts";
import { add } from "../../../src/algebra/operators.ts";
import { struct } from "../../../src/algebra/struct.ts";
import type { ElementType } from "../../../src/algebra/types.ts";
import { allTypes, operatorsOf } from "../../support/kernels.ts";
import { affine, chain, first, greatest, pair, span } from "../../support/operators.ts";
import { untyped } from "../../support/untyped.ts";
import type { Options } from "./mixes.ts";

/** A type, and an operator on it. */
export type Sum = Options & { readonly type: ElementType; readonly op: Operator<string> };

/** A struct of words, and the sum of each field. */
function structOf(words: number): Sum {
  const fields = Array.from({ length: words }, (_, at) => `f${at}`);
  const type = struct({
    name: `Words${words}`,
    fields: Object.fromEntries(fields.map((field) => [field, u32] as const)),
  });
  const op = operator({
    name: "sum",
    type,
    identity: Object.fromEntries(fields.map((field) => [field, 0])),
    combine: `Words${words}(${fields.map((field) => `earlier.${field} + later.${field}`).join(", ")})`,
    reference: (earlier) => earlier,
  });
  return { type: type as ElementType, op: op as unknown as Operator<string> };
}

/** Structs of each size for which vectors, shuffles or memory differ. */
export const structSums: readonly Sum[] = [
  ...[1, 2, 3, 4, 5, 8, 12, 16].map(structOf),
  { type: span as ElementType, op: untyped(chain as unknown as Operator) },
  { type: pair as ElementType, op: untyped(greatest as unknown as Operator) },
];

/** Every type with every operator that it takes, and operators of the caller's that do not commute. */
export const scalarSums: readonly Sum[] = [
  ...allTypes.flatMap((type) => operatorsOf(type).map((op) => ({ type, op: untyped(op) }))),
  { type: u32, op: untyped(affine) },
  { type: u32, op: untyped(first) },
];

/** One operator on each type, and all that differ from it in u32 and f64. */
export const someSums: readonly Sum[] = [
  ...scalarSums.filter(({ type, op }) => type.name === "u32" || type.name === "f64" || op.name === add.name),
  ...structSums,
];

export const everyType: readonly ElementType[] = [...allTypes, ...structSums.map(({ type }) => type)];

/** WGSL over an item `x` that gives a number of 32 bits. */
export const wordOf = (type: ElementType): string =>
  type.kind === "struct"
    ? `u32(${type.name.startsWith("Words") ? "x.f0" : type.name === span.name ? "x.count" : "x.key"})`
    : type.name === "f16"
      ? "u32(f32(x))"
      : "u32(x)";

/** The key of a struct, as sorts take it. A scalar is its own key. */
export const keyOf = (type: ElementType): string | undefined =>
  type.kind === "struct" ? wordOf(type).slice(4, -1) : undefined;
