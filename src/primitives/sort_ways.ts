import type { Kernel } from "../kernels/kernel.ts";
import type { Planned, Told } from "../plan/explain_way.ts";
import { counted, has, lookBackWhy, noLookBackWhy } from "../plan/explain_way.ts";
import type { Pass } from "../plan/plan.ts";

// The ways of sorts, and of selections that sort, for `wavefold explain`.

const enables = ({ code }: Kernel): boolean => code.includes("enable subgroups;");

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

/** A sort that counts all digits at once. */
export const sortCountedAtOnce = (planned: Planned): Told => ({
  way: `${digitsOf(planned.passes)}. All digits are counted at once; each pass reads the items once and moves them`,
  why: [...longRowsWhy(planned), lookBackWhy(planned.asked), ...rankWhy(planned)],
  table: "sort",
});

/** A sort that counts a digit in each pass. */
export const sortCountedByPass = (planned: Planned): Told => ({
  way: `${digitsOf(planned.passes)}. Each pass counts its digit, and then reads the items again and moves them`,
  why: [
    ...longRowsWhy(planned),
    noLookBackWhy(planned.asked, "The data is too long for the entries of a look-back."),
    ...rankWhy(planned),
  ],
  table: "sort",
});

/** Sorts of segments that fit in work-group memory. */
export function shortSegments({ passes }: Planned): Told {
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

/** The ways, by the entry points that their plans begin with. */
export const sortWays: Readonly<Record<string, (planned: Planned) => Told>> = {
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
