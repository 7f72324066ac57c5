import { describe, expect, test } from "vitest";
import type { Value } from "../../src/algebra/types.ts";
import type { Grouping } from "../../src/plan/grouping.ts";
import { groupedScanFrom } from "../../src/reference/grouping.ts";

// Of strings, so that results say what was combined with what.

/** Puts strings one after another, whatever the grouping. */
const inOrder = {
  identity: "" as unknown as Value,
  reference: (x: Value, y: Value) => `${x}${y}` as unknown as Value,
};

/** The same in brackets. */
const pair = (x: string, y: string): string => (x === "" ? y : y === "" ? x : `(${x}${y})`);
const inBrackets = {
  ...inOrder,
  reference: (x: Value, y: Value) => pair(String(x), String(y)) as unknown as Value,
};

const prefixesOf = (op: typeof inOrder, data: readonly Value[], exclusive: boolean, grouping: Grouping) =>
  groupedScanFrom(op, undefined, data, exclusive, grouping).prefixes;

const items = (length: number): Value[] =>
  Array.from({ length }, (_, at) => String.fromCharCode(0x4e00 + at) as unknown as Value);

describe.each([4, 8, 32])("subgroups of %i", (subgroupSize) => {
  test.each([
    [1, 3, 1],
    [2, 4, 2],
    [2, 6, 1],
    [4, 4, 1],
    [4, 8, 2],
    [4, 12, 1],
    [8, 16, 2],
    [8, 16, 1],
  ])(
    "at most %i rows together, %i items a thread in vectors of %i: the order is kept",
    (most, itemsPerThread, itemsPerVector) => {
      const workGroupSize = 2 * subgroupSize;
      const grouping: Grouping = {
        algorithm: "subgroup",
        passes: "single",
        workGroupSize,
        itemsPerThread,
        itemsPerVector,
        subgroupSize,
        rows: Math.min(most, subgroupSize),
        lookBack: { byVotes: true, fanOut: subgroupSize - 2 },
      };
      const data = items(workGroupSize * itemsPerThread + 3);
      let before = "";
      const expected = data.map((item) => {
        before += String(item);
        return before;
      });
      expect(prefixesOf(inOrder, data, false, grouping)).toEqual(expected);
      expect(prefixesOf(inOrder, data, true, grouping)).toEqual(["", ...expected.slice(0, -1)]);
    },
  );
});

test("a tile's total is that of its rows, two by two, chunk after chunk", () => {
  const grouping: Grouping = {
    algorithm: "subgroup",
    passes: "single",
    workGroupSize: 4,
    itemsPerThread: 8,
    itemsPerVector: 1,
    subgroupSize: 4,
    rows: 4,
    lookBack: { byVotes: true, fanOut: 2 },
  };
  const data = items(33);
  const twoByTwo = (from: number, count: number): string =>
    count === 1 ? String(data[from]) : pair(twoByTwo(from, count / 2), twoByTwo(from + count / 2, count / 2));
  // What comes before the first item of the second tile.
  expect(prefixesOf(inBrackets, data, true, grouping).at(-1)).toBe(pair(twoByTwo(0, 16), twoByTwo(16, 16)));
});
