import { expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { add } from "../../src/algebra/operators.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { destroyAll, readWords, storageBuffer } from "../support/buffers.ts";
import { expectWithin } from "../support/compare.ts";
import { untyped, useFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { randomBits } from "../support/random.ts";
import { poisoned } from "../support/short_bindings.ts";
import { affineItems } from "./operators.ts";
import type { Change, Mutations, Run, Tried } from "./support.ts";
import {
  expectExact,
  expectSeen,
  FAULTS,
  faultOf,
  faults,
  fewLanes,
  floatsUnderFaults,
  needVotes,
  prepareScan,
  rowsOf,
  STUCK_MS,
  smallTiles,
} from "./support.ts";

// Segments by keys, flags and bits whose threads hold values without heads. Each fault of the look-back is planted in a run of its own. Some
// operators must have their operands in order. A sum may have them in any order, and then a tile's total comes before its scan.

const fold = useFold(fewLanes);

const operators = { "in order": affine, "in any order": add } as const;
type Order = keyof typeof operators;
const kinds = ["keys", "heads", "headBits"] as const;
type Kind = (typeof kinds)[number];

/** The items of most segments, and how many items come before the first one. */
type Segments = readonly [each: number, before: number];

/** Segments start with tiles, one item before and after; with vectors and within; in all lanes, in few, and in none. */
const segmentsOf = (tile: number, fanOut: number): Segments[] => [
  [tile / 2 + 1, 3],
  [tile - 1, 0],
  [tile + 1, 1],
  [tile, 0],
  [tile, tile - 1],
  [2 * tile - 3, 5],
  [fanOut * tile, 7],
  [fanOut * tile - 5, 2],
  [(fanOut + 1) * tile + tile / 2 + 3, 0],
  [5 * fanOut * tile + 11, 9],
  [9 * fanOut * tile, 1],
  [1, 0],
  [2, 1],
  [3, 0],
  [5, 2],
  [33, 31],
  [32, 32],
];

function sizesOf() {
  const { sizes, tile, fanOut } = smallTiles(fold(), 8);
  const most = 6 * fanOut * tile;
  const options = { maxLength: most, algorithm: "subgroup", passes: "single", ...sizes } as const;
  return { most, options, tile, segments: segmentsOf(tile, fanOut) };
}

/** A flag for each item: some segments are cut in two. */
function flagsOf(length: number, [each, before]: Segments, name: string): Uint32Array {
  const next = randomBits(name);
  return Uint32Array.from({ length }, (_, index) => {
    const isHead = (index + each - (before % each)) % each === 0 || next() % (7 * each + 100) === 0;
    return isHead ? 1 + (index % 5) : 0;
  });
}

/** What says where segments start, as a range holds it. */
function startsOf(kind: Kind, flags: Uint32Array): Pick<Run, "heads" | "keys"> {
  if (kind === "heads") {
    return { heads: flags };
  }
  if (kind === "headBits") {
    const heads = new Uint32Array(Math.ceil(flags.length / 32));
    for (const [at, flag] of flags.entries()) {
      heads[at >>> 5] = (heads[at >>> 5] ?? 0) | (Number(flag > 0) << (at & 31));
    }
    return { heads };
  }
  let key = 0;
  return {
    keys: flags.map((flag) => {
      key += Number(flag > 0);
      return key % 3;
    }),
  };
}

/** The option `segments` of a kind. */
const segmentsBy = (kind: Kind) => (kind === "keys" ? { keys: u32 } : kind);

/** A run for each fault: segments in turn, whose lengths end within tiles and vectors. */
function runsOf(kind: Kind, exclusive: boolean, order: Order): Run[] {
  const { most, tile, segments } = sizesOf();
  const op = untyped(operators[order]);
  return Array.from({ length: FAULTS }, (_, at): Run => {
    const own = segments[at % segments.length] as Segments;
    const length = most - ([0, 1, 5, tile, tile + 3][at % 5] ?? 0);
    const data = affineItems(length, `segments ${at % 2} ${own[0]}`);
    const flags = flagsOf(length, own, `flags ${own[0]} ${at}`);
    return {
      data,
      expected: scanReference(data, { op, exclusive, segments: { heads: flags } } as never) as never,
      ...startsOf(kind, flags),
      title: `${length} items in segments of ${own.join(" after ")}, ${faultOf(at + 1)}`,
    };
  });
}

/** All tests of one kind share their runs. */
const known = new Map<string, readonly Run[]>();

async function flatSegments(kind: Kind, order: Order, exclusive: boolean, change?: Change): Promise<Tried> {
  const { options } = sizesOf();
  const subject = await prepareScan(
    fold(),
    { ...options, type: u32, op: operators[order], exclusive, segments: segmentsBy(kind) } as never,
    { faults, patience: 16 },
    { ...(change && { change }) },
  );
  const name = `${kind} ${order} ${exclusive}`;
  const runs = known.get(name) ?? runsOf(kind, exclusive, order);
  known.set(name, runs);
  return { ...subject, runs };
}

test.for(
  // Each pair of a kind, an order and whether it is exclusive.
  kinds.flatMap((kind, at) =>
    (["in order", "in any order"] as const).map((order, by) => ({
      kind,
      order,
      exclusive: (at + by) % 2 === 1,
    })),
  ),
)(
  "each fault in segments by $kind, $order, exclusive: $exclusive",
  { timeout: STUCK_MS },
  async ({ kind, order, exclusive }, { skip }) => {
    needVotes(fold(), skip);
    const { runs, ...subject } = await flatSegments(kind, order, exclusive);
    const [pass] = subject.plan.passes(runs[0]?.data.length ?? 0, "vectors");
    expect(pass?.kernel.entryPoint).toBe("scan_flat_segments");
    await expectExact(subject, runs);
    subject.prepared.destroy();
  },
);

test("sums of f32: within the bound, and the same bits whatever is late or missing", {
  timeout: STUCK_MS,
}, async ({ skip }) => {
  needVotes(fold(), skip);
  const { options, most, segments } = sizesOf();
  const subject = await prepareScan(
    fold(),
    { ...options, type: f32, exclusive: false, segments: { keys: u32 } } as never,
    { faults, patience: 16 },
  );
  for (const own of [segments[8]] as Segments[]) {
    const flags = flagsOf(most, own, `f32 ${own[0]}`);
    for (const { data, results } of await floatsUnderFaults(subject, most, startsOf("keys", flags))) {
      let sum = 0;
      let items = 0;
      const exact = Array.from(data, (x, index) => {
        const isHead = index === 0 || (flags[index] ?? 0) > 0;
        sum = isHead ? x : sum + x;
        items = isHead ? 0 : items + 1;
        // Each addition may round up or down, by a part in 2^23.
        return { value: sum, bound: items * 2 ** -23 * sum };
      });
      expectWithin(results.subarray(0, most), exact, `segments of ${own[0]}`);
    }
  }
  subject.prepared.destroy();
});

/** One rule broken in the kernel's text. */
const mutations: Mutations<{ readonly kind?: Kind; readonly order?: Order }> = {
  "the key before a vector is its first": ["max(first, 1u) - 1u]", "max(first, 1u)]"],
  "a key within a vector has none before it": [/before\w* = own\w*;/, ""],
  "keys are one item late": ["call.keys_base + first + ", "call.keys_base + first + 1u + "],
  "flags are one item late": [
    "call.heads_base + first + ",
    "call.heads_base + first + 1u + ",
    { kind: "heads" },
  ],
  "a flag counts only if it is 1": [/(flag\w*) != 0u/, "$1 == 1u", { kind: "heads" }],
  "bits are those of the word's first vector": [">> (first % 32u)", ">> 0u", { kind: "headBits" }],
  "what comes before the subgroup reaches the first head": [
    /(index\w*) \+ (\w+) < first_head\b/,
    "$1 + $2 <= first_head",
  ],
  "what comes before the subgroup reaches one item less": [
    /(index\w*) \+ (\w+) < first_head\b/,
    "$1 + $2 + 1u < first_head",
  ],
  "what comes before the subgroup reaches all items": [", scan.first_head)", ", NO_HEAD)"],
  "what lies behind a head in a vector is not looked for": [
    "tail_of_vector(items, heads)",
    "tail_of_vector(items, 0u)",
  ],
  "no segment starts within a vector": [
    /prefixes_of_vector\(scan\w*\.before, items\w*, starts\w*\)/,
    "prefixes_of_vector(scan.before, items, 0u)",
  ],
  "a segment reaches one lane less": [
    "select(subgroup_lane - firstLeadingBit(earlier),",
    "select(subgroup_lane - firstLeadingBit(earlier) - 1u,",
  ],
  "a lane's own head does not count": [
    "votes & ((2u << subgroup_lane) - 1u)",
    "votes & ((1u << subgroup_lane) - 1u)",
  ],
  "an exclusive prefix has what is before its segment": [/earlier\w* = value_identity\(\);/, ""],
  "what comes before the tile comes after what comes before the subgroup": [
    "combine(carry(), scan.subgroups.before).value",
    "combine(scan.subgroups.before, carry()).value",
  ],
  "a run has no head": ["select(1u, 0u, first_head == NO_HEAD)", "0u"],
  "a missing total has no heads": [
    /let starts = heads_at\(place\w* \* VECTOR, length\);/,
    "let starts = 0u;",
  ],
  "a look-back ends at a tile in which no segment starts": [
    "member < tiles && found.element.heads > 0u",
    "member < tiles",
  ],
  "the segment that is open starts one item late": [
    /(index\w*) \+ (\w+) >= first\b/,
    "$1 + $2 > first",
    { order: "in any order" },
  ],
  "what is open at a run's end has all of the run": [
    "thread, last_head_of(heads, tile, thread))",
    "thread, 0u)",
    { order: "in any order" },
  ],
  "a missing total has the segment before it": [
    /place\w* \* VECTOR \+ \w+ >= last_head/,
    "true",
    { order: "in any order" },
  ],
};

test.for(rowsOf(mutations))(
  "seen: $title",
  { timeout: STUCK_MS },
  async ({ kind = "keys", order = "in order", change }, { skip }) => {
    needVotes(fold(), skip);
    await expectSeen(await flatSegments(kind, order, true, change));
  },
);

/** Scans of few items and of some tiles, by a range that starts anywhere: the titles of those that are wrong. */
async function wrongRanges(kind: Kind, change?: Change): Promise<string[]> {
  const { device } = fold();
  const { options, tile } = sizesOf();
  const lengths = [1, 2, 3, 4, 5, tile - 1, tile, 3 * tile + 5];
  const { prepared } = await prepareScan(
    fold(),
    { ...options, maxLength: 4 * tile, type: u32, op: affine, segments: segmentsBy(kind) } as never,
    {},
    { ...(change && { change }) },
  );
  const wrong: string[] = [];
  for (const length of lengths) {
    const flags = flagsOf(length, [3, 1], `range ${length}`);
    const data = affineItems(length, `range ${length}`);
    const expected = scanReference(data, { op: affine, segments: { heads: flags } });
    const { heads, keys } = startsOf(kind, flags);
    for (const before of [0, 1, 2, 3, 4, 7]) {
      const input = storageBuffer(device, data);
      const output = storageBuffer(device, poisoned(length));
      const starts = storageBuffer(
        device,
        Uint32Array.of(...poisoned(before), ...((heads ?? keys) as Uint32Array)),
      );
      const encoder = device.createCommandEncoder();
      const range = { buffer: starts, offset: 4 * before };
      prepared.record(encoder, { input, output, [heads ? "heads" : "keys"]: range, length });
      device.queue.submit([encoder.finish()]);
      const found = await readWords(device, output);
      if (found.some((word, at) => word !== expected[at])) {
        wrong.push(`${length} items, ${before} words before`);
      }
      destroyAll(input, output, starts);
    }
  }
  prepared.destroy();
  return wrong;
}

test.for(kinds.map((kind) => ({ kind })))(
  "ranges of $kind start anywhere, and may have fewer words than a vector",
  async ({ kind }, { skip }) => {
    needVotes(fold(), skip);
    expect(await wrongRanges(kind)).toEqual([]);
  },
);

test.for([
  { kind: "keys", base: "call.keys_base + first" },
  { kind: "heads", base: "call.heads_base + first" },
] as const)("seen: every range of $kind starts at a vector", async ({ kind, base }, { skip }) => {
  needVotes(fold(), skip);
  const rounded = base.replace("call", "VECTOR * (call").replace(" +", " / VECTOR) +");
  expect(await wrongRanges(kind, [[base, rounded]])).not.toEqual([]);
});
