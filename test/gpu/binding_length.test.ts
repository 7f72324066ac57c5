import { beforeAll, describe, expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import type { Fold } from "../../src/node.ts";
import { f16, LimitError, openFold } from "../../src/node.ts";
import { storageBuffer } from "../support/buffers.ts";
import { planAs } from "../support/fold.ts";
import { nullGpu, useNullDevice } from "../support/null_device.ts";
import { limitsWithBinding } from "../support/short_bindings.ts";
import { watched } from "../support/watched_device.ts";

// What the device cannot bind is refused before anything is made. The device is taken for one whose bindings are short.

const BINDING = 8192;
const nullDevice = useNullDevice();
const made: { fold?: Fold; labels: () => string[] } = { labels: () => [] };
beforeAll(async () => {
  const { device, made: labels } = watched(nullDevice());
  made.labels = labels;
  made.fold = await openFold({ device });
  planAs({ device }, { limits: limitsWithBinding(device, BINDING) });
});
const fold = (): Fold => made.fold as Fold;

/** What every call says that is given `items` items of `bytes` bytes. */
const sentence = (
  items: number,
  bytes: number,
  limit = "maxStorageBufferBindingSize",
  most = BINDING,
): string =>
  `${items} items of ${bytes} bytes are more than the device can bind, which is ${Math.floor(most / bytes)}; open the device with a ${limit} of ${items * bytes} bytes instead of ${most}`;

async function refusalOf(call: () => unknown): Promise<LimitError> {
  try {
    await call();
  } catch (cause) {
    expect(cause).toBeInstanceOf(LimitError);
    return cause as LimitError;
  }
  throw new Error("it is not refused");
}

const Triple = struct({ name: "Triple", fields: { a: u32, b: u32, c: u32 } });
type Case = readonly [title: string, bytes: number, items: number, option: string, call: () => unknown];

describe("recordings", () => {
  const items = (bytes: number): number => BINDING / bytes + 1;
  const scan = (segments: unknown, bytes: number, more: object = {}) =>
    fold().prepareScan({ type: u32, segments, maxLength: Math.floor(items(bytes)), ...more } as never);
  const reduce = (segments: unknown, bytes: number) =>
    fold().prepareReduce({ type: u32, segments, maxLength: Math.floor(items(bytes)) } as never);
  const sort = (bytes: number, more: object = {}) =>
    fold().prepareSort({ type: u32, maxLength: Math.floor(items(bytes)), ...more });
  const cases: readonly (readonly [title: string, bytes: number, call: () => unknown])[] = [
    ["scan<u32, add> of rows", 4, () => scan("rows", 4)],
    ["scan<u32, add> of columns", 4, () => scan("columns", 4)],
    ["scan<u32, add> of offsets", 4, () => scan("offsets", 4)],
    ["scan<u32, add> of heads", 4, () => scan("heads", 4)],
    ["scan<u32, add> of headBits", 4, () => scan("headBits", 4)],
    ["scan<u32, add> of runs of u64", 8, () => scan({ keys: u64 }, 8)],
    ["scan<u32, add> of runs of u32", 12, () => scan({ keys: Triple, key: "x.a", keyType: u32 }, 12)],
    ["scan<f16, add> of heads", 4, () => scan("heads", 4, { type: f16 })],
    ["reduce<u32, add> of rows", 4, () => reduce("rows", 4)],
    ["reduce<u32, add> of columns", 4, () => reduce("columns", 4)],
    ["reduce<u32, add> of offsets", 4, () => reduce("offsets", 4)],
    ["reduce<u32, add> of runs of u64", 8, () => reduce({ keys: u64, unique: true }, 8)],
    ["sort<u32>", 4, () => sort(4)],
    ["sort<f64>", 8, () => sort(8, { type: f64 })],
    ["sort<f16>", 4, () => sort(4, { type: f16, indices: true })],
    ["sort<u32>", 8, () => sort(8, { key: "f64(x)", keyType: f64 })],
    ["sort<u32>", 8, () => sort(8, { values: u64 })],
    ["sort<u32>", 12, () => sort(12, { values: [u32, Triple] })],
    ["sort<Triple>", 12, () => sort(12, { type: Triple, key: "x.a", keyType: u32 })],
    ["sort<u32>", 4, () => sort(4, { segments: "rows" })],
    ["sort<u32>", 4, () => sort(4, { segments: "offsets" })],
    ["topK<u32>", 4, () => fold().prepareTopK({ type: u32, maxLength: items(4), k: 3 })],
    ["topK<u32>", 4, () => fold().prepareTopK({ type: u32, maxLength: items(4), k: 3, segments: "rows" })],
    ["nth<u32>", 4, () => fold().prepareNth({ type: u32, maxLength: items(4), n: 3 })],
    ["partition<u32>", 4, () => fold().preparePartition({ type: u32, maxLength: items(4), where: "x > 3u" })],
    [
      "histogram<u32>",
      4,
      () => fold().prepareHistogram({ type: u32, maxLength: items(4), bins: 4, range: [0, 8] }),
    ],
  ];
  test.each(cases)("%s, of %i bytes: case %#", async (title, bytes, call) => {
    const before = made.labels().length;
    const most = Math.floor(BINDING / bytes);
    const refusal = await refusalOf(call);
    expect(refusal.message).toBe(`${title}: ${sentence(most + 1, bytes)}`);
    expect(refusal).toMatchObject({ option: "maxLength", needed: most + 1, limit: most });
    expect(made.labels().slice(before)).toEqual([]);
  });

  test("ranges whose length each recording gives", async () => {
    const { device } = fold();
    const count = BINDING / 4;
    const [data, output, offsets] = [500, 2 * count + 9, count + 1].map((length) =>
      storageBuffer(device, new Uint32Array(length)),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer];
    const options = { segments: "offsets", maxLength: 500 } as const;
    const ranges = { input: data, output, offsets, length: 500 };
    for (const [type, segmentCount, name, bytes, items] of [
      [u32, count, "offsets", 4, count + 1],
      [f64, count - 1, "output", 8, count - 1],
    ] as const) {
      const plan = await fold().prepareReduce({ ...options, maxLength: 250, type } as never);
      const record = () =>
        plan.record(device.createCommandEncoder(), { ...ranges, length: 250, segmentCount } as never);
      const refusal = await refusalOf(record);
      expect(refusal.message).toBe(
        `reduce<${type.name}, add> of offsets: ${name}: ${sentence(items, bytes)}`,
      );
      expect(refusal).toMatchObject({ option: name, needed: items });
      plan.destroy();
    }
  });
});

test("calls, at hand and on the GPU", async () => {
  const long = new Uint32Array(BINDING / 4 + 1);
  const few = new Uint32Array(1100);
  const wide = new Float64Array(1100);
  const onGpu = await fold().upload(long);
  const [fewOnGpu, wideOnGpu] = [await fold().upload(few), await fold().upload(wide)];
  const more = await fold().upload(new Uint32Array(1101));
  const shortOnGpu = await fold().upload(wide.subarray(0, 5));
  const cases: readonly Case[] = [
    ["sort<u32>", 4, 2049, "data", () => fold().sort(long)],
    ["argSort<u32>", 4, 2049, "data", () => fold().argSort(long)],
    ["sort<u32>", 4, 2049, "data", () => fold().sort(onGpu)],
    ["sort<u32>: values", 8, 1100, "values", () => fold().sort(few, { values: wide })],
    ["sort<u32>: values", 8, 1100, "values", () => fold().sort(fewOnGpu, { values: wideOnGpu })],
    ["scan<u32>", 4, 2049, "data", () => fold().scan(long, { segments: { columns: 3 } })],
    ["scan<u32>: keys", 8, 1100, "segments", () => fold().scan(few, { segments: { keys: wide } })],
    ["scan<u32>: keys", 8, 1100, "segments", () => fold().scan(fewOnGpu, { segments: { keys: wideOnGpu } })],
    [
      "scan<u32>: offsets",
      4,
      2049,
      "segments",
      () => fold().scan(few, { segments: { offsets: long.map((_, at) => (at === 2048 ? 1100 : 0)) } }),
    ],
    [
      "scan<u32>: offsets",
      4,
      2049,
      "segments",
      () => fold().scan(fewOnGpu, { segments: { offsets: onGpu } }),
    ],
    [
      "reduce<f64>: the totals",
      8,
      1100,
      "segments",
      () =>
        fold().reduce(wide.subarray(0, 5), {
          segments: { offsets: Uint32Array.from({ length: 1101 }, (_, at) => Math.min(at, 5)) },
        }),
    ],
    [
      "reduce<f64>: the totals",
      8,
      1100,
      "segments",
      () => fold().reduce(shortOnGpu, { segments: { offsets: more } }),
    ],
    ["unique<u32>", 4, 2049, "data", () => fold().unique(long)],
    ["runLengths<u32>", 4, 2049, "data", () => fold().runLengths(onGpu)],
    ["topK<u32>", 4, 2049, "data", () => fold().topK(long, 3)],
    ["expandRuns<u32>: values", 4, 2049, "values", () => fold().expandRuns(long, long)],
    ["expandRuns<u32>", 4, 3000, "counts", () => fold().expandRuns(Uint32Array.of(7), Uint32Array.of(3000))],
    ["histogram<u32>: bins", 4, 2049, "bins", () => fold().histogram(few, { bins: 2049, range: [0, 4098] })],
  ];
  for (const [title, bytes, items, option, call] of cases) {
    const before = made.labels().length;
    const refusal = await refusalOf(call);
    expect(refusal.message).toBe(`${title}: ${sentence(items, bytes)}`);
    expect(refusal).toMatchObject({ option, needed: items });
    expect(made.labels().slice(before), title).toEqual([]);
  }
});

test("a shorter buffer is named, and so are both limits", async () => {
  const { device } = fold();
  const limits = limitsWithBinding(device, BINDING);
  const planned = { type: u32, maxLength: 5000 };
  const messageWith = async (own: object): Promise<string> => {
    const restore = planAs({ device }, { limits: { ...limits, ...own } });
    const { message } = await refusalOf(() => fold().prepareSort(planned));
    restore();
    return message;
  };
  expect(await messageWith({ maxStorageBufferBindingSize: 2 ** 20, maxBufferSize: 10_000 })).toBe(
    `sort<u32>: ${sentence(5000, 4, "maxBufferSize", 10_000)}`,
  );
  expect(await messageWith({ maxBufferSize: 10_000 })).toBe(
    `sort<u32>: ${sentence(5000, 4)} and a maxBufferSize of 20000 bytes instead of 10000`,
  );
});

test("openFold asks for all that the adapter has", async () => {
  const adapter = (await nullGpu().requestAdapter()) as GPUAdapter;
  const one = await openFold({ adapter });
  for (const name of ["maxStorageBufferBindingSize", "maxBufferSize"] as const) {
    expect(one.device.limits[name], name).toBe(adapter.limits[name]);
  }
  one.destroy();
});
