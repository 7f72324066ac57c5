import { test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { add, max } from "../../src/algebra/operators.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { algorithmNames, untyped, useFold } from "../support/fold.ts";
import type { Case } from "../support/in_kernel.ts";
import { checkFunctions, everyOther, keyOf } from "../support/in_kernel.ts";
import { operatorFunctions } from "../support/kernels.ts";
import { affine, chain, span } from "../support/operators.ts";
import { pairs } from "../support/pairs.ts";

const fold = useFold();

const shapes = [[1], [3], [32], [100], [3, 5, 7]];
const threadsOf = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);
const largestTile = (threads: number): number =>
  [64, 32, 8, 4, 2, 1].find((size) => size <= threads) as number;

/** Does not commute. */
const strict: Case = { type: u32, op: untyped(affine) };
/** Of WGSL's own in subgroups, over two words, and of a struct that does not commute. */
const others: readonly Case[] = [
  { type: u32, op: untyped(add) },
  { type: f64, op: untyped(max) },
  { type: span, op: untyped(chain) },
];

const ofShapes = pairs({ algorithm: algorithmNames, shape: shapes });
test.for(ofShapes)("$algorithm, $shape: an operator that does not commute", async ({ algorithm, shape }) => {
  const threads = threadsOf(shape);
  const functions = operatorFunctions(strict.type, strict.op, algorithm, threads, false, [
    largestTile(threads),
  ]);
  // "alone" below has each of them.
  const names = everyOther(
    functions.flatMap((set) => set.names),
    threads,
  );
  await checkFunctions(fold().device, strict, functions, names, shape, algorithm);
});

const ofOperators = pairs({ of: others, algorithm: algorithmNames, threads: [1, 3, 32, 100] });
test.for(ofOperators)("$algorithm, $threads: $of.op.name", async ({ of, algorithm, threads }) => {
  const functions = operatorFunctions(of.type, of.op, algorithm, threads, false, [largestTile(threads)]);
  // All threads are active in one of the rounds: then a coalesced group is the work-group.
  const [inclusive = "", exclusive = "", reduce = "", tile = reduce] = everyOther(
    functions.flatMap((set) => set.names).filter((name) => !name.startsWith("work_group")),
    threads,
  );
  const names = [inclusive, exclusive, tile];
  await checkFunctions(fold().device, of, functions, names, [threads], `${algorithm} ${keyOf(of)}`);
});

// The portable body is one, whatever the algorithm.
const ofTiles = pairs({
  algorithm: ["hillis-steele", "subgroup"] as const,
  tileSize: [1, 4, 8, 64],
  // As many threads as the tile, or more, and tiles that are not full.
  more: [0, 1, 36],
});
test.for(ofTiles)(
  "$algorithm: tiles of $tileSize threads, and $more threads more",
  async ({ algorithm, tileSize, more }) => {
    const threads = tileSize + more;
    const functions = operatorFunctions(strict.type, strict.op, algorithm, threads, false, [tileSize]);
    const names = everyOther(
      functions.flatMap((set) => set.names).filter((name) => name.startsWith("thread_tile")),
      threads,
    );
    await checkFunctions(fold().device, strict, functions, names, [threads], algorithm);
  },
);

// Where it is not in order, lanes are not where they usually are, and subgroups take their turns.
test.for(pairs({ algorithm: algorithmNames, threads: [32, 100] }))(
  "$algorithm: $threads threads whose order is not their lanes'",
  async ({ algorithm, threads }) => {
    const functions = operatorFunctions(strict.type, strict.op, algorithm, threads, false, [4, 32]);
    const names = everyOther(
      functions.flatMap((set) => set.names),
      threads,
    );
    const differing = ["backwards", "shuffled", "two swapped"] as const;
    await checkFunctions(fold().device, strict, functions, names, [threads], algorithm, differing);
  },
);

// What is not of a whole work-group is the same by both portable algorithms.
const alone = algorithmNames.flatMap((algorithm) =>
  operatorFunctions(strict.type, strict.op, algorithm, 36, false, [8]).flatMap((functions) =>
    functions.names
      .filter((name) => algorithm !== "blelloch" || name.startsWith("work_group"))
      .map((name) => ({ algorithm, functions, name })),
  ),
);
test.for(alone)(
  "$algorithm: $name alone, again and again without a barrier",
  async ({ algorithm, functions, name }) => {
    await checkFunctions(fold().device, strict, [functions], [name], [36], `${algorithm} ${name} alone`);
  },
);
