import { expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { max, min } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import { i64 } from "../../src/algebra/types_64.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import { withFasterWays } from "../../src/plan/faster_ways.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { ALONE } from "../../src/plan/run_key.ts";
import { planSegments } from "../../src/plan/segments.ts";
import { runLengthsReference, uniqueReference } from "../../src/reference/runs.ts";
import { destroyAll, readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { allowFindings, useFold } from "../support/fold.ts";
import { factsWith } from "../support/kernels.ts";
import { randomBits } from "../support/random.ts";
import type { Mutations } from "./support.ts";
import {
  changed,
  contextOfFold,
  FAULTS,
  faultOf,
  faults,
  fewLanes,
  missing,
  rowsOf,
  STUCK_MS,
} from "./support.ts";

// Runs of keys that are found in one dispatch. Each fault of the look-back is planted in a run of its own.

const fold = useFold(fewLanes);
const POISON = 0xdeadbeef;

/** Small tiles of two rows, so that few keys take many of them. All subgroups are full. */
function sizes() {
  const { subgroupMaxSize, subgroupMinSize } = contextOfFold(fold()).facts;
  const own = { workGroupSize: subgroupMaxSize * 2, itemsPerThread: 8 } as const;
  return {
    own: { ...own, algorithm: "subgroup", passes: "single" } as const,
    tile: own.workGroupSize * own.itemsPerThread,
    group: Math.min(30, subgroupMinSize - 2) * own.workGroupSize * own.itemsPerThread,
  };
}

/** Keys in runs of 1 to `most`. */
function keysIn(length: number, most: number, name: string): Uint32Array {
  const next = randomBits(`${name} ${length} ${most}`);
  const keys = new Uint32Array(length);
  for (let at = 0, key = 7, left = 0; at < length; at++, left--) {
    if (left === 0) {
      key += 1 + (next() % 3);
      left = 1 + (next() % most);
    }
    keys[at] = key;
  }
  return keys;
}

interface OneRun {
  readonly title: string;
  readonly keys: Uint32Array;
  /** How many runs the outputs have room for. */
  readonly room: number;
  /** How many words of their buffer come before the keys. */
  readonly before?: number;
}

/** Runs of each fault. The keys' runs are of one item, of a few, of about a tile, of several tiles, of groups; and all keys are one run. */
function faultRuns(): OneRun[] {
  const { tile, group } = sizes();
  const shapes = [
    [2 * group + 3, 5],
    [3 * group, 2 * tile],
    [group - 1, 1],
    [group + 1, tile],
    [4 * group + tile / 2, group + tile],
    [5 * group + 1, 2 ** 30],
    [tile, 3],
  ] as const;
  return Array.from({ length: FAULTS }, (_, at) => {
    const [length, most] = shapes[at % shapes.length] as (typeof shapes)[number];
    return {
      title: `${length} keys in runs up to ${most}, ${faultOf(at + 1)}`,
      keys: keysIn(length, most, `${at % 3}`),
      room: length,
    };
  });
}

/** The plan of run lengths, or of where runs start, as on an adapter with a single pass. */
function planOf(options: object = {}, testing: object = {}): Plan {
  return planSegments(
    "reduce",
    {
      type: u32,
      maxLength: 20 * sizes().group,
      map: "1u",
      segments: { keys: u32, unique: true },
      ...sizes().own,
      ...options,
    } as never,
    withFasterWays(contextOfFold(fold()).facts),
    undefined,
    testing,
  );
}

/**
 * Carries out the runs one after another, and gives the title of each whose outputs have a wrong word. If `keysAlone`, nobody may write the
 * lengths.
 */
async function* wrongOf(plan: Plan, runs: readonly OneRun[], keysAlone = false): AsyncGenerator<string> {
  const context = contextOfFold(fold());
  const { device } = fold();
  const prepared = await prepare(context, plan);
  // Buffers have room for a run of all lengths, behind 64 words that nobody may touch.
  const words = Math.max(...runs.map(({ keys }) => keys.length)) + 64;
  for (const { title, keys, room, before = 0 } of runs) {
    const poison = new Uint32Array(words).fill(POISON);
    const placed = new Uint32Array(before + keys.length);
    placed.set(keys, before);
    const [input, output, unique] = [placed, poison, poison].map((one) =>
      storageBuffer(device, one.length > 0 ? one : new Uint32Array(4)),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer];
    const count = storageBuffer(device, new Uint32Array(4).fill(POISON));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    const range = (buffer: GPUBuffer) => ({ buffer, size: 4 * Math.max(1, room) });
    const given = { buffer: input, offset: 4 * before };
    prepared.record(pass, {
      input: given,
      keys: given,
      output: range(output),
      unique: range(unique),
      count: { buffer: count, size: 4 },
      length: keys.length,
      segmentCount: room,
    });
    pass.end();
    device.queue.submit([encoder.finish()]);
    const { values, counts } = runLengthsReference(keys);
    const expected = (words_: Uint32Array): Uint32Array => {
      const all = new Uint32Array(words).fill(POISON);
      all.set(words_.subarray(0, room));
      return all;
    };
    const found = [await readWords(device, output), await readWords(device, unique)];
    const [number, ...rest] = await readWords(device, count);
    const isRight =
      [expected(keysAlone ? new Uint32Array(0) : counts), expected(values)].every((all, at) =>
        all.every((word, i) => word === found[at]?.[i]),
      ) &&
      number === values.length &&
      rest.every((word) => word === POISON);
    destroyAll(input, output, unique, count);
    if (!isRight) {
      yield title;
    }
  }
  prepared.destroy();
}

async function expectNoneWrong(...given: Parameters<typeof wrongOf>): Promise<void> {
  const wrong: string[] = [];
  for await (const title of wrongOf(...given)) {
    wrong.push(title);
  }
  expect(wrong).toEqual([]);
}

const skipReason = (): string | undefined => missing("by votes", contextOfFold(fold()).facts);

test(
  "each fault in the look-back of runs",
  async ({ skip }) => {
    skip(skipReason() !== undefined, skipReason());
    const plan = planOf({}, { faults, patience: 16 });
    expect(plan.kernels.map(({ entryPoint }) => entryPoint)).toEqual(["run_lengths"]);
    await expectNoneWrong(plan, faultRuns());
    const alone = planOf(
      { segments: { keys: u32, unique: true, [ALONE]: "keys" } },
      { faults, patience: 16 },
    );
    await expectNoneWrong(alone, faultRuns(), true);
  },
  STUCK_MS,
);

/** A reduction by keys: its map is not what run lengths are told by, and so its totals are stored side by side. */
const sums = { map: "u32(1)" } as const;

test(
  "each fault in the look-back of sums by keys",
  async ({ skip }) => {
    skip(skipReason() !== undefined, skipReason());
    const plan = planOf(sums, { faults, patience: 16 });
    expect(
      plan.kernels.some(
        ({ entryPoint, code }) => entryPoint === "scan_single_pass" && code.includes("staged_totals"),
      ),
    ).toBe(true);
    await expectNoneWrong(plan, faultRuns());
  },
  STUCK_MS,
);

test.for([
  { title: "run lengths", options: {} },
  { title: "sums by keys", options: sums },
])(
  "$title: runs around subgroups and tiles, keys that start anywhere, and more runs than there is room for",
  async ({ options }, { skip }) => {
    skip(skipReason() !== undefined, skipReason());
    const { tile, group } = sizes();
    const { subgroupMinSize: lanes } = contextOfFold(fold()).facts;
    const lengths = [0, 1, 2, lanes - 1, lanes, lanes + 1, tile - 1, tile, tile + 1, group, group + 1];
    const runs = lengths.flatMap((length) =>
      [1, 3, tile].map((most) => ({
        title: `${length} keys in runs up to ${most}`,
        keys: keysIn(length, most, "around"),
        room: length,
      })),
    );
    const placed = [1, 2, 3, 4, 5, 67].map((before) => ({
      title: `${before} words before the keys`,
      keys: keysIn(2 * tile + 5, 4, `placed ${before}`),
      room: 2 * tile,
      before,
    }));
    const crowded = [0, 1, tile - 1, tile].map((room) => ({
      title: `room for ${room}`,
      keys: keysIn(3 * tile, 1, "crowded"),
      room,
    }));
    await expectNoneWrong(planOf(options), [...runs, ...placed, ...crowded]);
  },
);

/** One rule broken in the kernel's text. */
const mutations: Mutations<{ readonly options?: object; readonly caughtBy: RegExp }> = {
  "a run that goes on from the tile before is a new one": [
    "carry().heads - select(0u, 1u, goes_on_here)",
    "carry().heads",
    { options: sums, caughtBy: /none/ },
  ],
  "the last run of a tile always goes on in the next one": [
    "- base - select(0u, 1u, goes_on)",
    "- base - 1u",
    { options: sums, caughtBy: /up to 1,/ },
  ],
  "each round of totals begins with the tile's first ones": [
    "prefix.heads - 1u - base - first",
    "prefix.heads - 1u - base",
    { options: sums, caughtBy: /up to 1,/ },
  ],
  "the keys of a round are numbered from the tile's first run": [
    "base + first + at + 1u",
    "base + at + 1u",
    { options: sums, caughtBy: /up to 1,/ },
  ],
  "nobody hands on where the last run starts": ["max(earlier.y, later.y)", "later.y", { caughtBy: /none/ }],
  "the key before a vector is its first": ["key_at(index - 1u)", "key_at(index)", { caughtBy: /none/ }],
  "the run before starts where the vector's first run does": [
    "firstLeadingBit(found)",
    "firstTrailingBit(found)",
    { caughtBy: /up to 1,/ },
  ],
  "each round begins with the tile's first runs": [
    "let first = round * STAGED",
    "let first = 0u * STAGED",
    { caughtBy: /up to 1,/ },
  ],
  "the first run of a round is measured from the tile's start": [
    "let last = last_staged()",
    "let last = last_of(carry())",
    { caughtBy: /up to 1,/ },
  ],
  "a tile has one round": ["(number + STAGED - 1u) / STAGED", "1u", { caughtBy: /up to 1,/ }],
  "a row starts where the row before does": [/starts\.rows\[\w+\] = /, "$&0u * ", { caughtBy: /none/ }],
  "the last run ends one item early": [
    "length + 1u - last_of(all)",
    "length - last_of(all)",
    { caughtBy: /none/ },
  ],
  "a missing total does not say where its last run starts": [
    "started_runs(1u, index + 1u)",
    "started_runs(1u, 0u)",
    { caughtBy: /never|only|all but/ },
  ],
};

test.for(rowsOf(mutations))(
  "seen: $title",
  { timeout: STUCK_MS },
  async ({ options, change, caughtBy }, { skip }) => {
    skip(skipReason() !== undefined, skipReason());
    allowFindings();
    const plan = changed(
      planOf(options, { faults, patience: 16 }),
      change,
      ({ entryPoint }) => options === undefined || entryPoint === "scan_single_pass",
    );
    const others: string[] = [];
    for await (const title of wrongOf(plan, faultRuns())) {
      if (caughtBy.test(title)) {
        return;
      }
      others.push(title);
    }
    expect.fail(`${caughtBy} among: ${others.join("; ")}`);
  },
);

test("runs of several types, of keys by an expression, and their keys or positions alone", async ({
  skip,
}) => {
  skip(skipReason() !== undefined, skipReason());
  const { own, group } = sizes();
  const keys = keysIn(group + 5, 9, "types");
  // NaN is a key, and so is -0 beside 0.
  const floats = Float32Array.from(keys, (key) =>
    key % 5 === 0 ? Number.NaN : key % 7 === 0 ? -0 : key % 7 === 1 ? 0 : key,
  );
  const there = await fold().upload(floats);
  const unique = await fold().unique(there, own);
  expectSameBits(await unique.read(), uniqueReference(floats), "unique of f32");
  const wide = BigInt64Array.from(keys, (key) => (BigInt(key) << 31n) - 5n);
  const wideThere = await fold().upload(wide);
  const runs = await fold().runLengths(wideThere, own);
  const expected = runLengthsReference(wide);
  expectSameBits(await runs.values.read(), expected.values, "values of i64");
  expectSameBits(await runs.counts.read(), expected.counts, "counts of i64");
  const keysThere = await fold().upload(keys);
  const by = { ...own, key: "f32(x / 5u)", keyType: f32 } as const;
  const twin = { key: (x: number) => Math.floor(x / 5), keyType: f32 } as const;
  const first = await fold().runLengths(keysThere, by);
  const firstExpected = runLengthsReference(keys, twin);
  expectSameBits(await first.values.read(), firstExpected.values, "first items");
  expectSameBits(await first.counts.read(), firstExpected.counts, "counts by an expression");
  const starts = await fold().unique(keysThere, { ...by, indices: true });
  expectSameBits(await starts.read(), uniqueReference(keys, { ...twin, indices: true }), "positions");
  destroyAll(
    there,
    unique,
    wideThere,
    runs.values,
    runs.counts,
    keysThere,
    first.values,
    first.counts,
    starts,
  );
});

test("the plan takes the dispatch of runs only where it finds nothing but runs", () => {
  const facts = factsWith({
    vendor: "nvidia",
    subgroupMinSize: 32,
    subgroupMaxSize: 32,
  });
  const entries = (options: object = {}, other: object = {}): string | undefined =>
    planSegments(
      "reduce",
      {
        type: u32,
        maxLength: 2 ** 20,
        map: "1u",
        segments: { keys: u32, unique: true },
        ...options,
      } as never,
      withFasterWays({ ...facts, ...other } as never),
    )
      .passes(2 ** 20, "vectors")
      .map(({ kernel }) => kernel.entryPoint)
      .join();
  const Cell = struct({ name: "Cell", fields: { x: u32, y: u32, z: u32 } });
  expect(entries()).toBe("run_lengths");
  // In a recording, indices may wrap around.
  expect(entries({ map: " i", op: min })).not.toBe("run_lengths");
  expect(entries({ map: " i", op: min, segments: { keys: u32, [ALONE]: "totals" } })).toBe("run_lengths");
  expect(entries({ segments: { keys: i64 } })).toBe("run_lengths");
  expect(entries({ from: Cell, segments: { keys: Cell, key: "x.x", unique: true } })).toBe("run_lengths");
  for (const options of [
    { map: undefined },
    { map: "2u" },
    { op: max },
    { op: min },
    { map: "i" },
    { initial: true },
    { type: f32, map: "1" },
    { segments: "heads" },
    { segments: { keys: Cell } },
    { workGroupSize: 48 },
  ]) {
    expect(entries(options), JSON.stringify(options)).not.toBe("run_lengths");
  }
  expect(entries({}, { subgroupMaxSize: 64 })).not.toBe("run_lengths");
  expect(entries({ passes: "reduce-then-scan" })).not.toBe("run_lengths");
});
