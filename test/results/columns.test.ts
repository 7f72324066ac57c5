import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { add } from "../../src/algebra/operators.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import { ArgumentError } from "../../src/node.ts";
import { planColumns } from "../../src/plan/columns.ts";
import { withFasterWays } from "../../src/plan/faster_ways.ts";
import { ALL_ARRANGEMENTS } from "../../src/plan/plan.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { arrayBuffer, destroyAll, readAs, readWords, storageBuffer, submit } from "../support/buffers.ts";
import type { Combination } from "../support/combinations.ts";
import { combinations, itemsOf } from "../support/combinations.ts";
import { expectSameBits } from "../support/compare.ts";
import { asOnGpus, untyped, useFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { manyMagnitudes, randomWords } from "../support/random.ts";
import { lacks } from "../support/sorts.ts";

// Scans and reductions down the columns of a matrix, against the reference, on every element.

const fold = useFold();

const MOST_ROWS = 300;
/** Columns around a work-group and a vector, and rows around the items that a thread loads together, and chunks of them. */
const shapes = [1, 3, 31, 64, 257]
  .flatMap((columns) => [1, 2, 17, MOST_ROWS].map((ofRows) => ({ columns, rows: ofRows })))
  .filter(({ columns, rows }) => columns < 257 || rows < MOST_ROWS);
const MOST = 64 * MOST_ROWS;

/** One chunk; a few; and as many as there may be. */
const divisions = {
  "one chunk": { alone: 1 },
  "few chunks": { alone: 2 ** 20, threads: 600 },
  "many chunks": { alone: 2 ** 20, threads: 2 ** 14 },
  "blocks, one chunk": { alone: 1, threads: 2 ** 20, block: 2 },
  "blocks, chunks": { alone: 2 ** 20, threads: 4000, block: 4 },
} as const;

/** An operator that does not commute meets every division and shape, and the others one division and a third of the shapes each. */
const cases = combinations
  .flatMap((row, at) =>
    Object.entries(divisions)
      .filter((_, by) => at === 0 || (by + 2) % 5 === at % 5)
      .map(([divided, testing]) => ({ ...row, divided, testing })),
  )
  .map((row, at) => ({
    ...row,
    name: `${row.type.name}, ${row.op.name}, ${row.divided}, exclusive: ${at % 2 === 1}`,
    exclusive: at % 2 === 1,
    starts: at % 4 < 2 ? { initial: row.initial } : {},
    shapes: row.op === combinations[0]?.op ? shapes : shapes.filter((_, shape) => (shape + at) % 3 === 0),
  }));

const planned = (primitive: "scan" | "reduce", options: object, testing: object = {}): Promise<Prepared> => {
  const context = contextOf(fold().device);
  const given = { maxLength: MOST, segments: "columns", ...options } as never;
  return prepare(
    context,
    planColumns(primitive, given, withFasterWays(context.facts), ALL_ARRANGEMENTS, testing),
  );
};

const storage = (data: AnyArray, before = 0, behind = 0): GPUBuffer =>
  arrayBuffer(fold().device, data, before, behind);

/** That a plan divides the rows as a test wants it to. */
function expectChunks(rowsPerChunk: number | undefined, divided: string, of: number): void {
  if (divided.endsWith("one chunk")) {
    expect(rowsPerChunk).toBe(of);
  } else if (of === MOST_ROWS) {
    expect(rowsPerChunk).toBeLessThan(of);
  }
}

/** The operator that does not commute goes both ways, and the others one. */
const scans = cases.flatMap((row, at) =>
  (row.op === combinations[0]?.op ? [false, true] : [at % 3 === 0]).map((reverse) => ({ ...row, reverse })),
);
test.for(scans)("a scan of $name, reverse: $reverse", async (row, { skip }) => {
  const { type, op, exclusive, reverse, testing, divided, starts } = row;
  skip(lacks(fold(), type), "the adapter has no shader-f16");
  const { device } = fold();
  const base = { type, op, exclusive, reverse, workGroupSize: 8, itemsPerThread: 4 };
  const scan = await planned("scan", { ...base, ...("initial" in starts && { initial: true }) }, testing);
  for (const [at, { columns, rows: ofRows }] of row.shapes.entries()) {
    const length = columns * ofRows;
    // In two buffers from any item on, in place, and in one buffer from any item on.
    const place = at % 3;
    const title = `${columns} × ${ofRows}, place ${place}`;
    const data = itemsOf(row, length);
    const itemWords = Math.max(1, type.bytes / 4);
    const words = Math.ceil(data.byteLength / 4);
    const input = storage(data, itemWords * 3, place === 2 ? words + 2000 : 4);
    const poison = randomWords(words + 100, title);
    const output = place === 0 ? storageBuffer(device, poison) : input;
    const offset = 4 * itemWords * (place === 0 ? 5 : place === 1 ? 3 : 3 + Math.ceil(words / itemWords) + 1);
    const before = await readWords(device, output);
    const ranges = {
      input: { buffer: input, offset: 12 * itemWords },
      output: { buffer: output, offset },
      length,
      columns,
      ...starts,
    } as never;
    const grouping = scan.groupingOf(ranges);
    expectChunks(grouping.rowsPerChunk, divided, ofRows);
    const isBlocked = "block" in testing && columns >= testing.block && ofRows > 8;
    expect(grouping.rowsPerRun, title).toBe(isBlocked ? 4 : undefined);
    submit(fold().device, (encoder) => scan.record(encoder, ranges));
    const like = { op, type, exclusive, reverse, segments: { columns }, ...starts };
    const expected = scanReference(data, {
      ...like,
      ...(type.name === "f64" && { grouping }),
    } as never) as AnyArray;
    const found = await readWords(device, output);
    expectSameBits(readAs(expected, type, found.slice(offset / 4)), expected, title);
    // Nothing else is written.
    const end = offset / 4 + Math.ceil(expected.byteLength / 4);
    expectSameBits(found.slice(0, offset / 4), before.slice(0, offset / 4), `before the output, ${title}`);
    expectSameBits(found.slice(end), before.slice(end), `behind the output, ${title}`);
    destroyAll(input, output);
  }
  scan.destroy();
});

test.for(cases)("a reduction of $name", async (row, { skip }) => {
  const { type, op, testing, divided, starts } = row;
  skip(lacks(fold(), type), "the adapter has no shader-f16");
  const { device } = fold();
  const base = { type, op, workGroupSize: 8, itemsPerThread: 4 };
  const reduce = await planned("reduce", { ...base, ...("initial" in starts && { initial: true }) }, testing);
  for (const { columns, rows: ofRows } of [...row.shapes, { columns: 5, rows: 0 }]) {
    const length = columns * ofRows;
    const title = `${columns} × ${ofRows}`;
    const data = itemsOf(row, length);
    const itemWords = Math.max(1, type.bytes / 4);
    const input = storage(data, itemWords * 3, 4);
    const poison = randomWords(itemWords * (columns + 10), title);
    const output = storageBuffer(device, poison);
    const ranges = {
      input: { buffer: input, offset: 12 * itemWords },
      output: { buffer: output, offset: 4 * itemWords },
      length,
      columns,
      ...starts,
    } as never;
    const grouping = reduce.groupingOf(ranges);
    if (ofRows > 0) {
      expectChunks(grouping.rowsPerChunk, divided, ofRows);
    }
    submit(fold().device, (encoder) => reduce.record(encoder, ranges));
    const like = { op, type, segments: { columns }, ...starts };
    const expected = reduceReference(data, {
      ...like,
      ...(type.name === "f64" && { grouping }),
    } as never) as unknown as AnyArray;
    expect(expected.length).toBe(columns);
    const found = await readWords(device, output);
    expectSameBits(readAs(expected, type, found.slice(itemWords)), expected, title);
    const end = itemWords + Math.ceil(expected.byteLength / 4);
    expectSameBits(found.slice(0, itemWords), poison.slice(0, itemWords), `before the output, ${title}`);
    expectSameBits(found.slice(end), poison.slice(end), `behind the output, ${title}`);
    destroyAll(input, output);
  }
  reduce.destroy();
});

test.for([0, 4, 5, 7])("as on GPUs, row %i of the table", async (at) => {
  const row = combinations[at] as Combination;
  const { type, op } = row;
  const { device } = fold();
  const scan = await asOnGpus(fold(), () =>
    fold().prepareScan({ type, op, segments: "columns", maxLength: MOST }),
  );
  for (const { columns, rows: ofRows } of shapes.filter((one) => one.rows > 2)) {
    const length = columns * ofRows;
    const data = itemsOf(row, length);
    const input = storage(data);
    const ranges = { input, output: input, length, columns };
    const grouping = scan.groupingOf(ranges);
    submit(fold().device, (encoder) => scan.record(encoder, ranges));
    const order = type.name === "f64" ? { grouping } : {};
    const expected = scanReference(data, { op, type, segments: { columns }, ...order } as never) as AnyArray;
    expectSameBits(
      readAs(expected, type, await readWords(device, input)),
      expected,
      `${columns} × ${ofRows}`,
    );
    if (ofRows === MOST_ROWS) {
      expect(grouping.rowsPerChunk, `${columns} columns`).toBeLessThan(ofRows);
      expect(grouping.rowsPerRun, `${columns} columns`).toBe(
        columns < 32 || type.name === "f64" ? undefined : grouping.itemsPerThread,
      );
    }
    input.destroy();
  }
  scan.destroy();
});

describe("a map to items of another size, of a part of longer data", () => {
  for (const divided of ["few chunks", "blocks, chunks"] as const) {
    const testing = divisions[divided];
    test(divided, async () => {
      const { device } = fold();
      const [columns, firstIndex] = [31, 1000];
      const data = randomWords(columns * 61, "mapped");
      const map = "vec2(x % 1000u, i % 77u)";
      const base = { type: u64, from: u32, map, workGroupSize: 8, itemsPerThread: 4 };
      const scan = await planned("scan", base, testing);
      const reduce = await planned("reduce", base, testing);
      const input = storage(data);
      const output = storageBuffer(device, randomWords(data.length * 2, "sums"));
      const totals = storageBuffer(device, randomWords(columns * 2, "totals"));
      const ranges = { input, length: data.length, columns, firstIndex };
      submit(fold().device, (encoder) => {
        scan.record(encoder, { ...ranges, output });
        reduce.record(encoder, { ...ranges, output: totals });
      });
      const mapped = BigUint64Array.from(
        data,
        (x, i) => BigInt(x % 1000) | (BigInt((i + firstIndex) % 77) << 32n),
      );
      const sums = scanReference(mapped, { segments: { columns } });
      expectSameBits(readAs(sums, u64, await readWords(device, output)), sums, "scan");
      const wanted = reduceReference(mapped, { segments: { columns } });
      expectSameBits(readAs(wanted, u64, await readWords(device, totals)), wanted, "reduce");
      destroyAll(scan, reduce, input, output, totals);
    });
  }
});

describe("a length on the GPU", () => {
  /** Whole numbers, whose sums are exact in any order. */
  const data = Float64Array.from(randomWords(31 * 40, "cut off"), (word) => (word % 512) - 256);
  const wholes: Combination = { type: f64, op: untyped(add), initial: -2 };
  for (const [at, [divided, testing]] of Object.entries(divisions).entries()) {
    const columns = [1, 5, 31, 31, 5][at] as number;
    test(`cuts off the last row of ${columns} columns, ${divided}`, async () => {
      const { device } = fold();
      const { type, op, initial } = wholes;
      const base = {
        type,
        op,
        lengthOnGpu: true,
        maxLength: data.length,
        workGroupSize: 8,
        itemsPerThread: 4,
      };
      const input = storage(data);
      for (const starts of [at % 2 === 0 ? {} : { initial }]) {
        const given = { ...base, ...("initial" in starts && { initial: true }) };
        const scan = await planned("scan", { ...given, exclusive: true }, testing);
        const reduce = await planned("reduce", given, testing);
        for (const length of [0, 1, 3, 30, 31, 100, 937, data.length - 1, data.length]) {
          const lengths = storageBuffer(device, Uint32Array.of(9, length));
          const sums = storage(new Float64Array(data.length).fill(-1));
          const totals = storage(new Float64Array(columns + 1).fill(-1));
          const ranges = { input, length: { buffer: lengths, offset: 4 }, columns, ...starts } as const;
          submit(fold().device, (encoder) => {
            scan.record(encoder, { ...ranges, output: sums } as never);
            reduce.record(encoder, { ...ranges, output: totals } as never);
          });
          const own = data.subarray(0, length);
          const expected = new Float64Array(data.length).fill(-1);
          const sumOf = Array<number>(columns).fill("initial" in starts ? (initial as number) : 0);
          own.forEach((value, index) => {
            expected[index] = sumOf[index % columns] as number;
            sumOf[index % columns] = (sumOf[index % columns] as number) + value;
          });
          const title = `${length}, ${JSON.stringify(starts)}`;
          const wanted = Float64Array.of(...sumOf, -1);
          expectSameBits(readAs(expected, type, await readWords(device, sums)), expected, title);
          expectSameBits(readAs(wanted, type, await readWords(device, totals)), wanted, `totals, ${title}`);
          destroyAll(lengths, sums, totals);
        }
        destroyAll(scan, reduce);
      }
      input.destroy();
    });
  }
});

describe("at hand and on the GPU", () => {
  const data = randomWords(600, "at hand");

  test("scans and reductions with an initial value, exclusive, with a map", async () => {
    for (const columns of [1, 7, 20, 600]) {
      const own = data.subarray(0, 600 - (600 % columns));
      const segments = { columns };
      for (const starts of [{}, { initial: 9 }]) {
        for (const exclusive of [false, true]) {
          const options = { op: affine, segments, exclusive, ...starts };
          expectSameBits(
            await fold().scan(own, options),
            scanReference(own, options),
            `${columns}, ${exclusive}, ${JSON.stringify(starts)}`,
          );
        }
        const options = { op: affine, segments, ...starts };
        expectSameBits(await fold().reduce(own, options), reduceReference(own, options), `${columns}`);
      }
      const map = "f32(x % 7u) + f32(i)";
      const into = new Float32Array(own.length);
      expect(await fold().scan(own, { type: f32, map, segments, into })).toBe(into);
      const like = { type: f32, map: (x: number, i: number) => (x % 7) + i, segments };
      expectSameBits(into, scanReference(own, like), "mapped");
      expectSameBits(
        await fold().reduce(own, { type: f32, map, segments }),
        reduceReference(own, like),
        "mapped totals",
      );
    }
  });

  test("no items", async () => {
    const segments = { columns: 3 };
    const none = new Float64Array(0);
    expect([...(await fold().scan(none, { segments }))]).toEqual([]);
    expect([...(await fold().reduce(none, { segments }))]).toEqual([0, 0, 0]);
    expect([...(await fold().reduce(none, { segments, initial: 2 }))]).toEqual([2, 2, 2]);
    expect(reduceReference(none, { segments })).toEqual(new Float64Array(3));
  });

  test("arrays on the GPU, in place, and from any element on", async () => {
    const array = await fold().upload(data);
    const segments = { columns: 20 };
    const sums = await fold().scan(array, { segments, op: affine });
    expectSameBits(await sums.read(), scanReference(data, { segments, op: affine }), "scan");
    const totals = await fold().reduce(array, { segments, op: affine });
    expect(totals.length).toBe(20);
    expectSameBits(await totals.read(), reduceReference(data, { segments, op: affine }), "reduce");
    const own = await fold().upload(data);
    await fold().scan(own, { segments, into: own, exclusive: true });
    expectSameBits(await own.read(), scanReference(data, { segments, exclusive: true }), "in place");
    const kept = await fold().compact(array, { where: "i < 333u" });
    const counted = await fold().scan(kept, { segments, op: affine });
    const cut = scanReference(data.subarray(0, 340), { segments, op: affine }).slice(0, 333);
    expectSameBits(await counted.read(), cut, "a length on the GPU");
    destroyAll(array, sums, totals, own, kept, counted);
  });

  test("a summed-area table: a scan of the rows, then of the columns", async () => {
    const [width, height] = [23, 19];
    const image = randomWords(width * height, "image").map((word) => word % 256);
    const array = await fold().upload(image);
    const ofRows = await fold().scan(array, { segments: { rows: width } });
    const table = await fold().scan(ofRows, { segments: { columns: width } });
    const expected = new Uint32Array(width * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const at = (dx: number, dy: number): number =>
          x < dx || y < dy ? 0 : (expected[(y - dy) * width + x - dx] as number);
        expected[y * width + x] = (image[y * width + x] as number) + at(1, 0) + at(0, 1) - at(1, 1);
      }
    }
    expectSameBits(await table.read(), expected, "table");
    destroyAll(array, ofRows, table);
  });

  test("f64 to the last bit, with the grouping of a prepared scan", async () => {
    const length = 8 * 700;
    const scan = await fold().prepareScan({ type: f64, maxLength: length, segments: "columns" });
    const reduce = await fold().prepareReduce({ type: f64, maxLength: length, segments: "columns" });
    const own = manyMagnitudes(length, "f64 grouping");
    const [input, output, totals] = [own, own, own].map((one) => storage(one)) as [
      GPUBuffer,
      GPUBuffer,
      GPUBuffer,
    ];
    const ranges = { input, length, columns: 8 } as const;
    submit(fold().device, (encoder) => {
      scan.record(encoder, { ...ranges, output });
      reduce.record(encoder, { ...ranges, output: totals });
    });
    const segments = { columns: 8 };
    const grouping = scan.groupingOf({ ...ranges, output });
    expect(grouping.rowsPerChunk).toBeLessThan(700);
    const expected = scanReference(own, { segments, grouping });
    expectSameBits(readAs(expected, f64, await readWords(fold().device, output)), expected, "scan");
    const sums = reduceReference(own, {
      segments,
      grouping: reduce.groupingOf({ ...ranges, output: totals }),
    });
    expectSameBits(readAs(sums, f64, await readWords(fold().device, totals)), sums, "reduce");
    destroyAll(scan, reduce, input, output, totals);
  });
});

describe("what is refused", () => {
  const six = Uint32Array.of(1, 2, 3, 4, 5, 6);

  test("at hand, by the calls and by the reference", async () => {
    const wrong: readonly [object, RegExp, string][] = [
      [{ segments: { columns: 4 } }, /4 columns do not divide the 6 items/, "segments"],
      [{ segments: { columns: 0 } }, /columns: 0; it takes a whole number from 1 to 2\^32 - 2/, "segments"],
      [
        { segments: { columns: 1.5 } },
        /columns: 1.5; it takes a whole number from 1 to 2\^32 - 2/,
        "segments",
      ],
      [{ segments: { columns: 2, rows: 2 } }, /\{ columns, rows \}; it takes one of/, "segments"],
    ];
    for (const [options, message, option] of wrong) {
      for (const call of [
        () => fold().scan(six, options),
        () => fold().reduce(six, options),
        async () => scanReference(six, options),
        async () => reduceReference(six, options),
      ]) {
        // Each one starts when the one before is over: a rejection that nobody waits for ends the run.
        const problem: unknown = await call().then(
          () => undefined,
          (cause: unknown) => cause,
        );
        expect(problem).toBeInstanceOf(ArgumentError);
        expect((problem as ArgumentError).message).toMatch(message);
        expect((problem as ArgumentError).option).toBe(option);
      }
    }
    const segments = { columns: 2 };
    await expect(fold().scan(six, { segments, algorithm: "blelloch" })).rejects.toThrow(
      /algorithm is "blelloch", but each thread goes down a column by itself; leave algorithm out/,
    );
    await expect(fold().reduce(six, { segments, passes: "single" })).rejects.toThrow(/leave passes out/);
    await expect(fold().scan(six, { segments, total: new Uint32Array(1) } as never)).rejects.toThrow(
      /with segments there is no total of all/,
    );
    const scanned = await fold().prepareScan({ type: u32, maxLength: 6 });
    const buffer = storage(six);
    const plain = scanned.groupingOf({ input: buffer, output: storage(six), length: 6 });
    expect(() => scanReference(six, { segments, grouping: plain })).toThrow(/rowsPerChunk is undefined/);
    for (const wrongRows of [0, 1.5, "2"] as number[]) {
      const grouping = { ...plain, rowsPerChunk: 2, rowsPerRun: wrongRows };
      expect(() => scanReference(six, { segments, grouping })).toThrow(/rowsPerRun is /);
    }
  });

  test("recorded", async () => {
    const scan = await fold().prepareScan({ type: u32, maxLength: 60, segments: "columns" });
    const reduce = await fold().prepareReduce({ type: u32, maxLength: 60, segments: "columns" });
    const [input, output] = [storage(six, 0, 60), storage(six, 0, 60)];
    const wrong: readonly [object, string, RegExp][] = [
      [{ columns: 4 }, "columns", /columns is 4, and length is 6; it takes a number that divides the length/],
      [{ columns: 0 }, "columns", /columns is 0; it takes a whole number from 1 up/],
      [{}, "columns", /columns is undefined/],
      [{ rows: 2, columns: 2 }, "rows", /rows/],
      [{ columns: 2, length: 61 }, "length", /length 61 is more than the maxLength 60/],
    ];
    for (const [ranges, option, message] of wrong) {
      for (const prepared of [scan, reduce]) {
        const encoder = fold().device.createCommandEncoder();
        let problem: unknown;
        try {
          prepared.record(encoder, { input, output, length: 6, ...ranges } as never);
        } catch (cause) {
          problem = cause;
        }
        expect(problem).toBeInstanceOf(ArgumentError);
        expect((problem as ArgumentError).message).toMatch(message);
        expect((problem as ArgumentError).option).toBe(option);
      }
    }
    expect(() =>
      reduce.record(fold().device.createCommandEncoder(), { input, output: input, length: 6, columns: 2 }),
    ).toThrow(/overlap; they must be apart/);
    await expect(
      fold().prepareScan({ type: u32, maxLength: 6, segments: "columns", total: true }),
    ).rejects.toThrow(/with segments there is no total of all/);
  });
});
