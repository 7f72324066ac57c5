import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { emptyLike, valuesOf } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add, max, min, mul } from "../../src/algebra/operators.ts";
import type { ElementType, TypeName, Value } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { ArgumentError, DeviceLostError, type Fold, openFold, SourceError } from "../../src/node.ts";
import type { Grouping } from "../../src/plan/grouping.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { matrix } from "../look_back/operators.ts";
import { storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { adapter, untyped, useFold } from "../support/fold.ts";
import { useNullDevice } from "../support/null_device.ts";
import { affine } from "../support/operators.ts";
import { anyItems, manyMagnitudes, randomBits } from "../support/random.ts";
import { until } from "../support/until.ts";
import { type Watched, watched } from "../support/watched_device.ts";

const fold = useFold();

/** Bytes of a piece in these tests. A real one has 16 MiB. */
const PIECE = 64;
const tuning = { algorithm: "blelloch", workGroupSize: 4, itemsPerThread: 2 } as const;

/** A fold of its own on the file's device, with its buffers watched, and short pieces. */
async function foldOf(pieceBytes = PIECE): Promise<Watched & { one: Fold; keptBytes(): number }> {
  const own = watched(fold().device);
  const one = await openFold({ device: own.device });
  const { kept } = contextOf(own.device);
  kept.pieceBytes = pieceBytes;
  return { ...own, one, keptBytes: () => kept.buffers.reduce((sum, { size }) => sum + size, 0) };
}

/** A part of an array, without a copy. */
const part = <A extends AnyArray>(data: A, from: number, to: number): A =>
  "subarray" in data
    ? (data.subarray(from, to) as A)
    : ((data as unknown as { type: { over(...range: unknown[]): A } }).type.over(
        data.buffer,
        data.byteOffset + from * data.BYTES_PER_ELEMENT,
        to - from,
      ) as unknown as A);

/** The parts that an array is divided into, by the lengths in turn. */
function* chunksOf<A extends AnyArray>(data: A, lengths: readonly number[]): Generator<A> {
  let at = 0;
  for (let turn = 0; at < data.length || turn < lengths.length; turn++) {
    const next = Math.min(data.length, at + (lengths[turn % lengths.length] as number));
    yield part(data, at, next);
    at = next;
  }
}

const chunkings: Readonly<Record<string, readonly number[]>> = {
  "one by one": [1],
  "all at once": [1e9],
  "odd ones": [3, 0, 17, 1, 16, 31, 5, 0, 0, 40, 7],
  "a piece and one more": [17],
};

/** A stream of these. */
const streamOf = <T>(chunks: Iterable<T> | AsyncIterable<T>): ReadableStream<T> => {
  const all = (async function* () {
    yield* chunks;
  })();
  return new ReadableStream<T>({
    async pull(controller) {
      const { done, value } = await all.next();
      if (done) {
        controller.close();
      } else {
        controller.enqueue(value);
      }
    },
  });
};

async function read<T>(stream: ReadableStream<T>): Promise<T[]> {
  const all: T[] = [];
  const reader = stream.getReader();
  for (let one = await reader.read(); !one.done; one = await reader.read()) {
    all.push(one.value);
  }
  return all;
}

/** Arrays, one after another. */
function joined<A extends AnyArray>(like: A, arrays: readonly AnyArray[]): A {
  const bytes = Buffer.concat(
    arrays.map((one) => new Uint8Array(one.buffer as ArrayBuffer, one.byteOffset, one.byteLength)),
  );
  return part(like, 0, 0).constructor === Uint16Array || !("type" in like)
    ? new (like.constructor as new (buffer: ArrayBuffer) => A)(Uint8Array.from(bytes).buffer)
    : ((like as unknown as { type: { over(buffer: ArrayBuffer): A } }).type.over(
        Uint8Array.from(bytes).buffer,
      ) as A);
}

const rejection = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => new Error("it was taken"),
    (cause: unknown) => cause,
  );

interface Row {
  readonly type: ElementType;
  readonly op: Operator<string>;
  readonly initial: Value;
  readonly items?: (length: number) => AnyArray;
}

const structs = (length: number): AnyArray =>
  matrix.type.over(
    Uint32Array.from({ length: length * 4 }, randomBits(`matrix ${length}`)).buffer,
  ) as unknown as AnyArray;

const table: readonly Row[] = [
  { type: u32, op: untyped(affine), initial: 0x80030005 },
  { type: f32, op: untyped(max), initial: Number.NaN },
  { type: f16, op: untyped(min), initial: 2 },
  { type: u64, op: untyped(mul), initial: 3n },
  { type: f64, op: untyped(add), initial: 0.1, items: (length) => manyMagnitudes(length, `f64 ${length}`) },
  {
    type: matrix.type,
    op: matrix as unknown as Operator<string>,
    initial: { a: 1, b: 2, c: 3, d: 4 },
    items: structs,
  },
];
const lengths = [0, 16, 17, 137];

/** The reference of a stream, by pieces: each starts from the total of those before it. */
function referenceByPieces(
  data: AnyArray,
  items: number,
  options: { readonly initial?: Value | undefined; readonly type: ElementType; readonly grouping: Grouping },
): AnyArray {
  const parts: AnyArray[] = [];
  let { initial } = options;
  for (let at = 0; at < data.length; at += items) {
    const total = emptyLike(data, 1, options.type).array;
    const piece = part(data, at, Math.min(data.length, at + items));
    parts.push(scanReference(piece, { ...options, initial, total } as never));
    initial = valuesOf(total, options.type)(0);
  }
  return joined(data, parts);
}

describe("every element is as of one array", () => {
  test.for(table.map((row) => ({ ...row, name: `${row.type.name}, ${row.op.name}` })))(
    "$name",
    async (row, { skip }) => {
      const { type, op } = row;
      skip(type.feature !== undefined && !fold().device.features.has(type.feature), "no shader-f16");
      const { one, alive } = await foldOf();
      const pieceItems = PIECE / type.bytes;
      const scan =
        type.name === "f64"
          ? await one.prepareScan({ type: f64, ...tuning, maxLength: pieceItems, initial: true, total: true })
          : undefined;
      const words = (): GPUBuffer => storageBuffer(one.device, new Uint32Array(64));
      const grouping = scan?.groupingOf({
        input: words(),
        output: words(),
        initial: words(),
        total: words(),
        length: pieceItems,
      });
      for (const [turn, length] of lengths.entries()) {
        const data = row.items?.(length) ?? anyItems(type.name as TypeName, length, `stream ${length}`);
        for (const [at, [name, chunking]] of Object.entries(chunkings).entries()) {
          const exclusive = (turn + at) % 2 === 0;
          const initial = (turn + at) % 3 === 0 ? row.initial : undefined;
          const options = { type, op, exclusive, initial };
          const title = `${length}, ${name}, ${JSON.stringify({ exclusive, from: String(initial) })}`;
          const stream = one.scanStream({ ...options, ...tuning } as never);
          const found = await read(streamOf(chunksOf(data, chunking)).pipeThrough(stream as never));
          const expected = grouping
            ? referenceByPieces(data, pieceItems, { ...options, grouping })
            : (scanReference(data, options as never) as AnyArray);
          expectSameBits(joined(data, found as AnyArray[]), expected, title);

          const source = streamOf(chunksOf(data, chunking));
          const { exclusive: _, ...folded } = options;
          const sum = (await one.reduceStream(source as never, { ...folded, ...tuning } as never)) as Value;
          const wanted = emptyLike(data, 1, type);
          const given = emptyLike(data, 1, type);
          given.set(0, sum);
          if (grouping) {
            // A piece's total, as a reduction of this grouping has it, and then the next one's.
            let total: Value | undefined = initial;
            for (let start = 0; start < length; start += pieceItems) {
              const piece = part(data, start, Math.min(length, start + pieceItems));
              total = reduceReference(piece, { ...folded, initial: total, grouping } as never) as Value;
            }
            wanted.set(0, total ?? 0);
          } else {
            wanted.set(0, reduceReference(data, folded as never) as Value);
          }
          expectSameBits(given.array, wanted.array, `sum of ${title}`);
        }
      }
      scan?.destroy();
      one.destroy();
      expect(alive().filter((label) => label.startsWith("wavefold"))).toEqual([]);
    },
  );

  test("sums of f64: -0, and the same bits however the stream is divided", async () => {
    const { one } = await foldOf();
    const negative = new Float64Array(20).fill(-0);
    const options = { type: f64, ...tuning } as const;
    const scanned = async (data: Float64Array, more: object): Promise<Float64Array> =>
      joined(
        data,
        await read(streamOf(chunksOf(data, [3])).pipeThrough(one.scanStream({ ...options, ...more }))),
      );
    // As of one array: prefixes start from 0, and a sum of nothing but -0 is -0.
    expectSameBits(
      await scanned(negative, { exclusive: true }),
      scanReference(negative, { exclusive: true }),
      "",
    );
    expectSameBits(await scanned(negative, {}), negative, "");
    expect(await one.reduceStream(streamOf([negative]), options)).toBe(-0);
    expect(await one.reduceStream(streamOf([]), options)).toBe(0);
    const data = manyMagnitudes(100, "chunks");
    const first = await scanned(data, {});
    for (const chunking of Object.values(chunkings)) {
      const again = streamOf(chunksOf(data, chunking)).pipeThrough(one.scanStream(options));
      expectSameBits(joined(data, await read(again)), first, "");
    }
    one.destroy();
  });

  test("in a single pass, by subgroups, and as Wavefold chooses", async () => {
    const { one } = await foldOf(512);
    const data = anyItems("u32", 500, "ways") as Uint32Array;
    const wide = anyItems("u64", 100, "ways") as BigUint64Array;
    const choices = [
      { passes: "single", workGroupSize: 8, itemsPerThread: 4 },
      { algorithm: "subgroup", workGroupSize: 8, itemsPerThread: 4 },
      {},
    ] as const;
    for (const choice of choices) {
      for (const exclusive of [false, true]) {
        const scan = one.scanStream({ type: u32, op: affine, exclusive, ...choice });
        const found = joined(data, await read(streamOf(chunksOf(data, [97])).pipeThrough(scan)));
        expectSameBits(found, scanReference(data, { op: affine, exclusive }), JSON.stringify(choice));
        const wideScan = one.scanStream({ type: u64, exclusive, initial: 5n, ...choice });
        const sums = joined(wide, await read(streamOf(chunksOf(wide, [31])).pipeThrough(wideScan)));
        expectSameBits(sums, scanReference(wide, { exclusive, initial: 5n }), JSON.stringify(choice));
      }
      const total = await one.reduceStream(streamOf(chunksOf(data, [97])), {
        type: u32,
        op: affine,
        ...choice,
      });
      expect(total).toBe(reduceReference(data, { op: affine }));
    }
    one.destroy();
  });

  test("maps to smaller and larger types, with the index in the stream", async () => {
    const { one } = await foldOf();
    const data = Float32Array.from({ length: 211 }, (_, at) => (at * 37) % 101);
    const reference = { type: u64, map: (x: number, i: number) => (BigInt(i) << 32n) + BigInt(x), op: add };
    const options = { from: f32, type: u64, map: "vec2<u32>(u32(x), i)", ...tuning } as const;
    const narrow = { from: u64, type: u32, map: "u32(x) ^ i", ...tuning } as const;
    const wide = BigUint64Array.from({ length: 99 }, (_, at) => BigInt(at * at));
    for (const chunking of Object.values(chunkings)) {
      const stream = streamOf(chunksOf(data, chunking)).pipeThrough(one.scanStream(options));
      expectSameBits(
        joined(new BigUint64Array(0), await read(stream)),
        scanReference(data, reference),
        "wide",
      );
      const sums = streamOf(chunksOf(wide, chunking)).pipeThrough(one.scanStream(narrow));
      expectSameBits(
        joined(new Uint32Array(0), await read(sums)),
        scanReference(wide, { type: u32, map: (x, i) => (Number(x) ^ i) >>> 0 }),
        "narrow",
      );
      expect(await one.reduceStream(chunksOf(wide, chunking) as never, narrow)).toBe(
        reduceReference(wide, { type: u32, map: (x, i) => (Number(x) ^ i) >>> 0 }),
      );
    }
    one.destroy();
  });

  test.each(["single", "reduce-then-scan"] as const)("compactions, %s", async (passes) => {
    const { one } = await foldOf();
    const data = anyItems("u32", 133, "compact") as Uint32Array;
    const options = { type: u32, where: "(x ^ i) % 3u == 0u", passes, ...tuning } as const;
    const keep = (x: number, i: number): boolean => ((x ^ i) >>> 0) % 3 === 0;
    for (const chunking of Object.values(chunkings)) {
      const source = (): ReadableStream<Uint32Array> => streamOf(chunksOf(data, chunking));
      const kept = await read(source().pipeThrough(one.compactStream(options)));
      expectSameBits(joined(data, kept), compactReference(data, keep), "kept");
      expect(kept.every(({ length }) => length > 0)).toBe(true);
      const places = await read(source().pipeThrough(one.compactStream({ ...options, indices: true })));
      expectSameBits(joined(data, places), compactReference(data, keep, { indices: true }), "positions");
      const mapped = await read(
        source().pipeThrough(one.compactStream({ ...options, from: u32, type: f32, map: "f32(i)" })),
      );
      expectSameBits(
        joined(new Float32Array(0), mapped),
        Float32Array.from(compactReference(data, keep, { indices: true })),
        "mapped",
      );
    }
    const nothing = one.compactStream({ ...options, where: "false" });
    expect(await read(streamOf(chunksOf(data, [50])).pipeThrough(nothing))).toEqual([]);
    one.destroy();
  });

  test("structs are kept, and f16 of an odd length", async ({ skip }) => {
    const { one } = await foldOf();
    const data = structs(41) as ReturnType<typeof matrix.type.array>;
    const stream = one.compactStream({ type: matrix.type, where: "i % 2u == 1u", ...tuning });
    const kept = await read(streamOf(chunksOf(data, [7])).pipeThrough(stream as never));
    expect(kept.flatMap((chunk) => [...(chunk as typeof data)])).toEqual(
      [...data].filter((_, at) => at % 2 === 1),
    );
    skip(!one.device.features.has("shader-f16"), "no shader-f16");
    const bits = anyItems("f16", 77, "odd");
    const odd = one.compactStream({ type: f16, where: "i != 5u", ...tuning });
    const found = await read(streamOf(chunksOf(bits, [3])).pipeThrough(odd as never));
    expectSameBits(
      joined(new Uint16Array(0), found as AnyArray[]),
      compactReference(bits as Uint16Array, (_, i) => i !== 5, { type: f16 }),
      "",
    );
    one.destroy();
  });
});

describe("totals", () => {
  const table = [
    { title: "u64 max", type: u64, op: untyped(max), initial: 5n },
    { title: "an operator that does not commute", type: u32, op: untyped(affine), initial: 0x30007 },
    { title: "exactAdd", type: f32, op: untyped(exactAdd), initial: 0.5 },
  ] as const;

  test.each(table)("$title: as at hand, however the stream is divided", async (row) => {
    const { one, alive } = await foldOf();
    const { type, op, initial } = row;
    for (const length of [0, 16, 137]) {
      const data = anyItems(type.name, length, "totals");
      for (const own of [{ op }, { op, initial, exclusive: true }]) {
        const expected = arrayOver(type, new ArrayBuffer(type.bytes));
        const total = arrayOver(type, new ArrayBuffer(type.bytes));
        const results = scanReference(data as never, { type, ...own, total: expected } as never) as AnyArray;
        for (const chunking of Object.values(chunkings)) {
          new Uint8Array(total.buffer).fill(77);
          const options = { type, ...own, total, ...tuning } as const;
          const stream = one.scanStream(options as never);
          const found = await read(streamOf(chunksOf(data, chunking)).pipeThrough(stream as never));
          expectSameBits(joined(data as AnyArray, found as AnyArray[]), results, `${length}`);
          expectSameBits(total, expected, `the total of ${length}`);
        }
      }
    }
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("one stream goes on where another ended, in the same array, and a writer's close waits for no reader", async () => {
    const { one } = await foldOf();
    const total = Uint32Array.of(3);
    const found: Uint32Array[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const { readable, writable } = one.scanStream({ type: u32, initial: total, total, ...tuning });
      const writer = writable.getWriter();
      await writer.write(new Uint32Array(20).fill(1));
      await writer.close();
      found.push(...(await read(readable)));
    }
    expect(joined(new Uint32Array(0), found)).toEqual(Uint32Array.from({ length: 60 }, (_, at) => 4 + at));
    expect(total[0]).toBe(63);
    one.destroy();
  });

  test("wrong ones are refused before any chunk, and one that is transferred at the end", async () => {
    const { one } = await foldOf();
    const bad: [object, RegExp][] = [
      [{ total: new Float32Array(1) }, /total is Float32Array; it takes Uint32Array/],
      [{ total: new Uint32Array(2) }, /total has 2 elements/],
      [{ total: 7 }, /total is/],
      [{ total: new Uint32Array(1), segments: { rows: 4 } }, /with segments there is no total of all/],
    ];
    for (const [wrong, message] of bad) {
      const { readable } = one.scanStream({ type: u32, ...wrong } as never);
      const error = await rejection(read(readable));
      expect(error).toBeInstanceOf(ArgumentError);
      expect((error as ArgumentError).option).toBe("total");
      expect((error as Error).message).toMatch(message);
    }
    await expect(
      one.reduceStream([Uint32Array.of(1)] as never, { type: u32, total: new Uint32Array(1) } as never),
    ).rejects.toThrow(/takes no option total/);
    const total = new Uint32Array(1);
    const stream = streamOf([new Uint32Array(20)]).pipeThrough(
      one.scanStream({ type: u32, total, ...tuning }),
    );
    const reader = stream.getReader();
    expect((await reader.read()).value?.length).toBe(16);
    structuredClone(0, { transfer: [total.buffer] });
    expect((await reader.read()).value?.length).toBe(4);
    expect(String(await rejection(reader.read()))).toMatch(/total was transferred or became shorter/);
    expect(await one.reduce(Uint32Array.of(1, 2))).toBe(3);
    one.destroy();
  });
});

describe("memory", () => {
  const chunk = (): Uint32Array => new Uint32Array(16).fill(1);

  test("a writer waits for the reader, and everything that was written arrives", async () => {
    const { one, made } = await foldOf();
    const { readable, writable } = one.scanStream({ type: u32, ...tuning });
    const writer = writable.getWriter();
    let written = 0;
    const writing = (async () => {
      for (let turn = 0; turn < 40; turn++) {
        await writer.write(chunk());
        written++;
      }
      await writer.close();
    })();
    await until(() => written === 4);
    // Four pieces are under way, and the next write waits.
    await sleep(100);
    expect(written).toBe(4);
    const staging = made().filter((label) => /staging|read-back/.test(label));
    expect(staging.length).toBe(8);
    const reader = readable.getReader();
    for (let turn = 1; turn <= 5; turn++) {
      expect((await reader.read()).value?.[15]).toBe(16 * turn);
    }
    await until(() => written === 9);
    await sleep(100);
    expect(written).toBe(9);
    reader.releaseLock();
    const rest = await read(readable);
    await writing;
    expect(rest.at(-1)?.at(-1)).toBe(640);
    expect(made().filter((label) => /staging|read-back/.test(label)).length).toBe(8);
    one.destroy();
  });

  test("a chunk that is longer than all pieces is divided", async () => {
    const { one, made } = await foldOf();
    const { readable, writable } = one.scanStream({ type: u32, ...tuning });
    const writer = writable.getWriter();
    let isWritten = false;
    const writing = writer.write(new Uint32Array(1000).fill(1)).then(() => {
      isWritten = true;
      return writer.close();
    });
    await sleep(200);
    expect(isWritten).toBe(false);
    const all = joined(new Uint32Array(0), await read(readable));
    await writing;
    expect(all).toEqual(Uint32Array.from({ length: 1000 }, (_, at) => at + 1));
    expect(made().filter((label) => /staging|read-back/.test(label)).length).toBe(8);
    one.destroy();
  });

  test("does not grow over many streams, and a stream makes nothing but parameters after the first", async () => {
    const { one, alive, made, keptBytes } = await foldOf();
    const run = async (): Promise<void> => {
      const data = Array.from({ length: 9 }, chunk);
      const scanned = await read(streamOf(data).pipeThrough(one.scanStream({ type: u32, ...tuning })));
      expect(scanned.at(-1)?.at(-1)).toBe(144);
      expect(await one.reduceStream(streamOf(data), { type: u32, ...tuning })).toBe(144);
      const kept = await read(
        streamOf(data).pipeThrough(one.compactStream({ type: u32, where: "i % 7u == 0u", ...tuning })),
      );
      expect(joined(chunk(), kept).length).toBe(21);
    };
    await run();
    await run();
    const before = { made: made().length, alive: alive().length, kept: keptBytes() };
    for (let turn = 0; turn < 20; turn++) {
      await run();
    }
    const labels = made().slice(before.made);
    expect(labels.filter((label) => !/^wavefold \w+<[^>]*>$/.test(label))).toEqual([]);
    expect({ alive: alive().length, kept: keptBytes() }).toEqual({ alive: before.alive, kept: before.kept });
    one.destroy();
    expect(alive()).toEqual([]);
  });
});

describe("what goes wrong", () => {
  const chunk = new Uint32Array(24).fill(1);
  const options = { type: u32, ...tuning } as const;

  /** Requires that streams work, and that all buffers are back: those of a stream that failed were kept. */
  const works = async ({ one, alive }: Watched & { one: Fold }): Promise<void> => {
    expect(await one.reduceStream(streamOf([chunk, chunk, chunk]), options)).toBe(72);
    expect(await one.reduce(chunk)).toBe(24);
    one.destroy();
    expect(alive()).toEqual([]);
  };

  test("a reader that stops", async () => {
    const given = await foldOf();
    for (const full of [false, true]) {
      const { readable, writable } = given.one.scanStream(options);
      const writer = writable.getWriter();
      await writer.write(chunk);
      const blocked = full ? rejection(writer.write(new Uint32Array(500))) : undefined;
      const reader = readable.getReader();
      await reader.read();
      const reason = new Error("enough");
      await reader.cancel(reason);
      expect((await blocked) ?? reason).toBe(reason);
      expect(await rejection(writer.write(chunk))).toBe(reason);
      expect(await rejection(writer.closed)).toBe(reason);
    }
    expect(given.keptBytes()).toBeGreaterThan(0);
    await works(given);
  });

  test("a writer that stops, also while its last write waits", async () => {
    const given = await foldOf();
    for (const full of [false, true]) {
      const { readable, writable } = given.one.scanStream(options);
      const writer = writable.getWriter();
      await writer.write(chunk);
      const blocked = full ? rejection(writer.write(new Uint32Array(500))) : undefined;
      const reading = full ? undefined : rejection(read(readable));
      await sleep(50);
      const reason = new Error("no more");
      await writer.abort(reason);
      expect((await blocked) ?? reason).toBe(reason);
      expect(await (reading ?? rejection(read(readable)))).toBe(reason);
    }
    await works(given);
  });

  test("a source that throws, and a sink that throws", async () => {
    const given = await foldOf();
    const reason = new Error("the disk is gone");
    const source = streamOf(
      (async function* () {
        yield chunk;
        yield chunk;
        throw reason;
      })(),
    );
    expect(await rejection(read(source.pipeThrough(given.one.scanStream(options))))).toBe(reason);
    let cancelled: unknown;
    const endless = new ReadableStream<Uint32Array>({
      pull: (controller) => controller.enqueue(chunk),
      cancel(cause) {
        cancelled = cause;
      },
    });
    const full = new WritableStream<Uint32Array>({
      write() {
        throw reason;
      },
    });
    expect(await rejection(endless.pipeThrough(given.one.scanStream(options)).pipeTo(full))).toBe(reason);
    await until(() => cancelled !== undefined);
    expect(cancelled).toBe(reason);
    await works(given);
  });

  test("chunks of another type, and arrays that are transferred", async () => {
    const given = await foldOf();
    for (const [wrong, shown] of [
      [new Float32Array(1), "Float32Array"],
      [new Uint16Array(1), "Uint16Array"],
      [[1, 2], "a chunk is Array;"],
      [null, "null"],
      [matrix.type.array(1), "an array of Matrix2x2"],
    ] as const) {
      const { readable, writable } = given.one.scanStream(options);
      const writer = writable.getWriter();
      await writer.write(chunk);
      const error = await rejection(writer.write(wrong as never));
      expect(error).toBeInstanceOf(ArgumentError);
      expect((error as Error).message).toMatch(/^scanStream: a chunk is .*; it takes Uint32Array/);
      expect((error as Error).message).toContain(shown);
      expect(await rejection(read(readable))).toBe(error);
    }
    const { readable, writable } = given.one.scanStream(options);
    const long = new Uint32Array(1000);
    const writing = rejection(writable.getWriter().write(long));
    await sleep(100);
    structuredClone(long.buffer, { transfer: [long.buffer] });
    const error = await rejection(read(readable));
    expect(error).toBeInstanceOf(ArgumentError);
    expect(await writing).toBe(error);
    expect(
      await rejection(given.one.reduceStream(streamOf([new Float32Array(1)]) as never, options)),
    ).toBeInstanceOf(ArgumentError);
    const gone = new Uint32Array(3);
    structuredClone(gone.buffer, { transfer: [gone.buffer] });
    const unread = (await rejection(
      given.one.reduceStream([chunk, gone] as never, options),
    )) as ArgumentError;
    expect(unread.message).toMatch(
      /^reduceStream: a chunk was transferred or became shorter before it was read/,
    );
    expect(unread.option).toBe("chunk");
    await works(given);
  });

  test("options that are wrong, before any chunk", async () => {
    const given = await foldOf();
    const { one } = given;
    const bad: [object, RegExp, string | undefined][] = [
      [{ type: u32, exclusiv: true }, /takes no option exclusiv;/, "exclusiv"],
      [{}, /undefined is not an element type/, "type"],
      [{ type: u32, initial: -1 }, /initial: -1 is no value of u32/, "initial"],
      [{ type: u32, op: "add" }, /op is "add"; it takes an operator itself, such as add/, "op"],
      [{ type: u32, workGroupSize: 0 }, /workGroupSize is 0/, "workGroupSize"],
      [{ type: u32, from: f32 }, /it takes a map from one to the other/, "map"],
    ];
    for (const [wrong, message, option] of bad) {
      const { readable, writable } = one.scanStream(wrong as never);
      const error = await rejection(read(readable));
      expect(error).toBeInstanceOf(ArgumentError);
      expect((error as Error).message).toMatch(message);
      expect((error as ArgumentError).option).toBe(option);
      expect(await rejection(writable.getWriter().closed)).toBe(error);
      let isCancelled = false;
      const source = new ReadableStream({
        cancel() {
          isCancelled = true;
        },
      });
      const refused = await rejection(one.reduceStream(source as never, wrong as never));
      expect((refused as Error).message).toMatch(message);
      expect(isCancelled).toBe(true);
    }
    const compact = one.compactStream({ type: u32, flags: [1] } as never);
    expect(String(await rejection(read(compact.readable)))).toMatch(/takes no option flags/);
    const nowhere = one.compactStream({ type: u32 } as never);
    expect(String(await rejection(read(nowhere.readable)))).toMatch(/where is undefined; it takes a WGSL/);
    const unmapped = one.scanStream({ ...options, map: "x +" });
    expect(await rejection(read(unmapped.readable))).toBeInstanceOf(SourceError);
    expect(await rejection(unmapped.writable.getWriter().closed)).toBeInstanceOf(SourceError);
    for (const source of [undefined, 7, chunk, "text"]) {
      expect(String(await rejection(one.reduceStream(source as never, options)))).toMatch(
        /source is .*; it takes a ReadableStream or an async iterable of arrays/,
      );
    }
    const locked = streamOf([chunk]);
    locked.getReader();
    const taken = (await rejection(one.reduceStream(locked, options))) as ArgumentError;
    expect([taken.name, taken.option]).toEqual(["ArgumentError", "source"]);
    const none = (await rejection(one.reduceStream([chunk] as never, undefined as never))) as ArgumentError;
    expect([none.name, none.option]).toEqual(["ArgumentError", "options"]);
    await works(given);
  });

  test("a device that goes, while a reader waits, while a writer waits, and while a source does", async () => {
    const open = async (): Promise<Fold> => {
      const one = await openFold({ adapter });
      contextOf(one.device).kept.pieceBytes = PIECE;
      return one;
    };
    const [idle, full, source] = await Promise.all([open(), open(), open()]);
    const waiting = idle.scanStream(options);
    const reading = rejection(read(waiting.readable));
    await waiting.writable.getWriter().write(chunk.subarray(0, 3));
    idle.destroy();
    expect(await reading).toBeInstanceOf(DeviceLostError);

    const blocked = full.compactStream({ ...options, where: "true" });
    const writing = rejection(blocked.writable.getWriter().write(new Uint32Array(1000)));
    await sleep(200);
    full.destroy();
    expect(await writing).toBeInstanceOf(DeviceLostError);
    expect(await rejection(read(blocked.readable))).toBeInstanceOf(DeviceLostError);

    let cancelled: unknown;
    const silent = new ReadableStream<Uint32Array>({
      start: (controller) => controller.enqueue(chunk),
      cancel(cause) {
        cancelled = cause;
      },
    });
    const summing = rejection(source.reduceStream(silent, options));
    await sleep(200);
    source.destroy();
    expect(await summing).toBeInstanceOf(DeviceLostError);
    expect(cancelled).toBeInstanceOf(DeviceLostError);
    const late = idle.scanStream(options);
    expect(await rejection(read(late.readable))).toBeInstanceOf(DeviceLostError);
  });

  test("streams at once have buffers of their own", async () => {
    const given = await foldOf();
    const sums = await Promise.all(
      Array.from({ length: 6 }, async (_, at) => {
        const data = new Uint32Array(100 + 31 * at).fill(at);
        const found = streamOf(chunksOf(data, [at + 1])).pipeThrough(given.one.scanStream(options));
        return joined(data, await read(found)).at(-1);
      }),
    );
    expect(sums).toEqual(Array.from({ length: 6 }, (_, at) => at * (100 + 31 * at)));
    await works(given);
  });
});

describe("f16, whose items are half a word", () => {
  // The software adapter has no f16. This one runs nothing, and refuses what no device takes.
  const device = useNullDevice();

  test.each([1, 3, 5, 301])("a last piece of %i items: no item is bound twice", async (length) => {
    const one = await openFold({ device: device() });
    for (const itemsPerThread of [2, 4, 8]) {
      const options = { type: f16, algorithm: "subgroup", itemsPerThread } as const;
      const { readable, writable } = await one.scanStream(options);
      const writer = writable.getWriter();
      const given = new Uint16Array(length);
      const written = writer.write(given).then(() => writer.close());
      const { value } = await readable.getReader().read();
      expect(value?.length).toBe(length);
      await written;
    }
    one.destroy();
  });
});
