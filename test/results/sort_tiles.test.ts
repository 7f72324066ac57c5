import { describe, expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import { sortFaults } from "../../src/kernels/sort.ts";
import type { SortPlan } from "../../src/plan/sort.ts";
import { argSortReference, sortReference } from "../../src/reference/sort.ts";
import { readWords, storageBuffer, submit } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useFold, useSoftwareFold } from "../support/fold.ts";
import { pairs } from "../support/pairs.ts";
import type { Change } from "../support/plant.ts";
import { arriveInOrder, keepsKeys, keepsRanks, plant } from "../support/plant.ts";
import { kinds } from "../support/sorted_arrays.ts";
import {
  expectSorted,
  lacks,
  plannedSort,
  prepareOn,
  sizes,
  TILE,
  typeNames,
  ways,
} from "../support/sorts.ts";

// How tiles of a sort are ranked and moved, and how their look-back goes on where a tile is late or wrong. All of it is forced by sizes and
// faults that are for tests.

// Work-groups that run in order find what they wait for, and then nobody counts in place of another.
const fold = useFold({ schedule: "random", residentGroups: 5 });

/** Tiles are late by fewer steps than on a GPU: the simulator takes them one after another. */
const lessLate: Change = { from: /delay_tile\(tile, 1000u\)/g, to: "delay_tile(tile, 60u)" };

async function prepared(plan: SortPlan): Promise<Prepared> {
  const takeBack = plant(fold(), lessLate);
  try {
    return await prepareOn(fold(), plan);
  } finally {
    takeBack();
  }
}

const faults = pairs({ fault: sortFaults, share: [1, 2], tickets: [false, true] });
test.for(faults)(
  "a fault in the look-back: $fault, in every tile of $share, tickets: $tickets",
  async (testing) => {
    const { device } = fold();
    const length = 3 * 64 + 5;
    const data = kinds.few("u32", length, testing.fault) as Uint32Array;
    const tile = { workGroupSize: 64, itemsPerThread: 1 } as const;
    const options = { type: u32, bits: [0, 6], passes: "single", maxLength: length, ...tile } as const;
    const plan = plannedSort(fold(), options, "positions", { ...testing, patience: 3 });
    const sort = await prepared(plan);
    for (let run = 0; run < 2; run++) {
      const [input, output, reordered] = [data, new Uint32Array(length), new Uint32Array(length)].map(
        (words) => storageBuffer(device, words),
      ) as [GPUBuffer, GPUBuffer, GPUBuffer];
      submit(device, (encoder) => sort.record(encoder, { input, output, reordered, length }));
      expectSameBits(await readWords(device, reordered), argSortReference(data), `run ${run}`);
      expectSameBits(await readWords(device, output), sortReference(data), `run ${run}: keys`);
    }
    sort.destroy();
  },
);

/** Rows with the names of what moves, for titles. */
const titled = <T extends { readonly moved: { readonly name: string } | undefined }>(rows: readonly T[]) =>
  rows.map((row) => ({ ...row, values: row.moved?.name ?? "nothing" }));

const wayOf = (at: number) => ways[at] as (typeof ways)[number];

// Keys and values of one word, of two, and of both lengths.
const inParts = [
  { way: wayOf(0), name: "u32", moved: undefined, bits: [0, 6] },
  { way: wayOf(1), name: "f64", moved: f64, bits: [26, 38] },
  { way: wayOf(2), name: "i64", moved: u32, bits: [58, 64] },
  { way: wayOf(3), name: "u32", moved: u64, bits: [3, 10] },
] as const;
test.for(titled(inParts))(
  "tiles that go through work-group memory in parts: $way.name, $name with $values",
  async ({ way, name, moved, bits }) => {
    const { name: _, ...tuning } = way;
    const descending = name === "i64";
    const testing = {
      partBytes: 256,
      patience: 3,
      ...(tuning.passes === "single" && { fault: "late" as const }),
    };
    // Of several tiles, and of one, whose kernel alone would put all items down at once.
    for (const maxLength of [TILE, 2 * TILE + 1]) {
      const options = { type: elementTypes[name], descending, bits, maxLength, ...tuning, ...sizes };
      const sort = await prepared(plannedSort(fold(), options, moved, testing));
      for (const length of maxLength === TILE ? [1, TILE - 1, TILE] : [0, 2 * TILE + 1]) {
        await expectSorted(fold(), sort, { name, descending, moved, bits, length });
      }
      sort.destroy();
    }
  },
);

/** NaN of several bits, whose order shows, among few other values. */
function withNan(name: "f32", length: number): Uint32Array {
  const data = kinds.few(name, length, name) as unknown as Uint32Array;
  const bits = new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4);
  const each = bits.length / length;
  for (let at = 0; at < length; at += 7) {
    bits.fill((0x7ff80000 + ((at * 37) % 1000)) | ((at % 2) << 31), at * each, (at + 1) * each);
  }
  return data;
}

describe("keys that are ranked by the order in which they arrive", () => {
  // A tile whose items arrive in a wrong order is sorted again. So are tiles that are not full, and those that have NaN.
  const planted = (
    [
      ["u32", "single", 0, 256],
      ["f32", "single", 2, 256, "late"],
      ["u32", "reduce-then-scan", 2, Infinity],
      ["i32", "single", 0, 256],
      ["f32", "reduce-then-scan", 1, 256],
    ] as const
  ).map(([name, passes, disorder, partBytes, fault], at) => {
    return { name, passes, disorder, partBytes, descending: at % 4 < 2, ...(fault && { fault }) };
  });
  test.for(planted)(
    "$name, $passes, wrong tiles: one of $disorder, descending: $descending, parts of $partBytes bytes, fault: $fault",
    async ({ name, passes, descending, disorder, ...testing }) => {
      const type = elementTypes[name];
      const options = {
        type,
        descending,
        passes,
        algorithm: "subgroup",
        ...sizes,
        maxLength: 2 * TILE + 1,
      } as const;
      const disordered = { ...testing, ...(disorder > 0 && { disorder }) };
      const plan = plannedSort(fold(), options, undefined, { ...disordered, byArrival: true, patience: 3 });
      expect(plan.kernels.filter(({ entryPoint }) => entryPoint === "sort_keys_pass")).toHaveLength(1);
      const sort = await prepared(plan);
      for (const [turn, length] of [1, TILE, 2 * TILE + 1].entries()) {
        const kind = (["any", "few", "top byte"] as const)[turn % 3] as "any";
        const hasNan = type.kind === "float" && length > TILE;
        const data = hasNan ? withNan(name as "f32", length) : undefined;
        await expectSorted(fold(), sort, { name, length, descending, kind, ...(data && { data }) });
      }
      sort.destroy();
    },
  );
});

describe("items that are ranked by the order in which they arrive, and checked by marks", () => {
  const marked = typeNames.map((name, at) => {
    const moved = [u32, f64, undefined][at % 3];
    return {
      name,
      moved,
      values: moved?.name ?? "nothing",
      disorder: (at + (at >> 1)) % 3,
      descending: at % 2 === 1,
      passes: at % 2 === 0 ? ("single" as const) : ("reduce-then-scan" as const),
      bits: at % 3 === 1 ? undefined : ([2, 13] as const),
      partBytes: at % 4 < 2 ? 256 : Infinity,
      ...(at % 4 === 0 && { fault: sortFaults[at % sortFaults.length] as "late" }),
    };
  });
  test.for(marked)(
    "$name with $values, $passes, wrong tiles: one of $disorder, bits: $bits, parts of $partBytes bytes, fault: $fault",
    async (row, { skip }) => {
      const { name, moved, descending, bits, passes, values: _, disorder, ...testing } = row;
      const type = elementTypes[name];
      skip(lacks(fold(), type), `the adapter has no ${type.feature}`);
      const options = {
        type,
        descending,
        passes,
        algorithm: "subgroup",
        ...sizes,
        maxLength: 2 * TILE + 1,
      } as const;
      const plan = plannedSort(fold(), { ...options, ...(bits && { bits }) }, moved, {
        ...testing,
        ...(disorder > 0 && { disorder }),
        byMarks: true,
        byArrival: false,
        patience: 3,
      });
      expect(plan.kernels.some(({ code }) => code.includes("ranks_again"))).toBe(name !== "f16");
      const sort = await prepared(plan);
      for (const length of [1, TILE, 2 * TILE + 1]) {
        await expectSorted(fold(), sort, { ...row, length });
      }
      sort.destroy();
    },
  );
});

describe("threads of as many items as on NVIDIA's GPUs", () => {
  // A quarter of the threads, and parts of a quarter of the bytes, so that there are as many parts.
  const sized = { algorithm: "subgroup", passes: "single", workGroupSize: 64 } as const;
  const testing = { partBytes: 5632 } as const;
  // In order, items are ranked right without a repair by votes, which would hide it if the fast way were always wrong. On the simulator, they
  // arrive in any order.
  const inOrder = useSoftwareFold();

  const ofKeys = [["u32", 32]] as const;
  test.for(ofKeys)("keys alone: %s, %i items a thread", async ([name, itemsPerThread]) => {
    const type = elementTypes[name];
    const length = 64 * itemsPerThread + 177;
    const options = { type, ...sized, itemsPerThread, maxLength: length };
    const plan = plannedSort(inOrder(), options, undefined, { ...testing, byArrival: true });
    expect(plan.kernels.filter(({ entryPoint }) => entryPoint === "sort_keys_pass")).toHaveLength(1);
    // Keys with NaN are always sorted again.
    const isKept = type.kind !== "float" && arriveInOrder(inOrder());
    const takeBack = plant(inOrder(), ...(isKept ? [keepsKeys] : []));
    const sort = await prepareOn(inOrder(), plan);
    expect(takeBack().every((changed) => changed > 0)).toBe(true);
    await expectSorted(inOrder(), sort, { name, length });
    sort.destroy();
  });

  const ofMarks = [{ name: "u32", moved: u64, itemsPerThread: 22 }] as const;
  test.for(titled(ofMarks))(
    "by marks: $name with $values, $itemsPerThread items a thread",
    async ({ name, moved, itemsPerThread }) => {
      const bits = [0, 6] as const;
      const maxLength = 64 * itemsPerThread + 177;
      const takeBack = plant(inOrder(), ...(arriveInOrder(inOrder()) ? [keepsRanks] : []));
      const options = { type: elementTypes[name], ...sized, itemsPerThread, maxLength, bits };
      const plan = plannedSort(inOrder(), options, moved, { ...testing, byMarks: true });
      expect(plan.kernels.some(({ code }) => code.includes("ranks_again"))).toBe(true);
      const sort = await prepareOn(inOrder(), plan);
      expect(takeBack().every((changed) => changed > 0)).toBe(true);
      await expectSorted(inOrder(), sort, { name, length: maxLength, moved, bits });
      sort.destroy();
    },
  );
});
