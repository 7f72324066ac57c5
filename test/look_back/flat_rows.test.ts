import { expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { untyped, useSoftwareFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { rows } from "../support/rows.ts";
import type { Change, RowShape, Run, Subject } from "./support.ts";
import {
  contextOfFold,
  expectExact,
  faults,
  needVotes,
  prepareScan,
  runsOfRows,
  STUCK_MS,
  wrongRuns,
} from "./support.ts";

// Rows in tiles of items: rows start anywhere in tiles and in vectors. Each fault of the look-back is planted in a run of its own.

const fold = useSoftwareFold();

/** Columns and rows. Rows end with tiles, one item before and after; within vectors; and as many at a time as a vector has items. */
const shapesOf = (tile: number, fanOut: number): RowShape[] => [
  [tile / 2 + 1, 90],
  [tile - 1, 40],
  [tile + 1, 40],
  [2 * tile - 3, 9],
  [fanOut * tile, 5],
  [fanOut * tile - 5, 3],
  [(fanOut + 1) * tile + tile / 2 + 3, 4],
  [5 * fanOut * tile + 11, 2],
  [17 * fanOut * tile, 1],
  [1, 3 * tile],
  [2, 2 * tile + 1],
  [3, 3 * tile],
  [5, tile],
  [33, tile + 2],
  [tile, 7],
];

async function flatRows(
  exclusive: boolean,
  change?: Change,
): Promise<Subject & { readonly runs: readonly Run[] }> {
  const { subgroupMaxSize, subgroupMinSize } = contextOfFold(fold()).facts;
  const own = { workGroupSize: subgroupMaxSize * 2, itemsPerThread: 8 };
  const tile = own.workGroupSize * own.itemsPerThread;
  const fanOut = Math.min(30, subgroupMinSize - 2);
  const most = 20 * fanOut * tile;
  const subject = await prepareScan(
    fold(),
    {
      type: u32,
      op: untyped(affine),
      maxLength: most,
      segments: "rows",
      exclusive,
      algorithm: "subgroup",
      passes: "single",
      ...own,
    } as never,
    { faults, patience: 16 },
    { ...(change && { change }) },
  );
  return { ...subject, runs: runsOfRows(shapesOf(tile, fanOut), most, exclusive) };
}

test.for([{ exclusive: false }, { exclusive: true }])(
  "each fault in rows, exclusive: $exclusive",
  { timeout: STUCK_MS },
  async ({ exclusive }, { skip }) => {
    needVotes(fold(), skip);
    const { runs, ...subject } = await flatRows(exclusive);
    const [pass] = subject.plan.passes(runs[0]?.data.length ?? 0, "vectors", false, {
      columns: runs[0]?.rows ?? 1,
    });
    expect(pass?.kernel.entryPoint).toBe("scan_flat_rows");
    await expectExact(subject, runs);
    subject.prepared.destroy();
  },
);

/** One rule broken in the kernel's text. */
const mutations: readonly { readonly title: string; readonly change: Change }[] = [
  {
    title: "a row's end is one item late",
    change: [["let last = params.columns - 1u - column;", "let last = params.columns - column;"]],
  },
  {
    title: "rows of few items end at the last one",
    change: [["if (next == params.columns) {", "if (false) {"]],
  },
  {
    title: "a row that ends within a vector goes on in it",
    change: [[/prefix_\d+ = value_identity\(\);|prefix = value_identity\(\);/, ""]],
  },
  {
    title: "what comes before the subgroup reaches the next row",
    change: [[/< open_end\b/, "<= open_end"]],
  },
  {
    title: "what comes before the subgroup reaches one item less",
    change: [[/< open_end\b/, "+ 1u < open_end"]],
  },
  {
    title: "what comes before the tile comes after what comes before the subgroup",
    change: [["combine(carry(), tiles.before).value", "combine(tiles.before, carry()).value"]],
  },
  {
    title: "columns are not taken back at a row's end",
    change: [["column = select(column, column - params.columns, column >= params.columns);", ""]],
  },
  {
    title: "a missing total starts its vectors with rows",
    change: [["ends_from(place * VECTOR % params.columns)", "ends_from(0u)"]],
  },
];

test.for(rows(mutations, { of: 4 }))("seen: $title", { timeout: STUCK_MS }, async ({ change }, { skip }) => {
  needVotes(fold(), skip);
  const { runs, ...subject } = await flatRows(true, change);
  expect(await wrongRuns(subject, runs)).not.toEqual([]);
  subject.prepared.destroy();
});
