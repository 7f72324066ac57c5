import { beforeAll, describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { operator } from "../../src/algebra/custom_operator.ts";
import { f16 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add, max } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, Value } from "../../src/algebra/types.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import type { Algorithm } from "../../src/kernels/algorithms.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { destroyAll, readWords, storageBuffer } from "../support/buffers.ts";
import { arrayOfOne } from "../support/combinations.ts";
import { expectSameBits } from "../support/compare.ts";
import { planAs, untyped, useFold } from "../support/fold.ts";
import { around } from "../support/lengths.ts";
import { affine, chain } from "../support/operators.ts";
import { randomItems } from "../support/random.ts";
import { layoutsOf, runPlaced } from "../support/ranges.ts";
import { lacks } from "../support/sorts.ts";

const fold = useFold();

/** The last struct that has no 0 in front: every field of it goes all the way. */
const twelve = operator({
  name: "last",
  type: struct({ name: "Twelve", fields: { a: u32, b: u32, c: i32 } }),
  identity: { a: 0, b: 0, c: 0 },
  combine: "if (later.a == 0u) { return earlier; }\nreturn later;",
  reference: (earlier, later) => (later.a === 0 ? earlier : later),
});
const twenty = operator({
  name: "last",
  type: struct({ name: "Twenty", fields: { a: u32, b: u32, c: i32, d: u32, e: u32 } }),
  identity: { a: 0, b: 0, c: 0, d: 0, e: 0 },
  combine: "if (later.a == 0u) { return earlier; }\nreturn later;",
  reference: (earlier, later) => (later.a === 0 ? earlier : later),
});

interface Row {
  readonly type: ElementType;
  readonly op: Operator<string>;
  readonly algorithm: Algorithm;
  readonly itemsPerThread: number;
  /** Items of a vector, and of as many of them as end where a binding may start. */
  readonly vector: number;
  readonly edge: number;
  /** Whether kernels are those that software adapters get, where loops over long items stay loops; else those that GPUs get. */
  readonly software?: true;
}

/** Vectors of one, of two, of four and of eight items; several a thread; and 80 bytes, which are too many for one. */
const allRows: readonly Row[] = [
  { type: u32, op: affine, algorithm: "blelloch", itemsPerThread: 8, vector: 4, edge: 64 },
  { type: u32, op: affine, algorithm: "subgroup", itemsPerThread: 8, vector: 4, edge: 64 },
  { type: u64, op: untyped(add), algorithm: "hillis-steele", itemsPerThread: 4, vector: 2, edge: 32 },
  { type: twelve.type, op: twelve, algorithm: "blelloch", itemsPerThread: 4, vector: 4, edge: 64 },
  { type: twelve.type, op: twelve, algorithm: "subgroup", itemsPerThread: 4, vector: 4, edge: 64 },
  { type: twenty.type, op: twenty, algorithm: "hillis-steele", itemsPerThread: 4, vector: 1, edge: 64 },
  { type: chain.type, op: chain, algorithm: "subgroup", itemsPerThread: 2, vector: 2, edge: 32 },
  { type: f16, op: untyped(max), algorithm: "subgroup", itemsPerThread: 8, vector: 8, edge: 128 },
  {
    type: twelve.type,
    op: twelve,
    algorithm: "blelloch",
    itemsPerThread: 4,
    vector: 4,
    edge: 64,
    software: true,
  },
  {
    type: chain.type,
    op: chain,
    algorithm: "subgroup",
    itemsPerThread: 3,
    vector: 1,
    edge: 32,
    software: true,
  },
].map((row) => ({ ...row, op: row.op as unknown as Operator<string> }) as Row);

/** Around whole vectors and tiles, and where what is bound as vectors ends, from any of those starts. */
const lengthsOf = (vector: number, tile: number, edge: number): number[] => [
  ...new Set(
    [
      1,
      ...around(vector),
      ...around(tile),
      ...around(edge - 2 * vector),
      ...around(edge),
      3 * edge + vector + 1,
    ].filter((length) => length > 0),
  ),
];

// Two subgroups, where they are of four threads.
const workGroupSize = 8;
const where = "i % 3u != 1u";
const keep = (_: unknown, index: number): boolean => index % 3 !== 1;

describe.each(allRows)("$type.name, $algorithm, vectors of $vector", (row) => {
  const { type, op, algorithm, itemsPerThread, vector, edge, software = false } = row;
  beforeAll(() => planAs(fold(), { software }));
  const all = lengthsOf(vector, workGroupSize * itemsPerThread, edge);
  const maxLength = Math.max(...all);
  /** All lengths where both ranges start where bindings may; else a few, around where vectors end: layouts and rows have them by turns. */
  const lengthsAt = (name: string): number[] => {
    const turn = layouts.findIndex(([own]) => own === name) + allRows.indexOf(row);
    const few = turn % 2 === 0 ? [1, edge - 1] : [edge - 2 * vector + 1, maxLength];
    return name === "from the start" ? all : few.filter((one) => one > 0);
  };
  // Each row has either kind of passes in a scan or a compaction.
  const [ofScan, ofCompact] = (
    allRows.indexOf(row) % 2 === 0 ? ["single", "reduce-then-scan"] : ["reduce-then-scan", "single"]
  ) as ("single" | "reduce-then-scan")[];
  const options = { type, algorithm, workGroupSize, itemsPerThread, maxLength };
  const layouts = Object.entries(layoutsOf(vector));
  const isWide = (name: string): boolean => !/odd|one buffer/.test(name) || vector === 1;

  test.for([ofScan])("scan: %s", async (passes, { skip }) => {
    skip(lacks(fold(), type), `the adapter has no ${type.feature}`);
    const exclusive = allRows.indexOf(row) % 2 === 0;
    const scan = await fold().prepareScan({ ...options, op, exclusive, passes } as never);
    for (const [name, layout] of layouts) {
      for (const length of lengthsAt(name)) {
        const title = `${name}, ${length}`;
        const data = randomItems(type, length, title);
        const prefixes = await runPlaced(
          fold().device,
          type,
          data,
          length,
          layout(length),
          (encoder, ranges) => {
            const { itemsPerVector, passes: own } = scan.groupingOf(ranges);
            expect(itemsPerVector, title).toBe(isWide(name) && !name.startsWith("one") ? vector : 1);
            // Between two buffers, a single pass takes ranges that start at any item. In place it takes those that start at vectors.
            const isTwice = name.startsWith("one") || (name.startsWith("in place") && !isWide(name));
            expect(own, title).toBe(isTwice ? "reduce-then-scan" : passes);
            scan.record(encoder, ranges);
          },
          title,
        );
        expectSameBits(prefixes, scanReference(data, { type, op, exclusive } as never), title);
      }
    }
    scan.destroy();
  });

  // Of two rows: what lies past a length that the recording does not know stays as it was, too.
  test.for(allRows.indexOf(row) % 8 === 1 ? ["GPU"] : [])(
    "scan and compact, the length on the %s",
    async (_, { skip }) => {
      skip(lacks(fold(), type), `the adapter has no ${type.feature}`);
      const { device } = fold();
      const gpu = { ...options, passes: "single", lengthOnGpu: true } as const;
      const scan = await fold().prepareScan({ ...gpu, op } as never);
      const compact = await fold().prepareCompact({ ...gpu, where } as never);
      const count = storageBuffer(device, new Uint32Array(4));
      for (const [name, layout] of layouts) {
        for (const length of [0, edge - 1, maxLength]) {
          const title = `${name}, ${length}`;
          const data = randomItems(type, length, title);
          const words = storageBuffer(device, Uint32Array.of(7, length, 9));
          const held = { buffer: words, offset: 4 };
          const places = layout(maxLength);
          const prefixes = await runPlaced(
            device,
            type,
            data,
            length,
            places,
            (encoder, ranges) => scan.record(encoder, { ...ranges, length: held }),
            title,
            maxLength,
          );
          expectSameBits(prefixes, scanReference(data, { type, op } as never), title);
          const expected = compactReference(data, keep as never, { type } as never) as AnyArray;
          const kept = await runPlaced(
            device,
            type,
            data,
            expected.length,
            places,
            (encoder, ranges) =>
              compact.record(encoder, { ...ranges, length: held, count: { buffer: count, offset: 4 } }),
            `compact ${title}`,
            maxLength,
          );
          expectSameBits(kept, expected, `compact ${title}`);
          expect([...(await readWords(device, count))], title).toEqual([0, expected.length, 0, 0]);
          words.destroy();
        }
      }
      destroyAll(scan, compact);
    },
  );

  test("reduce", async ({ skip }) => {
    skip(lacks(fold(), type), `the adapter has no ${type.feature}`);
    const reduce = await fold().prepareReduce({ ...options, op } as never);
    // It stores one item, wherever that lies.
    for (const [name, layout] of layouts.filter(([name]) => !/^(in place, at|the output)/.test(name))) {
      for (const length of lengthsAt(name)) {
        const title = `${name}, ${length}`;
        const data = randomItems(type, length, title);
        const total = await runPlaced(
          fold().device,
          type,
          data,
          1,
          layout(length),
          (encoder, ranges) => reduce.record(encoder, ranges),
          title,
        );
        const expected = reduceReference(data, { type, op } as never) as Value;
        expectSameBits(total, arrayOfOne(type, expected), title);
      }
    }
    reduce.destroy();
  });

  test.for([ofCompact])("compact: %s", async (passes, { skip }) => {
    skip(lacks(fold(), type), `the adapter has no ${type.feature}`);
    const { device } = fold();
    const compact = await fold().prepareCompact({ ...options, where, passes } as never);
    const count = storageBuffer(device, new Uint32Array(4));
    for (const [name, layout] of layouts) {
      for (const length of lengthsAt(name)) {
        const title = `${name}, ${length}`;
        const data = randomItems(type, length, title);
        const expected = compactReference(data, keep as never, { type } as never) as AnyArray;
        const kept = await runPlaced(
          device,
          type,
          data,
          expected.length,
          layout(length),
          (encoder, ranges) => compact.record(encoder, { ...ranges, count: { buffer: count, offset: 4 } }),
          title,
        );
        expectSameBits(kept, expected, title);
        expect([...(await readWords(device, count))], title).toEqual([0, expected.length, 0, 0]);
      }
    }
    compact.destroy();
  });
});
