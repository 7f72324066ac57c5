import { traitsOf } from "../adapters/adapter.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import type { Kernel } from "../kernels/kernel.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { Grouping } from "./grouping.ts";
import type { Passes } from "./options.ts";
import type { Pass, Plan, Variant } from "./plan.ts";

// Which way a plan goes about it, told from its passes, and why, told from the facts that it was made from.

/** The facts and the choices that a plan was made from. */
export interface Asked {
  readonly facts: DeviceFacts;
  readonly passes?: Passes | undefined;
  readonly algorithm?: Algorithm | undefined;
  /** The ways of the primitive, by the entry points that its plans begin with. */
  readonly ways?: Readonly<Record<string, (planned: Planned) => Told>> | undefined;
}

/** The way of a plan, the facts that decided it, and the table of sizes in the adapter's file. */
export interface Told {
  readonly way: string;
  readonly why: readonly string[];
  readonly table: string | undefined;
}

/** A plan's passes for a length, and what they were planned from. */
export interface Planned {
  readonly plan: Plan;
  readonly passes: readonly Pass[];
  readonly grouping: Grouping | undefined;
  readonly variant: Variant;
  readonly asked: Asked;
}

/** Tells the way of a plan by the entry point that it begins with. */
export function wayOf(
  plan: Plan,
  passes: readonly Pass[],
  grouping: Grouping | undefined,
  variant: Variant,
  asked: Asked,
): Told {
  const counts = passes[0]?.kernel.entryPoint === "count_work_groups";
  const data = passes.slice(counts ? 1 : 0);
  const first = data[0];
  if (first === undefined) {
    return { way: "no dispatch", why: ["There is nothing to do."], table: undefined };
  }
  const { entryPoint } = first.kernel;
  const told = (asked.ways?.[entryPoint] ?? ways[entryPoint] ?? otherWay)({
    plan,
    passes: data,
    grouping,
    variant,
    asked,
  });
  return counts
    ? {
        ...told,
        way: `${told.way}, after a dispatch that counts its work-groups`,
        why: [...told.why, "Only the GPU knows the length, so the work-groups are counted there."],
      }
    : told;
}

const has = (passes: readonly Pass[], name: string): boolean =>
  passes.some(({ kernel }) => kernel.entryPoint === name);

const enables = ({ code }: Kernel): boolean => code.includes("enable subgroups;");

/** How the threads of a work-group combine, and why so. */
function algorithmWhy({ grouping, asked: { algorithm, facts } }: Planned): string[] {
  if (grouping === undefined) {
    return [];
  }
  const how = `Threads combine by the algorithm ${grouping.algorithm}`;
  if (algorithm === grouping.algorithm) {
    return [`${how}, which was asked for.`];
  }
  // A row that names subgroups becomes one of Blelloch's algorithm where there are none.
  const mayBeInstead = grouping.algorithm === "blelloch" && !facts.features.has("subgroups");
  return [
    mayBeInstead
      ? `${how}, which takes no subgroups: there are none.`
      : `${how}, which the row of sizes names.`,
  ];
}

/** Why work-groups of one dispatch may wait for each other's results. */
function lookBackWhy({ facts, passes }: Asked): string {
  if (passes === "single") {
    return "A single pass was asked for.";
  }
  return traitsOf(facts).looksBack
    ? "Work-groups of one dispatch are known to hand results on to each other on this adapter (look-back works)."
    : "A test of this device has shown that work-groups of one dispatch hand results on to each other (look-back works).";
}

const ticketsWhy = ({ facts }: Asked): string =>
  traitsOf(facts).startsInOrder
    ? "Work-groups start in the order of their numbers, so a work-group's number is its tile's."
    : "Work-groups may start in any order, so each draws a ticket for its tile.";

/** Why tiles hand on their totals in dispatches of their own. */
function noLookBackWhy({ facts, passes }: Asked, otherwise: string): string {
  if (passes === "reduce-then-scan") {
    return "It was asked for (reduce-then-scan).";
  }
  return facts.lookBack || passes === "single"
    ? otherwise
    : "Whether work-groups of one dispatch may wait for each other (look-back) is not known on this adapter; openFold({ testSinglePass: true }) tests it.";
}

const singlePass = (planned: Planned): Told => ({
  way: "a single pass",
  why: [
    ...(planned.asked.passes === "single"
      ? []
      : ["The row of sizes has this as the faster way for these elements."]),
    lookBackWhy(planned.asked),
    ticketsWhy(planned.asked),
    ...algorithmWhy(planned),
  ],
  table: "singlePass",
});

const longRows = (planned: Planned): Told => ({
  way: "a single pass of its own for each row",
  why: [
    "Rows are longer than a tile, start at vectors, and fill most of their tiles.",
    lookBackWhy(planned.asked),
    ...algorithmWhy(planned),
  ],
  table: "rows",
});

/** Why the data is read twice by a plan of two buffers. */
function twiceWhy({ asked, variant }: Planned): string {
  return noLookBackWhy(
    asked,
    variant.arrangement === "vectors"
      ? "For these elements, the single pass is not known to be faster."
      : "The ranges are not bound as vectors, which a single pass by segments needs.",
  );
}

const oneTileWhy = ({ grouping }: Planned): string =>
  grouping === undefined
    ? "The data fits in one tile."
    : `The data fits in one tile of ${grouping.workGroupSize * grouping.itemsPerThread} items.`;

function tilesReduced(planned: Planned): Told {
  const { plan, passes, asked } = planned;
  const algorithm = algorithmWhy(planned);
  if (has(passes, "scan_tiles")) {
    return {
      way: "two passes over the data: one reduces tiles, one scans them on top of their carries",
      why: [twiceWhy(planned), ...algorithm],
      table: "twoPass",
    };
  }
  if (passes.length === 1) {
    const waits = plan.spine !== undefined && passes[0]?.kernel.bindings.has("spine");
    return waits
      ? {
          way: "one dispatch: the work-group that begins last combines the totals",
          why: [lookBackWhy(asked), ...algorithm],
          table: "twoPass",
        }
      : { way: "one dispatch of one work-group", why: [oneTileWhy(planned), ...algorithm], table: "twoPass" };
  }
  return {
    way: `one pass over the data, and ${passes.length - 1} more over the totals`,
    why: [
      noLookBackWhy(asked, "One dispatch for all is not made for this operator, type or length."),
      ...algorithm,
    ],
    table: "twoPass",
  };
}

const oneTile = (planned: Planned): Told => ({
  way: "one dispatch of one work-group",
  why: [oneTileWhy(planned), ...algorithmWhy(planned)],
  table: "twoPass",
});

function keptCounted(planned: Planned): Told {
  const { plan } = planned;
  // A partition whose rest has a range of its own may take a single pass.
  const isInTwo = plan.title.startsWith("partition") && !plan.needs.has("rest");
  return {
    way: "two passes over the data: one counts what each tile keeps, one moves the items",
    why: [
      isInTwo
        ? "The rest starts where the kept items end, which is known only after all of them are counted."
        : twiceWhy(planned),
      ...algorithmWhy(planned),
    ],
    table: "twoPass",
  };
}

const eachRow = (planned: Planned): Told => ({
  way:
    planned.passes.length === 1
      ? "one dispatch: work-groups take whole rows"
      : `one pass over parts of the rows, and ${planned.passes.length - 1} more over the totals of parts`,
  why: [
    planned.passes.length === 1
      ? "A row fits in a tile, so no tile waits for another one."
      : "A row is longer than a tile.",
    ...algorithmWhy(planned),
  ],
  table: "rows",
});

const isSortPass = ({ kernel }: Pass): boolean => /^sort_(keys_)?pass$/.test(kernel.entryPoint);

const links = ({ sources }: Kernel, file: string): boolean =>
  sources.some((source) => "text" in source && source.name === file);

/** How a pass of a sort finds the places of a tile's items. */
function rankWhy({ passes, asked: { facts, algorithm } }: Planned): string[] {
  const kernel = passes.find(isSortPass)?.kernel;
  if (kernel === undefined) {
    return [];
  }
  const reason = algorithm
    ? `the algorithm ${algorithm} was asked for`
    : facts.features.has("subgroups")
      ? "the table of sizes says so"
      : "there are no subgroups";
  const byArrival =
    kernel.entryPoint === "sort_keys_pass" || links(kernel, "shaders/device/sort/rank_by_marks.wgsl");
  const how = byArrival
    ? "Items of a tile are ranked as they arrive at counters, and by votes of subgroups where that is wrong"
    : enables(kernel)
      ? "Items of a tile are ranked by votes of subgroups"
      : "Items of a tile are ranked by counters of each thread";
  return [`${how}: ${reason}.`];
}

const passesOfSort = (passes: readonly Pass[]): number => passes.filter(isSortPass).length;

/** What a radix sort sorts by, how often it moves the items, and what comes after it. */
function digitsOf(passes: readonly Pass[]): string {
  const count = passesOfSort(passes);
  const bySegments = has(passes, "number_segments")
    ? ", first of the keys and then of the segments' numbers"
    : "";
  const moves =
    has(passes, "gather_items") || has(passes, "store_first")
      ? "; it sorts positions, and the items are moved to them at the end"
      : "";
  return `a radix sort by ${counted(count, "digit")}${bySegments}${moves}`;
}

const longRowsWhy = ({ passes }: Planned): string[] =>
  has(passes, "number_segments") ? ["Segments are too long to be sorted in work-group memory."] : [];

const sortCountedAtOnce = (planned: Planned): Told => ({
  way: `${digitsOf(planned.passes)}. All digits are counted at once; each pass reads the items once and moves them`,
  why: [...longRowsWhy(planned), lookBackWhy(planned.asked), ...rankWhy(planned)],
  table: "sort",
});

const sortCountedByPass = (planned: Planned): Told => ({
  way: `${digitsOf(planned.passes)}. Each pass counts its digit, and then reads the items again and moves them`,
  why: [
    ...longRowsWhy(planned),
    noLookBackWhy(planned.asked, "The data is too long for the entries of a look-back."),
    ...rankWhy(planned),
  ],
  table: "sort",
});

function shortSegments({ passes }: Planned): Told {
  const sorts = passes.filter(({ kernel }) => kernel.entryPoint.startsWith("sort_")).length;
  const stores = passes.length > sorts ? "; the first items of each are stored at the end" : "";
  return {
    way:
      sorts === 1
        ? `each segment is sorted in work-group memory, in one dispatch${stores}`
        : `chunks of segments are sorted in work-group memory, and the first items of these again${stores}`,
    why: [sorts === 1 ? "The longest segment fits there." : "A chunk fits there."],
    table: "segmentSort",
  };
}

const counted = (count: number, thing: string, things = `${thing}s`): string =>
  `${count} ${count === 1 ? thing : things}`;

const otherWay = ({ passes }: Planned): Told => ({
  way: counted(passes.length, "dispatch", "dispatches"),
  why: ["This primitive has no other way for such data."],
  table: undefined,
});

/** The ways, by the entry points that their plans begin with. */
const ways: Readonly<Record<string, (planned: Planned) => Told>> = {
  scan_single_pass: singlePass,
  scan_flat_segments: singlePass,
  scan_long_rows: longRows,
  compact_single_pass: singlePass,
  run_lengths: singlePass,
  reduce_tiles: tilesReduced,
  scan_tiles: oneTile,
  count_tiles: keptCounted,
  scan_each_row: eachRow,
  reduce_each_row: eachRow,
  // A sort counts its digits by the histogram's kernel.
  histogram: sortCountedAtOnce,
  count_digits: sortCountedByPass,
  sort_by_comparing: () => ({
    way: "one dispatch: each item is compared with all others",
    why: ["The data is so short that this is the faster way."],
    table: "sort",
  }),
  sort_short_segments: shortSegments,
  sort_segments_in_threads: shortSegments,
  sort_keys_in_threads: shortSegments,
  sort_segments: shortSegments,
};
