import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { operator } from "../../src/algebra/custom_operator.ts";
import { i32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import type { Fold } from "../../src/node.ts";
import type { ScanOptions } from "../../src/plan/scan.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { fourMaps, fourMapsInTurn, maps, mapsInTurn, matrix } from "../look_back/operators.ts";
import type { Run, Subject } from "../look_back/support.ts";
import { contextOfFold, expectExact, needVotes, POISON } from "../look_back/support.ts";
import { readWords, storageBuffer, wordsOf } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { asOnGpus, useFold } from "../support/fold.ts";
import { machineOf } from "../support/machine.ts";
import { planScan } from "../support/plans.ts";
import { randomBits, randomItems } from "../support/random.ts";
import { runPlaced } from "../support/ranges.ts";

const machine = machineOf("test/results/long_structs.test.ts");
const LANES = 16;
/** At most 16 lanes, so that tiles of two subgroups are short. */
const lanes = Math.min(LANES, machine.subgroupSize ?? LANES);
const fold = useFold({
  subgroupSize: lanes,
  subgroupMinSize: Math.min(lanes, machine.subgroupMinSize ?? lanes),
  subgroupMaxSize: Math.min(LANES, machine.subgroupMaxSize ?? lanes),
});

/** A struct of words, half of which are added, where the other half keep the latest that is not 0: that does not commute. */
function wordsInTurn(count: number): { readonly type: ElementType; readonly op: Operator<string> } {
  const names = Array.from({ length: count }, (_, at) => `w${at}`);
  const type = struct({
    name: `Words${count}`,
    fields: Object.fromEntries(names.map((name) => [name, i32] as const)),
  });
  const op = operator({
    name: "addAndKeep",
    type,
    identity: Object.fromEntries(names.map((name) => [name, 0])),
    combine: `Words${count}(${names
      .map((name, at) =>
        at % 2 === 0
          ? `earlier.${name} + later.${name}`
          : `select(later.${name}, earlier.${name}, later.${name} == 0)`,
      )
      .join(", ")})`,
    reference: (earlier, later) =>
      Object.fromEntries(
        names.map((name, at) => {
          const [before, after] = [earlier[name] as number, later[name] as number];
          return [name, at % 2 === 0 ? (before + after) | 0 : after || before];
        }),
      ),
  });
  return { type, op: op as unknown as Operator<string> };
}

/**
 * Items of 32 and 64 bytes are stored by pairs of lanes, and so are vectors of three parts: four items of 12 bytes, two of 24, one of 48. Of 16 bytes
 * and more, where a vector is an item, an inclusive prefix comes from the next lane.
 */
const cases = [
  { ...wordsInTurn(3), itemsPerThread: 4, exclusive: false },
  { ...wordsInTurn(3), itemsPerThread: 12, exclusive: true },
  { ...wordsInTurn(6), itemsPerThread: 2, exclusive: true },
  { ...wordsInTurn(6), itemsPerThread: 6, exclusive: false },
  { ...wordsInTurn(12), itemsPerThread: 1, exclusive: false },
  { ...wordsInTurn(12), itemsPerThread: 4, exclusive: true },
  { type: maps, op: mapsInTurn as unknown as Operator<string>, itemsPerThread: 2, exclusive: false },
  { type: maps, op: mapsInTurn as unknown as Operator<string>, itemsPerThread: 2, exclusive: true },
  { type: matrix.type, op: matrix as unknown as Operator<string>, itemsPerThread: 4, exclusive: false },
  // Three chunks of two rows.
  { type: fourMaps, op: fourMapsInTurn as unknown as Operator<string>, itemsPerThread: 6, exclusive: false },
  { type: fourMaps, op: fourMapsInTurn as unknown as Operator<string>, itemsPerThread: 3, exclusive: true },
] as const;

/** What a case is planned with: as many items as two subgroups take. */
function optionsOf({ type, op, itemsPerThread, exclusive }: (typeof cases)[number]) {
  const sizes = { workGroupSize: 2 * contextOfFold(fold()).facts.subgroupMaxSize, itemsPerThread };
  const tile = sizes.workGroupSize * sizes.itemsPerThread;
  const ways = { algorithm: "subgroup", passes: "single" } as const;
  return { tile, options: { type, op, exclusive, maxLength: 40 * tile, ...sizes, ...ways } };
}

/** Around tiles; and where items are few, in more than one group of a look-back. */
function runsOf(tile: number, { type, op, exclusive, itemsPerThread }: (typeof cases)[number]): Run[] {
  const most = itemsPerThread > 1 ? 3 * tile + 3 : 33 * tile - 1;
  return [1, tile - 1, tile + 1, most].map((length) => {
    const data = randomItems(type, length, `pairs ${length}`);
    return { title: `of ${length}`, data, expected: scanReference(data, { op, exclusive }) } as Run;
  });
}

/** Scans each run in place. */
async function expectInPlace({ device, prepared }: Subject, runs: readonly Run[]): Promise<void> {
  for (const { title, data, expected } of runs) {
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
}

/** A scan between two buffers that starts at vectors, and in place, planned as on a GPU. */
async function prepareBoth(own: Fold, options: ScanOptions): Promise<Subject> {
  const context = contextOfFold(own);
  const plan = await asOnGpus(own, () => planScan(options, context.facts, ["vectors", "in-place"]));
  return { device: own.device, plan, prepared: await prepare(context, plan) };
}

describe("a single pass whose lanes exchange vectors, over structs", () => {
  const titled = cases.map((one) => [`${one.type.bytes} bytes, exclusive: ${one.exclusive}`, one] as const);

  test.for(titled)("%s", async ([, one], { skip }) => {
    needVotes(fold(), skip);
    const { tile, options } = optionsOf(one);
    const { type, op, exclusive } = one;
    const subject = await prepareBoth(fold(), options);
    const { plan, prepared } = subject;
    const own = plan.passes(2 * tile, "in-place").map(({ kernel }) => kernel);
    expect(own.map(({ entryPoint }) => entryPoint)).toEqual(["scan_single_pass", "scan_left_tiles"]);
    const byPairs = type.bytes !== 16;
    expect(plan.kernels.map(({ code }) => code.includes("fn write_pair("))).toEqual(
      plan.kernels.map(() => byPairs),
    );
    const isShifted = !exclusive && type.bytes % 16 === 0;
    expect(plan.kernels.some(({ code }) => code.includes("element_shuffle(given, next)"))).toBe(isShifted);
    const runs = runsOf(tile, one);
    await expectExact(subject, runs);
    await expectInPlace(subject, runs.slice(2));
    // The runs above start where bindings do.
    const { vector } = plan;
    for (const places of [
      { input: 3 * vector, output: 5 * vector, shared: false },
      { input: 5 * vector, output: 5 * vector, shared: true },
    ]) {
      const name = `${places.shared ? "in place" : "apart"}, ${2 * tile + 1}`;
      const data = randomItems(type, 2 * tile + 1, name);
      const prefixes = await runPlaced(
        fold().device,
        type,
        data,
        data.length,
        places,
        (encoder, ranges) => prepared.record(encoder, ranges),
        name,
      );
      expectSameBits(prefixes, scanReference(data, { op, exclusive } as never), name);
    }
    prepared.destroy();
  });

  const both = [false, true];
  test.for(both)("u64 to 32 bytes, exclusive: %s", async (exclusive, { skip }) => {
    needVotes(fold(), skip);
    const { tile, options } = optionsOf({
      ...(cases[6] as (typeof cases)[number]),
      ...wordsInTurn(8),
      exclusive,
    } as never);
    const map = "Words8(i32(x), i32(x >> 32), i32(i), 1, i32(x ^ (x >> 32)), i32(i & 3u), 5, i32(x >> 32))";
    const plan = await asOnGpus(fold(), () =>
      planScan({ ...options, from: u64, map } as never, contextOfFold(fold()).facts, ["vectors"]),
    );
    expect(plan.kernels.every(({ code }) => code.includes("fn write_pair("))).toBe(true);
    const prepared = await prepare(contextOfFold(fold()), plan);
    for (const length of [1, tile, 2 * tile + 1]) {
      const data = randomItems(u64, length, `u64 to 32 bytes ${length}`) as BigUint64Array;
      const prefixes = await runPlaced(
        fold().device,
        u64,
        data as AnyArray,
        length,
        { input: plan.vector, output: 3 * plan.vector, shared: false },
        (encoder, ranges) => prepared.record(encoder, ranges),
        `of ${length}`,
        length,
        options.type,
      );
      const twin = (x: bigint, i: number) => {
        const [low, high] = [Number(BigInt.asIntN(32, x)), Number(BigInt.asIntN(32, x >> 32n))];
        return Object.fromEntries(
          [low, high, i, 1, low ^ high, i & 3, 5, high].map((value, at) => [`w${at}`, value]),
        );
      };
      const expected = scanReference(data, {
        type: options.type,
        op: options.op,
        map: twin,
        exclusive,
      } as never);
      expectSameBits(prefixes, expected, `of ${length}`);
    }
    prepared.destroy();
  });
});

describe("the order in which prefixes are combined is that of groupingOf", () => {
  // Where a range of sizes is reported, no plan knows which of them a kernel runs with.
  const fold = useFold({ subgroupSize: lanes, subgroupMinSize: lanes, subgroupMaxSize: lanes });
  const names = Array.from({ length: 16 }, (_, at) => `at_${at}`);
  test.for([8, 16])("%i words", async (fields, { skip }) => {
    needVotes(fold(), skip);
    const own = names.slice(0, fields);
    const type = struct({ name: "Steps", fields: Object.fromEntries(own.map((name) => [name, i32])) });
    // Sums that stop at a bound depend on the order.
    const most = 1000;
    const bounded = operator({
      name: "addBounded",
      type,
      identity: Object.fromEntries(own.map((name) => [name, 0])),
      combine: [
        "return Steps(",
        ...own.map((name) => `  clamp(earlier.${name} + later.${name}, -${most}, ${most}),`),
        ");",
      ].join("\n"),
      reference: (earlier, later) =>
        Object.fromEntries(
          own.map((name) => [
            name,
            Math.max(-most, Math.min(most, (earlier[name] as number) + (later[name] as number))),
          ]),
        ),
    });
    const { facts } = contextOfFold(fold());
    const sizes = { workGroupSize: 2 * facts.subgroupMaxSize, itemsPerThread: 4 };
    const tile = sizes.workGroupSize * sizes.itemsPerThread;
    const ways = { algorithm: "subgroup", passes: "single" } as const;
    const options = {
      type,
      op: bounded as unknown as Operator<string>,
      maxLength: 4 * tile,
      ...sizes,
      ...ways,
    };
    const subject = await prepareBoth(fold(), options);
    const grouping = subject.plan.groupingOf("vectors");
    expect(grouping.shifted).toBe(true);
    const data = type.array(3 * tile);
    const next = randomBits("steps");
    for (let at = 0; at < 3 * tile; at++) {
      data.set(at, Object.fromEntries(own.map((name) => [name, (next() % 1401) - 700])));
    }
    const expected = scanReference(data, { op: options.op, grouping });
    expect(wordsOf(expected as AnyArray)).not.toEqual(
      wordsOf(scanReference(data, { op: options.op, grouping: { ...grouping, shifted: false } }) as AnyArray),
    );
    const run = { title: "steps", data, expected } as Run;
    await expectExact(subject, [run]);
    expect(subject.plan.groupingOf("in-place")).toEqual(grouping);
    await expectInPlace(subject, [run]);
    subject.prepared.destroy();
  });
});
