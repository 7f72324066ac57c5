import { expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { add } from "../../src/algebra/operators.ts";
import { expectWithin } from "../support/compare.ts";
import { untyped, useFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import type { Change, RowShape, Run, Tried } from "./support.ts";
import {
  expectExact,
  expectSeen,
  faults,
  fewLanes,
  floatsUnderFaults,
  needVotes,
  prepareScan,
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
    expect(pass?.kernel.entryPoint).toBe("scan_flat_rows");
    await expectExact(subject, runs);
    subject.prepared.destroy();
  },
);

test("sums of f32: within the bound, and the same bits whatever is late or missing", {
  timeout: STUCK_MS,
}, async ({ skip }) => {
  needVotes(fold(), skip);
  const { most, options, shapes } = sizesOf();
  const subject = await prepareScan(fold(), { ...options, type: f32, exclusive: false } as never, {
    faults,
    patience: 16,
  });
  for (const [columns, count] of [shapes[5]] as RowShape[]) {
    const length = Math.min(columns * count, Math.floor(most / columns) * columns);
    for (const { data, results } of await floatsUnderFaults(subject, length, { rows: columns })) {
      let sum = 0;
      const exact = Array.from(data, (x, index) => {
        sum = index % columns === 0 ? x : sum + x;
        // Each addition may round up or down, by a part in 2^23.
        return { value: sum, bound: (index % columns) * 2 ** -23 * sum };
      });
      expectWithin(results.subarray(0, length), exact, `rows of ${columns}`);
    }
  }
  subject.prepared.destroy();
});

/** One rule broken in the kernel's text. */
const mutations: readonly { readonly title: string; readonly order?: Order; readonly change: Change }[] = [
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
    change: [["let open_last = begin + (params.columns - 1u -", "let open_last = begin + (params.columns -"]],
  },
  {
    title: "what comes before the subgroup reaches one item less",
    change: [[/<= open_last\b/, "< open_last"]],
  },
  {
    title: "a row that ends one item before its run goes on to the run's end",
    change: [["subgroup_count * ITEMS - 1u", "subgroup_count * ITEMS - 2u"]],
  },
  {
    title: "what lies behind a row's end in a vector is not looked for",
    change: [[/\(ends & \(1u << \(\w+ - 1u\)\)\) != 0u/, "false"]],
  },
  {
    title: "no row starts within a vector",
    change: [[/if \(ends\w* == 0u\) \{(\s*\{\s*let earlier)/, "if (true) {$1"]],
  },
  {
    title: "what comes before the tile comes after what comes before the subgroup",
    change: [["combine(carry(), subgroups.before).value", "combine(subgroups.before, carry()).value"]],
  },
  {
    title: "columns are not taken back at a row's end",
    change: [["column = select(column, column - params.columns, column >= params.columns);", ""]],
  },
  {
    title: "a missing total starts its vectors with rows",
    change: [["open, place * VECTOR % params.columns)", "open, 0u)"]],
  },
  {
    title: "a row reaches one lane less",
    change: [["select(column / VECTOR + 1u, 0u, ends != 0u)", "select(column / VECTOR, 0u, ends != 0u)"]],
  },
  {
    title: "a row has what is before it in the row of vectors",
    change: [["if (distance > subgroup_rank) {", "if (distance >= subgroup_rank) {"]],
  },
  {
    title: "a run has no row's end",
    change: [["begin % params.columns + subgroup_count * ITEMS >= params.columns", "false"]],
  },
  {
    title: "a look-back ends at a tile in which no row ends",
    change: [["member < tiles && found.element.heads > 0u", "member < tiles"]],
  },
  {
    title: "the row that is open starts one item late",
    order: "in any order",
    change: [[/(index\w*) \+ (\w+) >= open_begin\b/, "$1 + $2 > open_begin"]],
  },
  {
    title: "the row that is open has the one before it",
    order: "in any order",
    change: [["max(begin, end - end % params.columns)", "begin"]],
  },
  {
    title: "what is open at a run's end has all of the run",
    order: "in any order",
    change: [["if (open_begin == begin) {", "if (true) {"]],
  },
  {
    title: "a missing total has the row before it",
    order: "in any order",
    change: [[/place\w* \* VECTOR \+ \w+ >= open_begin/, "true"]],
  },
];

test.for(mutations)(
  "seen: $title",
  { timeout: STUCK_MS },
  async ({ order = "in order", change }, { skip }) => {
    needVotes(fold(), skip);
    await expectSeen(await flatRows(order, true, change));
  },
);
