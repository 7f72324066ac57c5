import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
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
import { expectSameBits } from "../support/compare.ts";
import { untyped, useFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { randomWords } from "../support/random.ts";

// Scans and reductions down the columns of a matrix, against the reference, on every element.

const fold = useFold();

const MOST_ROWS = 300;
const MOST = 64 * MOST_ROWS;

/** One chunk; a few; and as many as there may be. */
const divisions = {
  "one chunk": { alone: 1 },
  "few chunks": { alone: 2 ** 20, threads: 600 },
  "many chunks": { alone: 2 ** 20, threads: 2 ** 14 },
  "blocks, one chunk": { alone: 1, threads: 2 ** 20, block: 2 },
  "blocks, chunks": { alone: 2 ** 20, threads: 4000, block: 4 },
} as const;

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

test("no items", async () => {
  const segments = { columns: 3 };
  const none = new Float64Array(0);
  expect([...(await fold().scan(none, { segments }))]).toEqual([]);
  expect([...(await fold().reduce(none, { segments }))]).toEqual([0, 0, 0]);
  expect([...(await fold().reduce(none, { segments, initial: 2 }))]).toEqual([2, 2, 2]);
  expect(reduceReference(none, { segments })).toEqual(new Float64Array(3));
});

test("a length on the GPU is given to a call", async () => {
  const data = randomWords(600, "counted");
  const segments = { columns: 20 };
  const array = await fold().upload(data);
  const kept = await fold().compact(array, { where: "i < 333u" });
  const counted = await fold().scan(kept, { segments, op: affine });
  const cut = scanReference(data.subarray(0, 340), { segments, op: affine }).slice(0, 333);
  expectSameBits(await counted.read(), cut, "a length on the GPU");
  destroyAll(array, kept, counted);
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
