import { describe, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { decodeFloat16, encodeFloat16 } from "../../src/algebra/float16.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add, and, logicalXor, max, min, mul, or, xor } from "../../src/algebra/operators.ts";
import type { ScalarType } from "../../src/algebra/types.ts";
import type { WorkGroupAlgorithm } from "../../src/in_kernel/algorithms.ts";
import { workGroupAlgorithms } from "../../src/in_kernel/algorithms.ts";
import { threadTileCoalescedScanUpdate } from "../../src/in_kernel/coalesced_tiles.ts";
import {
  coalescedScanUpdate,
  threadTileScanUpdate,
  workGroupAllocate,
  workGroupCompact,
  workGroupCompactUpdate,
  workGroupScanUpdate,
} from "../../src/in_kernel/functions.ts";
import type { InKernelFunctions } from "../../src/in_kernel/link.ts";
import { link } from "../../src/in_kernel/link.ts";
import { referenceMonoid } from "../../src/reference/twins.ts";
import { compileKernel } from "../support/buffers.ts";
import { algorithmNames, untyped, useFold } from "../support/fold.ts";
import { POISON } from "../support/in_kernel.ts";
import { affine } from "../support/operators.ts";
import { pairs } from "../support/pairs.ts";
import { randomBits } from "../support/random.ts";

const fold = useFold();

/** One update of a counter: what it held before, and what was added. */
interface Update {
  readonly earlier: number;
  readonly total: number;
}

/**
 * Puts updates in the order in which they happened: each one found what the last one left. Where the
 * state never comes back, at most one of those that found it changed it.
 */
function expectOneAfterAnother(
  updates: readonly Update[],
  initial: number,
  final: number,
  combine: (earlier: number, total: number) => number,
  title: string,
): void {
  const byEarlier = new Map<number, Update[]>();
  for (const update of updates) {
    byEarlier.set(update.earlier, [...(byEarlier.get(update.earlier) ?? []), update]);
  }
  let state = initial;
  let left = updates.length;
  for (;;) {
    const found = byEarlier.get(state) ?? [];
    byEarlier.delete(state);
    const changing = found.filter(({ earlier, total }) => combine(earlier, total) !== earlier);
    expect(changing.length, `${title}: updates that changed ${state}`).toBeLessThanOrEqual(1);
    left -= found.length;
    const [change] = changing;
    if (change === undefined) {
      break;
    }
    state = combine(change.earlier, change.total);
  }
  expect(left, `${title}: updates that found what no other had left`).toBe(0);
  expect(final, `${title}: the counter at the end`).toBe(state);
}

const TILE = 8;
/** The first thread of each tile is, since what it gets is what the counter held. */
const active = (thread: number): boolean => thread % 3 !== 2 || thread % TILE === 0;

/** Each operator that WGSL has an atomic for, by one family of functions. */
const atomic = [add, min, max, and, or, xor];
const updated = pairs({ algorithm: algorithmNames, family: [0, 1, 2, 3], type: [u32, i32] }).map(
  (row, at) => ({ ...row, op: atomic[at % atomic.length] as (typeof atomic)[number] }),
);

describe.each(algorithmNames)("%s", (algorithmName) => {
  const algorithm = workGroupAlgorithms[algorithmName];

  test.for(updated.filter((row) => row.algorithm === algorithmName))(
    "_update of $op.name on $type.name, family $family: several work-groups share a counter",
    async ({ type, op, family }) => {
      const threads = [36, 20, 33][family % 3] ?? 36;
      await checkUpdates(type, untyped(op as Operator), algorithm, threads, family);
    },
  );

  async function checkUpdates(
    type: ScalarType,
    op: Operator<string>,
    own: WorkGroupAlgorithm,
    threads: number,
    family: number,
  ): Promise<void> {
    const groups = 5;
    const tileSize = TILE;
    const { key, reference, identity } = referenceMonoid(op, type, "test");
    const combine = (earlier: number, later: number): number => reference(earlier, later) as number;
    const options = { type, op, workGroupSize: threads };
    // Two functions on each counter.
    const families: { functions: InKernelFunctions; first: (thread: number) => number }[] = [
      {
        functions: workGroupScanUpdate({ ...options, algorithm: own, counter: "counters[0]", suffix: "a" }),
        first: () => 0,
      },
      {
        functions: coalescedScanUpdate({ ...options, algorithm: own, counter: "counters[1]", suffix: "b" }),
        first: () => 0,
      },
      {
        functions: threadTileScanUpdate({
          ...options,
          algorithm: own,
          tileSize,
          counter: "counters[2]",
          suffix: "c",
        }),
        first: (thread) => thread - (thread % tileSize),
      },
      {
        functions: threadTileCoalescedScanUpdate({
          ...options,
          algorithm: own,
          tileSize,
          counter: "counters[3]",
          suffix: "d",
        }),
        first: (thread) => thread - (thread % tileSize),
      },
    ];
    const calls = families.flatMap(({ functions, first }, counter) =>
      functions.names
        .filter((name) => name.includes("_update"))
        .map((name) => ({ name, first, counter, exclusive: name.includes("_exclusive_") })),
    );
    expect(calls.length).toBe(8);
    const some = calls.filter(({ counter }) => counter === family);
    // The first thread of a group or a tile adds nothing: what it gets is what the counter held.
    const initial =
      type === i32 && op.name === "add" ? -5 : op.name === "add" ? 0xfffffff0 : (identity as number);
    const next = randomBits(`${key} ${algorithmName}`);
    const unit = (at: number): number => Math.floor(at / threads) * 8 + Math.floor((at % threads) / tileSize);
    const values = Array.from({ length: groups * threads }, (_unused, at) => {
      const bit = 2 ** (unit(at) % 30);
      const value =
        op.name === "add"
          ? 1 + (next() % 5)
          : op.name === "xor"
            ? // No two totals of a counter are the same, so that it never holds the same twice.
              at % tileSize === 1
              ? 2 ** (Math.floor(at / threads) * 3 + (unit(at) % 3))
              : 0
            : op.name === "and"
              ? ~bit
              : op.name === "or"
                ? bit
                : next() % 1000;
      return (at % threads) % tileSize === 0 ? (identity as number) : type === u32 ? value >>> 0 : value | 0;
    });
    const asWords = (list: readonly number[]): Uint32Array => Uint32Array.from(list, (one) => one >>> 0);
    const asValues = (words: Uint32Array): ArrayLike<number> =>
      type === u32 ? words : new Int32Array(words.buffer);
    const code = link(
      `
@group(0) @binding(0) var<storage, read_write> input: array<${type.value}>;
@group(0) @binding(1) var<storage, read_write> output: array<${type.value}>;
@group(0) @binding(2) var<storage, read_write> counters: array<atomic<${type.value}>, 4>;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let at = group.x * ${threads}u + i;
  let x = input[at];
  let is_active = i % 3u != 2u || i % ${tileSize}u == 0u;
${some
  .map(
    ({ name }, column) =>
      `  output[at * 2u + ${column}u] = ${name}(x, ${name.includes("coalesced") ? "is_active, " : ""}i);`,
  )
  .join("\n")}
}
`,
      families.map(({ functions }) => functions),
    );
    const run = await compileKernel(fold().device, code);
    const [, words = new Uint32Array(), after = new Uint32Array()] = await run(
      [
        asWords(values),
        new Uint32Array(2 * values.length).fill(POISON),
        asWords([initial, initial, initial, initial]),
      ],
      groups,
    );
    const results = asValues(words);
    const updates: Update[] = [];
    some.forEach(({ name, first, exclusive }, column) => {
      for (let group = 0; group < groups; group++) {
        const prefixes = new Map<number, number>();
        for (let thread = 0; thread < threads; thread++) {
          const at = group * threads + thread;
          const leader = first(thread);
          const result = results[at * 2 + column] as number;
          const title = `${algorithmName} ${name}, group ${group}, thread ${thread}`;
          if (name.includes("coalesced") && !active(thread)) {
            expect(result, title).toBe(identity);
            continue;
          }
          const earlier = results[(group * threads + leader) * 2 + column] as number;
          const before = prefixes.get(leader) ?? (identity as number);
          const inclusive = combine(before, values[at] as number);
          prefixes.set(leader, inclusive);
          expect(result, title).toBe(combine(earlier, exclusive ? before : inclusive));
        }
        for (const [leader, total] of prefixes) {
          updates.push({ earlier: results[(group * threads + leader) * 2 + column] as number, total });
        }
      }
    });
    // The two functions of xor add the same totals, which brings a state back.
    if (op.name === "xor") {
      expect(asValues(after)[family], `${algorithmName} ${key}`).toBe(initial);
    } else {
      expectOneAfterAnother(
        updates,
        initial,
        asValues(after)[family] as number,
        combine,
        `${algorithmName} ${key}`,
      );
    }
  }

  test("_update: a counter in work-group memory", async () => {
    const threads = 12;
    const options = { type: u32, op: add, workGroupSize: threads };
    const functions = [
      workGroupScanUpdate({ ...options, algorithm, counter: "used" }),
      threadTileScanUpdate({ ...options, algorithm, tileSize: 4, counter: "used_by_tiles" }),
    ];
    const code = link(
      `
@group(0) @binding(0) var<storage, read_write> output: array<u32>;
var<workgroup> used: atomic<u32>;
var<workgroup> used_by_tiles: atomic<u32>;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) i: u32) {
  if (i == 0u) { atomicStore(&used, 100u); }
  workgroupBarrier();
  let base = i * 5u;
  output[base] = work_group_scan_exclusive_add_u32_update(i, i);
  output[base + 1u] = work_group_scan_inclusive_add_u32_update(2u * i, i);
  output[base + 2u] = thread_tile_4_scan_exclusive_add_u32_update(i % 4u, i);
  workgroupBarrier();
  output[base + 3u] = atomicLoad(&used);
  output[base + 4u] = atomicLoad(&used_by_tiles);
}
`,
      functions,
    );
    const run = await compileKernel(fold().device, code);
    const [words = new Uint32Array()] = await run([new Uint32Array(threads * 5).fill(POISON)]);
    const sum = (below: number): number => (below * (below - 1)) / 2;
    const tiles = new Set<number>();
    for (let i = 0; i < threads; i++) {
      const [exclusive, inclusive, tile = 0, used, usedByTiles] = words.slice(i * 5, i * 5 + 5);
      expect([exclusive, inclusive, used, usedByTiles], `thread ${i}`).toEqual([
        100 + sum(i),
        100 + sum(threads) + 2 * sum(i + 1),
        100 + 3 * sum(threads),
        18,
      ]);
      tiles.add(tile - sum(i % 4));
    }
    expect([...tiles].sort((a, b) => a - b)).toEqual([0, 6, 12]);
  });

  test.each([1, 3, 100])("compaction in work-groups of %i", async (threads) => {
    const groups = 5;
    const length = groups * threads;
    const initial = 5;
    const functions = [
      workGroupCompact({ workGroupSize: threads, algorithm }),
      workGroupCompactUpdate({ workGroupSize: threads, algorithm, counter: "count" }),
    ];
    const code = link(
      `
@group(0) @binding(0) var<storage, read_write> flags: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> list: array<u32>;
@group(0) @binding(3) var<storage, read_write> count: atomic<u32>;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let at = group.x * ${threads}u + i;
  let keep = flags[at] != 0u;
  let own = work_group_compact(keep, i);
  let appended = work_group_compact_update(keep, i);
  let opposite = work_group_compact(!keep, i);
  results[2u * at] = vec4(own.slot, own.count, appended.slot, appended.count);
  results[2u * at + 1u] = vec4(opposite.slot, opposite.count, 0u, 0u);
  if (keep) {
    list[appended.slot] = at;
  }
}
`,
      functions,
    );
    const run = await compileKernel(fold().device, code);
    const next = randomBits(`compaction ${threads}`);
    const kinds: Record<string, (group: number) => number> = {
      some: () => next() % 2,
      none: () => 0,
      all: () => 1,
      "whole groups": (group) => group % 2,
    };
    for (const [kind, flag] of Object.entries(kinds)) {
      const flags = Uint32Array.from({ length }, (_, at) => flag(Math.floor(at / threads)));
      const kept = flags.reduce((sum, one) => sum + one, 0);
      const [, results = flags, list = flags, count = flags] = await run(
        [
          flags,
          new Uint32Array(8 * length).fill(POISON),
          new Uint32Array(initial + length + 1).fill(POISON),
          Uint32Array.of(initial),
        ],
        groups,
      );
      expect(count[0], kind).toBe(initial + kept);
      const updates: Update[] = [];
      for (let group = 0; group < groups; group++) {
        const from = group * threads;
        const own = flags.subarray(from, from + threads);
        const total = own.reduce((sum, one) => sum + one, 0);
        const earlier = results[8 * from + 2] as number;
        updates.push({ earlier, total });
        let rank = 0;
        const compacted: number[] = [];
        const kept: number[] = [];
        for (let thread = 0; thread < threads; thread++) {
          compacted.push(rank, total, earlier + rank, total, thread - rank, threads - total, 0, 0);
          if (own[thread] === 1) {
            kept.push(from + thread);
            rank++;
          }
        }
        expect(results.subarray(8 * from, 8 * (from + threads)), `${kind}, group ${group}`).toEqual(
          Uint32Array.from(compacted),
        );
        // In order, one after another.
        expect(list.subarray(earlier, earlier + total), `${kind}: the list from ${earlier} on`).toEqual(
          Uint32Array.from(kept),
        );
      }
      expectOneAfterAnother(updates, initial, initial + kept, (a, b) => a + b, kind);
      expect([...list.subarray(0, initial), ...list.subarray(initial + kept)], kind).toEqual(
        Array(initial + length + 1 - kept).fill(POISON),
      );
    }
  });

  test.each([1, 3, 100])("totals steer a loop in work-groups of %i", async (threads) => {
    // Thread i gives out i % 7 tokens, one a turn, while anyone has some: each turn's are consecutive in the list.
    const code = link(
      `
@group(0) @binding(0) var<storage, read_write> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> list: array<u32>;
@group(0) @binding(2) var<storage, read_write> used: array<atomic<u32>, 2>;
var<workgroup> shared_turns: u32;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) i: u32) {
  var left = i % 7u;
  var turn = 0u;
  var given = 0u;
  var count = 1u;
  while (count > 0u) {
    let slot = work_group_compact_uniform(left > 0u, i, &count);
    if (left > 0u) {
      list[given + slot] = (turn << 16u) | i;
      left--;
    }
    given += count;
    turn++;
    if (count > 0u) {
      if (i == 0u) {
        shared_turns = turn;
      }
      workgroupBarrier();
      counts[5u * i] = shared_turns;
    }
  }
  var appended: u32;
  counts[5u * i + 1u] = work_group_compact_update_uniform(i % 2u == 0u, i, &appended);
  counts[5u * i + 2u] = appended;
  var total: u32;
  let mine = work_group_allocate_uniform(i, i, &total);
  counts[5u * i + 3u] = mine.offset;
  counts[5u * i + 4u] = total;
}
`,
      [
        workGroupCompact({ workGroupSize: threads, algorithm }),
        workGroupCompactUpdate({ workGroupSize: threads, algorithm, counter: "used[0]" }),
        workGroupAllocate({ workGroupSize: threads, algorithm, counter: "used[1]", capacity: 10_000 }),
      ],
    );
    const run = await compileKernel(fold().device, code);
    const expected = Array.from({ length: 6 }, (_, turn) =>
      Array.from({ length: threads }, (__, i) => i).flatMap((i) =>
        i % 7 > turn ? [turn * 2 ** 16 + i] : [],
      ),
    ).flat();
    const [counts = new Uint32Array(), list = counts, used = counts] = await run([
      new Uint32Array(5 * threads).fill(POISON),
      new Uint32Array(expected.length + 1).fill(POISON),
      Uint32Array.of(10, 20),
    ]);
    expect([...list]).toEqual([...expected, POISON]);
    const turns = Math.min(6, threads - 1);
    const even = Math.ceil(threads / 2);
    const sum = (threads * (threads - 1)) / 2;
    for (let i = 0; i < threads; i++) {
      expect([...counts.subarray(5 * i, 5 * i + 5)], `thread ${i}`).toEqual([
        turns === 0 ? POISON : turns,
        10 + Math.ceil(i / 2),
        even,
        20 + (i * (i - 1)) / 2,
        sum,
      ]);
    }
    expect([...used]).toEqual([10 + even, 20 + sum]);
  });

  const ALL = 0xffffffff;

  /** Runs allocations, checks every thread's run, and returns how many did not fit. */
  async function checkAllocations(
    run: Awaited<ReturnType<typeof compileKernel>>,
    threads: number,
    amounts: Uint32Array,
    capacity: number,
    initial: number,
    title: string,
  ): Promise<number> {
    const groups = amounts.length / threads;
    const saturated = (a: number, b: number): number => Math.min(a + b, ALL);
    const [, results = amounts, counter = amounts] = await run(
      [amounts, new Uint32Array(3 * amounts.length).fill(POISON), Uint32Array.of(initial, capacity)],
      groups,
    );
    const updates: Update[] = [];
    const runs: [number, number][] = [];
    let refused = 0;
    for (let group = 0; group < groups; group++) {
      const from = group * threads;
      const total = amounts.subarray(from, from + threads).reduce(saturated, 0);
      // The first thread asks for nothing: its offset is where the group starts.
      const earlier = results[3 * from] as number;
      updates.push({ earlier, total });
      let prefix = 0;
      const allocations: number[] = [];
      for (let at = from; at < from + threads; at++) {
        const amount = amounts[at] as number;
        const offset = earlier + prefix;
        const fits = amount === 0 || offset + amount <= capacity;
        allocations.push(fits ? Math.min(offset, capacity) : capacity, total, fits ? 1 : 0);
        refused += fits ? 0 : 1;
        if (fits && amount > 0) {
          runs.push([offset, offset + amount]);
        }
        prefix = saturated(prefix, amount);
      }
      expect(results.subarray(3 * from, 3 * (from + threads)), `${title}: threads of group ${group}`).toEqual(
        Uint32Array.from(allocations),
      );
    }
    runs.sort(([a], [b]) => a - b);
    const wrong = runs.filter(
      ([start, end], index) => start < (runs[index - 1]?.[1] ?? initial) || end > capacity,
    );
    expect(wrong, `${title}: runs that overlap, or are past the capacity`).toEqual([]);
    // A counter that was past the capacity stays where it is.
    const begin = Math.min(initial, capacity);
    const end = Math.max(initial, 0) > capacity ? capacity : (counter[0] as number);
    expectOneAfterAnother(updates, begin, end, (a, b) => Math.min(a + b, capacity), title);
    if (initial > capacity) {
      expect(counter[0], title).toBe(initial);
    }
    return refused;
  }

  const allocationKernel = (threads: number, capacity: string | number | undefined): string =>
    link(
      `
@group(0) @binding(0) var<storage, read_write> amounts: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
struct Pool { used: atomic<u32>, capacity: u32 }
@group(0) @binding(2) var<storage, read_write> pool: Pool;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let at = group.x * ${threads}u + i;
  let mine = work_group_allocate(amounts[at], i);
  results[3u * at] = mine.offset;
  results[3u * at + 1u] = mine.total;
  results[3u * at + 2u] = select(0u, 1u, mine.fits);
}
`,
      [
        workGroupAllocate({
          workGroupSize: threads,
          algorithm,
          counter: "pool.used",
          ...(capacity === undefined ? {} : { capacity }),
        }),
      ],
    );

  const amountsOf = (threads: number, groups: number, amount: (at: number) => number): Uint32Array =>
    Uint32Array.from({ length: threads * groups }, (_, at) => (at % threads === 0 ? 0 : amount(at)));

  test.each([3, 33])("allocation in work-groups of %i", async (threads) => {
    const run = await compileKernel(fold().device, allocationKernel(threads, "pool.capacity"));
    const groups = 11;
    const next = randomBits(`allocation ${threads}`);
    const small = amountsOf(threads, groups, () => next() % 8);
    const sum = small.reduce((total, one) => total + one, 0);
    const check = (amounts: Uint32Array, capacity: number, initial: number, title: string): Promise<number> =>
      checkAllocations(run, threads, amounts, capacity, initial, title);
    expect(await check(small, sum, 0, "to the last word")).toBe(0);
    expect(await check(small, sum + 7, 7, "after others")).toBe(0);
    expect(await check(small, sum + 1000, 0, "with room to spare")).toBe(0);
    expect(await check(small, sum - 1, 0, "one too few")).toBeGreaterThan(0);
    expect(await check(small, Math.floor(sum / 2), 3, "half of it")).toBeGreaterThan(0);
    expect(await check(small, 0, 0, "no room")).toBeGreaterThan(0);
    expect(await check(small, 10, 50, "past the capacity before")).toBeGreaterThan(0);
    const none = amountsOf(threads, groups, () => 0);
    expect(await check(none, 10, 0, "nothing")).toBe(0);
    expect(await check(none, 10, 10, "nothing, and full")).toBe(0);
    for (const huge of [ALL, 0x80000000]) {
      const mixed = amountsOf(threads, groups, (at) => (at % 5 === 2 ? huge : at % 3));
      for (const capacity of [1000, ALL]) {
        const all = await check(mixed, capacity, 0, `amounts of ${huge} in ${capacity}`);
        expect(all).toBeGreaterThan(0);
        await check(mixed, capacity, Math.min(capacity, 0xfffffff8), `amounts of ${huge}, nearly full`);
      }
    }
  });

  const shapes = [
    [8, 1],
    [3, 3],
  ] as const;
  test.each(shapes)(
    "a counter stops at its capacity: %i threads, %i work-groups a pool",
    async (threads, sharing) => {
      // Every capacity, with every counter before, up to and past it; amounts of nothing, and more than there is.
      const amountsOf: readonly ((thread: number) => number)[] = [
        () => 0,
        () => 1,
        () => 2,
        () => 3,
        (thread) => thread % 3,
        (thread) => (thread === 1 ? 25 : 0),
        (thread) => (thread === 2 ? ALL : 1),
        () => 0x80000000,
      ];
      const capacities = [0, 1, 3, 8, 21, 0x80000000, ALL];
      const pools = capacities.flatMap((capacity) =>
        [0, 1, 7, 24, ALL].flatMap((initial) =>
          amountsOf.map((amount, kind) => ({ capacity, initial, amount, kind })),
        ),
      );
      const groups = pools.length * sharing;
      const code = link(
        `
@group(0) @binding(0) var<storage, read_write> amounts: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> used: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> capacities: array<u32>;
var<private> pool: u32;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
  pool = group.x % ${pools.length}u;
  let mine = work_group_allocate(amounts[pool * ${threads}u + i], i);
  results[group.x * ${threads}u + i] = vec4(mine.offset, mine.total, u32(mine.fits), 0u);
}
`,
        [
          workGroupAllocate({
            workGroupSize: threads,
            algorithm,
            counter: "used[pool]",
            capacity: "capacities[pool]",
          }),
        ],
      );
      const run = await compileKernel(fold().device, code);
      const [, results = new Uint32Array(), used = new Uint32Array()] = await run(
        [
          Uint32Array.from({ length: pools.length * threads }, (_, at) =>
            (pools[Math.floor(at / threads)] as (typeof pools)[number]).amount(at % threads),
          ),
          new Uint32Array(groups * threads * 4).fill(POISON),
          Uint32Array.from(pools, ({ initial }) => initial),
          Uint32Array.from(pools, ({ capacity }) => capacity),
        ],
        groups,
      );
      pools.forEach(({ capacity, initial, amount, kind }, pool) => {
        const title = `${initial} of ${capacity} used, amounts ${kind}`;
        const amounts = Array.from({ length: threads }, (_, thread) => amount(thread));
        const sum = amounts.reduce((total, one) => total + one, 0);
        expect(used[pool], title).toBe(Math.max(initial, Math.min(initial + sharing * sum, capacity)));
        const runs: [number, number][] = [];
        for (let group = pool; group < groups; group += pools.length) {
          const rows = amounts.map((_, thread) => {
            const at = (group * threads + thread) * 4;
            return { offset: results[at] ?? 0, total: results[at + 1], fits: results[at + 2] };
          });
          // Threads fit up to the first that asks for something and does not.
          const refused = rows.findIndex(({ fits }) => fits === 0);
          let next = Math.min(rows[0]?.offset ?? 0, capacity);
          const expected = rows.map(({ offset, fits }, thread) => {
            const own = amounts[thread] ?? 0;
            const isBefore = refused < 0 || thread < refused;
            const place = isBefore ? next : capacity;
            if (fits === 1 && own > 0) {
              runs.push([offset, offset + own]);
              next = offset + own;
            }
            return { offset: place, total: Math.min(sum, ALL), fits: Number(own === 0 || isBefore) };
          });
          expect(rows, `${title}: threads of group ${group}`).toEqual(expected);
          if (refused >= 0) {
            expect(next + (amounts[refused] ?? 0), `${title}: it would have fitted`).toBeGreaterThan(
              capacity,
            );
          }
        }
        runs.sort(([a], [b]) => a - b);
        const wrong = runs.filter(
          ([start, end], index) => start !== (runs[index - 1]?.[1] ?? initial) || end > capacity,
        );
        expect(wrong, `${title}: runs with gaps, or past the capacity`).toEqual([]);
        if (sharing === 1 && initial <= capacity) {
          // The first run that is asked for fits exactly where there is room for it.
          const first = amounts.find((one) => one > 0) ?? 0;
          expect(runs.length > 0, title).toBe(first > 0 && initial + first <= capacity);
        }
      });
    },
  );

  test("allocation with a constant capacity, and without", async () => {
    const threads = 5;
    const next = randomBits("capacities");
    for (const capacity of [0, 50, ALL, undefined]) {
      const run = await compileKernel(
        fold().device,
        allocationKernel(threads, capacity).replace(", capacity: u32", ", ignored: u32"),
      );
      const amounts = amountsOf(threads, 6, () => 1 + (next() % 8));
      const refused = await checkAllocations(
        run,
        threads,
        amounts,
        capacity ?? 2 ** 31,
        0,
        `capacity ${capacity}`,
      );
      expect(refused > 0).toBe((capacity ?? ALL) < 100);
    }
  });

  test("an allocation's counter was read long before something is taken from it", async () => {
    // Each work-group sees what the counter held at first, as if all had read it at once and then went on in turn.
    const threads = 3;
    const groups = 5;
    const late = allocationKernel(threads, "pool.capacity").replace("atomicLoad(&pool.used)", "0u");
    expect(late).toContain("var seen = 0u;");
    const run = await compileKernel(fold().device, late);
    for (const huge of [3, 0x8000, 0x80000000, ALL]) {
      // The huge one is the first, in the middle, or asked for by all.
      for (const asks of [1, groups * threads - 8, undefined]) {
        const amounts = amountsOf(threads, groups, (at) => (at === asks || asks === undefined ? huge : 1));
        for (const capacity of [0, 9, 0x80000000, 0xffff0000, ALL]) {
          await checkAllocations(run, threads, amounts, capacity, 0, `${huge} at ${asks} of ${capacity}`);
        }
      }
    }
  });

  test("many small work-groups share an allocation's counter", async () => {
    const threads = 2;
    const groups = 100;
    const run = await compileKernel(fold().device, allocationKernel(threads, "pool.capacity"));
    const one = amountsOf(threads, groups, () => 1);
    // Several times: they race for it.
    for (let time = 0; time < 2; time++) {
      expect(await checkAllocations(run, threads, one, groups, 0, "all of it")).toBe(0);
    }
    expect(await checkAllocations(run, threads, one, 33, 0, "a third")).toBe(groups - 33);
    // Together far more than 2^32.
    const huge = amountsOf(threads, groups, (at) => (at % 3 === 0 ? ALL - 5 : 1));
    await checkAllocations(run, threads, huge, ALL, 0, "more than there are words");
  });
});

/** A type's values as words of a counter, and back. */
const wordOf = (type: ScalarType, value: number): number =>
  type === f32
    ? (new Uint32Array(Float32Array.of(value).buffer)[0] as number)
    : type === f16
      ? encodeFloat16(value)
      : value >>> 0;
const valueIn = (type: ScalarType, word: number): number =>
  type === f32
    ? (new Float32Array(Uint32Array.of(word).buffer)[0] as number)
    : type === f16
      ? decodeFloat16(word)
      : type === i32
        ? word | 0
        : word;

// Operators that WGSL has no atomic for, and types that it has no atomics for.
const exchanged: readonly (readonly [ScalarType, Operator])[] = [
  [u32, mul as Operator],
  [u32, affine as Operator],
  [i32, logicalXor as Operator],
  [f32, add as Operator],
  [f32, max as Operator],
  [f16, add as Operator],
];
const exchanges = pairs({
  of: [
    ...exchanged.map(([type, op]) => ({ type, op, bare: false })),
    // An operator that commutes by nothing but its WGSL.
    { type: u32, op: affine as Operator, bare: true },
  ],
  algorithm: algorithmNames,
  // The tile of 1: lanes of one subgroup read a counter at the same time, so that one of them finds it changed.
  size: [20, 8, 1],
}).map(({ of, algorithm, size }) => ({
  ...of,
  algorithm,
  size,
  title: `${of.op.name} on ${of.type.name}${of.bare ? ", without an identity" : ""}, ${algorithm}, ${size} threads`,
}));
test.for(exchanges)(
  "_update by compare and exchange, of the counter that the call names: $title",
  async ({ type, op, algorithm, size, bare, title }, { skip }) => {
    skip(type === f16 && !fold().device.features.has("shader-f16"), "the adapter has no shader-f16");
    const [threads, groups] = [20, 4];
    const { reference, lift, identity } = referenceMonoid(op, type, "test");
    const combine = (earlier: number, later: number): number =>
      reference(lift(earlier), lift(later)) as number;
    const { name, combine: text, declarations } = affine;
    const options = {
      type,
      op: untyped(bare ? (operator({ name, type: u32, combine: text, declarations }) as Operator) : op),
      workGroupSize: threads,
      algorithm: workGroupAlgorithms[algorithm],
    };
    const next = randomBits(title);
    const values = Array.from({ length: groups * threads }, () =>
      op.name === "mul"
        ? type.kind === "float"
          ? [1, 1, 1, -1, 2][next() % 5]
          : (next() % 1000) * 2 + 1
        : op.name.startsWith("logical")
          ? next() % 40 === 0
            ? 3
            : 0
          : type.kind === "float"
            ? // Every sum of f16 is up to 2048, so that it is exact.
              next() % (type === f16 ? 32 : 100)
            : // An odd factor, so that the same state does not come back.
              (next() | 0x10000) >>> 0,
    ).map((one) => type.round((one ?? 0) as never) as number);
    const set =
      size === threads
        ? workGroupScanUpdate({ ...options, counter: "counters[]" })
        : threadTileScanUpdate({ ...options, counter: "counters[]", tileSize: size });
    const [inclusive = "", exclusive = ""] = set.names;
    // Each call names one of three counters: the one of its group, or of its tile.
    const bucketOf = (group: number, thread: number): number => (group + Math.floor(thread / size)) % 3;
    const initial =
      op.name === "mul" ? 1 : op.name.startsWith("logical") ? 0 : op.name === "affine" ? 0x10007 : 7;
    for (const called of [inclusive, exclusive]) {
      const half = type === f16;
      const code = link(
        `${half ? "enable f16;" : ""}
@group(0) @binding(0) var<storage, read_write> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read_write> counters: array<atomic<${type === i32 ? "i32" : "u32"}>, 3>;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
let at = group.x * ${threads}u + i;
let bucket = (group.x + i / ${size}u) % 3u;
let x = ${half ? "f16(unpack2x16float(input[at]).x)" : `bitcast<${type.value}>(input[at])`};
let result = ${called}(x, bucket, i);
output[at] = ${half ? "pack2x16float(vec2(f32(result), 0.0))" : "bitcast<u32>(result)"};
}
`,
        [set],
      );
      const run = await compileKernel(fold().device, code);
      const [, output = new Uint32Array(), after = new Uint32Array()] = await run(
        [
          Uint32Array.from(values, (one) => wordOf(type, one)),
          new Uint32Array(values.length).fill(POISON),
          new Uint32Array(3).fill(wordOf(type, initial)),
        ],
        groups,
      );
      const results = Array.from(output, (word) => valueIn(type, word));
      for (const bucket of [0, 1, 2]) {
        const units = Array.from({ length: groups }, (_, group) =>
          Array.from({ length: Math.ceil(threads / size) }, (_unused, tile) => ({
            group,
            from: group * threads + tile * size,
            to: group * threads + Math.min(threads, (tile + 1) * size),
            bucket: bucketOf(group, tile * size),
          })),
        )
          .flat()
          .filter((unit) => unit.bucket === bucket);
        const prefixesOf = ({ from, to }: (typeof units)[number]): number[] => {
          const prefixes: number[] = [identity as number];
          for (let place = from; place < to; place++) {
            prefixes.push(combine(prefixes.at(-1) as number, values[place] as number));
          }
          return prefixes;
        };
        if (called === exclusive) {
          // The first thread adds nothing, and so it gets what the counter held.
          const updates = units.map((unit) => {
            const prefixes = prefixesOf(unit);
            const earlier = results[unit.from] as number;
            for (let place = unit.from; place < unit.to; place++) {
              expect(results[place], `${called}, ${place}`).toBe(
                combine(earlier, prefixes[place - unit.from] as number),
              );
            }
            return { earlier, total: prefixes.at(-1) as number };
          });
          if (op.name !== "logicalXor" && !(op.name === "mul" && type.kind === "float")) {
            const end = valueIn(type, after[bucket] as number);
            expectOneAfterAnother(updates, initial, end, combine, `${called}, ${bucket}`);
          }
        }
        if (op.name !== "affine") {
          const end = units.reduce((all, unit) => combine(all, prefixesOf(unit).at(-1) as number), initial);
          expect(valueIn(type, after[bucket] as number), `${called}, ${bucket}`).toBe(end);
        }
      }
    }
  },
);
