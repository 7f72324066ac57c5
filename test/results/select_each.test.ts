import { expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Fold, TopKRowsOptions } from "../../src/node.ts";
import { planTopKRows } from "../../src/plan/select_rows.ts";
import { topKReference } from "../../src/reference/sort.ts";
import { destroyAll, GUARD, guarded, storageBuffer, submitted } from "../support/buffers.ts";
import { allowFindings, useFold } from "../support/fold.ts";
import { defaultLimits, factsWith } from "../support/kernels.ts";
import { testMutations } from "../support/mutations.ts";
import { errorOf } from "../support/option_checks.ts";
import { randomBits } from "../support/random.ts";
import { kinds } from "../support/sorted_arrays.ts";

// Selections of the first elements of each segment, where each segment has a number of its own. Results in all forms are those of the
// primitive's examples.

const fold = useFold();
const LENGTH = 300;
/** Segments with no element, with one, with fewer than are taken, with as many, and with more than a small tile has. */
const offsets = [0, 0, 1, 4, 9, 9, 268, LENGTH];
const k = [3, 0, 5, 5, 1, 40, 0xffffffff];

test("the longest data that the device can bind needs no maxSegmentCount", async () => {
  const most = defaultLimits.maxStorageBufferBindingSize / 4;
  for (const segments of ["rows", "offsets"] as const) {
    const plan = planTopKRows({ type: f32, k: u32, segments, maxLength: most }, factsWith());
    const [{ bytes } = { bytes: 0 }] = plan.scratch.filter(
      ({ name }) => name === "numbers of taken elements",
    );
    expect(bytes).toBe(4 * most);
  }
});

test("each segment has its own number of results, and no place without one", async () => {
  const data = Float32Array.of(9, 3, 8, 7, 6, 5);
  const segments = { offsets: [0, 3, 3, 5, 6] };
  const expected = {
    values: Float32Array.of(9, 8, 7),
    indices: Uint32Array.of(0, 2, 3),
    offsets: Uint32Array.of(0, 2, 2, 3, 3),
  };
  for (const numbers of [[2, 7, 1, 0], Uint32Array.of(2, 7, 1, 0)]) {
    expect(await fold().topK(data, numbers, { segments })).toEqual(expected);
    expect(topKReference(data, numbers, { segments })).toEqual(expected);
  }
  const rows = await fold().topK(data, [1, 2], { segments: { rows: 3 }, smallest: true });
  expect(rows).toEqual({
    values: Float32Array.of(3, 5, 6),
    indices: Uint32Array.of(1, 5, 4),
    offsets: Uint32Array.of(0, 1, 3),
  });
});

test.each([
  ["no segment", [0], []],
  ["segments without elements", [0, 0, 0], [3, 4]],
] as const)("%s", async (_, offsets, numbers) => {
  const expected = { values: [], indices: [], offsets: offsets.map(() => 0) };
  const plain = (results: object): object =>
    Object.fromEntries(Object.entries(results).map(([name, array]) => [name, Array.from(array)]));
  expect(plain(await fold().topK(new Float32Array(0), numbers, { segments: { offsets } }))).toEqual(expected);
  const there = await Promise.all(
    [new Float32Array(0), Uint32Array.from(numbers), Uint32Array.from(offsets)].map((array) =>
      fold().upload(array),
    ),
  );
  const [data, each, starts] = there as [never, never, never];
  const made: object = await fold().topK(data, each, { segments: { offsets: starts } });
  const read = await Promise.all(
    Object.entries(made).map(async ([name, array]) => [name, await array.read()] as const),
  );
  expect(plain(Object.fromEntries(read))).toEqual(expected);
});

test("long rows are not sorted if few of their elements are taken", async () => {
  const data = kinds.any("u32", 15_000, "long rows") as Uint32Array;
  const numbers = [3, 0, 7];
  const expected = topKReference(data, [3, 0, 5], { segments: { rows: 5000 } });
  expect(await fold().topK(data, numbers, { segments: { rows: 5000 }, maxK: 5 })).toEqual(expected);
  const [there, k] = [await fold().upload(data), await fold().upload(Uint32Array.from(numbers))];
  const made = await fold().topK(there, k, { segments: { rows: 5000 }, maxK: 5 });
  expect([made.values.maxLength, made.indices.maxLength]).toEqual([15, 15]);
  const { values, indices, offsets } = made;
  expect({
    values: await values.read(),
    indices: await indices.read(),
    offsets: await offsets.read(),
  }).toEqual(expected);
});

test("results are segments of a call that follows", async () => {
  const data = await fold().upload(kinds.few("u32", LENGTH, "chained") as Uint32Array);
  const starts = await fold().upload(Uint32Array.from(offsets));
  const best = await fold().topK(data, await fold().upload(Uint32Array.from(k)), {
    segments: { offsets: starts },
  });
  const sums = await fold().reduce(best.values, { segments: { offsets: best.offsets } });
  const { values, offsets: ends } = topKReference((await data.read()) as Uint32Array, k, {
    segments: { offsets },
  });
  expect(Array.from(await sums.read())).toEqual(
    k.map((_, at) => values.slice(ends[at], ends[at + 1]).reduce((sum, one) => sum + one, 0)),
  );
});

/** What a recording is prepared with, what it gives, and the words that it should leave. */
interface Recorded {
  readonly options: Omit<TopKRowsOptions<"u32">, "type" | "k" | "maxLength">;
  readonly starts: Readonly<Record<string, readonly number[]>>;
  readonly k: readonly number[];
  readonly length?: number;
  readonly room?: number;
}

const data = kinds.few("u32", LENGTH, "each") as Uint32Array;

/** Records a selection in ranges anywhere, from a first index. It gives the output, the positions, the offsets and the count. */
async function record(
  given: Fold,
  { options, starts, k, length = LENGTH, room }: Recorded,
): Promise<Uint32Array[]> {
  const { device } = given;
  const plan = await given.prepareTopK({ type: u32, k: u32, maxLength: LENGTH, ...options });
  const buffers: GPUBuffer[] = [];
  const buffer = (words: Uint32Array): GPUBuffer => {
    const made = storageBuffer(device, words);
    buffers.push(made);
    return made;
  };
  const range = (words: readonly number[] | Uint32Array, before: number) => ({
    buffer: buffer(guarded(Uint32Array.from(words), before, 1)),
    offset: 4 * before,
  });
  const most = room ?? mostOf({ options, length, k });
  const blank = (words: number, before: number) => range(new Uint32Array(words).fill(GUARD), before);
  const results = {
    output: blank(most, 4),
    indices: blank(most, 1),
    outputOffsets: blank(k.length + 1, 3),
    count: blank(1, 2),
  };
  const found = await submitted(
    device,
    (encoder) =>
      plan.record(encoder, {
        input: range(data, 3),
        ...Object.fromEntries(
          Object.entries(starts).map(([name, words], at) => [name, range(words, 2 + at)]),
        ),
        segmentCount: k.length,
        k: range(k, 5),
        ...results,
        ...(room !== undefined && { outputLength: room }),
        length: options.lengthOnGpu ? buffer(Uint32Array.of(length)) : length,
        firstIndex: 7,
      }),
    Object.values(results).map(({ buffer }) => buffer),
  );
  destroyAll(plan, ...buffers);
  return found;
}

/** How many results there is room for. If only the GPU knows the length, it is enough for the longest data. */
const mostOf = ({ options, length = LENGTH, k }: Pick<Recorded, "options" | "length" | "k">): number =>
  Math.min(options.lengthOnGpu ? LENGTH : length, k.length * (options.maxK ?? LENGTH));

/** What a recording leaves, by the reference. */
function meant({ options, starts, k, length = LENGTH, ...one }: Recorded): Uint32Array[] {
  const cut = Object.fromEntries(
    Object.entries(starts).map(([name, words]) => [name, words.map((at) => Math.min(at, length))]),
  );
  const { maxK = 0xffffffff } = options;
  const each = k.map((one) => Math.min(one, maxK));
  const { values, indices, offsets } = topKReference(data.slice(0, length), each, {
    segments: cut as never,
  });
  const { room = mostOf({ options, length, k }) } = one;
  const stored = Math.min(room, values.length);
  const filled = (words: Uint32Array): Uint32Array => {
    const all = new Uint32Array(room).fill(GUARD);
    all.set(words.subarray(0, stored));
    return all;
  };
  return [
    guarded(filled(values), 4, 1),
    guarded(filled(indices.map((index) => index + 7)), 1, 1),
    guarded(offsets, 3, 1),
    guarded(Uint32Array.of(stored), 2, 1),
  ];
}

const next = randomBits("many segments");
/** As many segments as two work-groups take. Most have no element; the last one has. */
const many = [0, ...Array.from({ length: 2047 }, () => next() % LENGTH).sort((a, b) => a - b), LENGTH];

const recordings: Readonly<Record<string, Recorded>> = {
  offsets: { options: { segments: "offsets", maxSegmentCount: 7 }, starts: { offsets }, k },
  "a length on the GPU, which cuts the last segment off": {
    options: { segments: "offsets", lengthOnGpu: true },
    starts: { offsets },
    k,
    length: 264,
  },
  "begins and ends": {
    options: { segments: "begins" },
    starts: { begins: [2, 3, 100, 290], ends: [3, 50, 260, LENGTH] },
    k: [4, 9, 150, 3],
  },
  "few of each segment": {
    options: { segments: "offsets", maxK: 2, maxSegmentCount: 7 },
    starts: { offsets },
    k,
  },
  "less room than there are results": {
    options: { segments: "offsets" },
    starts: { offsets },
    k,
    room: 31,
  },
  "no room": { options: { segments: "offsets" }, starts: { offsets }, k, room: 0 },
  "many segments": {
    options: { segments: "begins", maxSegmentCount: many.length },
    starts: { begins: many.slice(0, -1), ends: many.slice(1) },
    k: many.slice(1).map((at) => (at + 1) % 4),
  },
};

test.each(Object.entries(recordings))("recorded: %s", async (_, one) => {
  expect(await record(fold(), one)).toEqual(meant(one));
});

test.each([
  ["descend", [0, 200, 100, LENGTH, 50]],
  ["go past the end", [0, 20, 1000, 0xffffffff, 4000]],
  ["overlap", [0, LENGTH, 0, LENGTH, 0]],
] as const)("nothing outside the ranges is written if offsets %s", async (_, starts) => {
  // Segments that overlap are sorted at the same time.
  allowFindings();
  for (const maxSegmentLength of [LENGTH, 64]) {
    const one: Recorded = {
      options: { segments: "offsets", maxSegmentLength },
      starts: { offsets: starts },
      k: [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
    };
    const [output, indices, ends, count] = (await record(fold(), one)) as [
      Uint32Array,
      Uint32Array,
      Uint32Array,
      Uint32Array,
    ];
    expect([...output.slice(0, 4), output.at(-1)]).toEqual(Array(5).fill(GUARD));
    expect([indices[0], indices.at(-1), ...ends.slice(0, 3), ends.at(-1)]).toEqual(Array(6).fill(GUARD));
    expect([count[0], count[1], count.at(-1)]).toEqual(Array(3).fill(GUARD));
    expect(count[2]).toBe(Math.min(LENGTH, ends.at(-2) as number));
    expect(Array.from(ends.slice(3, -1))).toEqual(Array.from(ends.slice(3, -1)).sort((a, b) => a - b));
  }
});

const words = Uint32Array.of(1, 2, 3);
const onGpu = async (values: readonly number[]) => fold().upload(Uint32Array.from(values));
test.each<readonly [message: RegExp, option: string, run: () => Promise<unknown>]>([
  [
    /k is 1 numbers for 3 segments; it takes one for each/,
    "k",
    () => fold().topK(words, [1], { segments: { rows: 1 } }),
  ],
  [
    /k\[2\] is -1; it takes a whole number from 0/,
    "k",
    () => fold().topK(words, [1, 2, -1], { segments: { rows: 1 } }),
  ],
  [/k\[0\] is 1.5/, "k", () => fold().topK(words, [1.5], { segments: { rows: 3 } })],
  [/k\[0\] is 4294967296/, "k", () => fold().topK(words, [2 ** 32], { segments: { rows: 3 } })],
  [/k\[0\] is 1n/, "k", () => fold().topK(words, BigInt64Array.of(1n) as never, { segments: { rows: 3 } })],
  [/k is an array; it takes a whole number, or beside segments/, "k", () => fold().topK(words, [1])],
  [
    /k was transferred/,
    "k",
    () => {
      const gone = Uint32Array.of(1);
      structuredClone(gone, { transfer: [gone.buffer] });
      return fold().topK(words, gone, { segments: { rows: 3 } });
    },
  ],
  [
    /k .*destroyed/,
    "k",
    async () => {
      const gone = await onGpu([1]);
      gone.destroy();
      return fold().topK(await onGpu([1, 2]), gone, { segments: { rows: 2 } });
    },
  ],
  [
    /k is on the GPU, and data is not/,
    "k",
    async () => fold().topK(words, (await onGpu([1])) as never, { segments: { rows: 3 } }),
  ],
  [
    /data is on the GPU; it takes an array on the GPU/,
    "k",
    async () => fold().topK(await onGpu([1, 2]), [1] as never, { segments: { rows: 2 } }),
  ],
  [
    /k holds f32; it takes u32/,
    "k",
    async () =>
      fold().topK(await onGpu([1, 2]), (await fold().upload(Float32Array.of(1))) as never, {
        segments: { rows: 2 },
      }),
  ],
  [
    /k is 2 numbers for 1 segments/,
    "k",
    async () => fold().topK(await onGpu([1, 2]), await onGpu([1, 2]), { segments: { rows: 2 } }),
  ],
  [
    /k is an array with a length on the GPU/,
    "k",
    async () => {
      const k = await fold().compact(await onGpu([1]), { where: "x > 0u" });
      return fold().topK(await onGpu([1, 2]), k, { segments: { rows: 2 } });
    },
  ],
  [
    /rows takes no length on the GPU/,
    "data",
    async () => {
      const data = await fold().compact(await onGpu([1, 2]), { where: "x > 0u" });
      return fold().topK(data, await onGpu([1]), { segments: { rows: 2 } });
    },
  ],
  [
    /maxK is 0; it takes a whole number from 1/,
    "maxK",
    () => fold().topK(words, [1], { segments: { rows: 3 }, maxK: 0 }),
  ],
  [
    /maxK is 3; it takes a number only beside a k that is an array/,
    "maxK",
    () => fold().topK(words, 1, { segments: { rows: 3 }, maxK: 3 }),
  ],
  [
    /maxK is 3; it takes a number only beside k: u32/,
    "maxK",
    () => fold().prepareTopK({ type: f32, k: 1, maxLength: 4, segments: "rows", maxK: 3 }),
  ],
  [
    /maxK is 0; it takes a whole number from 1/,
    "maxK",
    () => fold().prepareTopK({ type: f32, k: u32, maxLength: 4, segments: "rows", maxK: 0 }),
  ],
  [
    /k is u32; it takes a whole number from 1/,
    "k",
    () => fold().prepareTopK({ type: f32, k: u32 as never, maxLength: 4 }),
  ],
  [
    /k is f32; it takes a whole number, or u32/,
    "k",
    () => fold().prepareTopK({ type: f32, k: f32 as never, maxLength: 4, segments: "rows" }),
  ],
  [
    /maxSegmentCount is 3; it takes a number only beside k: u32/,
    "maxSegmentCount",
    () => fold().prepareTopK({ type: f32, k: 3, maxLength: 4, segments: "rows", maxSegmentCount: 3 }),
  ],
  [
    /maxSegmentCount is 3; it takes a number only beside segments/,
    "maxSegmentCount",
    () => fold().prepareTopK({ type: f32, k: 3, maxLength: 4, maxSegmentCount: 3 } as never),
  ],
  [
    /maxSegmentCount is -1; it takes a whole number from 0/,
    "maxSegmentCount",
    () => fold().prepareTopK({ type: f32, k: u32, maxLength: 4, segments: "rows", maxSegmentCount: -1 }),
  ],
  [
    /^topK<f32> of offsets: 1073741825 items of 4 bytes are more than the device can bind/,
    "maxSegmentCount",
    () =>
      fold().prepareTopK({
        type: f32,
        k: u32,
        maxLength: 4,
        segments: "offsets",
        maxSegmentCount: 2 ** 30,
      }),
  ],
  [
    /topK: k is \[1, 2\]; it takes a whole number from 1, or u32 beside segments/,
    "k",
    () => fold().prepareTopK({ type: f32, k: [1, 2], maxLength: 4 } as never),
  ],
  [
    /of rows takes no length on the GPU/,
    "lengthOnGpu",
    () => fold().prepareTopK({ type: f32, k: u32, maxLength: 4, segments: "rows", lengthOnGpu: true }),
  ],
  [
    /there are 4 segments, and this was prepared for a maxSegmentCount of 3/,
    "segmentCount",
    () =>
      record(fold(), {
        options: { segments: "offsets", maxSegmentCount: 3 },
        starts: { offsets: [0, 0, 0, 0, LENGTH] },
        k: [1, 2, 3, 4],
      }),
  ],
  [
    /outputLength is 1.5; it takes a whole number from 0/,
    "outputLength",
    () => record(fold(), { ...(recordings.offsets as Recorded), room: 1.5 }),
  ],
])("bad input: %s", async (message, option, run) => {
  const error = (await errorOf(run())) as Error & { option?: string };
  expect(error.message).toMatch(message);
  expect(error.option).toBe(option);
});

/** Some recordings, as calls whose results are compared. */
const subjectOf = (...names: readonly string[]) =>
  async function* (given: Fold): AsyncGenerator<readonly [found: unknown, expected: unknown]> {
    for (const name of names) {
      const one = recordings[name] as Recorded;
      yield [await record(given, one), meant(one)];
    }
  };

const subjects = {
  recorded: subjectOf("offsets", "begins and ends", "a length on the GPU, which cuts the last segment off"),
  few: subjectOf("few of each segment"),
  many: subjectOf("many segments"),
  descending: async function* (given: Fold) {
    const [, , ends] = await record(given, {
      options: { segments: "begins" },
      starts: { begins: [0, 200, 250], ends: [200, 100, LENGTH] },
      k: [1, 5, 2],
    });
    yield [ends, guarded(Uint32Array.of(0, 1, 1, 3), 3, 1)] as const;
  },
};

testMutations(fold, subjects, {
  recorded: {
    "a segment's number does not count": [
      "count = min(min(k[call.k_base + segment], call.k), max(span.y, span.x) - span.x);",
      "count = max(span.y, span.x) - span.x;",
    ],
    "how many elements a segment has does not count": [
      "count = min(min(k[call.k_base + segment], call.k), max(span.y, span.x) - span.x);",
      "count = min(k[call.k_base + segment], call.k);",
    ],
    "numbers are read from the start of their buffer": ["k[call.k_base + segment]", "k[segment]"],
    "the last segment is left out": ["place <= call.segment_count", "place < call.segment_count"],
    "the first count is that of a segment": [
      "var count = 0u;\n      if (place > 0u) {",
      "var count = 1u;\n      if (place > 0u) {",
    ],
    "segments begin at the start of the data": ["begins[segment] = span.x;", "begins[segment] = 0u;"],
    "a segment's results begin where those of the next one do": [
      "positions[begins[run - 1u] + rank]",
      "positions[begins[run] + rank]",
    ],
    "ranks count from the start of all results": [
      "let rank = index - run_end(run - 1u);",
      "let rank = index;",
    ],
    "positions do not count from the first index": [
      "indices[call.indices_base + index] = position + call.first_index;\n}",
      "indices[call.indices_base + index] = position;\n}",
    ],
    "values come from the start of their buffer": ["input[call.input_base + position]", "input[position]"],
  },
  few: {
    "the most to take does not count": ["min(k[call.k_base + segment], call.k)", "k[call.k_base + segment]"],
  },
  descending: {
    "a segment that ends before it begins has elements": ["max(span.y, span.x) - span.x", "span.y - span.x"],
  },
  many: {
    "one work-group counts": [
      "let tile = work_group.y * call.grid_width + work_group.x;\n  let length = data_length();\n  for (var item = 0u; item < ITEMS; item++) { // unroll\n    let place",
      "let tile = 0u;\n  let length = data_length();\n  for (var item = 0u; item < ITEMS; item++) { // unroll\n    let place",
    ],
  },
});
