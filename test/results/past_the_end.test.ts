import { afterAll, beforeAll, expect } from "vitest";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { max } from "../../src/algebra/operators.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import type { ScanOptions } from "../../src/node.ts";
import { storageBuffer, submit } from "../support/buffers.ts";
import { planAs, useSoftwareFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { testInTurn } from "../support/rows.ts";
import { limitsWithBinding } from "../support/short_bindings.ts";
import { watchIndices } from "../support/watched_indices.ts";

// No kernel reads or writes past the end of the data, also where nobody would notice: what lies there is not used, but may be another range
// of the buffer, which another work-group writes.

const test = testInTurn({ of: 24 });
const fold = useSoftwareFold();
let watch: ReturnType<typeof watchIndices> | undefined;
let restore = (): void => {};

beforeAll(() => {
  watch = watchIndices(fold().device);
  const { device } = fold();
  const limits = limitsWithBinding(device, device.limits.maxStorageBufferBindingSize);
  // One binding is for what is watched. Rows of work-groups are short, so that grids have more work-groups than tiles.
  restore = planAs(fold(), {
    software: false,
    limits: { ...limits, maxStorageBuffersPerShaderStage: 7, maxComputeWorkgroupsPerDimension: 9 },
  });
});
afterAll(() => {
  restore();
  watch?.stop();
});

const small = { workGroupSize: 8, itemsPerThread: 4 } as const;
/** The ways to scan: subgroups of SwiftShader have 4 lanes. */
const ways = {
  blelloch: { ...small, algorithm: "blelloch", passes: "reduce-then-scan" },
  subgroup: { ...small, algorithm: "subgroup", passes: "reduce-then-scan" },
  "single pass": { ...small, algorithm: "subgroup", passes: "single" },
} as const;
const lengths = [1, 5, 31, 33, 479, 1023];
const MOST = 1023;

const words = (length: number): Uint32Array =>
  Uint32Array.from({ length }, (_, at) => (at * 2654435761) >>> 29);
const keys = (length: number): Uint32Array => Uint32Array.from({ length }, (_, at) => Math.floor(at / 3));

type Ranges = Readonly<Record<string, unknown>>;
interface Recorded {
  record(encoder: GPUCommandEncoder, ranges: never): void;
  destroy(): void;
}

/** A buffer for ranges that a kernel reads or writes. */
const bufferOf = (data: Uint32Array): GPUBuffer => storageBuffer(fold().device, data);

/** The ways to lie: `apart` in two buffers, at an item; `wide` at a vector; `before` in one buffer, the input behind the output. */
const layouts = {
  apart: (size: number) => ({
    input: { buffer: bufferOf(words(2 + size)), offset: 8 },
    output: { buffer: bufferOf(words(2 + size)), offset: 8 },
  }),
  wide: (size: number) => ({ input: bufferOf(words(size)), output: bufferOf(words(size)) }),
  before: (size: number) => {
    const buffer = bufferOf(words(2 * size));
    return { input: { buffer, offset: size * 4 }, output: { buffer, size: size * 4 } };
  },
} satisfies Record<string, (size: number) => Ranges>;

interface Own {
  readonly maxLength: number;
  readonly lengthOnGpu: boolean;
}

/** Records a plan at each length, once for each layout. If the length is on the GPU, the ranges are longer than the data. */
async function expectInside(
  title: string,
  prepare: (own: Own) => Promise<Recorded>,
  rangesOf: (length: number) => Ranges = () => ({}),
  itemWords = 1,
  kinds: readonly boolean[] = [false, true],
): Promise<void> {
  for (const lengthOnGpu of kinds) {
    const plan = await prepare({ maxLength: MOST, lengthOnGpu });
    for (const layout of Object.values(layouts)) {
      for (const length of lengthOnGpu ? [0, ...lengths] : lengths) {
        const room = lengthOnGpu ? MOST : length;
        const given = lengthOnGpu ? bufferOf(Uint32Array.of(length)) : length;
        const ranges = { ...layout(room * itemWords), ...rangesOf(room), length: given };
        submit(fold().device, (encoder) => plan.record(encoder, ranges as never));
      }
    }
    plan.destroy();
    expect(await watch?.pastEnd(), `${title}, the length on the GPU: ${lengthOnGpu}`).toEqual([]);
  }
}

const counted = () => ({ count: bufferOf(new Uint32Array(8)) });
const type = u32;
const where = "x > 3u";

for (const [name, way] of Object.entries(ways)) {
  test(`${name}: recorded scans and reductions`, async () => {
    await expectInside("scan", (own) => fold().prepareScan({ type, op: affine, ...way, ...own }));
    await expectInside("reduce", (own) => fold().prepareReduce({ type, op: affine, ...way, ...own }));
  });
  test(`${name}: recorded scans of 64 bits`, async () => {
    await expectInside(
      "scan of u64",
      (own) => fold().prepareScan({ type: u64, ...way, ...own }),
      undefined,
      2,
    );
  });
  test(`${name}: recorded compactions and partitions`, async () => {
    await expectInside("compact", (own) => fold().prepareCompact({ type, where, ...way, ...own }), counted);
    await expectInside(
      "partition",
      (own) => fold().preparePartition({ type, where, ...way, ...own }),
      counted,
    );
  });
  test(`${name}: recorded segments by keys`, async () => {
    await expectInside(
      "scan",
      (own) => fold().prepareScan({ type, segments: { keys: u32 }, ...way, ...own }),
      (length) => ({ keys: bufferOf(keys(length)) }),
    );
  });
  test(`${name}: recorded segments by heads and by offsets`, async () => {
    await expectInside(
      "scan",
      (own) => fold().prepareScan({ type, segments: "heads", ...way, ...own }),
      (length) => ({ heads: bufferOf(words(length)) }),
    );
    await expectInside(
      "scan",
      (own) => fold().prepareScan({ type, segments: "offsets", ...way, ...own }),
      () => ({ offsets: bufferOf(Uint32Array.of(0, 1)), segmentCount: 1 }),
    );
  });
  test(`${name}: calls on arrays whose lengths are on the GPU`, async () => {
    for (const length of [1, 33, 1023]) {
      const array = await fold().upload(keys(length));
      const kept = await fold().compact(array, { where: "x % 3u == 1u", ...way });
      const sorted = await fold().sort(kept);
      const sums = await fold().scan(kept, { segments: { keys: kept }, ...way });
      await fold().runLengths(kept, way);
      await fold().unique(sorted, way);
      await fold().reduce(kept, { segments: { keys: kept }, ...way });
      await fold().partition(sums, { where, ...way });
      await fold().histogram(kept, { bins: 5, bin: "x % 5u" });
      expect(await watch?.pastEnd(), `${length}`).toEqual([]);
    }
  });
}

test("calls at hand, of all primitives", async () => {
  for (const length of lengths) {
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
    expect(await watch?.pastEnd(), `${length}`).toEqual([]);
  }
});

for (const segments of ["rows", "heads", { keys: u32 }] as const) {
  const title = typeof segments === "object" ? "keys" : segments;
  test(`recorded segments by ${title} in one dispatch, as on NVIDIA's GPUs`, async () => {
    // With a length on the GPU, there is no binding left for what is watched.
    const limits = limitsWithBinding(fold().device, 2 ** 27);
    const stop = planAs(fold(), { vendor: "nvidia", limits });
    const ranges = (length: number) => ({
      ...(title === "rows" ? { rows: 8 } : { [title]: bufferOf(keys(length)) }),
    });
    const prepare = (own: Own) =>
      fold().prepareScan({ type, segments, ...ways["single pass"], ...own } as ScanOptions);
    await expectInside("scan", prepare, ranges, 1, [title === "rows"]);
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
      (length) => ({ rows, output: bufferOf(words(length)), ...counted() }),
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
  await expectInside("reduce", (own) => fold().prepareReduce({ ...options, ...own }), undefined, 2);
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
