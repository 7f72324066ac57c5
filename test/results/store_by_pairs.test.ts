import { describe, expect, test } from "vitest";
import type { Operator } from "../../src/algebra/monoid.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { maps, mapsInTurn } from "../look_back/operators.ts";
import type { Run } from "../look_back/support.ts";
import { contextOfFold, expectExact, needVotes, prepareScan } from "../look_back/support.ts";
import { asOnGpus, useSoftwareFold } from "../support/fold.ts";
import { randomItems } from "../support/random.ts";
import { rows } from "../support/rows.ts";

const fold = useSoftwareFold();

const op = mapsInTurn as unknown as Operator<string>;

describe("items of 64 bytes that pairs of lanes store", () => {
  for (const exclusive of rows([false, true], { of: 2 })) {
    test(`exclusive: ${exclusive}`, async ({ skip }) => {
      needVotes(fold(), skip);
      const { facts } = contextOfFold(fold());
      const sizes = { workGroupSize: 2 * facts.subgroupMaxSize, itemsPerThread: 2 };
      const tile = sizes.workGroupSize * sizes.itemsPerThread;
      const options = { type: maps, op, exclusive, maxLength: 40 * tile, ...sizes };
      const subject = await asOnGpus(fold(), () =>
        prepareScan(fold(), { ...options, algorithm: "subgroup", passes: "single" }),
      );
      expect(subject.plan.kernels.map(({ code }) => code.includes("fn write_pair("))).toContain(true);
      const runs = [1, tile - 1, tile, tile + 1, 2 * tile, 5 * tile + 3, 33 * tile - 1].map((length) => {
        const data = randomItems(maps, length, `pairs ${length}`);
        return { title: `of ${length}`, data, expected: scanReference(data, { op, exclusive }) } as Run;
      });
      await expectExact(subject, runs);
    });
  }
});
