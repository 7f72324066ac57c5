import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add, max, min } from "../../src/algebra/operators.ts";
import type { ElementType, Value } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import type { Arrangement } from "../../src/kernels/kernel.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import type { TuningOptions } from "../../src/plan/options.ts";
import type { LookBackTesting } from "../../src/plan/scan.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { destroyAll, readWords, storageBuffer, submit } from "../support/buffers.ts";
import { arrayOfOne } from "../support/combinations.ts";
import { expectWithin } from "../support/compare.ts";
import { untyped, useFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { planReduce } from "../support/plans.ts";
import { anyItems, manyMagnitudes, randomBits } from "../support/random.ts";
import { affineItems, lastingItems, matrix, ofAffine } from "./operators.ts";
import type { Change, Mutations } from "./support.ts";
import {
  contextOfFold,
  expectExact,
  expectSeen,
  faults,
  fewLanes,
  floatsUnderFaults,
  prepareReduce,
  rowsOf,
  runsAtLengths,
  STUCK_MS,
} from "./support.ts";

// Reductions in one dispatch: the work-group that begins last combines the totals of all, some of which come late, in part or never.

const fold = useFold(fewLanes);

interface Case {
  readonly title: string;
  readonly type: ElementType;
  readonly op: Operator<string>;
  readonly items?: (type: ElementType, length: number, name: string) => AnyArray;
  readonly mapped?: { readonly from: ElementType; readonly map: string; readonly twin: unknown };
  readonly initial?: number;
  readonly tuning?: TuningOptions | ((facts: DeviceFacts) => TuningOptions);
  readonly testing?: LookBackTesting;
  readonly change?: Change;
}

const bySubgroups = ({ subgroupMaxSize }: DeviceFacts): TuningOptions => ({
  algorithm: "subgroup",
  workGroupSize: 2 * subgroupMaxSize,
  itemsPerThread: 8,
});

/** Pairs of words, of which the upper ones differ by few bits, and many are equal. */
function fewUpperWords(type: ElementType, length: number, name: string): AnyArray {
  const next = randomBits(name);
  const words = Uint32Array.from({ length: 2 * length }, (_, at) =>
    at % 2 === 0 ? next() : ((next() % 2) * 0x80000000 + 0x7f000000 + (next() % 3)) >>> 0,
  );
  return arrayOver(type, words.buffer);
}

const cases: readonly Case[] = [
  { title: "an operator that does not commute", ...ofAffine },
  { title: "patience 0", ...ofAffine, testing: { patience: 0 } },
  { title: "patience 300", ...ofAffine, testing: { patience: 300 } },
  { title: "blelloch", ...ofAffine, tuning: { algorithm: "blelloch", workGroupSize: 8 } },
  {
    title: "blelloch, in work-groups of 6",
    ...ofAffine,
    tuning: { algorithm: "blelloch", workGroupSize: 6 },
  },
  { title: "work-groups of one thread", ...ofAffine, tuning: { workGroupSize: 1, itemsPerThread: 16 } },
  {
    title: "subgroups",
    ...ofAffine,
    tuning: ({ subgroupMaxSize }) => ({ algorithm: "subgroup", workGroupSize: 2 * subgroupMaxSize }),
  },
  {
    title: "subgroups of which one is not full",
    ...ofAffine,
    tuning: ({ subgroupMaxSize }) => ({ algorithm: "subgroup", workGroupSize: 1.5 * subgroupMaxSize }),
  },
  {
    title: "sums by subgroups",
    type: u32,
    op: untyped(add),
    tuning: bySubgroups,
  },
  ...[2, 3, 7].map((reduceWorkGroups) => ({
    title: `sums by ${reduceWorkGroups} work-groups of subgroups, each of many tiles`,
    type: u32,
    op: untyped(add),
    tuning: bySubgroups,
    testing: { reduceWorkGroups },
  })),
  ...[u64, i64, f64].flatMap((type) =>
    [min, max].map((op) => ({
      title: `${type.name} ${op.name} by work-groups of subgroups, each of many tiles`,
      type,
      op: untyped(op),
      items: fewUpperWords,
      tuning: bySubgroups,
      testing: { reduceWorkGroups: 5 },
    })),
  ),
  {
    title: "the last tile's work-group first",
    ...ofAffine,
    change: [
      [
        "let number = work_group.y * call.grid_width + work_group.x;",
        "let number = call.tiles - 1u - (work_group.y * call.grid_width + work_group.x);",
      ],
    ],
  },
  { title: "from an initial value", ...ofAffine, initial: 0x80030005 },
  {
    title: "items of twice the size, mapped",
    ...ofAffine,
    items: (_, length, name) => anyItems("u64", length, name),
    mapped: {
      from: u64,
      map: "u32(x) ^ (u32(x >> 32) + i)",
      twin: (x: bigint, i: number) => (Number(x & 0xffffffffn) ^ (Number(x >> 32n) + i)) >>> 0,
    },
  },
  { title: "u64 add", type: u64, op: untyped(add) },
  {
    title: "f64 add, bit for bit",
    type: f64,
    op: untyped(add),
    items: (_, length, name) => manyMagnitudes(length, name),
  },
  {
    title: "f64 add by blelloch in work-groups of 6, bit for bit",
    type: f64,
    op: untyped(add),
    items: (_, length, name) => manyMagnitudes(length, name),
    tuning: { algorithm: "blelloch", workGroupSize: 6 },
  },
  {
    title: "a struct of 16 bytes",
    type: matrix.type,
    op: matrix as unknown as Operator<string>,
  },
];

/** The result as an array of one. */
const reduced = (
  data: AnyArray,
  options: { readonly type: ElementType; readonly op: Operator<string> },
): AnyArray => arrayOfOne(options.type, reduceReference(data, options as never) as Value);

const tuningOf = (
  { tuning }: Pick<Case, "tuning">,
  facts: DeviceFacts,
): Required<Omit<TuningOptions, "passes">> => ({
  algorithm: "hillis-steele",
  workGroupSize: 8,
  itemsPerThread: 4,
  ...(typeof tuning === "function" ? tuning(facts) : tuning),
});

/** Two tiles, and so on up to a tile of tiles. */
const lengthsOf = (tile: number): number[] => [
  tile + 1,
  2 * tile,
  3 * tile - 1,
  (tile - 1) * tile,
  tile * tile - 3,
  tile * tile,
];

describe("a reduction in one dispatch", () => {
  test.for(cases)("$title", { timeout: STUCK_MS }, async (one, { skip }) => {
    const { type, op, items = lastingItems, mapped, initial, testing, change } = one;
    const { facts } = contextOfFold(fold());
    const tuning = tuningOf(one, facts);
    skip(tuning.algorithm === "subgroup" && !facts.features.has("subgroups"), "the adapter has no subgroups");
    const tile = tuning.workGroupSize * tuning.itemsPerThread;
    // A tile of subgroups on a GPU has a million items for its square.
    const lengths = lengthsOf(tile).filter((length) => length <= 2 ** 16);
    const subject = await prepareReduce(
      fold(),
      {
        type,
        op,
        maxLength: tile * tile,
        passes: "single",
        ...tuning,
        ...(initial !== undefined && { initial: true }),
        ...(mapped && { from: mapped.from, map: mapped.map }),
      },
      { faults, ...testing },
      { ...(change && { change }) },
    );
    const grouping = subject.plan.groupingOf("vectors");
    const runs = runsAtLengths(
      lengths,
      (length, name) => {
        expect(subject.plan.passes(length, "vectors")).toHaveLength(1);
        const data = items(type, length, name);
        const ends = initial !== undefined && { initial };
        const expected = reduced(data, {
          type,
          op,
          ...(mapped && { from: mapped.from, map: mapped.twin }),
          ...ends,
          ...(type.name === "f64" && { grouping }),
        });
        return { data, expected, ...ends };
      },
      one === cases[0],
    );
    await expectExact(subject, runs);
  });

  const f32Sums: readonly (Pick<Case, "title" | "tuning" | "testing"> & { readonly tiles: number })[] = [
    { title: "a tile each", tiles: 32 },
    { title: "many tiles each", tiles: 100, tuning: bySubgroups, testing: { reduceWorkGroups: 37 } },
  ];
  test.for(f32Sums)(
    "f32 add, $title: within the bound, and the same bits whatever is late or missing",
    {
      timeout: STUCK_MS,
    },
    async (one, { skip }) => {
      const { facts } = contextOfFold(fold());
      const tuning = tuningOf(one, facts);
      skip(
        tuning.algorithm === "subgroup" && !facts.features.has("subgroups"),
        "the adapter has no subgroups",
      );
      const length = one.tiles * tuning.workGroupSize * tuning.itemsPerThread - 3;
      const subject = await prepareReduce(
        fold(),
        { type: f32, maxLength: length, passes: "single", ...tuning },
        { faults, ...one.testing },
      );
      for (const { data, results } of await floatsUnderFaults(subject, length)) {
        const sum = data.reduce((before, x) => before + x, 0);
        expectWithin(results.subarray(0, 1), [{ value: sum, bound: length * 2 ** -23 * sum }], "f32 add");
      }
    },
  );

  test("takes a dispatch for each level if data has more than a tile of tiles, or if two passes are asked for", async () => {
    const { facts } = contextOfFold(fold());
    const base = { type: u32, algorithm: "hillis-steele", workGroupSize: 8, itemsPerThread: 4 } as const;
    const single = await planReduce({ ...base, maxLength: 2 ** 16, passes: "single" }, facts);
    const dispatches = (length: number, arrangement: Arrangement, aside = false): number =>
      single.passes(length, arrangement, aside).length;
    expect([0, 32, 33, 1024, 1025].map((length) => dispatches(length, "vectors"))).toEqual([1, 1, 1, 1, 3]);
    expect([dispatches(1024, "items"), dispatches(1024, "vectors", true)]).toEqual([2, 2]);
    // Then levels have no scratch of their own.
    const vectors = await planReduce({ ...base, maxLength: 1024, passes: "single" }, facts, ["vectors"]);
    expect(vectors.scratch.map(({ name, late }) => [name, late])).toEqual([["spine", undefined]]);
    expect(single.scratch).toHaveLength(4);
    const two = await planReduce({ ...base, maxLength: 1024, passes: "reduce-then-scan" }, facts);
    expect(two.passes(1024, "vectors")).toHaveLength(2);
    const unasked = (lookBack: boolean) => planReduce({ ...base, maxLength: 1024 }, { ...facts, lookBack });
    expect((await unasked(false)).passes(1024, "vectors")).toHaveLength(2);
    expect((await unasked(true)).passes(1024, "vectors")).toHaveLength(1);
    expect((await unasked(true)).kernels).toHaveLength((await unasked(false)).kernels.length + 1);
  });

  test.for([0, 1, 5, 32, 33, 700, 1023, 1024, 5000])(
    "of a length on the GPU: %i of at most 1024",
    { timeout: STUCK_MS },
    async (length) => {
      const { device } = fold();
      const prepared = await fold().prepareReduce({
        type: u32,
        op: affine,
        maxLength: 1024,
        lengthOnGpu: true,
        algorithm: "hillis-steele",
        workGroupSize: 8,
        itemsPerThread: 4,
        passes: "single",
      });
      const data = affineItems(1024, "a length on the GPU");
      const buffers = [data, Uint32Array.of(0xdeadbeef), Uint32Array.of(length)].map((words) =>
        storageBuffer(device, words),
      ) as [GPUBuffer, GPUBuffer, GPUBuffer];
      const [input, output, size] = buffers;
      submit(device, (encoder) => prepared.record(encoder, { input, output, length: size }));
      const expected = reduceReference(data.subarray(0, Math.min(length, 1024)), { op: affine });
      expect([...(await readWords(device, output))]).toEqual([expected]);
      destroyAll(prepared, ...buffers);
    },
  );

  test.for([false, true])(
    "by subgroups, several tiles each, of a length on the GPU: %s",
    { timeout: STUCK_MS },
    async (lengthOnGpu, { skip }) => {
      const { device } = fold();
      const { features, subgroupMaxSize: tile } = contextOfFold(fold()).facts;
      skip(!features.has("subgroups"), "the adapter has no subgroups");
      const maxLength = 1300 * tile + 3;
      const prepared = await fold().prepareReduce({
        from: u32,
        type: u64,
        op: min,
        map: "vec2<u32>(i, x)",
        maxLength,
        lengthOnGpu,
        algorithm: "subgroup",
        workGroupSize: tile,
        itemsPerThread: 1,
        passes: "single",
      });
      const next = randomBits("several tiles each");
      const data = Uint32Array.from({ length: maxLength }, () => 7 + (next() % (2 * tile)));
      const input = storageBuffer(device, data);
      for (const length of [0, tile + 1, 512 * tile, 513 * tile - 1, maxLength]) {
        const output = storageBuffer(device, Uint32Array.of(1, 2));
        const size = storageBuffer(device, Uint32Array.of(length));
        const range = { input: { buffer: input, size: 4 * (lengthOnGpu ? maxLength : length) }, output };
        submit(device, (encoder) =>
          prepared.record(encoder, { ...range, length: (lengthOnGpu ? size : length) as number }),
        );
        const least = data.subarray(0, length).reduce((a, b) => Math.min(a, b), 0xffffffff);
        const at = length === 0 ? 0xffffffff : data.indexOf(least);
        expect([...(await readWords(device, output))], `${length}`).toEqual([at, least]);
        destroyAll(output, size);
      }
      destroyAll(prepared, input);
    },
  );

  // Each rule of the kernel, broken: then some run is wrong, or the result never comes from the last work-group.
  const brokenInBoth = {
    "entries count whatever their run": ["is_whole &= found.is_whole;", ""],
    "the last work-group does not compute what is missing": [
      "if (workgroupUniformLoad(&total_is_missing) != 0u) {\n    totals",
      "if (false) {\n    totals",
    ],
    "what is missing is taken as it is": [
      "total_is_missing = select(1u, 0u, found.is_whole);",
      "total_is_missing = 0u;",
    ],
    "nobody is the last": ["begun == last)", "begun == last + 1u)"],
    "the count does not start at 0": ["+ run_number()], 1u)", "+ 1u], 1u)"],
  } satisfies Mutations;
  const broken: Mutations = {
    ...brokenInBoth,
    "totals past the last count": [/if \(first \+ \w+ > last\) \{/, "if (false) {"],
    "a total too few": [/if \(first \+ (\w+) > last\) \{/, "if (first + $1 >= last) {"],
    "a total goes to the next place": [
      /if \(first \+ (\w+) == number\) \{/,
      "if (first + $1 == number + 1u) {",
    ],
  };
  test.for(rowsOf(broken))("shows if it is broken: $title", { timeout: STUCK_MS }, async ({ change }) => {
    const base = {
      algorithm: "hillis-steele",
      workGroupSize: 8,
      itemsPerThread: 4,
      passes: "single",
    } as const;
    const subject = await prepareReduce(
      fold(),
      { type: u32, op: untyped(affine), maxLength: 1024, ...base },
      { faults },
      { change },
    );
    const runs = runsAtLengths([33, 1000], (length, name) => {
      const data = affineItems(length, name);
      return { data, expected: Uint32Array.of(reduceReference(data, { op: affine })) };
    });
    await expectSeen({ ...subject, runs });
  });

  // The same for the kernel whose work-groups take several tiles each.
  const brokenStrides: Mutations<{ readonly type?: ElementType }> = {
    ...brokenInBoth,
    "totals past the last count": [/if \(number <= last\) \{/, "if (true) {"],
    "a total too few": [/if \(number <= last\) \{/, "if (number < last) {"],
    "the first tile alone": ["tile += call.tiles", "tile += 0xffffu"],
    "the next tile, too": ["tile += call.tiles", "tile += 1u"],
    "every thread has the totals": ["if (thread == number % WORK_GROUP_SIZE) {", "if (true) {"],
    "no item has the least leading word": [
      /if \(leading_word\(own\[\w+\]\) == least\) \{/,
      "if (false) {",
      { type: u64 },
    ],
    "a leading word is less than before, not equal": [
      "if (least <= leading_word(total)) {",
      "if (least < leading_word(total)) {",
      { type: u64 },
    ],
  };
  test.for(rowsOf(brokenStrides))(
    "shows if it is broken, by several tiles each: $title",
    { timeout: STUCK_MS },
    async ({ change, type = u32 }, { skip }) => {
      const { facts } = contextOfFold(fold());
      skip(!facts.features.has("subgroups"), "the adapter has no subgroups");
      const op = untyped(type === u32 ? add : min);
      const { workGroupSize = 0, itemsPerThread = 0, ...algorithm } = bySubgroups(facts);
      const tile = workGroupSize * itemsPerThread;
      const subject = await prepareReduce(
        fold(),
        { type, op, maxLength: 16 * tile, passes: "single", workGroupSize, itemsPerThread, ...algorithm },
        { faults, reduceWorkGroups: 5 },
        { change },
      );
      const runs = runsAtLengths([tile + 1, 16 * tile - 3], (length, name) => {
        // Of u64, all upper words are equal, and the last item is the least.
        const data =
          type === u32
            ? lastingItems(type, length, name)
            : BigUint64Array.from({ length }, (_, at) =>
                BigInt(length - at + (name.startsWith("odd") ? 7 : 0)),
              );
        return { data, expected: reduced(data, { type, op }) };
      });
      await expectSeen({ ...subject, runs });
    },
  );
});
