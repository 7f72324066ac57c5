import { expect, test } from "vitest";
import { exactAdd, tileFormats } from "../../src/algebra/exact_add.ts";
import { exactFormats } from "../../src/algebra/exact_sums.ts";
import { exactTiles } from "../../src/algebra/exact_tiles.ts";
import { f16 } from "../../src/algebra/floats.ts";
import type { Monoid, Operator } from "../../src/algebra/monoid.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import type { TuningOptions } from "../../src/plan/options.ts";
import { scanReference } from "../../src/reference/scan.ts";
import type { FloatRow } from "../support/exact_sums.ts";
import { awkwardSums, floats, floatsOf, spreadItems, tiledItems } from "../support/exact_sums.ts";
import { asOnGpus, untyped, useFold } from "../support/fold.ts";
import type { Change, Run } from "./support.ts";
import {
  contextOfFold,
  expectExact,
  expectSeen,
  faults,
  fewLanes,
  needVotes,
  POISON,
  prepareScan,
  runsAtLengths,
  STUCK_MS,
} from "./support.ts";

// Exact sums of f16 by lanes, in a single pass. SwiftShader has no f16: there, each item has a word, whose lower half is the float's bits.

const fold = useFold(fewLanes);
const ofF16 = floats.find(({ type }) => type.name === "f16") as FloatRow;

/** f16 whose items have a word each. */
const halfWords = { ...f16, bytes: 4, feature: undefined } as unknown as ElementType;
const sumOfHalfWords = {
  ...exactAdd,
  on(op: Operator, type: ElementType, caller: string): Monoid {
    const { domain, ...own } = (exactAdd as Required<Operator>).on(op, f16, caller);
    return {
      ...own,
      type: { ...own.type, ...type, files: own.type.files },
      domain: {
        ...domain,
        stored: "u32",
        fromStored: "exact_item(x)",
        toStored: "bits_from_exact(x)",
      },
      tiles: exactTiles(exactFormats.f16, { ...tileFormats.f16, toOutput: "x" }),
    };
  },
} as unknown as Operator<string>;

/** How the adapter holds items. */
function held(): {
  type: ElementType;
  op: Operator<string>;
  itemsOf(bits: Uint16Array): Uint16Array | Uint32Array;
} {
  return contextOfFold(fold()).facts.features.has("shader-f16")
    ? { type: f16, op: untyped(exactAdd), itemsOf: (bits) => bits }
    : { type: halfWords, op: sumOfHalfWords, itemsOf: (bits) => Uint32Array.from(bits) };
}

/** A scan with its total. */
function runOf(bits: Uint16Array, exclusive: boolean, title: string): Run {
  const { itemsOf } = held();
  const options = { op: exactAdd, type: f16, exclusive } as never;
  const data = itemsOf(bits);
  const total = new Uint16Array(1);
  const expected = scanReference(bits, { ...(options as object), total } as never) as unknown as Uint16Array;
  const [sum] = itemsOf(total);
  return {
    title,
    data,
    expected: itemsOf(expected),
    // An f16 leaves the other half of the word as it was.
    count: data instanceof Uint16Array ? ((POISON & 0xffff0000) | (sum as number)) >>> 0 : (sum as number),
  };
}

/** Sizes that lanes take: two subgroups, and as many as they have lanes. */
const sizes = {
  small: ({ subgroupMaxSize }: DeviceFacts) => ({ workGroupSize: 2 * subgroupMaxSize, itemsPerThread: 2 }),
  large: ({ subgroupMinSize, subgroupMaxSize }: DeviceFacts) => ({
    workGroupSize: Math.max(Math.min(256, subgroupMinSize ** 2), subgroupMaxSize),
    itemsPerThread: 16,
  }),
} as const satisfies Record<string, (facts: DeviceFacts) => TuningOptions>;

/** A scan by lanes, with its total, and the items of a tile. */
async function prepared(
  size: keyof typeof sizes,
  exclusive: boolean,
  maxTiles: number,
  testing: Parameters<typeof prepareScan>[2] = {},
  change?: Change,
) {
  const { facts } = contextOfFold(fold());
  const { type, op } = held();
  const { workGroupSize, itemsPerThread } = sizes[size](facts);
  const tile = workGroupSize * itemsPerThread;
  const subject = await asOnGpus(fold(), () =>
    prepareScan(
      fold(),
      {
        type,
        op,
        exclusive,
        total: true,
        maxLength: Math.max(100, maxTiles * tile),
        passes: "single",
        algorithm: "subgroup",
        workGroupSize,
        itemsPerThread,
      },
      testing,
      { ...(change && { change }) },
    ),
  );
  expect(subject.plan.kernels[0]?.code).toContain("fn scan_lanes(");
  return { subject, tile };
}

/** Arrays of one length: few binades, many, and any bits with NaN and infinities among them. */
const spreads = (length: number, name: string): [string, Uint16Array][] =>
  (
    [
      [8, 8],
      [31, 0],
      [32, 0],
      [3, 28],
      [2, 0],
    ] as const
  ).map(([binades, from]) => [
    `${length} of ${binades} binades`,
    spreadItems(ofF16, length, `${name} ${length}`, binades, from) as Uint16Array,
  ]);

/** Zeros of both signs, and what comes after many of them. */
const zeros = (tile: number): [string, Uint16Array][] =>
  [0x8000, 0].flatMap((zero) =>
    [0, tile - 1, tile, 2 * tile + 3].map((before): [string, Uint16Array] => {
      const items = new Uint16Array(3 * tile).fill(zero);
      items[before] = 0x0001;
      items[before + 1] = 0x8001;
      items.fill(0x8000, before + 2);
      return [`${before} zeros ${zero}`, items];
    }),
  );

test.for([
  { size: "small", exclusive: true },
  { size: "large", exclusive: false },
] as const)(
  "prefixes, $size tiles, exclusive: $exclusive",
  { timeout: STUCK_MS },
  async ({ size, exclusive }, { skip }) => {
    needVotes(fold(), skip);
    const { subject, tile } = await prepared(size, exclusive, 16);
    const lengths = [0, 1, 2, tile - 1, tile, tile + 1, 3 * tile + 5, 9 * tile + 3];
    const arrays: [string, Uint16Array][] = [
      ...lengths.flatMap((length) => spreads(length, `lanes ${exclusive}`)),
      ...awkwardSums(ofF16).map((values): [string, Uint16Array] => [
        values.join(" + "),
        floatsOf(ofF16, values) as Uint16Array,
      ]),
      ...zeros(tile),
      ...wild(tile),
      ...[1, 2, 3].map((seed): [string, Uint16Array] => [
        `tiles ${seed}`,
        tiledItems(ofF16, 8, tile, `lanes ${seed}`) as Uint16Array,
      ]),
    ];
    await expectExact(
      subject,
      arrays.map(([title, bits]) => runOf(bits, exclusive, title)),
    );
  },
);

/** What is no number, first in the run of a thread that numbers come before. */
const wild = (tile: number): [string, Uint16Array][] =>
  [0x7e00, 0x7c00, 0xfc00].flatMap((bits) =>
    [16, tile + 16].map((at): [string, Uint16Array] => [
      `${bits} at ${at}`,
      new Uint16Array(2 * tile + 16).fill(0x3c00).fill(bits, at, at + 1),
    ]),
  );

/** Items of few binades, and of all. */
const spreadRun = (length: number, name: string): Run =>
  runOf(spreadItems(ofF16, length, name, name.startsWith("even") ? 12 : 31, 0) as Uint16Array, true, name);

test("prefixes whatever is late or missing", { timeout: STUCK_MS }, async ({ skip }) => {
  needVotes(fold(), skip);
  const { subject, tile } = await prepared("small", true, 16, { faults });
  const lengths = [3, 14].map((tiles) => tiles * tile - 3);
  await expectExact(subject, runsAtLengths(lengths, spreadRun));
});

/** One rule broken in the kernel's text. */
const mutations: readonly { readonly title: string; readonly change: Change }[] = [
  { title: "a run's own sum counts, its low digit", change: [["low_sum - low,", "low_sum,"]] },
  { title: "a run's own sum counts, its high digit", change: [["high_sum - high,", "high_sum,"]] },
  {
    title: "the high digit loses bits of the lower word",
    change: [["(sum[1] << 8u) | (sum[0] >> 24u)", "(sum[1] << 8u)"]],
  },
  {
    title: "the high digit loses its sign",
    change: [["bitcast<u32>(bitcast<i32>(high) >> 8u)", "high >> 8u"]],
  },
  { title: "NaN in a lane after it", change: [["highest & earlier", "highest"]] },
  { title: "infinities of earlier lanes are not seen", change: [["lowest & earlier", "vec4<u32>()"]] },
  { title: "a lane sees what later ones have seen", change: [["others & earlier", "others"]] },
  { title: "nothing counts as -0", change: [["seen == 0u && has_items", "seen == 0u"]] },
  { title: "no number is taken for one", change: [[/flags \|= parts_from_float\(own\[\w+\]\)\.seen;/, ""]] },
  {
    title: "zeros of both signs are -0",
    change: [[/others \|= own\[(\w+)\] \^ FLOAT_NOTHING;/, "others |= own[$1] & 0x7fffu;"]],
  },
  {
    title: "the subgroups before are left out",
    change: [["combine(run.before, before_subgroups[subgroup_number])", "run.before"]],
  },
  { title: "a total of no items is -0", change: [["if (items.length > 0u) {", "if (true) {"]] },
  { title: "no number is rounded as one", change: [["|| most >> KEY_FRACTION == KEY_MOST) {", ") {"]] },
  {
    title: "what is no number does not stay so",
    change: [["(before[2] & (EXACT_SEEN_HIGHEST | EXACT_SEEN_LOWEST)) != 0u", "false"]],
  },
];

test.for(mutations)("a mistake is caught: $title", { timeout: STUCK_MS }, async ({ change }, { skip }) => {
  needVotes(fold(), skip);
  const { subject, tile } = await prepared("small", true, 4, {}, change);
  const arrays: [string, Uint16Array][] = [
    ...[0, tile, 3 * tile + 5].flatMap((length) => spreads(length, "mistakes")),
    ...awkwardSums(ofF16).map((values): [string, Uint16Array] => [
      values.join(" + "),
      floatsOf(ofF16, values) as Uint16Array,
    ]),
    ...zeros(tile),
    ...wild(tile),
  ];
  await expectSeen({ ...subject, runs: arrays.map(([title, bits]) => runOf(bits, true, title)) });
});
