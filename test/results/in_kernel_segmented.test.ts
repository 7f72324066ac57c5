import { describe, test } from "vitest";
import { f16 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { algorithmNames, untyped, useSoftwareFold } from "../support/fold.ts";
import type { Case, Order } from "../support/in_kernel.ts";
import { checkFunctions, everyOther, orders } from "../support/in_kernel.ts";
import { allTypes, operatorsOf, segmentedFunctions } from "../support/kernels.ts";
import { affine, chain, span } from "../support/operators.ts";
import { rows } from "../support/rows.ts";

const fold = useSoftwareFold();

/** Of several of SwiftShader's subgroups each. */
const sizes = [32, 36, 20];

const all = allTypes.flatMap((type) => algorithmNames.map((algorithm) => ({ type, algorithm })));
test.for(rows(all, { of: 20, shift: 7 }))(
  "$type.name, $algorithm: every operator",
  async ({ type, algorithm }, { skip }) => {
    skip(type === f16 && !fold().device.features.has("shader-f16"), "the adapter has no shader-f16");
    await Promise.all(
      operatorsOf(type).map(async (one, index) => {
        const op = untyped(one);
        const number = index + algorithmNames.indexOf(algorithm);
        const size = sizes[number % sizes.length] ?? 0;
        const functions = segmentedFunctions(type, op, algorithm, size, [8]);
        const names = everyOther(
          functions.flatMap((set) => set.names),
          number,
        );
        await checkFunctions(fold().device, { type, op }, functions, names, [size], `${algorithm} ${size}`);
      }),
    );
  },
);

/** Operators that do not commute: of u32, and of a struct. */
const strict: readonly Case[] = [
  { type: u32, op: untyped(affine) },
  { type: span, op: untyped(chain) },
];

const shapes = [[1], [2], [3], [32], [100], [128], [8, 12], [3, 5, 7]];
const tileSizes = [1, 2, 8, 32, 64];

describe.each(algorithmNames)("%s", (algorithm) => {
  const shift = 3 * algorithmNames.indexOf(algorithm);
  test.each(
    rows(
      shapes.map((shape) => [shape.join(" × "), shape] as const),
      { of: 10, shift },
    ),
  )("%s: operators that do not commute", async (_, shape) => {
    const threads = shape.reduce((product, one) => product * one, 1);
    const sizesOf = tileSizes.filter((size) => size <= threads);
    await Promise.all(
      strict.map(async (of, number) => {
        const tileSize = sizesOf.at(-1 - number) ?? 1;
        const functions = segmentedFunctions(of.type, of.op, algorithm, threads, [tileSize]);
        const names = functions.flatMap((one) => one.names);
        await checkFunctions(
          fold().device,
          of,
          functions,
          names,
          shape,
          `${algorithm}, tiles of ${tileSize}`,
        );
      }),
    );
  });

  test.each(rows([32, 100], { of: 2, shift }))(
    "%i threads whose order is not their lanes'",
    async (threads) => {
      for (const of of strict.slice(0, 1)) {
        const functions = segmentedFunctions(of.type, of.op, algorithm, threads, [4, 32]);
        const names = everyOther(
          functions.flatMap((one) => one.names),
          threads,
        );
        await checkFunctions(
          fold().device,
          of,
          functions,
          names,
          [threads],
          algorithm,
          Object.keys(orders) as Order[],
        );
      }
    },
  );
});
