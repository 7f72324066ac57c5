import { describe, expect, test } from "vitest";
import faultsFile from "#shaders/device/look_back/faults_by_run.wgsl";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { i16, u8 } from "../../src/algebra/narrow_types.ts";
import { add } from "../../src/algebra/operators.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import type { TuningOptions } from "../../src/plan/options.ts";
import type { LookBackTesting } from "../../src/plan/scan.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { expectWithin } from "../support/compare.ts";
import { untyped, useFold } from "../support/fold.ts";
import type { affine } from "../support/operators.ts";
import { anyItems, manyMagnitudes, randomBits } from "../support/random.ts";
import { fourMaps, fourMapsInTurn, lastingItems, maps, mapsInTurn, matrix, ofAffine } from "./operators.ts";
import type { Change, LookBack } from "./support.ts";
import {
  contextOfFold,
  expectExact,
  FAULTS,
  faultOf,
  faults,
  fewLanes,
  floatsUnderFaults,
  lengthsOf,
  lookBacks,
  missing,
  onGpu,
  POISON,
  prepareCompact,
  preparePartition,
  prepareScan,
  runsAtLengths,
  STUCK_MS,
  shapeOf,
  strideOf,
} from "./support.ts";

const fold = useFold(fewLanes);

interface Case {
  readonly title: string;
  readonly type: ElementType;
  readonly op: Operator<string>;
  readonly exclusive?: boolean;
  readonly items?: (type: ElementType, length: number, name: string) => AnyArray;
  /** What each item goes through, and its twin. */
  readonly mapped?: { readonly from: ElementType; readonly map: string; readonly twin: unknown };
  /** What comes before the first item. Then the total is compared, too. */
  readonly initial?: number;
  /** What says where segments start: about one starts in `each` items. */
  readonly segments?: { readonly by: "heads" | "headBits"; readonly each: number };
  /** The look-back that it is for; each, where it is left out. */
  readonly lookBack?: LookBack;
  readonly tuning?: (facts: DeviceFacts) => TuningOptions;
  readonly testing?: LookBackTesting;
  readonly lengthOnGpu?: boolean;
  readonly change?: Change;
  /** Whether all lengths are tried, not only on a GPU. */
  readonly long?: boolean;
}

/** A flag for each item, or a bit, at random: few segments start at a tile. */
function headsOf(length: number, name: string, { by, each }: NonNullable<Case["segments"]>): Uint32Array {
  const next = randomBits(name);
  const flags = Uint32Array.from({ length }, () => (next() % each === 0 ? 1 : 0));
  return by === "heads"
    ? flags
    : Uint32Array.from({ length: Math.ceil(length / 32) }, (_, word) =>
        flags
          .subarray(32 * word, 32 * word + 32)
          .reduce((bits, flag, bit) => (bits | (flag << bit)) >>> 0, 0),
      );
}

/** Work-groups that start in any order: here, the last tile's first. */
const lastFirst: Change = [
  [
    "return work_group.y * call.grid_width + work_group.x;",
    "return call.tiles - 1u - (work_group.y * call.grid_width + work_group.x);",
  ],
];

const cases: readonly Case[] = [
  { title: "an operator that does not commute", ...ofAffine, long: true },
  { title: "patience 0", ...ofAffine, testing: { patience: 0 } },
  {
    title: "patience 1, without tickets",
    lookBack: "by votes",
    ...ofAffine,
    testing: { patience: 1, tickets: false },
  },
  {
    title: "patience 300, exclusive",
    lookBack: "by threads",
    ...ofAffine,
    exclusive: true,
    testing: { patience: 300 },
  },
  {
    title: "the last tile's work-group first",
    ...ofAffine,
    testing: { tickets: false },
    change: lastFirst,
  },
  {
    title: "from an initial value, with the total",
    lookBack: "by threads",
    ...ofAffine,
    initial: 0x80030005,
  },
  {
    title: "exclusive, from an initial value",
    lookBack: "by votes",
    ...ofAffine,
    exclusive: true,
    initial: 0x70005,
  },
  {
    title: "a length on the GPU, and three work-groups",
    ...ofAffine,
    lengthOnGpu: true,
    testing: { scanWorkGroups: 3 },
    initial: 0x80030005,
  },
  {
    title: "a length on the GPU, and one work-group, exclusive, patience 1",
    lookBack: "by votes",
    ...ofAffine,
    exclusive: true,
    lengthOnGpu: true,
    testing: { scanWorkGroups: 1, patience: 1 },
  },
  {
    title: "u64 add, a length on the GPU",
    lookBack: "by threads",
    type: u64,
    op: untyped(add),
    lengthOnGpu: true,
    testing: { scanWorkGroups: 40 },
  },
  // What does not depend on how a tile looks back is tried with one of both ways.
  // An element has a number of heads beside its value. Long segments take carries across groups.
  { title: "segments by flags", lookBack: "by votes", ...ofAffine, segments: { by: "heads", each: 40 } },
  {
    title: "long segments by bits, exclusive",
    lookBack: "by threads",
    ...ofAffine,
    exclusive: true,
    segments: { by: "headBits", each: 900 },
  },
  { title: "u32 add", lookBack: "by threads", type: u32, op: untyped(add), exclusive: true },
  // What is missing is mapped again, at its own place.
  {
    title: "items of twice the size, mapped",
    lookBack: "by votes",
    ...ofAffine,
    items: (_, length, name) => anyItems("u64", length, name),
    mapped: {
      from: u64,
      map: "u32(x) ^ (u32(x >> 32) + i)",
      twin: (x: bigint, i: number) => (Number(x & 0xffffffffn) ^ (Number(x >> 32n) + i)) >>> 0,
    },
    tuning: () => ({ itemsPerThread: 4 }),
  },
  // Threads hold words, and what is missing is added up meanwhile.
  {
    title: "u8 add",
    lookBack: "by votes",
    type: u8,
    op: untyped(add),
    items: (_, length, name) => Uint8Array.from({ length }, randomBits(name)),
    tuning: () => ({ itemsPerThread: 4 }),
  },
  {
    title: "i16 add, exclusive, a length on the GPU",
    lookBack: "by votes",
    type: i16,
    op: untyped(add),
    exclusive: true,
    items: (_, length, name) => Int16Array.from({ length }, randomBits(name)),
    tuning: () => ({ itemsPerThread: 8 }),
    lengthOnGpu: true,
  },
  { title: "u64 add", lookBack: "by votes", type: u64, op: untyped(add) },
  {
    title: "f64 add, bit for bit",
    lookBack: "by votes",
    type: f64,
    op: untyped(add),
    items: (_, length, name) => manyMagnitudes(length, name),
  },
  {
    title: "f64 add, rows together, bit for bit",
    type: f64,
    op: untyped(add),
    items: (_, length, name) => manyMagnitudes(length, name),
    lookBack: "by votes",
    tuning: () => ({ itemsPerThread: 16 }),
  },
  {
    title: "f64 add, of structs that are mapped, bit for bit",
    lookBack: "by threads",
    type: f64,
    op: untyped(add),
    items: (_, length, name) => lastingItems(matrix.type, length, name),
    mapped: {
      from: matrix.type,
      map: "vec2<u32>(x.a, (x.b & 0x800fffffu) | ((1000u + x.c % 40u) << 20u))",
      twin: ({ a, b, c }: Record<"a" | "b" | "c", number>) =>
        new Float64Array(Uint32Array.of(a, (b & 0x800fffff) | ((1000 + (c % 40)) << 20)).buffer)[0],
    },
    tuning: () => ({ itemsPerThread: 4 }),
  },
  {
    title: "a struct of 16 bytes",
    lookBack: "by votes",
    type: matrix.type,
    op: matrix as unknown as Operator<string>,
  },
  {
    title: "a struct of 32 bytes",
    lookBack: "by votes",
    type: fourMaps,
    op: fourMapsInTurn as unknown as Operator<string>,
  },
  {
    title: "a struct of 64 bytes",
    lookBack: "by threads",
    type: maps,
    op: mapsInTurn as unknown as Operator<string>,
  },
  // Work-groups of other sizes: groups of one tile, of two, and of more; and one that is no power of two.
  ...[2, 3, 16].map(
    (workGroupSize): Case => ({
      title: `work-groups of ${workGroupSize}`,
      ...ofAffine,
      lookBack: "by threads",
      tuning: () => ({ workGroupSize }),
    }),
  ),
  {
    title: "f64 add by Blelloch, in work-groups of 6, bit for bit",
    type: f64,
    op: untyped(add),
    items: (_, length, name) => manyMagnitudes(length, name),
    lookBack: "by threads",
    tuning: () => ({ algorithm: "blelloch", workGroupSize: 6 }),
  },
  // The largest work-groups look back in groups of 8 tiles. Elsewhere they take long.
  ...(onGpu
    ? [
        {
          title: "f64 add by Blelloch, in the largest work-groups, bit for bit",
          type: f64,
          op: untyped(add),
          items: (_: ElementType, length: number, name: string) => manyMagnitudes(length, name),
          lookBack: "by threads" as const,
          tuning: () => ({ algorithm: "blelloch" as const, workGroupSize: 512 }),
        },
      ]
    : []),
  {
    title: "blelloch, in work-groups of 6",
    ...ofAffine,
    lookBack: "by threads",
    tuning: () => ({ algorithm: "blelloch", workGroupSize: 6 }),
  },
  {
    title: "subgroups of which one is not full",
    ...ofAffine,
    lookBack: "by threads",
    tuning: (facts) => ({ algorithm: "subgroup", workGroupSize: facts.subgroupMaxSize * 1.5 }),
  },
  {
    title: "work-groups of one subgroup",
    ...ofAffine,
    lookBack: "by votes",
    tuning: (facts) => ({ algorithm: "subgroup", workGroupSize: facts.subgroupMaxSize }),
  },
  {
    title: "several groups at once",
    ...ofAffine,
    lookBack: "by votes",
    tuning: (facts) => ({ workGroupSize: 4 * facts.subgroupMaxSize, itemsPerThread: 1 }),
  },
];

const casesOf = (lookBack: (typeof lookBacks)[number]) =>
  cases.filter((one) => one.lookBack === undefined || one.lookBack === lookBack);
const compactions = [
  { title: "indices=false tickets=true", indices: false, tickets: true },
  { title: "indices=true tickets=false", indices: true, tickets: false },
  { title: "the rest apart, tickets=false", indices: false, tickets: false, isApart: true },
];
/** What is kept, and the rest in a range of its own behind that of the output, as {@link outputsOf} records it. */
function placed(kept: Uint32Array, rest: Uint32Array, length: number): Uint32Array {
  const behind = strideOf(4 * length) / 4;
  const words = new Uint32Array(behind + rest.length).fill(POISON);
  words.set(kept);
  words.set(rest, behind);
  return words;
}
describe.each(lookBacks)("a tile looks back %s", (lookBack) => {
  // A GPU's groups by subgroups are long, and so is the reference on the CPU.
  const all = onGpu && lookBack === "by threads";

  test.for(casesOf(lookBack))(
    "$title",
    // A driver may take a minute to compile the largest struct.
    { timeout: (onGpu ? 3 : 1) * STUCK_MS },
    async (
      {
        type,
        op,
        exclusive = false,
        items = lastingItems,
        mapped,
        initial,
        segments,
        tuning,
        testing,
        lengthOnGpu,
        change,
        long = false,
      },
      { skip },
    ) => {
      const { facts } = contextOfFold(fold());
      const why = missing(lookBack, facts);
      skip(why !== undefined, why);
      const shape = shapeOf(lookBack, facts, tuning?.(facts));
      const lengths = lengthsOf(shape, all || long);
      const subject = await prepareScan(
        fold(),
        {
          type: type.wide ?? type,
          ...(type.wide && { from: type }),
          op,
          exclusive,
          maxLength: Math.max(...lengthsOf(shape, true)),
          ...(initial !== undefined && { initial: true, total: true }),
          ...(mapped && { from: mapped.from, map: mapped.map }),
          ...(segments && { segments: segments.by }),
          ...(lengthOnGpu && { lengthOnGpu }),
          ...shape.tuning,
        },
        { faults, ...testing },
        { ...(change && { change }) },
      );
      const grouping = subject.plan.groupingOf("vectors");
      await expectExact(
        subject,
        runsAtLengths(
          lengths,
          (length, name) => {
            const data = items(type, length, name);
            const twin = mapped && { from: mapped.from, map: mapped.twin };
            const total = new Uint32Array(1);
            const ends = initial !== undefined && { initial, total };
            const heads = segments && headsOf(length, `${name} heads`, segments);
            const options = {
              type: type.wide ?? type,
              op,
              exclusive,
              ...twin,
              ...ends,
              ...(heads && { segments: { [segments.by]: heads } }),
              ...(type.name === "f64" && { grouping }),
            };
            const expected = scanReference(data as Uint32Array, options as unknown as { op: typeof affine });
            return {
              data,
              expected,
              ...(initial !== undefined && { initial, count: total[0] as number }),
              ...(heads && { heads }),
            };
          },
          long,
        ),
      );
    },
  );

  test("f32 add: within the bound, and the same bits whatever is late or missing", {
    timeout: STUCK_MS,
  }, async ({ skip }) => {
    const { facts } = contextOfFold(fold());
    const why = missing(lookBack, facts);
    skip(why !== undefined, why);
    const shape = shapeOf(lookBack, facts, lookBack === "by threads" ? { workGroupSize: 6 } : {});
    const subject = await prepareScan(
      fold(),
      { type: f32, maxLength: Math.max(...lengthsOf(shape, true)), ...shape.tuning },
      { faults },
    );
    for (const length of lengthsOf(shape, all)) {
      for (const { data, results } of await floatsUnderFaults(subject, length)) {
        let sum = 0;
        const exact = Array.from(data, (x, index) => {
          sum += x;
          // Each addition may round up or down, by a part in 2^23.
          return { value: sum, bound: index * 2 ** -23 * sum };
        });
        expectWithin(results.subarray(0, length), exact, `of ${length}`);
      }
    }
  });

  test.for(compactions)(
    "compaction, $title",
    { timeout: STUCK_MS },
    async ({ indices, tickets, isApart = false }, { skip }) => {
      const { facts } = contextOfFold(fold());
      const why = missing(lookBack, facts);
      skip(why !== undefined, why);
      const shape = shapeOf(lookBack, facts);
      const subject = await (isApart ? preparePartition : prepareCompact)(
        fold(),
        {
          type: u32,
          where: "x % 3u == 1u",
          indices,
          maxLength: Math.max(...lengthsOf(shape, true)),
          ...shape.tuning,
        },
        { faults, tickets },
      );
      await expectExact(
        subject,
        runsAtLengths(lengthsOf(shape, all), (length, name) => {
          const data = anyItems("u32", length, name) as Uint32Array;
          const keep = (x: number): boolean => x % 3 === 1;
          const expected: Uint32Array = indices
            ? compactReference(data, keep, { indices })
            : compactReference(data, keep);
          return {
            data,
            expected: isApart
              ? placed(
                  expected,
                  compactReference(data, (x) => !keep(x)),
                  length,
                )
              : expected,
            count: expected.length,
          };
        }),
      );
    },
  );
});

test("the shader has as many modes and shares as there are names", () => {
  const constant = (name: string): number =>
    Number(new RegExp(`^const ${name} = (\\d+)u;$`, "m").exec(faultsFile.text)?.[1]);
  const names = Array.from({ length: FAULTS }, (_, at) => faultOf(at + 1).split(": "));
  const [modes, shares] = [0, 1].map((at) => new Set(names.map((name) => name[at])).size);
  expect({ modes: constant("MODES"), shares: constant("SHARES") }).toEqual({ modes, shares });
});
