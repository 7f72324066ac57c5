import { afterAll, describe, expect, test, vi } from "vitest";
import type { SimulatorOptions } from "../../src/simulator/index.ts";
import type { gpus as adapters } from "./barrier_cases.ts";
import { barriersIn, markedShaders, without } from "./marked_shaders.ts";

// Each barrier of each shader is taken out once. Then a race, an order of atomics that nothing says, or a wrong result must show it in the run
// that the table names. A workgroupUniformLoad becomes a plain load.

const shaders = markedShaders();
for (const { path, name, text } of shaders) {
  vi.doMock(path, () => ({ default: { name, text } }));
}
const { openFold } = await import("../../src/node.ts");
const { simulatedGpu } = await import("../../src/simulator/index.ts");
const { contextOf } = await import("../../src/gpu/device/device.ts");
const { gpus, operations } = await import("./barrier_cases.ts");

/** Several tiles of 64 items, and not a whole number of them. */
const LENGTH = 510;

interface Run {
  readonly operation: string;
  /** Of the data, if not 510. For in-kernel functions, the threads of the work-group. */
  readonly length?: number;
  /** What plans take the adapter for, if not for what it is. */
  readonly gpu?: keyof typeof adapters;
  readonly options?: SimulatorOptions;
}

interface Shown extends Run {
  /** Files under `shaders/`, with the numbers of the barriers in them. */
  readonly shows: readonly string[];
}

interface Redundant {
  readonly barriers: readonly string[];
  /** Why nothing needs it. */
  readonly why: string;
  /** Runs in which nothing shows that it is missing. */
  readonly runs: readonly Run[];
}

/** Runs, and the barriers that each of them shows. */
const shown: readonly Shown[] = [
  {
    operation: "union of sorted arrays",
    length: 300,
    shows: [
      "device/kernels/count_merged.wgsl 1",
      "device/kernels/merge_tiles.wgsl 1",
      "device/merge/store_staged.wgsl 1, 2",
    ],
  },
  { operation: "merge of sorted arrays", length: 300, shows: ["device/merge/merged_items.wgsl 1, 2"] },
  { operation: "merge by a key", length: 300, shows: ["device/merge/store_by_order.wgsl 1"] },
  {
    operation: "scan in place by pairs of lanes",
    length: 130,
    gpu: "nvidia",
    options: { subgroupSize: 32 },
    shows: ["device/io/store_by_pairs.wgsl 1"],
  },
  {
    operation: "scan of rows in place by subgroups",
    length: 360,
    gpu: "nvidia",
    options: { subgroupSize: 32, lanes: "permuted" },
    shows: ["device/rows/scan_subgroups.wgsl 1"],
  },
  {
    operation: "classes: subgroup, single",
    options: { unorderedAtomics: true },
    shows: ["device/sort/rank_by_votes.wgsl 5"],
  },
  {
    operation: "classes in little memory",
    shows: ["device/kernels/count_classes.wgsl 1", "device/kernels/part_classes.wgsl 1"],
  },
  {
    operation: "compact: subgroup, single",
    gpu: "nvidia",
    options: { atomics: "reversed", schedule: "random", seed: 2, lanes: "reversed", subgroupSize: 4 },
    shows: ["device/look_back/look_back_votes.wgsl 1"],
  },
  { operation: "exact reduction: hillis-steele", gpu: "gpu", shows: ["exact/spine_reduce.wgsl 1, 2, 3"] },
  {
    operation: "exact scan of wide doubles: hillis-steele, reduce-then-scan",
    gpu: "gpu",
    shows: ["exact/scan.wgsl 5", "exact/whole_sums_long.wgsl 1"],
  },
  {
    operation: "exact scan of wide floats: hillis-steele, reduce-then-scan",
    gpu: "gpu",
    shows: ["exact/whole_sums.wgsl 1, 2, 3, 4"],
  },
  {
    operation: "exact scan: blelloch, reduce-then-scan",
    length: 130,
    gpu: "gpu",
    options: { unorderedAtomics: true },
    shows: ["exact/scan.wgsl 6"],
  },
  {
    operation: "exact scan: hillis-steele, reduce-then-scan",
    gpu: "gpu",
    shows: ["exact/reduce.wgsl 1, 2", "exact/scan.wgsl 3, 4, 7", "exact/spine_scan.wgsl 1, 2, 3, 4, 5, 6"],
  },
  {
    operation: "find the first",
    options: { unorderedAtomics: true },
    shows: ["device/kernels/find_items.wgsl 1, 2"],
  },
  {
    operation: "histogram of channels",
    gpu: "nvidia",
    options: { unorderedAtomics: true },
    shows: ["device/histogram/counters_channels.wgsl 1"],
  },
  {
    operation: "scatter with add",
    gpu: "nvidia",
    options: { unorderedAtomics: true },
    shows: ["device/histogram/positions_counted.wgsl 1", "device/histogram/positions_counted.wgsl 2"],
  },
  {
    operation: "histogram of weights",
    gpu: "nvidia",
    options: { unorderedAtomics: true },
    shows: ["device/histogram/counters_words.wgsl 1"],
  },
  {
    operation: "in-kernel, hillis-steele: coalesced sums of floats",
    length: 40,
    gpu: "nvidia",
    shows: ["work_group/coalesced_total_start.wgsl 1"],
  },
  {
    operation: "in-kernel, hillis-steele: coalesced sums of floats in tiles",
    length: 40,
    options: { unorderedAtomics: true },
    shows: ["thread_tile/coalesced_total_start.wgsl 1, 2"],
  },
  { operation: "in-kernel, hillis-steele: segments", length: 40, shows: ["work_group/segmented.wgsl 1"] },
  {
    operation: "in-kernel, hillis-steele: shuffles",
    length: 40,
    shows: ["thread_tile/shuffle_memory.wgsl 1, 2", "work_group/broadcast.wgsl 1"],
  },
  {
    operation: "in-kernel, hillis-steele: sort",
    length: 40,
    shows: ["work_group/sort_places.wgsl 1, 2, 3, 4, 5"],
  },
  {
    operation: "in-kernel, hillis-steele: sort of pairs",
    length: 40,
    shows: ["work_group/sort_take_words.wgsl 1, 2"],
  },
  {
    operation: "in-kernel, hillis-steele: tiles of 4",
    length: 40,
    shows: ["thread_tile/hillis_steele.wgsl 1, 2, 3, 4"],
  },
  {
    operation: "in-kernel, hillis-steele: work-group",
    length: 40,
    shows: [
      "work_group/hillis_steele.wgsl 1, 2, 3, 4, 5",
      "work_group/hillis_steele_reduce.wgsl 1, 2",
      "work_group/hillis_steele_uniform.wgsl 1, 2",
    ],
  },
  {
    operation: "in-kernel, hillis-steele: work-group, uniform",
    length: 40,
    shows: ["work_group/hillis_steele_uniform.wgsl 3"],
  },
  { operation: "in-kernel, subgroup: allocate", length: 40, shows: ["work_group/allocate_counter.wgsl 1"] },
  {
    operation: "in-kernel, subgroup: shuffles",
    length: 40,
    options: { lanes: "permuted", seed: 3 },
    shows: ["thread_tile/shuffle_subgroup.wgsl 1"],
  },
  {
    operation: "in-kernel, subgroup: sort of long pairs",
    length: 200,
    shows: ["work_group/sort_take.wgsl 1"],
  },
  { operation: "in-kernel, subgroup: tiles of 16", length: 40, shows: ["thread_tile/subgroup.wgsl 3"] },
  {
    operation: "in-kernel, subgroup: tiles of 16",
    length: 40,
    options: { lanes: "permuted", seed: 3 },
    shows: ["thread_tile/subgroup.wgsl 1, 2"],
  },
  { operation: "in-kernel, subgroup: update", length: 40, shows: ["work_group/counter.wgsl 1"] },
  { operation: "in-kernel, subgroup: update of tiles", length: 40, shows: ["thread_tile/counter.wgsl 1"] },
  {
    operation: "in-kernel, subgroup: work-group",
    length: 40,
    shows: ["work_group/subgroup.wgsl 4, 5, 6, 7", "work_group/subgroup_place.wgsl 1"],
  },
  {
    operation: "in-kernel, subgroup: work-group, scans",
    length: 40,
    options: { lanes: "permuted", seed: 3 },
    shows: ["work_group/subgroup.wgsl 1, 2, 3"],
  },
  { operation: "many of the greatest", shows: ["device/kernels/take_blocks.wgsl 1, 2"] },
  {
    operation: "reduce of offsets: subgroup, single",
    gpu: "gpu",
    options: { atomics: "reversed" },
    shows: ["device/kernels/reduce_offsets.wgsl 1"],
  },
  {
    operation: "reduce of offsets: subgroup, single",
    shows: ["device/segments/first_segment_searched.wgsl 1"],
  },
  { operation: "reduce of whole rows", shows: ["device/rows/reduce_levels.wgsl 1, 2"] },
  { operation: "reduce: hillis-steele, single", shows: ["device/kernels/reduce_single_pass.wgsl 1, 3"] },
  {
    operation: "reduction late or never: subgroup",
    gpu: "nvidia",
    options: { unorderedAtomics: true, schedule: "random" },
    shows: ["device/kernels/reduce_single_pass.wgsl 2, 4, 5"],
  },
  { operation: "run lengths: subgroup", shows: ["device/kernels/run_lengths.wgsl 2, 3"] },
  {
    operation: "runs written out",
    length: 200,
    gpu: "gpu",
    options: { unorderedAtomics: true },
    shows: ["device/kernels/expand_runs.wgsl 3"],
  },
  { operation: "runs written out", shows: ["device/kernels/expand_runs.wgsl 1, 2, 4"] },
  {
    operation: "scan in place: subgroup",
    gpu: "nvidia",
    options: { unorderedAtomics: true, schedule: "random" },
    shows: ["device/kernels/scan_in_place.wgsl 2"],
  },
  { operation: "scan in place: subgroup", shows: ["device/kernels/scan_in_place.wgsl 1"] },
  {
    operation: "scan in work-groups of 20: subgroup, single",
    length: 200,
    shows: ["device/tiles/subgroup_by_lanes.wgsl 1"],
  },
  {
    operation: "scan late or never: hillis-steele",
    gpu: "nvidia",
    options: { unorderedAtomics: true, schedule: "random" },
    shows: ["device/look_back/look_back_threads.wgsl 2"],
  },
  {
    operation: "scan late or never: subgroup",
    gpu: "nvidia",
    options: { unorderedAtomics: true, schedule: "random" },
    shows: ["device/look_back/look_back.wgsl 2, 3, 4"],
  },
  {
    operation: "scan of a length on the GPU: subgroup",
    length: 200,
    shows: ["device/kernels/take_tiles.wgsl 1, 2"],
  },
  {
    operation: "scan of many columns",
    length: 3000,
    gpu: "nvidia",
    shows: ["device/kernels/scan_column_blocks.wgsl 1"],
  },
  { operation: "scan of pairs: subgroup, single", shows: ["device/tiles/subgroup.wgsl 1"] },
  { operation: "scan of parts of rows", gpu: "gpu", shows: ["work_group/blelloch.wgsl 4"] },
  { operation: "scan of whole rows", gpu: "nvidia", shows: ["device/rows/subgroups.wgsl 1"] },
  { operation: "scan of whole rows", shows: ["device/rows/scan_levels.wgsl 1, 2, 3, 4"] },
  {
    operation: "scan: hillis-steele, single",
    shows: [
      "device/look_back/look_back.wgsl 1",
      "device/look_back/look_back_threads.wgsl 1",
      "device/look_back/tile_by_ticket.wgsl 1",
    ],
  },
  { operation: "sort by a network: keys", length: 198, shows: ["device/sort/network_of_keys.wgsl 1"] },
  {
    operation: "sort by a network: positions",
    length: 198,
    shows: ["device/sort/network_of_places.wgsl 1, 2, 3"],
  },
  {
    operation: "sort by arrival, out of order: reduce-then-scan",
    gpu: "gpu",
    shows: ["device/kernels/sort_keys_pass.wgsl 5"],
  },
  {
    operation: "sort by arrival, out of order: reduce-then-scan",
    gpu: "gpu",
    options: { unorderedAtomics: true },
    shows: ["device/sort/rank_by_votes.wgsl 2"],
  },
  {
    operation: "sort by arrival, out of order: reduce-then-scan",
    length: 200,
    options: { unorderedAtomics: true },
    shows: [
      "device/kernels/sort_keys_pass.wgsl 3, 4",
      "device/sort/count_whole_tile.wgsl 2",
      "device/sort/rank_by_votes.wgsl 1",
    ],
  },
  {
    operation: "sort by arrival, out of order: single",
    gpu: "gpu",
    options: { atomics: "reversed" },
    shows: ["device/kernels/sort_keys_pass.wgsl 8"],
  },
  {
    operation: "sort by arrival: reduce-then-scan",
    shows: ["device/kernels/sort_keys_pass.wgsl 1, 2, 6, 7", "device/sort/rank_by_votes.wgsl 3, 4"],
  },
  {
    operation: "sort by comparing: keys",
    length: 198,
    shows: ["device/kernels/sort_by_comparing.wgsl 1, 2, 3, 4, 5"],
  },
  {
    operation: "sort by marks, out of order: reduce-then-scan",
    length: 200,
    options: { unorderedAtomics: true },
    shows: ["device/kernels/sort_pass.wgsl 1, 2", "device/sort/rank_by_marks.wgsl 3, 4, 7"],
  },
  { operation: "sort by marks: reduce-then-scan", gpu: "gpu", shows: ["device/sort/rank_by_marks.wgsl 2"] },
  { operation: "sort by marks: reduce-then-scan", shows: ["device/sort/rank_by_marks.wgsl 1, 5, 6"] },
  {
    operation: "sort by votes, whose counts never come",
    length: 300,
    gpu: "gpu",
    options: { unorderedAtomics: true, schedule: "random" },
    shows: ["device/sort/count_tile.wgsl 1, 2", "device/sort/first_by_look_back.wgsl 1"],
  },
  {
    operation: "sort of floats with NaN by a network",
    length: 198,
    shows: ["device/sort/keys_tell_all_but_nan.wgsl 1, 2"],
  },
  {
    operation: "sort of pairs with values",
    gpu: "gpu",
    options: { unorderedAtomics: true },
    shows: ["device/sort/values_moved.wgsl 1"],
  },
  {
    operation: "sort of rows: hillis-steele",
    length: 200,
    options: { unorderedAtomics: true },
    shows: ["device/sort/rank_by_counters.wgsl 2", "device/sort/segment_values_moved.wgsl 2"],
  },
  {
    operation: "sort of rows: hillis-steele",
    shows: ["device/kernels/sort_segments.wgsl 1", "device/sort/segment_values_moved.wgsl 1"],
  },
  { operation: "sort of short rows", shows: ["device/kernels/sort_short_segments.wgsl 1"] },
  {
    operation: "sort: hillis-steele, reduce-then-scan",
    gpu: "gpu",
    shows: ["device/sort/first_by_spine.wgsl 1", "work_group/blelloch.wgsl 1, 2, 3"],
  },
  {
    operation: "sort: hillis-steele, reduce-then-scan",
    gpu: "nvidia",
    shows: ["device/tiles/subgroup_scan_totals.wgsl 1"],
  },
  { operation: "sort: hillis-steele, reduce-then-scan", shows: ["device/sort/count_whole_tile.wgsl 1"] },
  {
    operation: "sort: hillis-steele, single",
    shows: [
      "device/sort/first_by_look_back.wgsl 2",
      "device/sort/rank_by_counters.wgsl 1, 3, 4",
      "device/sort/tile_by_ticket.wgsl 1",
      "device/sort/values_moved.wgsl 2",
    ],
  },
  { operation: "the greatest", length: 140000, gpu: "gpu", shows: ["device/kernels/first_of_tiles.wgsl 1"] },
  {
    operation: "the greatest",
    shows: [
      "device/kernels/take_first.wgsl 1",
      "device/select/choose.wgsl 2, 4, 5",
      "device/select/few.wgsl 1, 2, 3",
    ],
  },
  { operation: "the greatest of few values", shows: ["device/select/choose.wgsl 1"] },
  {
    operation: "the greatest of few values",
    options: { unorderedAtomics: true },
    shows: ["device/select/choose.wgsl 3"],
  },
  {
    operation: "the greatest of long rows",
    options: { unorderedAtomics: true },
    shows: ["device/kernels/sort_segments.wgsl 2"],
  },
  { operation: "totals by keys in one dispatch", shows: ["device/segments/store_totals_together.wgsl 1, 2"] },
  {
    operation: "totals of runs of one",
    gpu: "nvidia",
    options: { unorderedAtomics: true, schedule: "random" },
    shows: ["device/segments/store_totals_together.wgsl 3"],
  },
  { operation: "very many of the greatest", shows: ["device/kernels/choose_digit.wgsl 1"] },
];

/** Barriers that protect nothing that another one does not. A workgroupUniformLoad among them may be what makes a text valid. */
const redundant: readonly Redundant[] = [
  {
    barriers: ["device/kernels/run_lengths.wgsl 1"],
    why: "The barriers of look_back come between.",
    runs: [
      { operation: "run lengths: subgroup", length: 200, gpu: "nvidia", options: { unorderedAtomics: true } },
    ],
  },
  {
    barriers: ["exact/scan.wgsl 1, 2"],
    why: "The barriers of scan_threads come before them. They say that the values are uniform.",
    runs: [
      {
        operation: "exact scan: blelloch, reduce-then-scan",
        length: 130,
        gpu: "gpu",
        options: { unorderedAtomics: true },
      },
    ],
  },
  {
    barriers: ["exact/scan.wgsl 8"],
    why: "The workgroupUniformLoad right before it orders both words.",
    runs: [
      {
        operation: "exact scan of ties: blelloch",
        length: 64,
        gpu: "gpu",
        options: { unorderedAtomics: true },
      },
    ],
  },
  {
    barriers: [
      "thread_tile/coalesced_total_start.wgsl 3",
      "thread_tile/counter.wgsl 2",
      "work_group/segmented.wgsl 2",
      "work_group/sort_take.wgsl 2",
    ],
    why: "The function's next call has a barrier before it writes this memory again.",
    runs: [
      {
        operation: "in-kernel, hillis-steele: coalesced sums of floats in tiles",
        length: 40,
        options: { unorderedAtomics: true },
      },
      { operation: "in-kernel, portable: update of tiles", length: 200, options: { unorderedAtomics: true } },
      { operation: "in-kernel, subgroup: update of tiles", length: 200, options: { atomics: "reversed" } },
      { operation: "in-kernel, blelloch: segments", length: 40, options: { unorderedAtomics: true } },
      {
        operation: "in-kernel, subgroup: sort of long pairs",
        length: 200,
        gpu: "nvidia",
        options: { unorderedAtomics: true },
      },
    ],
  },
  {
    barriers: ["thread_tile/shuffle_subgroup.wgsl 2"],
    why: "subgroup_place has a barrier where the function is called again.",
    runs: [{ operation: "in-kernel, subgroup: shuffles", length: 40, options: { unorderedAtomics: true } }],
  },
];

/** `a.wgsl 1, 2` as `a.wgsl 1` and `a.wgsl 2`. */
const each = (names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const [file = "", ...numbers] = name.split(/,? /);
    return numbers.map((number) => `${file} ${number}`);
  });

interface Outcome {
  /** What shows that something is wrong. */
  readonly shown?: string;
  /** The barriers of the kernels that were compiled. */
  readonly barriers: ReadonlySet<string>;
  /** How many kernels lacked the barrier. */
  readonly planted: number;
  /** Which atomics nothing orders, by their lines. */
  readonly unordered: ReadonlySet<string>;
}

/** What `onFinding` throws to end a dispatch. */
class Found extends Error {}

/** Makes a run, maybe without a barrier. Atomics that nothing orders with it either show nothing. */
async function attempt(
  { operation, length = LENGTH, gpu: name = "simulator", options }: Run,
  missing?: string,
  allowed: ReadonlySet<string> = new Set(),
): Promise<Outcome> {
  const unordered = new Set<string>();
  const found: string[] = [];
  const gpu = simulatedGpu({
    subgroupSize: 8,
    ...options,
    onFinding: ({ kind, message }) => {
      const places = [...message.matchAll(/\bline \d+/g)].sort().join(" ");
      if (kind === "unordered" && (missing === undefined || allowed.has(places))) {
        unordered.add(places);
        return;
      }
      found.push(`${kind}: ${message}`);
      throw new Found(message);
    },
  });
  const adapter = await gpu.requestAdapter();
  if (adapter === null) {
    throw new Error("the simulator has an adapter");
  }
  const fold = await openFold({ adapter });
  const context = contextOf(fold.device);
  context.facts = { ...context.facts, ...gpus[name] };
  const barriers = new Set<string>();
  let planted = 0;
  const { device } = fold;
  const compile = device.createShaderModule.bind(device);
  device.createShaderModule = (descriptor) => {
    for (const one of barriersIn(descriptor.code)) {
      barriers.add(one);
    }
    const code = missing === undefined ? descriptor.code : without(descriptor.code, missing);
    planted += Number(code !== descriptor.code);
    return compile({ ...descriptor, code });
  };
  const run = operations[operation];
  if (run === undefined) {
    throw new Error(`there is no operation ${operation}`);
  }
  try {
    for await (const [result, expected] of run(fold, length)) {
      expect(result).toEqual(expected);
    }
  } catch (cause) {
    // A finding ends its dispatch, and its call may then be refused.
    if (found.length === 0) {
      if (!(cause instanceof Error && cause.name === "AssertionError")) {
        throw cause;
      }
      found.push(`wrong: ${cause.message}`);
    }
  } finally {
    fold.destroy();
  }
  return { ...(found[0] !== undefined && { shown: found[0] }), barriers, planted, unordered };
}

const titleOf = ({ operation, length = LENGTH, gpu, options }: Run): string =>
  [operation, length, gpu ?? [], options ? JSON.stringify(options) : []].flat().join(", ");

test("every barrier stands in one of the tables", () => {
  const all = shaders.flatMap(({ barriers }) => barriers.map(({ name }) => name));
  const listed = [
    ...shown.flatMap(({ shows }) => each(shows)),
    ...redundant.flatMap(({ barriers }) => each(barriers)),
  ];
  expect(listed.sort()).toEqual(all.sort());
});

describe("without a barrier", () => {
  test.for(shown.map((row) => ({ ...row, title: titleOf(row) })))("$title", async (row) => {
    const whole = await attempt(row);
    expect(whole.shown, "with all barriers").toBeUndefined();
    for (const missing of each(row.shows)) {
      expect(whole.barriers, "the barriers of the kernels that run").toContain(missing);
      const { shown: what, planted } = await attempt(row, missing, whole.unordered);
      expect(planted, `kernels without ${missing}`).toBeGreaterThan(0);
      expect(what, `nothing shows that ${missing} is missing`).toBeDefined();
    }
  });
});

describe("a barrier that nothing needs", () => {
  const met = new Set<string>();
  afterAll(() => {
    const all = redundant.flatMap(({ barriers }) => each(barriers));
    expect(
      all.filter((barrier) => !met.has(barrier)),
      "barriers that no run has",
    ).toEqual([]);
  });
  const cases = redundant.flatMap(({ barriers, runs }) =>
    runs.map((run) => ({
      ...run,
      barriers: each(barriers),
      title: `${barriers.join("; ")}: ${titleOf(run)}`,
    })),
  );
  test.for(cases)("$title", async (row) => {
    const whole = await attempt(row);
    expect(whole.shown, "with all barriers").toBeUndefined();
    const there = row.barriers.filter((missing) => whole.barriers.has(missing));
    expect(there, "the barriers of the kernels that run").not.toEqual([]);
    for (const missing of there) {
      met.add(missing);
      const { shown: what, planted } = await attempt(row, missing, whole.unordered);
      expect(planted).toBeGreaterThan(0);
      expect(what, `${missing} is needed`).toBeUndefined();
    }
  });
});
