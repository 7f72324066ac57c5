import { describe, expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import { ArgumentError, LimitError, SourceError } from "../../src/errors.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Fold } from "../../src/gpu/fold.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import { partitionReference } from "../../src/reference/partition.ts";
import { destroyAll, readWords, storageBuffer } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";

// What is special to partitions. All else follows from their examples: test/primitives/.

const fold = useFold();

const small = { workGroupSize: 32, itemsPerThread: 4 } as const;

test.each(["single", "reduce-then-scan"] as const)("a rest with a range of its own: %s", async (passes) => {
  const options = { type: u32, where: "i % 3u != 1u", rest: true, passes, maxLength: 300, ...small };
  const partition = await fold().preparePartition(options);
  const { kernels } = partition as unknown as Prepared;
  const isSingle = kernels.some(({ entryPoint }) => entryPoint === "compact_single_pass");
  expect(isSingle).toBe(passes === "single");
  partition.destroy();
});

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
      "classes and flags, recorded",
      (one) =>
        one.preparePartition({ type: u32, classes: 2, class: "x", flags: true, maxLength: 8 } as never),
      "partition<u32> takes flags or classes, and not both",
      "flags",
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
