import { traitsOf } from "../adapters/adapter.ts";
import { roundingIn } from "../algebra/rounding.ts";
import { algorithms } from "../kernels/algorithms.ts";
import { lookBackShape, reduceOnceMemory, reduceOnceSources, spineSize } from "../kernels/look_back.ts";
import { takesAnyOrder } from "../kernels/subgroup_sources.ts";
import type { Scratch } from "./plan.ts";
import { bound, RUNS } from "./plan.ts";
import type { ReduceOnce } from "./plan_facts.ts";
import { tileOf } from "./tuning.ts";
import type { Way } from "./ways.ts";

/**
 * The most tiles that one work-group combines the totals of. u32 on an H100, tiles of 4096: 2^16 items 11.8 µs (two dispatches: 14.1),
 * 2^22 15.1 (16.4), 2^23 18.1 (20.7), and with 4096 tiles 2^24 38.0 (34.9). A copy takes 9.3, 13.7, 32 and 55.
 */
const MOST_TILES = 2048;

/**
 * The most work-groups of a reduction in which each takes more than one tile. H100, 132 multiprocessors, tiles of 4096. u32, 2^22 items:
 * 264, 396 and 528 take 13.2 µs, 792 13.6; a work-group for each tile 18.2. Positions of the least u32, 2^28: 528 take 354 µs, 264 360,
 * 792 369; a dispatch for each level 379.
 */
const MOST_WORK_GROUPS = 512;

/**
 * Reduces up to a tile of tiles, or {@link MOST_TILES}, in one dispatch, in the order of operations of two. If the operator may combine
 * in any order, sums of f32 and f16 too, subgroups reduce any number of tiles in one dispatch, in an order of their own.
 */
export const reduceOnce: ReduceOnce = ({ monoid, tuning, kernelOf }, plan, { passes }, facts, testing) => {
  const { sizes, algorithm } = tuning;
  const { domain, type } = monoid;
  const tile = tileOf(tuning);
  const shape = lookBackShape(tuning);
  const strides = shape.byVotes && takesAnyOrder(monoid);
  const { patience = traitsOf(facts).patience, faults, reduceWorkGroups = MOST_WORK_GROUPS } = testing;
  const most = strides ? reduceWorkGroups : Math.min(tile, MOST_TILES);
  const longest = strides ? Number.POSITIVE_INFINITY : most * tile;
  const tiles = Math.min(most, Math.ceil(plan.maxLength / tile));
  // Subgroups combine totals in rows of vectors, where a pass of its own combines them in rows of single totals.
  const isReordered = algorithms[algorithm].subgroups && roundingIn(type, domain) === "each operation";
  if (
    passes === "reduce-then-scan" ||
    (passes === undefined && !facts.lookBack) ||
    tiles < 2 ||
    monoid.tiles !== undefined ||
    isReordered ||
    !plan.variants.some(({ arrangement }) => arrangement === "vectors") ||
    algorithms[algorithm].memory(sizes, domain.elementBytes) + reduceOnceMemory(domain.elementBytes) >
      facts.limits.maxComputeWorkgroupStorageSize
  ) {
    return undefined;
  }
  const kernel = kernelOf({
    sources: (own) => tuning.sources(own, { strides }),
    entryPoint: reduceOnceSources(monoid, shape, strides, { patience, ...(faults && { faults }) }),
  });
  const { entries, bytes } = spineSize(shape, tiles, monoid, RUNS);
  const spine: Scratch = { name: "spine", bytes };
  const bindings = bound(kernel, {
    input: "input",
    output: "output",
    length_buffer: "length",
    initial: "initial",
    spine,
  });
  const way: Way = {
    arrangements: ["vectors"],
    takes: (length, _, aside) => !aside && length > tile && length <= longest,
    kernels: [kernel],
    scratch: [spine],
    spine: { scratch: spine, entries },
    vector: plan.vector,
    groupingOf: plan.groupingOf,
    passes: (length) => [{ kernel, bindings, length, tiles: Math.min(most, Math.ceil(length / tile)) }],
  };
  return { way, longest };
};
