import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { fixedArray } from "../../src/algebra/fields.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add, max } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, Value } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import type { Limits } from "../../src/plan/device_facts.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { runLengthsReference, uniqueReference } from "../../src/reference/runs.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { planAs, untyped, useFold } from "../support/fold.ts";
import { nanRuns } from "../support/nan_runs.ts";
import { affine } from "../support/operators.ts";
import { manyMagnitudes, randomBits } from "../support/random.ts";
import { expectInPoison, poisoned, useShortBindings, watchBindings } from "../support/short_bindings.ts";

// Scans and reductions of segments by offsets, flags, bits and keys that no binding holds. The device is taken for one whose bindings are short.

const fold = useFold();
const BINDING = 8192;
const limits = useShortBindings(fold, BINDING, { lookBack: false });

const Cell = struct({ name: "Cell", fields: { place: u32, cell: u32 } });
const random = (length: number, name: string): Uint32Array => Uint32Array.from({ length }, randomBits(name));
const submit = (record: (encoder: GPUCommandEncoder) => void): void => {
  const encoder = fold().device.createCommandEncoder();
  record(encoder);
  fold().device.queue.submit([encoder.finish()]);
};

interface Row {
  readonly title: string;
  readonly type: ElementType;
  readonly op: Operator<string>;
  readonly initial?: Value;
  readonly by: "offsets" | "heads" | "headBits" | "keys" | "computed keys" | "long keys";
  readonly exclusive?: boolean;
  readonly lengthOnGpu?: boolean;
  /** Whether it is planned as on a GPU, where items go as vectors. */
  readonly onGpus?: boolean;
  readonly more?: object;
  /** Other limits, by which windows go as vectors, and a binding holds the spine of a single pass. */
  readonly other?: Pick<Limits, "maxStorageBuffersPerShaderStage" | "maxStorageBufferBindingSize">;
  /** Words before the range that says where segments start. */
  readonly before?: number;
}
const table: readonly Row[] = [
  { title: "an operator that does not commute", type: u32, op: untyped(affine), by: "heads" },
  {
    title: "exclusive, after a value, with a length on the GPU",
    type: u32,
    op: untyped(affine),
    initial: 0x80030005,
    by: "headBits",
    exclusive: true,
    lengthOnGpu: true,
  },
  { title: "by vectors", type: u32, op: untyped(affine), by: "keys", onGpus: true, exclusive: true },
  { title: "by vectors, after a value", type: u32, op: untyped(max), initial: 7, by: "heads", onGpus: true },
  {
    title: "an operator that does not commute",
    type: u32,
    op: untyped(affine),
    by: "offsets",
    exclusive: true,
  },
  {
    title: "with a length on the GPU",
    type: u32,
    op: untyped(max),
    initial: 7,
    by: "offsets",
    lengthOnGpu: true,
  },
  { title: "keys of structs", type: u32, op: untyped(affine), by: "computed keys", lengthOnGpu: true },
  { title: "keys longer than items", type: u32, op: untyped(add), initial: 9, by: "long keys" },
  { title: "f64, whose sums are exact", type: f64, op: untyped(add), by: "keys", exclusive: true },
  {
    title: "in a single pass",
    type: u32,
    op: untyped(affine),
    by: "headBits",
    more: { passes: "single", workGroupSize: 32 },
  },
  // Threads hold values without heads.
  ...(["keys", "headBits"] as const).map((by, at) => ({
    title: "one pass by subgroups",
    type: u32,
    op: untyped(at % 2 === 0 ? affine : add),
    by,
    exclusive: at === 1,
    onGpus: true,
    before: 8,
    // The kernels bind eight buffers, which each device has. They are planned for one that binds two more.
    other: { maxStorageBuffersPerShaderStage: 10, maxStorageBufferBindingSize: 20_480 },
    // Windows end within tiles.
    more: { passes: "single", algorithm: "subgroup", workGroupSize: 56, itemsPerThread: 8 },
  })),
];

/** Where segments start: nowhere; at each item; around the borders of windows; somewhere. */
const headsFor = (length: number, window: number): Record<string, Uint32Array> => {
  const next = randomBits(`heads ${length}`);
  const at = (places: readonly number[]): Uint32Array =>
    Uint32Array.from({ length }, (_, index) => Number(places.includes(index)));
  return {
    "one segment": new Uint32Array(length),
    "every few items": Uint32Array.from({ length }, (_, index) => Number(index % 4 === 1)),
    "where windows start": at([window, 2 * window]),
    "before and behind": at([window - 1, window + 1, 2 * window + 1]),
    some: Uint32Array.from({ length }, () => Number(next() % 300 === 0)),
  };
};

/** Lengths, each with some of the kinds of heads. Every row has each length, and a third of them each kind where there are several windows. */
function headsOf(
  of: typeof headsFor,
  row: number,
  { window, isShort = false }: { readonly window: number; readonly isShort?: boolean },
): { readonly length: number; readonly name: string; readonly heads: Uint32Array }[] {
  const long = 2 * window + 37;
  const lengths = isShort ? [5, long] : [0, window, window + 1, long];
  return lengths.flatMap((length, at) =>
    Object.entries(of(length, window)).flatMap(([name, heads], kind, all) =>
      (length === long ? (kind + row) % 3 === 0 : (at + row) % all.length === kind)
        ? [{ length, name, heads }]
        : [],
    ),
  );
}

/** Keys that differ where segments start, and only there. */
const keysFor = (heads: Uint32Array): Uint32Array => {
  let key = 0;
  return heads.map((head) => {
    key += head;
    return key % 2;
  });
};

/** What says where segments start, as a range holds it. Some segments of offsets have no item. */
function startsFor(
  by: Row["by"],
  heads: Uint32Array,
): { readonly offsets: Uint32Array; readonly keys: Uint32Array; readonly starts: Uint32Array } {
  const { length } = heads;
  const keys = keysFor(heads);
  const bits = new Uint32Array(Math.ceil(length / 32));
  for (const [at, head] of heads.entries()) {
    bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (head << (at & 31));
  }
  const places = [...heads.keys()].filter((at) => at > 0 && heads[at] === 1);
  const offsets = Uint32Array.of(0, ...places.flatMap((at) => (at % 3 === 0 ? [at, at] : [at])), length);
  const starts = {
    offsets,
    heads,
    headBits: bits,
    keys,
    // The place is no part of the key.
    "computed keys": Uint32Array.from({ length: 2 * length }, (_, at) =>
      at % 2 === 0 ? at : (keys[at >>> 1] ?? 0),
    ),
    "long keys": Uint32Array.from({ length: 2 * length }, (_, at) =>
      at % 2 === 0 ? 5 : (keys[at >>> 1] ?? 0),
    ),
  }[by];
  return { offsets, keys, starts };
}

const segmentsBy = (by: Row["by"]): object | string =>
  by === "computed keys"
    ? { keys: Cell, key: "x.cell" }
    : by === "long keys"
      ? { keys: u64 }
      : by === "keys"
        ? { keys: u32 }
        : by;

const rangeOf = (by: Row["by"]): string => (by === "offsets" ? by : by.startsWith("head") ? "heads" : "keys");

describe("every element is the reference's", () => {
  test.for(table.map((row, at) => ({ ...row, at, name: `${row.by}: ${row.title}` })))(
    "$name",
    async (row) => {
      const {
        at,
        type,
        op,
        initial,
        by,
        exclusive = false,
        lengthOnGpu = false,
        onGpus,
        more,
        before = 6,
        other,
      } = row;
      const { device } = fold();
      const words = type.bytes / 4;
      const keyWords = by === "long keys" || by === "computed keys" ? 2 : 1;
      // As src/gpu/recordings/heads_in_windows.ts has it: a binding may start up to 4096 bytes before the window.
      const binding = other?.maxStorageBufferBindingSize ?? BINDING;
      const window = Math.floor((binding - 4096) / (4 * Math.max(words, keyWords)) / 256) * 256;
      const maxLength = 3 * window;
      const segments = segmentsBy(by);
      const options = {
        ...{ type, op, exclusive, lengthOnGpu, maxLength, segments },
        ...(initial !== undefined && { initial: true }),
        ...{ workGroupSize: 8, itemsPerThread: 8, ...more },
      };
      const prepare = () => fold().prepareScan(options as never);
      const restore = planAs(fold(), {
        ...(onGpus && { software: false }),
        limits: { ...limits(), ...other },
      });
      const prepared = await prepare().finally(restore);
      const watched = watchBindings(fold());
      for (const { length, name, heads } of headsOf(headsFor, at, { window, isShort: other !== undefined })) {
        const title = `${length} items, ${name}`;
        const given = random(length * words, title);
        const data =
          type === f64 ? Float64Array.from({ length }, (_, at) => (given[at] ?? 0) * 2 ** 10) : given;
        const { offsets, starts } = startsFor(by, heads);
        const room = poisoned(maxLength * words + 24);
        room.set(new Uint32Array(data.buffer as ArrayBuffer), 24);
        const input = storageBuffer(device, room);
        const output = storageBuffer(device, poisoned(maxLength * words + 24));
        // What lies behind the flags or keys is no part of them.
        const placed = storageBuffer(
          device,
          Uint32Array.of(
            ...poisoned(before),
            ...starts,
            ...poisoned(Math.max(0, maxLength * keyWords - starts.length)),
          ),
        );
        const stated = storageBuffer(device, Uint32Array.of(length));
        const ranges = {
          input: { buffer: input, offset: 96 },
          output: { buffer: output, offset: 96 },
          [rangeOf(by)]: { buffer: placed, offset: 4 * before },
          ...(by === "offsets" && { segmentCount: offsets.length - 1 }),
          ...(initial !== undefined && { initial }),
          length: lengthOnGpu ? stated : length,
        };
        submit((encoder) => prepared.record(encoder, ranges as never));
        const expected = scanReference(data, {
          ...{ op, type, exclusive, segments: { heads } },
          ...(initial !== undefined && { initial }),
        } as never) as AnyArray;
        const wanted = new Uint32Array(expected.buffer as ArrayBuffer);
        const found = await readWords(device, output);
        expectInPoison(found, 24, wanted, title);
        for (const buffer of [input, output, placed, stated]) {
          buffer.destroy();
        }
      }
      watched.stop();
      expect(watched.most()).toBeLessThanOrEqual(binding);
      expect(watched.most()).toBeGreaterThan(binding / 2);
      prepared.destroy();
    },
  );

  // A window's keys begin with one before it, so that their binding starts up to 64 keys earlier, at an aligned address.
  test("keys of 15 words fit, whatever bindings leave beside a window", async () => {
    const keyWords = 15;
    const { device } = fold();
    const Long = struct({ name: "Long", fields: { cell: u32, others: fixedArray(u32, keyWords - 1) } });
    const keyBytes = 4 * keyWords;
    // What is left beside 512 keys: too little, and enough.
    const bindings = [2048, 3584, 4096].map((left) => 512 * keyBytes + left);
    for (const binding of bindings) {
      const restore = planAs({ device }, { limits: { ...limits(), maxStorageBufferBindingSize: binding } });
      try {
        const length = 1300;
        const data = random(length, "long keys");
        const heads = Uint32Array.from({ length }, (_, at) => Number(at % 100 === 0));
        const keys = new Uint32Array(length * keyWords).map((_, at) => Math.floor(at / keyWords / 100));
        const prepared = await fold().prepareScan({
          ...{ type: u32, op: affine, maxLength: length, workGroupSize: 8, itemsPerThread: 8 },
          segments: { keys: Long, key: "x.cell" },
        });
        const watched = watchBindings(fold());
        const [input, output, placed] = [data, poisoned(length), keys].map((one) =>
          storageBuffer(device, one),
        );
        submit((encoder) => prepared.record(encoder, { input, output, keys: placed, length } as never));
        watched.stop();
        const expected = scanReference(data, { op: affine, segments: { heads } });
        expectSameBits(await readWords(device, output as GPUBuffer), expected, `${binding}`);
        expect(watched.most()).toBeLessThanOrEqual(binding);
        for (const buffer of [input, output, placed]) {
          buffer?.destroy();
        }
        prepared.destroy();
      } finally {
        restore();
      }
    }
  });

  test("calls at hand and on the GPU, and in place", async () => {
    const data = random(4500, "calls");
    const heads = Uint32Array.from({ length: 4500 }, (_, at) => Number(at === 1250 || at === 3500));
    const expected = scanReference(data, { op: affine, segments: { heads } });
    const watched = watchBindings(fold());
    expectSameBits(await fold().scan(data, { op: affine, segments: { heads } }), expected, "at hand");
    const keys = heads.map((_, at) => Number(at >= 1250) + Number(at >= 3500));
    expectSameBits(await fold().scan(data, { op: affine, segments: { keys } }), expected, "by keys");
    const offsets = [0, 1250, 1250, 3500, 4500];
    expectSameBits(await fold().scan(data, { op: affine, segments: { offsets } }), expected, "by offsets");
    const own = await fold().upload(data);
    const flags = await fold().upload(heads);
    await fold().scan(own, { op: affine, segments: { heads: flags }, into: own });
    expectSameBits(await own.read(), expected, "in place");
    watched.stop();
    expect(watched.most()).toBeLessThanOrEqual(BINDING);
    own.destroy();
    flags.destroy();
  });
});

interface Reduction extends Row {
  /** Items of another type than elements: WGSL, and its twin. */
  readonly mapped?: {
    readonly from: ElementType;
    readonly map: string;
    readonly twin: (x: never, i: number) => Value;
  };
  /** Whether kernels bind no more buffers than every device has. */
  readonly fewBuffers?: boolean;
}
const reductions: readonly Reduction[] = [
  { title: "an operator that does not commute", type: u32, op: untyped(affine), by: "heads" },
  {
    title: "after a value, with a length on the GPU",
    type: u32,
    op: untyped(affine),
    initial: 0x80030005,
    by: "headBits",
    lengthOnGpu: true,
  },
  { title: "by vectors", type: u32, op: untyped(affine), by: "keys", onGpus: true },
  { title: "an operator that does not commute", type: u32, op: untyped(affine), by: "offsets" },
  { title: "by vectors", type: u32, op: untyped(affine), by: "offsets", onGpus: true },
  {
    title: "after a value, with a length on the GPU",
    type: u32,
    op: untyped(max),
    initial: 7,
    by: "offsets",
    lengthOnGpu: true,
    onGpus: true,
    fewBuffers: true,
  },
  { title: "keys of structs", type: u32, op: untyped(affine), by: "computed keys", onGpus: true },
  {
    title: "with all ranges that there are",
    type: u32,
    op: untyped(add),
    initial: 9,
    by: "long keys",
    lengthOnGpu: true,
    onGpus: true,
    fewBuffers: true,
  },
  { title: "f64, whose sums are rounded", type: f64, op: untyped(add), by: "keys" },
  {
    title: "elements that are longer than items, with their places",
    type: u64,
    op: untyped(add),
    by: "heads",
    mapped: {
      from: u32,
      map: "vec2<u32>(x, i)",
      twin: (x: number, i: number) => BigInt(x) + (BigInt(i) << 32n),
    },
  },
  {
    title: "in a single pass",
    type: u32,
    op: untyped(affine),
    by: "keys",
    more: { passes: "single", workGroupSize: 32 },
  },
  // The device binds more buffers than every device has, so windows go as vectors, and offsets could be read where they lie.
  ...(["heads", "offsets"] as const).map((by, at) => ({
    title: "one pass by subgroups",
    type: u32,
    op: untyped(at % 2 === 0 ? affine : add),
    by,
    onGpus: true,
    before: 8,
    other: { maxStorageBuffersPerShaderStage: 10, maxStorageBufferBindingSize: 20_480 },
    // Windows end within tiles.
    more: { passes: "single", algorithm: "subgroup", workGroupSize: 56, itemsPerThread: 8 },
  })),
];

/** The same, and each item a segment of its own, so that what is stored is longer than a binding. */
const manyHeadsFor = (length: number, window: number): Record<string, Uint32Array> => ({
  ...headsFor(length, window),
  "each item": new Uint32Array(length).fill(1),
});

const wordsOf = (array: AnyArray): Uint32Array =>
  new Uint32Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength / 4);

describe("every segment's total is the reference's, and so are keys and their number", () => {
  test.for(reductions.map((row, at) => ({ ...row, at, name: `${row.by}: ${row.title}` })))(
    "$name",
    async (row) => {
      const {
        at,
        type,
        op,
        initial,
        by,
        lengthOnGpu = false,
        onGpus,
        more,
        before = 6,
        other,
        mapped,
        fewBuffers,
      } = row;
      const { device } = fold();
      const words = type.bytes / 4;
      const itemWords = (mapped?.from ?? type).bytes / 4;
      const isByKeys = by.includes("keys");
      const keyWords = by === "long keys" || by === "computed keys" ? 2 : 1;
      const uniqueWords = by === "long keys" ? 2 : 1;
      // As src/plan/window_length.ts has it: a binding may start up to 4096 bytes before the window.
      const binding = other?.maxStorageBufferBindingSize ?? BINDING;
      const window = Math.floor((binding - 4096) / (4 * Math.max(words, itemWords, keyWords)) / 256) * 256;
      const maxLength = 3 * window;
      const segments = segmentsBy(by);
      const options = {
        ...{ type, op, lengthOnGpu, maxLength },
        segments: isByKeys ? { ...(segments as object), unique: true } : segments,
        ...(initial !== undefined && { initial: true }),
        ...(mapped && { from: mapped.from, map: mapped.map }),
        ...{ workGroupSize: 8, itemsPerThread: 8, ...more },
      };
      const prepare = () => fold().prepareReduce(options as never);
      const restore = planAs(fold(), {
        ...(onGpus && { software: false }),
        limits: { ...limits(), ...(fewBuffers && { maxStorageBuffersPerShaderStage: 8 }), ...other },
      });
      const prepared = await prepare().finally(restore);
      const watched = watchBindings(fold());
      for (const { length, name, heads } of headsOf(manyHeadsFor, at, {
        window,
        isShort: other !== undefined,
      })) {
        const title = `${length} items, ${name}`;
        const data =
          type === f64 ? manyMagnitudes(length, title) : random(length * (mapped ? itemWords : words), title);
        const { offsets, keys, starts } = startsFor(by, heads);
        const room = by === "offsets" ? offsets.length - 1 : length;
        const items = poisoned(maxLength * itemWords + 24);
        items.set(wordsOf(data), 24);
        const input = storageBuffer(device, items);
        const output = storageBuffer(device, poisoned((Math.max(maxLength, room) + 7) * words + 24));
        const unique = storageBuffer(device, poisoned(maxLength * uniqueWords + 24));
        const count = storageBuffer(device, poisoned(3));
        const behind = poisoned(Math.max(0, maxLength * keyWords - starts.length));
        const placed = storageBuffer(device, Uint32Array.of(...poisoned(before), ...starts, ...behind));
        const stated = storageBuffer(device, Uint32Array.of(length));
        const ranges = {
          input: { buffer: input, offset: 96 },
          output: { buffer: output, offset: 96 },
          [rangeOf(by)]: { buffer: placed, offset: 4 * before },
          ...(by === "offsets" ? { segmentCount: room } : { count: { buffer: count, offset: 4 } }),
          ...(isByKeys && { unique: { buffer: unique, offset: 96 } }),
          ...(initial !== undefined && { initial }),
          length: lengthOnGpu ? stated : length,
        };
        submit((encoder) => prepared.record(encoder, ranges as never));
        const expected = reduceReference(data, {
          ...{ op, type, segments: by === "offsets" ? { offsets } : { heads } },
          ...(initial !== undefined && { initial }),
          ...(mapped && { from: mapped.from, map: mapped.twin }),
          ...(type === f64 && { grouping: prepared.groupingOf(ranges as never) }),
        } as never) as unknown as AnyArray;
        const expectIn = async (buffer: GPUBuffer, wanted: Uint32Array, what: string) => {
          const found = await readWords(device, buffer);
          expectSameBits(found.slice(24, 24 + wanted.length), wanted, `${what} of ${title}`);
          expectSameBits(found.slice(0, 24), poisoned(24), `before ${what} of ${title}`);
          const rest = found.slice(24 + wanted.length);
          expectSameBits(rest, poisoned(rest.length), `behind ${what} of ${title}`);
        };
        await expectIn(output, wordsOf(expected), "totals");
        const last = [...heads.keys()].filter((at) => at + 1 === length || heads[at + 1] === 1);
        const runs = last.flatMap((at) => [...(by === "long keys" ? [5] : []), keys[at] ?? 0]);
        await expectIn(unique, Uint32Array.from(isByKeys ? runs : []), "keys");
        const counted = by === "offsets" ? 0xdeadbeef : last.length;
        expect(await readWords(device, count), title).toEqual(
          Uint32Array.of(0xdeadbeef, counted, 0xdeadbeef),
        );
        for (const buffer of [input, output, unique, count, placed, stated]) {
          buffer.destroy();
        }
      }
      watched.stop();
      expect(watched.most()).toBeLessThanOrEqual(binding);
      expect(watched.most()).toBeGreaterThan(binding / 2);
      if (fewBuffers) {
        expect(watched.mostBuffers()).toBe(8);
      }
      prepared.destroy();
    },
  );

  test("more offsets than a binding holds, for fewer items: refused, unless the plan has windows", async () => {
    const { device } = fold();
    const data = random(500, "few items");
    // Most segments have no items.
    const count = BINDING / 4 + 100;
    const offsets = Uint32Array.from({ length: count + 1 }, (_, at) => Math.floor((500 * at) / count));
    const [input, output, starts] = [data, poisoned(count + 9), offsets].map((words) =>
      storageBuffer(device, words),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer];
    const ranges = { input, output, offsets: starts, segmentCount: count, length: 500 };
    const options = { type: u32, op: affine, segments: "offsets", workGroupSize: 32 } as const;
    const short = await fold().prepareReduce({ ...options, maxLength: 500 });
    const encoder = device.createCommandEncoder();
    expect(() => short.record(encoder, ranges)).toThrow(
      expect.objectContaining({
        name: "LimitError",
        option: "offsets",
        message: `reduce<u32, affine> of offsets: a binding takes ${4 * count + 4} bytes, and the device's limit is ${BINDING}`,
      }),
    );
    device.queue.submit([encoder.finish()]);
    expectSameBits(await readWords(device, output), poisoned(count + 9), "nothing was recorded");
    const inWindows = await fold().prepareReduce({ ...options, maxLength: BINDING / 4 + 1 });
    const watched = watchBindings(fold());
    submit((own) => inWindows.record(own, ranges));
    watched.stop();
    expect(watched.most()).toBeLessThanOrEqual(BINDING);
    const expected = reduceReference(data, { op: affine, segments: { offsets } });
    const found = await readWords(device, output);
    expectSameBits(found.slice(0, count), expected, "totals");
    expectSameBits(found.slice(count), poisoned(9), "behind the totals");
    for (const one of [input, output, starts, short, inWindows]) {
      one.destroy();
    }
  });

  test("totals that have no place in the output are not stored", async () => {
    const { device } = fold();
    const length = 9000;
    const data = random(length, "no place");
    const heads = Uint32Array.from({ length }, (_, at) => Number(at % 3 === 0));
    const input = storageBuffer(device, data);
    const marks = storageBuffer(device, heads);
    const reduce = await fold().prepareReduce({ type: u32, segments: "heads", maxLength: length });
    for (const segmentCount of [0, 1, 1500, 2900]) {
      const output = storageBuffer(device, poisoned(4000));
      const count = storageBuffer(device, poisoned(1));
      submit((encoder) =>
        reduce.record(encoder, { input, output, heads: marks, count, segmentCount, length }),
      );
      const wanted = poisoned(4000);
      wanted.set(reduceReference(data, { segments: { heads } }).subarray(0, segmentCount));
      expectSameBits(await readWords(device, output), wanted, `room for ${segmentCount}`);
      expect(await readWords(device, count)).toEqual(Uint32Array.of(3000));
      output.destroy();
      count.destroy();
    }
    reduce.destroy();
    input.destroy();
    marks.destroy();
  });

  test("offsets that leave out items at either end, that pass the end, and that fall", async () => {
    const { device } = fold();
    const length = 9000;
    const data = random(length, "some items");
    const input = storageBuffer(device, data);
    const reduce = await fold().prepareReduce({
      type: u32,
      op: affine,
      segments: "offsets",
      maxLength: length,
    });
    const scan = await fold().prepareScan({ type: u32, op: affine, segments: "offsets", maxLength: length });
    const identity = reduceReference(new Uint32Array(0), { op: affine });
    const of = (from: number, to: number): number => reduceReference(data.slice(from, to), { op: affine });
    for (const [offsets, expected] of [
      [
        [700, 700, 5000, 8000],
        [identity, of(700, 5000), of(5000, 8000)],
      ],
      [[3100, 3200], [of(3100, 3200)]],
      [
        [6000, 20_000, 30_000],
        [of(6000, length), identity],
      ],
      [[9000, 9000], [identity]],
      // Any total may be stored for these.
      [[8000, 10, 7000, 4], undefined],
    ] as const) {
      const starts = storageBuffer(device, Uint32Array.from(offsets));
      const output = storageBuffer(device, poisoned(20));
      const segmentCount = offsets.length - 1;
      submit((encoder) =>
        reduce.record(encoder, {
          input,
          output: { buffer: output, offset: 16 },
          offsets: starts,
          segmentCount,
          length,
        }),
      );
      const found = await readWords(device, output);
      // A scan starts a segment at each offset, in whatever order these are.
      const heads = new Uint32Array(length);
      for (const one of offsets) {
        heads.fill(1, one, one + 1);
      }
      const prefixes = storageBuffer(device, data);
      submit((encoder) =>
        scan.record(encoder, { input, output: prefixes, offsets: starts, segmentCount, length }),
      );
      expectSameBits(
        (await readWords(device, prefixes)).subarray(0, length),
        scanReference(data, { op: affine, segments: { heads } }),
        `scan, offsets ${offsets}`,
      );
      prefixes.destroy();
      if (expected) {
        expectSameBits(found.slice(4, 4 + segmentCount), Uint32Array.from(expected), `offsets ${offsets}`);
      }
      expectSameBits(found.slice(0, 4), poisoned(4), `before, ${offsets}`);
      expectSameBits(found.slice(4 + segmentCount), poisoned(16 - segmentCount), `behind, ${offsets}`);
      starts.destroy();
      output.destroy();
    }
    scan.destroy();
    reduce.destroy();
    input.destroy();
  });

  test("calls at hand and on the GPU, what a compaction left, and runs", async () => {
    const data = random(4500, "calls");
    const heads = Uint32Array.from({ length: 4500 }, (_, at) => Number(at === 1250 || at === 3500));
    const keys = heads.map((_, at) => Number(at >= 1250) + Number(at >= 3500));
    const expected = reduceReference(data, { op: affine, segments: { heads } });
    const watched = watchBindings(fold());
    expectSameBits(await fold().reduce(data, { op: affine, segments: { heads } }), expected, "at hand");
    const runs = await fold().reduce(data, { op: affine, segments: { keys } });
    expectSameBits(runs.values, expected, "by keys");
    expectSameBits(runs.keys, Uint32Array.of(0, 1, 2), "keys");
    const offsets = [0, 1250, 1250, 3500, 4500];
    expectSameBits(
      await fold().reduce(data, { op: affine, segments: { offsets } }),
      reduceReference(data, { op: affine, segments: { offsets } }),
      "by offsets",
    );
    const own = await fold().upload(data);
    const kept = await fold().compact(own, { where: "i >= 2250u" });
    const upper = await fold().reduce(kept, { op: max, segments: { keys: kept, key: "x >> 31u" } });
    const right = reduceReference(data.slice(2250), { op: max, segments: { key: (x) => x >>> 31 } });
    expectSameBits(await upper.values.read(), right.values, "of a compaction");
    expectSameBits(await upper.keys.read(), right.keys, "keys of a compaction");
    // Runs across windows, and more of them than a binding holds.
    for (const [each, options] of [
      [1, {}],
      [2500, { key: "x >> 1u" }],
    ] as const) {
      const few = data.map((_, at) => data[at - (at % each)] ?? 0);
      const twin = "key" in options ? { key: (x: number) => x >>> 1 } : {};
      const title = `${each} each, ${JSON.stringify(options)}`;
      expectSameBits(await fold().unique(few, options), uniqueReference(few, twin), `unique, ${title}`);
      expectSameBits(
        await fold().unique(few, { ...options, indices: true }),
        uniqueReference(few, { ...twin, indices: true }),
        `positions, ${title}`,
      );
      const found = await fold().runLengths(few, options);
      const wanted = runLengthsReference(few, twin);
      expectSameBits(found.values, wanted.values, `values, ${title}`);
      expectSameBits(found.counts, wanted.counts, `counts, ${title}`);
    }
    // Of a run of NaN whose bits differ, the first one, in whichever window it is.
    for (const floats of [nanRuns.f32(4500), new Float32Array(nanRuns.f32(4500).map(() => Number.NaN))]) {
      const bits = new Uint32Array(floats.buffer as ArrayBuffer);
      bits.forEach((word, at) => {
        bits[at] = word === 0x7fc00000 ? word + at : word;
      });
      for (const options of [{}, { key: "x" }] as const) {
        expectSameBits(await fold().unique(floats, options), uniqueReference(floats), "unique of NaN");
      }
      const sums = await fold().reduce(data, { segments: { keys: floats } });
      expectSameBits(sums.keys, uniqueReference(floats), "keys of NaN");
    }
    watched.stop();
    expect(watched.most()).toBeLessThanOrEqual(BINDING);
    for (const array of [own, kept, upper.values, upper.keys]) {
      array.destroy();
    }
  });
});

test("by offsets, where shorter data takes a kernel that reads the offsets itself: empty segments have totals", async () => {
  const { device } = fold();
  const length = 2.5 * (BINDING / 4);
  const data = random(length, "by offsets");
  const offsets = Uint32Array.of(0, 0, 5, 5, 4096, 4096, 4100, length, length);
  const restore = planAs({ device }, { vendor: "nvidia", software: false, lookBack: true });
  try {
    const reduce = await fold().prepareReduce({ type: u32, segments: "offsets", maxLength: length });
    const segmentCount = offsets.length - 1;
    const output = storageBuffer(device, poisoned(segmentCount));
    const [input, starts] = [storageBuffer(device, data), storageBuffer(device, offsets)];
    submit((encoder) => reduce.record(encoder, { input, offsets: starts, output, length, segmentCount }));
    expectSameBits(
      await readWords(device, output),
      reduceReference(data, { segments: { offsets } }) as Uint32Array,
      "totals",
    );
    reduce.destroy();
    for (const one of [input, starts, output]) {
      one.destroy();
    }
  } finally {
    restore();
  }
});
