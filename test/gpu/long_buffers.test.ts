import { describe, expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { READ } from "../../src/gpu/device/transfer.ts";
import { COPY_DST, COPY_SRC, MAP_READ, STORAGE } from "../../src/gpu/device/usage_flags.ts";
import { openFold } from "../../src/node.ts";
import type { Limits } from "../../src/plan/device_facts.ts";
import { submit } from "../support/buffers.ts";
import { planAs, useFold } from "../support/fold.ts";
import { useNullDevice } from "../support/null_device.ts";
import { randomWords } from "../support/random.ts";
import { limitsWithBinding } from "../support/short_bindings.ts";

// Ranges that end past 2^32 bytes.

const GIB = 2 ** 30;

describe("what a recording binds, on a device that compiles everything and has no such buffer", () => {
  const nullDevice = useNullDevice();
  const LENGTH = 2 * GIB + 2 ** 28 + 12_345;
  const cases = (["scan", "reduce", "compact"] as const).flatMap((primitive) =>
    [2 ** 27, 2 ** 31, 2 ** 32 - 4].map((binding) => ({ primitive, binding })),
  );

  test.each(cases)("$primitive, bindings of $binding bytes", async ({ primitive, binding }) => {
    const real = nullDevice();
    const stand = real.createBuffer({ size: 256, usage: STORAGE });
    /** No buffer: a size alone. What binds it gets another one. */
    const sizes = new Set<GPUBuffer>();
    const bufferOf = (size: number): GPUBuffer => {
      const made = { size, usage: STORAGE, destroy() {} } as unknown as GPUBuffer;
      sizes.add(made);
      return made;
    };
    const input = bufferOf(4 * LENGTH);
    const output = bufferOf(4 * LENGTH);
    const count = bufferOf(4);
    const bound = new Map<GPUBuffer, [number, number][]>([input, output, count].map((one) => [one, []]));
    const device = new Proxy(real, {
      get(target, name) {
        if (name === "createBindGroup") {
          return (descriptor: GPUBindGroupDescriptor): GPUBindGroup => {
            const entries = [...descriptor.entries].map((entry) => {
              const { buffer, offset = 0, size = 0 } = entry.resource as GPUBufferBinding;
              bound.get(buffer)?.push([offset, offset + size]);
              return sizes.has(buffer) ? { ...entry, resource: { buffer: stand } } : entry;
            });
            return target.createBindGroup({ ...descriptor, entries });
          };
        }
        if (name === "createBuffer") {
          return (descriptor: GPUBufferDescriptor): GPUBuffer =>
            descriptor.size > target.limits.maxBufferSize
              ? bufferOf(descriptor.size)
              : target.createBuffer(descriptor);
        }
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const fold = await openFold({ device });
    const context = contextOf(device);
    const limits: Limits = { ...limitsWithBinding(real, binding), maxBufferSize: 16 * GIB };
    context.facts = { ...context.facts, limits };
    const encoder = real.createCommandEncoder();
    const given = { type: u32, maxLength: LENGTH };
    if (primitive === "scan") {
      (await fold.prepareScan(given)).record(encoder, { input, output, length: LENGTH });
    } else if (primitive === "reduce") {
      (await fold.prepareReduce(given)).record(encoder, { input, output: count, length: LENGTH });
    } else {
      const plan = await fold.prepareCompact({ ...given, where: "x > 7u" });
      plan.record(encoder, { input, output, count, length: LENGTH });
    }
    const ends = bound.get(input)?.sort(([a], [b]) => a - b) ?? [];
    let covered = 0;
    for (const [from, to] of ends) {
      expect(to - from).toBeLessThanOrEqual(binding);
      expect(from % 256).toBe(0);
      // Bindings start at multiples of 256, so neighbours may share a few bytes.
      expect(from).toBeLessThanOrEqual(covered);
      covered = Math.max(covered, to);
    }
    expect(covered).toBe(4 * LENGTH);
    expect(Math.max(...ends.map(([from]) => from))).toBeGreaterThan(4 * LENGTH - binding - 256);
    fold.destroy();
  });
});

describe("on a device that has such buffers, every element", () => {
  // The data repeats after as many items, which no window has.
  const PERIOD = 2 ** 24 - 4;
  const LENGTH = GIB + 2 ** 26 + 77;
  const BYTES = 4 * LENGTH;
  const periods = Array.from({ length: Math.ceil(LENGTH / PERIOD) }, (_, at) => ({
    at,
    first: at * PERIOD,
    items: Math.min(PERIOD, LENGTH - at * PERIOD),
  }));
  const fold = useFold();

  test.for([
    ["bindings of the default length", 2 ** 27],
    ["the longest bindings", 2 ** 32 - 4],
  ] as const)("%s", { timeout: 300_000 }, async ([, most], { skip }) => {
    const { device, software } = fold();
    const { maxBufferSize, maxStorageBufferBindingSize } = device.limits;
    skip(software || maxBufferSize < BYTES, `buffers have ${maxBufferSize} bytes at most here`);
    const binding = Math.min(most, maxStorageBufferBindingSize);
    const restore = planAs(fold(), { limits: limitsWithBinding(device, binding) });
    const usage = STORAGE | COPY_SRC | COPY_DST;
    const input = device.createBuffer({ size: BYTES, usage });
    const output = device.createBuffer({ size: BYTES, usage });
    const words = device.createBuffer({ size: 8, usage });
    const staging = device.createBuffer({
      size: 4 * PERIOD,
      usage: READ,
    });
    /** Shows items of a buffer. */
    const withItems = async (
      buffer: GPUBuffer,
      first: number,
      items: number,
      look: (words: Uint32Array) => void,
    ): Promise<void> => {
      if (items > 0) {
        submit(device, (encoder) => encoder.copyBufferToBuffer(buffer, 4 * first, staging, 0, 4 * items));
        await staging.mapAsync(MAP_READ, 0, 4 * items);
        look(new Uint32Array(staging.getMappedRange(0, 4 * items)));
        staging.unmap();
      }
    };
    /** Compares items with those that are expected of their places, plus a number. */
    const expectItems = (found: Uint32Array, expected: Uint32Array, plus: number, title: string): void => {
      for (let at = 0; at < found.length; at++) {
        if (found[at] !== ((expected[at] as number) + plus) >>> 0) {
          expect.fail(`${title}: item ${at} is ${found[at]}`);
        }
      }
    };
    const data = randomWords(PERIOD, "period");
    let sum = 0;
    const sums = data.map((one) => {
      sum = (sum + one) >>> 0;
      return sum;
    });
    const kept = data.filter((one) => one % 3 === 1);
    const keptOfLast = data.subarray(0, periods.at(-1)?.items).filter((one) => one % 3 === 1).length;
    const total = (Math.imul(sum, periods.length - 1) + (sums[(periods.at(-1)?.items ?? 0) - 1] ?? 0)) >>> 0;
    const expectSums = async (title: string): Promise<void> => {
      for (const { at, first, items } of periods) {
        await withItems(output, first, items, (found) =>
          expectItems(found, sums, Math.imul(sum, at), `${title}, period ${at}`),
        );
      }
    };
    const poison = (): void => submit(device, (encoder) => encoder.clearBuffer(output));
    try {
      for (const { first, items } of periods) {
        device.queue.writeBuffer(input, 4 * first, data, 0, items);
      }
      const given = { type: u32, maxLength: LENGTH };
      const scan = await fold().prepareScan({ ...given, total: true });
      poison();
      submit(device, (encoder) =>
        scan.record(encoder, { input, output, length: LENGTH, total: { buffer: words, offset: 4 } }),
      );
      await expectSums("recorded");
      scan.destroy();

      const reduce = await fold().prepareReduce(given);
      submit(device, (encoder) => reduce.record(encoder, { input, output: words, length: LENGTH }));
      await withItems(words, 0, 2, (found) => expect([...found]).toEqual([total, total]));
      reduce.destroy();

      poison();
      const array = await fold().wrap({ buffer: input, type: u32, length: LENGTH });
      await fold().scan(array, { into: await fold().wrap({ buffer: output, type: u32, length: LENGTH }) });
      await expectSums("on the GPU");

      const compact = await fold().prepareCompact({ ...given, where: "x % 3u == 1u" });
      poison();
      submit(device, (encoder) => compact.record(encoder, { input, output, count: words, length: LENGTH }));
      const count = kept.length * (periods.length - 1) + keptOfLast;
      await withItems(words, 0, 1, (found) => expect([...found]).toEqual([count]));
      for (const { at } of periods) {
        const items = at === periods.length - 1 ? keptOfLast : kept.length;
        await withItems(output, at * kept.length, items, (found) =>
          expectItems(found, kept, 0, `compacted, period ${at}`),
        );
      }
      await withItems(output, count, 1000, (found) => expect(new Set(found)).toEqual(new Set([0])));
      compact.destroy();
    } finally {
      restore();
      for (const one of [input, output, words, staging]) {
        one.destroy();
      }
    }
  });
});
