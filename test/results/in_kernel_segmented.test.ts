import { test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import type { InKernelFunctions } from "../../src/in_kernel/link.ts";
import { algorithmNames, untyped, useFold } from "../support/fold.ts";
import type { Case, Order } from "../support/in_kernel.ts";
import { checkFunctions, everyOther, orders } from "../support/in_kernel.ts";
import { coalescedTileFunctions, segmentedFunctions } from "../support/kernels.ts";
import { affine, chain, span } from "../support/operators.ts";
import { pairs } from "../support/pairs.ts";

const fold = useFold();

/** The functions over parts of a work-group: its segments, and the active threads of its tiles. */
const partFunctions = (...given: Parameters<typeof segmentedFunctions>): InKernelFunctions[] => [
  ...segmentedFunctions(...given),
  ...coalescedTileFunctions(...given),
];

/** Operators that do not commute: of u32, and of a struct. */
const strict: readonly Case[] = [
  { type: u32, op: untyped(affine) },
  { type: span, op: untyped(chain) },
];

const ofShapes = pairs({
  algorithm: algorithmNames,
  shape: [[1], [3], [36], [8, 5]],
  of: strict,
  // The last one that a work-group has room for, or the one before.
  tileAt: [-1, -2],
});
test.for(ofShapes)(
  "$algorithm, $shape: $of.op.name, which does not commute",
  async ({ algorithm, shape, of, tileAt }) => {
    const threads = shape.reduce((product, size) => product * size, 1);
    const tileSize = [1, 2, 8, 32, 64].filter((size) => size <= threads).at(tileAt) ?? 1;
    const functions = partFunctions(of.type, of.op, algorithm, threads, [tileSize]);
    const names = everyOther(
      functions.flatMap((set) => set.names),
      threads + tileAt,
    );
    await checkFunctions(fold().device, of, functions, names, shape, `${algorithm}, tiles of ${tileSize}`);
  },
);

test.for(algorithmNames)("%s: threads whose order is not their lanes'", async (algorithm) => {
  const of = strict[0] as Case;
  const functions = partFunctions(of.type, of.op, algorithm, 36, [4, 32]);
  const names = everyOther(
    functions.flatMap((set) => set.names),
    36,
  ).filter((_, at) => at % 2 === 0);
  const all = Object.keys(orders) as Order[];
  await checkFunctions(fold().device, of, functions, names, [36], algorithm, all);
});
