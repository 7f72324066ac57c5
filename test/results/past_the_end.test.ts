import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { max } from "../../src/algebra/operators.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import type { Fold, ScanOptions } from "../../src/node.ts";
import { openFold } from "../../src/node.ts";
import type { SimulatedGpu } from "../../src/simulator/index.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";
import { submit } from "../support/buffers.ts";
import { planAs } from "../support/fold.ts";
import { machineOf } from "../support/machine.ts";
import { affine } from "../support/operators.ts";
import type { Change } from "../support/plant.ts";
import { plant } from "../support/plant.ts";
import { limitsWithBinding } from "../support/short_bindings.ts";

// No kernel reads or writes past the end of the data, also where nobody would notice: what lies there is not used, but may be another range
// of the buffer, which another work-group writes. The simulator reports what is past the end of a binding. Where the data ends before its
// range does, nothing has written what is behind it, and the simulator reports who reads that.

let gpu: SimulatedGpu;
let own: Fold;
let seen = 0;
const fold = (): Fold => own;

beforeAll(async () => {
  const lanes = { subgroupSize: 4, subgroupMinSize: 4, subgroupMaxSize: 4 };
  gpu = simulatedGpu({ ...machineOf("past the end"), ...lanes, uninitialized: true });
  // No buffer is used again: it would hold what an earlier call left.
  own = await openFold({ adapter: (await gpu.requestAdapter()) as GPUAdapter, maxKeptBytes: 0 });
  const { device } = own;
  const limits = limitsWithBinding(device, device.limits.maxStorageBufferBindingSize);
  // Rows of work-groups are short, so that grids have more work-groups than tiles.
  planAs(own, { software: false, limits: { ...limits, maxComputeWorkgroupsPerDimension: 9 } });
});
beforeEach(() => {
  seen = gpu.findings.length;
});
afterAll(() => own.destroy());

/**
 * Whether an unwritten word is one of the data, or of an array that a call left on the GPU. Of the last vector of an output, a kernel may store
 * what it read there.
 */
const isOfData = (message: string): boolean =>
  / buffer "(data|[^"]* result)"/.test(message) && !message.includes(" of output, buffer ");

/** What the simulator has found since the last call. */
function found(): string[] {
  const some = gpu.findings.slice(seen);
  seen = gpu.findings.length;
  return some
    .filter(({ kind, message }) => kind !== "uninitialized" || isOfData(message))
    .map(({ kind, file, message }) => `${kind} in ${file}: ${message}`);
}

const small = { workGroupSize: 8, itemsPerThread: 4 } as const;
/** The ways to scan. */
const ways = {
  blelloch: { ...small, algorithm: "blelloch", passes: "reduce-then-scan" },
  subgroup: { ...small, algorithm: "subgroup", passes: "reduce-then-scan" },
  "single pass": { ...small, algorithm: "subgroup", passes: "single" },
} as const;
/** Within a vector and a tile, one more than a tile, and where a vector ends; and 11 tiles. */
const lengths = [1, 5, 33, 192, 351];
const MOST = 351;

const words = (length: number): Uint32Array =>
  Uint32Array.from({ length }, (_, at) => (at * 2654435761) >>> 29);
const keys = (length: number): Uint32Array => Uint32Array.from({ length }, (_, at) => Math.floor(at / 3));

type Ranges = Readonly<Record<string, unknown>>;
interface Recorded {
  record(encoder: GPUCommandEncoder, ranges: never): void;
  destroy(): void;
}

const STORAGE_COPY = 0x80 | 0x4 | 0x8;

/** A buffer for ranges that a kernel reads or writes. Only its first words are written, if it is said how many. */
function bufferOf(data: Uint32Array, written = data.length): GPUBuffer {
  const { device } = fold();
  const buffer = device.createBuffer({ label: "data", size: data.byteLength, usage: STORAGE_COPY });
  device.queue.writeBuffer(buffer, 0, data.slice(0, written));
  return buffer;
}

/** Words of whole vectors: one that begins in the data is read whole. */
const inVectors = (size: number): number => 4 * Math.ceil(size / 4);

/**
 * The ways to lie: `apart` in two buffers, at an item; `wide` at a vector; `before` in one buffer, the input behind the output. Of a range of
 * `room` words, the first `size` are data.
 */
const layouts = {
  apart: (room: number, size: number) => ({
    input: { buffer: bufferOf(words(2 + room), 2 + size), offset: 8 },
    output: { buffer: bufferOf(words(2 + room)), offset: 8 },
  }),
  wide: (room: number, size: number) => ({
    input: bufferOf(words(room), inVectors(size)),
    output: bufferOf(words(room)),
  }),
  before: (room: number, size: number) => {
    const buffer = bufferOf(words(2 * room), room + size);
    return { input: { buffer, offset: room * 4 }, output: { buffer, size: room * 4 } };
  },
} satisfies Record<string, (room: number, size: number) => Ranges>;

interface Own {
  readonly maxLength: number;
  readonly lengthOnGpu: boolean;
}

/** Records a plan at each length, once for each layout. If the length is on the GPU, the ranges are longer than the data. */
async function expectInside(
  title: string,
  prepare: (own: Own) => Promise<Recorded>,
  rangesOf: (room: number, length: number) => Ranges = () => ({}),
  itemWords = 1,
  kinds: readonly boolean[] = [false, true],
): Promise<void> {
  expect(await foundIn(prepare, rangesOf, itemWords, kinds), title).toEqual([]);
}

/** What the simulator finds then. */
async function foundIn(
  prepare: (own: Own) => Promise<Recorded>,
  rangesOf: (room: number, length: number) => Ranges,
  itemWords: number,
  kinds: readonly boolean[],
): Promise<string[]> {
  for (const lengthOnGpu of kinds) {
    const plan = await prepare({ maxLength: MOST, lengthOnGpu });
    for (const layout of Object.values(layouts)) {
      for (const length of lengthOnGpu ? [0, ...lengths] : lengths) {
        const room = lengthOnGpu ? MOST : length;
        const given = lengthOnGpu ? bufferOf(Uint32Array.of(length)) : length;
        const ranges = {
          ...layout(room * itemWords, length * itemWords),
          ...rangesOf(room, length),
          length: given,
        };
        submit(fold().device, (encoder) => plan.record(encoder, ranges as never));
      }
    }
    await fold().device.queue.onSubmittedWorkDone();
    plan.destroy();
  }
  return found();
}

const counted = () => ({ count: bufferOf(new Uint32Array(8)) });
const type = u32;
const where = "x > 3u";

const { blelloch, subgroup } = ways;
const single = ways["single pass"];
/** Items are loaded and stored in the same way by each algorithm: each primitive has two passes by one, and a single pass. */
const waysOf = (...some: readonly (typeof ways)[keyof typeof ways][]) =>
  Object.entries(ways).filter(([, way]) => some.includes(way));

for (const [name, way] of Object.entries(ways)) {
  test(`${name}: recorded scans and reductions`, async () => {
    await expectInside("scan", (own) => fold().prepareScan({ type, op: affine, ...way, ...own }));
    await expectInside("reduce", (own) => fold().prepareReduce({ type, op: affine, ...way, ...own }));
  });
}
for (const [name, way] of waysOf(subgroup, single)) {
  test(`${name}: recorded scans of 64 bits`, async () => {
    await expectInside(
      "scan of u64",
      (own) => fold().prepareScan({ type: u64, ...way, ...own }),
      undefined,
      2,
    );
  });
}
for (const [name, way] of waysOf(blelloch, single)) {
  test(`${name}: recorded compactions and partitions`, async () => {
    await expectInside("compact", (own) => fold().prepareCompact({ type, where, ...way, ...own }), counted);
    await expectInside(
      "partition",
      (own) => fold().preparePartition({ type, where, ...way, ...own }),
      counted,
    );
  });
}
for (const [name, way] of waysOf(subgroup, single)) {
  test(`${name}: recorded segments by keys`, async () => {
    await expectInside(
      "scan",
      (own) => fold().prepareScan({ type, segments: { keys: u32 }, ...way, ...own }),
      (room, length) => ({ keys: bufferOf(keys(room), inVectors(length)) }),
    );
  });
}
for (const [name, way] of waysOf(blelloch, single)) {
  test(`${name}: recorded segments by heads and by offsets`, async () => {
    await expectInside(
      "scan",
      (own) => fold().prepareScan({ type, segments: "heads", ...way, ...own }),
      (room, length) => ({ heads: bufferOf(words(room), inVectors(length)) }),
    );
    await expectInside(
      "scan",
      (own) => fold().prepareScan({ type, segments: "offsets", ...way, ...own }),
      () => ({ offsets: bufferOf(Uint32Array.of(0, 1)), segmentCount: 1 }),
    );
  });
}
for (const [name, way] of waysOf(subgroup, single)) {
  test(`${name}: calls on arrays whose lengths are on the GPU`, async () => {
    // So many are kept that they fill their vectors.
    for (const length of [33, 347]) {
      const array = await fold().upload(keys(length));
      const kept = await fold().compact(array, { where: "x % 3u == 1u", ...way });
      const sorted = await fold().sort(kept);
      const sums = await fold().scan(kept, { segments: { keys: kept }, ...way });
      await fold().runLengths(kept, way);
      await fold().unique(sorted, way);
      await fold().reduce(kept, { segments: { keys: kept }, ...way });
      await fold().partition(sums, { where, ...way });
      await fold().histogram(kept, { bins: 5, bin: "x % 5u" });
      expect(found(), `${length}`).toEqual([]);
    }
  });
}

test("calls at hand, of all primitives", async () => {
  for (const length of [5, 33, 351]) {
    const data = keys(length);
    const floats = Float32Array.from(data);
    await fold().scan(data);
    await fold().reduce(floats, { op: exactAdd });
    await fold().reduce(data, { segments: { keys: data } });
    await fold().reduce(data, { segments: { offsets: Uint32Array.of(0, 1, length) } });
    await fold().compact(data, { where });
    await fold().partition(data, { classes: 5, class: "x % 5u" });
    await fold().histogram(floats, { bins: 7, range: [0, 9] });
    await fold().runLengths(data);
    await fold().unique(floats);
    await fold().sort(floats);
    await fold().argSort(data);
    await fold().argMin(floats);
    await fold().searchSorted(data, data);
    await fold().expandRuns(data, words(length));
    expect(found(), `${length}`).toEqual([]);
  }
});

for (const segments of ["rows", "heads", { keys: u32 }] as const) {
  const title = typeof segments === "object" ? "keys" : segments;
  test(`recorded segments by ${title} in one dispatch, as on NVIDIA's GPUs`, async () => {
    const limits = limitsWithBinding(fold().device, 2 ** 27);
    const stop = planAs(fold(), { vendor: "nvidia", limits });
    const ranges = (room: number, length: number) => ({
      ...(title === "rows" ? { rows: 8 } : { [title]: bufferOf(keys(room), inVectors(length)) }),
    });
    const prepare = (own: Own) =>
      fold().prepareScan({ type, segments, ...ways["single pass"], ...own } as ScanOptions);
    await expectInside("scan", prepare, ranges, 1, title === "rows" ? [true] : [false, true]);
    stop();
  });
}

test("recorded rows", async () => {
  for (const rows of [3, 8]) {
    // Rows divide the data, unless its length is on the GPU. Totals of parts of longer rows are not counted by that length.
    const options = { type, segments: "rows", ...small } as const;
    const given = () => ({ rows });
    await expectInside("scan", (own) => fold().prepareScan({ ...options, ...own }), given, 1, [true]);
    const prepare = (own: Own) => fold().prepareReduce({ ...options, ...own });
    await expectInside(
      "reduce",
      prepare,
      (room) => ({ rows, output: bufferOf(words(room)), ...counted() }),
      1,
      [true],
    );
  }
});

test("recorded sorts", async () => {
  await expectInside("sort", (own) => fold().prepareSort({ type, ...own }));
});

test("recorded selections", async () => {
  const taken = () => ({ output: bufferOf(new Uint32Array(9)), indices: bufferOf(new Uint32Array(9)) });
  const counting = () => ({ ...taken(), ...counted() });
  const prepare = (own: Own) => fold().prepareTopK({ type, k: 9, ...own });
  await expectInside("topK", prepare, taken, 1, [false]);
  await expectInside("topK", prepare, counting, 1, [true]);
});

test("recorded scans of exact sums", async () => {
  const options = { type: f32, op: exactAdd, ...small } as const;
  await expectInside("scan", (own) => fold().prepareScan({ ...options, ...own }), undefined, 1, [true]);
});

test("recorded exact sums", async () => {
  const options = { type: f64, op: exactAdd, ...small } as const;
  await expectInside("reduce", (own) => fold().prepareReduce({ ...options, ...own }), undefined, 2, [true]);
});

test("recorded columns", async () => {
  const options = { type, op: max, segments: "columns", ...small } as const;
  await expectInside(
    "scan",
    (own) => fold().prepareScan({ ...options, ...own }),
    () => ({ columns: 7 }),
    7,
    [true],
  );
});

/** Checks that keep loads inside: in the range's end, and at the data's end. */
const checks: readonly (readonly [title: string, change: Change, lengthOnGpu: boolean, finding: RegExp])[] = [
  [
    "an item past the end of its range",
    { from: /if \(first\w* \+ \w+ < length\) \{/g, to: "if (true) {" },
    false,
    /^out-of-bounds/,
  ],
  [
    "a vector past the end of the data",
    { from: "first < length && first + VECTOR", to: "first + VECTOR" },
    true,
    /^uninitialized/,
  ],
];

test.each(checks)("found: %s is read", async (_, change, lengthOnGpu, finding) => {
  const takeBack = plant(fold(), change);
  const prepare = (own: Own) => fold().prepareScan({ type, op: affine, ...ways.blelloch, ...own });
  const all = await foundIn(prepare, () => ({}), 1, [lengthOnGpu]);
  expect(Math.min(...takeBack())).toBeGreaterThan(0);
  expect(all).toContainEqual(expect.stringMatching(finding));
});
