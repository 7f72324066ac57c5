import { describe, expect, test } from "vitest";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import { i8, u8, u16 } from "../../src/algebra/narrow_types.ts";
import { min } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import type { GpuArray } from "../../src/node.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { readWords, storageBuffer, submit } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useFold } from "../support/fold.ts";
import { span } from "../support/operators.ts";

// Results of calls on arrays that stay on the GPU, against the reference.

const fold = useFold();
/** Tiles of 16 items, in vectors: a few thousand make four levels of spine, and the kernels compile fast. */
const tuning = { workGroupSize: 4, itemsPerThread: 4 } as const;
test("f16 bits come back as they went in", async ({ skip }) => {
  skip(!fold().device.features.has("shader-f16"), "the adapter has no shader-f16");
  const a = await fold().upload(Uint16Array.of(0x3c00, 0x4000, 0x4200), { type: f16 });
  const sums = await fold().scan(a);
  expect(await sums.read()).toEqual(Uint16Array.of(0x3c00, 0x4200, 0x4600));
});

describe("into", () => {
  const data = Uint32Array.from({ length: 1500 }, (_, at) => (at * 2654435761) >>> 9);
  const odd = data.filter((x) => x % 2 === 1);

  test("an array that exists, in place and apart", async () => {
    const a = await fold().upload(data);
    const room = await fold().upload(new Uint32Array(2000).fill(7));
    const sums = await fold().scan(a, { into: room, ...tuning });
    expect(sums.buffer).toBe(room.buffer);
    expect([sums.length, room.length]).toEqual([1500, 2000]);
    expectSameBits(await sums.read(), scanReference(data), "apart");
    expect((await room.read()).slice(1500)).toEqual(new Uint32Array(500).fill(7));

    const kept = await fold().compact(a, { where: "x % 2u == 1u", into: room, ...tuning });
    expectSameBits(await kept.read(), odd, "compact");
    expect((await room.read()).slice(odd.length, 1500)).toEqual(scanReference(data).slice(odd.length));
    // In place, with the length on the GPU.
    const prefixes = await fold().scan(kept, { into: kept, ...tuning });
    expectSameBits(await prefixes.read(), scanReference(odd), "in place");
    expectSameBits(await kept.read(), scanReference(odd), "the same memory");
    const less = await fold().compact(prefixes, { where: "x % 2u == 1u", into: prefixes, ...tuning });
    const left = scanReference(odd).filter((x) => x % 2 === 1);
    expectSameBits(await less.read(), left, "compact in place");
    const one = await fold().reduce(less, { into: room, ...tuning });
    expect(await one.read()).toEqual(reduceArray(left));
    // The same call, but in place.
    const copy = await fold().scan(a, { exclusive: true, ...tuning });
    expectSameBits(await copy.read(), scanReference(data, { exclusive: true }), "apart, exclusive");
    const own = await fold().scan(a, { into: a, exclusive: true, ...tuning });
    expectSameBits(await own.read(), scanReference(data, { exclusive: true }), "its own");
    // What a result in `into` gives back is not the memory of `into`.
    for (const result of [sums, kept, prefixes, less, one, own]) {
      result.destroy();
      result.destroy();
    }
    expect((await room.read()).length).toBe(2000);
    room.destroy();
    await expect(sums.read()).rejects.toThrow("destroyed");
  });

  test("a result in `into` ends with it", async () => {
    const a = await fold().upload(data);
    const room = await fold().upload(new Uint32Array(1500));
    const sums = await fold().scan(a, { into: room, ...tuning });
    room.destroy();
    await expect(sums.read()).rejects.toThrow("read: the array was destroyed");
    await expect(fold().scan(sums, tuning)).rejects.toThrow("scan: data was destroyed");
  });

  test("a recording takes no array that was destroyed, whose memory may be another's", async () => {
    const { device } = fold();
    const a = await fold().upload(data);
    const gone = await fold().upload(data);
    gone.destroy();
    const other = await fold().upload(new Uint32Array(data.length).fill(9));
    const plan = await fold().prepareScan({ type: u32, maxLength: data.length, ...tuning });
    const encoder = device.createCommandEncoder();
    for (const [name, ranges] of [
      ["output", { input: a, output: gone }],
      ["input", { input: gone, output: other }],
    ] as const) {
      expect(() => plan.record(encoder, { ...ranges, length: data.length } as never)).toThrow(
        `${name} is an array that was destroyed`,
      );
    }
    device.queue.submit([encoder.finish()]);
    expect(new Set(await other.read())).toEqual(new Set([9]));
    expect([a.isGone, gone.isGone]).toEqual([false, true]);
    plan.destroy();
    for (const one of [a, other]) {
      one.destroy();
    }
  });

  test("an array that is destroyed during a call is gone at once for recordings, and the call goes on", async () => {
    const plan = await fold().prepareScan({ type: u32, maxLength: data.length, ...tuning });
    const output = await fold().upload(data);
    const heads = data.map((_, at) => Number(at % 100 === 0));
    const upload = () =>
      Promise.all([data, Uint32Array.of(5), Uint32Array.of(0), heads].map((one) => fold().upload(one)));
    type Arrays = Awaited<ReturnType<typeof upload>>;
    // Each compiles first, so that the arrays are destroyed before it is submitted.
    const calls: ((arrays: Arrays) => Promise<GpuArray>)[] = [
      ([input, initial, total]) =>
        fold().scan(input as Arrays[0], { initial, total, map: "x + 23u", ...tuning } as object),
      ([input, , , starts]) =>
        fold().scan(input as Arrays[0], { segments: { heads: starts }, map: "x + 24u", ...tuning } as object),
      ([input, , , starts]) =>
        fold().scan(input as Arrays[0], { segments: { keys: starts }, map: "x + 25u", ...tuning } as object),
    ];
    for (const call of calls) {
      const arrays = await upload();
      const pending = call(arrays);
      for (const one of arrays) {
        one.destroy();
      }
      expect(arrays.map(({ isGone }) => isGone)).toEqual([true, true, true, true]);
      const encoder = fold().device.createCommandEncoder();
      const [input] = arrays as [GpuArray];
      expect(() => plan.record(encoder, { input, output, length: data.length })).toThrow(
        "input is an array that was destroyed",
      );
      const others = await upload();
      const expected = await call(others);
      const found = await pending;
      expect(await found.read()).toEqual(await expected.read());
      for (const one of [...others, expected, found]) {
        one.destroy();
      }
    }
    plan.destroy();
    output.destroy();
  });
});

const reduceArray = (data: Uint32Array): Uint32Array => Uint32Array.of(reduceReference(data));

describe("wrapped buffers", () => {
  const all = Uint32Array.from({ length: 3000 }, (_, at) => (at * 2654435761) >>> 9);

  test.each([0, 1, 4, 37, 64, 1000])("from item %i on", async (first) => {
    const { device } = fold();
    const buffer = storageBuffer(device, all);
    const target = storageBuffer(device, new Uint32Array(3000).fill(7));
    const length = 1200;
    const data = all.slice(first, first + length);
    const a = await fold().wrap({ buffer, type: u32, offset: 4 * first, length });
    expect([a.buffer, a.offset, a.length, a.size]).toEqual([buffer, 4 * first, length, 4 * length]);
    expectSameBits(await a.read(), data, "as it is");
    expectSameBits(await (await fold().scan(a, tuning)).read(), scanReference(data), "scan");
    expect(await (await fold().reduce(a, tuning)).read()).toEqual(reduceArray(data));
    const into = await fold().wrap({ buffer: target, type: u32, offset: 4 * (first + 3), length });
    const kept = await fold().compact(a, { where: "x % 2u == 1u", into, ...tuning });
    expectSameBits(
      await kept.read(),
      data.filter((x) => x % 2 === 1),
      "compact",
    );
    // In one buffer, apart; and nothing around it is touched.
    const rest = await fold().wrap({ buffer, type: u32, offset: 4 * (first + length + 5), length: 600 });
    const part = await fold().wrap({ buffer, type: u32, offset: 4 * first, length: 600 });
    await fold().scan(part, { into: rest, ...tuning });
    const expected = all.slice();
    expected.set(scanReference(data.slice(0, 600)), first + length + 5);
    expectSameBits(await readWords(device, buffer), expected, "the whole buffer");
    const written = await readWords(device, target);
    expect(written.slice(0, first + 3)).toEqual(new Uint32Array(first + 3).fill(7));
    // The caller's buffer stays.
    for (const one of [a, into, kept, rest, part]) {
      one.destroy();
    }
    expectSameBits(await readWords(device, buffer), expected, "after destroy()");
  });

  test("a length in a buffer of the caller's, which is more than there may be, or less", async () => {
    const { device } = fold();
    const buffer = storageBuffer(device, all);
    for (const length of [0, 1, 700, 3000, 5000]) {
      const range = { buffer: storageBuffer(device, Uint32Array.of(9, length)), offset: 4 };
      const a = await fold().wrap({ buffer, type: u32, length: range, maxLength: 2000 });
      expect(a.length).toEqual(range);
      const data = all.slice(0, Math.min(length, 2000));
      expectSameBits(await a.read(), data, `${length}`);
      const sums = await fold().scan(a, tuning);
      a.destroy();
      expectSameBits(await sums.read(), scanReference(data), `scan ${length}`);
    }
    // A reduction's result can be a length.
    const three = await fold().reduce(await fold().upload(Uint32Array.of(1, 2)));
    const some = await fold().wrap({ buffer, type: u32, length: three });
    expect(await some.read()).toEqual(all.slice(0, 3));
    expect(some.maxLength).toBe(3000);
  });

  test("half words, and a whole buffer", async () => {
    const { device } = fold();
    const bits = Uint16Array.from({ length: 9 }, (_, at) => 0x3c00 + at);
    const words = new Uint32Array(5);
    new Uint16Array(words.buffer).set(bits);
    const buffer = storageBuffer(device, words);
    const a = await fold().wrap({ buffer, type: f16, offset: 2, length: 7 });
    const read = await a.read();
    expect([...new Uint16Array(read.buffer as ArrayBuffer, read.byteOffset, 7)]).toEqual([
      ...bits.slice(1, 8),
    ]);
    expect((await fold().wrap({ buffer, type: f16, offset: 2 })).length).toBe(9);
    expect((await fold().wrap({ buffer, type: f64, offset: 8 })).length).toBe(1);
    expect((await fold().wrap({ buffer, type: f64, offset: 16 })).length).toBe(0);
  });

  test("an array stands where a recording and a bind group take a range", async () => {
    const { device } = fold();
    const data = all.slice(0, 1000);
    const a = await fold().upload(data);
    const kept = await fold().compact(a, { where: "x % 2u == 1u", ...tuning });
    const output = await fold().upload(new Uint32Array(1000));
    const scan = await fold().prepareScan({ type: u32, maxLength: 1000, lengthOnGpu: true, ...tuning });
    submit(device, (encoder) => scan.record(encoder, { input: kept, output, length: kept.length }));
    const odd = data.filter((x) => x % 2 === 1);
    expectSameBits((await output.read()).slice(0, odd.length), scanReference(odd), "recorded");
    device.pushErrorScope("validation");
    const entry = { binding: 0, visibility: 4, buffer: { type: "storage" } } as const;
    const layout = device.createBindGroupLayout({ entries: [entry] });
    device.createBindGroup({ layout, entries: [{ binding: 0, resource: kept }] });
    expect(await device.popErrorScope()).toBeNull();
  });
});

describe("as another type", () => {
  const One = struct({ name: "One", fields: { value: f32 } });

  test("the same bytes, in both directions", async () => {
    const data = Float32Array.of(1, -0, Number.NaN, -2.5);
    const bits = new Uint32Array(data.buffer);
    const array = await fold().upload(data);
    expectSameBits(await array.as(u32).read(), bits, "u32");
    expectSameBits(await array.as(i32).read(), new Int32Array(data.buffer), "i32");
    expectSameBits(await array.as(One).as(u32).read(), bits, "a struct, and back");
    expect((await array.as(One).read()).get(3)).toEqual({ value: -2.5 });
    const shifted = await fold().map(array.as(u32), { map: "x ^ 0x80000000u", into: array.as(u32) });
    expectSameBits(
      await shifted.read(),
      bits.map((x) => (x ^ 0x80000000) >>> 0),
      "in place",
    );
    expectSameBits(await array.read(), new Float32Array(bits.map((x) => x ^ 0x80000000).buffer), "the array");
    const longs = await fold().upload(BigUint64Array.of(0x3ff8000000000000n, 1n));
    expectSameBits(await longs.as(f64).read(), Float64Array.of(1.5, 5e-324), "f64");
    expectSameBits(await longs.as(i64).read(), BigInt64Array.of(0x3ff8000000000000n, 1n), "i64");
    const bytes = await fold().upload(Uint8Array.of(1, 255, 128));
    expect(await bytes.as(i8).read()).toEqual(Int8Array.of(1, -1, -128));
    expect(await (await fold().reduce(bytes.as(i8))).read()).toEqual(Int32Array.of(-128));
  });

  test("a part of a buffer, and a length that only the GPU knows", async () => {
    const words = Uint32Array.from({ length: 600 }, (_, at) => at * 0x1000193);
    const buffer = storageBuffer(fold().device, words);
    const part = await fold().wrap({ buffer, type: u32, offset: 8, length: 500 });
    const view = part.as(i32);
    expect([view.offset, view.length, view.size, view.type]).toEqual([8, 500, 2000, i32]);
    const own = new Int32Array(words.buffer, 8, 500);
    expectSameBits(await view.read(), own, "a part");
    const kept = (await fold().compact(part, { where: "x % 3u == 1u", ...tuning })).as(i32);
    const expected = own.filter((x) => (x >>> 0) % 3 === 1);
    expect(kept.length).not.toBeTypeOf("number");
    expectSameBits(await kept.read(), expected, "a compaction");
    const least = await fold().reduce(kept, { op: min, ...tuning });
    expect(await least.read()).toEqual(Int32Array.of(Math.min(...expected)));
    buffer.destroy();
  });

  test("it does not own the memory", async () => {
    const array = await fold().upload(Uint32Array.of(1, 2));
    const view = array.as(f32);
    view.destroy();
    await expect(view.read()).rejects.toThrow("read: the array was destroyed");
    expect(() => view.as(u32)).toThrow("as: the array was destroyed");
    expect(await array.read()).toEqual(Uint32Array.of(1, 2));
    const other = array.as(i32);
    array.destroy();
    expect(other.isGone).toBe(true);
    await expect(fold().scan(other)).rejects.toThrow("scan: data was destroyed");
    expect(() => array.as(f32)).toThrow("as: the array was destroyed");
  });

  test.for([
    [u64, "as: type is u64; it takes a type of the same size: f32 has 4 bytes, and u64 has 8 bytes"],
    [u8, "as: type is u8; it takes a type of the same size: f32 has 4 bytes, and u8 has 1 bytes"],
    [{}, "as: [object Object] is not an element type"],
  ] as const)("errors %#", async ([type, message]) => {
    const array = await fold().upload(Float32Array.of(1));
    expect(() => array.as(type as typeof u32)).toThrow(message);
    array.destroy();
  });

  test("f16 may start inside a word, and u16 may not", async () => {
    const buffer = storageBuffer(fold().device, new Uint32Array(4));
    const halves = await fold().wrap({ buffer, type: f16, offset: 2, length: 4 });
    expect(() => halves.as(u16)).toThrow(
      "as: type is u16; it takes one of elements that may start at byte 2; those of u16 start at multiples of 4",
    );
    const at4 = await fold().wrap({ buffer, type: f16, offset: 4, length: 4 });
    expect(await at4.as(u16).read()).toEqual(new Uint16Array(4));
    buffer.destroy();
  });
});

describe("read", () => {
  test("into arrays of the caller's", async () => {
    const data = Float32Array.of(1, 4, 2, 8);
    const a = await fold().upload(data);
    const into = new Float32Array(4);
    expect(await a.read({ into })).toBe(into);
    expect(into).toEqual(data);
    const kept = await fold().compact(a, { where: "x > 2.0", ...tuning });
    const room = new Float32Array(6).fill(7);
    const read = await kept.read({ into: room.subarray(1) });
    expect([...read]).toEqual([4, 8]);
    expect([...room]).toEqual([7, 4, 8, 7, 7, 7]);
    const spans = span.from([{ sum: 3n, first: 1, last: 2, count: 2 }]);
    const structs = span.array(1);
    expect(await (await fold().upload(spans)).read({ into: structs })).toBe(structs);
    expect(structs.get(0)).toEqual(spans.get(0));
    const none = await fold().compact(a, { where: "false", ...tuning });
    expect(await none.read()).toEqual(new Float32Array(0));
  });
});

test("hundreds of calls at once", async () => {
  const arrays = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      fold().upload(Uint32Array.from({ length: 1 + at * 31 }, (_, place) => place + at)),
    ),
  );
  const results = await Promise.all(
    arrays.flatMap((a, at) => {
      const data = Uint32Array.from({ length: 1 + at * 31 }, (_, place) => place + at);
      const kept = data.filter((x) => x % 2 === 1);
      const left = fold().compact(a, { where: "x % 2u == 1u", ...tuning });
      const pairs: [Promise<GpuArray>, Uint32Array][] = [
        [fold().scan(a, tuning), scanReference(data)],
        [fold().scan(a, { exclusive: true, ...tuning }), scanReference(data, { exclusive: true })],
        [fold().reduce(a, tuning), reduceArray(data)],
        [left, kept],
        [left.then((one) => fold().scan(one, tuning)), scanReference(kept)],
        [left.then((one) => fold().reduce(one, tuning)), reduceArray(kept)],
      ];
      return pairs.map(async ([call, expected]) => ({ actual: await (await call).read(), expected }));
    }),
  );
  expect(results.length).toBe(240);
  for (const { actual, expected } of results) {
    expectSameBits(actual, expected, "at once");
  }
});
