// Calls that are right. They are compiled, and never run: their types are what programs get.
import type { ElementOf, Fold, GpuArray, GpuArrayOf, PreparedScan } from "wavefold";
import { add, and, f16, f32, max, operator, struct, u32, u64 } from "wavefold";
import { scanReference } from "wavefold/reference";

declare const fold: Fold;
declare const gpu: GpuArray<"f32", number>;
declare const counts: GpuArray<"u32", number>;
declare const flag: boolean;
const data = Uint32Array.of(1);
const floats = Float32Array.of(1);
const halves = new Uint16Array(2);
const longs = BigInt64Array.of(1n);
const Sample = struct({ name: "Sample", fields: { time: u32, value: f32 } });
const samples = Sample.from([{ time: 1, value: 2 }]);
const latest = operator({
  name: "latest",
  type: Sample,
  identity: { time: 0, value: 0 },
  combine: "select(earlier, later, later.time >= earlier.time)",
});

export const scans: readonly [
  Uint32Array,
  Uint32Array,
  Uint16Array,
  Uint16Array,
  typeof samples,
  GpuArray<"f32", number>,
  GpuArray<"u32", number>,
] = [
  await fold.scan(data, { segments: { rows: 2 }, exclusive: true }),
  await fold.scan(floats, { type: u32, map: "u32(x)", into: new Uint32Array(1), op: and, initial: 3 }),
  await fold.scan(halves, { type: f16 }),
  await fold.scan(halves, { type: f16, map: "x * x" }),
  await fold.scan(samples, { op: latest, initial: { time: 0, value: 0 }, total: samples }),
  await fold.scan(gpu, { op: max, initial: floats, into: gpu }),
  await fold.scan(gpu, { type: u32, map: "u32(x)", total: counts }),
];

const byKeys = await fold.reduce(data, { segments: { keys: Int32Array.of(5) } });
const byKey = await fold.reduce(floats, { type: u32, map: "1u", segments: { key: "u32(x)", keyType: u32 } });
const onGpu = await fold.reduce(gpu, { segments: { keys: counts } });
export const reductions: readonly [
  number,
  bigint,
  number,
  number,
  Uint32Array,
  Int32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  GpuArray<"f32", number>,
  GpuArray<"u32", number>,
  GpuArray<"f32", number>,
] = [
  await fold.reduce(data),
  await fold.reduce(longs, { op: add, initial: 2n }),
  await fold.reduce(floats, { type: u32, map: "u32(x)", initial: 3 }),
  (await fold.reduce(samples, { op: latest })).time,
  await fold.reduce(data, { segments: { rows: 2 } }),
  byKeys.keys,
  byKeys.values,
  byKey.keys,
  byKey.values,
  await fold.reduce(gpu, { op: max, into: gpu }),
  onGpu.keys,
  onGpu.values,
];

const parts = await fold.partition(gpu, { classes: 3, class: "u32(x)" });
const halved = await fold.partition(data, { where: "x > 2u", indices: true });
export const kept: readonly [
  Uint32Array,
  Float32Array,
  Uint32Array,
  Uint32Array | Float32Array,
  GpuArray<"u32", number>,
  GpuArray<"f32", number>,
  GpuArray<"u32", number>,
  GpuArray<"f32", number>,
  Uint32Array,
  number,
  Float32Array,
  Uint32Array,
  GpuArray<"u32", number>,
  GpuArray<"f32", number>,
  Float32Array,
] = [
  await fold.compact(floats, { where: "x > 2", indices: true }),
  await fold.compact(floats, { where: "x > 2", into: floats }),
  await fold.compact(floats, { flags: [true], map: "u32(x)", type: u32 }),
  await fold.compact(floats, { flags: [1], indices: flag }),
  await fold.compact(gpu, { where: "x > 2", indices: true }),
  await fold.compact(gpu, { flags: counts }),
  parts.offsets,
  parts.values,
  halved.values,
  halved.count,
  await fold.unique(floats),
  await fold.unique(floats, { indices: true }),
  (await fold.runLengths(gpu, { key: "x" })).counts,
  await fold.expandRuns(gpu, counts, { maxLength: 3 }),
  await fold.expandRuns(floats, data),
];

const where = "x > 0";
export const asked: readonly [number, boolean, boolean, number, number, GpuArray<"u32", number>] = [
  await fold.count(floats, { where }),
  await fold.any(samples, { where: "x.time > 0" }),
  await fold.all(halves, { where, type: f16 }),
  await fold.findFirst(longs, { where }),
  await fold.findLast(data, { where, workGroupSize: 64 }),
  await fold.findFirst(gpu, { where }),
];

const sorted = await fold.sort(data, { values: [floats, longs] });
export const ordered: readonly [
  Uint32Array,
  Float32Array,
  GpuArray<"u32", number>,
  Uint32Array,
  BigInt64Array,
  GpuArray<"f32", number>,
  Uint32Array,
  Float32Array,
  BigInt64Array,
  GpuArray<"f32", number>,
  Uint32Array,
  bigint,
  GpuArray<"f32", number>,
  GpuArray<"u32", number>,
  Float32Array,
  Uint32Array,
  GpuArray<"u32", number>,
] = [
  await fold.histogram(floats, { bins: 2, range: [0, 2] }),
  await fold.histogram(data, { bins: 2, range: [0, 2], weights: floats }),
  await fold.histogram(gpu, { bins: 2, range: [0, 2] }),
  await fold.searchSorted(floats, floats, { side: "right" }),
  await fold.gather(longs, data),
  await fold.gather(gpu, counts, { type: f32 }),
  await fold.sort(data, { into: data, descending: true }),
  sorted.values[0],
  sorted.values[1],
  (await fold.sort(gpu, { values: gpu })).values,
  await fold.argSort(floats, { into: data }),
  (await fold.nth(longs, 0)).value,
  (await fold.nth(gpu, 0)).value,
  (await fold.topK(gpu, 3)).indices,
  (await fold.topK(floats, [1, 2], { segments: { rows: 2 } })).values,
  (await fold.topK(floats, data, { segments: { rows: 2 } })).offsets,
  (await fold.topK(gpu, counts, { segments: { offsets: counts }, maxK: 3 })).offsets,
];

async function* chunks(): AsyncGenerator<Float32Array> {
  yield floats;
}
const stream = fold.scanStream({ type: u32, from: f32, map: "u32(x)", total: data });
export const streams: readonly [
  ReadableStream<Uint32Array>,
  WritableStream<Float32Array>,
  ReadableStream<Uint32Array>,
  number,
  ReadableStream<Float32Array>,
] = [
  stream.readable,
  stream.writable,
  fold.compactStream({ type: f32, where: "x > 1", indices: true }).readable,
  await fold.reduceStream(chunks(), { type: u32, from: f32, map: "u32(x)", op: max }),
  fold.reduceStream({ type: f32, segments: { rows: 2 } }).readable,
];
export const prepared: PreparedScan = await fold.prepareScan({ type: Sample, op: latest, maxLength: 3 });
export const reference: Float32Array = scanReference(floats, { op: max, map: (x) => 2 * x });

declare const bytes: Uint8Array;
declare const pixels: Uint8ClampedArray;
declare const bytesOnGpu: GpuArray<"u8", number>;
/** Of elements of 8 and 16 bits. */
export const narrow: readonly [
  Uint32Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  bigint,
  Uint16Array,
  Uint8ClampedArray,
  GpuArray<"u32", number>,
  GpuArray<"u8", number>,
  GpuArray<"u16", number>,
  GpuArray<"f16", number>,
  Uint32Array,
] = [
  await fold.scan(bytes),
  await fold.scan(new Int16Array(1), { op: max }),
  await fold.scan(halves, { op: and }),
  await fold.scan(pixels, { type: f32 }),
  await fold.reduce(bytes, { type: u64 }),
  await fold.scan(halves, { type: f16 }),
  await fold.sort(pixels),
  await fold.scan(bytesOnGpu),
  await fold.compact(bytesOnGpu, { where: "x > 3u" }),
  await fold.upload(halves),
  await fold.upload(halves, { type: f16 }),
  scanReference(bytes, { op: max }),
];

/** A caller's own functions, of several kinds of arrays. */
export const firstOf = async (all: GpuArrayOf<typeof Sample>): Promise<ElementOf<typeof Sample>> =>
  (await all.read()).get(0);
declare const long: ElementOf<typeof u64>;
declare const onlyFloats: GpuArrayOf<typeof f32>;
export const named: readonly [number, bigint, Float32Array, GpuArray<"f32", number>, typeof samples] = [
  (await firstOf(await fold.sort(await fold.upload(samples), { key: "x.time" }))).time,
  long,
  await onlyFloats.as(u32).as(f32).read(),
  onlyFloats,
  await ((await fold.upload(samples)) satisfies GpuArrayOf<typeof Sample>).read(),
];
export const numbersOf = (all: GpuArrayOf<typeof f32 | typeof u32>): Promise<Float32Array | Uint32Array> =>
  all.read();
export const scanAny = <A extends Uint32Array | Float32Array>(array: A): Promise<A> => fold.scan(array);
export const scanAnyOnGpu = <A extends GpuArray<"u32", number> | GpuArray<"f32", number>>(
  array: A,
): Promise<A> => fold.scan(array);
export const widened = (array: Uint8Array | Float32Array): Promise<Uint32Array | Float32Array> =>
  fold.scan(array);
export const totalOf = (array: Uint32Array | Float32Array): Promise<number> => fold.reduce(array);
export const keptBy = (keep: { where: string } | { flags: Uint8Array }): Promise<Uint32Array> =>
  fold.compact(data, keep);
