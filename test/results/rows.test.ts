import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { prepareFor } from "../../src/gpu/recordings/prepare_folds.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import { withFasterWays } from "../../src/plan/faster_ways.ts";
import { ALL_ARRANGEMENTS } from "../../src/plan/plan.ts";
import { planRows } from "../../src/plan/rows.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { arrayBuffer, destroyAll, readAs, readWords, storageBuffer, submit } from "../support/buffers.ts";
import { combinations, itemsOf } from "../support/combinations.ts";
import { expectSameBits } from "../support/compare.ts";
import { planAs, useFoldOfOneSize } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { anyItems, randomWords } from "../support/random.ts";
import { lacks } from "../support/sorts.ts";

// Scans and reductions of rows that work-groups take whole, or in parts, against the reference, on every element.

// Sums of f64 have the order that groupingOf gives.
const fold = useFoldOfOneSize();

/** Tiles of 16, 32 and 128 items, level by level and by subgroups, as on a GPU; and those that are chosen for the adapter. */
const ways: readonly {
  readonly name: string;
  readonly own: { readonly workGroupSize?: number; readonly itemsPerThread?: number };
  readonly facts: Partial<DeviceFacts>;
}[] = [
  {
    name: "4, levels",
    own: { workGroupSize: 4, itemsPerThread: 4 },
    facts: { software: false, vendor: "any" },
  },
  {
    name: "8, levels",
    own: { workGroupSize: 8, itemsPerThread: 4 },
    facts: { software: false, vendor: "any" },
  },
  {
    name: "16, levels",
    own: { workGroupSize: 16, itemsPerThread: 8 },
    facts: { software: false, vendor: "any" },
  },
  {
    name: "8, subgroups",
    own: { workGroupSize: 8, itemsPerThread: 4 },
    facts: { software: false, vendor: "nvidia", lookBack: true },
  },
  {
    name: "64, subgroups",
    own: { workGroupSize: 64, itemsPerThread: 4 },
    facts: { software: false, vendor: "nvidia", lookBack: true },
  },
  { name: "chosen", own: {}, facts: {} },
];

/** Rows around vectors, tiles and the levels within a tile, and a few of each, so that tiles are full, and not. */
const shapes: readonly (readonly [columns: number, rows: number])[] = [
  [1, 1],
  [1, 37],
  [2, 33],
  [3, 50],
  [4, 41],
  [5, 13],
  [7, 3],
  [8, 17],
  [9, 9],
  [12, 30],
  [16, 5],
  [17, 7],
  [31, 3],
  [32, 9],
  [33, 4],
  [64, 6],
  [65, 5],
  [100, 7],
  [127, 3],
  [128, 4],
  [129, 2],
  [257, 3],
  [512, 2],
  [513, 2],
  [1030, 2],
];
const MOST = 2100;

const storage = (data: AnyArray, before = 0, behind = 0): GPUBuffer =>
  arrayBuffer(fold().device, data, before, behind);
/** What is prepared as on an adapter with these facts. */
async function prepared(
  primitive: "scan" | "reduce",
  options: object,
  facts: Partial<DeviceFacts> = {},
): Promise<Prepared> {
  const restore = planAs(fold(), facts);
  try {
    const all = { maxLength: MOST, segments: "rows", ...options };
    return await prepareFor(primitive, contextOf(fold().device), all as never);
  } finally {
    restore();
  }
}

/** An operator that does not commute meets every way, and the others one way each. */
const cases = combinations
  .flatMap((row, at) =>
    ways
      .filter((_, by) => at === 0 || by % 6 === at % 6)
      .map(({ name, own, facts }) => ({ ...row, way: name, own, facts })),
  )
  .map((row, at) => ({
    ...row,
    name: `${row.type.name}, ${row.op.name}, ${row.way}`,
    exclusive: at % 2 === 1,
    turn: at + Math.floor(at / 4),
    shapes: shapes.filter((_, shape) => at === 0 || (shape + at) % 3 === 0),
  }));

test.for(cases)("a scan of $name, exclusive: $exclusive", async (row, { skip }) => {
  const { type, op, initial, own, facts, exclusive } = row;
  skip(lacks(fold(), type), "the adapter has no shader-f16");
  const starts = row.turn % 2 === 0 ? { initial } : {};
  const options = { type, op, exclusive, ...own, ...(starts.initial !== undefined && { initial: true }) };
  // The operator that does not commute goes both ways, and the others one.
  for (const reverse of op === combinations[0]?.op ? [false, true] : [row.turn % 4 < 2]) {
    const scan = await prepared("scan", { ...options, reverse }, facts);
    for (const [at, [columns, count]] of row.shapes.entries()) {
      const length = columns * count;
      const title = `${count} rows of ${columns}, reverse: ${reverse}`;
      const data = itemsOf(row, length);
      // In two buffers, in place, in one buffer from any item on, and at an item that starts no vector.
      const place = (at + row.turn) % 4;
      const itemWords = Math.max(1, type.bytes / 4);
      const first = place === 3 ? itemWords : 0;
      const input = storage(data, first, place === 2 ? 10_000 : 0);
      const output =
        place === 0 || place === 3
          ? storageBuffer(fold().device, randomWords(MOST * itemWords + 9, title))
          : input;
      const offset = place === 2 ? 4 * itemWords * (Math.ceil((length * type.bytes) / 4 / itemWords) + 1) : 0;
      const ranges = {
        input: { buffer: input, offset: 4 * first, size: Math.max(4, length * type.bytes) },
        output: { buffer: output, offset },
        length,
        rows: columns,
        ...starts,
      } as never;
      const grouping = scan.groupingOf(ranges);
      const before = await readWords(fold().device, output);
      submit(fold().device, (encoder) => scan.record(encoder, ranges));
      const order = type.name === "f64" ? { grouping } : {};
      const like = { op, type, exclusive, reverse, segments: { rows: columns }, ...starts, ...order };
      const expected = scanReference(data, like as never) as AnyArray;
      const words = await readWords(fold().device, output);
      expectSameBits(readAs(expected, type, words.slice(offset / 4)), expected, title);
      const end = offset / 4 + Math.ceil((length * type.bytes) / 4);
      expectSameBits(words.slice(end), before.slice(end), `behind the output, ${title}`);
      destroyAll(input, output);
    }
    scan.destroy();
  }
});

test.for(cases)("a reduction of $name", async (row, { skip }) => {
  const { type, op, initial, own, facts } = row;
  skip(lacks(fold(), type), "the adapter has no shader-f16");
  const starts = row.turn % 2 === 1 ? { initial } : {};
  const options = { type, op, ...own, ...(starts.initial !== undefined && { initial: true }) };
  for (const reduce of [await prepared("reduce", options, facts)]) {
    for (const [at, [columns, count]] of row.shapes.entries()) {
      const length = columns * count;
      const title = `${count} rows of ${columns}`;
      const data = itemsOf(row, length);
      const itemWords = Math.max(1, type.bytes / 4);
      const first = at % 2 === 0 ? 0 : itemWords;
      const input = storage(data, first);
      const output = storageBuffer(fold().device, randomWords(count * itemWords + 9, title));
      const ranges = {
        input: { buffer: input, offset: 4 * first, size: Math.max(4, length * type.bytes) },
        output,
        length,
        rows: columns,
        ...starts,
      } as never;
      const grouping = reduce.groupingOf(ranges);
      submit(fold().device, (encoder) => reduce.record(encoder, ranges));
      const order = type.name === "f64" ? { grouping } : {};
      const like = { op, type, segments: { rows: columns }, ...starts, ...order };
      const expected = reduceReference(data, like as never) as unknown as AnyArray;
      const words = await readWords(fold().device, output);
      expectSameBits(readAs(expected, type, words), expected, title);
      const end = Math.ceil((count * type.bytes) / 4);
      expectSameBits(
        words.slice(end),
        randomWords(count * itemWords + 9, title).slice(end),
        `behind, ${title}`,
      );
      destroyAll(input, output);
    }
    reduce.destroy();
  }
});

describe("rows", () => {
  test("a length on the GPU cuts off the last row, and says how many there are", async () => {
    const { device } = fold();
    const data = randomWords(MOST, "cut off");
    const options = { type: u32, op: affine, lengthOnGpu: true } as const;
    for (const { name, own, facts } of ways.filter(({ name }) => name.startsWith("8,"))) {
      const reduce = await prepared("reduce", { ...options, ...own }, facts);
      const scan = await prepared("scan", { ...options, ...own }, facts);
      for (const [columns, length] of [
        [5, 0],
        [5, 1],
        [5, 52],
        [16, 47],
        [33, 300],
        [700, 701],
        [4000, 900],
        [4_000_000, 77],
      ] as const) {
        const title = `${length} items in rows of ${columns}, ${name}`;
        const input = storageBuffer(device, data);
        const output = storageBuffer(device, randomWords(MOST + 9, title));
        const prefixes = storageBuffer(device, randomWords(MOST + 9, title));
        const sum = storageBuffer(device, Uint32Array.of(77, 77, 77));
        const words = storageBuffer(device, Uint32Array.of(9, length));
        const common = { input, length: { buffer: words, offset: 4 }, rows: columns };
        submit(fold().device, (encoder) => {
          reduce.record(encoder, { ...common, output, count: { buffer: sum, offset: 4 } } as never);
          scan.record(encoder, { ...common, output: prefixes } as never);
        });
        const expected: number[] = [];
        const scanned: number[] = [];
        for (let first = 0; first < length; first += columns) {
          const own = data.subarray(first, Math.min(length, first + columns));
          expected.push(reduceReference(own, { op: affine }));
          scanned.push(...scanReference(own, { op: affine }));
        }
        const poison = randomWords(MOST + 9, title);
        const wanted = Uint32Array.from(poison);
        wanted.set(expected);
        expectSameBits(await readWords(device, output), wanted, title);
        const prefixesWanted = Uint32Array.from(poison);
        prefixesWanted.set(scanned);
        expectSameBits(await readWords(device, prefixes), prefixesWanted, `scan, ${title}`);
        expect([...(await readWords(device, sum))], title).toEqual([77, expected.length, 77]);
        destroyAll(input, output, prefixes, sum, words);
      }
      destroyAll(reduce, scan);
    }
  });

  test("a map, from items of another size", async () => {
    const data = anyItems("f64", 600, "mapped");
    for (const columns of [3, 8, 40, 600]) {
      const segments = { rows: columns } as const;
      const map = "bitcast<vec2<u32>>(x).x % 1000u + i";
      const options = { type: u32, map, segments } as const;
      const words = new Uint32Array((data as Float64Array).buffer);
      const like = {
        type: u32,
        map: (_: unknown, i: number) => ((words[2 * i] as number) % 1000) + i,
        segments,
      };
      expectSameBits(
        await fold().scan(data as Float64Array, options),
        scanReference(data as Float64Array, like as never) as never,
        `scan, ${columns}`,
      );
      expectSameBits(
        await fold().reduce(data as Float64Array, options),
        reduceReference(data as Float64Array, like as never) as never,
        `reduction, ${columns}`,
      );
    }
  });

  test("the plan takes tiles of whole rows unless an algorithm is chosen", () => {
    const { facts } = contextOf(fold().device);
    const plan = (primitive: "scan" | "reduce", options: object = {}, other: Partial<DeviceFacts> = {}) =>
      planRows(
        primitive,
        { type: u32, maxLength: 2 ** 20, segments: "rows", ...options },
        withFasterWays({ ...facts, ...other }),
        ALL_ARRANGEMENTS,
      );
    const kernelOf = (primitive: "scan" | "reduce", columns: number): string | undefined =>
      plan(primitive)?.passes(2 ** 18, "vectors", false, { columns })[0]?.kernel.entryPoint;
    expect([4, 5, 32, 128].map((columns) => kernelOf("scan", columns))).toEqual(
      Array(4).fill("scan_each_row"),
    );
    expect([4, 5, 32, 2 ** 12, 2 ** 18].map((columns) => kernelOf("reduce", columns))).toEqual(
      Array(5).fill("reduce_each_row"),
    );
    expect(kernelOf("scan", 2 ** 16)).toMatch(/scan_single_pass|reduce_tiles|scan_long_rows/);
    // By subgroups, longer rows that start at vectors are single passes of their own.
    const bySubgroups = {
      software: false,
      vendor: "nvidia",
      lookBack: true,
      features: new Set(["subgroups"]),
      subgroupMinSize: 32,
      subgroupMaxSize: 32,
    };
    const sized = { workGroupSize: 64, itemsPerThread: 4 };
    const long = plan("scan", sized, bySubgroups as never);
    const tile = sized.workGroupSize * sized.itemsPerThread;
    const entryOf = (columns: number, arrangement: "vectors" | "items" = "vectors"): string | undefined =>
      long?.passes(2 * columns, arrangement, false, { columns })[0]?.kernel.entryPoint;
    expect([tile, 2 * tile - 4, 2 ** 18].map((columns) => entryOf(columns))).toEqual([
      "scan_each_row",
      "scan_long_rows",
      "scan_long_rows",
    ]);
    // A row that starts no vector, and one that would leave a tile nearly empty.
    expect([2 * tile - 2, tile + 4].map((columns) => entryOf(columns))).toEqual(
      Array(2).fill("scan_flat_segments"),
    );
    expect(entryOf(2 * tile - 4, "items")).not.toBe("scan_long_rows");
    expect(plan("scan", { algorithm: "blelloch" })).toBeUndefined();
    expect(plan("reduce", { passes: "single" })).toBeUndefined();
  });
});
