import { beforeAll, describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayLike } from "../../src/algebra/arrays.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import { ArgumentError, LimitError, SourceError } from "../../src/errors.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Fold } from "../../src/gpu/fold.ts";
import type { GpuArray } from "../../src/gpu/gpu_arrays/gpu_array.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import type { Algorithm } from "../../src/kernels/algorithms.ts";
import type { TuningOptions } from "../../src/plan/options.ts";
import type { ClassPartition, PreparedPartition } from "../../src/primitives/partition.ts";
import type { BufferRange } from "../../src/primitives/ranges.ts";
import { partitionReference } from "../../src/reference/partition.ts";
import { destroyAll, readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { algorithmNames, planAs, useFold } from "../support/fold.ts";
import { around } from "../support/lengths.ts";
import { pairs } from "../support/pairs.ts";
import { arrayOfBits, randomBits, randomItems } from "../support/random.ts";
import type { PlacedRanges } from "../support/ranges.ts";
import { layoutsOf, runPlaced } from "../support/ranges.ts";
import { lacks } from "../support/sorts.ts";

const fold = useFold();

const Twelve = struct({ name: "Twelve", fields: { a: u32, b: u32, c: f32 } });

const types: readonly ElementType[] = [u32, f16, u64, Twelve as unknown as ElementType];

/** What is kept: some, every second item, none, all, all but the last, and the last alone. */
const predicates: readonly [where: string, keep: (index: number, length: number) => boolean][] = [
  ["i % 3u == 1u", (index) => index % 3 === 1],
  ["(i / 2u) % 2u == 0u", (index) => Math.floor(index / 2) % 2 === 0],
  ["false", () => false],
  ["true", () => true],
  ["i + 1u < LENGTHu", (index, length) => index + 1 < length],
  ["i + 1u == LENGTHu", (index, length) => index + 1 === length],
];

const expectPartition = (
  actual: { readonly values: AnyArray; readonly count: number },
  expected: { readonly values: AnyArray; readonly count: number },
  title: string,
): void => {
  expect(actual.count, `${title}: the count`).toBe(expected.count);
  expectSameBits(actual.values, expected.values, title);
};

const expectClasses = (
  actual: { readonly values: AnyArray; readonly offsets: AnyArray },
  expected: { readonly values: AnyArray; readonly offsets: AnyArray },
  title: string,
): void => {
  expectSameBits(actual.offsets, expected.offsets, `${title}: the offsets`);
  expectSameBits(actual.values, expected.values, title);
};

/** Vectors of several items, and a spine of two levels for the longest data. */
const tunings: readonly TuningOptions[] = [
  { workGroupSize: 4, itemsPerThread: 2 },
  { workGroupSize: 8, itemsPerThread: 4, passes: "single" },
];
const lengthsOf = ({ workGroupSize = 1, itemsPerThread = 1 }: TuningOptions): number[] => {
  const tile = workGroupSize * itemsPerThread;
  return [0, 1, ...around(tile), 12 * tile + 3];
};

/** Sizes that compile soon, where it does not matter which ones. */
const small = { workGroupSize: 32, itemsPerThread: 4 } as const;

const ofTypes = pairs({
  type: types,
  algorithm: algorithmNames,
  tuning: tunings,
  indices: [false, true],
  predicate: predicates,
});

test.for(ofTypes)(
  "$algorithm, $type.name, $tuning, where $predicate.0, indices: $indices: at every edge",
  async ({ algorithm, type, tuning, indices, predicate: [text, keep] }, { skip }) => {
    skip(lacks(fold(), type), `the adapter has no ${type.feature}`);
    // A predicate that names the length is another kernel for each.
    const lengths = lengthsOf(tuning);
    for (const length of text.includes("LENGTH") ? lengths.slice(-2) : lengths) {
      const data = randomItems(type, length, `${type.name} ${length}`);
      const where = text.replace("LENGTH", String(length));
      const keeps = (_: unknown, index: number): boolean => keep(index, length);
      expectPartition(
        await fold().partition(data, { type, where, algorithm, ...tuning, indices } as never),
        partitionReference(data, keeps, { type, indices } as never) as never,
        `${length}`,
      );
    }
  },
);

const byFlags = algorithmNames.map((algorithm, at) => ({
  algorithm,
  indices: at === 1,
  share: [1, 3, 4][at] as number,
}));
test.for(byFlags)(
  "$algorithm: by flags of $share in 4, indices: $indices, with the default sizes",
  async ({ algorithm, share, indices }) => {
    for (const length of [1023 + (share % 3)]) {
      const data = randomItems(u32, length, `flags ${length}`) as Uint32Array;
      const next = randomBits(`flags ${length}`);
      const flags = Array.from({ length }, () => next() % 4 < share);
      const keep = (_: unknown, index: number): boolean => flags[index] ?? false;
      expectPartition(
        await fold().partition(data, { flags, algorithm, indices } as never),
        partitionReference(data, keep, { indices } as never) as never,
        `${length}`,
      );
    }
  },
);

test("by values, with the default sizes", async () => {
  const data = randomItems(u32, 1100, "values") as Uint32Array;
  expectPartition(
    await fold().partition(data, { where: "x % 3u == 1u" }),
    partitionReference(data, (x) => x % 3 === 1),
    "values",
  );
});

test("a NaN keeps its payload on both sides", async () => {
  const data = arrayOfBits("f32", [0x7fc12345, 0x3f800000, 0xff800001, 0x7fffffff, 1]) as Float32Array;
  const { values, count } = await fold().partition(data, { flags: [0, 1, 1, 0, 0] });
  expect(count).toBe(2);
  expectSameBits(
    values,
    arrayOfBits("f32", [0x3f800000, 0xff800001, 0x7fc12345, 0x7fffffff, 1]) as Float32Array,
    "f32",
  );
});

const classKinds: readonly [text: string, of: (x: number) => number][] = [
  ["x", (x) => x],
  ["i32(max(x, -7.0))", (x) => Math.max(x, -7)],
  ["x > 0.5", (x) => Number(x > 0.5)],
  ["u32(x)", (x) => Math.max(x, 0)],
  ["if (x < 0.0) { return 1u; }\nreturn u32(x);", (x) => (x < 0 ? 1 : x)],
  ["4294967295u", () => 2 ** 32 - 1],
  ["select(0, -1, x < 0.0)", (x) => (x < 0 ? -1 : 0)],
];
test.each(classKinds)(
  "class is a number of any kind; its fraction is cut off, and then one below 0 or past the last counts as the last: %s",
  async (text, of) => {
    const data = Float32Array.of(-3, 5e9, -0.5, 0, 1, -1, 2.5, 0.75, 3, 2);
    const options = { classes: 3, class: text, ...small };
    expectClasses(await fold().partition(data, options), partitionReference(data, of, { classes: 3 }), text);
  },
);

test("a class below 0, past the last, or NaN is the last one of the reference", () => {
  const data = Float32Array.of(-3, Number.NaN, -0.5, 1.5, 2 ** 32, 0);
  const { values, offsets } = partitionReference(data, (x) => x, { classes: 3 });
  expect([...values]).toEqual([-0.5, 0, 1.5, -3, Number.NaN, 2 ** 32]);
  expect([...offsets]).toEqual([0, 2, 3, 6]);
});

test("where may be statements: of a partition, a compaction, and a stream of compactions", async () => {
  const data = Uint32Array.of(4, 7, 2, 9, 6);
  const where = "if (i == 0u) { return true; }\nreturn x % 2u == 1u;";
  expect((await fold().partition(data, { where })).values).toEqual(Uint32Array.of(4, 7, 9, 2, 6));
  expect(await fold().compact(data, { where })).toEqual(Uint32Array.of(4, 7, 9));
  const source = new ReadableStream<Uint32Array>({
    start(to) {
      to.enqueue(data);
      to.close();
    },
  });
  const kept = source.pipeThrough(fold().compactStream({ type: u32, where }));
  const read: number[] = [];
  for await (const piece of kept) {
    read.push(...piece);
  }
  expect(read).toEqual([4, 7, 9]);
});

test("into an array of the caller's, the data itself too", async () => {
  const data = Uint32Array.of(4, 7, 2, 9, 6);
  const where = "x % 2u == 1u";
  const into = new Uint32Array(5);
  expect((await fold().partition(data, { where, into })).values).toBe(into);
  expect([...into]).toEqual([7, 9, 4, 2, 6]);
  const positions = new Uint32Array(5);
  const floats = Float32Array.from(data);
  const parted = await fold().partition(floats, { where: "x > 5", indices: true, into: positions });
  expect(parted).toEqual({ values: positions, count: 3 });
  expect([...positions]).toEqual([1, 3, 4, 0, 2]);
  const { values, count } = await fold().partition(data, { where, into: data });
  expect(values).toBe(data);
  expect([count, ...data]).toEqual([2, 7, 9, 4, 2, 6]);
});

interface Row {
  readonly type: ElementType;
  readonly algorithm: Algorithm;
  readonly itemsPerThread: number;
  readonly workGroupSize?: number;
  readonly vector: number;
  /** Whether kernels are those that software adapters get, where loops over long items stay loops; else those that GPUs get. */
  readonly software?: true;
}
const recorded: readonly Row[] = [
  { type: u32, algorithm: "blelloch", itemsPerThread: 8, vector: 4 },
  { type: u32, algorithm: "subgroup", itemsPerThread: 8, vector: 4 },
  // With subgroups of at most 32 lanes, votes are kept in place of ranks.
  {
    type: u32,
    algorithm: "subgroup",
    workGroupSize: 32,
    itemsPerThread: 12,
    vector: 4,
  },
  { type: u64, algorithm: "hillis-steele", itemsPerThread: 4, vector: 2 },
  { type: f16, algorithm: "subgroup", itemsPerThread: 8, vector: 8 },
  { type: types[3] as ElementType, algorithm: "blelloch", itemsPerThread: 4, vector: 4 },
  { type: types[3] as ElementType, algorithm: "subgroup", itemsPerThread: 4, vector: 4, software: true },
];

/** Each kind by each algorithm. */
const kindsOf = [
  ["two sides", "apart in a single pass"],
  ["two sides", "classes"],
  ["apart in a single pass"],
  ["two sides", "classes", "apart", "apart in a single pass"],
  ["apart in a single pass", "two sides"],
  ["classes", "apart"],
  ["classes", "apart"],
] as const;
const recordings = recorded.flatMap((row, at) =>
  (kindsOf[at] ?? []).map((kind, turn) => ({
    ...row,
    kind,
    lengthOnGpu: (at + turn) % 2 === 0,
    number: at + turn,
  })),
);
describe.each(recordings)(
  "recorded: $type.name, $algorithm, $itemsPerThread items, on a software adapter: $software, $kind, the length on the GPU: $lengthOnGpu",
  ({
    type,
    algorithm,
    workGroupSize = 8,
    itemsPerThread,
    vector,
    software = false,
    kind,
    lengthOnGpu,
    number,
  }) => {
    beforeAll(() => planAs(fold(), { software }));
    const tile = workGroupSize * itemsPerThread;
    const allLengths = [1, ...around(tile), 2 * tile + 5];
    const maxLength = Math.max(...allLengths);
    const options = { type, algorithm, workGroupSize, itemsPerThread, maxLength, where: "i % 3u != 1u" };
    const keep = (_: unknown, index: number): boolean => index % 3 !== 1;
    // What starts where a binding may starts at a vector, too.
    const placed = Object.entries(layoutsOf(vector))
      .filter(([name]) => name !== "from the start" && name !== "in place")
      .map(([name, layout], at) => ({
        name,
        layout,
        length: lengthOnGpu && at === 5 ? 0 : (allLengths[(at + number) % allLengths.length] ?? 1),
      }));

    /** Records a partition of `data`, and returns as many items of its output as there are `kept`. */
    const outputOf = async (
      partition: Pick<PreparedPartition, "record">,
      data: AnyArray,
      kept: number,
      layout: (typeof placed)[number]["layout"],
      title: string,
      count: GPUBuffer,
      more: { readonly rest?: BufferRange } = {},
    ): Promise<AnyArray> => {
      const { device } = fold();
      const room = lengthOnGpu ? maxLength : data.length;
      const words = storageBuffer(device, Uint32Array.of(7, data.length, 9));
      const record = (encoder: GPUCommandEncoder, ranges: PlacedRanges): void =>
        partition.record(encoder, {
          ...ranges,
          ...(lengthOnGpu && { length: { buffer: words, offset: 4 } }),
          count: { buffer: count, offset: 4 },
          ...more,
        });
      const output = await runPlaced(device, type, data, kept, layout(room), record, title, room);
      words.destroy();
      return output;
    };

    const partTwoSides = async (): Promise<void> => {
      const { device } = fold();
      const partition = await fold().preparePartition({ ...options, lengthOnGpu });
      const count = storageBuffer(device, new Uint32Array(4));
      for (const { name, layout, length } of placed) {
        const title = `${name}, ${length}`;
        const data = randomItems(type, length, title);
        const expected = partitionReference(data, keep as never, { type } as never);
        const values = await outputOf(partition, data, length, layout, title, count);
        expectSameBits(values, expected.values as AnyArray, title);
        expect([...(await readWords(device, count))], title).toEqual([0, expected.count, 0, 0]);
      }
      destroyAll(partition, count);
    };

    /** The rest in a range of its own, which starts at the third item of a buffer. */
    const partApart = async (): Promise<void> => {
      const { device } = fold();
      const passes = kind === "apart" ? ("reduce-then-scan" as const) : ("single" as const);
      const partition = await fold().preparePartition({ ...options, rest: true, passes, lengthOnGpu });
      const { kernels } = partition as unknown as Prepared;
      const isSingle = kernels.some(({ entryPoint }) => entryPoint === "compact_single_pass");
      expect(isSingle).toBe(passes === "single");
      const count = storageBuffer(device, new Uint32Array(4));
      for (const { name, layout, length } of placed) {
        const title = `${name}, ${length}, ${passes}`;
        const data = randomItems(type, length, title);
        const expected = partitionReference(data, keep as never, { type } as never);
        const [before, room] = [2 * type.bytes, lengthOnGpu ? maxLength : length];
        const bytes = new Uint8Array(4 * Math.ceil((before + room * type.bytes + 300) / 4)).fill(0xa5);
        const rest = storageBuffer(device, new Uint32Array(bytes.buffer));
        const kept = await outputOf(partition, data, expected.count, layout, title, count, {
          rest: { buffer: rest, offset: before },
        });
        const values = expected.values as AnyArray;
        const all = new Uint8Array(values.buffer as ArrayBuffer, values.byteOffset, values.byteLength);
        const end = expected.count * type.bytes;
        expectSameBits(kept, arrayLike(values, all.slice(0, end).buffer), title);
        bytes.set(all.subarray(end), before);
        expectSameBits(await readWords(device, rest), new Uint32Array(bytes.buffer), `the rest: ${title}`);
        expect([...(await readWords(device, count))], title).toEqual([0, expected.count, 0, 0]);
        rest.destroy();
      }
      destroyAll(partition, count);
    };

    const partClasses = async (): Promise<void> => {
      const { device } = fold();
      const { where: _, ...others } = options;
      const classes = 5;
      const partition = await fold().preparePartition({ ...others, classes, class: "i % 4u", lengthOnGpu });
      const counts = storageBuffer(device, new Uint32Array(8).fill(9));
      for (const { name, layout, length } of placed) {
        const title = `${name}, ${length}`;
        const data = randomItems(type, length, title);
        const expected = partitionReference(data, (_, index) => index % 4, { type, classes } as never);
        const values = await outputOf(partition, data, length, layout, title, counts);
        const { values: items, offsets } = expected as unknown as ClassPartition<AnyArray, Uint32Array>;
        expectSameBits(values, items, title);
        expect([...(await readWords(device, counts))], title).toEqual([9, ...offsets, 9]);
      }
      destroyAll(partition, counts);
    };

    test.for(["every layout and length"])("%s", async (_, { skip }) => {
      skip(lacks(fold(), type), `the adapter has no ${type.feature}`);
      await (kind === "classes" ? partClasses() : kind === "two sides" ? partTwoSides() : partApart());
    });
  },
);

test("recorded: flags, positions, a first index, and nothing at all", async () => {
  const { device } = fold();
  const length = 100;
  const flags = storageBuffer(
    device,
    Uint32Array.from({ length }, (_, at) => Number(at % 7 < 3)),
  );
  const output = storageBuffer(device, new Uint32Array(length + 2).fill(9));
  const count = storageBuffer(device, Uint32Array.of(7));
  const flagged = await fold().preparePartition({ type: u64, indices: true, maxLength: length });
  const encoder = device.createCommandEncoder();
  flagged.record(encoder, { flags, output: { buffer: output, offset: 4 }, count, length, firstIndex: 1000 });
  device.queue.submit([encoder.finish()]);
  const positions = Array.from({ length }, (_, at) => at);
  const expected = [...positions.filter((at) => at % 7 < 3), ...positions.filter((at) => at % 7 >= 3)];
  expect([...(await readWords(device, output))]).toEqual([9, ...expected.map((at) => 1000 + at), 9]);
  expect([...(await readWords(device, count))]).toEqual([44]);
  const empty = device.createCommandEncoder();
  flagged.record(empty, { flags, output, count, length: 0 });
  device.queue.submit([empty.finish()]);
  expect([...(await readWords(device, count))]).toEqual([0]);
  flagged.destroy();
});

test("the reference takes classes modulo 2^32, as WGSL does", () => {
  const { values, offsets } = partitionReference(Uint32Array.of(5, 0, 7), (x) => x - 6, { classes: 3 });
  expect(values).toEqual(Uint32Array.of(7, 5, 0));
  expect(offsets).toEqual(Uint32Array.of(0, 0, 1, 3));
  expect(partitionReference(Uint32Array.of(5, 0), () => -1, { classes: 3 })).toEqual({
    values: Uint32Array.of(5, 0),
    offsets: Uint32Array.of(0, 0, 0, 2),
  });
});

test("no elements", async () => {
  const { values, count } = await fold().partition(new Float32Array(0), { where: "x > 0" });
  expect(values).toEqual(new Float32Array(0));
  expect(count).toBe(0);
});

/** What arrays on the GPU hold. They are destroyed then. */
async function take({ values, count }: { readonly values: GpuArray; readonly count: GpuArray }) {
  const read = { values: await values.read(), count: ((await count.read()) as Uint32Array)[0] ?? -1 };
  destroyAll(values, count);
  return read;
}

test("arrays on the GPU, in place too, and of a length that is there", async () => {
  const one = fold();
  const data = randomItems(u32, 300, "on the GPU") as Uint32Array;
  const numbers = await one.upload(data);
  const odd = partitionReference(data, (x) => x % 2 === 1);
  const where = "x % 2u == 1u";
  const parted = await one.partition(numbers, { where });
  expect(parted.values.length).toBe(300);
  expect(parted.count.length).toBe(1);
  expectPartition(await take(parted), odd, "values");
  expectPartition(
    await take(await one.partition(numbers, { where, indices: true, ...small })),
    partitionReference(data, (x) => x % 2 === 1, { indices: true }),
    "positions",
  );
  const flags = await one.scan(numbers, {
    map: "select(0u, 1u, x > 7u)",
    exclusive: true,
    initial: 0,
    ...small,
  });
  const marks = await flags.read();
  expectPartition(
    await take(await one.partition(numbers, { flags, ...small })),
    partitionReference(data, (_, index) => marks[index] !== 0),
    "flags",
  );
  // The length of what a compaction kept is on the GPU: so is that of its partition.
  const some = await one.compact(numbers, { where: "i % 3u == 0u", ...small });
  const kept = data.filter((_, index) => index % 3 === 0);
  const ofSome = await one.partition(some, { where, ...small });
  expect(typeof ofSome.values.length).toBe("object");
  some.destroy();
  expectPartition(
    await take(ofSome),
    partitionReference(kept, (x) => x % 2 === 1),
    "a length on the GPU",
  );
  const classes = await one.partition(numbers, { classes: 3, class: "x % 3u", ...small });
  const offsets = { values: await classes.values.read(), offsets: await classes.offsets.read() };
  expectClasses(
    offsets,
    partitionReference(data, (x) => x % 3, { classes: 3 }),
    "classes",
  );
  destroyAll(classes.values, classes.offsets);
  const same = await one.partition(numbers, { where, into: numbers, ...small });
  expectPartition(await take(same), odd, "in place");
  destroyAll(numbers, flags);
});

describe("what is refused", () => {
  const data = Uint32Array.of(3, 1, 7);
  const refusals: readonly [string, (one: Fold) => Promise<unknown>, string, string][] = [
    [
      "neither",
      (one) => one.partition(data, {} as never),
      "partition<u32> takes where (a WGSL expression) or flags; it was given neither",
      "where",
    ],
    [
      "an empty predicate",
      (one) => one.partition(data, { where: " " }),
      "partition<u32>: where is empty",
      "where",
    ],
    [
      "too few flags",
      (one) => one.partition(data, { flags: [1] }),
      "partition<u32>: 1 flags for 3 elements",
      "flags",
    ],
    [
      "classes and a predicate",
      (one) => one.partition(data, { where: "true", classes: 2, class: "x" } as never),
      "partition<u32> takes where (a WGSL expression) or classes, and not both",
      "where",
    ],
    [
      "classes and flags",
      (one) => one.partition(data, { flags: [1, 0, 1], classes: 2, class: "x" } as never),
      "partition<u32> takes flags or classes, and not both",
      "flags",
    ],
    [
      "too many classes",
      (one) => one.partition(data, { classes: 17, class: "x" }),
      "partition<u32>: classes is 17; it takes a whole number from 1 to 16",
      "classes",
    ],
    [
      "a class of no number of classes",
      (one) => one.partition(data, { class: "x" } as never),
      "classes is undefined; it takes a whole number from 1 to 16",
      "classes",
    ],
    [
      "classes of nothing",
      (one) => one.partition(data, { classes: 2 } as never),
      "class is undefined",
      "class",
    ],
    [
      "an empty class",
      (one) => one.partition(data, { classes: 2, class: "" }),
      "partition<u32>: class is empty",
      "class",
    ],
    [
      "on the GPU, classes and flags",
      async (one) =>
        one.partition(await one.upload(data), {
          classes: 2,
          class: "x",
          flags: await one.upload(data),
        } as never),
      "partition<u32> takes flags or classes, and not both",
      "flags",
    ],
    [
      "on the GPU, too many classes",
      async (one) => one.partition(await one.upload(data), { classes: 1.5, class: "x" }),
      "partition<u32>: classes is 1.5; it takes a whole number from 1 to 16",
      "classes",
    ],
    [
      "classes, recorded, and a range for the rest",
      (one) => one.preparePartition({ type: u32, rest: true, classes: 2, class: "x", maxLength: 8 }),
      "partition<u32> takes rest (whether the rest has a range of its own) or classes, and not both",
      "rest",
    ],
    [
      "a range where there is to be none yet",
      (one) => one.preparePartition({ type: u32, where: "true", rest: {} as never, maxLength: 8 }),
      "preparePartition: rest is [object Object]; it takes true or false",
      "rest",
    ],
    [
      "classes, recorded, and a predicate",
      (one) => one.preparePartition({ type: u32, where: "true", classes: 2, class: "x", maxLength: 8 }),
      "or classes, and not both",
      "where",
    ],
    [
      "a map",
      (one) => one.partition(data, { where: "true", map: "x" } as never),
      "partition takes no option map",
      "map",
    ],
    [
      "an array that is too long",
      (one) => one.partition(data, { where: "true", into: new Uint32Array(4) }),
      "into has 4 elements; it takes 3, as many as the data",
      "into",
    ],
    [
      "an array of another kind",
      (one) => one.partition(data, { where: "true", into: new Int32Array(3) as never }),
      "partition: into is Int32Array; it takes Uint32Array",
      "into",
    ],
    [
      "a map, recorded",
      (one) => one.preparePartition({ type: u32, where: "true", map: "x", maxLength: 8 } as never),
      "preparePartition takes no option map",
      "map",
    ],
    [
      "an indirect call",
      (one) => one.preparePartition({ type: u32, where: "true", indirect: {}, maxLength: 8 } as never),
      "preparePartition takes no option indirect",
      "indirect",
    ],
    ["no type", (one) => one.preparePartition({ where: "true", maxLength: 8 } as never), "partition", "type"],
    [
      "no length",
      (one) => one.preparePartition({ type: u32, where: "true" } as never),
      "partition<u32>: maxLength is undefined",
      "maxLength",
    ],
    [
      "passes that mean nothing",
      (one) => one.partition(data, { where: "true", passes: "twice" as never }),
      'passes is "twice"',
      "passes",
    ],
    [
      "on the GPU, neither",
      async (one) => one.partition(await one.upload(data), {} as never),
      "partition<u32> takes where (a WGSL expression) or flags",
      "where",
    ],
    [
      "on the GPU, a map",
      async (one) => one.partition(await one.upload(data), { where: "true", map: "x" } as never),
      "partition takes no option map",
      "map",
    ],
    [
      "on the GPU, too short a result",
      async (one) =>
        one.partition(await one.upload(data), { where: "true", into: await one.upload(data.slice(1)) }),
      "partition<u32>: into has room for 2 items; it takes at least 3",
      "into",
    ],
  ];
  test.each(refusals)("%s", async (_, call, message, option) => {
    const error = await call(fold()).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ArgumentError);
    expect((error as ArgumentError).message).toContain(message);
    expect((error as ArgumentError).option).toBe(option);
  });

  test("a predicate that does not compile", async () => {
    const call = fold().partition(data, { where: "y > 1u" });
    await expect(call).rejects.toThrow(SourceError);
  });

  test("ranges that overlap, or lie where one dispatch cannot bind them", async () => {
    const { device } = fold();
    const partition = await fold().preparePartition({ type: u32, where: "true", maxLength: 8, ...small });
    const [a, b] = [storageBuffer(device, new Uint32Array(400)), storageBuffer(device, new Uint32Array(400))];
    const record = (ranges: object) => (): void =>
      partition.record(device.createCommandEncoder(), { length: 8, ...ranges } as never);
    expect(record({ input: a, output: { buffer: a, offset: 16 }, count: b })).toThrow(
      "partition<u32>: input (bytes 0 to 32) and output (bytes 16 to 48) overlap; they must be the same range, or apart",
    );
    expect(record({ input: a, output: b, count: { buffer: b, offset: 4 } })).toThrow(
      "count (bytes 4 to 8) and output (bytes 0 to 32) overlap",
    );
    expect(record({ input: a, output: b })).toThrow("partition<u32>: count is undefined");
    expect(record({ input: a, output: { buffer: b, size: 28 }, count: b })).toThrow(
      "output has 28 bytes from offset 0 on, and 8 items of 4 bytes take 32",
    );
    const classes = await fold().preparePartition({
      type: u32,
      classes: 4,
      class: "x",
      maxLength: 8,
      ...small,
    });
    expect(() =>
      classes.record(device.createCommandEncoder(), {
        input: a,
        output: b,
        count: { buffer: b, offset: 1024, size: 16 },
        length: 8,
      }),
    ).toThrow("count has 16 bytes from offset 1024 on, and 5 items of 4 bytes take 20");
    classes.destroy();
    const apart = await fold().preparePartition({
      type: u32,
      where: "true",
      rest: true,
      maxLength: 8,
      ...small,
    });
    const recordApart = (ranges: object) => (): void =>
      apart.record(device.createCommandEncoder(), { output: b, count: b, length: 8, ...ranges } as never);
    const behind = { buffer: b, offset: 512 };
    expect(recordApart({ input: a, count: behind })).toThrow("partition<u32>: rest is undefined");
    expect(recordApart({ input: a, count: behind, rest: { buffer: b, offset: 28 } })).toThrow(
      "rest (bytes 28 to 60) and output (bytes 0 to 32) overlap; they must be apart",
    );
    expect(recordApart({ input: a, count: behind, rest: { buffer: a, offset: 256 } })).toThrow(
      "partition<u32>: input and rest must be in different buffers",
    );
    expect(record({ input: a, output: b, count: behind, rest: a })).toThrow("takes no option rest");
    apart.destroy();
    const flagged = await fold().preparePartition({ type: u32, maxLength: 8, ...small });
    expect(() =>
      flagged.record(device.createCommandEncoder(), { input: a, output: b, count: b, length: 0 } as never),
    ).toThrow(
      "partition<u32>: flags is undefined, and this was prepared with flags, or without where; give record flags, or prepare it with where alone",
    );
    destroyAll(partition, flagged);
  });

  test("more items than a binding holds", async () => {
    const { maxStorageBufferBindingSize: most } = contextOf(fold().device).facts.limits;
    const error = await fold()
      .preparePartition({ type: u32, where: "true", maxLength: most / 4 + 1 })
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(LimitError);
    expect((error as LimitError).option).toBe("maxLength");
  });
});

describe("classes", () => {
  const classOf = (index: number): number => ((index * 7) % 11) % 6;
  const expression = "((i * 7u) % 11u) % 6u";
  // Some classes are empty: the last ones of many, and all but one.
  const given = [
    [6, expression, classOf],
    [4, expression, classOf],
    [16, "3u * (i % 3u)", (index: number) => 3 * (index % 3)],
    [1, "7u", () => 7],
  ] as const;

  test.for(pairs({ type: types, algorithm: algorithmNames, tuning: tunings, given, indices: [false, true] }))(
    "$algorithm, $type.name, $tuning, $given.0 classes, indices: $indices: at every edge",
    async ({ algorithm, type, tuning, given: [classes, text, of], indices }, { skip }) => {
      skip(lacks(fold(), type), `the adapter has no ${type.feature}`);
      for (const length of lengthsOf(tuning)) {
        const data = randomItems(type, length, `classes ${type.name} ${length}`);
        const options = { type, classes, class: text, algorithm, ...tuning, indices };
        const actual = (await fold().partition(data, options as never)) as never;
        const classIn = (_: unknown, index: number): number => of(index);
        const expected = partitionReference(data, classIn, { type, classes, indices } as never);
        expectClasses(actual, expected as never, `${length}`);
      }
    },
  );
});
