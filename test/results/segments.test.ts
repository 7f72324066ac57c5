import { beforeAll, describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { vec3 } from "../../src/algebra/fields.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { max } from "../../src/algebra/operators.ts";
import { usedBytes } from "../../src/algebra/padding.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, Value } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import { ArgumentError } from "../../src/node.ts";
import { bitsOf } from "../../src/primitives/example_calls.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { runLengthsReference, uniqueReference } from "../../src/reference/runs.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { layouts, runDescribed } from "../fuzz/described.ts";
import type { Fixture } from "../fuzz/fixture.ts";
import { fixtureOn } from "../fuzz/fixture.ts";
import { scaleOf } from "../fuzz/plans.ts";
import { destroyAll, readWords, storageBuffer, submit } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { algorithmNames, allowFindings, useFoldOfOneSize } from "../support/fold.ts";
import { described } from "../support/primitives.ts";
import { randomBits, randomWords } from "../support/random.ts";

// Sums of f64 of segments, in the order that recordings tell, and what is special to segments. All else follows from the examples of scans and
// reductions: test/primitives/.

// Sums of f64 have the order that groupingOf gives.
const fold = useFoldOfOneSize();
let fixture: Fixture;
beforeAll(() => {
  fixture = fixtureOn(fold(), scaleOf("simulated"));
});

const MOST = 200;
const rounded = described
  .filter(({ primitive: { name } }) => name === "scan" || name === "reduce")
  .flatMap(({ primitive, examples }) =>
    [1, 2, 3].flatMap((seed) =>
      examples
        .of(f64, MOST, bitsOf(seed))
        .flatMap(({ isInOrder, isOfShape }, example) =>
          isInOrder ? [{ name: primitive.name, seed, example, isOfShape }] : [],
        ),
    ),
  )
  .map((row, turn) => ({
    ...row,
    passes: (["single", "reduce-then-scan"] as const)[turn % 2],
    algorithm: algorithmNames[turn % algorithmNames.length],
    exclusive: turn % 4 < 2,
    reverse: turn % 8 < 4,
    lengthOnGpu: turn % 3 === 0,
  }));
test.for(rounded)(
  "a $name of f64, example $example of $seed, $algorithm, $passes",
  async ({
    name: primitive,
    seed,
    example,
    isOfShape,
    passes,
    algorithm,
    exclusive,
    reverse,
    lengthOnGpu,
  }) => {
    const tuning = { workGroupSize: 4, itemsPerThread: 2, passes, algorithm };
    const options = { ...tuning, ...(primitive === "scan" && { exclusive, reverse }) };
    const call = { primitive, type: "f64" as const, maxLength: MOST, example, seed, options, lengthOnGpu };
    for (const [at, length] of [0, 1, 9, 33, MOST].entries()) {
      const step = {
        place: "recorded",
        length,
        before: at,
        data: { kind: "bits", seed: seed + at },
        ...(at % 2 === 1 && { layout: layouts[at % layouts.length] as (typeof layouts)[number] }),
      } as const;
      const verdict = runDescribed({ family: "described", call, steps: [step] }, fixture);
      // No shape has no elements.
      expect(await verdict, `${length} items`).toBe(isOfShape && length === 0 ? "refused" : "passed");
    }
  },
);

const pair = struct({ name: "Pair", fields: { cell: u32, weight: f32 } });

/** Bits between fields, and behind the last one. They count for nothing. */
const padded = struct({ name: "Padded", fields: { a: u32, b: vec3(f32), c: u64 } });

/** Keys in runs. Neighbouring runs differ, and some differ only in the last word, or in the sign of zero. */
const keyTypes: readonly [type: ElementType, keyOf: (run: number, index: number) => Value][] = [
  [u32, (run) => run % 3],
  [f32, (run) => [-0, 0, Number.NaN, 1][run % 4] as number],
  [f64, (run) => [-0, 0, Number.NaN, 1, 1 + 2 ** -52][run % 5] as number],
  [i64, (run) => [0n, 1n, 1n << 32n][run % 3] as bigint],
  [pair, (run) => ({ cell: 5, weight: run % 2 })],
  [padded, (run) => ({ a: 1, b: [0, 0, run % 2], c: BigInt(run % 3) << 32n })],
];

function keysOf(
  type: ElementType,
  keyOf: (run: number, index: number) => Value,
  heads: Uint32Array,
): AnyArray {
  let run = -1;
  const values = Array.from(heads, (head, index) => {
    run += head !== 0 || index === 0 ? 1 : 0;
    return keyOf(run, index);
  });
  if (type.kind === "struct") {
    const array = (type as unknown as typeof pair).from(values as never);
    // What no field has differs from item to item.
    const used = usedBytes(type);
    const bytes = new Uint8Array(array.buffer);
    const next = randomBits(`padding ${values.length}`);
    bytes.forEach((_, at) => {
      if (used[at % type.bytes] === 0) {
        bytes[at] = next();
      }
    });
    return array as unknown as AnyArray;
  }
  const array = arrayOver(type, new ArrayBuffer(values.length * type.bytes));
  values.forEach((value, index) => {
    (array as unknown as Value[])[index] = value;
  });
  // Two NaN of other bits are one key.
  if (type === f32) {
    const bits = new Uint32Array(array.buffer as ArrayBuffer);
    for (let index = 0; index < bits.length; index++) {
      if (Number.isNaN((array as Float32Array)[index])) {
        bits[index] = index % 2 === 0 ? 0x7fc00000 : 0xffc12345;
      }
    }
  }
  return array;
}

/** Heads of segments, of which some have one item, and some many. */
function headsOf(length: number): Uint32Array {
  const next = randomBits(`segments ${length}`);
  return Uint32Array.from({ length }, () => (next() % 3 === 0 ? 0 : next() % 5));
}

test("a reduction by keys has no more totals than there is room for", async () => {
  const { device } = fold();
  const keys = Uint32Array.of(1, 1, 2, 2, 2, 3, 4, 4, 5);
  const poison = new Uint32Array(9).fill(0xdeadbeef);
  const reduce = await fold().prepareReduce({
    type: u32,
    segments: { keys: u32, unique: true },
    maxLength: 9,
    workGroupSize: 4,
    itemsPerThread: 2,
  });
  const input = storageBuffer(device, keys);
  const [output, unique, count] = [poison, poison, poison].map((words) => storageBuffer(device, words)) as [
    GPUBuffer,
    GPUBuffer,
    GPUBuffer,
  ];
  submit(device, (encoder) =>
    reduce.record(encoder, { input, keys: input, output, unique, count, length: 9, segmentCount: 3 }),
  );
  expect([...(await readWords(device, output))]).toEqual([2, 6, 3, ...poison.slice(3)]);
  expect([...(await readWords(device, unique))]).toEqual([1, 2, 3, ...poison.slice(3)]);
  expect((await readWords(device, count))[0]).toBe(5);
  destroyAll(reduce, input, output, unique, count);
});

describe("at hand", () => {
  const data = randomWords(600, "at hand");

  test("with a map, into an array of the caller's", async () => {
    const segments = { rows: 3 } as const;
    const map = "f32(x % 7u) + f32(i)";
    const into = new Float32Array(600);
    const found = await fold().scan(data, { type: f32, map, segments, into });
    expect(found).toBe(into);
    const like = { type: f32, map: (x: number, i: number) => (x % 7) + i, segments };
    expectSameBits(into, scanReference(data, like), "scan");
    expectSameBits(
      await fold().reduce(data, { type: f32, map, segments }),
      reduceReference(data, like),
      "reduce",
    );
  });

  test("sums of -0, and of nothing", async () => {
    const zeros = Float64Array.of(-0, -0, 1, -0);
    const options = { segments: { offsets: [0, 2, 2, 4] } };
    expect([...(await fold().reduce(zeros, options))]).toEqual([-0, 0, 1]);
    expect([...reduceReference(zeros, options)]).toEqual([-0, 0, 1]);
    const from = { ...options, initial: -0 };
    expect([...(await fold().reduce(zeros, from))]).toEqual([-0, -0, 1]);
    expect([...reduceReference(zeros, from)]).toEqual([-0, -0, 1]);
    const before = { ...options, exclusive: true };
    expect([...(await fold().scan(zeros, before))]).toEqual([0, 0, 0, 1]);
    expect([...scanReference(zeros, before)]).toEqual([0, 0, 0, 1]);
  });

  test("unique elements and run lengths, of every type of keys", async () => {
    for (const [type, keyOf] of keyTypes) {
      const keys = keysOf(type, keyOf, headsOf(400)) as Uint32Array;
      expectSameBits(await fold().unique(keys), uniqueReference(keys), type.name);
      const ones = { segments: { keys } };
      const totals = (await fold().reduce(new Uint32Array(400).fill(1), ones)) as unknown as {
        keys: AnyArray;
      };
      expectSameBits(totals.keys, uniqueReference(keys), type.name);
      const positions = { indices: true } as const;
      expectSameBits(await fold().unique(keys, positions), uniqueReference(keys, positions), type.name);
      const [found, expected] = [await fold().runLengths(keys), runLengthsReference(keys)];
      expectSameBits(found.values, expected.values, type.name);
      expectSameBits(found.counts, expected.counts, type.name);
    }
    const none = await fold().runLengths(new Uint32Array(0));
    expect([none.values.length, none.counts.length]).toEqual([0, 0]);
    const one = await fold().upload(Uint32Array.of(1));
    for (const [data, options, option] of [
      [Uint32Array.of(1), { exclusive: true }, "exclusive"],
      [Uint32Array.of(1), { indices: "no" }, "indices"],
      [Uint32Array.of(1), { counts: "yes" }, "counts"],
      [one, { type: f32 }, "type"],
    ] as const) {
      await expect(fold().unique(data as never, options as never)).rejects.toMatchObject({ option });
    }
    const counted = await fold().unique(Uint32Array.of(1), { counts: true });
    expect([[...counted.values], [...counted.counts]]).toEqual([[1], [1]]);
    one.destroy();
  });

  test("an option of segments that is undefined counts as left out", async () => {
    const six = Uint32Array.of(1, 2, 3, 4, 5, 6);
    const [rows, left] = [3, undefined];
    const given = {
      rows,
      columns: left,
      offsets: left,
      heads: left,
      keys: left,
      key: left,
      type: left,
    } as never;
    expect(await fold().scan(six, { segments: given })).toEqual(Uint32Array.of(1, 3, 6, 4, 9, 15));
    expect(await fold().reduce(six, { segments: given })).toEqual(Uint32Array.of(6, 15));
    expect(scanReference(six, { segments: given })).toEqual(Uint32Array.of(1, 3, 6, 4, 9, 15));
    expect(await fold().sort(six, { segments: given, descending: true })).toEqual(
      Uint32Array.of(3, 2, 1, 6, 5, 4),
    );
    const one = await fold().upload(six);
    const sums = await fold().reduce(one, { segments: given });
    expect(await (sums as unknown as typeof one).read()).toEqual(Uint32Array.of(6, 15));
    const keys = { keys: u32, key: left, unique: left, rows: left } as never;
    const prepared = await fold().prepareReduce({ type: u32, segments: keys, maxLength: 6 } as never);
    destroyAll(prepared, one);
  });

  test("what segments cannot be", async () => {
    const six = Uint32Array.of(1, 2, 3, 4, 5, 6);
    const wrong: readonly [unknown, RegExp][] = [
      [{ rows: 4 }, /rows of 4 items do not divide the 6 items/],
      [{ rows: 0 }, /rows: 0; it takes a whole number from 1 to 2\^32 - 2/],
      [
        { rows: 2 ** 32 },
        /rows: 4294967296; it takes a whole number from 1 to 2\^32 - 2, the items of a row/,
      ],
      [{ rows: undefined }, /segments is \{ rows: undefined \}; it takes one of/],
      [{ offsets: BigUint64Array.of(0n, 6n) }, /offsets of bigint; it takes numbers, such as Uint32Array/],
      [{ rows: 2, offsets: [0, 6] }, /\{ rows, offsets \}; it takes one of/],
      [{ rows: 2, type: u32 }, /a type only beside keys/],
      [{}, /segments is \{ {2}\}; it takes one of/],
      [5, /segments is 5; it takes one of/],
      [{ offsets: [] }, /there are no offsets/],
      [{ offsets: [0, 4, 3, 6] }, /offset 2 is 3, after 4/],
      [{ offsets: [0, 7] }, /offset 1 is 7/],
      [{ offsets: [1, 6] }, /offset 0 is 1; offsets start from 0/],
      [{ offsets: [0, 3] }, /the last offset is 3/],
      [{ heads: [1] }, /heads has 1 elements for 6 items/],
      [{ headBits: new Uint32Array(2) }, /headBits has 2 elements for 6 items; it takes 1 words/],
      [{ headBits: [1] }, /headBits in another array; it takes a Uint32Array/],
      [{ keys: new Uint32Array(5) }, /keys has 5 elements for 6 items/],
      [{ keys: [1, 2, 3, 4, 5, 6] }, /has no element type/],
      [{ heads: { length: 6, isOnGpu: true } }, /heads is on the GPU, and data is not/],
    ];
    for (const [segments, message] of wrong) {
      for (const call of [
        fold().scan(six, { segments } as never),
        fold().reduce(six, { segments } as never),
      ]) {
        const refused = await call.catch((cause: unknown) => cause);
        expect(refused, String(message)).toBeInstanceOf(ArgumentError);
        expect(refused, String(message)).toMatchObject({
          option: "segments",
          message: expect.stringMatching(message),
        });
      }
      expect(() => scanReference(six, { segments } as never), String(message)).toThrow(message);
      expect(() => reduceReference(six, { segments } as never), String(message)).toThrow(message);
    }
    const total = fold().scan(six, { segments: { rows: 2 }, total: new Uint32Array(1) });
    await expect(total).rejects.toMatchObject({ option: "total" });
  });
});

describe("on the GPU", () => {
  test("arrays in, arrays out, with a length that only the GPU knows", async () => {
    const data = randomWords(500, "on the GPU");
    const numbers = await fold().upload(data);
    const kept = await fold().compact(numbers, { where: "x % 3u != 0u" });
    const left = data.filter((x) => x % 3 !== 0);
    const keys = Uint32Array.from({ length: 500 }, (_, index) => Math.floor(index / 11));
    const marks = await fold().upload(keys);
    const own = { rows: 16 };
    const scanned = await fold().scan(kept, { segments: own });
    // The last row is shorter.
    const sums = left.map((_, index) =>
      left.subarray(index - (index % 16), index + 1).reduce((a, b) => a + b),
    );
    expectSameBits(await scanned.read(), Uint32Array.from(sums), "rows");
    const rowsOf = await fold().reduce(kept, { segments: own });
    const totals = sums.filter((_, index) => index % 16 === 15 || index + 1 === left.length);
    expectSameBits(await rowsOf.read(), Uint32Array.from(totals), "totals of rows");
    const runs = await fold().reduce(kept, { op: max, segments: { keys: marks } });
    const expected = reduceReference(left, { op: max, segments: { keys: keys.subarray(0, left.length) } });
    expectSameBits(await runs.keys.read(), expected.keys, "keys of runs");
    expectSameBits(await runs.values.read(), expected.values, "totals of runs");
    // One buffer more than a device has by default, if the input were bound as vectors.
    const from7 = await fold().reduce(kept, { initial: 7, segments: { keys: marks } });
    const like7 = { initial: 7, segments: { keys: keys.subarray(0, left.length) } };
    expectSameBits(await from7.values.read(), reduceReference(left, like7).values, "totals from 7");
    await expect(fold().scan(marks, { segments: { keys: marks }, into: marks })).rejects.toMatchObject({
      option: "segments",
    });
    destroyAll(from7.keys, from7.values, numbers, kept, marks, scanned, rowsOf, runs.keys, runs.values);
  });

  test("what segments cannot be there, and in a recording", async () => {
    const six = await fold().upload(Uint32Array.of(1, 2, 3, 4, 5, 6));
    const five = await fold().upload(new Uint32Array(5));
    const floats = await fold().upload(new Float32Array(6));
    const none = await fold().upload(new Uint32Array(0));
    const wrong: readonly [object, RegExp][] = [
      [{ rows: 4 }, /rows of 4 items do not divide the 6 items/],
      [{ heads: five }, /heads has 5 for 6 items/],
      [{ heads: floats }, /heads holds f32; it takes u32/],
      [{ headBits: none }, /headBits has 0 for 6 items; it takes 1 words/],
      [{ keys: five }, /keys has 5 for 6 items/],
      [{ offsets: none }, /no offsets; it takes one offset more/],
      [{ heads: Uint32Array.of(1, 2, 3, 4, 5, 6) }, /heads is Uint32Array, and data is on the GPU/],
    ];
    for (const [segments, message] of wrong) {
      const call = fold().scan(six, { segments } as never);
      await expect(call, String(message)).rejects.toMatchObject({
        option: "segments",
        message: expect.stringMatching(message),
      });
    }
    const scan = await fold().prepareScan({ type: u32, segments: "rows", maxLength: 6 });
    const totals = await fold().prepareReduce({ type: u32, segments: "offsets", maxLength: 6 });
    const encoder = fold().device.createCommandEncoder();
    const ranges = { input: six, output: { buffer: six.buffer }, length: 6 };
    for (const rows of [undefined, 0, 4, 1.5]) {
      expect(() => scan.record(encoder, { ...ranges, rows } as never), `${rows}`).toThrow(/rows is/);
    }
    const own = { ...ranges, offsets: five };
    for (const segmentCount of [undefined, -1, 5]) {
      expect(() => totals.record(encoder, { ...own, segmentCount } as never), `${segmentCount}`).toThrow(
        segmentCount === 5 ? /offsets has 20 bytes/ : /segmentCount is/,
      );
    }
    destroyAll(six, five, floats, none, scan, totals);
  });

  test("offsets that fall, or pass the end, write nothing outside", async () => {
    const { device } = fold();
    const data = randomWords(64, "bad offsets");
    const guard = randomWords(64, "guard");
    for (const offsets of [
      [0, 40, 20, 64],
      [0, 10, 4000000000, 4294967295],
      [70, 80, 90, 100],
      [5, 9, 9, 20],
    ]) {
      const reduce = await fold().prepareReduce({ type: u32, segments: "offsets", maxLength: 64 });
      const scan = await fold().prepareScan({ type: u32, segments: "offsets", maxLength: 64 });
      const input = storageBuffer(device, data);
      const positions = storageBuffer(device, Uint32Array.from(offsets));
      const output = storageBuffer(device, guard);
      const prefixes = storageBuffer(device, Uint32Array.of(...guard, ...guard));
      const ranges = { input, length: 64, offsets: positions, segmentCount: 3 };
      submit(fold().device, (encoder) => {
        reduce.record(encoder, { ...ranges, output: { buffer: output, offset: 16, size: 12 } });
        scan.record(encoder, { ...ranges, output: { buffer: prefixes, size: 256 } });
      });
      const words = await readWords(device, output);
      expectSameBits(words.slice(0, 4), guard.slice(0, 4), `before, ${offsets}`);
      expectSameBits(words.slice(7), guard.slice(7), `behind, ${offsets}`);
      expectSameBits((await readWords(device, prefixes)).slice(64), guard, `behind the scan, ${offsets}`);
      // Offsets that do not fall have a stated result: what is past the end counts as the end.
      if (offsets.every((one, at) => at === 0 || one >= (offsets[at - 1] as number))) {
        const ends = offsets.map((one) => Math.min(one, 64));
        const totals = [0, 1, 2].map((at) =>
          data.subarray(ends[at], ends[at + 1]).reduce((a, b) => a + b, 0),
        );
        expectSameBits(words.slice(4, 7), Uint32Array.from(totals), `totals, ${offsets}`);
      }
      destroyAll(input, positions, output, prefixes, reduce, scan);
    }
  });

  const falling = [{}, { passes: "reduce-then-scan" }, { passes: "single", algorithm: "subgroup" }] as const;
  test.each(falling)(
    "offsets that fall: a scan starts segments there, and a total is of consecutive items, the identity or as before, %o",
    async (options) => {
      if ("algorithm" in options) {
        // Lanes by subgroups may both find the end of a segment where offsets fall, and each writes a total of it.
        allowFindings();
      }
      const { device } = fold();
      const next = randomBits("offsets that fall");
      const poison = 0xabcdabcd;
      for (const length of [200]) {
        const data = randomWords(length, "falling offsets");
        const most = 40;
        const plan = { type: u32, segments: "offsets", maxLength: length, ...options } as const;
        const scan = await fold().prepareScan(plan);
        const reduce = await fold().prepareReduce(plan);
        const sums = new Set([0, poison]);
        for (let from = 0; from < length; from++) {
          let sum = 0;
          for (const one of data.subarray(from)) {
            sum = (sum + one) >>> 0;
            sums.add(sum);
          }
        }
        const input = storageBuffer(device, data);
        for (let turn = 0; turn < 8; turn++) {
          const segmentCount = 1 + (next() % most);
          let last = 0;
          // Half of them fall rarely: then a lane has the ends of segments that are far apart, and few empty ones.
          const offsets = Uint32Array.from({ length: segmentCount + 1 }, () => {
            last =
              turn % 2 === 0 && next() % 6 !== 0 ? last + (next() % (length >> 3)) : next() % (length + 1);
            return next() % 8 === 0 ? next() : last;
          });
          const title = `${length} items, ${offsets}`;
          const heads = new Uint32Array(length);
          for (const one of offsets) {
            heads.fill(1, one, one + 1);
          }
          const starts = storageBuffer(device, offsets);
          const prefixes = storageBuffer(device, data);
          const output = storageBuffer(device, new Uint32Array(most + 128).fill(poison));
          const ranges = { input, length, offsets: starts, segmentCount };
          submit(device, (encoder) => {
            scan.record(encoder, { ...ranges, output: prefixes });
            reduce.record(encoder, {
              ...ranges,
              output: { buffer: output, offset: 256, size: 4 * segmentCount },
            });
          });
          expectSameBits(
            (await readWords(device, prefixes)).subarray(0, length),
            scanReference(data, { segments: { heads } }),
            title,
          );
          const words = await readWords(device, output);
          expect(
            [...words.subarray(64, 64 + segmentCount)].filter((word) => !sums.has(word)),
            title,
          ).toEqual([]);
          words.fill(poison, 64, 64 + segmentCount);
          expectSameBits(words, new Uint32Array(most + 128).fill(poison), `outside, ${title}`);
          destroyAll(starts, prefixes, output);
        }
        destroyAll(scan, reduce, input);
      }
    },
  );
});
