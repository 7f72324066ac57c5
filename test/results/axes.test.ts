import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { max } from "../../src/algebra/operators.ts";
import type { SegmentsByAxis } from "../../src/algebra/segments.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import type { Fold } from "../../src/node.ts";
import { ArgumentError, openFold } from "../../src/node.ts";
import { withFasterWays } from "../../src/plan/faster_ways.ts";
import { ALL_ARRANGEMENTS } from "../../src/plan/plan.ts";
import { planSegmented } from "../../src/plan/plan_segmented.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { sortReference, topKReference } from "../../src/reference/sort.ts";
import { arrayBuffer, destroyAll, readWords, storageBuffer, submit } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { untyped, useAdapters, useFold } from "../support/fold.ts";
import type { Subject } from "../support/mutations.ts";
import { testMutations } from "../support/mutations.ts";
import { affine } from "../support/operators.ts";
import { errorOf } from "../support/option_checks.ts";
import { randomWords } from "../support/random.ts";

// Scans and reductions along an axis of an array, against the reference, on every element. An axis between others is the columns of
// matrices; rows and columns have tests of their own.

const fold = useFold();
const nextAdapter = useAdapters();

const MOST = 2400;
const divisions = {
  "one chunk": { alone: 1 },
  "many chunks": { alone: 2 ** 20, threads: 2 ** 12 },
  "blocks, one chunk": { alone: 1, threads: 2 ** 20, block: 2 },
  "blocks, chunks": { alone: 2 ** 20, threads: 1000, block: 4 },
} as const;

/** A plan along the middle axis of matrices. Recordings say how many there are. */
const planned = (
  primitive: "scan" | "reduce",
  options: object,
  [, rows, columns]: readonly number[],
  testing: object = {},
): Promise<Prepared> => {
  const context = contextOf(fold().device);
  const facts = withFasterWays(context.facts);
  // One matrix would be planned as columns.
  const segments = { shape: [2, 1, rows, columns], axis: -2 };
  const sizes = { workGroupSize: 8, itemsPerThread: 4, maxLength: MOST };
  return prepare(
    context,
    planSegmented(primitive, { ...sizes, ...options, segments } as never, facts, ALL_ARRANGEMENTS, testing),
  );
};

describe("a length on the GPU cuts off the last matrices", () => {
  for (const [divided, testing] of Object.entries(divisions)) {
    test(divided, async () => {
      const { device } = fold();
      const [matrices, rows, columns] = [4, 20, 5] as const;
      const items = rows * columns;
      const data = randomWords(matrices * items, "cut off");
      const base = { type: u32, lengthOnGpu: true };
      const shape = [matrices, rows, columns];
      const scan = await planned("scan", { ...base, exclusive: true }, shape, testing);
      const back = await planned("scan", { ...base, reverse: true }, shape, testing);
      const reduce = await planned("reduce", base, shape, testing);
      const input = arrayBuffer(device, data);
      for (const length of [0, 1, 99, 101, 263, 400]) {
        const lengths = storageBuffer(device, Uint32Array.of(length));
        const fresh = () => storageBuffer(device, new Uint32Array(data.length).fill(7));
        const outputs = [fresh(), fresh(), fresh()] as const;
        submit(device, (encoder) => {
          for (const [at, prepared] of [scan, back, reduce].entries()) {
            const output = outputs[at] as GPUBuffer;
            prepared.record(encoder, { input, output, length: { buffer: lengths } } as never, 400);
          }
        });
        const expected = [0, 1, 2].map(() => new Uint32Array(data.length).fill(7));
        const [sums, ends, totals] = expected as [Uint32Array, Uint32Array, Uint32Array];
        totals.fill(0, 0, matrices * columns);
        for (let index = 0; index < length; index++) {
          const column = Math.floor(index / items) * columns + (index % columns);
          sums[index] = totals[column] as number;
          totals[column] = ((totals[column] as number) + (data[index] as number)) >>> 0;
        }
        for (let index = 0; index < length; index++) {
          const column = Math.floor(index / items) * columns + (index % columns);
          ends[index] = ((totals[column] as number) - (sums[index] as number)) >>> 0;
        }
        for (const [at, output] of outputs.entries()) {
          expectSameBits(await readWords(device, output), expected[at] as Uint32Array, `${length}, ${at}`);
          output.destroy();
        }
        lengths.destroy();
      }
      destroyAll(scan, back, reduce, input);
    });
  }
});

const cube = randomWords(5 * 6 * 7, "cube");
const axesOf = (shape: readonly number[]): SegmentsByAxis[] =>
  Array.from({ length: 2 * shape.length }, (_, at) => ({ shape, axis: at - shape.length }));
const everyAxis = [
  ...axesOf([5, 6, 7]),
  ...[[30, 7], [210], [5, 1, 42], [5, 2, 3, 7]].flatMap((shape) => axesOf(shape).slice(shape.length)),
];

/** The sums along an axis, and their prefixes, by loops over the indices. */
function bySteps({ shape, axis }: SegmentsByAxis): { totals: Uint32Array; prefixes: Uint32Array } {
  const at = axis < 0 ? axis + shape.length : axis;
  const inner = shape.slice(at + 1).reduce((a, b) => a * b, 1);
  const n = shape[at] as number;
  const totals = new Uint32Array(cube.length / n);
  const prefixes = cube.map((x, index) => {
    const total = Math.floor(index / (n * inner)) * inner + (index % inner);
    totals[total] = (totals[total] as number) + x;
    return totals[total] as number;
  });
  return { totals, prefixes };
}

test("every axis of every shape, in the reference", () => {
  for (const segments of everyAxis) {
    const { totals, prefixes } = bySteps(segments);
    const title = JSON.stringify(segments);
    expectSameBits(scanReference(cube, { segments }), prefixes, title);
    expectSameBits(reduceReference(cube, { segments }) as Uint32Array, totals, title);
  }
});

test.for(["never", "always"] as const)("at hand, the CPU: %s", async (cpu) => {
  const own: Fold = await openFold({ adapter: await nextAdapter(), cpu });
  const others = [
    { exclusive: true, initial: 3, op: max },
    { reverse: true, op: max, map: "x % 1000u" },
    { reverse: true, exclusive: true, op: untyped(affine) },
  ];
  for (const [turn, segments] of everyAxis.entries()) {
    const { totals, prefixes } = bySteps(segments);
    const title = JSON.stringify(segments);
    expectSameBits(await own.scan(cube, { segments }), prefixes, title);
    expectSameBits(await own.reduce(cube, { segments }), totals, title);
    const options = others[turn % others.length];
    const like = { ...options, ...(options?.map && { map: (x: number) => x % 1000 }), segments };
    const found = await own.scan(cube, { ...options, segments } as never);
    expectSameBits(found as AnyArray, scanReference(cube, like as never) as AnyArray, `${title}, ${turn}`);
  }
  const floats = Float64Array.from(cube, (x) => x / 7);
  const segments = { shape: [5, 6, 7], axis: 1 };
  const into = new Float64Array(210);
  expect(await own.scan(floats, { segments, exclusive: true, into })).toBe(into);
  expectSameBits(into, scanReference(floats, { segments, exclusive: true }), "into");
  own.destroy();
});

test("arrays on the GPU, in place, and rows of other primitives", async () => {
  const array = await fold().upload(cube);
  for (const segments of axesOf([5, 6, 7])) {
    const { totals, prefixes } = bySteps(segments);
    const sums = await fold().scan(array, { segments });
    const reduced = await fold().reduce(array, { segments });
    expectSameBits(await sums.read(), prefixes, `axis ${segments.axis}`);
    expect(reduced.length).toBe(totals.length);
    expectSameBits(await reduced.read(), totals, `axis ${segments.axis}`);
    destroyAll(sums, reduced);
  }
  const segments = { shape: [5, 6, 7], axis: -1 };
  expectSameBits(await fold().sort(cube, { segments }), sortReference(cube, { segments }), "sort");
  const first = await fold().topK(cube, 2, { segments });
  expectSameBits(first.values, topKReference(cube, 2, { segments }).values, "topK");
  const { prefixes } = bySteps({ shape: [5, 6, 7], axis: 1 });
  await fold().scan(array, { segments: { shape: [5, 6, 7], axis: 1 }, into: array });
  expectSameBits(await array.read(), prefixes, "in place");
  array.destroy();
});

test("recordings along each axis take other lengths of the first dimensions", async () => {
  const { device } = fold();
  for (const axis of [0, 1, 2]) {
    const shape = [5, 6, 7];
    const length = axis === 2 ? 105 : 168;
    const scan = await fold().prepareScan({ type: u32, segments: { shape, axis }, maxLength: 210 });
    const [input, output] = [arrayBuffer(device, cube), arrayBuffer(device, cube)];
    submit(device, (encoder) => scan.record(encoder, { input, output, length }));
    const segments = { shape: axis === 2 ? [15, 7] : [4, 6, 7], axis: axis === 2 ? 1 : axis };
    const data = cube.subarray(0, length);
    const expected = scanReference(data, { segments });
    expectSameBits((await readWords(device, output)).slice(0, length), expected, `axis ${axis}`);
    const encoder = device.createCommandEncoder();
    expect(() => scan.record(encoder, { input, output, length: 209 })).toThrow(
      /length is 209; along axis \d of \[5,6,7\], it takes a multiple of \d+/,
    );
    expect(() => scan.record(encoder, { input, output, length, rows: 7 })).toThrow(/rows/);
    destroyAll(scan, input, output);
  }
});

describe("what is refused", () => {
  const six = Uint32Array.of(1, 2, 3, 4, 5, 6);
  test.each([
    [{ shape: [2, 2], axis: 0 }, /shape is \[2,2\], which is 4 items, and the array has 6/],
    [{ shape: [2, 3], axis: 2 }, /axis: 2; it takes a whole number from -2 to 1, since the shape has 2 axes/],
    [{ shape: [2, 3], axis: -3 }, /axis: -3; it takes/],
    [{ shape: [2, 3] }, /axis: undefined; it takes/],
    [{ shape: [2, 0], axis: 0 }, /shape: .*; it takes an array of whole numbers from 1 up/],
    [{ shape: [], axis: 0 }, /shape: .*; it takes an array of whole numbers from 1 up/],
    [{ shape: [2 ** 31, 2], axis: 0 }, /whose product is at most 2\^32 - 2/],
    [{ shape: 6, axis: 0 }, /shape: 6; it takes an array/],
    [{ axis: 0 }, /\{ axis \}; it takes one of .*\{ shape, axis \}/],
    [{ rows: 2, axis: 0 }, /\{ rows, axis \}; it takes one of/],
    [{ shape: [2, 3], axis: 0, rows: 3 }, /it takes one of/],
  ])("%o", async (segments, message) => {
    for (const call of [
      () => fold().scan(six, { segments } as never),
      () => fold().reduce(six, { segments } as never),
      async () => scanReference(six, { segments } as never),
      async () => reduceReference(six, { segments } as never),
    ]) {
      const error = await errorOf(call());
      expect(error).toBeInstanceOf(ArgumentError);
      expect(error.message).toMatch(message);
      expect(error.option).toBe("segments");
    }
  });

  test("an axis that is no row, a length that is not known, and wrong plans", async () => {
    const segments = { shape: [3, 2], axis: 0 };
    await expect(fold().sort(six, { segments })).rejects.toThrow(/axis: 0 of 2; it takes the last axis/);
    const middle = { shape: [1, 3, 2], axis: 1 };
    await expect(fold().topK(six, 1, { segments: middle })).rejects.toThrow(
      /axis: 1 of 3; it takes the last axis/,
    );
    const array = await fold().upload(six);
    const some = await fold().compact(array, { where: "x > 2u" });
    await expect(fold().scan(some, { segments })).rejects.toThrow(/a shape is for data whose length the CPU/);
    await expect(
      fold().prepareScan({ type: f32, maxLength: 6, segments: { ...segments, rows: 2 } as never }),
    ).rejects.toThrow(/an object with rows; it takes \{ shape, axis \}/);
    await expect(
      fold().prepareScan({ type: f64, maxLength: 6, segments: { shape: [3, 2], axis: 5 } }),
    ).rejects.toThrow(/axis: 5/);
    destroyAll(array, some);
  });
});

const shape = [3, 40, 4];
const many = randomWords(480, "mutants");
const scanned = (testing: object, reverse = false): Subject =>
  async function* (own) {
    const scan = await planned("scan", { type: u32, op: untyped(affine), reverse }, shape, testing);
    const output = storageBuffer(own.device, randomWords(480, "poison"));
    const input = arrayBuffer(own.device, many);
    submit(own.device, (encoder) => scan.record(encoder, { input, output, length: 480 } as never));
    const segments = { shape, axis: 1 };
    yield [await readWords(own.device, output), scanReference(many, { op: affine, segments, reverse })];
    destroyAll(scan, input, output);
  };

/** A reduction, whose chunks end within those of no matrix: a prime number of rows. */
const reduced: Subject = async function* (own) {
  const prime = [3, 37, 4];
  const reduce = await planned("reduce", { type: u32, op: untyped(affine) }, prime, {
    alone: 2 ** 20,
    threads: 2 ** 12,
  });
  const data = many.subarray(0, 444);
  const [input, output] = [
    arrayBuffer(own.device, data),
    storageBuffer(own.device, randomWords(12, "poison")),
  ];
  submit(own.device, (encoder) => reduce.record(encoder, { input, output, length: 444 } as never));
  const segments = { shape: prime, axis: 1 };
  yield [await readWords(own.device, output), reduceReference(data, { op: affine, segments })];
  destroyAll(reduce, input, output);
};

testMutations(
  fold,
  {
    reduction: reduced,
    scan: scanned({ alone: 2 ** 20, threads: 2 ** 12 }),
    reversed: scanned({ alone: 1 }, true),
  },
  {
    scan: {
      "all matrices are one": ["place % all / call.columns * items", "0u"],
      "chunks are those of one matrix": [
        "place / all * call.chunk_rows",
        "place / call.columns * call.chunk_rows",
      ],
      "the last matrix does not count": ["(call.length + items - 1u) / items", "(call.length - 1u) / items"],
    },
    reduction: {
      // In a scan, it only writes what another thread writes, too: the last one counts.
      "a matrix goes on in the next one": [
        "min(length - min(length, before), items)",
        "length - min(length, before)",
      ],
    },
    reversed: {
      "matrices are mirrored as one": ["let before = index - index % items;", "let before = 0u;"],
      "a mirrored matrix ends with the data": [
        "let own = min(data_length() - before, items);",
        "let own = data_length() - before;",
      ],
    },
  },
);
