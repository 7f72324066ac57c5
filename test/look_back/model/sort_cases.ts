// What explored.test.ts explores of a sort's look-back, if the model changed.

import { describe, expect, test } from "vitest";
import type { MemoryModel, Options } from "./explore.ts";
import { explore, webgpu } from "./explore.ts";
import { statesInGuide } from "./lines.ts";
import type { SortOptions, SortRule } from "./sort.ts";
import { sortDefaults, sortModel, sortRules } from "./sort.ts";

const run = (options: Partial<SortOptions>, how: Options) =>
  explore(sortModel({ ...sortDefaults, ...options }), how);

const STUCK_MS = 400_000;

/** Some GPUs were seen to let a place go back to an older value. The next dispatch sees what was stored. */
const incoherent: MemoryModel = { coherent: false, dispatchesInOrder: true };

/** What is explored, and how many states there are. The default is four tiles and two passes. */
const proofs: readonly (Partial<SortOptions> & { how: Options; states: number })[] = [
  { how: { memory: webgpu }, states: 1_764 },
  { sorts: [3, 1], how: { memory: webgpu }, states: 3_528 },
  { atOnce: 4, how: { memory: webgpu }, states: 1_764 },
  { tickets: true, how: { memory: webgpu }, states: 2_006 },
  { tiles: 5, how: { memory: webgpu }, states: 18_576 },
  { tiles: 3, digits: 2, how: { memory: webgpu }, states: 2_058 },
  { digits: 2, how: { memory: webgpu }, states: 178_798 },
  // These end if what is stored is seen some day, and if an exchange works some day.
  { failsForNoReason: true, how: { memory: webgpu, endsWith: "the newest loads" }, states: 2_466 },
  { how: { memory: incoherent, endsWith: "the newest loads" }, states: 770 },
];

test.each(proofs)(
  "no interleaving counts wrong or goes on for ever: %o",
  { timeout: STUCK_MS },
  ({ how, states, ...options }) => {
    const found = run(options, how);
    expect(found.counterExample).toBeUndefined();
    expect(found.states).toBe(states);
  },
);

test("the guide's numbers of states are of these", () => {
  const states = statesInGuide("a sort");
  expect(states).toHaveLength(2);
  expect(states.filter((number) => proofs.every((proof) => proof.states !== number))).toEqual([]);
});

/** How each rule's absence shows. */
const shows: Readonly<Record<SortRule, { readonly options?: Partial<SortOptions>; readonly wrong: RegExp }>> =
  {
    "state and count are in one word": { wrong: /counts "", and "a1" comes before it/ },
    "sums have other bits in every second pass": { wrong: /pass 2 counts "a1", and "a2" comes before it/ },
    "entries are zero when a sort starts": {
      options: { sorts: [1, 1] },
      wrong: /pass 2 counts "a1", and "a2" comes before it/,
    },
    "no tile leaves a part behind": { wrong: /pass 2 counts "a2b1", and "a2b2" comes before it/ },
    "stand-ins exchange, and do not store": { wrong: /pass 2 counts "a2b1", and "a2b2" comes before it/ },
    "the first tile has no part": { wrong: /counts "a1a1", and "a1" comes before it/ },
    "no wait is without end": { wrong: /waits for ever while the others stand still/ },
    "the input stays as it is": { wrong: /moved/ },
    "tickets are taken by one addition": { options: { tickets: true }, wrong: /nobody took tile/ },
  };

const textOf = ({ counterExample }: ReturnType<typeof run>): string =>
  counterExample === undefined ? "" : [...counterExample.trace, counterExample.wrong].join("\n");

describe("a rule that is left out gives a counter-example", () => {
  test.each(Object.keys(sortRules) as SortRule[])("%s", { timeout: STUCK_MS }, (without) => {
    const { options, wrong } = shows[without];
    expect(textOf(run({ ...options, without }, { memory: webgpu }))).toMatch(wrong);
  });
});

test("a pass relies on WebGPU's order of dispatches: else the third one finds sums of the first", () => {
  const memory = { coherent: true, dispatchesInOrder: false };
  expect(textOf(run({ sorts: [3] }, { memory }))).toMatch(/pass [23] counts/);
  expect(run({ sorts: [3] }, { memory: webgpu }).counterExample).toBeUndefined();
});

test("a compare-exchange that fails for no reason every time is the one way to go on for ever", () => {
  expect(textOf(run({ failsForNoReason: true }, { memory: webgpu }))).toMatch(/go round for ever/);
});
