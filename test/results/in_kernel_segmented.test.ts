import { test } from "vitest";
import { f16 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { InKernelFunctions } from "../../src/in_kernel/link.ts";
import { algorithmNames, untyped, useFold } from "../support/fold.ts";
import type { Case, Order } from "../support/in_kernel.ts";
import { checkFunctions, everyOther, orders } from "../support/in_kernel.ts";
import { allTypes, coalescedTileFunctions, operatorsOf, segmentedFunctions } from "../support/kernels.ts";
import { affine, chain, span } from "../support/operators.ts";

const fold = useFold();

/** The functions over parts of a work-group: its segments, and the active threads of its tiles. */
const partFunctions = (...given: Parameters<typeof segmentedFunctions>): InKernelFunctions[] => [
  ...segmentedFunctions(...given),
  ...coalescedTileFunctions(...given),
];

/** Of several of SwiftShader's subgroups each. */
const sizes = [32, 36, 20];

const all = allTypes.flatMap((type) =>
  algorithmNames.flatMap((algorithm, by) =>
    operatorsOf(type).map((op, index) => ({ type, algorithm, op: untyped(op), number: index + by })),
  ),
);
test.for(all)("$type.name, $algorithm: $op.name", async ({ type, algorithm, op, number }, { skip }) => {
  skip(type === f16 && !fold().device.features.has("shader-f16"), "the adapter has no shader-f16");
  const size = sizes[number % sizes.length] ?? 0;
  const functions = partFunctions(type, op, algorithm, size, [8]);
  const names = everyOther(
    functions.flatMap((set) => set.names),
    number,
  );
  await checkFunctions(fold().device, { type, op }, functions, names, [size], `${algorithm} ${size}`);
});

/** Operators that do not commute: of u32, and of a struct. */
const strict: readonly Case[] = [
  { type: u32, op: untyped(affine) },
  { type: span, op: untyped(chain) },
];

const shapes = [[1], [2], [3], [32], [100], [128], [8, 12], [3, 5, 7]];
const tileSizes = [1, 2, 8, 32, 64];

const ofShapes = algorithmNames.flatMap((algorithm) =>
  shapes.flatMap((shape) =>
    strict.map((of, number) => ({ algorithm, shape, of, number, title: shape.join(" × ") })),
  ),
);
test.for(ofShapes)(
  "$algorithm, $title: $of.op.name, which does not commute",
  async ({ algorithm, shape, of, number }) => {
    const threads = shape.reduce((product, one) => product * one, 1);
    const sizesOf = tileSizes.filter((size) => size <= threads);
    const tileSize = sizesOf.at(-1 - number) ?? 1;
    const functions = partFunctions(of.type, of.op, algorithm, threads, [tileSize]);
    const names = functions.flatMap((one) => one.names);
    await checkFunctions(fold().device, of, functions, names, shape, `${algorithm}, tiles of ${tileSize}`);
  },
);

const ofOrders = algorithmNames.flatMap((algorithm) =>
  [32, 100].map((threads) => ({ algorithm, threads, of: strict[0] as Case })),
);
test.for(ofOrders)(
  "$algorithm: $threads threads whose order is not their lanes'",
  async ({ algorithm, threads, of }) => {
    const functions = partFunctions(of.type, of.op, algorithm, threads, [4, 32]);
    const names = everyOther(
      functions.flatMap((one) => one.names),
      threads,
    );
    const all = Object.keys(orders) as Order[];
    await checkFunctions(fold().device, of, functions, names, [threads], algorithm, all);
  },
);
