import { describe, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { add, max } from "../../src/algebra/operators.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { algorithmNames, untyped, useFold } from "../support/fold.ts";
import type { Case } from "../support/in_kernel.ts";
import { checkFunctions, everyOther, keyOf } from "../support/in_kernel.ts";
import { operatorFunctions } from "../support/kernels.ts";
import { affine, chain, span } from "../support/operators.ts";

const fold = useFold();

const sizes = [1, 2, 3, 32, 96, 100, 128, 256];
const shapes = [...sizes.map((size) => [size]), [8, 12], [4, 4, 8], [3, 5, 7]];
const threadsOf = (shape: readonly number[]): number => shape.reduce((product, one) => product * one, 1);

const tileSizes = [1, 2, 4, 8, 32, 64];
const tileSizesUpTo = (threads: number): number[] => tileSizes.filter((size) => size <= threads);

/** Does not commute. */
const strict: Case = { type: u32, op: untyped(affine) };
/** Of WGSL's own in subgroups, over two words, and of a struct that does not commute. */
const others: readonly Case[] = [
  { type: u32, op: untyped(add) },
  { type: f64, op: untyped(max) },
  { type: span, op: untyped(chain) },
];

describe.each(algorithmNames)("%s", (algorithm) => {
  test.each(shapes.map((shape) => [shape.join(" × "), shape] as const))(
    "%s: an operator that does not commute",
    async (_, shape) => {
      const threads = threadsOf(shape);
      const tileSize = tileSizesUpTo(threads).at(-1) ?? 1;
      const functions = operatorFunctions(strict.type, strict.op, algorithm, threads, false, [tileSize]);
      // "each function alone" below has them all.
      const names = everyOther(
        functions.flatMap((one) => one.names),
        threads,
      );
      await checkFunctions(fold().device, strict, functions, names, shape, algorithm);
    },
  );

  test.each(sizes)("%i: other operators", async (threads) => {
    const number = sizes.indexOf(threads);
    const tileSize = tileSizesUpTo(threads).at(-1 - (number % 3)) ?? 1;
    await Promise.all(
      (number % 2 === 0 ? others : others.slice(0, 1)).map(async (of) => {
        const functions = operatorFunctions(of.type, of.op, algorithm, threads, false, [tileSize]);
        // All threads are active in one of the rounds: then a coalesced group is the work-group.
        const [inclusive = "", exclusive = "", reduce = "", tile = reduce] = everyOther(
          functions.flatMap((one) => one.names).filter((name) => !name.startsWith("work_group")),
          number,
        );
        const names = [inclusive, exclusive, tile];
        await checkFunctions(fold().device, of, functions, names, [threads], `${algorithm} ${keyOf(of)}`);
      }),
    );
  });

  // The portable body is one.
  test.each(algorithm === "blelloch" ? [] : [1, 3, 32, 100, 256])(
    "%i: thread tiles of every size",
    async (threads) => {
      await Promise.all(
        tileSizesUpTo(threads).map(async (size) => {
          const functions = operatorFunctions(strict.type, strict.op, algorithm, threads, false, [size]);
          const names = everyOther(
            functions.flatMap((one) => one.names).filter((name) => name.startsWith("thread_tile")),
            threads,
          );
          await checkFunctions(
            fold().device,
            strict,
            functions,
            names,
            [threads],
            `${algorithm}, tiles of ${size}`,
          );
        }),
      );
    },
  );

  // Where it is not in order, lanes are not where they usually are, and subgroups take their turns.
  test.each([32, 96, 100])("%i threads whose order is not their lanes'", async (threads) => {
    const functions = operatorFunctions(strict.type, strict.op, algorithm, threads, false, [4, 32]);
    const names = everyOther(
      functions.flatMap((one) => one.names),
      threads,
    );
    await checkFunctions(fold().device, strict, functions, names, [threads], algorithm, [
      "backwards",
      "shuffled",
      "two swapped",
    ]);
  });

  const alone = operatorFunctions(strict.type, strict.op, algorithm, 100, false, [4, 32]);
  test.each(alone.flatMap(({ names }) => names))(
    "%s alone, again and again without a barrier",
    async (name) => {
      await checkFunctions(fold().device, strict, alone, [name], [100], `${algorithm} ${name} alone`);
    },
  );
});
