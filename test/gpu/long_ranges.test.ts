import { describe, expect, test } from "vitest";
import { settable } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add, max } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, Value } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { LimitError } from "../../src/node.ts";
import { RUNS } from "../../src/plan/plan.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { untyped, useFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { pairs } from "../support/pairs.ts";
import { manyMagnitudes, randomBits } from "../support/random.ts";
import { expectInPoison, poisoned, useShortBindings, watchBindings } from "../support/short_bindings.ts";

// Ranges that are longer than a binding may be. The device is taken for one whose bindings are short.

const fold = useFold();
const BINDING = 20_480;
/** Items of 4 bytes in a window: as many as fit beside what a binding may start before its range. */
const WINDOW = 4096;
const shortLimits = useShortBindings(fold, BINDING);

const random = (length: number, name: string): Uint32Array => Uint32Array.from({ length }, randomBits(name));
const words = (data: AnyArray): Uint32Array =>
  new Uint32Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength / 4);
const submit = (record: (encoder: GPUCommandEncoder) => void): void => {
  const encoder = fold().device.createCommandEncoder();
  record(encoder);
  fold().device.queue.submit([encoder.finish()]);
};

const negativeZeros = (length: number): Float64Array => new Float64Array(length).fill(-0);
const Triple = struct({ name: "Triple", fields: { a: u32, b: u32, c: u32 } });

interface Row {
  readonly title: string;
  readonly type: ElementType;
  readonly op: Operator<string>;
  readonly items: (length: number) => AnyArray;
  readonly initial: Value;
}
const table: readonly Row[] = [
  {
    title: "an operator that does not commute",
    type: u32,
    op: untyped(affine),
    items: (length) => random(length, "affine"),
    initial: 0x30007,
  },
  {
    title: "u64 max",
    type: u64,
    op: untyped(max),
    items: (length) => new BigUint64Array(random(2 * length, "u64").buffer),
    initial: 5n,
  },
  {
    title: "f64 add",
    type: f64,
    op: untyped(add),
    items: (length) => manyMagnitudes(length, `f64 ${length}`),
    initial: 0.1,
  },
  { title: "f64 add of -0", type: f64, op: untyped(add), items: negativeZeros, initial: -0 },
];
const all = pairs({
  row: table,
  passes: ["single", "reduce-then-scan"],
  exclusive: [false, true],
  ends: [false, true],
  reverse: [false, true],
} as const).map(({ row, ...how }) => ({ ...row, ...how }));

describe("scans and reductions", () => {
  test.for(all)("$title, $passes, exclusive $exclusive, with ends $ends, reverse $reverse", async (row) => {
    const { type, op, passes, exclusive, ends, reverse, items, initial } = row;
    const { device } = fold();
    const window = Math.floor((BINDING - 4096) / type.bytes / 256) * 256;
    const maxLength = 2 * window + 100;
    const options = { type, op, maxLength, ...(ends && { initial: true }) } as const;
    const sizes = { workGroupSize: 32, itemsPerThread: 8 } as const;
    const scan = await fold().prepareScan({
      ...options,
      ...sizes,
      passes,
      exclusive,
      reverse,
      ...(ends && { total: true }),
    });
    const reduce = await fold().prepareReduce({ ...options, ...sizes });
    const onGpu = await fold().prepareReduce({ ...options, ...sizes, lengthOnGpu: true });
    const watched = watchBindings(fold());
    for (const length of [0, 5, window, window + 1, maxLength]) {
      const data = items(length);
      const input = storageBuffer(
        device,
        Uint32Array.of(...poisoned(64), ...words(data), ...poisoned(maxLength * 2)),
      );
      const output = storageBuffer(device, poisoned(maxLength * 2 + 128));
      const [total, result, again] = [0, 1, 2].map(() => storageBuffer(device, poisoned(4))) as [
        GPUBuffer,
        GPUBuffer,
        GPUBuffer,
      ];
      const before = ends ? { initial } : {};
      const ranges = {
        input: { buffer: input, offset: 256 },
        output: { buffer: output, offset: 128 },
        length,
        ...before,
        ...(ends && { total }),
      };
      const summed = { input: ranges.input, output: result, length, ...before };
      const stated = { ...summed, output: again, length: storageBuffer(device, Uint32Array.of(length)) };
      const order = type.name === "f64" ? { grouping: scan.groupingOf(ranges) } : {};
      const reduceOrder = type.name === "f64" ? { grouping: reduce.groupingOf(summed) } : {};
      submit((encoder) => {
        scan.record(encoder, ranges);
        reduce.record(encoder, summed);
        onGpu.record(encoder, stated);
      });
      const wantedTotal = arrayOver(type, new ArrayBuffer(type.bytes));
      const like = { op, type, exclusive, reverse, ...before, ...order, total: wantedTotal };
      const expected = scanReference(data, like as never) as AnyArray;
      const found = await readWords(device, output);
      const title = `${length} items`;
      expectInPoison(found, 32, words(expected), title);
      const size = type.bytes / 4;
      if (ends) {
        expectSameBits(
          (await readWords(device, total)).slice(0, size),
          words(wantedTotal),
          `total of ${title}`,
        );
      }
      const value = reduceReference(data, { op, type, ...before, ...reduceOrder } as never) as Value;
      const { array: one, set } = settable(arrayOver(type, new ArrayBuffer(type.bytes)), type);
      set(0, value);
      expectSameBits((await readWords(device, result)).slice(0, size), words(one), `reduced ${title}`);
      expectSameBits(
        (await readWords(device, again)).slice(0, size),
        words(one),
        `length on the GPU, ${title}`,
      );
      for (const buffer of [input, output, total, result, again, stated.length]) {
        buffer.destroy();
      }
    }
    watched.stop();
    expect(watched.most()).toBeLessThanOrEqual(BINDING);
    expect(watched.most()).toBeGreaterThan(BINDING / 2);
    for (const one of [scan, reduce, onGpu]) {
      one.destroy();
    }
  });

  test("a map counts across windows, and the scan is in place", async () => {
    const { device } = fold();
    const length = 3 * WINDOW + 17;
    const data = random(length, "map");
    const firstIndex = 0xfffff000;
    const scan = await fold().prepareScan({ type: u32, map: "x ^ i", maxLength: length });
    const buffer = storageBuffer(device, data);
    submit((encoder) => scan.record(encoder, { input: buffer, output: buffer, length, firstIndex }));
    const mapped = data.map((x, at) => x ^ (at + firstIndex));
    expectSameBits(await readWords(device, buffer), scanReference(mapped), "in place");
  });

  test("from the last item to the first, by a length on the GPU that leaves windows empty", async () => {
    const { device } = fold();
    const maxLength = 3 * WINDOW + 100;
    const byIndex = await fold().prepareScan({
      type: u32,
      op: affine,
      map: "x ^ i",
      maxLength,
      lengthOnGpu: true,
      reverse: true,
      total: true,
    });
    const sums = await fold().prepareScan({
      type: f64,
      maxLength,
      lengthOnGpu: true,
      reverse: true,
      total: true,
    });
    for (const length of [0, 9, WINDOW + 1, maxLength]) {
      const data = random(maxLength, `suffixes ${length}`);
      const [input, output] = [storageBuffer(device, data), storageBuffer(device, poisoned(maxLength))];
      const [total, count] = [
        storageBuffer(device, poisoned(4)),
        storageBuffer(device, Uint32Array.of(length)),
      ];
      submit((encoder) => byIndex.record(encoder, { input, output, length: count, total }));
      const wanted = new Uint32Array(1);
      const items = data.map((x, at) => x ^ at).slice(0, length);
      const expected = scanReference(items, { op: affine, reverse: true, total: wanted });
      expectInPoison(await readWords(device, output), 0, expected, `${length}`);
      expect((await readWords(device, total))[0], `total of ${length}`).toBe(wanted[0]);
      // A sum of nothing but −0 is −0, whatever the empty windows hand on; and a sum of nothing is 0.
      const zeros = storageBuffer(device, words(negativeZeros(maxLength)));
      const prefixes = storageBuffer(device, poisoned(2 * maxLength));
      submit((encoder) => sums.record(encoder, { input: zeros, output: prefixes, length: count, total }));
      expectInPoison(await readWords(device, prefixes), 0, words(negativeZeros(length)), `−0, ${length}`);
      const sum = Float64Array.of(length === 0 ? 0 : -0);
      expectSameBits((await readWords(device, total)).slice(0, 2), words(sum), `total of −0, ${length}`);
      for (const buffer of [input, output, total, count, zeros, prefixes]) {
        buffer.destroy();
      }
    }
    byIndex.destroy();
    sums.destroy();
  });

  test("more recordings than the spine takes", async () => {
    const { device } = fold();
    const length = 2 * WINDOW;
    const data = random(length, "runs");
    const sizes = { workGroupSize: 8, itemsPerThread: 8 } as const;
    const scan = await fold().prepareScan({ type: u32, passes: "single", maxLength: length, ...sizes });
    const input = storageBuffer(device, data);
    const output = storageBuffer(device, poisoned(length));
    const make = device.createBuffer;
    let spines = 0;
    device.createBuffer = (descriptor) => {
      spines += Number(descriptor.label?.includes("scratch"));
      return make.call(device, descriptor);
    };
    submit((encoder) => {
      for (let run = 0; run < RUNS; run++) {
        scan.record(encoder, { input, output, length: 1 });
      }
    });
    expect(spines).toBe(0);
    submit((encoder) => {
      scan.record(encoder, { input, output, length: 1 });
      scan.record(encoder, { input, output, length });
    });
    device.createBuffer = make;
    expect(spines).toBe(1);
    expectSameBits(await readWords(device, output), scanReference(data), "after as many runs as there are");
    scan.destroy();
  });
});

describe("compactions", () => {
  const where = "(x ^ i) % 3u == 0u";
  const cases = pairs({
    passes: ["single", "reduce-then-scan"],
    indices: [false, true],
    how: ["apart", "in place"],
  } as const);
  test.for(cases)("$passes, indices $indices, $how", async ({ passes, indices, how }) => {
    const { device } = fold();
    const maxLength = 3 * WINDOW + 100;
    const firstIndex = 7;
    const compact = await fold().prepareCompact({
      type: u32,
      where,
      indices,
      passes,
      maxLength,
      lengthOnGpu: true,
      indirect: { draw: { vertexCount: 3 } },
    });
    for (const length of [0, WINDOW, maxLength]) {
      // None, all, some: what a window keeps may lie in several parts of the output.
      for (const kind of length > WINDOW ? ["some", "all", "none first"] : ["some"]) {
        const data = random(maxLength, kind).map((x, at) => {
          const own = x - ((x ^ (at + firstIndex)) % 3);
          const isKept = kind === "all" || (kind === "none first" && at > 2 * WINDOW + 5);
          return isKept && ((own ^ (at + firstIndex)) >>> 0) % 3 === 0 ? own : x;
        });
        const keep = (x: number, at: number): boolean => ((x ^ (at + firstIndex)) >>> 0) % 3 === 0;
        const input = storageBuffer(device, data);
        // Behind the output, there may be the length. It must not be replaced, and no dispatch may bind both.
        const output =
          how === "apart" ? storageBuffer(device, Uint32Array.of(...poisoned(maxLength), length)) : input;
        const count = storageBuffer(device, poisoned(4));
        const indirect = storageBuffer(device, poisoned(8));
        const stated = storageBuffer(device, Uint32Array.of(length));
        const watched = watchBindings(fold());
        submit((encoder) =>
          compact.record(encoder, {
            input,
            output: { buffer: output, size: 4 * maxLength },
            count,
            indirect,
            length: how === "apart" && kind === "all" ? { buffer: output, offset: 4 * maxLength } : stated,
            firstIndex,
          }),
        );
        watched.stop();
        expect(watched.most()).toBeLessThanOrEqual(BINDING);
        const kept = compactReference(data.slice(0, length), keep, { indices: indices as false }).map((x) =>
          indices ? x + firstIndex : x,
        );
        const title = `${kind}, ${length}`;
        const found = await readWords(device, output);
        expect((await readWords(device, count))[0], title).toBe(kept.length);
        expectSameBits(
          found,
          Uint32Array.of(
            ...kept,
            ...(how === "apart" ? poisoned(maxLength) : data).slice(kept.length),
            ...(how === "apart" ? [length] : []),
          ),
          title,
        );
        expectSameBits(
          await readWords(device, indirect),
          Uint32Array.of(3, kept.length, 0, 0, ...poisoned(4)),
          `indirect of ${title}`,
        );
        for (const buffer of [input, output, count, indirect, stated]) {
          buffer.destroy();
        }
      }
    }
    compact.destroy();
  });

  test("flags, and items of another size", async () => {
    const { device } = fold();
    const maxLength = 9000;
    const items = random(3 * maxLength, "triples");
    const flags = random(maxLength, "flags").map((x) => x % 2);
    const compact = await fold().prepareCompact({
      type: f32,
      from: Triple,
      map: "f32(x.b % 1000u + i)",
      maxLength,
    });
    const both = storageBuffer(device, Uint32Array.of(...flags, ...poisoned(maxLength)));
    const count = storageBuffer(device, poisoned(4));
    const ranges = {
      input: storageBuffer(device, items),
      flags: { buffer: both, size: 4 * maxLength },
      output: storageBuffer(device, poisoned(maxLength)),
      count,
      length: maxLength,
    };
    const beside = { ...ranges, output: { buffer: both, offset: 4 * maxLength } };
    /** Records, and tells how many dispatches that took, and how many bytes of scratch. */
    const record = (given: typeof ranges | typeof beside): { dispatches: number; scratch: number } => {
      const make = device.createBindGroup;
      let dispatches = 0;
      const scratch = new Set<GPUBuffer>();
      device.createBindGroup = (descriptor) => {
        dispatches++;
        for (const { resource } of descriptor.entries) {
          const { buffer } = resource as GPUBufferBinding;
          if (buffer.label.includes("scratch")) {
            scratch.add(buffer);
          }
        }
        return make.call(device, descriptor);
      };
      submit((encoder) => compact.record(encoder, given));
      device.createBindGroup = make;
      return { dispatches, scratch: [...scratch].reduce((sum, { size }) => sum + size, 0) };
    };
    const apart = record(ranges);
    const places = Array.from(flags.keys()).filter((at) => flags[at] !== 0);
    const kept = Float32Array.from(places, (at) => ((items[3 * at + 1] as number) % 1000) + at);
    expect((await readWords(device, count))[0]).toBe(kept.length);
    expectSameBits((await readWords(device, ranges.output)).slice(0, kept.length), words(kept), "kept");
    const inOne = record(beside);
    const found = await readWords(device, both);
    expectSameBits(found.slice(0, maxLength), flags, "the flags");
    expectSameBits(found.slice(maxLength, maxLength + kept.length), words(kept), "kept beside the flags");
    // What the first window keeps goes to its place at once. Where the output's buffer is read, it goes through the scratch that
    // the other windows take, too.
    expect(apart.dispatches).toBe(inOne.dispatches - 1);
    expect(apart.scratch).toBe(inOne.scratch);
  });
});

test("a compaction's count and arguments in one buffer are refused where one binding would reach into the other", async () => {
  const { device } = fold();
  const maxLength = 2 * WINDOW;
  const indirect = { dispatch: { itemsPerWorkGroup: 7 } };
  const compact = await fold().prepareCompact({ type: u32, where: "i % 3u == 1u", maxLength, indirect });
  const input = storageBuffer(device, random(maxLength, "one buffer"));
  const output = storageBuffer(device, poisoned(maxLength));
  const shared = storageBuffer(device, poisoned(128));
  const record = (offset: number) => (encoder: GPUCommandEncoder) =>
    compact.record(encoder, {
      input,
      output,
      count: { buffer: shared },
      indirect: { buffer: shared, offset },
      length: maxLength,
    });
  expect(() => submit(record(16))).toThrow(
    /count and indirect must be in different buffers, or have 256 bytes/,
  );
  submit(record(256));
  const kept = Math.floor((maxLength + 1) / 3);
  const found = await readWords(device, shared);
  expect([found[0], ...found.slice(64, 67)]).toEqual([kept, Math.ceil(kept / 7), 1, 1]);
  compact.destroy();
});

describe("input and output in one buffer, further apart than a binding may be", () => {
  const length = 2 * WINDOW + 100;
  const cases = pairs({
    passes: ["single", "reduce-then-scan"],
    exclusive: [false, true],
    isBehind: [false, true],
  } as const);
  test.for(cases)("$passes, exclusive $exclusive, behind $isBehind", async (one) => {
    const { passes, exclusive, isBehind } = one;
    const { device } = fold();
    const data = random(length, "far apart");
    const scan = await fold().prepareScan({
      type: u32,
      op: affine,
      exclusive,
      initial: true,
      total: true,
      passes,
      maxLength: length,
    });
    const gap = 3 * WINDOW;
    const [from, to] = isBehind ? [3, length + gap] : [length + gap, 3];
    const words = poisoned(2 * length + gap + 9);
    words.set(data, from);
    const buffer = storageBuffer(device, words);
    const total = storageBuffer(device, poisoned(4));
    const watched = watchBindings(fold());
    submit((encoder) =>
      scan.record(encoder, {
        input: { buffer, offset: 4 * from },
        output: { buffer, offset: 4 * to },
        initial: 0x30007,
        total,
        length,
      }),
    );
    watched.stop();
    expect(watched.most()).toBeLessThanOrEqual(BINDING);
    const sum = new Uint32Array(1);
    words.set(scanReference(data, { op: affine, exclusive, initial: 0x30007, total: sum }), to);
    expectSameBits(await readWords(device, buffer), words, "all of the buffer");
    expect((await readWords(device, total))[0]).toBe(sum[0]);
    for (const made of [buffer, total]) {
      made.destroy();
    }
    scan.destroy();
  });

  test("elements of eight bytes, and items of another size, which take buffers of their own", async () => {
    const { device } = fold();
    const count = 4000;
    const data = new BigUint64Array(random(2 * count, "u64 far apart").buffer);
    const scan = await fold().prepareScan({ type: u64, maxLength: count });
    const to = 2 * count + 30_000;
    const all = poisoned(to + 2 * count + 8);
    all.set(words(data), 0);
    const buffer = storageBuffer(device, all);
    const ranges = { input: { buffer }, output: { buffer, offset: 4 * to }, length: count };
    submit((encoder) => scan.record(encoder, ranges));
    all.set(words(scanReference(data)), to);
    expectSameBits(await readWords(device, buffer), all, "all of the buffer");
    const mapped = await fold().prepareScan({ type: u64, from: u32, map: "vec2(x, i)", maxLength: count });
    expect(() => submit((encoder) => mapped.record(encoder, ranges))).toThrow(/must be in different buffers/);
    for (const one of [scan, mapped, buffer]) {
      one.destroy();
    }
  });
});

test("what no buffer holds is refused, and so are ranges of one buffer that one binding does not span if the length is on the GPU", async () => {
  const { device } = fold();
  const refused = fold().prepareScan({ type: u32, maxLength: shortLimits().maxBufferSize / 4 + 1 });
  await expect(refused).rejects.toThrow(LimitError);
  await expect(refused).rejects.toThrow(/more than a buffer of the device holds/);
  const scan = await fold().prepareScan({ type: u32, maxLength: 2 * WINDOW, lengthOnGpu: true });
  const buffer = storageBuffer(device, poisoned(80_000));
  const encoder = device.createCommandEncoder();
  expect(() =>
    scan.record(encoder, {
      input: { buffer },
      output: { buffer, offset: 200_000 },
      length: storageBuffer(device, Uint32Array.of(5)),
    }),
  ).toThrow(LimitError);
});

test("what does not go in windows is refused with the length of the caller's array, not the one that plans are rounded to", async () => {
  const data = await fold().upload(new Float32Array(10_000));
  for (const call of [
    () => fold().scan(data, { op: exactAdd }),
    () => fold().reduce(data, { op: exactAdd }),
  ]) {
    const cause: unknown = await call().catch((one: unknown) => one);
    expect(cause).toBeInstanceOf(LimitError);
    expect(cause).toMatchObject({
      message: expect.stringMatching(/<f32, exactAdd>: 10000 items are more than a binding/) as unknown,
      needed: 10_000,
      option: "data",
    });
  }
  data.destroy();
});
