import { describe, expect, test } from "vitest";
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
import { destroyAll, readWords, storageBuffer, submit } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { planAs, useFoldOfOneSize } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { randomWords } from "../support/random.ts";

// Rows whose last one is cut off, and when work-groups take whole rows. All else follows from the examples of scans and reductions:
// test/primitives/.

// Sums of f64 have the order that groupingOf gives.
const fold = useFoldOfOneSize();

/** Tiles of 32 items, level by level and by subgroups, as on a GPU. */
const ways: readonly { readonly name: string; readonly facts: Partial<DeviceFacts> }[] = [
  { name: "levels", facts: { software: false, vendor: "any" } },
  { name: "subgroups", facts: { software: false, vendor: "nvidia", lookBack: true } },
];
const own = { workGroupSize: 8, itemsPerThread: 4 } as const;

const MOST = 2100;

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

describe("rows", () => {
  test("a length on the GPU cuts off the last row, and says how many there are", async () => {
    const { device } = fold();
    const data = randomWords(MOST, "cut off");
    const options = { type: u32, op: affine, lengthOnGpu: true } as const;
    for (const { name, facts } of ways) {
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
