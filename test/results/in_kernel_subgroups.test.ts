import { test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import type { AlgorithmBody, WorkGroupAlgorithm } from "../../src/in_kernel/algorithms.ts";
import { subgroupOf } from "../../src/in_kernel/algorithms.ts";
import { threadTileScan, workGroupReduce, workGroupScan } from "../../src/in_kernel/functions.ts";
import { allowFindings, untyped, useFold } from "../support/fold.ts";
import type { Case, Order } from "../support/in_kernel.ts";
import { checkFunctions, orders } from "../support/in_kernel.ts";
import { affine } from "../support/operators.ts";

const fold = useFold();

/** Does not commute. */
const strict: Case = { type: u32, op: untyped(affine) };

// No adapter promises which lanes hold which threads, nor which subgroup starts first. Here threads pass local indices as
// if their subgroups had been numbered in each of the orders: a last subgroup of few lanes, of most, and of all.
const SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 36, 63, 65, 100, 128, 130];

/** For subgroups of at most half the lanes that the adapter's have: no adapter has as few as this says of the smallest. */
function ofHalf(algorithm: WorkGroupAlgorithm, size: number): WorkGroupAlgorithm {
  const half = (body: AlgorithmBody): AlgorithmBody => ({
    ...body,
    words: (threads) => ({ ...body.words?.(threads), MAX_SUBGROUP_SIZE: `${size / 2}u` }),
  });
  const { scan, reduce, tiles = scan } = algorithm;
  return { ...algorithm, scan: half(scan), reduce: half(reduce), tiles: half(tiles) };
}

test.for(SIZES)("subgroups in any order: %i threads", async (threads) => {
  // Some kernels are told sizes that subgroups do not have. Their threads then store at one place what nothing reads.
  allowFindings();
  const options = { ...strict, op: strict.op as never, workGroupSize: threads };
  const { subgroupMinSize: minSize, subgroupMaxSize: maxSize } = fold().device.adapterInfo;
  // Of all sizes that there are, of the adapter's, and of sizes that the adapter's are not.
  const algorithm =
    [
      subgroupOf({ minSize, maxSize }),
      subgroupOf({ minSize: 128, maxSize: 128 }),
      ofHalf(subgroupOf(), maxSize),
    ][threads % 5] ?? subgroupOf();
  const tileSize = 2 ** Math.min(1 + (threads % 6), Math.floor(Math.log2(threads)));
  const functions = [
    workGroupScan({ ...options, algorithm }),
    workGroupReduce({ ...options, algorithm }),
    threadTileScan({ ...options, algorithm, tileSize }),
  ];
  const [scans, reductions, tiles] = functions.map(({ names }) => names);
  await checkFunctions(
    fold().device,
    strict,
    functions,
    [
      scans?.find(
        (name) => name.includes(threads % 3 === 0 ? "_inclusive_" : "_exclusive_") && name.endsWith("_total"),
      ),
      ...(reductions ?? []),
      tiles?.find((name) => name.includes("_exclusive_") && name.endsWith("_total")),
    ].flatMap((name) => name ?? []),
    [threads],
    `${threads} threads, tiles of ${tileSize}`,
    Object.keys(orders) as Order[],
  );
});
