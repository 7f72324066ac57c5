import { expect, test } from "vitest";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import { ArgumentError, LimitError, SourceError } from "../../src/errors.ts";
import { planSort } from "../../src/plan/sort.ts";
import { destroyAll, readWords, storageBuffer } from "../support/buffers.ts";
import { planAs, useFold } from "../support/fold.ts";
import { factsWith } from "../support/kernels.ts";
import { lacks, Particle } from "../support/sorts.ts";

const fold = useFold();

const data = Uint32Array.of(3, 1, 2);
const refused: readonly (readonly [call: () => Promise<unknown>, option: string, message: RegExp])[] = [
  [() => fold().sort(data, { bits: [0, 33] }), "bits", /\[from, to\], with 0 <= from < to <= 32/],
  [() => fold().sort(data, { bits: [4, 4] }), "bits", /bits is \[4, 4\]/],
  [() => fold().sort(data, { bits: 8 as never }), "bits", /bits is 8/],
  [() => fold().sort(data, { descending: "yes" as never }), "descending", /takes true or false/],
  [() => fold().sort(data, { keyType: f32 }), "keyType", /only beside key/],
  [() => fold().sort(data, { key: 5 as never }), "key", /WGSL over/],
  [() => fold().sort(Particle.array(2)), "key", /such as "x.depth"/],
  [() => fold().sort(Particle.array(2), { key: "x.id + 1u" }), "keyType", /the type that the key/],
  [
    () => fold().sort(Particle.array(2), { key: "x.dept" }),
    "key",
    /"x\.dept"; it takes a field of Particle: x\.\w+, x\./,
  ],
  [() => fold().sort(Particle.array(2), { key: "x", keyType: Particle as never }), "keyType", /the struct/],
  [() => fold().sort(data, { values: Uint32Array.of(1, 2) }), "values", /2 values for 3 elements/],
  [() => fold().sort(data, { values: [1, 2, 3] as never }), "values", /values: number has no element type/],
  [() => fold().sort([] as never), "data", /has no element type/],
  [() => fold().sort([data, [1, 2, 3]] as never), "data", /data\[1\]: .*has no element type/],
  [() => fold().sort([data, Uint32Array.of(1)]), "data", /1 elements of data\[1\] for 3 elements/],
  [() => fold().sort([data, Particle.array(3)]), "data", /the struct Particle/],
  [
    () => fold().sort([data, data], { descending: [true] }),
    "descending",
    /\[true\]; .* one for each of 2 keys/,
  ],
  [() => fold().sort([data, data], { descending: 1 as never }), "descending", /descending is 1; /],
  [() => fold().sort(data, { descending: [true] as never }), "descending", /takes true or false/],
  [() => fold().sort([data, data], { key: "x" } as never), "key", /no option key beside several keys/],
  [
    () => fold().argSort([data, data], { bits: [0, 1] } as never),
    "bits",
    /no option bits beside several keys/,
  ],
  [() => fold().sort([data, data], { into: data } as never), "into", /gives several arrays/],
  [() => fold().prepareSort({ type: u32, thenBy: [], maxLength: 3 }), "thenBy", /an empty list/],
  [() => fold().sort(data, { values: data, into: data } as never), "into", /values or into, and not both/],
  [() => fold().sort(data, { into: new Uint32Array(2) }), "into", /into has 2 elements; it takes 3/],
  [() => fold().sort(data, { segments: { rows: 3 }, key: 5 as never }), "key", /WGSL over/],
  [() => fold().sort(data, { maxSegmentLength: 2 }), "maxSegmentLength", /only beside segments/],
  [
    () => fold().prepareSort({ type: u32, maxLength: 3, maxSegmentLength: 2 }),
    "maxSegmentLength",
    /only beside/,
  ],
  [() => fold().argSort(data, { into: new Int32Array(3) as never }), "into", /it takes Uint32Array/],
  [() => fold().argSort(data, { values: data } as never), "values", /takes no option values/],
  [
    () => fold().sort(data, { ascending: true } as never),
    "ascending",
    /takes no option ascending; did you mean descending/,
  ],
  [() => fold().sort(data, { workGroupSize: 1 }), "workGroupSize", /2 or more/],
  [() => fold().prepareSort({ type: u32, values: [], maxLength: 3 }), "values", /an empty list/],
  [() => fold().prepareSort({ type: u32, values: u32, indices: true, maxLength: 3 }), "indices", /not both/],
  [() => fold().prepareSort({ type: u32, indices: 1 as never, maxLength: 3 }), "indices", /true or false/],
  [
    () => fold().argSort(data, { itemsPerThread: 65 }),
    "itemsPerThread",
    /^argSort<u32>: itemsPerThread is 65; it takes 1 to 64/,
  ],
  [() => fold().prepareSort({ type: u32, maxLength: -1 }), "maxLength", /a whole number from 0 up/],
];
test.for(refused.map(([, option, message], at) => [option, String(message), at] as const))(
  "%s: %s",
  async ([option, , at]) => {
    const [call, , message] = refused[at] as (typeof refused)[number];
    const cause = await call().then(
      () => undefined,
      (one: unknown) => one,
    );
    expect(cause).toBeInstanceOf(ArgumentError);
    expect(cause).toMatchObject({ option, message: expect.stringMatching(message) });
  },
);

test("a key that does not compile, with its line", async () => {
  const cause = await fold()
    .sort(data, { key: "x +\n  nothing" })
    .catch((one: unknown) => one);
  expect(cause).toBeInstanceOf(SourceError);
  expect(cause).toMatchObject({ source: "x +\n  nothing", line: 2 });
});

test("more work-group memory than there is", async () => {
  const restore = planAs(fold(), {
    limits: factsWith({}, { maxComputeWorkgroupStorageSize: 1024 }).limits,
  });
  try {
    const cause = await fold()
      .sort(data, { workGroupSize: 256, itemsPerThread: 64, algorithm: "blelloch" })
      .catch((one: unknown) => one);
    expect(cause).toBeInstanceOf(LimitError);
    expect(cause).toMatchObject({ option: "workGroupSize" });
  } finally {
    restore();
  }
});

test("more scratch than a binding has room for: of keys, and of counts of tiles", async () => {
  const own = factsWith({}, { maxStorageBufferBindingSize: 2 ** 20, maxBufferSize: 2 ** 20 });
  const { limits } = own;
  const wide = { type: u32, key: "vec2<u32>(x, 0u)", keyType: u64, indices: true, maxLength: 2 ** 18 };
  expect(() => planSort(wide, own)).toThrow(LimitError);
  const restore = planAs(fold(), { limits });
  try {
    const small = {
      type: u32,
      algorithm: "subgroup",
      passes: "single",
      workGroupSize: 64,
      itemsPerThread: 1,
    } as const;
    const cause = await fold()
      .prepareSort({ ...small, maxLength: 2 ** 18 })
      .catch((one: unknown) => one);
    expect(cause).toBeInstanceOf(LimitError);
    expect(cause).toMatchObject({
      option: "maxLength",
      message: expect.stringMatching(/tiles of 64 \* 1 items/),
    });
  } finally {
    restore();
  }
});

test("the memory of the algorithm that is chosen counts", async () => {
  const facts = factsWith({}, { maxComputeWorkgroupStorageSize: 16384 });
  const options = { type: u32, workGroupSize: 256, itemsPerThread: 14, maxLength: 2 ** 16 } as const;
  const plan = (algorithm: "blelloch" | "hillis-steele") => () => planSort({ ...options, algorithm }, facts);
  expect(plan("blelloch")).not.toThrow();
  expect(plan("hillis-steele")).toThrow(LimitError);
});

test("arrays on the GPU that overlap, and values of another length: in the words of the call", async () => {
  const { device } = fold();
  const buffer = storageBuffer(device, new Uint32Array(128));
  const a = await fold().wrap({ buffer, type: u32, length: 64 });
  const b = await fold().wrap({ buffer, type: u32, offset: 16, length: 64 });
  const overlapping = await fold()
    .sort(a, { into: b })
    .catch((one: unknown) => one);
  expect(overlapping).toMatchObject({ name: "ArgumentError", option: "into" });
  const three = await fold().upload(Uint32Array.of(5, 4, 6));
  const four = await fold().upload(Uint32Array.of(1, 2, 3, 4));
  await expect(fold().sort(three, { values: four })).rejects.toMatchObject({ option: "values" });
  // How many a compaction has left is not known here.
  const left = await fold().compact(three, { where: "true" });
  const { values } = await fold().sort(three, { values: left });
  expect([...(await values.read())]).toEqual([4, 5, 6]);
});

test("arrays on the GPU as into, and as offsets", async () => {
  const array = await fold().upload(data);
  const few = await fold().upload(Uint32Array.of(1, 2));
  const floats = await fold().upload(Float32Array.of(1, 2, 3));
  const counted = await fold().compact(few, { where: "true" });
  const none = await fold().upload(new Uint32Array(0));
  const wrong: readonly (readonly [call: Promise<unknown>, option: string, message: RegExp])[] = [
    [fold().sort(array, { into: few }), "into", /into has room for 2 items; it takes at least 3/],
    [fold().sort(array, { into: floats as never }), "into", /into holds f32; it takes u32/],
    [fold().argSort(floats, { into: floats as never }), "into", /into holds f32; it takes u32/],
    [fold().sort(array, { into: data as never }), "into", /into is Uint32Array, and data is on the GPU/],
    [fold().sort(data, { values: array } as never), "data", /data is Uint32Array, and values is on the GPU/],
    [fold().sort(array, { segments: { offsets: floats as never } }), "segments", /offsets holds f32/],
    [fold().sort(array, { segments: { offsets: counted } }), "segments", /offsets with a length on the GPU/],
    [fold().sort(array, { segments: { offsets: none } }), "segments", /no offsets/],
    [fold().sort(array, { segments: { offsets: few }, maxSegmentLength: 0 }), "maxSegmentLength", /from 1/],
    [fold().sort(data, { segments: { offsets: few } }), "segments", /offsets is on the GPU, and data is not/],
  ];
  for (const [call, option, message] of wrong) {
    const cause = await call.catch((one: unknown) => one);
    expect(cause).toMatchObject({ name: "ArgumentError", option, message: expect.stringMatching(message) });
  }
  destroyAll(array, few, floats, counted, none);
});

test("an empty list of values is a list", async () => {
  const array = await fold().upload(data);
  for (const given of [data, array]) {
    const { keys, values } = await fold().sort(given as Uint32Array, { values: [] });
    expect([keys.length, values]).toEqual([3, []]);
  }
  array.destroy();
});

test("no items need no input", async () => {
  const { device } = fold();
  const [output, values, reordered] = [0, 1, 2].map(() => storageBuffer(device, new Uint32Array(4)));
  const sort = await fold().prepareSort({ type: u32, values: [u32, u32], maxLength: 4 });
  const encoder = device.createCommandEncoder();
  const ranges = { output, values: [values, values], reordered: [reordered, reordered], length: 0 };
  expect(() => sort.record(encoder, ranges as never)).not.toThrow();
  device.queue.submit([encoder.finish()]);
  sort.destroy();
});

test("ranges that overlap, are too short, or are not there: before anything is recorded", async () => {
  const { device } = fold();
  const [a, b, c, d] = [0, 1, 2, 3].map(() => storageBuffer(device, new Uint32Array(64))) as GPUBuffer[] as [
    GPUBuffer,
    GPUBuffer,
    GPUBuffer,
    GPUBuffer,
  ];
  const encoder = device.createCommandEncoder();
  const direct = await fold().prepareSort({ type: u32, values: u32, maxLength: 32 });
  const gathering = await fold().prepareSort({ type: u32, values: [u32, u32], maxLength: 32 });
  const length = 32;
  const wrong: readonly (readonly [sort: typeof direct, ranges: object, option: string])[] = [
    [direct, { input: a, output: { buffer: a, offset: 4 }, values: b, reordered: c, length }, "input"],
    [direct, { input: a, output: b, values: b, reordered: c, length }, "values"],
    [direct, { input: a, output: b, values: c, reordered: { buffer: b, offset: 16 }, length }, "reordered"],
    [direct, { input: a, output: b, values: c, length }, "reordered"],
    [direct, { input: a, output: b, values: [c], reordered: d, length }, "values"],
    [direct, { input: a, output: b, values: c, reordered: d, length: 33 }, "length"],
    [direct, { input: a, output: b, values: c, reordered: d, length, count: a }, "count"],
    [direct, { input: a, output: { buffer: b, offset: 2 }, values: c, reordered: d, length }, "output"],
    [direct, { input: a, output: { buffer: b, offset: 240 }, values: c, reordered: d, length }, "output"],
    [gathering, { input: a, output: b, values: [c], reordered: [d, a], length }, "values"],
    [gathering, { input: a, output: b, values: c, reordered: [d, a], length }, "values"],
    [gathering, { input: a, output: b, values: [c, d], reordered: [d, c], length }, "values"],
    [gathering, { input: a, output: b, values: [c, c], reordered: [d, b], length }, "reordered"],
  ];
  for (const [at, [sort, ranges, option]] of wrong.entries()) {
    let cause: unknown;
    try {
      sort.record(encoder, ranges as never);
    } catch (one) {
      cause = one;
    }
    expect(cause, `case ${at}`).toBeInstanceOf(ArgumentError);
    expect(cause, `case ${at}`).toMatchObject({ option });
  }
  // Nothing was recorded, so the encoder is still whole and empty.
  device.queue.submit([encoder.finish()]);
  expect([...(await readWords(device, b))].every((word) => word === 0)).toBe(true);
  destroyAll(direct, gathering);
  expect(() => direct.record(device.createCommandEncoder(), { input: a, output: b, length })).toThrow(
    /was destroyed|values/,
  );
});

test("f16 without the feature", async ({ skip }) => {
  skip(!lacks(fold(), f16), "the adapter has f16");
  await expect(fold().sort(new Uint16Array(3), { type: f16 })).rejects.toThrow(/shader-f16/);
});
