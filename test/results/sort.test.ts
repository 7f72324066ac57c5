import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { ElementType, ScalarType } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import type { ReferenceSort } from "../../src/reference/sort.ts";
import { argSortReference, sortReference } from "../../src/reference/sort.ts";
import { destroyAll, storageBuffer, submitted } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useFold } from "../support/fold.ts";
import { pairs } from "../support/pairs.ts";
import { anyItems, randomItems } from "../support/random.ts";
import { expectSortedAnywhere, gathered, kinds } from "../support/sorted_arrays.ts";
import { kindNames, lacks, particle, sizes, TILE, ways } from "../support/sorts.ts";

// Sorts at hand, recorded and on the GPU. Tiles: sort_tiles.test.ts; short data: sort_short.test.ts; errors: sort_refused.test.ts.

const fold = useFold();

// Keys of one word and of two by every way, and each other type by one.
const table = [
  ...pairs({
    way: ways,
    type: ["u32", "f64"] as const,
    descending: [false, true],
    asksFor: ["positions", "values"] as const,
  }),
  ...(["f16", "u64", "f32", "i64", "i32"] as const).map((type, at) => ({
    way: ways[at % ways.length] as (typeof ways)[number],
    type,
    descending: at % 2 === 0,
    asksFor: (["values", "positions"] as const)[(at >> 1) % 2] as "values",
  })),
];

test.for(table)(
  "$way.name, $type, descending: $descending, $asksFor: at every edge of a tile",
  async (row, { skip }) => {
    const { way, type: name, descending, asksFor } = row;
    const type = elementTypes[name];
    skip(lacks(fold(), type), `the adapter has no ${type.feature}`);
    const { name: _, ...tuning } = way;
    // Two words have many digits: those around the end of the first word.
    const order = { type: type as never, descending, ...(name === "f64" && { bits: [26, 38] as const }) };
    const options = { ...order, ...tuning, ...sizes };
    const number = table.indexOf(row);
    for (const [turn, length] of [number % 2, TILE - 1 + (number % 3), 2 * TILE + 1].entries()) {
      const kind = kindNames[(number + turn) % kindNames.length] as "any";
      const data = kinds[kind](name, length, `${name} ${length}`) as Uint32Array;
      const positions = argSortReference(data, order);
      if (asksFor === "positions") {
        expectSameBits(await fold().argSort(data, options), positions, `${length}, ${kind}`);
      } else {
        const values = Uint32Array.from(data, (_, at) => at * 3);
        const sorted = await fold().sort(data, { ...options, values });
        expectSameBits(sorted.keys, gathered(data, positions), `${length}, ${kind}: keys`);
        expectSameBits(sorted.values, gathered(values, positions), `${length}, ${kind}: values`);
      }
    }
  },
);

// In one tile, and in two.
const chosen = (["u32", "f64", "f16", "i32"] as const).map(
  (name, at) => [name, at === 0 ? 1025 : 300 + 20 * at] as const,
);
test.for(chosen)("%s: what the plan chooses, for %i items", async ([name, length], { skip }) => {
  const type = elementTypes[name];
  skip(lacks(fold(), type), `the adapter has no ${type.feature}`);
  const data = anyItems(name, length, `${name} ${length}`) as Uint32Array;
  const options = { type: type as never, descending: length % 40 === 0 };
  expectSameBits(await fold().sort(data, options), sortReference(data, options), `${length}`);
});

describe("values", () => {
  const valueTypes = [u32, f64, particle] as readonly ElementType[];
  test.for(valueTypes.map((type, at) => [type.name, type, at] as const))(
    "of %s move with their keys",
    async ([, type, at]) => {
      for (const length of [[0, 300], [1100], [1, 299]][at % 3] ?? []) {
        const data = kinds.few("u32", length, `${length}`) as Uint32Array;
        const values = randomItems(type, length, `values ${length}`);
        const { keys, values: moved } = await fold().sort(data, { values });
        const positions = argSortReference(data);
        expectSameBits(keys, gathered(data, positions), `${length}: keys`);
        expectSameBits(moved, gathered(values, positions), `${length}: values`);
      }
    },
  );

  test("several arrays move together, and each comes back as an array of its kind", async () => {
    const data = kinds.few("f32", 700, "several") as Float32Array;
    const values = [
      Float64Array.from(data, (_, at) => at / 3),
      randomItems(particle, 700, "particles"),
      Uint32Array.from(data, (_, at) => at),
    ] as const;
    const sorted = await fold().sort(data, { values, descending: true });
    const positions = argSortReference(data, { descending: true });
    expectSameBits(sorted.keys, gathered(data, positions), "keys");
    expect(sorted.values).toHaveLength(3);
    for (const [at, array] of values.entries()) {
      expectSameBits(sorted.values[at] as AnyArray, gathered(array as AnyArray, positions), `values ${at}`);
    }
  });
});

describe("keys", () => {
  const byKey: readonly (readonly [
    key: string,
    keyType: ScalarType | undefined,
    of: (x: never) => number,
  ])[] = [
    ["x.depth", undefined, (x: { depth: number }) => x.depth],
    [" x . id ", undefined, (x: { id: number }) => x.id],
    ["x.id % 7u", u32, (x: { id: number }) => x.id % 7],
    ["let y = i32(x.id % 9u); return 4 - y;", i32, (x: { id: number }) => 4 - (x.id % 9)],
    [
      "vec2<u32>(x.id % 3u, x.id % 5u)",
      u64,
      (x: { id: number }) => Number((BigInt(x.id % 5) << 32n) | BigInt(x.id % 3)),
    ],
  ];
  test.for(byKey)("structs are sorted by %s", async ([key, keyType, of]) => {
    const length = 300;
    const data = randomItems(particle, length, key);
    const type = keyType ?? (key.includes("depth") ? f32 : u32);
    const reference = { key: (type.bytes === 8 ? (x: never) => BigInt(of(x)) : of) as never, keyType: type };
    const options = { key, ...(keyType && { keyType }) };
    const values = Uint32Array.from({ length }, (_, at) => at);
    const sorted = await fold().sort(data, { ...options, ...sizes, values, descending: true });
    const down = argSortReference(data, { ...reference, descending: true });
    expectSameBits(sorted.values, down, "values, in several tiles");
    expectSameBits(sorted.keys, gathered(data, down), "descending, in several tiles");
    const up = argSortReference(data, reference);
    if (type === u32) {
      expectSameBits(await fold().sort(data, options), gathered(data, up), "ascending");
    } else if (type === i32) {
      expectSameBits(await fold().argSort(data, options), up, "positions");
    }
  });

  test("scalars are sorted by an expression, of their own type or another", async () => {
    const data = anyItems("u32", 500, "expression") as Uint32Array;
    const same: ReferenceSort<Uint32Array> = { key: (x) => x % 10 };
    expectSameBits(await fold().sort(data, { key: "x % 10u" }), sortReference(data, same), "u32");
    const other: ReferenceSort<Uint32Array> = { key: (x) => -(x % 1000), keyType: f32 };
    expectSameBits(
      await fold().sort(data, { key: "-f32(x % 1000u)", keyType: f32 }),
      sortReference(data, other),
      "f32",
    );
  });

  test("the bits of a float's key are in the order of its numbers", async () => {
    const { NaN: nan, POSITIVE_INFINITY: infinity } = Number;
    const data = Float32Array.of(1, nan, -0, infinity, 0, -1, -infinity, -nan);
    expect([...(await fold().sort(data))]).toEqual([-infinity, -1, -0, 0, 1, infinity, nan, nan]);
    // NaNs are equal, so they keep their order.
    expect([...(await fold().argSort(data))]).toEqual([6, 5, 2, 4, 0, 3, 1, 7]);
    expect([...(await fold().argSort(data, { descending: true }))]).toEqual([1, 7, 3, 0, 4, 2, 5, 6]);
  });
});

describe("recorded", () => {
  // Of an odd number of passes and of an even one.
  const placed = ways.map((way, at) => ({ way, bits: [3, 10, 5, 8][at] as number }));
  test.for(placed)(
    "$way.name, $bits bits: ranges that start anywhere, and nothing else is written",
    async ({ way, bits }) => {
      const { device } = fold();
      const { name: _, ...tuning } = way;
      const sort = await fold().prepareSort({
        type: u32,
        values: u32,
        bits: [0, bits],
        maxLength: 500,
        ...tuning,
        ...sizes,
      });
      for (const [length, apart] of [
        [500, true],
        [97, true],
        [499, false],
      ] as const) {
        const data = anyItems("u32", length, `${length}`) as Uint32Array;
        const positions = argSortReference(data, { bits: [0, bits] });
        await expectSortedAnywhere(device, sort, data, positions, apart);
      }
      sort.destroy();
    },
  );

  test("several values, structs by a key, and in place, from one recording", async () => {
    const { device } = fold();
    const length = 500;
    const particles = randomItems(particle, length, "recorded");
    const positions = argSortReference(particles, {
      key: ((x: { depth: number }) => x.depth) as never,
      keyType: f32,
    });
    const wide = Float64Array.from({ length }, (_, at) => at / 7);
    const sort = await fold().prepareSort({
      type: particle,
      key: "x.depth",
      values: [f64, u32],
      maxLength: length,
    });
    const [items, values, more] = [particles, wide, positions].map((array) =>
      storageBuffer(device, new Uint32Array(array.buffer as ArrayBuffer)),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer];
    const room = storageBuffer(device, new Uint32Array(length));
    const [sorted, moved, others] = (await submitted(
      device,
      (encoder) =>
        sort.record(encoder, {
          input: items,
          output: items,
          values: [values, more],
          reordered: [values, room],
          length,
        }),
      [items, values, room],
    )) as [Uint32Array, Uint32Array, Uint32Array];
    expectSameBits(sorted, new Uint32Array(gathered(particles, positions).buffer as ArrayBuffer), "structs");
    expectSameBits(moved, new Uint32Array(gathered(wide, positions).buffer), "f64");
    expectSameBits(others, gathered(positions, positions), "u32");
    sort.destroy();
  });

  test.for([undefined, particle])(
    "a length on the GPU, of any number of items, with values of %o",
    async (values) => {
      const { device } = fold();
      const most = 300;
      const data = anyItems("f32", most, "length") as Float32Array;
      const sort = await fold().prepareSort({
        type: f32,
        ...(values && { values }),
        maxLength: most,
        lengthOnGpu: true,
        ...sizes,
      });
      for (const length of [0, TILE - 1, 300, 5000]) {
        const input = storageBuffer(device, new Uint32Array(data.buffer));
        const output = storageBuffer(device, new Uint32Array(most).fill(7));
        const given = storageBuffer(
          device,
          Uint32Array.from({ length: 3 * most }, (_, at) => at),
        );
        const reordered = storageBuffer(device, new Uint32Array(3 * most).fill(7));
        const count = storageBuffer(device, Uint32Array.of(length));
        const [words] = (await submitted(
          device,
          (encoder) =>
            sort.record(encoder, {
              input,
              output,
              length: count,
              ...(values && { values: given, reordered }),
            }),
          [output],
        )) as [Uint32Array];
        const items = Math.min(length, most);
        const expected = new Uint32Array(most).fill(7);
        expected.set(new Uint32Array(sortReference(data.slice(0, items)).buffer));
        expectSameBits(words, expected, `${length}`);
      }
      sort.destroy();
    },
  );

  test("positions count from firstIndex", async () => {
    const { device } = fold();
    const data = Uint32Array.of(9, 4, 7);
    const sort = await fold().prepareSort({ type: u32, indices: true, maxLength: 3 });
    const [input, output] = [storageBuffer(device, data), storageBuffer(device, new Uint32Array(3))];
    const [words] = await submitted(
      device,
      (encoder) => sort.record(encoder, { input, output, length: 3, firstIndex: 10 }),
      [output],
    );
    expect([...(words as Uint32Array)]).toEqual([11, 12, 10]);
    sort.destroy();
    // What moves by positions does not go by these.
    const moving = await fold().prepareSort({ type: u32, values: [u32, u32], maxLength: 3 });
    const [first, second, ...rooms] = [data, data, new Uint32Array(3), new Uint32Array(3)].map((array) =>
      storageBuffer(device, array),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
    const values = { values: [first, second], reordered: rooms };
    const [moved] = await submitted(
      device,
      (encoder) => moving.record(encoder, { input, output, ...values, length: 3, firstIndex: 10 }),
      [rooms[1]],
    );
    expect([...(moved as Uint32Array)]).toEqual([4, 7, 9]);
    moving.destroy();
  });

  test.for([
    ["one array in a list", [u32]],
    ["several arrays", [u32, f64]],
    ["several arrays, and keys by one pass", [u32, f64], [0, 4]],
  ] as const)("%s: keys and values, each in place or not", async ([, types, bits]) => {
    const { device } = fold();
    const length = 300;
    const data = anyItems("u32", length, "lists") as Uint32Array;
    const some = bits && { bits };
    const positions = argSortReference(data, some);
    const sort = await fold().prepareSort({ type: u32, values: types, maxLength: length, ...sizes, ...some });
    const arrays = [data, ...types.map(({ name }, at) => anyItems(name, length, `list ${at}`))];
    for (const inPlace of [[], [0], [1], [0, 1], [2], [0, 1, 2]]) {
      const pairs = arrays.map((array, at) => {
        const words = new Uint32Array(array.buffer as ArrayBuffer);
        const from = storageBuffer(device, words);
        const to = inPlace.includes(at) ? from : storageBuffer(device, new Uint32Array(words.length).fill(7));
        return [from, to] as const;
      });
      const [[input, output], ...others] = pairs as [(typeof pairs)[number], ...typeof pairs];
      const ranges = {
        input,
        output,
        values: others.map(([from]) => from),
        reordered: others.map(([, to]) => to),
        length,
      };
      const sorted = await submitted(
        device,
        (encoder) => sort.record(encoder, ranges),
        pairs.map(([, to]) => to),
      );
      for (const [at, array] of arrays.entries()) {
        const expected = new Uint32Array(gathered(array, positions).buffer as ArrayBuffer);
        expectSameBits(sorted[at] as Uint32Array, expected, `${at}, in place: ${inPlace}`);
      }
    }
    sort.destroy();
  });

  test("many runs of one recording, of several lengths, all come out right", async () => {
    const { device } = fold();
    const options = { type: u32, bits: [0, 12], passes: "single", maxLength: 500, ...sizes } as const;
    const sort = await fold().prepareSort(options);
    for (let run = 0; run < 8; run++) {
      const length = [500, 130, 300, 1][run % 4] as number;
      const data = anyItems("u32", length, `run ${run}`) as Uint32Array;
      const [input, output] = [storageBuffer(device, data), storageBuffer(device, new Uint32Array(length))];
      const [words] = await submitted(device, (encoder) => sort.record(encoder, { input, output, length }), [
        output,
      ]);
      expectSameBits(words as Uint32Array, sortReference(data, { bits: [0, 12] }), `run ${run}`);
    }
    sort.destroy();
  });
});

describe("arrays on the GPU", () => {
  test("what a compaction left is sorted without a read-back, with values", async () => {
    const data = await fold().upload(anyItems("u32", 600, "kept") as Uint32Array);
    const kept = await fold().compact(data, { where: "x % 3u == 1u" });
    const sorted = await fold().sort(kept, { descending: true });
    const expected = sortReference(await kept.read(), { descending: true });
    expectSameBits(await sorted.read(), expected, "kept");
    const indices = await fold().argSort(kept);
    expectSameBits(await indices.read(), argSortReference(await kept.read()), "positions");
    const both = await fold()
      .sort(kept, { values: [data, indices] as never })
      .catch((cause: unknown) => cause);
    expect(both, "values of the most length will do").toMatchObject({ keys: {}, values: [{}, {}] });
    destroyAll(data, kept, sorted, indices);
  });

  test("results stay on the GPU, and go into an array that is there", async () => {
    const words = anyItems("f32", 400, "into") as Float32Array;
    const data = await fold().upload(words);
    const values = await fold().upload(Float64Array.from(words, (_, at) => at));
    const { keys, values: moved } = await fold().sort(data, { values });
    const positions = argSortReference(words);
    expectSameBits(await keys.read(), gathered(words, positions), "keys");
    expectSameBits(await moved.read(), Float64Array.from(positions), "values");
    await fold().sort(data, { into: data });
    expectSameBits(await data.read(), gathered(words, positions), "in place");
    const into = await fold().upload(new Uint32Array(400));
    await fold().argSort(data, { into });
    expect((await into.read()).every((position, at) => position === at)).toBe(true);
    destroyAll(data, values, keys, moved, into);
  });
});

test("into is filled, and may be the data itself", async () => {
  const data = anyItems("i32", 400, "into") as Int32Array;
  const expected = sortReference(data);
  const into = new Int32Array(400);
  expect(await fold().sort(data, { into })).toBe(into);
  expectSameBits(into, expected, "into");
  expect(await fold().sort(data, { into: data })).toBe(data);
  expectSameBits(data, expected, "in place");
  const positions = new Uint32Array(400);
  expect(await fold().argSort(data, { into: positions })).toBe(positions);
  expect(positions.every((position, at) => position === at)).toBe(true);
});
