import { expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { add } from "../../src/algebra/operators.ts";
import { untyped, useFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import type { Change, Mutations, RowShape, Run, Tried } from "./support.ts";
import {
  expectExact,
  expectSeen,
  faults,
  fewLanes,
  needVotes,
  prepareScan,
  rowsOf,
  runsOfRows,
  STUCK_MS,
  smallTiles,
} from "./support.ts";

// Rows in tiles of items: rows start anywhere in tiles and in vectors. Each fault of the look-back is planted in a run of its own. Some
// operators must have their operands in order. A sum may have them in any order, and then a tile's total comes before its scan.

const fold = useFold(fewLanes);

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
  [9 * fanOut * tile, 1],
  [1, 3 * tile],
  [2, 2 * tile + 1],
  [3, 3 * tile],
  [5, tile],
  [33, tile + 2],
  [tile, 7],
];

const operators = { "in order": affine, "in any order": add } as const;
type Order = keyof typeof operators;

/** All tests of one order share their runs. */
const known = new Map<string, readonly Run[]>();

async function flatRows(order: Order, exclusive: boolean, change?: Change): Promise<Tried> {
  const { most, options, shapes } = sizesOf();
  const op = untyped(operators[order]);
  const subject = await prepareScan(
    fold(),
    { ...options, type: u32, op, exclusive } as never,
    { faults, patience: 16 },
    { ...(change && { change }) },
  );
  const name = `${order} ${exclusive}`;
  const runs = known.get(name) ?? runsOfRows(shapes, most, exclusive, op);
  known.set(name, runs);
  return { ...subject, runs };
}

function sizesOf() {
  const { sizes, tile, fanOut, most } = smallTiles(fold(), 8);
  const options = {
    maxLength: most,
    segments: "rows",
    algorithm: "subgroup",
    passes: "single",
    ...sizes,
  } as const;
  return { most, options, shapes: shapesOf(tile, fanOut) };
}

test.for([
  { order: "in order", exclusive: true },
  { order: "in any order", exclusive: false },
] as const)(
  "each fault in rows, $order, exclusive: $exclusive",
  { timeout: STUCK_MS },
  async ({ order, exclusive }, { skip }) => {
    needVotes(fold(), skip);
    const { runs, ...subject } = await flatRows(order, exclusive);
    const [pass] = subject.plan.passes(runs[0]?.data.length ?? 0, "vectors", false, {
      columns: runs[0]?.rows ?? 1,
    });
    expect(pass?.kernel.entryPoint).toBe("scan_flat_segments");
    await expectExact(subject, runs);
    subject.prepared.destroy();
  },
);

/** One rule broken in the kernel's text, of those that say where rows start. */
const mutations: Mutations = {
  "a row starts one item late": [
    "call.columns - column, 0u, column == 0u)",
    "call.columns - column + 1u, 0u, column == 0u)",
  ],
  "rows that start with a vector are not seen": [
    "select(call.columns - column, 0u, column == 0u)",
    "call.columns - column",
  ],
  "of rows of few items, only one starts in a vector": [
    /select\((own\w*) \+ 1u, 0u, own\w* \+ 1u == call\.columns\)/,
    "$1 + 1u",
  ],
  "columns are not taken back at a row's end": [
    "column = select(column, column - call.columns, column >= call.columns);",
    "",
  ],
  "a missing total starts its vectors with rows": ["heads_from(first % call.columns)", "heads_from(0u)"],
};

test.for(rowsOf(mutations))("seen: $title", { timeout: STUCK_MS }, async ({ change }, { skip }) => {
  needVotes(fold(), skip);
  await expectSeen(await flatRows("in order", true, change));
});
