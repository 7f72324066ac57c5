import { emptyLike } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add, max, min, mul } from "../../src/algebra/operators.ts";
import type { ElementType, TypeName, Value } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { matrix } from "../look_back/operators.ts";
import { untyped } from "./fold.ts";
import { affine } from "./operators.ts";
import { anyItems, manyMagnitudes, randomBits, randomWords } from "./random.ts";

/** An operator on a type, with a value that may come before the first item. */
export interface Combination {
  readonly type: ElementType;
  readonly op: Operator<string>;
  readonly initial: Value;
  readonly items?: (length: number) => AnyArray;
}

/** Structs of any words. */
export const structItems =
  (type: ElementType) =>
  (length: number): AnyArray =>
    arrayOver(type, randomWords((length * type.bytes) / 4, `${type.name} ${length}`).buffer as ArrayBuffer);

/** Types of each size, and operators that commute and that do not. */
export const combinations: readonly Combination[] = [
  { type: u32, op: untyped(affine), initial: 0x80030005 },
  { type: u32, op: untyped(add), initial: 7 },
  {
    type: f32,
    op: untyped(add),
    initial: 3,
    // Small whole numbers, whose sums are exact in any order.
    items: (length) => Float32Array.from(randomWords(length, "f32"), (word) => (word % 64) - 32),
  },
  { type: f32, op: untyped(max), initial: -0 },
  {
    type: f64,
    op: untyped(add),
    initial: 0.1,
    items(length) {
      const next = randomBits(`f64 ${length}`);
      return manyMagnitudes(length, `f64 ${length}`).map((x) => (next() % 9 === 0 ? -0 : x));
    },
  },
  { type: u64, op: untyped(mul), initial: 3n },
  { type: f16, op: untyped(min), initial: 65504 },
  {
    type: matrix.type,
    op: matrix as unknown as Operator<string>,
    initial: { a: 1, b: 2, c: 3, d: 4 },
    items: structItems(matrix.type as ElementType),
  },
];

/** Random items of a combination. */
export const itemsOf = ({ type, items }: Pick<Combination, "type" | "items">, length: number): AnyArray =>
  items?.(length) ?? anyItems(type.name as TypeName, length, `${type.name} ${length}`);

/** A value, as an array of one. */
export function arrayOfOne(type: ElementType, value: Value): AnyArray {
  const { array, set } = emptyLike(arrayOver(type, new ArrayBuffer(0)), 1, type);
  set(0, value);
  return array;
}
