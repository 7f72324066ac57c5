import { expect, test } from "vitest";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { add } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { LimitError } from "../../src/errors.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { planSort } from "../../src/plan/sort.ts";
import { planSegmentSort } from "../../src/plan/sort_segments.ts";
import { algorithmNames, untyped } from "../support/fold.ts";
import { factsWith } from "../support/kernels.ts";
import { planCompact, planReduce, planScan } from "../support/plans.ts";
import { workGroupMemory } from "../support/work_group_memory.ts";

const maxLength = 2 ** 20;
const Pair = struct({ name: "Pair", fields: { a: u32, b: f32 } }) as unknown as ElementType;

/** Plans that look at the device's work-group memory. */
const plans: Readonly<Record<string, (facts: DeviceFacts) => Promise<Plan> | Plan | undefined>> = {
  ...Object.fromEntries(
    algorithmNames.flatMap((algorithm) =>
      [u32, u64, f64].flatMap((type) => {
        const options = {
          type,
          op: untyped(add),
          algorithm,
          workGroupSize: 128,
          itemsPerThread: 4,
          maxLength,
        } as const;
        return [
          [
            `${algorithm}, ${type.name}: a scan once`,
            (facts: DeviceFacts) => planScan({ ...options, passes: "single" }, facts),
          ],
          [
            `${algorithm}, ${type.name}: a scan twice`,
            (facts: DeviceFacts) => planScan({ ...options, passes: "reduce-then-scan" }, facts),
          ],
          [`${algorithm}, ${type.name}: a reduction`, (facts: DeviceFacts) => planReduce(options, facts)],
          [
            `${algorithm}, ${type.name}: a compaction once`,
            (facts: DeviceFacts) =>
              planCompact(
                {
                  type,
                  algorithm,
                  workGroupSize: 128,
                  itemsPerThread: 4,
                  maxLength,
                  where: "true",
                  passes: "single",
                },
                facts,
              ),
          ],
        ] as const;
      }),
    ),
  ),
  ...Object.fromEntries(
    [f16, f32, f64].flatMap((type) =>
      (type === f64 ? [64] : [64, 800]).flatMap((workGroupSize) => {
        const options = { type, op: untyped(exactAdd), workGroupSize, itemsPerThread: 4, maxLength } as const;
        const name = `exact sums of ${type.name} by ${workGroupSize}`;
        return [
          [`${name}: a scan once`, (facts: DeviceFacts) => planScan({ ...options, passes: "single" }, facts)],
          [
            `${name}: a scan once, by subgroups`,
            (facts: DeviceFacts) => planScan({ ...options, passes: "single", algorithm: "subgroup" }, facts),
          ],
          [
            `${name}: a scan twice`,
            (facts: DeviceFacts) => planScan({ ...options, passes: "reduce-then-scan" }, facts),
          ],
          [`${name}: a reduction`, (facts: DeviceFacts) => planReduce(options, facts)],
        ] as const;
      }),
    ),
  ),
  ...Object.fromEntries(
    [u32, u64].map((type) => [
      `${type.name}: a reduction by offsets once`,
      (facts: DeviceFacts) =>
        planReduce(
          {
            type,
            op: untyped(add),
            algorithm: "subgroup",
            workGroupSize: 1024,
            itemsPerThread: 32,
            maxLength,
            segments: "offsets",
            passes: "single",
          } as never,
          facts,
        ),
    ]),
  ),
  ...Object.fromEntries(
    [u32, u64, Pair].flatMap((type) =>
      ([undefined, u32, f64] as const).flatMap((moved) => {
        const key = type === Pair ? { key: "x.b", keyType: f32 } : {};
        const sort = { type, ...key, maxLength } as never;
        const name = `${type.name} with ${moved?.name ?? "nothing"}`;
        return [
          [`a sort of ${name}`, (facts: DeviceFacts) => planSort(sort, facts, moved)],
          ...[16, 100, 900, 3000].flatMap((most) =>
            ["rows", "offsets"].map((segments) => [
              `a sort of ${segments} of ${most} ${name}`,
              (facts: DeviceFacts) =>
                planSegmentSort(
                  { ...(sort as object), segments, maxSegmentLength: most } as never,
                  facts,
                  moved,
                ),
            ]),
          ),
        ] as const;
      }),
    ),
  ),
};

/** What every device has. Kernels of fixed sizes that take no more, and the votes of a compaction, are planned without a look at the limit. */
const EVERY_DEVICE = 16384;

// What a plan takes is the limit of the next one, less a little, until other sizes are chosen, or none.
test.for(Object.keys(plans).map((name) => ({ name })))(
  "$name: no kernel has more than the device",
  async ({ name }) => {
    const planFor = async (bytes: number): Promise<Plan | undefined> => {
      try {
        const facts = factsWith(
          { subgroupMinSize: 32, subgroupMaxSize: 32, lookBack: true },
          {
            maxComputeWorkgroupStorageSize: bytes,
            maxComputeInvocationsPerWorkgroup: 1024,
            maxComputeWorkgroupSizeX: 1024,
          },
        );
        return await (plans[name] as (facts: DeviceFacts) => Promise<Plan>)(facts);
      } catch (cause) {
        if (cause instanceof LimitError) {
          return undefined;
        }
        throw cause;
      }
    };
    let seen = 0;
    const least = /^a sort|^subgroup, \w+: a compaction/.test(name) ? EVERY_DEVICE : 256;
    for (let bytes = 49152; bytes >= least; ) {
      const plan = await planFor(bytes);
      if (plan === undefined) {
        break;
      }
      const kernels = plan.kernels.map(({ label, code }) => ({ label, bytes: workGroupMemory(code) }));
      const taken = Math.max(...kernels.map((kernel) => kernel.bytes));
      expect(
        kernels.filter((kernel) => kernel.bytes > bytes),
        `with ${bytes}`,
      ).toEqual([]);
      seen++;
      bytes = Math.min(bytes - 16, taken - 16);
    }
    expect(seen).toBeGreaterThan(0);
  },
);
