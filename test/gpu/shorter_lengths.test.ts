import { describe, expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import type { GpuArray } from "../../src/gpu/gpu_arrays/gpu_array.ts";
import {
  ArgumentError,
  DeviceLostError,
  type Fold,
  OutOfMemoryError,
  openFold,
  type WavefoldError,
} from "../../src/node.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { partitionReference } from "../../src/reference/partition.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { storageBuffer } from "../support/buffers.ts";
import { adapter, useAdapters, useFold } from "../support/fold.ts";
import { randomBits } from "../support/random.ts";
import { watched } from "../support/watched_device.ts";

// Keys, heads and flags whose number only the GPU knows: the shorter of the two lengths counts, and nothing of the memory behind it.

const fold = useFold();
const nextAdapter = useAdapters();

const MOST = 1300;
const next = randomBits("shorter lengths");
const data = Uint32Array.from({ length: MOST }, next);
const keys = Uint32Array.from({ length: MOST }, () => (next() % 8 === 0 ? next() : 0) >>> 0);
const heads = Uint32Array.from({ length: MOST }, () => (next() % 8 === 0 ? 1 : 0));
const bits = new Uint32Array(Math.ceil(MOST / 32)).map(next);

/** An array whose length is on the GPU, at the third word of a buffer; or on the CPU, if `length` is undefined. */
async function arrayOf(items: Uint32Array<ArrayBuffer>, length: number | undefined): Promise<GpuArray> {
  const { device } = fold();
  const buffer = storageBuffer(device, items);
  if (length === undefined) {
    return (await fold().wrap({ buffer, type: u32 })) as unknown as GpuArray;
  }
  const range = { buffer: storageBuffer(device, Uint32Array.of(7, 9, length, 3)), offset: 8 };
  return (await fold().wrap({
    buffer,
    type: u32,
    length: range,
    maxLength: items.length,
  })) as unknown as GpuArray;
}

/** The lengths of the data and of what lies beside it. */
const lengths: readonly (readonly [own: number | undefined, other: number])[] = [
  [undefined, 810],
  [undefined, 0],
  [1200, 810],
  [810, 1200],
  [0, 1200],
];
const plans = [{}, { passes: "reduce-then-scan", algorithm: "blelloch" }, { passes: "single" }] as const;

const check = async (options: object, [own, other]: (typeof lengths)[number]): Promise<void> => {
  const call = async (items: Uint32Array<ArrayBuffer>, length: number) => {
    const [input, given] = [await arrayOf(data, own), await arrayOf(items, length)];
    return { input: input as GpuArray<"u32">, given: given as never };
  };
  const shortest = Math.min(own ?? MOST, other);
  const items = data.subarray(0, shortest);
  const title = `${JSON.stringify(options)}, ${own} and ${other}`;
  {
    const { input, given } = await call(keys, other);
    const segments = { keys: keys.subarray(0, shortest) };
    const sums = await fold().scan(input, { ...options, segments: { keys: given } });
    expect(await sums.read(), `scan by keys, ${title}`).toEqual(scanReference(items, { segments }));
    const runs = (await fold().reduce(input, { ...options, segments: { keys: given } })) as {
      readonly [Name in "keys" | "values"]: GpuArray;
    };
    const wanted = reduceReference(items, { segments }) as { keys: Uint32Array; values: Uint32Array };
    expect(await runs.keys.read(), `keys, ${title}`).toEqual(wanted.keys);
    expect(await runs.values.read(), `totals, ${title}`).toEqual(wanted.values);
  }
  {
    const { input, given } = await call(heads, other);
    const segments = { heads: heads.subarray(0, shortest) };
    const totals = await fold().reduce(input, { ...options, segments: { heads: given } });
    expect(await (totals as GpuArray).read(), `heads, ${title}`).toEqual(
      reduceReference(items, { segments }),
    );
  }
  {
    const words = Math.ceil(other / 32);
    const { input, given } = await call(bits, words);
    const few = Math.min(own ?? MOST, 32 * words);
    const segments = { headBits: bits.subarray(0, Math.ceil(few / 32)) };
    const sums = await fold().scan(input, { ...options, segments: { headBits: given } });
    expect(await sums.read(), `bits, ${title}`).toEqual(scanReference(data.subarray(0, few), { segments }));
  }
};

describe("the shorter length counts", () => {
  for (const options of plans) {
    test(JSON.stringify(options), async () => {
      for (const pair of lengths) {
        await check(options, pair);
      }
    });
  }

  test("of the flags of a compaction", async () => {
    for (const [own, other] of lengths) {
      const [input, flags] = [await arrayOf(data, own), await arrayOf(heads, other)];
      const shortest = Math.min(own ?? MOST, other);
      const kept = await fold().compact(input as GpuArray<"u32">, { flags: flags as never });
      const wanted = compactReference(data.subarray(0, shortest), (_, index) => heads[index] === 1);
      expect(await kept.read(), `${own} and ${other}`).toEqual(wanted);
    }
  });

  test("of the flags of a partition", async () => {
    for (const [own, other] of lengths) {
      const [input, flags] = [await arrayOf(data, own), await arrayOf(heads, other)];
      const items = data.subarray(0, Math.min(own ?? MOST, other));
      const parts = await fold().partition(input as GpuArray<"u32">, { flags: flags as never });
      const wanted = partitionReference(items, (_, index) => heads[index] === 1);
      const title = `${own} and ${other}`;
      const { values, count } = parts as unknown as { readonly [Name in "values" | "count"]: GpuArray };
      expect(await values.read(), title).toEqual(wanted.values);
      expect(await count.read(), title).toEqual(Uint32Array.of(wanted.count));
    }
  });

  test("of keys that are computed", async () => {
    for (const [own, other] of lengths) {
      const [input, given] = [await arrayOf(data, own), await arrayOf(keys, other)];
      const shortest = Math.min(own ?? MOST, other);
      const segments = { keys: given as never, key: "x & 3u" };
      const sums = await fold().scan(input as GpuArray<"u32">, { segments });
      const wanted = { keys: keys.subarray(0, shortest).map((key) => key & 3) };
      expect(await sums.read(), `${own} and ${other}`).toEqual(
        scanReference(data.subarray(0, shortest), { segments: wanted }),
      );
    }
  });

  test.each([2 ** 27, 2 ** 27 + 1, 2 ** 32 - 1])(
    "as many as there may be count, where the GPU has %d",
    async (count) => {
      for (const own of [undefined, 1200, 2 ** 32 - 1]) {
        const items = data.subarray(0, own);
        const input = (await arrayOf(data, own)) as GpuArray<"u32">;
        for (const [kind, marks] of Object.entries({ headBits: bits, heads, keys })) {
          const segments = { [kind]: await arrayOf(marks, count) } as never;
          const few =
            kind === "headBits" ? marks.subarray(0, Math.ceil(items.length / 32)) : marks.subarray(0, own);
          const wanted = scanReference(items, { segments: { [kind]: few } as never });
          const sums = await fold().scan(input, { segments });
          expect(await sums.read(), `${kind}, ${own}`).toEqual(wanted);
        }
      }
    },
  );
});

describe("errors of the comparison of two lengths name the call", () => {
  /** The error of a scan on a device of its own, by what is done to it meanwhile. */
  const errorOf = async (
    spoil: (one: Fold) => void,
    changes?: Parameters<typeof watched>[1],
  ): Promise<WavefoldError> => {
    const { device } = await openFold({ adapter: await nextAdapter() });
    const one = await openFold({ device: watched(device, changes).device });
    const wrap = (items: Uint32Array<ArrayBuffer>, count: number) =>
      one.wrap({
        buffer: storageBuffer(device, items),
        type: u32,
        length: { buffer: storageBuffer(device, Uint32Array.of(count)) },
        maxLength: items.length,
      });
    const [input, other] = [await wrap(data, 8), await wrap(heads, 9)];
    const pending = one.scan(input, { segments: { heads: other } }).then(
      () => undefined,
      (cause: unknown) => cause,
    );
    spoil(one);
    const error = await pending;
    one.destroy();
    device.destroy();
    return error as WavefoldError;
  };

  test("a lost device", async () => {
    const error = await errorOf((one) => one.device.destroy());
    expect(error).toBeInstanceOf(DeviceLostError);
    expect(error.message).toMatch(/^scan<u32>: the device was destroyed/);
  });

  test("a destroyed fold", async () => {
    const error = await errorOf((one) => one.destroy());
    expect(error).toBeInstanceOf(ArgumentError);
    expect(error.message).toMatch(/^scan<u32>: the fold was destroyed/);
  });

  // A GPU may well have room for the largest buffer.
  test.skipIf(adapter === "gpu").each(["result", "scratch"])("no room for its %s", async (name) => {
    const { maxBufferSize } = fold().device.limits;
    const error = await errorOf(() => {}, {
      buffer: (descriptor) =>
        descriptor.label?.includes(name) && descriptor.size < 1000
          ? { ...descriptor, size: maxBufferSize }
          : descriptor,
    });
    expect(error).toBeInstanceOf(OutOfMemoryError);
    expect(error.message).toMatch(/^scan<u32>: no room for/);
  });
});
