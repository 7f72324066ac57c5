import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { ScalarType } from "../../src/algebra/types.ts";
import { ArgumentError } from "../../src/errors.ts";
import type { Fold } from "../../src/node.ts";
import { openFold } from "../../src/node.ts";
import {
  differenceReference,
  intersectionReference,
  mergeReference,
  unionReference,
} from "../../src/reference/merge.ts";
import { sortReference } from "../../src/reference/sort.ts";
import { expectSameBits } from "../support/compare.ts";
import { randomBits } from "../support/random.ts";

const { u32, i32, f32, u64, f64 } = elementTypes;
const next = randomBits("two sorted arrays");

let fold: Fold;
beforeAll(async () => {
  fold = await openFold({ cpu: "always" });
});
afterAll(() => fold.destroy());

const references = {
  union: unionReference,
  intersection: intersectionReference,
  difference: differenceReference,
};

/** Few numbers, each of which is there several times. */
function drawn({ kind, bytes, name }: ScalarType, length: number): Uint32Array {
  const number = (): number =>
    kind === "float"
      ? ([-0, 0, NaN, -1.5, 3][next() % 5] as number)
      : (next() % 9) - (kind === "signed" ? 4 : 0);
  const items = Array.from({ length }, number);
  const made =
    name === "u64"
      ? BigUint64Array.from(items, (item) => BigInt(item) << 31n)
      : bytes === 8
        ? Float64Array.from(items)
        : kind === "float"
          ? Float32Array.from(items)
          : kind === "signed"
            ? Int32Array.from(items)
            : Uint32Array.from(items, (item) => item * 0x1fffffff);
  return made as Uint32Array;
}

describe.each([u32, i32, f32, u64, f64])("$name", (type) => {
  test.each([false, true])("descending: %o", async (descending) => {
    for (const [length, otherLength] of [
      [0, 0],
      [0, 5],
      [5, 0],
      [1, 1],
      [30, 7],
      [7, 30],
      [200, 190],
    ] as const) {
      const [data, other] = [length, otherLength].map((one) =>
        sortReference(drawn(type as ScalarType, one), { descending }),
      ) as [Uint32Array, Uint32Array];
      const title = `${length} and ${otherLength}`;
      for (const name of ["union", "intersection", "difference"] as const) {
        const made = await fold[name](data, other, { descending });
        expectSameBits(made, references[name](data, other, { descending }), `${name} of ${title}`);
      }
      expectSameBits(
        await fold.merge(data, other, { descending }),
        mergeReference(data, other, { descending }),
        title,
      );
      for (const Values of [Uint32Array, Float64Array]) {
        const [values, otherValues] = [data, other].map((one, at) =>
          Values.from(Array.from({ length: one.length }, (_, index) => 1000 * at + index)),
        );
        const options = { descending, values, otherValues } as {
          values: Uint32Array;
          otherValues: Uint32Array;
        };
        const made = await fold.merge(data, other, options);
        const meant = mergeReference(data, other, options);
        expectSameBits(made.keys, meant.keys, title);
        expect(made.values).toEqual(meant.values);
      }
    }
  });

  test("an array in another order is refused", async () => {
    const inOrder = drawn(type as ScalarType, 0);
    const [one, two] = [
      drawn(type as ScalarType, 1).fill(type.bytes === 8 && type.kind !== "float" ? (1n as never) : 1),
      drawn(type as ScalarType, 1).fill(type.bytes === 8 && type.kind !== "float" ? (2n as never) : 2),
    ];
    const wrong = new (one.constructor as Uint32ArrayConstructor)([two[0] as number, one[0] as number]);
    for (const call of [
      () => fold.merge(wrong, inOrder),
      () => fold.union(inOrder, wrong),
      () => fold.intersection(wrong, wrong.slice(1), { descending: false }),
      () => fold.difference(two, wrong.slice().reverse(), { descending: true }),
    ]) {
      await expect(call()).rejects.toThrow(ArgumentError);
    }
  });
});
