import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { maps, mapsInTurn } from "../look_back/operators.ts";
import type { Run } from "../look_back/support.ts";
import { contextOfFold, expectExact, needVotes, POISON, prepareScan, wordsOf } from "../look_back/support.ts";
import { readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { asOnGpus, useSoftwareFold } from "../support/fold.ts";
import { planScan } from "../support/plans.ts";
import { randomItems } from "../support/random.ts";
import { rows } from "../support/rows.ts";

const fold = useSoftwareFold();

const op = mapsInTurn as unknown as Operator<string>;

/** What items of 64 bytes are planned with: as many as two subgroups take. */
function optionsOf(exclusive: boolean) {
  const sizes = { workGroupSize: 2 * contextOfFold(fold()).facts.subgroupMaxSize, itemsPerThread: 2 };
  const tile = sizes.workGroupSize * sizes.itemsPerThread;
  return { tile, options: { type: maps, op, exclusive, maxLength: 40 * tile, ...sizes } };
}

const runsOf = (tile: number, exclusive: boolean): Run[] =>
  [1, tile - 1, tile, tile + 1, 2 * tile, 5 * tile + 3, 33 * tile - 1].map((length) => {
    const data = randomItems(maps, length, `pairs ${length}`);
    return { title: `of ${length}`, data, expected: scanReference(data, { op, exclusive }) } as Run;
  });

describe("items of 64 bytes that pairs of lanes store", () => {
  test.for(rows([false, true], { of: 4 }))("exclusive: %s", async (exclusive, { skip }) => {
    needVotes(fold(), skip);
    const { tile, options } = optionsOf(exclusive);
    const subject = await asOnGpus(fold(), () =>
      prepareScan(fold(), { ...options, algorithm: "subgroup", passes: "single" }),
    );
    expect(subject.plan.kernels.map(({ code }) => code.includes("fn write_pair("))).toContain(true);
    expect(subject.plan.kernels.some(({ code }) => code.includes("element_shuffle(given, next)"))).toBe(
      !exclusive,
    );
    await expectExact(subject, runsOf(tile, exclusive));
    subject.prepared.destroy();
  });

  // By the same tiles.
  test.for(rows([false, true], { of: 4, shift: 2 }))(
    "in place, exclusive: %s",
    async (exclusive, { skip }) => {
      needVotes(fold(), skip);
      const { tile, options } = optionsOf(exclusive);
      const { device } = fold();
      const plan = await asOnGpus(fold(), () =>
        planScan({ ...options, algorithm: "subgroup", passes: "single" }, contextOfFold(fold()).facts, [
          "vectors",
          "in-place",
        ]),
      );
      const own = plan.passes(2 * tile, "in-place").map(({ kernel }) => kernel);
      expect(own.map(({ entryPoint }) => entryPoint)).toEqual(["scan_single_pass", "scan_left_tiles"]);
      expect(own.map(({ code }) => code.includes("fn write_pair("))).toEqual([true, true]);
      const prepared = await prepare(contextOfFold(fold()), plan);
      for (const { title, data, expected } of runsOf(tile, exclusive)) {
        const words = wordsOf(data);
        const padded = new Uint32Array(words.length + 16).fill(POISON);
        padded.set(words);
        const buffer = storageBuffer(device, padded);
        const range = { buffer, size: 4 * words.length };
        const encoder = device.createCommandEncoder();
        prepared.record(encoder, { input: range, output: range, length: data.length });
        device.queue.submit([encoder.finish()]);
        padded.set(wordsOf(expected as AnyArray));
        expectSameBits(await readWords(device, buffer), padded, `in place, ${title}`);
        buffer.destroy();
      }
      prepared.destroy();
    },
  );
});
