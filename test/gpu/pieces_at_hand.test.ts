import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { emptyLike } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayLike } from "../../src/algebra/arrays.ts";
import { operator } from "../../src/algebra/custom_operator.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add, max, min } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, TypeName, Value } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Fold } from "../../src/node.ts";
import { ArgumentError, DeviceLostError, openFold, SourceError } from "../../src/node.ts";
import type { Grouping } from "../../src/plan/grouping.ts";
import { argMaxReference, argMinReference } from "../../src/reference/arg_min_max.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { untyped, useAdapters, useFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { anyItems, manyMagnitudes, randomBits } from "../support/random.ts";
import { type Watched, watched } from "../support/watched_device.ts";

// Calls at hand on long arrays, which go in, through and out piece by piece.

const fold = useFold();
const nextAdapter = useAdapters();

/** Bytes of a piece in these tests. A real one has 16 MiB. */
const PIECE = 96;
const tuning = { algorithm: "blelloch", workGroupSize: 4, itemsPerThread: 2 } as const;
const Triple = struct({ name: "Triple", fields: { a: u32, b: u32, c: u32 } });

/** A sum that does not commute, of 12 bytes: sequences by how many there are, their last one, and their sum of products. */
const triples = operator({
  name: "triples",
  type: Triple,
  identity: { a: 1, b: 0, c: 0 },
  combine: "Triple(earlier.a * later.a, later.a * earlier.b + later.b, earlier.c + later.c)",
  reference: (earlier, later) => ({
    a: Math.imul(earlier.a, later.a) >>> 0,
    b: (Math.imul(later.a, earlier.b) + later.b) >>> 0,
    c: (earlier.c + later.c) >>> 0,
  }),
});

interface Own extends Watched {
  readonly one: Fold;
  keptBytes(): number;
}

/** A fold of its own on the file's device, with its buffers watched, and short pieces. */
async function foldOf(
  pieceBytes = PIECE,
  limits: Parameters<typeof watched>[1] = {},
  options: { maxKeptBytes?: number } = {},
): Promise<Own> {
  const own = watched(fold().device, limits);
  const one = await openFold({ device: own.device, ...options });
  const { kept } = contextOf(own.device);
  kept.pieceBytes = pieceBytes;
  kept.longBytes = pieceBytes;
  return { ...own, one, keptBytes: () => kept.buffers.reduce((sum, { size }) => sum + size, 0) };
}

const rejection = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => new Error("it was taken"),
    (cause: unknown) => cause,
  );

/** An array of the same kind, of some bytes that no result has. */
function poisoned<A extends AnyArray>(like: A, length: number, type: ElementType): A {
  const bytes = new Uint8Array(length * type.bytes).fill(0xa5);
  return arrayLike(like, bytes.buffer);
}

/** A copy of an array of any type. */
const copyOf = <A extends AnyArray>(data: A): A =>
  arrayLike(
    data,
    new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength).slice().buffer,
  );

/** The lengths around the borders of pieces of `items` items. One piece goes at once. */
const lengthsFor = (items: number): number[] => [items, items + 1, 2 * items, 9 * items + 1];

interface Row {
  readonly type: ElementType;
  readonly op: Operator<string>;
  readonly initial: Value;
  readonly items?: (length: number) => AnyArray;
}

const table: readonly Row[] = [
  { type: u32, op: untyped(add), initial: 0xfffffff0 },
  { type: u32, op: untyped(affine), initial: 0x80030005 },
  { type: f32, op: untyped(max), initial: 3 },
  { type: f16, op: untyped(min), initial: 2 },
  { type: u64, op: untyped(add), initial: 3n },
  { type: f64, op: untyped(add), initial: 0.1, items: (length) => manyMagnitudes(length, `f64 ${length}`) },
  { type: f64, op: untyped(add), initial: -0, items: (length) => new Float64Array(length).fill(-0) },
  {
    type: Triple,
    op: untyped(triples),
    initial: { a: 3, b: 5, c: 7 } as unknown as Value,
    items: (length) =>
      Triple.over(
        Uint32Array.from({ length: 3 * length }, randomBits(`triples ${length}`)).buffer,
      ) as unknown as AnyArray,
  },
];

/** The order of operations of a piece with these sizes. */
async function groupingOf(one: Fold, type: ElementType): Promise<Grouping> {
  const scan = await one.prepareScan({ type: type as never, ...tuning, maxLength: 8 });
  const words = (): GPUBuffer => storageBuffer(one.device, new Uint32Array(64));
  const grouping = scan.groupingOf({ input: words(), output: words(), length: 8 });
  scan.destroy();
  return grouping;
}

describe("every element is the reference's", () => {
  test.for(
    table.map((row) => ({ ...row, name: `${row.type.name}, ${row.op.name}, from ${String(row.initial)}` })),
  )("$name", async ({ type, op, initial: before, items }, { skip }) => {
    skip(type.feature !== undefined && !fold().device.features.has(type.feature), "no shader-f16");
    const { one, alive } = await foldOf();
    const pieceItems = 2 * Math.floor(PIECE / type.bytes / 2);
    const grouping = type.name === "f64" ? await groupingOf(one, type) : undefined;
    for (const [turn, length] of lengthsFor(pieceItems).entries()) {
      const data = items?.(length) ?? anyItems(type.name as TypeName, length, `hand ${length}`);
      const grouped = grouping && {
        grouping: { ...grouping, ...(length > pieceItems && { window: pieceItems }) },
      };
      for (const exclusive of [false, true]) {
        const initial = (turn + (exclusive ? 1 : 0)) % 2 === 0 ? before : undefined;
        const options = { type, op, exclusive, ...(initial !== undefined && { initial }) };
        const wantedTotal = emptyLike(data, 1, type).array;
        const expected = scanReference(data, {
          ...options,
          ...grouped,
          total: wantedTotal,
        } as never) as AnyArray;
        const title = `${length}, exclusive ${exclusive}, from ${String(initial)}`;
        expectSameBits(
          (await one.scan(data, { ...options, ...tuning } as never)) as AnyArray,
          expected,
          title,
        );
        const into = poisoned(data, length, type);
        const total = poisoned(data, 1, type);
        const given = { ...options, ...tuning, into, total };
        expect(await one.scan(data, given as never)).toBe(into);
        expectSameBits(into, expected, `${title}, into`);
        expectSameBits(total, wantedTotal, `${title}, total`);

        const { exclusive: _, ...folded } = options;
        const sum = (await one.reduce(data, { ...folded, ...tuning } as never)) as Value;
        const [found, wanted] = [emptyLike(data, 1, type), emptyLike(data, 1, type)];
        found.set(0, sum);
        wanted.set(0, reduceReference(data, { ...folded, ...grouped } as never) as Value);
        expectSameBits(found.array, wanted.array, `sum of ${title}`);
        const own = copyOf(data);
        await one.scan(own, { ...options, ...tuning, into: own } as never);
        expectSameBits(own, expected, `${title}, in place`);
      }
    }
    one.destroy();
    expect(alive().filter((label) => label.startsWith("wavefold"))).toEqual([]);
  });

  // Pieces are cut from the end on, so that the order of sums of f64 is that of no recording.
  test.for(
    table
      .filter(({ initial }) => initial !== 0.1)
      .map((row) => ({ ...row, name: `${row.type.name}, ${row.op.name}, from ${String(row.initial)}` })),
  )("from the last element to the first: $name", async ({ type, op, initial: before, items }, { skip }) => {
    skip(type.feature !== undefined && !fold().device.features.has(type.feature), "no shader-f16");
    const { one } = await foldOf();
    const pieceItems = 2 * Math.floor(PIECE / type.bytes / 2);
    for (const [turn, length] of lengthsFor(pieceItems).entries()) {
      const data = items?.(length) ?? anyItems(type.name as TypeName, length, `reverse ${length}`);
      const start = turn % 2 === 0 ? { initial: before } : {};
      const options = { type, op, reverse: true, exclusive: turn % 3 === 0, ...start };
      const [total, wantedTotal] = [poisoned(data, 1, type), emptyLike(data, 1, type).array];
      const expected = scanReference(data, { ...options, total: wantedTotal } as never) as AnyArray;
      const given = {
        ...options,
        ...(turn % 2 === 0 ? tuning : { passes: "single", workGroupSize: 8 }),
        total,
      };
      expectSameBits((await one.scan(data, given as never)) as AnyArray, expected, `${length}`);
      expectSameBits(total, wantedTotal, `total of ${length}`);
      const own = copyOf(data);
      await one.scan(own, { ...given, into: own } as never);
      expectSameBits(own, expected, `in place, ${length}`);
    }
    one.destroy();
  });

  test("from the last element to the first: maps, and memory of the data a little further or before", async () => {
    const { one } = await foldOf();
    const data = Float32Array.from({ length: 211 }, (_, at) => (at * 37) % 101);
    const wide = { type: u64, map: "vec2<u32>(u32(x), i)", reverse: true, ...tuning } as const;
    const twin = (x: number, i: number): bigint => (BigInt(i) << 32n) + BigInt(x);
    const expected = scanReference(data, { type: u64, map: twin, reverse: true });
    expectSameBits(await one.scan(data, wide), expected, "wide");
    for (const offset of [0, 4 * 211]) {
      const room = new ArrayBuffer(8 * 211);
      const floats = new Float32Array(room, offset, 211);
      floats.set(data);
      const into = new BigUint64Array(room);
      expectSameBits(
        await one.scan(floats, { ...wide, into }),
        expected,
        `in the memory of the data, ${offset}`,
      );
    }
    for (const by of [-229, -25, -24, -1, 1, 24, 97, 150, 229, 300]) {
      const room = new Uint32Array(1000);
      const own = room.subarray(400, 630);
      own.set(anyItems("u32", 230, `by ${by}`) as Uint32Array);
      const wanted = scanReference(own.slice(), { op: affine, reverse: true });
      const into = room.subarray(400 + by, 630 + by);
      await one.scan(own, { ...tuning, op: affine, reverse: true, into });
      expectSameBits(into, wanted, `by ${by}`);
    }
    one.destroy();
  });

  test("in a single pass, by subgroups, and as Wavefold chooses", async () => {
    const { one } = await foldOf(512);
    const data = anyItems("u32", 501, "ways") as Uint32Array;
    const keep = (x: number, i: number): boolean => ((x ^ i) >>> 0) % 3 === 0;
    for (const choice of [
      { passes: "single", workGroupSize: 8, itemsPerThread: 4 },
      { algorithm: "subgroup", workGroupSize: 8, itemsPerThread: 4 },
      { algorithm: "hillis-steele", workGroupSize: 3, itemsPerThread: 5 },
      {},
    ] as const) {
      const title = JSON.stringify(choice);
      for (const exclusive of [false, true]) {
        const options = { op: affine, exclusive, initial: 0x30007 };
        expectSameBits(await one.scan(data, { ...options, ...choice }), scanReference(data, options), title);
      }
      expect(await one.reduce(data, { op: affine, ...choice })).toBe(reduceReference(data, { op: affine }));
      const where = "(x ^ i) % 3u == 0u";
      expectSameBits(await one.compact(data, { where, ...choice }), compactReference(data, keep), title);
    }
    one.destroy();
  });

  test("maps to smaller and larger types, with the index in the whole array", async () => {
    const { one } = await foldOf();
    const data = Float32Array.from({ length: 211 }, (_, at) => (at * 37) % 101);
    const wide = { type: u64, map: "vec2<u32>(u32(x), i)", ...tuning } as const;
    const wideReference = {
      type: u64,
      map: (x: number, i: number) => (BigInt(i) << 32n) + BigInt(x),
      op: add,
    };
    expectSameBits(await one.scan(data, wide), scanReference(data, wideReference), "wide");
    expect(await one.reduce(data, wide)).toBe(reduceReference(data, wideReference));
    const squares = BigUint64Array.from({ length: 99 }, (_, at) => BigInt(at * at));
    const narrow = { type: u32, map: "u32(x) ^ i", ...tuning } as const;
    const narrowReference = { type: u32, map: (x: bigint, i: number) => (Number(x) ^ i) >>> 0 };
    // Results of half the size, and of twice the size, in the memory of the data.
    const own = squares.slice();
    const into = new Uint32Array(own.buffer, 0, 99);
    expectSameBits(
      await one.scan(own, { ...narrow, into }),
      scanReference(squares, narrowReference),
      "narrow",
    );
    const room = new ArrayBuffer(8 * 211);
    const floats = new Float32Array(room, 0, 211);
    floats.set(data);
    expectSameBits(
      await one.scan(floats, { ...wide, into: new BigUint64Array(room) }),
      scanReference(data, wideReference),
      "wide, in the memory of the data",
    );
    one.destroy();
  });

  test("the least and the greatest element, with its index in the whole array", async () => {
    const { one } = await foldOf();
    // A part has six of them. The first and the last have only NaN, and the least and the greatest are there twice.
    const floats = Float64Array.from({ length: 30 }, (_, at) => (at < 6 || at >= 24 ? Number.NaN : at % 7));
    expect(await one.argMin(floats)).toEqual(argMinReference(floats));
    expect(await one.argMax(floats)).toEqual(argMaxReference(floats));
    const words = Uint32Array.from({ length: 41 }, (_, at) => 100 + ((at * 37) % 17));
    expect(await one.argMin(words)).toEqual(argMinReference(words));
    expect(await one.argMax(words)).toEqual(argMaxReference(words));
    one.destroy();
  });

  test("into memory of the data that lies a little further, or a little before", async () => {
    const { one } = await foldOf();
    // Pieces have 24 items, and four of them are under way.
    for (const by of [-229, -25, -24, -1, 1, 24, 97, 150, 229, 300]) {
      const room = new Uint32Array(1000);
      const data = room.subarray(400, 630);
      data.set(anyItems("u32", 230, `by ${by}`) as Uint32Array);
      const expected = scanReference(data.slice());
      const into = room.subarray(400 + by, 630 + by);
      await one.scan(data, { ...tuning, into });
      expectSameBits(into, expected, `by ${by}`);
    }
    one.destroy();
  });

  test.for(["single", "reduce-then-scan"] as const)("compactions, %s", async (passes) => {
    const { one } = await foldOf();
    const keep = (x: number, i: number): boolean => ((x ^ i) >>> 0) % 3 === 0;
    const options = { where: "(x ^ i) % 3u == 0u", passes, ...tuning };
    for (const length of lengthsFor(PIECE / 4)) {
      const data = anyItems("u32", length, "compact") as Uint32Array;
      const kept = compactReference(data, keep);
      const places = compactReference(data, keep, { indices: true });
      const title = `${length}`;
      expectSameBits(await one.compact(data, options), kept, title);
      expectSameBits(await one.compact(data, { ...options, indices: true }), places, `places, ${title}`);
      expectSameBits(
        await one.compact(data, { ...options, type: f32, map: "f32(i)" }),
        Float32Array.from(places),
        `mapped, ${title}`,
      );
      const marks = Array.from(data, (x, i) => (keep(x, i) ? 5 : 0));
      const { where: _, ...flagged } = options;
      for (const [name, flags] of Object.entries({
        numbers: marks,
        booleans: marks.map((one) => one !== 0),
        bytes: Uint8Array.from(marks),
        words: Uint32Array.from(marks),
      })) {
        expectSameBits(await one.compact(data, { ...flagged, flags }), kept, `${name}, ${title}`);
        const into = new Uint32Array(length + 9).fill(0xa5a5a5a5);
        const found = await one.compact(data, { ...flagged, flags, indices: true, into });
        expectSameBits(found, places, `${name}, into, ${title}`);
        expect(found.buffer).toBe(into.buffer);
        expectSameBits(
          into.subarray(places.length),
          new Uint32Array(length + 9 - places.length).fill(0xa5a5a5a5),
          "",
        );
      }
      // In place, and where the flags are.
      const words = Uint32Array.from(marks);
      expectSameBits(await one.compact(data, { ...flagged, flags: words, into: words }), kept, "over words");
      expectSameBits(await one.compact(data, { ...options, into: data }), kept, "in place");
    }
    one.destroy();
  });

  test("flags in the memory of the result", async () => {
    const { one } = await foldOf();
    const data = Uint32Array.from({ length: 1000 }, (_, at) => at);
    for (const at of [0, 400, 3000]) {
      const room = new Uint8Array(4000);
      const flags = room.subarray(at, at + 1000).fill(1);
      flags[777] = 0;
      const into = new Uint32Array(room.buffer);
      const expected = data.filter((x) => x !== 777);
      expectSameBits(await one.compact(data, { flags, into, ...tuning }), expected, `flags at ${at}`);
    }
    one.destroy();
  });

  test("structs are kept, f16 of an odd number, and nothing", async ({ skip }) => {
    const { one } = await foldOf();
    const all = Triple.from(Array.from({ length: 101 }, (_, at) => ({ a: at, b: 2 * at, c: 3 * at })));
    const odd = await one.compact(all, { where: "x.a % 2u == 1u", ...tuning });
    expect([...odd].map(({ c }) => c)).toEqual(Array.from({ length: 50 }, (_, at) => 3 * (2 * at + 1)));
    expect((await one.compact(all, { where: "false", ...tuning })).length).toBe(0);
    expect(await one.compact(all, { where: "true", ...tuning })).toEqual(all);
    skip(!one.device.features.has("shader-f16"), "no shader-f16");
    const halves = new Uint16Array(7001).fill(0x3c00);
    const kept = await one.compact(halves, { type: f16, where: "i % 2u == 0u", ...tuning });
    expect(kept).toEqual(new Uint16Array(3501).fill(0x3c00));
    one.destroy();
  });
});

test("an array may be longer than a buffer of the device", async () => {
  const limits = { maxBufferSize: 20_480, maxStorageBufferBindingSize: 20_480 };
  const sizes: number[] = [];
  const { one } = await foldOf(2 ** 24, {
    limits,
    buffer(descriptor) {
      sizes.push(descriptor.size);
      return descriptor;
    },
  });
  for (const length of [5120, 10_241]) {
    const data = anyItems("u32", length, "long") as Uint32Array;
    const wide = anyItems("u64", length, "long") as BigUint64Array;
    expectSameBits(await one.scan(data), scanReference(data), `scan ${length}`);
    expectSameBits(await one.scan(wide, { passes: "single" }), scanReference(wide), `u64 ${length}`);
    expect(await one.reduce(data)).toBe(reduceReference(data));
    const flags = data.map((x) => x & 1);
    expectSameBits(
      await one.compact(data, { flags }),
      data.filter((x) => x & 1),
      `compact ${length}`,
    );
  }
  expect(sizes.length).toBeGreaterThan(10);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(20_480);
  one.destroy();
});

describe("what is wrong is refused before anything is touched", () => {
  const data = new Uint32Array(1000).fill(1);
  test.each<[string, (one: Fold) => Promise<unknown>, string]>([
    ["into", (one) => one.scan(data, { into: new Uint32Array(999) }), "into has 999 elements"],
    ["initial", (one) => one.scan(data, { initial: -1 }), "initial"],
    ["total", (one) => one.scan(data, { total: new Uint32Array(2) }), "total has 2 elements"],
    [
      "total in into",
      (one) => one.scan(data, { into: data, total: data.subarray(999) }),
      "into and total overlap",
    ],
    ["workGroupSize", (one) => one.scan(data, { workGroupSize: 0 }), "workGroupSize is 0"],
    ["passes", (one) => one.reduce(data, { passes: "twice" as never }), 'passes is "twice"'],
    ["algorithm", (one) => one.reduce(data, { algorithm: "none" as never }), "none"],
    ["an option", (one) => one.reduce(data, { nothing: 1 } as never), "nothing"],
    ["op", (one) => one.scan(new Float32Array(1000), { op: { name: "and" } as never }), "op"],
    ["flags", (one) => one.compact(data, { flags: [1] }), "1 flags for 1000 elements"],
    ["neither", (one) => one.compact(data, {} as never), "takes where"],
    ["map and indices", (one) => one.compact(data, { where: "true", map: "x", indices: true }), "map"],
  ])("%s", async (_, call, message) => {
    const { one, made } = await foldOf();
    const error = await rejection(call(one));
    expect(error).toBeInstanceOf(ArgumentError);
    expect((error as Error).message).toContain(message);
    expect(made()).toEqual([]);
    one.destroy();
  });

  test("a map, a predicate and an operator that do not compile", async () => {
    const { one, alive } = await foldOf();
    for (const call of [
      () => one.scan(data, { map: "nonsense" }),
      () => one.reduce(data, { map: "nonsense" }),
      () => one.compact(data, { where: "nonsense" }),
    ]) {
      expect(await rejection(call())).toBeInstanceOf(SourceError);
      expect(alive()).toEqual([]);
    }
    expect(await one.reduce(data)).toBe(1000);
    one.destroy();
  });
});

describe("what goes wrong on the way", () => {
  const moved = "was transferred or became shorter during the call";

  /** Does something as the third piece is copied. */
  async function atThirdPiece<T>(one: Fold, action: () => void, call: () => Promise<T>): Promise<T> {
    let submits = 0;
    const { queue } = one.device;
    const { submit } = queue;
    queue.submit = (commands) => {
      submit.call(queue, commands);
      if (++submits === 3) {
        action();
      }
    };
    try {
      return await call();
    } finally {
      queue.submit = submit;
      expect(submits).toBeGreaterThanOrEqual(3);
    }
  }
  const transfer = (array: { readonly buffer: ArrayBufferLike }): void => {
    structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] });
  };

  test("the data, into, or the flags are transferred", async () => {
    const { one, alive } = await foldOf();
    const arrays = (): { data: Uint32Array; into: Uint32Array; flags: Uint8Array } => ({
      data: new Uint32Array(1000).fill(1),
      into: new Uint32Array(1000),
      flags: new Uint8Array(1000).fill(1),
    });
    for (const [name, message] of [
      ["data", `the array ${moved}`],
      ["into", `into ${moved}`],
      ["flags", "compact<u32>: flags was transferred or became shorter before it was read"],
    ] as const) {
      for (const isCompaction of [true, false]) {
        const { data, into, flags } = arrays();
        if (name === "flags" && !isCompaction) {
          continue;
        }
        const error = await atThirdPiece(
          one,
          () => transfer({ data, into, flags }[name]),
          () =>
            rejection(
              isCompaction
                ? one.compact(data, { flags, into, ...tuning })
                : one.scan(data, { into, ...tuning }),
            ),
        );
        expect(error).toBeInstanceOf(ArgumentError);
        expect((error as Error).message).toContain(message);
        // The next call takes what this one took.
        expect(await one.reduce(new Uint32Array(1000).fill(1), tuning)).toBe(1000);
      }
    }
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("a lost device", async () => {
    const calls: ((one: Fold, data: Uint32Array) => Promise<unknown>)[] = [
      (one, data) => one.scan(data, { into: data, ...tuning }),
      (one, data) => one.reduce(data, tuning),
      (one, data) => one.compact(data, { flags: data, ...tuning }),
    ];
    for (const call of calls) {
      const one = await openFold({ adapter: await nextAdapter() });
      Object.assign(contextOf(one.device).kept, { pieceBytes: PIECE, longBytes: PIECE });
      const data = new Uint32Array(300).fill(1);
      const others = Array.from({ length: 3 }, () => rejection(call(one, data.slice())));
      const error = await atThirdPiece(
        one,
        () => one.device.destroy(),
        async () => (await Promise.all([rejection(call(one, data)), ...others])).at(-1),
      );
      expect(error).toBeInstanceOf(DeviceLostError);
      expect(error).toMatchObject({ reason: "destroyed" });
      expect(await rejection(call(one, data))).toBeInstanceOf(DeviceLostError);
    }
  });
});

test("many calls at once, long and short, are right, and take a few pieces of memory", async () => {
  const maxKeptBytes = 2 ** 14;
  const isStaging = (label = ""): boolean => label.endsWith("staging");
  let most = 0;
  // Looked at as each one is made: then there are the most.
  const buffer = (descriptor: GPUBufferDescriptor): GPUBufferDescriptor => {
    if (isStaging(descriptor.label)) {
      most = Math.max(most, 1 + alive().filter(isStaging).length);
    }
    return descriptor;
  };
  const { one, alive, keptBytes } = await foldOf(PIECE, { buffer }, { maxKeptBytes });
  const long = Array.from({ length: 45 }, (_, at) => new Uint32Array(60 + (at % 90)).fill(at));
  const found = await Promise.all(
    long.map((data, at) =>
      at % 3 === 0
        ? one.reduce(data, tuning)
        : at % 3 === 1
          ? one.scan(data, { ...tuning, into: data }).then((sums) => sums.at(-1))
          : one.compact(data, { where: "i % 2u == 0u", ...tuning }).then(({ length }) => length),
    ),
  );
  expect(found).toEqual(long.map(({ length }, at) => (at % 3 === 2 ? Math.ceil(length / 2) : at * length)));
  // Those of one call.
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(4);
  expect(keptBytes()).toBeLessThanOrEqual(maxKeptBytes);
  await sleep(0);
  one.destroy();
  expect(alive()).toEqual([]);
});

test("what a long call takes does not grow with the array", async () => {
  const { one, made, alive } = await foldOf(2 ** 10);
  const call = async (length: number): Promise<void> => {
    const data = anyItems("u32", length, "grow") as Uint32Array;
    expectSameBits(await one.scan(data), scanReference(data), `${length}`);
    expect(await one.reduce(data)).toBe(reduceReference(data));
  };
  await call(9 * 256);
  await call(20 * 256 + 5);
  const buffers = (): string[] => made().filter((label) => !/^wavefold \w+<[^>]*>$/.test(label));
  const before = buffers();
  const { length } = alive();
  await call(60 * 256 + 5);
  // Whole pieces share their parameters, and so does the last one with that of the call before: both have 5 items.
  expect(buffers()).toEqual(before);
  expect(alive().length).toBeLessThanOrEqual(length);
  one.destroy();
});
