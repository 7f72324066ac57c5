import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { operator } from "../../src/algebra/custom_operator.ts";
import { fixedArray, leavesOf, scalarAt, vec2, vec3 } from "../../src/algebra/fields.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { StructFields, StructType, StructValueOf } from "../../src/algebra/struct.ts";
import { struct } from "../../src/algebra/struct.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import type { StructArray } from "../../src/node.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { partitionReference } from "../../src/reference/partition.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { argSortReference, sortReference, topKReference } from "../../src/reference/sort.ts";
import { compileKernel, destroyAll, submit } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { algorithmNames, untyped, useFold } from "../support/fold.ts";
import { checkFunctions, everyOther } from "../support/in_kernel.ts";
import { operatorFunctions, segmentedFunctions } from "../support/kernels.ts";
import { pairs } from "../support/pairs.ts";
import { randomItems } from "../support/random.ts";
import { lacks } from "../support/sorts.ts";
import { scalarsKernel } from "../support/structs.ts";

const fold = useFold();

const Pair = struct({ name: "Pair", fields: { first: vec2(i32), second: f16 } });
const Inner = struct({ name: "Inner", fields: { own: Pair, list: fixedArray(u32, 2) } });

/** Structs of every size from 4 to 64 bytes, with every field type, in order of alignment and out of it. */
const shapes = {
  Four: { a: u32 },
  Six: { a: f16, b: f16, c: f16 },
  Eight: { a: i32, b: f32 },
  Halves: { a: f16, b: f16, c: u32, d: f16 },
  Wide: { a: u64 },
  Twelve: { a: u32, b: f32, c: i32 },
  Padded: { a: u32, b: f64, c: u32 },
  Sixteen: { a: i64, b: u32, c: f32 },
  Odd: { a: f32, b: u32, c: u32, d: u32, e: i32 },
  Mixed: { a: f16, b: u64, c: f16, d: i32, e: f64, f: u32 },
  ThirtyTwo: { a: u64, b: f64, c: i64, d: u32, e: u32 },
  SixtyFour: { a: f64, b: f64, c: f64, d: f64, e: u64, f: u64, g: i64, h: i64 },
  Particle: { id: u32, position: vec3(f32), velocity: vec3(f32), age: f32 },
  Halved: { a: f16, b: vec3(f16), c: vec2(f16) },
  Trio: { a: f16, b: fixedArray(f16, 2) },
  Listed: { a: u32, b: fixedArray(vec3(f32), 2), c: fixedArray(u64, 1) },
  Nested: { a: i32, b: Inner, c: fixedArray(Pair, 2) },
} as const satisfies Record<string, StructFields>;
const bytes = {
  Four: 4,
  Six: 6,
  Eight: 8,
  Halves: 12,
  Wide: 8,
  Twelve: 12,
  Padded: 24,
  Sixteen: 16,
  Odd: 20,
  Mixed: 40,
  ThirtyTwo: 32,
  SixtyFour: 64,
  Particle: 48,
  Halved: 24,
  Trio: 6,
  Listed: 64,
  Nested: 64,
} as const satisfies Record<keyof typeof shapes, number>;

/** The last struct whose first field is not 0, every field of it: no field may be lost on the way. */
const lastOf = (name: string, fields: StructFields) => {
  const type = struct({ name, fields });
  const zeros = type.array(1).get(0) as StructValueOf<StructFields>;
  const first = Object.keys(fields)[0] as string;
  const isZero = `later.${first} == ${fields[first]?.name}(0)`;
  return operator({
    name: "last",
    type,
    identity: zeros as never,
    combine: `if (${isZero}) {\n  return earlier;\n}\nreturn later;`,
    reference: (earlier, later) => (Number(later[first]) === 0 ? earlier : later),
  });
};

describe.each(Object.entries(shapes))("%s", (name, fields: StructFields) => {
  const op = lastOf(name, fields);
  const type = op.type as StructType;

  test("has WGSL's size", () => {
    expect(type.bytes).toBe(bytes[name as keyof typeof bytes]);
  });

  test("a kernel of the caller's own reads each field where the CPU wrote it", async ({ skip }) => {
    const { device } = fold();
    skip(lacks(fold(), type), `the adapter has no ${type.feature}`);
    const leaves = leavesOf(type);
    const data = randomItems(type, 4, name) as StructArray;
    const padded = new Uint32Array(Math.ceil(data.byteLength / 4));
    new Uint8Array(padded.buffer).set(new Uint8Array(data.buffer));
    const run = await compileKernel(device, scalarsKernel(type, "read"));
    const [, output] = await run([padded, new Uint32Array(2 * leaves.length)]);
    const seen = (output as Uint32Array).buffer as ArrayBuffer;
    const value = data.get(1);
    leaves.forEach((leaf, at) => {
      // A struct of this scalar alone reads the words that came out.
      const alone = struct({ name: "Alone", fields: { x: leaf.type, pad: u64 } });
      const read = alone.over(new ArrayBuffer(alone.bytes));
      new Uint8Array(read.buffer).set(new Uint8Array(seen, 8 * at, 8));
      expect(read.get(0).x, leaf.access).toBe(scalarAt(value, leaf.keys));
    });
  });

  // Each shape with one algorithm, in turn: neither depends on the other. A scan, and either a reduction or a compaction.
  const at = Object.keys(shapes).indexOf(name);
  const turn = at % algorithmNames.length;
  const own = name === "Mixed" ? (["subgroup", "blelloch"] as const) : algorithmNames.slice(turn, turn + 1);
  test.for(own)("scan, reduce or compact: %s", async (algorithm, { skip }) => {
    skip(lacks(fold(), type), `the adapter has no ${type.feature}`);
    const tuning = { algorithm, workGroupSize: 4, itemsPerThread: 2 } as const;
    for (const length of [0, 1, 5, 7, 8, 9, 29, 65]) {
      const data = randomItems(type, length, `${name} ${length}`) as StructArray;
      // Either kind of scan has kernels of its own, which take long to compile in software.
      for (const exclusive of [algorithm === "blelloch"]) {
        expectSameBits(
          await fold().scan(data, { op: untyped(op), exclusive, ...tuning }),
          scanReference(data, { op: untyped(op), exclusive }),
          `${length} exclusive=${exclusive}`,
        );
      }
      if (at % 2 === 0) {
        expect(await fold().reduce(data, { op: untyped(op), ...tuning })).toEqual(
          reduceReference(data, { op: untyped(op) }),
        );
        continue;
      }
      expectSameBits(
        await fold().compact(data, { where: "i % 3u != 1u", ...tuning }),
        compactReference(data, (_, index) => index % 3 !== 1),
        `${length} compact`,
      );
    }
  });
});

describe("structs of vectors, arrays and structs", () => {
  const Ends = struct({ name: "Ends", fields: { first: u32, last: u32 } });
  const Walk = struct({
    name: "Walk",
    fields: { count: u32, position: vec3(i32), ends: Ends, most: fixedArray(vec2(u32), 2) },
  });
  type WalkValue = ReturnType<ReturnType<typeof Walk.array>["get"]>;
  /** Walks, one after another. It does not commute, and every part of a walk tells whether the order was kept. */
  const walks = operator({
    name: "walks",
    type: Walk,
    identity: Walk.array(1).get(0),
    combine: `if (earlier.count == 0u) {
  return later;
}
if (later.count == 0u) {
  return earlier;
}
var most = earlier.most;
for (var at = 0u; at < 2u; at++) {
  most[at] = max(most[at], later.most[at]);
}
return Walk(
  earlier.count + later.count,
  earlier.position + later.position,
  Ends(earlier.ends.first, later.ends.last),
  most,
);`,
    reference(earlier, later): WalkValue {
      if (earlier.count === 0 || later.count === 0) {
        return earlier.count === 0 ? later : earlier;
      }
      const [a, b] = [earlier.position, later.position];
      return {
        count: (earlier.count + later.count) >>> 0,
        position: [(a[0] + b[0]) | 0, (a[1] + b[1]) | 0, (a[2] + b[2]) | 0],
        ends: { first: earlier.ends.first, last: later.ends.last },
        most: earlier.most.map(([x, y], at) => {
          const [u, v] = later.most[at] as WalkValue["most"][number];
          return [Math.max(x, u), Math.max(y, v)] as const;
        }),
      };
    },
  });
  const type = Walk as unknown as StructType;
  const op = untyped(walks);
  const itemsOf = (length: number): StructArray<"Walk", WalkValue> =>
    randomItems(type, length, `walks ${length}`) as unknown as StructArray<"Walk", WalkValue>;
  const sizes = { workGroupSize: 4, itemsPerThread: 2 } as const;

  test("the fields have all kinds", () => {
    expect(Walk.bytes).toBe(64);
    expect(Walk.offsets).toEqual({ count: 0, position: 16, ends: 28, most: 40 });
  });

  const segmented = (["rows", "offsets", "keys", "columns"] as const).map((source, at) => ({
    algorithm: algorithmNames[(at + 2) % algorithmNames.length] as (typeof algorithmNames)[number],
    source,
  }));
  test.for(segmented)("a scan and a reduction by $source: $algorithm", async (one) => {
    const { algorithm, source } = one;
    const data = itemsOf(60);
    const segments = {
      rows: { rows: 5 },
      offsets: { offsets: [0, 3, 3, 17, 60] },
      keys: { keys: Ends.from(Array.from({ length: 60 }, (_, at) => ({ first: at >> 3, last: at >> 4 }))) },
      columns: { columns: 4 },
    }[source];
    const exclusive = source === "rows" || source === "keys";
    const options = { op: walks, segments, exclusive, ...(exclusive && { initial: data.get(5) }) } as const;
    expectSameBits(
      await fold().scan(data, { ...options, ...(source === "columns" ? {} : { ...sizes, algorithm }) }),
      scanReference(data, options),
      "scan",
    );
    // By keys, the results are arrays by their names; otherwise they are one array.
    const arraysOf = (results: object): Record<string, AnyArray> =>
      "buffer" in results ? { values: results as AnyArray } : { ...results };
    const reduced = arraysOf(await fold().reduce(data, { op: walks, segments }));
    const expected = arraysOf(reduceReference(data, { op: walks, segments }));
    expect(Object.keys(reduced).sort()).toEqual(Object.keys(expected).sort());
    for (const [name, array] of Object.entries(expected)) {
      expectSameBits(reduced[name] as AnyArray, array, `${name} of the reduction`);
    }
  });

  test("a single pass, an initial value and the total", async () => {
    const data = itemsOf(60);
    const initial = data.get(7);
    for (const algorithm of ["blelloch", "subgroup"] as const) {
      const own = { op: walks, exclusive: true, initial } as const;
      const [total, twin] = [Walk.array(1), Walk.array(1)];
      expectSameBits(
        await fold().scan(data, { ...own, ...sizes, algorithm, passes: "single", total }),
        scanReference(data, { ...own, total: twin }),
        algorithm,
      );
      expectSameBits(total, twin, algorithm);
    }
  });

  test("maps from one to another", async () => {
    const data = itemsOf(50);
    const map = "Ends(x.ends.last, u32(x.position.y) + x.most[1].x + i)";
    const last = operator({
      name: "last",
      type: Ends,
      identity: { first: 0, last: 0 },
      combine: "if (later.first == 0u) { return earlier; }\nreturn later;",
      reference: (a, b) => (b.first === 0 ? a : b),
    });
    const twin = ({ ends, position, most }: WalkValue, i: number) => ({
      first: ends.last,
      last: position[1] + (most[1]?.[0] ?? 0) + i,
    });
    expectSameBits(
      await fold().scan(data, { type: Ends, op: last, map, ...sizes }),
      scanReference(data, { type: Ends, op: last, map: twin }),
      "from",
    );
    const back = Walk.from([...data].map((one) => ({ ...one, position: [1, 2, 3] as const })));
    const changed = "var made = x;\nmade.position = vec3(1i, 2i, 3i);\nreturn made;";
    expectSameBits(
      await fold().compact(data, { where: "i > 9u", map: changed, ...sizes }),
      compactReference(back, (_, at) => at > 9),
      "kept",
    );
    const numbers = Uint32Array.of(3, 1, 7);
    const made = await fold().scan(numbers, {
      type: Walk,
      op: walks,
      map: "Walk(x, vec3<i32>(1i), Ends(i, i), array(vec2(x, i), vec2(0u)))",
    });
    expect(made.get(2)).toEqual({
      count: 11,
      position: [3, 3, 3],
      ends: { first: 0, last: 2 },
      most: [
        [7, 2],
        [0, 0],
      ],
    });
  });

  test("sorts, selections, runs and partitions", async () => {
    const data = itemsOf(70);
    const { sort, argSort, topK, unique, partition } = {
      sort: await fold().sort(data, { key: "x.position.z" }),
      argSort: await fold().argSort(data, { key: "x.most[1].y", descending: true }),
      topK: await fold().topK(data, 5, { key: "x.ends.last" }),
      unique: await fold().unique(
        Ends.from([...data].map(({ ends }, at) => ({ ...ends, first: at >> 2, last: 1 }))),
      ),
      partition: await fold().partition(data, { where: "x.position.x % 2i == 1i" }),
    };
    expectSameBits(sort, sortReference(data, { key: ({ position }) => position[2], keyType: i32 }), "sort");
    expect(argSort).toEqual(
      argSortReference(data, { key: ({ most }) => most[1]?.[1] ?? 0, keyType: u32, descending: true }),
    );
    expectSameBits(
      topK.values,
      topKReference(data, 5, { key: ({ ends }) => ends.last, keyType: u32 }).values,
      "topK",
    );
    expect(unique.length).toBe(Math.ceil(70 / 4));
    expectSameBits(
      partition.values,
      partitionReference(data, ({ position }) => position[0] % 2 === 1).values,
      "partition",
    );
    const values = await fold().sort(
      Uint32Array.from(data, ({ count }) => count),
      { values: data },
    );
    expectSameBits(
      values.values,
      sortReference(data, { key: ({ count }) => count, keyType: u32 }),
      "values that move along",
    );
  });

  test("arrays on the GPU, buffers of the caller's, and streams", async () => {
    const data = itemsOf(100);
    const there = await fold().upload(data);
    const scanned = await fold().scan(there, { op: walks });
    expectSameBits(await scanned.read(), scanReference(data, { op: walks }), "uploaded");
    const prepared = await fold().prepareScan({ type, op, maxLength: 100, ...sizes });
    const { device } = fold();
    const usage = 0x80 | 0x8 | 0x4;
    const input = device.createBuffer({ size: data.byteLength, usage });
    device.queue.writeBuffer(input, 0, data.buffer);
    submit(device, (encoder) => prepared.record(encoder, { input, output: input, length: 100 }));
    const wrapped = await fold().wrap({ buffer: input, type: Walk });
    expectSameBits(await wrapped.read(), scanReference(data, { op: walks }), "recorded");
    destroyAll(prepared, input);
    async function* parts() {
      yield Walk.over(data.buffer, 0, 33);
      yield Walk.over(data.buffer, 33 * Walk.bytes, 67);
    }
    expect(await fold().reduceStream(parts(), { type: Walk, op: walks })).toEqual(
      reduceReference(data, { op: walks }),
    );
  });

  // A row has a fifth of the functions.
  const PARTS = 5;
  // in_kernel_sizes.test.ts has each function of a struct by each algorithm.
  const called = pairs({
    part: Array.from({ length: PARTS }, (_, part) => part),
    identity: ["an identity", "no identity"],
  }).map((row, at) => ({ ...row, algorithm: algorithmNames[at % 3] as (typeof algorithmNames)[number] }));
  test.for(called)(
    "functions in kernels, with $identity: $algorithm, part $part",
    async ({ algorithm, identity, part }) => {
      const { combine, reference } = walks;
      const has = identity === "an identity";
      const own = has ? op : untyped(operator({ name: "walks", type: Walk, combine, reference }));
      const of = { type, op, ...(!has && { nothing: Walk.array(1).get(0) }) };
      const functions = [
        ...operatorFunctions(type, own, algorithm, 12, false, [4]),
        ...segmentedFunctions(type, own, algorithm, 12, [4]),
      ];
      const names = everyOther(
        functions.flatMap((one) => one.names),
        algorithmNames.indexOf(algorithm),
      ).filter((_, at) => at % PARTS === part);
      expect(names).not.toEqual([]);
      await checkFunctions(fold().device, of as never, functions, names, [12], algorithm);
    },
  );
});
