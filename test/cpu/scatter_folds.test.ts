import { expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { add, max, min } from "../../src/algebra/operators.ts";
import type { CpuArray, Numbers } from "../../src/cpu/call.ts";
import { combinedAt } from "../../src/cpu/scatter_folds.ts";
import { ArgumentError } from "../../src/errors.ts";
import { openFold } from "../../src/node.ts";
import { scatterReference } from "../../src/reference/moves.ts";
import { expectSameBits } from "../support/compare.ts";
import { randomBits } from "../support/random.ts";

const { u32, i32, f32, f64 } = elementTypes;
const next = randomBits("scatters by an operator");

/** Sums of these are exact; but no sum has NaN, whose bits are not stated. */
const floats = [-0, 0, 0.25, -0.25, 7, -1e6, Infinity];

const arrays = {
  u32: (length: number) => Uint32Array.from({ length }, next),
  i32: (length: number) => Int32Array.from({ length }, next),
  f32: (length: number, numbers: readonly number[]) => Float32Array.from({ length }, () => pickOf(numbers)),
  f64: (length: number, numbers: readonly number[]) => Float64Array.from({ length }, () => pickOf(numbers)),
};

const pickOf = (numbers: readonly number[]): number => numbers[next() % numbers.length] as number;

test.each([u32, i32, f32, f64].flatMap((type) => [add, min, max].map((op) => [type, op] as const)))(
  "%o %o",
  (type, op) => {
    for (const [count, length] of [
      [0, 3],
      [1, 1],
      [40, 6],
      [500, 7],
    ] as const) {
      const numbers = count === 40 ? [0, -0] : op === add ? floats : [...floats, NaN, -Infinity];
      const values = arrays[type.name as keyof typeof arrays](count, numbers);
      // Only −0 goes to the last position but one, and nothing to the last one.
      const positions = Uint32Array.from({ length: count }, (_, at) =>
        Object.is(values[at], -0) && count === 500 ? length - 2 : next() % Math.max(1, length - 2),
      );
      const data: CpuArray = { type, length: count, numbers: values as Numbers };
      const meant = scatterReference(values as Float32Array, positions, { length, op: op as typeof add });
      expectSameBits(
        combinedAt(data, op.name as "add", positions, length) as Float32Array,
        meant,
        `${count} values, ${length} positions`,
      );
    }
  },
);

test("a position past the end is refused, as on the GPU", async () => {
  const fold = await openFold({ cpu: "always" });
  const values = Uint32Array.of(5, 6, 7);
  const positions = Uint32Array.of(0, 3, 9);
  for (const call of [
    () => fold.scatter(values, positions, { length: 3, op: add }),
    () => fold.scatter(values, positions, { length: 3 }),
    () => fold.gather(values, positions),
    () => fold.gather(Float64Array.of(5, 6, 7), positions),
  ]) {
    const error: unknown = await call().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ArgumentError);
    expect((error as Error).message).toMatch(/positions\[1\] is 3; it takes less than 3/);
  }
  fold.destroy();
});
