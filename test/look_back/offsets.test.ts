import { expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { untyped, useFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { affineItems } from "./operators.ts";
import type { Change, Mutations, Run, Tried } from "./support.ts";
import {
  contextOfFold,
  expectExact,
  expectSeen,
  FAULTS,
  faultOf,
  faults,
  fewLanes,
  needVotes,
  prepareReduce,
  rowsOf,
  STUCK_MS,
  smallTiles,
} from "./support.ts";

// Reductions by offsets, whose tiles are of items: segments end anywhere in them. Each fault of the look-back is planted in a run of
// its own.

const fold = useFold(fewLanes);

/** Offsets of segments whose lengths follow from their number, up to a length. */
function offsetsBy(length: number, lengthOf: (segment: number) => number, first = 0): number[] {
  const found = [first];
  for (let at = first; at < length; ) {
    at = Math.min(length, at + lengthOf(found.length - 1));
    found.push(at);
  }
  return found;
}

const shapesOf = (
  tile: number,
  fanOut: number,
  near: number,
): (readonly [length: number, offsets: readonly number[]])[] => {
  const deep = 5 * fanOut * tile + 12;
  const few = Math.min(tile, 1024);
  return [
    [3 * tile, offsetsBy(3 * tile, () => 1)],
    [deep, offsetsBy(deep, (at) => (at * 7) % 33)],
    // Segments that end with tiles, and empty ones behind them.
    [deep, offsetsBy(deep, (at) => (at % 3 === 0 ? tile : 0))],
    // The first items and the last ones are in no segment.
    [deep, [...offsetsBy(deep - tile - 5, (at) => (at % 5) * 11, tile), deep - 7]],
    [deep, [3, 3, deep]],
    // Segments that start before a tile by as many items as are read again, and by one more.
    [
      deep,
      [
        0,
        ...Array.from({ length: 5 * fanOut }, (_, at) => [
          (at + 1) * tile - near - (at % 2),
          (at + 1) * tile + 3,
        ]).flat(),
      ],
    ],
    // Many empty segments in one place, more than a work-group has threads, and offsets past the end.
    [
      deep,
      [
        0,
        ...Array<number>(900).fill(tile + 5),
        tile + 6,
        ...Array<number>(99).fill(deep - 1),
        deep,
        deep + 9,
      ],
    ],
    [9 * fanOut * tile, [0, 9 * fanOut * tile]],
    // Empty segments of each number up to some strides. Their offsets are half as many as the square of the items.
    [few, offsetsBy(few, (at) => (Number.isInteger(Math.sqrt(8 * at + 1)) ? 1 : 0))],
    // Two segments of 32 items, and an empty one between those of the other words.
    [2 * tile, offsetsBy(2 * tile, (at) => [16, 0, 0, 16, 32, 1, 31][at % 7] as number)],
  ];
};

/** The items of a vector, of which each lane of a subgroup reads one again. */
const NEAR_VECTOR = 4;

const known = new Map<string, readonly Run[]>();

/** The data, the offsets and the totals of each shape. All tests of one size share them: a GPU's tiles make them long. */
function casesOf(tile: number, fanOut: number, near: number): readonly Run[] {
  const name = `${tile} ${fanOut}`;
  const cases =
    known.get(name) ??
    shapesOf(tile, fanOut, near).map(([length, given]): Run => {
      const data = affineItems(length, `offsets ${length}`);
      const ends = given.map((end) => Math.min(end, length));
      const expected = Uint32Array.from({ length: given.length - 1 }, (_, segment) =>
        Number(reduceReference(data.slice(ends[segment], ends[segment + 1]), { op: affine } as never)),
      );
      return {
        data,
        expected,
        offsets: Uint32Array.from(given),
        title: `${length} items, ${given.length - 1} segments`,
      };
    });
  known.set(name, cases);
  return cases;
}

async function byOffsets(change?: Change): Promise<Tried> {
  const { sizes, tile, fanOut, most } = smallTiles(fold(), 8);
  const subject = await prepareReduce(
    fold(),
    {
      type: u32,
      op: untyped(affine),
      segments: "offsets",
      maxLength: most,
      algorithm: "subgroup",
      passes: "single",
      ...sizes,
    } as never,
    { faults, patience: 16 },
    { ...(change && { change }) },
  );
  const shapes = casesOf(tile, fanOut, NEAR_VECTOR * contextOfFold(fold()).facts.subgroupMinSize);
  const runs = Array.from({ length: Math.max(FAULTS, shapes.length) }, (_, at): Run => {
    const { title, ...one } = shapes[at % shapes.length] as Run;
    return { ...one, title: `${title}, ${faultOf(at + 1)}` };
  });
  return { ...subject, runs };
}

test("each fault", { timeout: STUCK_MS }, async ({ skip }) => {
  needVotes(fold(), skip);
  const { runs, ...subject } = await byOffsets();
  const passes = subject.plan.passes(runs[0]?.data.length ?? 0, "vectors");
  expect(passes.map(({ kernel }) => kernel.entryPoint)).toEqual(["reduce_offsets"]);
  await expectExact(subject, runs);
  subject.prepared.destroy();
});

/** One rule broken in the text of a kernel that has it. */
const mutations: Mutations = {
  "an end at a tile's end is dropped": ["behind <= end)", "behind < end)"],
  "the first segment begins with the first item": ["if (start > begin && start <= end) {", "if (false) {"],
  "empty segments are not noted": ["/ LANE_ITEMS], HAS_EMPTY);", "/ LANE_ITEMS], 0u);"],
  "an empty segment's stride passes others": ["segment + stride + 1u,", "segment + stride,"],
  "a share of the empty segments is short": ["call.tiles + 1u;", "call.tiles;"],
  "nothing comes before the first total": ["combine_values(open, first)", "first"],
  "what comes before the first total comes after it": [
    "combine_values(open, first)",
    "combine_values(first, open)",
  ],
  "what is near before a tile has the segment before": [/place\w* \* VECTOR \+ \w+ >= start\b/, "true"],
  "what is near before a tile is left out": ["near_total = total;", "near_total = value_identity();"],
  "what is farther before a tile counts as near": [
    "<= MIN_SUBGROUP_SIZE * VECTOR",
    "<= MIN_SUBGROUP_SIZE * VECTOR + 1u",
  ],
  "the first total of a tile waits for nothing": [
    "is_first = tiles.before.heads == 0u;",
    "is_first = false;",
  ],
  "lanes in the other order": ["combine_values(other, tail)", "combine_values(tail, other)"],
  "a lane's end is passed": ["min(distance, subgroup_rank)", "subgroup_rank"],
  "an end among a lane's items is passed": [
    /\(ends & \(1u << \((3u|item) - 1u\)\)\) != 0u/,
    "$1 != 3u && $&",
  ],
  "what is behind a lane's last end is not new": [
    "if ((ends & (1u << (LANE_ITEMS - 1u))) != 0u) {",
    "if (false) {",
  ],
  "nothing comes before a lane's first end": [/total\w* = combine_values\(earlier\w*, total\w*\);/, ""],
  "a lane's first end comes before each one": [/earlier\w* = value_identity\(\);/, ""],
  "an open row takes nothing of the subgroups before": [
    /earlier\w* = combine_values\(tiles\.before\.value, earlier\w*\);/,
    "",
  ],
  "a place before the empty segments": [/(place\w*) = place_from\(place\w*, [^;]*;/, "$1 += 0u;"],
  "a look-back ends at a tile in which no segment ends": [
    "member < tiles && found.element.heads > 0u",
    "member < tiles",
  ],
  "a look-back ends one tile late": [
    "select(firstLeadingBit(ends), 0u, ends == 0u)",
    "select(firstLeadingBit(ends) + 1u, 0u, ends == 0u)",
  ],
  "ends of a lane are not counted": [/place\w* \+= 1u;/, ""],
  "a missing total has no end": ["if (index == own || index == last) {", "if (index == own) {"],
  "the search stops at a segment that ends before the tile": ["<= tile * TILE);", "< tile * TILE - 1u);"],
};

test.for(rowsOf(mutations))("seen: $title", { timeout: STUCK_MS }, async ({ change }, { skip }) => {
  needVotes(fold(), skip);
  await expectSeen(await byOffsets(change));
});
