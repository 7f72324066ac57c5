import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import { ArgumentError, SourceError } from "../../src/errors.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { planNth, planTopK } from "../../src/plan/select.ts";
import type { ReferenceTopK } from "../../src/reference/sort.ts";
import { nthReference, topKReference } from "../../src/reference/sort.ts";
import { destroyAll, readWords, storageBuffer, submitted } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useFold } from "../support/fold.ts";
import { pairs } from "../support/pairs.ts";
import { randomItems } from "../support/random.ts";
import { gathered, kinds } from "../support/sorted_arrays.ts";

const fold = useFold();

const Particle = struct({ name: "Particle", fields: { id: u32, depth: f32, weight: f32 } });
const particle = Particle as unknown as ElementType;

test("structs are taken by a field, and by an expression of another type", async () => {
  const data = randomItems(particle, 400, "particles");
  const byDepth: ReferenceTopK<AnyArray> = {
    type: particle,
    key: (x) => (x as never as { depth: number }).depth,
    keyType: f32,
  };
  const deepest = topKReference(data, 30, byDepth);
  const selected = await fold().topK(data, 30, { key: "x.depth" });
  expectSameBits(selected.values, deepest.values, "values");
  expectSameBits(selected.indices, deepest.indices, "positions");
  const wide = { key: (x: never) => BigInt((x as { id: number }).id % 7) << 33n, keyType: u64 };
  const least = await fold().topK(data, 30, {
    key: "vec2<u32>(0u, (x.id % 7u) << 1u)",
    keyType: u64,
    smallest: true,
  });
  const expected = topKReference(data, 30, { ...wide, smallest: true } as never);
  expectSameBits(least.indices, expected.indices, "wide keys");
  const median = await fold().nth(data, 200, { key: "x.depth" });
  expect(median.index).toBe(nthReference(data, 200, byDepth as never).index);
  expectSameBits(
    gathered(data, Uint32Array.of(median.index)),
    gathered(data, Uint32Array.of(nthReference(data, 200, byDepth as never).index)),
    "median",
  );
});

test("NaN is the greatest, and -0 comes before 0", async () => {
  const data = Float32Array.of(1, Number.NaN, -0, 0, Number.POSITIVE_INFINITY, -1, -Number.NaN);
  expect([...(await fold().topK(data, 4)).indices]).toEqual([1, 6, 4, 0]);
  expect([...(await fold().topK(data, 4, { smallest: true })).indices]).toEqual([5, 2, 3, 0]);
  expect(await fold().nth(data, 1)).toEqual({ value: -0, index: 2 });
  expect(await fold().nth(data, 0, { descending: true })).toEqual({ value: Number.NaN, index: 1 });
});

describe("long data in short tiles", () => {
  /** Records a plan with sizes of the test's, and compares all that it stores. */
  async function check(
    plan: Plan,
    data: AnyArray,
    expected: { readonly values: AnyArray; readonly indices: Uint32Array },
    before: number,
    lengthOnGpu: boolean,
  ): Promise<void> {
    const { device } = fold();
    const prepared = await prepare(contextOf(device), plan);
    const bytes = data.BYTES_PER_ELEMENT;
    const all = new Uint8Array((before + data.length) * bytes);
    all.set(new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength), before * bytes);
    const taken = expected.indices.length;
    const [input, output, indices, count, length] = [
      new Uint32Array(all.buffer),
      new Uint32Array((taken * bytes) / 4),
      new Uint32Array(1 + taken),
      new Uint32Array(3),
      Uint32Array.of(9, data.length),
    ].map((words) => storageBuffer(device, words)) as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
    const encoder = device.createCommandEncoder();
    prepared.record(encoder, {
      input: { buffer: input, offset: before * bytes },
      output,
      indices: { buffer: indices, offset: 4 },
      ...(plan.needs.has("count") && { count: { buffer: count, offset: 8 } }),
      length: lengthOnGpu ? { buffer: length, offset: 4 } : data.length,
    });
    device.queue.submit([encoder.finish()]);
    const title = `${plan.title}, ${data.length} from ${before}`;
    expectSameBits((await readWords(device, indices)).slice(1), expected.indices, `${title}: positions`);
    if (plan.needs.has("count")) {
      expect([...(await readWords(device, count))], `${title}: count`).toEqual([0, 0, taken]);
    }
    const words = new Uint32Array(
      expected.values.buffer.slice(
        expected.values.byteOffset,
        expected.values.byteOffset + expected.values.byteLength,
      ) as ArrayBuffer,
    );
    expectSameBits(await readWords(device, output), words, `${title}: values`);
    destroyAll(prepared, input, output, indices, count, length);
  }

  const types = { name: ["u32", "f32", "u64"] as const, kind: ["any", "few", "equal"] as const };
  // The work-group that chooses items puts at most `inOrder` of them in order. Here, 4 have room there, or all are sorted after that.
  const blocks = pairs({
    ...types,
    inOrder: [4, 0],
    place: [
      { length: 1500, before: 4, lengthOnGpu: false },
      { length: 1499, before: 5, lengthOnGpu: false },
      { length: 1500, before: 0, lengthOnGpu: true },
      { length: 2048, before: 1, lengthOnGpu: true },
    ] as const,
  });
  test.for(blocks)(
    "$name, $kind, $inOrder, $place: work-groups take blocks",
    async ({ name, kind, inOrder, place: { length, before, lengthOnGpu } }) => {
      const type = elementTypes[name] as ElementType;
      const testing = { blocks: 16, threads: 4, tileShift: 3, workGroupSize: 8, items: 4, inOrder };
      const data = kinds[kind](name, length, `${name} ${length}`) as Uint32Array;
      const smallest = before % 2 === 1;
      const plan = planTopK(
        { type, k: 3, maxLength: length, lengthOnGpu, smallest },
        contextOf(fold().device).facts,
        testing,
      );
      await check(plan, data, topKReference(data, 3, { type: type as never, smallest }), before, lengthOnGpu);
    },
  );

  test("fewer threads than elements are wanted hold those that may be among the first", async () => {
    // A thread has every fourth element of the last blocks, so two of four threads have all that are greatest.
    const data = Uint32Array.from({ length: 1500 }, (_, at) => (at % 4 < 2 ? 9 : at % 8));
    const testing = { blocks: 16, threads: 4, tileShift: 3, workGroupSize: 8, items: 4, inOrder: 4 };
    const { facts } = contextOf(fold().device);
    const plan = planTopK({ type: u32, k: 4, maxLength: data.length }, facts, testing);
    await check(plan, data, topKReference(data, 4), 0, false);
  });

  const counting = pairs({ ...types, before: [4, 3], call: ["topK", "nth"] as const });
  test.for(counting)(
    "$name, $kind, from $before, $call: each work-group counts in several tiles",
    async ({ name, kind, before, call }) => {
      const type = elementTypes[name] as ElementType;
      const { facts } = contextOf(fold().device);
      const testing = { workGroups: 2, blocks: 16, threads: 4 };
      const length = 2995 + before;
      const data = kinds[kind](name, length, `${name} ${length}`) as Uint32Array;
      const options = { type, maxLength: length };
      if (call === "topK") {
        const many = planTopK({ ...options, k: 500 }, facts, testing);
        await check(many, data, topKReference(data, 500, { type: type as never }), before, false);
      } else {
        const { index } = nthReference(data, length >> 1, { type: type as never });
        const middle = planNth({ ...options, n: length >> 1 }, facts, testing);
        const values = data.slice(index, index + 1);
        await check(middle, data, { values, indices: Uint32Array.of(index) }, before, false);
      }
    },
  );
});

test("one of no elements is zero: what earlier calls left in the buffers does not show", async () => {
  const data = await fold().upload(Uint32Array.of(3, 1, 7));
  const none = await fold().compact(data, { where: "false" });
  for (const array of [data, none]) {
    const { value, index } = await fold().nth(array, 2, { descending: false });
    expect([...(await value.read()), ...(await index.read())]).toEqual(array === none ? [0, 0] : [7, 2]);
    destroyAll(value, index);
  }
  destroyAll(data, none);
});

test("a plan for nothing says that it takes nothing", async () => {
  const { device } = fold();
  const words = [new Uint32Array(1), new Uint32Array(1), Uint32Array.of(9), new Uint32Array(1)];
  const [output, indices, count, length] = words.map((one) => storageBuffer(device, one)) as [
    GPUBuffer,
    GPUBuffer,
    GPUBuffer,
    GPUBuffer,
  ];
  for (const k of [3, 1000]) {
    const none = await fold().prepareTopK({ type: u32, k, maxLength: 0, lengthOnGpu: true });
    device.queue.writeBuffer(count, 0, Uint32Array.of(9));
    const ranges = { input: output, output, indices, count, length };
    const [counted] = await submitted(fold().device, (encoder) => none.record(encoder, ranges), [count]);
    expect(counted?.[0]).toBe(0);
    none.destroy();
  }
});

describe("refused", () => {
  const data = Uint32Array.of(3, 1, 7);
  const refused: readonly (readonly [message: RegExp, option: string, call: () => Promise<unknown>])[] = [
    [/k is 0; it takes a whole number from 1/, "k", () => fold().topK(data, 0)],
    [/n is 3, and there are 3 elements; it takes 0 to 2/, "n", () => fold().nth(data, 3)],
    [/the array is empty/, "data", () => fold().nth(new Uint32Array(0), 0)],
    [/the array is empty/, "data", async () => fold().nth(await fold().upload(new Uint32Array(0)), 0)],
    [/bits is \[3, 40\]/, "bits", () => fold().topK(data, 1, { bits: [3, 40] })],
    [/key is undefined/, "key", () => fold().topK(randomItems(particle, 3, "few"), 1)],
    [/k is 0/, "k", () => fold().prepareTopK({ type: u32, k: 0, maxLength: 10 })],
  ];
  test.for(refused)("%s", async ([message, option, call]) => {
    const cause = await call().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(cause).toBeInstanceOf(ArgumentError);
    expect((cause as ArgumentError).message).toMatch(message);
    expect((cause as ArgumentError).option).toBe(option);
  });

  test("a key that does not compile", async () => {
    await expect(fold().topK(data, 1, { key: "x +" })).rejects.toThrow(SourceError);
  });

  test("ranges that overlap, and an index that has no room", async () => {
    const { device } = fold();
    const best = await fold().prepareTopK({ type: u32, k: 3, maxLength: 10 });
    const [input, output] = [storageBuffer(device, data), storageBuffer(device, new Uint32Array(6))];
    const encoder = device.createCommandEncoder();
    const half = { buffer: output, offset: 8 };
    expect(() => best.record(encoder, { input, output, indices: half, length: 3 })).toThrow(/overlap/);
    expect(() =>
      best.record(encoder, { input, output, indices: { buffer: output, offset: 16 }, length: 3 }),
    ).toThrow(/indices has 8 bytes/);
    best.destroy();
  });
});
