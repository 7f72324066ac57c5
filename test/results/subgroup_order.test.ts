import { beforeAll, expect, test } from "vitest";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add, max } from "../../src/algebra/operators.ts";
import type { ScalarType } from "../../src/algebra/types.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { expectSameBits } from "../support/compare.ts";
import { adapter, untyped, useFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { planScan } from "../support/plans.ts";
import { randomBits, randomItems } from "../support/random.ts";
import { inOrder } from "../support/subgroup_order.ts";

const fold = useFold({ subgroupSize: 4, subgroupMinSize: 4, subgroupMaxSize: 4 });

/** The order in which a work-group's subgroups are taken to start, from the order in which they do. */
const orders = {
  backwards: (count: number): number[] => Array.from({ length: count }, (_, at) => count - 1 - at),
  shuffled: (count: number): number[] => {
    const next = randomBits(`subgroups ${count}`);
    const places = Array.from({ length: count }, (_, at) => ({ at, key: next() }));
    return places.sort((a, b) => a.key - b.key).map(({ at }) => at);
  },
} as const;

/** What the kernels that are compiled next are changed for, and how many were. */
const next = { workGroupSize: 0, order: "backwards" as keyof typeof orders, changed: 0 };

/** A text with the numbers by which subgroups start changed. */
function withOrder(code: string, lanes: number): string {
  const count = Math.ceil(next.workGroupSize / lanes);
  const text = inOrder(code, next.workGroupSize, lanes, orders[next.order](count));
  next.changed += text === code ? 0 : 1;
  return text;
}

// SwiftShader starts subgroups in order, and the one that lacks lanes last. A GPU does not.
const isChanged = adapter === "software";
beforeAll(() => {
  const { device } = fold();
  const make = device.createShaderModule.bind(device);
  if (isChanged) {
    device.createShaderModule = (descriptor) =>
      make({ ...descriptor, code: withOrder(descriptor.code, device.adapterInfo.subgroupMaxSize) });
  }
});

/** What a size can be tried with. A scan of f64 shows the order of operations, which does not depend on who starts first. */
const scans: readonly [ScalarType, Operator<string>][] = [
  [u32, untyped(add)],
  [u32, untyped(max)],
  [u32, untyped(affine as Operator)],
  [f64, untyped(add)],
];
const passes = ["reduce-then-scan", "single"] as const;
type Passes = (typeof passes)[number];
const subjects: readonly {
  readonly title: string;
  readonly passes: Passes;
  readonly scan?: (typeof scans)[number];
}[] = passes.flatMap((one) => [
  ...scans.map((scan) => ({
    title: `scan of ${scan[0].name} by ${scan[1].name}, ${one}`,
    passes: one,
    scan,
  })),
  { title: `compact, ${one}`, passes: one },
]);

/** Each number of lanes that the last subgroup may have meets each subject up to 40. Above, there are many subgroups. */
const sizes = [...Array.from({ length: 40 }, (_, at) => at + 1), 63, 66, 97, 128, 130];

test.each(sizes)("work-groups of %i, whichever subgroup starts first", async (size) => {
  const { device } = fold();
  const { facts } = contextOf(device);
  const subject = subjects[(size + Math.floor(size / 4) * 3) % subjects.length];
  if (subject === undefined) {
    throw new Error("there is a subject for each size");
  }
  const itemsPerThread = size === 1 ? 2 : 1 + (size % 3);
  const tuning = { algorithm: "subgroup", workGroupSize: size, itemsPerThread } as const;
  const length = 3 * size * itemsPerThread + 1;
  const exclusive = size % 2 === 0;
  next.workGroupSize = size;
  next.order = size % 3 === 0 ? "shuffled" : "backwards";
  next.changed = 0;
  const title = `${size} threads of ${itemsPerThread} items: ${subject.title}`;
  const data = randomItems(u32, length, title) as Uint32Array;

  // Every second of the sizes whose last subgroups have as many lanes.
  if (Math.floor(size / 4) % 2 === 0) {
    expect(await fold().reduce(data, tuning), `${size} threads: reduce`).toBe(reduceReference(data));
  }
  if (subject.scan === undefined) {
    expectSameBits(
      await fold().compact(data, { where: "x % 3u != 1u", ...tuning, passes: subject.passes }),
      compactReference(data, (value) => (value as number) % 3 !== 1),
      title,
    );
  } else {
    const [type, op] = subject.scan;
    const options = { op, type, exclusive, ...tuning, passes: subject.passes } as const;
    const { groupingOf } = await planScan({ ...options, maxLength: length }, facts, ["vectors"]);
    const items = (type === f64 ? Float64Array.from(data, (word) => word / 7) : data) as ScalarArray;
    expectSameBits(
      await fold().scan(items, options),
      scanReference(items, { op, type, exclusive, grouping: groupingOf("vectors") }),
      title,
    );
  }
  // Where all subgroups are full, a language with subgroup_id has numbers of its own.
  expect(next.changed > 0 || !isChanged || size % device.adapterInfo.subgroupMaxSize === 0, title).toBe(true);
});
