import { traitsOf } from "../adapters/adapter.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
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

/** Whether a pass has this entry point. */
export const has = (passes: readonly Pass[], name: string): boolean =>
  passes.some(({ kernel }) => kernel.entryPoint === name);

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
  const mayStandIn = grouping.algorithm === "blelloch" && !facts.features.has("subgroups");
  return [
    mayStandIn
      ? `${how}, as the row says or for lack of subgroups.`
      : `${how}, which the row of sizes names.`,
  ];
}

/** Why work-groups of one dispatch may wait for each other's results. */
export function lookBackWhy({ facts, passes }: Asked): string {
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
export function noLookBackWhy({ facts, passes }: Asked, otherwise: string): string {
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

/** A number of things, in words. */
export const counted = (count: number, thing: string, things = `${thing}s`): string =>
  `${count} ${count === 1 ? thing : things}`;

const otherWay = ({ passes }: Planned): Told => ({
  way: counted(passes.length, "dispatch", "dispatches"),
  why: ["This primitive has no other way for such data."],
  table: undefined,
});

/** The ways of scans, reductions and compactions, by the entry points that their plans begin with. The other ways are those of descriptions. */
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
};
