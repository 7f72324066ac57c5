// What explored.test.ts explores of the single pass, if the model changed.

import { describe, expect, test } from "vitest";
import type { MemoryModel, Options } from "./explore.ts";
import { explore, webgpu } from "./explore.ts";
import { exampleInGuide, statesInGuide } from "./lines.ts";
import type { ScanOptions, ScanRule } from "./scan.ts";
import { scanDefaults, scanModel, scanRules } from "./scan.ts";

/** Less than WebGPU promises: each load returns anything that was ever there, of earlier runs too. */
const weakest: MemoryModel = { coherent: false, dispatchesInOrder: false };

const STUCK_MS = 400_000;

/** What is explored, and how many states there are. The default is four tiles and two runs. */
const proofs: readonly (Partial<ScanOptions> & { memory: MemoryModel; states: number })[] = [
  { way: "by threads", memory: weakest, states: 27_235 },
  { way: "by votes", memory: weakest, states: 27_235 },
  { way: "by threads", fanOut: 4, memory: weakest, states: 8_361 },
  { way: "by votes", fanOut: 4, memory: weakest, states: 8_361 },
  { way: "by threads", fanOut: 1, memory: weakest, states: 244_804 },
  { way: "by threads", tickets: true, memory: weakest, states: 29_783 },
  { way: "by threads", numbers: 1, memory: weakest, states: 4_190 },
  { way: "by threads", tiles: 3, wordByWord: true, memory: weakest, states: 8_491 },
  { way: "by threads", memory: webgpu, states: 513_370 },
  { way: "by votes", runs: 1, memory: webgpu, states: 188_378 },
  { way: "by threads", inPlace: true, memory: webgpu, states: 4_714 },
  { way: "by votes", inPlace: true, runs: 1, memory: webgpu, states: 591 },
  { way: "by threads", inPlace: true, fanOut: 1, tiles: 3, memory: webgpu, states: 780 },
  {
    way: "by threads",
    inPlace: true,
    tickets: true,
    tiles: 3,
    wordByWord: true,
    memory: webgpu,
    states: 1_618,
  },
  // The owner's total and a stand-in's may have different bits.
  { way: "by threads", bitsDiffer: true, runs: 1, memory: weakest, states: 7_095 },
  { way: "by votes", bitsDiffer: true, runs: 1, memory: weakest, states: 7_095 },
  { way: "by threads", fanOut: 1, bitsDiffer: true, runs: 1, memory: weakest, states: 49_831 },
];

const titleOf = ({ memory, states: _, ...options }: (typeof proofs)[number]): string =>
  `${JSON.stringify(options)}, ${memory === webgpu ? "by WebGPU's promises" : "by less than WebGPU promises"}`;

test.each(proofs.map((proof) => ({ title: titleOf(proof), proof })))(
  "no interleaving gives a wrong prefix or goes on for ever: $title",
  { timeout: STUCK_MS },
  ({ proof: { memory, states, ...options } }) => {
    const found = explore(scanModel({ ...scanDefaults, ...options }), { memory });
    expect(found.counterExample).toBeUndefined();
    expect(found.states).toBe(states);
  },
);

test("the guide's numbers of states are of these", () => {
  const states = ["groups of", "in place"].flatMap(statesInGuide);
  expect(states).toHaveLength(7);
  expect(states.filter((number) => proofs.every((proof) => proof.states !== number))).toEqual([]);
});

/** How each rule's absence shows, and what the last lines of the counter-example name. */
const shows: Readonly<
  Record<
    ScanRule,
    { readonly options?: Partial<ScanOptions>; readonly memory?: MemoryModel; readonly wrong: RegExp }
  >
> = {
  "each word has a tag": { wrong: /finds a1⟨b1\|⟩, and a1b1 comes before it/ },
  "tag and value are in one word": { wrong: /finds a1, and a1b1 comes before it/ },
  // Only where a place was seen to go back.
  "tag and value come from one load": { memory: weakest, wrong: /finds a1, and a1b1 comes before it/ },
  "owner and stand-in have places of their own": { options: { bitsDiffer: true }, wrong: /finds ⟨a1\|a1'⟩/ },
  // Two stand-ins add up one carry from different totals: the owner's and a stand-in's of the same tile.
  "one stand-in hands on a carry": {
    options: { tiles: 5, bitsDiffer: true, runs: 1 },
    memory: weakest,
    wrong: /carry of group 1 by a stand-in: ⟨(.|\n)*finds ⟨/,
  },
  "no wait is without end": { wrong: /waits for ever while the others stand still/ },
  "the input stays as it is": { wrong: /finds ⟨prefixes of tile 0⟩/ },
  "a tag is the number of the run": { wrong: /tile 2 of run 2 finds a1b1, and a2b2 comes before it/ },
  "numbers used up, spine replaced": {
    options: { numbers: 1 },
    wrong: /tile 2 of run 2 finds a1b1, and a2b2 comes before it/,
  },
  "no run has the number of an empty entry": { wrong: /run 1 finds nothing, and a1b1 comes before it/ },
  "tickets are taken by one addition": { options: { tickets: true }, wrong: /nobody took tile/ },
  "each run has a ticket of its own": {
    options: { tickets: true },
    wrong: /run 2 ends, and nobody took tile 0/,
  },
  "who lacks a total says so": { wrong: /finds a1⟨nothing⟩/ },
  "a carry counts if no thread lacks a total of its group": { wrong: /finds a1⟨nothing⟩/ },
  "a tile that is left says so": { options: { inPlace: true }, wrong: /is not left, and holds items/ },
  "a tile that is left keeps its items": { options: { inPlace: true }, wrong: /is left, and holds prefixes/ },
  "a tile is left in one run": { options: { inPlace: true }, wrong: /run 2 is left, and holds prefixes/ },
};

const run = (options: Partial<ScanOptions>, how: Options) =>
  explore(scanModel({ ...scanDefaults, ...options }), how);

/** A counter-example as a person reads it. */
const textOf = ({ counterExample }: ReturnType<typeof run>): string =>
  counterExample === undefined ? "" : [...counterExample.trace, counterExample.wrong].join("\n");

describe("a rule that is left out gives a counter-example", () => {
  const rules = Object.keys(scanRules) as ScanRule[];
  test.each(rules)("%s", { timeout: STUCK_MS }, (without) => {
    const { options, memory = webgpu, wrong } = shows[without];
    const found = run({ ...options, without }, { memory });
    expect(textOf(found)).toMatch(wrong);
  });

  test("a counter-example reads well", () => {
    const found = run({ without: "each word has a tag", tiles: 2 }, { memory: webgpu });
    // The numbers of lines change with the shaders.
    const text = textOf(found)
      .replaceAll(/\.wgsl:[1-9]\d*\]/g, "]")
      .split("\n");
    const guide = exampleInGuide();
    expect(guide.length).toBeGreaterThan(3);
    expect(text).toEqual(
      expect.arrayContaining(guide.filter((line) => line !== "…").map((line) => line.replace(".wgsl]", "]"))),
    );
    expect(text).toEqual([
      "tile 0 of run 1 stores total of tile 0, word 0 = 1:a1; total of tile 0, word 1 = 1:a1  [write_place, look_back/spine_entries]",
      "tile 1 of run 1 stores total of tile 1, word 0 = 1:b1; total of tile 1, word 1 = 1:b1  [write_place, look_back/spine_entries]",
      "tile 1 looks back  [read_groups, look_back/look_back_threads]",
      "    reads total of tile 0: not there  [read_place, look_back/spine_entries]",
      "    reads total of tile 0 by a stand-in: not there  [read_place, look_back/spine_entries]",
      "tile 1 looks again, slowly  [look_back, look_back/look_back]",
      "    reads total of tile 0: ⟨a1|⟩  [read_place, look_back/spine_entries]",
      "tile 1 of run 1 stores carry of group 1, word 0 = 1:⟨a1|⟩b1; carry of group 1, word 1 = 1:⟨a1|⟩b1  [write_place, look_back/spine_entries]",
      "tile 1 ends; before it comes ⟨a1|⟩  [take_tile, kernels/scan_single_pass]",
      "tile 1 of run 1 finds ⟨a1|⟩, and a1 comes before it",
    ]);
  });

  test.each([
    ["each word has a tag", /finds .*⟨/],
    ["no wait is without end", /waits for ever/],
    ["who lacks a total says so", /finds a1b1⟨nothing⟩/],
  ] as const)("by votes: %s", (without, wrong) => {
    expect(textOf(run({ way: "by votes", runs: 1, without }, { memory: webgpu }))).toMatch(wrong);
  });
});

test("in place, a run relies on WebGPU's order of dispatches", () => {
  const memory = { coherent: true, dispatchesInOrder: false };
  expect(textOf(run({ inPlace: true, runs: 1 }, { memory }))).toMatch(/is not left, and holds items/);
});

test("the value may be loaded again if no place goes back", () => {
  const found = run({ runs: 1, tiles: 3, without: "tag and value come from one load" }, { memory: webgpu });
  expect(found.counterExample).toBeUndefined();
});

// Two tiles at a time fit on the device, and a work-group that started goes on. Then waiting without end is right if tiles are
// taken in the order in which work-groups start, and only then. Since no wait is without end, tickets only save time.
test("without tickets, work-groups that wait without end fill the device and wait for one that cannot start", () => {
  const waiting = { runs: 1, without: "no wait is without end" } as const;
  const how = { memory: webgpu, slots: 2 };
  expect(run({ ...waiting, tickets: true }, how).counterExample).toBeUndefined();
  expect(textOf(run({ ...waiting, tickets: false }, how))).toMatch(
    /all work-groups that fit on the device wait/,
  );
});

test("carries by several stand-ins are wrong in groups of one, too", { timeout: STUCK_MS }, () => {
  const without = "one stand-in hands on a carry";
  const found = run({ fanOut: 1, runs: 1, bitsDiffer: true, without }, { memory: weakest });
  expect(textOf(found)).toMatch(shows[without].wrong);
});
