import { describe, expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { planTopKRows } from "../../src/plan/select_rows.ts";
import { planSegmentSort } from "../../src/plan/sort_segments.ts";
import { argSortReference, topKReference } from "../../src/reference/sort.ts";
import { destroyAll, GUARD, guarded, storageBuffer, submitted, wordsOf } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useFold } from "../support/fold.ts";
import { pairs } from "../support/pairs.ts";
import { anyItems, randomBits } from "../support/random.ts";
import { expectSortedAnywhere, gathered, kinds } from "../support/sorted_arrays.ts";
import { lacks } from "../support/sorts.ts";

// Sorts of rows and of other segments, each on its own.

const fold = useFold();

/** Offsets of segments whose lengths are 0, 1, up to a limit, and at last what is left. */
function offsetsFor(length: number, most: number, name: string): number[] {
  const next = randomBits(name);
  const offsets = [0, 0];
  for (let at = 0; at < length; ) {
    const own = next() % 4 === 0 ? next() % 2 : next() % (most + 1);
    at = Math.min(length, at + own);
    offsets.push(at);
  }
  return [...offsets, length];
}

const recorded = [
  { title: "in a tile", maxSegmentLength: 100 },
  { title: "by the numbers of segments", maxSegmentLength: undefined },
].flatMap((way) => (["rows", "offsets"] as const).map((segments) => ({ ...way, segments })));

test.for(recorded)("$segments, $title: ranges anywhere, apart and in place", async (one) => {
  const { device } = fold();
  const { segments, maxSegmentLength } = one;
  const sort = await fold().prepareSort({
    type: u32,
    values: u32,
    segments,
    maxLength: 500,
    ...(maxSegmentLength !== undefined && { maxSegmentLength, algorithm: "subgroup", workGroupSize: 64 }),
    ...(maxSegmentLength === undefined && { workGroupSize: 64, itemsPerThread: 3 }),
  });
  for (const [length, apart] of [
    [500, true],
    [300, false],
    [0, true],
  ] as const) {
    const title = `${length}${apart ? "" : " in place"}`;
    const data = kinds.few("u32", length, title) as Uint32Array;
    const rows = 100;
    const offsets = offsetsFor(length, rows, title);
    const positions = argSortReference(data, { segments: segments === "rows" ? { rows } : { offsets } });
    const starts = storageBuffer(device, guarded(Uint32Array.from(offsets), 3, 2));
    const by =
      segments === "rows"
        ? { rows }
        : { offsets: { buffer: starts, offset: 12 }, segmentCount: offsets.length - 1 };
    await expectSortedAnywhere(device, sort, data, positions, apart, by);
  }
  sort.destroy();
});

const cutOff = [undefined, 100].flatMap((maxSegmentLength) =>
  (["rows", "offsets"] as const).map((segments) => ({ segments, maxSegmentLength })),
);
test.for(cutOff)(
  "$segments of up to $maxSegmentLength items, the last of which a length on the GPU cuts off",
  async ({ segments, maxSegmentLength }) => {
    const { device } = fold();
    const sort = await fold().prepareSort({
      type: f32,
      indices: true,
      descending: true,
      lengthOnGpu: true,
      segments,
      maxLength: 400,
      ...(maxSegmentLength !== undefined && { maxSegmentLength, algorithm: "blelloch", workGroupSize: 32 }),
    });
    const data = kinds.few("f32", 400, "length on the GPU") as Float32Array;
    const rows = 100;
    const offsets = segments === "rows" ? [0, 100, 200, 300, 400] : [0, 40, 40, 140, 230, 320, 400];
    for (const length of [0, 1, 99, 250, 400]) {
      const positions = argSortReference(data.slice(0, length), {
        descending: true,
        segments: { offsets: offsets.map((at) => Math.min(at, length)) },
      });
      const [input, output, count, starts] = [
        new Uint32Array(data.buffer),
        new Uint32Array(400).fill(GUARD),
        Uint32Array.of(length),
        Uint32Array.from(offsets),
      ].map((words) => storageBuffer(device, words)) as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
      const by = segments === "rows" ? { rows } : { offsets: starts, segmentCount: offsets.length - 1 };
      const [words] = (await submitted(
        device,
        (encoder) => sort.record(encoder, { input, output, firstIndex: 7, length: count, ...by }),
        [output],
      )) as [Uint32Array];
      const expected = Uint32Array.from(positions, (one) => one + 7);
      expectSameBits(words, guarded(expected, 0, 400 - length), `${length}`);
    }
    sort.destroy();
  },
);

test("what does not fit is refused", async () => {
  const { device } = fold();
  const options = { type: u32, maxLength: 1000 };
  await expect(fold().prepareSort({ ...options, segments: "heads" as never })).rejects.toThrow(
    'sort<u32>: segments is "heads"; it takes "rows", "offsets" or "begins"; each recording says where they start',
  );
  await expect(fold().prepareSort({ ...options, maxSegmentLength: 7 })).rejects.toThrow(
    "sort<u32>: maxSegmentLength is 7; it takes a number only beside segments",
  );
  await expect(fold().prepareSort({ ...options, segments: "rows", maxSegmentLength: 0.5 })).rejects.toThrow(
    "sort<u32>: maxSegmentLength is 0.5; it takes a whole number from 1 to 2^32 - 1",
  );
  const sort = await fold().prepareSort({ ...options, segments: "rows", maxSegmentLength: 300 });
  const [input, output] = [0, 1].map(() => storageBuffer(device, new Uint32Array(1000)));
  const record = (more: object): void =>
    sort.record(device.createCommandEncoder(), { input, output, length: 1000, ...more } as never);
  expect(() => record({})).toThrow("sort<u32> of rows: rows is undefined; it takes a whole number from 1 up");
  expect(() => record({ rows: 300 })).toThrow(
    "sort<u32> of rows: rows is 300, and length is 1000; it takes a number that divides the length",
  );
  expect(() => record({ rows: 500 })).toThrow(
    "sort<u32> of rows: rows is 500, and this was prepared for a maxSegmentLength of 300; rows must be at most 300",
  );
  expect(() => record({ rows: 250, offsets: input })).toThrow("offsets");
  const byOffsets = await fold().prepareSort({
    ...options,
    segments: "offsets",
    key: "x % 7u",
    workGroupSize: 64,
    itemsPerThread: 3,
  });
  expect(() =>
    byOffsets.record(device.createCommandEncoder(), {
      input: input as GPUBuffer,
      output: output as GPUBuffer,
      offsets: { buffer: output as GPUBuffer, offset: 16 },
      segmentCount: 3,
      length: 1000,
    }),
  ).toThrow(
    "sort<u32> of offsets: offsets (bytes 16 to 32) and output (bytes 0 to 4000) overlap; they must be apart",
  );
  const data = Uint32Array.of(3, 1, 2, 0);
  await expect(fold().sort(data, { segments: { heads: [1, 0, 1, 0] } as never })).rejects.toThrow(
    "sort<u32>: segments is { heads }; it takes { rows }, { offsets } or { begins, ends }",
  );
  await expect(fold().sort(data, { segments: { rows: 3 } })).rejects.toThrow(
    "sort<u32>: rows of 3 items do not divide the 4 items of the array",
  );
  await expect(fold().argSort(data, { segments: { offsets: [0, 3] } })).rejects.toThrow(
    "argSort<u32>: the last offset is 3; offsets start from 0, never fall, and end with the length, 4",
  );
  await expect(fold().topK(data, 2, { segments: { shape: [2, 2], axis: 0 } })).rejects.toThrow(
    "topK<u32>: segments is axis: 0 of 2; it takes the last axis, { rows }, { offsets } or { begins, ends }",
  );
  await expect(fold().sort(data, { descending: [true] as never })).rejects.toThrow(
    "sort<u32>: descending is a list; it takes true or false for one key",
  );
  await expect(fold().sort(await fold().upload(data), { segments: { offsets: [0, 4] } })).rejects.toThrow(
    "and data is on the GPU; it takes an array on the GPU, as fold.upload makes one",
  );
});

/** Networks in tiles of 16 and 32 items, where each thread has 4: short texts, which a software adapter compiles soon. */
const networks = [
  { network: 16, networkThreads: 4, networkItems: 4, short: 0 },
  { network: 32, networkThreads: 8, networkItems: 4, short: 0 },
] as const;
/** Plans a sort of segments by networks. */
const plannedNetwork = (
  options: object,
  values: typeof u32 | undefined,
  testing: (typeof networks)[number],
  text: string,
): Plan => {
  const { facts } = contextOf(fold().device);
  const plan = planSegmentSort(options as never, facts, values, undefined, testing);
  expect(plan.kernels[0]?.code).toContain(text);
  return plan;
};

// Slots of 2 items up to the whole tile.
const ofPairs = pairs({
  most: [2, 7, 16, 32],
  type: ["f32", "u64", "f16"] as const,
  segments: ["rows", "offsets"] as const,
  descending: [false, true],
  kind: ["few", "any", "reversed"] as const,
}).map((row, at) => ({ ...row, testing: networks[row.most > 16 ? 1 : at % 2] as (typeof networks)[number] }));

test.for(ofPairs)(
  "networks of comparisons: $segments of $type, $kind, up to $most items in tiles of $testing.network, descending: $descending",
  async ({ most, type: name, segments, descending, kind, testing }, { skip }) => {
    const type = elementTypes[name];
    skip(lacks(fold(), type), `the adapter has no ${type.feature}`);
    const { device } = fold();
    const maxLength = 20 * most;
    const options = { type, segments, maxSegmentLength: most, maxLength, descending };
    const prepared = await prepare(contextOf(device), plannedNetwork(options, u32, testing, "network_keys"));
    for (const [length, longest] of [
      [maxLength, most],
      [13 * (most - 1), most - 1],
    ] as const) {
      const data = kinds[kind](name, length, `${name} ${most} ${length}`);
      const offsets = offsetsFor(length, longest, `${name} ${most}`);
      const by = segments === "rows" ? { rows: longest } : { offsets };
      const positions = argSortReference(data as Uint32Array, { descending, segments: by, type } as never);
      const values = Uint32Array.from({ length }, (_, at) => at * 3);
      const words = wordsOf(data);
      const [input, output, given, moved, starts] = [
        words,
        guarded(new Uint32Array(words.length), 4, 3),
        values,
        guarded(values, 2, 1),
        Uint32Array.from(offsets),
      ].map((array) => storageBuffer(device, array)) as [
        GPUBuffer,
        GPUBuffer,
        GPUBuffer,
        GPUBuffer,
        GPUBuffer,
      ];
      const [sorted, reordered] = (await submitted(
        device,
        (encoder) =>
          prepared.record(encoder, {
            input,
            output: { buffer: output, offset: 16 },
            values: given,
            reordered: { buffer: moved, offset: 8 },
            length,
            ...(segments === "rows" ? by : { offsets: starts, segmentCount: offsets.length - 1 }),
          } as never),
        [output, moved],
      )) as [Uint32Array, Uint32Array];
      const title = `${length} items, up to ${longest}`;
      expectSameBits(reordered, guarded(gathered(values, positions), 2, 1), `${title}: values`);
      const bytes = data.byteLength;
      const expected = gathered(data, positions);
      expectSameBits(
        new Uint8Array(sorted.buffer, 16, bytes),
        new Uint8Array(expected.buffer as ArrayBuffer, expected.byteOffset, bytes),
        title,
      );
      expectSameBits(sorted.subarray(0, 4), guarded(new Uint32Array(0), 4, 0), `${title}: before`);
      destroyAll(input, output, given, moved, starts);
    }
    prepared.destroy();
  },
);

/** Any items, of which one in three is NaN, each with bits of its own. */
function withNan(name: "f32" | "f64", length: number, seed: string): Uint32Array {
  const data = anyItems(name, length, seed);
  const words = new Uint32Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength / 4);
  const each = words.length / length;
  const next = randomBits(`${seed} NaN`);
  for (let at = 0; at < length; at++) {
    if (next() % 3 === 0) {
      words[(at + 1) * each - 1] = (at % 2 === 0 ? 0xfff8_0000 : 0x7ff8_0000) + (at % 0x8_0000);
    }
  }
  return data as Uint32Array;
}

const ofKeys = pairs({
  type: ["i32", "u64", "f32", "f64"] as const,
  most: [2, 7, 16],
  segments: ["rows", "offsets"] as const,
  descending: [false, true],
  testing: networks,
});

test.for(ofKeys)(
  "networks of keys alone: $segments of $type, up to $most items in tiles of $testing.network, descending: $descending",
  async ({ type: name, most, segments, descending, testing }) => {
    const { device } = fold();
    const maxLength = 20 * most;
    const options = { type: elementTypes[name], segments, maxSegmentLength: most, maxLength, descending };
    const prepared = await prepare(
      contextOf(device),
      plannedNetwork(options, undefined, testing, "item_from_key"),
    );
    const isFloat = name === "f32" || name === "f64";
    for (const kind of isFloat ? (["few", "NaN"] as const) : (["any", "few"] as const)) {
      const length = segments === "rows" ? maxLength : maxLength - 1;
      const seed = `${name} ${most} ${kind}`;
      const data =
        kind === "NaN"
          ? withNan(name as "f32", length, seed)
          : (kinds[kind](name, length, seed) as unknown as Uint32Array);
      const offsets = offsetsFor(length, most, `${name} ${most}`);
      const by = segments === "rows" ? { rows: most } : { offsets };
      const positions = argSortReference(data, { descending, segments: by } as never);
      const before = data.BYTES_PER_ELEMENT;
      const [input, starts] = [guarded(wordsOf(data), before, 4), Uint32Array.from(offsets)].map((words) =>
        storageBuffer(device, words),
      ) as [GPUBuffer, GPUBuffer];
      const range = { buffer: input, offset: 4 * before };
      // In place: what is around the data stays.
      const [sorted] = (await submitted(
        device,
        (encoder) =>
          prepared.record(encoder, {
            input: range,
            output: range,
            length,
            ...(segments === "rows" ? by : { offsets: starts, segmentCount: offsets.length - 1 }),
          } as never),
        [input],
      )) as [Uint32Array];
      expectSameBits(sorted, guarded(wordsOf(gathered(data, positions)), before, 4), `${kind}, ${length}`);
      destroyAll(input, starts);
    }
    prepared.destroy();
  },
);

test("keys alone: a segment that is longer than maxSegmentLength leaves the NaN beside it as they are", async () => {
  const { device } = fold();
  const options = { type: f32, segments: "offsets", maxSegmentLength: 16, maxLength: 64 } as const;
  // Eight threads, so that a software adapter runs two subgroups, one after the other.
  const testing = networks[1];
  const plan = plannedNetwork(options, undefined, testing, "put_noted_items");
  const prepared = await prepare(contextOf(device), plan);
  // A tile has two slots of 16 items. Of two segments, the first is longer, and has four NaN among the items that its slot takes;
  // each item of the second is NaN. Another subgroup than that of the four has the items that lie where they would be put.
  for (const [first, span] of [
    [4, 20],
    [0, 24],
  ] as const) {
    const length = span + 16;
    const isNan = (at: number): boolean => (at >= first && at < first + 4) || at >= span;
    const words = Uint32Array.from({ length }, (_, at) => (isNan(at) ? 0x7fc00000 + at : at));
    const [input, output, offsets] = [words, new Uint32Array(length), Uint32Array.of(0, span, length)].map(
      (one) => storageBuffer(device, one),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer];
    const [sorted] = (await submitted(
      device,
      (encoder) => prepared.record(encoder, { input, output, offsets, segmentCount: 2, length }),
      [output],
    )) as [Uint32Array];
    expectSameBits(sorted.subarray(span), words.subarray(span), `behind ${span} items`);
    destroyAll(input, output, offsets);
  }
  prepared.destroy();
});

describe("topK of rows", () => {
  /** Tiles of 64 items, so that rows go through several levels, by votes and by counters, on adapters whose rows go by networks, too. */
  const inTiles = (byVotes: boolean) => ({
    byVotes,
    workGroupSize: 64,
    tile: 64,
    tileThreads: 32,
    short: 0,
    network: 0,
  });
  const chunked = [
    { title: "by votes, k 5", type: u64, k: 5, lengths: [1, 64, 65, 300], testing: inTiles(true) },
    { title: "by counters, k 5", type: u64, k: 5, lengths: [1, 64, 65, 300], testing: inTiles(false) },
    { title: "by counters, k 32", type: u64, k: 32, lengths: [1, 64, 65, 300], testing: inTiles(false) },
    {
      title: "by votes, of short rows",
      type: u64,
      k: 3,
      lengths: [1, 15, 16],
      most: 16,
      testing: inTiles(true),
    },
    {
      title: "by networks",
      type: f32,
      k: 4,
      lengths: [3, 16, 17, 600],
      testing: { ...networks[0], tile: 16 },
    },
  ] as const;
  test.for(chunked)("rows that are divided into chunks, $title", async (row) => {
    const { type, k, lengths, testing, title } = row;
    const { device } = fold();
    const context = contextOf(device);
    const most = "most" in row ? { maxSegmentLength: row.most } : {};
    const plan = planTopKRows({ type, k, maxLength: 600, segments: "rows", ...most }, context.facts, testing);
    expect(plan.kernels[0]?.code.includes("network_keys")).toBe(title === "by networks");
    const prepared = await prepare(context, plan);
    for (const length of lengths) {
      const count = Math.floor(Math.min(600, 20 * length) / length);
      const data = kinds.few(type.name, count * length, `${title} ${length}`) as Float32Array;
      const expected = topKReference(data, k, { segments: { rows: length } });
      const words = new Uint32Array(expected.values.buffer);
      const output = storageBuffer(device, guarded(new Uint32Array(words.length), 4, 3));
      const indices = storageBuffer(device, guarded(new Uint32Array(expected.indices.length), 5, 2));
      const [values, positions] = (await submitted(
        device,
        (encoder) =>
          prepared.record(encoder, {
            input: storageBuffer(device, new Uint32Array(data.buffer)),
            output: { buffer: output, offset: 16 },
            indices: { buffer: indices, offset: 20 },
            length: count * length,
            rows: length,
            firstIndex: 3,
          }),
        [output, indices],
      )) as [Uint32Array, Uint32Array];
      const meant = Uint32Array.from(expected.indices, (at) => at + 3);
      expectSameBits(positions, guarded(meant, 5, 2), `positions of ${count} rows of ${length}`);
      expectSameBits(values, guarded(words, 4, 3), `${count} rows of ${length}`);
    }
    prepared.destroy();
  });

  test("no length on the GPU", async () => {
    const array = await fold().upload(Float32Array.of(1, 2));
    const kept = await fold().compact(array, { where: "x > 0.0" });
    await expect(fold().topK(kept, 7, { segments: { rows: 5 } })).rejects.toThrow(
      "topK<f32> of rows takes no length on the GPU; it takes an array whose length is known",
    );
    await expect(
      fold().prepareTopK({ type: f32, k: 3, maxLength: 100, segments: "rows", lengthOnGpu: true } as never),
    ).rejects.toThrow("topK<f32> of rows takes no length on the GPU; it takes one that the CPU knows");
    destroyAll(array, kept);
  });
});
