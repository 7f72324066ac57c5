import { describe, expect, test } from "vitest";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { ArgumentError, type Fold, logicalOr, openFold, operator, WavefoldError } from "../../src/node.ts";
import {
  argMinReference,
  compactReference,
  expandRunsReference,
  histogramReference,
  partitionReference,
  reduceReference,
  scanReference,
  searchSortedReference,
  sortReference,
  uniqueReference,
} from "../../src/reference/index.ts";
import { adapter, useFold } from "../support/fold.ts";

const fold = useFold();
const tuning = { workGroupSize: 4, itemsPerThread: 2 } as const;
const Pair = struct({ name: "Pair", fields: { a: u32, b: f32 } });
const lastPair = operator({
  name: "lastPair",
  type: Pair,
  identity: { a: 0, b: 0 },
  combine: "later",
  reference: (_, later) => later,
});

/** Calls on an array of each kind; `where` keeps everything. */
const calls: [string, (fold: Fold, data: never) => Promise<unknown>][] = [
  ["scan", (one, data) => one.scan(data)],
  ["scan, sizes chosen", (one, data) => one.scan(data, tuning)],
  ["reduce", (one, data) => one.reduce(data)],
  ["compact by a predicate", (one, data) => one.compact(data, { where: "true" })],
  [
    "compact by flags",
    (one, data: Uint32Array) => one.compact(data, { flags: new Uint32Array(data.length) }),
  ],
];

describe("an array that is transferred or becomes shorter during the call is refused", () => {
  const message = "the array was transferred or became shorter during the call";
  const arrays: [string, () => { readonly buffer: ArrayBufferLike }][] = [
    ["Uint32Array", () => new Uint32Array(1000).fill(1)],
    ["Int32Array", () => new Int32Array(1000).fill(1)],
    ["BigUint64Array", () => new BigUint64Array(1000).fill(1n)],
    ["a part of a Uint32Array", () => new Uint32Array(2000).fill(1).subarray(500, 1500)],
  ];
  for (const [kind, make] of arrays) {
    test.each(calls)(`${kind}: %s`, async (_, call) => {
      const data = make();
      const pending = call(fold(), data as never);
      structuredClone(data.buffer, { transfer: [data.buffer as ArrayBuffer] });
      const error = await pending.then(
        (value) => value,
        (cause: unknown) => cause,
      );
      expect(error).toBeInstanceOf(ArgumentError);
      expect((error as Error).message).toContain(message);
      // The device is as good as new.
      expect(await fold().reduce(Uint32Array.of(1, 2, 3))).toBe(6);
    });
  }

  test("an array of structs", async () => {
    const pairs = Pair.from([{ a: 1, b: 2 }]);
    const pending = fold().compact(pairs, { where: "true" });
    structuredClone(pairs.buffer, { transfer: [pairs.buffer] });
    await expect(pending).rejects.toThrow(message);
  });

  test("a buffer that is resized", async ({ skip }) => {
    const Resizable = ArrayBuffer as unknown as new (bytes: number, options: object) => ArrayBuffer;
    const buffer = new Resizable(4000, { maxByteLength: 8000 });
    skip(!("resize" in buffer), "this runtime's buffers cannot be resized");
    const data = new Uint32Array(buffer).fill(1);
    const { resize } = buffer as unknown as { resize(bytes: number): void };
    const shrunk = fold().scan(data);
    resize.call(buffer, 400);
    await expect(shrunk).rejects.toThrow(message);
    // Of one that grows, what it held is taken.
    const grown = fold().scan(data);
    resize.call(buffer, 8000);
    expect(await grown).toEqual(Uint32Array.from({ length: 100 }, (_, at) => at + 1));
  });

  test("flags", async () => {
    const flags = new Uint32Array(1000);
    const pending = fold().compact(new Uint32Array(1000), { flags });
    structuredClone(flags.buffer, { transfer: [flags.buffer] });
    await expect(pending).rejects.toThrow("compact<u32>: flags was transferred or became shorter");
  });
});

/** An array that was transferred: it says that it is empty. */
function gone<A extends { readonly buffer: ArrayBufferLike }>(array: A): A {
  structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] });
  return array;
}

describe("an array that was transferred before the call is refused", () => {
  const words = (): Uint32Array => Uint32Array.of(1, 2, 3);
  const none: Uint32Array = new Uint32Array(0);
  const table: readonly (readonly [what: string, option: string, call: (one: Fold) => unknown])[] = [
    ["scan", "data", (one) => one.scan(gone(words()))],
    ["scan of structs", "data", (one) => one.scan(gone(Pair.array(2)), { op: lastPair })],
    ["scan of f16 bits", "data", (one) => one.scan(gone(Uint16Array.of(1)), { type: f16 })],
    ["scan into", "into", (one) => one.scan(none, { into: gone(words()) })],
    ["scan with a total", "total", (one) => one.scan(words(), { total: gone(words()) })],
    ["scan from", "initial", (one) => one.scan(words(), { initial: gone(words()) })],
    ["scan with a map", "data", (one) => one.scan(gone(words()), { type: f32, map: "f32(x)" })],
    ["scan of rows", "data", (one) => one.scan(gone(words()), { segments: { rows: 1 } })],
    ["scan by heads", "segments", (one) => one.scan(none, { segments: { heads: gone(words()) } })],
    ["scan by bits", "segments", (one) => one.scan(none, { segments: { headBits: gone(words()) } })],
    ["scan by offsets", "segments", (one) => one.scan(none, { segments: { offsets: gone(words()) } })],
    ["reduce", "data", (one) => one.reduce(gone(words()))],
    ["reduce from", "initial", (one) => one.reduce(words(), { initial: gone(words()) })],
    ["reduce by keys", "segments", (one) => one.reduce(none, { segments: { keys: gone(words()) } })],
    ["compact", "data", (one) => one.compact(gone(words()), { where: "true" })],
    ["compact by flags", "flags", (one) => one.compact(none, { flags: gone(words()) })],
    ["compact into", "into", (one) => one.compact(none, { where: "true", into: gone(words()) })],
    ["partition", "data", (one) => one.partition(gone(words()), { where: "true" })],
    ["partition by flags", "flags", (one) => one.partition(none, { flags: gone(words()) })],
    ["partition into", "into", (one) => one.partition(none, { where: "true", into: gone(words()) })],
    ["unique", "data", (one) => one.unique(gone(words()))],
    ["runLengths", "data", (one) => one.runLengths(gone(words()))],
    ["expandRuns", "values", (one) => one.expandRuns(gone(words()), none)],
    ["expandRuns, counts", "counts", (one) => one.expandRuns(none, gone(words()))],
    ["histogram, edges", "edges", (one) => one.histogram(words(), { edges: gone(words()) })],
    ["argMin", "data", (one) => one.argMin(gone(words()))],
    ["argMax", "data", (one) => one.argMax(gone(words()))],
    ["sort", "data", (one) => one.sort(gone(words()))],
    ["sort, values", "values", (one) => one.sort(none, { values: gone(words()) })],
    ["sort, a list of values", "values", (one) => one.sort(none, { values: [none, gone(words())] })],
    ["sort into", "into", (one) => one.sort(none, { into: gone(words()) })],
    ["sort by offsets", "segments", (one) => one.sort(none, { segments: { offsets: gone(words()) } })],
    ["argSort", "data", (one) => one.argSort(gone(words()))],
    ["upload", "data", (one) => one.upload(gone(words()))],
    [
      "read into",
      "into",
      async (one) =>
        (await one.compact(await one.upload(none), { where: "true" })).read({ into: gone(words()) }),
    ],
    ["scanReference", "data", () => scanReference(gone(words()))],
    ["scanReference, total", "total", () => scanReference(words(), { total: gone(words()) })],
    ["scanReference, initial", "initial", () => scanReference(words(), { initial: gone(words()) as never })],
    ["reduceReference", "data", () => reduceReference(gone(words()))],
    ["compactReference", "data", () => compactReference(gone(words()), () => true)],
    ["partitionReference", "data", () => partitionReference(gone(words()), () => true)],
    ["uniqueReference", "data", () => uniqueReference(gone(words()))],
    ["expandRunsReference", "values", () => expandRunsReference(gone(words()), none)],
    ["expandRunsReference, counts", "counts", () => expandRunsReference(none, gone(words()))],
    ["histogramReference", "data", () => histogramReference(gone(words()), { bins: 1, range: [0, 1] })],
    [
      "histogramReference, weights",
      "weights",
      () => histogramReference(none, { bins: 1, range: [0, 1], weights: gone(words()) }),
    ],
    ["searchSortedReference", "sorted", () => searchSortedReference(gone(words()), words())],
    ["searchSortedReference, values", "values", () => searchSortedReference(words(), gone(words()))],
    ["sortReference", "data", () => sortReference(gone(words()))],
    ["argMinReference", "data", () => argMinReference(gone(words()))],
  ];
  test.each(table)("%s", async (_, option, call) => {
    const error = await (async () => call(fold()))().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ArgumentError);
    expect((error as Error).message).toMatch(/was transferred or became shorter before it was read/);
    expect((error as ArgumentError).option).toBe(option);
  });

  test("also where the array lies outside of what a buffer has left", async ({ skip }) => {
    const Resizable = ArrayBuffer as unknown as new (
      bytes: number,
      options: object,
    ) => ArrayBuffer & { resize(bytes: number): void };
    const buffer = new Resizable(64, { maxByteLength: 64 });
    skip(!("resize" in buffer), "this runtime's buffers cannot be resized");
    const [fixed, tracking, whole] = [
      new Uint32Array(buffer, 0, 4),
      new Uint32Array(buffer, 32),
      new Uint32Array(buffer),
    ];
    buffer.resize(8);
    for (const array of [fixed, tracking]) {
      await expect(fold().reduce(array)).rejects.toThrow("reduce: data was transferred or became shorter");
    }
    expect(await fold().reduce(whole)).toBe(0);
    buffer.resize(0);
    expect(await fold().scan(whole)).toEqual(none);
  });

  test("and one that is empty is not", async () => {
    const buffer = new ArrayBuffer(8);
    const empty: Uint32Array[] = [
      none,
      new Uint32Array(buffer, 8),
      new Uint32Array(new SharedArrayBuffer(0)),
    ];
    for (const array of empty) {
      expect(await fold().reduce(array)).toBe(0);
      expect((await fold().sort(array, { values: array })).values.length).toBe(0);
    }
    expect((await fold().scan(Pair.array(0), { op: lastPair })).length).toBe(0);
  });
});

describe("NaN counts as true, as everything that is not zero", () => {
  const data = Uint32Array.of(1, 2, 3, 4, 5);
  const marks = [Number.NaN, 0, -0, 0.5, Number.NaN];
  const kept = [1, 4, 5];
  test.each([
    ["numbers", marks],
    ["Float32Array", Float32Array.from(marks)],
    ["Float64Array", Float64Array.from(marks)],
    ["booleans and numbers", [true, false, 0, 1, Number.NaN]],
  ])("flags and heads: %s", async (_, flags) => {
    expect([...(await fold().compact(data, { flags }))]).toEqual(kept);
    const parts = await fold().partition(data, { flags });
    expect([...parts.values, parts.count]).toEqual([...kept, 2, 3, 3]);
    const segments = { heads: flags };
    const sums = [1, 3, 6, 4, 5];
    expect([...(await fold().scan(data, { segments }))]).toEqual(sums);
    expect([...scanReference(data, { segments })]).toEqual(sums);
    expect([...(await fold().reduce(data, { segments }))]).toEqual([6, 4, 5]);
    expect([...reduceReference(data, { segments })]).toEqual([6, 4, 5]);
  });

  test("flags of a call that goes in pieces", async () => {
    const { kept } = contextOf(fold().device);
    const { longBytes } = kept;
    kept.longBytes = 8;
    try {
      expect([...(await fold().compact(data, { flags: Float64Array.from(marks) }))]).toEqual([1, 4, 5]);
    } finally {
      kept.longBytes = longBytes;
    }
  });

  test("as where and logicalOr have it, and what a function of a reference gives", async () => {
    const floats = Float32Array.from(marks);
    const found = await fold().compact(floats, { where: "x" });
    expect([...found]).toEqual([Number.NaN, 0.5, Number.NaN]);
    const keep = (value: number): never => value as never;
    expect([...compactReference(floats, keep)]).toEqual([...found]);
    const { values, count } = partitionReference(floats, keep);
    expect([...values, count]).toEqual([Number.NaN, 0.5, Number.NaN, 0, -0, 3]);
    expect(await fold().reduce(floats.subarray(0, 1), { op: logicalOr })).toBe(1);
  });
});

test("arrays over shared memory are copied", async () => {
  const shared = <A>(make: new (buffer: SharedArrayBuffer, offset: number, length: number) => A): A =>
    new make(new SharedArrayBuffer(64), 8, 3);
  const words = shared(Uint32Array);
  words.set([3, 1, 7]);
  expect(await fold().scan(words)).toEqual(Uint32Array.of(3, 4, 11));
  expect(await fold().scan(words, tuning)).toEqual(Uint32Array.of(3, 4, 11));
  expect(await fold().reduce(words)).toBe(11);
  expect(await fold().compact(words, { where: "x > 2" })).toEqual(Uint32Array.of(3, 7));
  const flags = shared(Uint32Array);
  flags[1] = 1;
  expect(await fold().compact(words, { flags })).toEqual(Uint32Array.of(1));
  const floats = shared(Float64Array);
  floats.set([0.5, 2, -1]);
  expect(await fold().scan(floats)).toEqual(Float64Array.of(0.5, 2.5, 1.5));
  if (fold().device.features.has("shader-f16")) {
    const halves = shared(Uint16Array);
    halves.fill(0x3c00);
    expect(await fold().scan(halves, { type: f16 })).toEqual(Uint16Array.of(0x3c00, 0x4000, 0x4200));
  }
});

describe("what the device refuses rejects the call", () => {
  /** A device whose buffers of this name lack the usage STORAGE, so that no dispatch can bind them. */
  const spoiled = (device: GPUDevice, name: string): GPUDevice =>
    new Proxy(device, {
      get(target, key) {
        if (key === "createBuffer") {
          return (descriptor: GPUBufferDescriptor) =>
            target.createBuffer(
              descriptor.label?.endsWith(name)
                ? { ...descriptor, usage: descriptor.usage & ~0x80 }
                : descriptor,
            );
        }
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });

  test.each(
    calls.flatMap(([title, call]) => ["input", "output"].map((name) => [title, name, call] as const)),
  )("%s: %s", async (_, name, call) => {
    const one = await openFold({ device: spoiled(fold().device, name) });
    for (const data of [new Uint32Array(3000).fill(1), new Int32Array(1000).fill(1)]) {
      const error = await call(one, data as never).then(
        (value) => value,
        (cause: unknown) => cause,
      );
      expect(error).toBeInstanceOf(WavefoldError);
      expect((error as Error).message).toMatch(/^(scan|reduce|compact)<.*>: the device refused/);
    }
  });

  test("calls at the same time do not take each other's errors", async () => {
    const good = fold();
    const bad = await openFold({ device: spoiled(good.device, "output") });
    const data = new Uint32Array(3000).fill(1);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) => (at % 3 === 1 ? bad : good).reduce(data, at % 2 ? tuning : {})),
    );
    expect(results.map(({ status }) => status)).toEqual(
      results.map((_, at) => (at % 3 === 1 ? "rejected" : "fulfilled")),
    );
  });
});

test("what a prepared plan holds is refused when it is prepared", async () => {
  // Buffers of a usage that there is not.
  const { device } = fold();
  const wrong = new Proxy(device, {
    get(target, key) {
      if (key === "createBuffer") {
        return (descriptor: GPUBufferDescriptor) =>
          target.createBuffer({
            ...descriptor,
            usage: descriptor.label?.includes("scratch") ? 0x10000 : descriptor.usage,
          });
      }
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const one = await openFold({ device: wrong });
  await expect(
    one.prepareScan({ type: u32 as ElementType<"u32">, maxLength: 1000, ...tuning }),
  ).rejects.toThrow(WavefoldError);
});

test("nothing reaches the device's own handler of errors", async () => {
  const one = await openFold({ adapter });
  const seen: string[] = [];
  one.device.addEventListener("uncapturederror", (event) => {
    seen.push((event as GPUUncapturedErrorEvent).error.message);
  });
  const data = new Uint32Array(3000).fill(1);
  const pending = one.scan(data);
  structuredClone(data.buffer, { transfer: [data.buffer] });
  await expect(pending).rejects.toThrow(ArgumentError);
  await one.reduce(Uint32Array.of(1));
  expect(seen).toEqual([]);
  one.destroy();
});
