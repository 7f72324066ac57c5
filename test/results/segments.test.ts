import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { vec3 } from "../../src/algebra/fields.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import { max, min } from "../../src/algebra/operators.ts";
import { usedBytes } from "../../src/algebra/padding.ts";
import type { Segments } from "../../src/algebra/segments.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, Value } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import { ArgumentError, openFold } from "../../src/node.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { runLengthsReference, uniqueReference } from "../../src/reference/runs.ts";
import { scanReference } from "../../src/reference/scan.ts";
import {
  arrayBuffer,
  destroyAll,
  readAs,
  readWords,
  storageBuffer,
  submit,
  wordsOf,
} from "../support/buffers.ts";
import type { Combination } from "../support/combinations.ts";
import { combinations, itemsOf } from "../support/combinations.ts";
import { expectSameBits } from "../support/compare.ts";
import { allowFindings, untyped, useFoldOfOneSize } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { pairs } from "../support/pairs.ts";
import { randomBits, randomWords } from "../support/random.ts";
import { lacks } from "../support/sorts.ts";
import { watched } from "../support/watched_device.ts";

// Scans and reductions of segments: every source of heads, against the reference, on every element. The rows take the types in turn.

// Sums of f64 have the order that groupingOf gives.
const fold = useFoldOfOneSize();
const tunings = [
  { workGroupSize: 4, itemsPerThread: 2, passes: "reduce-then-scan" },
  { workGroupSize: 8, itemsPerThread: 4, passes: "single" },
] as const;
/** Around one tile and several, and groups of a look-back. */
const lengths = [0, 1, 9, 33, 200];
const MOST = 200;

const pair = struct({ name: "Pair", fields: { cell: u32, weight: f32 } });

const table: readonly Combination[] = [
  ...combinations,
  { type: i32, op: untyped(min), initial: -2 },
  { type: i64, op: untyped(max), initial: -3n },
];

/** The lengths of segments, up to a number of items: none, one, around tiles, one for everything, and random ones. */
const partitions: Readonly<Record<string, (length: number) => number[]>> = {
  "one segment": (length) => [length],
  "single items": (length) => Array(length).fill(1),
  "empty ones between": (length) => [0, 0, 3, 0, 1, 0, length, 0, 0],
  "around tiles": (length) => [7, 1, 8, 9, 15, 16, 17, 31, 32, 33, length],
  random(length) {
    const next = randomBits(`segments ${length}`);
    return Array.from({ length: 200 }, () => (next() % 3 === 0 ? 0 : next() % 40)).concat(length);
  },
};
const offsetsOf = (parts: readonly number[], length: number): Uint32Array => {
  let end = 0;
  return Uint32Array.from([
    0,
    ...parts.map((items) => {
      end = Math.min(length, end + items);
      return end;
    }),
  ]);
};
const headsOf = (parts: readonly number[], length: number): Uint32Array => {
  const offsets = new Set(offsetsOf(parts, length));
  return Uint32Array.from({ length }, (_, index) => (offsets.has(index) ? 1 + (index % 5) : 0));
};

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

/** WGSL that gives keys in runs, and its CPU twin. The items differ within a run. */
interface Computed {
  readonly from: ElementType;
  readonly itemOf: (run: number, index: number) => Value;
  readonly key: string;
  readonly keyType: ElementType;
  /** Whether the type is named. */
  readonly isNamed: boolean;
  readonly twin: (x: never) => Value;
}
const computed: readonly Computed[] = [
  {
    from: pair,
    itemOf: (run, index) => ({ cell: run % 3, weight: index }),
    key: "x.cell",
    keyType: u32,
    isNamed: false,
    twin: (x: { cell: number }) => x.cell,
  },
  {
    from: f32,
    itemOf: (run, index) => (run % 3) + (index % 8) / 8,
    key: "let y = u32(x); return y;",
    keyType: u32,
    isNamed: true,
    twin: (x: number) => Math.floor(x),
  },
  {
    from: u64,
    itemOf: (run, index) => BigInt(run % 2) * 2n ** 40n + BigInt(index),
    key: "Pair(7u, f32(x >> 32))",
    keyType: pair,
    isNamed: true,
    twin: (x: bigint) => ({ cell: 7, weight: Number(x >> 32n) }),
  },
  {
    from: padded,
    itemOf: (run, index) => ({ a: run % 4, b: [0, index, 0], c: BigInt(index) }),
    key: "vec2<u32>(5u, x.a)",
    keyType: u64,
    isNamed: true,
    twin: (x: { a: number }) => 5n + (BigInt(x.a) << 32n),
  },
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

/** The segments of a length by one source of heads: as the reference takes them, and as a recording does. */
interface Source {
  readonly name: string;
  readonly segments: unknown;
  /** The type of the keys that a reduction gives. */
  readonly keyType?: ElementType;
  of(
    length: number,
    parts: readonly number[],
  ): {
    readonly reference: Segments;
    /** As a call at hand takes them, if that is something else. */
    readonly hand?: Segments;
    readonly data?: AnyArray;
    readonly numbers: object;
  };
}
const sources: readonly Source[] = [
  {
    name: "rows",
    segments: "rows",
    of(length, parts) {
      // The longest row up to the first segment's length that divides the data.
      let rows = Math.max(1, Math.min(length, parts.find((items) => items > 0) ?? 1));
      while (length % rows !== 0) {
        rows--;
      }
      return { reference: { rows }, numbers: { rows } };
    },
  },
  {
    name: "offsets",
    segments: "offsets",
    of(length, parts) {
      const offsets = offsetsOf(parts, length);
      return { reference: { offsets }, data: offsets, numbers: { segmentCount: offsets.length - 1 } };
    },
  },
  {
    name: "heads",
    segments: "heads",
    of(length, parts) {
      const heads = headsOf(parts, length);
      return { reference: { heads }, data: heads, numbers: {} };
    },
  },
  {
    name: "headBits",
    segments: "headBits",
    of(length, parts) {
      const headBits = new Uint32Array(Math.ceil(length / 32));
      headsOf(parts, length).forEach((head, index) => {
        headBits[index >>> 5] = (headBits[index >>> 5] as number) | ((head === 0 ? 0 : 1) << (index % 32));
      });
      return { reference: { headBits }, data: headBits, numbers: {} };
    },
  },
  ...keyTypes.map(
    ([type, keyOf]): Source => ({
      name: "keys",
      segments: { keys: type },
      keyType: type,
      of(length, parts) {
        const keys = keysOf(type, keyOf, headsOf(parts, length));
        return { reference: { keys }, data: keys, numbers: {} };
      },
    }),
  ),
  ...computed.map(({ from, itemOf, key, keyType, isNamed, twin }): Source => {
    const by = { key, ...(isNamed && { keyType }) };
    return {
      name: "keys",
      segments: { keys: from, ...by },
      keyType,
      of(length, parts) {
        const keys = keysOf(from, itemOf, headsOf(parts, length));
        return {
          reference: { keys, key: twin, keyType } as never,
          hand: { keys, ...by } as never,
          data: keys,
          numbers: {},
        };
      },
    };
  }),
];

/** The range that a recording takes for a source. */
const rangeOf = ({ name }: Source): string => (name === "headBits" ? "heads" : name);

/** Words before the first item of a range: a whole number of items. */
const wordsBefore = ({ BYTES_PER_ELEMENT }: AnyArray): number => Math.max(4, BYTES_PER_ELEMENT / 4);

const storage = (data: AnyArray, before = 0, behind = 0): GPUBuffer =>
  arrayBuffer(fold().device, data, before, behind);

/** Each source of heads meets subgroups and one of the other algorithms, either kind of passes and of scans, and values to start from. */
const cases = pairs({
  source: [...sources.entries()],
  bySubgroups: [true, false],
  tuning: tunings,
  exclusive: [false, true],
  startsFrom: [true, false],
  reverse: [false, true],
}).map(({ source: [number, source], bySubgroups, tuning, exclusive, startsFrom, reverse }, at) => {
  const row = table[(at + Math.floor(at / table.length)) % table.length] as Combination;
  const name = `${row.type.name}, ${row.op.name}, by ${source.name} (${number})`;
  const algorithm = bySubgroups ? "subgroup" : at % 2 === 0 ? "blelloch" : "hillis-steele";
  return { ...row, name, source, algorithm, turn: at, exclusive, startsFrom, reverse, ...tuning } as const;
});
const named = Object.entries(partitions);
/** The sources that have kernels of their own, which are the first, and in turn others that differ by how keys are loaded. */
const casesOf = (isTaken: (source: number, by: number) => boolean) =>
  cases.filter(({ source, algorithm }) => {
    const at = sources.indexOf(source);
    return at <= 4 || isTaken(at, Number(algorithm === "subgroup"));
  });

test.for(casesOf((at, by) => at % 2 === 1 && by === (at >> 1) % 2))(
  "a scan of $name, $algorithm, $passes, exclusive: $exclusive, reverse: $reverse",
  async (row, { skip }) => {
    const { type, op, initial, algorithm, workGroupSize, itemsPerThread, passes, source, exclusive } = row;
    const { reverse } = row;
    skip(lacks(fold(), type), "the adapter has no shader-f16");
    const { device } = fold();
    const options = { type, op, algorithm, workGroupSize, itemsPerThread, passes, maxLength: MOST } as const;
    const starts = row.startsFrom ? { initial } : {};
    const scan = await fold().prepareScan({
      ...options,
      exclusive,
      reverse,
      segments: source.segments as never,
      ...(starts.initial !== undefined && { initial: true }),
    });
    for (const [at, length] of lengths.entries()) {
      const [how, partition] = named[(at + row.turn) % named.length] as (typeof named)[number];
      const { reference, data: heads, numbers } = source.of(length, partition(length));
      const title = `${exclusive ? "exclusive" : "inclusive"} ${length} by ${source.name}, ${how}`;
      const data = itemsOf(row, length);
      // In two buffers, in place, and in one buffer from any item on.
      const place = (at + Number(exclusive)) % 3;
      const input = storage(data, 0, place === 2 ? 3000 : 0);
      const output = place === 0 ? storageBuffer(device, randomWords(2500, title)) : input;
      const itemWords = Math.max(1, type.bytes / 4);
      const offset = place === 2 ? 4 * itemWords * (Math.ceil((length * type.bytes) / 4 / itemWords) + 1) : 0;
      const marks = heads && storage(heads, wordsBefore(heads), 8);
      const ranges = {
        input: { buffer: input, size: Math.max(4, length * type.bytes) },
        output: { buffer: output, offset },
        length,
        ...numbers,
        ...(heads && { [rangeOf(source)]: { buffer: marks, offset: 4 * wordsBefore(heads) } }),
        ...starts,
      } as never;
      const grouping = scan.groupingOf(ranges);
      submit(fold().device, (encoder) => scan.record(encoder, ranges));
      const order = type.name === "f64" ? { grouping } : {};
      const like = { op, type, exclusive, reverse, segments: reference, ...starts, ...order };
      const expected = scanReference(data, like as never) as AnyArray;
      const words = await readWords(device, output);
      expectSameBits(readAs(expected, type, words.slice(offset / 4)), expected, title);
      destroyAll(input, output, ...(marks ? [marks] : []));
    }
    scan.destroy();
  },
);

test.for(casesOf((at, by) => by === at % 2))(
  "a reduction of $name, $algorithm, $passes",
  async (row, { skip }) => {
    const { type, op, initial, algorithm, workGroupSize, itemsPerThread, passes, source } = row;
    skip(lacks(fold(), type), "the adapter has no shader-f16");
    const { device } = fold();
    const options = { type, op, algorithm, workGroupSize, itemsPerThread, passes, maxLength: MOST } as const;
    const starts = row.startsFrom ? {} : { initial };
    const isCounted = source.name !== "rows" && source.name !== "offsets";
    const { keyType } = source;
    const reduce = await fold().prepareReduce({
      ...options,
      segments: (keyType === undefined
        ? source.segments
        : { ...(source.segments as object), unique: true }) as never,
      ...(starts.initial !== undefined && { initial: true }),
    });
    for (const [at, length] of lengths.entries()) {
      const [how, partition] = named[(at + row.turn) % named.length] as (typeof named)[number];
      const { reference, data: heads, numbers } = source.of(length, partition(length));
      const title = `${length} by ${source.name}, ${how}`;
      const data = itemsOf(row, length);
      const input = storage(data, type.bytes / 4 >= 1 ? type.bytes / 4 : 1);
      const output = storageBuffer(device, randomWords(3200, title));
      const sum = storageBuffer(device, Uint32Array.of(77, 77, 77, 77));
      const unique = storageBuffer(device, randomWords(8000, "unique"));
      const marks = heads && storage(heads, wordsBefore(heads), 8);
      // What the output has room for: everything, and sometimes less.
      const isShort = isCounted && at % 3 === 2;
      const ranges = {
        // At a vector, and at any item.
        input: { buffer: input, offset: Math.max(4, type.bytes) },
        output,
        length,
        ...numbers,
        ...(heads && { [rangeOf(source)]: { buffer: marks, offset: 4 * wordsBefore(heads) } }),
        ...(isCounted && { count: { buffer: sum, offset: 4 } }),
        ...(isShort && { segmentCount: 3 }),
        // No more bytes than the keys of as many runs as there are items take.
        ...(keyType && { unique: { buffer: unique, size: 4 * Math.ceil((length * keyType.bytes) / 4) } }),
        ...starts,
      } as never;
      const grouping = reduce.groupingOf(ranges);
      submit(fold().device, (encoder) => reduce.record(encoder, ranges));
      const order = type.name === "f64" ? { grouping } : {};
      const like = { op, type, segments: reference, ...starts, ...order };
      const found = reduceReference(data, like as never) as unknown;
      const all = (keyType ? (found as { values: AnyArray }).values : found) as AnyArray;
      const most = isShort ? Math.min(3, all.length) : all.length;
      const expected = readAs({ length: most } as AnyArray, type, wordsOf(all));
      const words = await readWords(device, output);
      const wanted = all instanceof Uint16Array ? all.subarray(0, most) : expected;
      expectSameBits(readAs(wanted, type, words), wanted, title);
      const used = Math.ceil((most * type.bytes) / 4);
      expectSameBits(words.slice(used), randomWords(3200, title).slice(used), `behind the output, ${title}`);
      const [before, counted, behind] = await readWords(device, sum);
      expect([before, counted, behind], `the number, ${title}`).toEqual([
        77,
        isCounted ? all.length : 77,
        77,
      ]);
      if (keyType) {
        const { keys } = found as { keys: AnyArray };
        const own = readAs({ length: most } as AnyArray, keyType, await readWords(device, unique));
        expectSameBits(own, readAs({ length: most } as AnyArray, keyType, wordsOf(keys)), `keys, ${title}`);
      }
      destroyAll(input, output, sum, unique, ...(marks ? [marks] : []));
    }
    reduce.destroy();
  },
);

describe("at hand", () => {
  const data = randomWords(600, "at hand");
  // One type of keys stands for all, and one of those that are computed: they go to the GPU in the same way.
  const some = [...sources.slice(0, 5), ...sources.slice(-1)];
  for (const [at, source] of some.entries()) {
    test(`heads by ${source.name}, ${at}`, async () => {
      for (const [how, partition] of [at, at + 2].map(
        (turn) => named[turn % named.length] as (typeof named)[number],
      )) {
        const { reference, hand = reference } = source.of(data.length, partition(data.length));
        const options = { op: affine, segments: hand, ...(at % 2 === 0 && { initial: 9 }) };
        const like = { ...options, segments: reference };
        const exclusive = at % 4 > 1;
        const scanned = scanReference(data, { ...like, exclusive });
        expectSameBits(await fold().scan(data, { ...options, exclusive }), scanned, how);
        const suffixes = scanReference(data, { ...like, exclusive, reverse: true });
        expectSameBits(await fold().scan(data, { ...options, exclusive, reverse: true }), suffixes, how);
        const found = (await fold().reduce(data, options)) as AnyArray | { keys: AnyArray; values: AnyArray };
        const expected = reduceReference(data, like) as typeof found;
        if ("values" in expected && "keys" in expected && typeof expected.keys !== "function") {
          const runs = found as { keys: AnyArray; values: AnyArray };
          expectSameBits(runs.values, expected.values as AnyArray, how);
          expectSameBits(runs.keys, expected.keys, how);
        } else {
          expectSameBits(found as AnyArray, expected as AnyArray, how);
        }
      }
    });
  }

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
      const keys = keysOf(type, keyOf, headsOf(partitions.random?.(400) ?? [], 400)) as Uint32Array;
      expectSameBits(await fold().unique(keys), uniqueReference(keys), type.name);
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

  test("the counts that unique does not give are freed at once", async () => {
    const { device, alive } = watched(fold().device);
    const own = await openFold({ device, maxKeptBytes: 0 });
    const resultsOf = () => alive().filter((label) => / (counts|values)$/.test(label));
    const data = await own.upload(Uint32Array.of(4, 4, 7));
    const found = await own.unique(data);
    expect(resultsOf()).toHaveLength(1);
    expect([...(await found.read())]).toEqual([4, 7]);
    found.destroy();
    expect(resultsOf()).toEqual([]);
    own.destroy();
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
