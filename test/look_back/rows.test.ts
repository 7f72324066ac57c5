import { expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import type { Fold } from "../../src/node.ts";
import { untyped, useFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import type { Change, Mutations, RowShape, Tried } from "./support.ts";
import {
  expectExact,
  expectSeen,
  faults,
  fewLanes,
  machineOfMutations,
  needVotes,
  prepareRows,
  rowsOf,
  runsOfRows,
  STUCK_MS,
  smallTiles,
} from "./support.ts";

// Rows that are longer than a tile look back within themselves. Each fault of the look-back is planted in a run of its own.

const fold = useFold(fewLanes);
const foldOfMutations = useFold(machineOfMutations);

/** Rows that end within a vector's tile, and at one; of two tiles, of about a group, of a group and one, and of several groups. */
const shapesOf = (tile: number, fanOut: number): RowShape[] => [
  [1.5 * tile, 40],
  [2 * tile - 4, 9],
  [fanOut * tile - 4, 3],
  [fanOut * tile, 5],
  [(fanOut + 1) * tile + tile / 2 + 4, 4],
  [5 * fanOut * tile + 12, 2],
  [9 * fanOut * tile, 1],
];

async function longRows(fold: Fold, change?: Change): Promise<Tried> {
  const { sizes, tile, fanOut, most } = smallTiles(fold, 4);
  const subject = await prepareRows(
    fold,
    { type: u32, op: untyped(affine), maxLength: most, segments: "rows", ...sizes } as never,
    { faults, patience: 16 },
    change,
  );
  return { ...subject, runs: runsOfRows(shapesOf(tile, fanOut), most, false, untyped(affine)) };
}

test(
  "each fault in long rows",
  async ({ skip }) => {
    needVotes(fold(), skip);
    const { runs, ...subject } = await longRows(fold());
    const [pass] = subject.plan.passes(runs[0]?.data.length ?? 0, "vectors", false, {
      columns: runs[0]?.rows ?? 1,
    });
    expect(pass?.kernel.entryPoint).toBe("scan_long_rows");
    await expectExact(subject, runs);
    subject.prepared.destroy();
  },
  STUCK_MS,
);

/** One rule broken in the kernel's text. */
const mutations: Mutations<{ readonly caughtBy: RegExp }> = {
  "all rows share the first row's entries": [
    "(long_row_group + place / GROUP_ENTRIES)",
    "(place / GROUP_ENTRIES)",
    { caughtBy: /none: all/ },
  ],
  "a row has one group, however many tiles it has": [
    "row * (call.row_tiles / FAN_OUT + 1u)",
    "row",
    { caughtBy: /none/ },
  ],
  "a missing total is computed from the first row": [
    "let vector = long_row_first + place;",
    "let vector = place;",
    { caughtBy: /^\d+ rows of \d+, (never|only|all but)/ },
  ],
};

test.for(rowsOf(mutations))("seen: $title", { timeout: STUCK_MS }, async ({ change, caughtBy }, { skip }) => {
  needVotes(foldOfMutations(), skip);
  await expectSeen(await longRows(foldOfMutations(), change), caughtBy);
});
