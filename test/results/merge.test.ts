import { describe, expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { ArgumentError, openFold } from "../../src/node.ts";
import {
  differenceReference,
  intersectionReference,
  mergeReference,
  unionReference,
} from "../../src/reference/index.ts";
import { destroyAll, readWords, storageBuffer, submit } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";
import type { Subject } from "../support/mutations.ts";
import { examplesOf, testMutations } from "../support/mutations.ts";
import { errorOf } from "../support/option_checks.ts";
import { randomBits } from "../support/random.ts";
import { watched } from "../support/watched_device.ts";

const fold = useFold();

/** Tiles of 16 items. */
const sizes = { workGroupSize: 8, itemsPerThread: 2 } as const;
const sets = ["union", "intersection", "difference"] as const;
const references = {
  union: unionReference,
  intersection: intersectionReference,
  difference: differenceReference,
} as const;

/** Numbers in order, of which as many as there are classes differ. */
function sorted(name: string, length: number, classes: number): Uint32Array {
  const next = randomBits(name);
  return Uint32Array.from({ length }, () => next() % classes).sort();
}

/** What a merge and the sets of two arrays give, and what they should give. */
async function* outcomes(data: Uint32Array, other: Uint32Array): ReturnType<Subject> {
  const one = fold();
  yield [await one.merge(data, other, sizes), Uint32Array.from([...data, ...other]).sort()];
  for (const name of sets) {
    const has = {
      union: () => true,
      intersection: (x: number) => other.includes(x),
      difference: (x: number) => !other.includes(x),
    };
    const from = name === "union" ? [...data, ...other] : [...data];
    yield [await one[name](data, other, sizes), Uint32Array.from(new Set(from.filter(has[name]))).sort()];
  }
}

test("so many tiles that their counts have a spine", async () => {
  const [data, other] = [sorted("data", 2400, 3000), sorted("other", 2400, 3000)];
  const found = await fold().union(data, other, { workGroupSize: 4, itemsPerThread: 1 });
  expect(found).toEqual(Uint32Array.from(new Set([...data, ...other])).sort());
});

test("of equal elements, those of the first array come first, and all others keep their order", async () => {
  const key = { key: "x / 10u" };
  const [data, other] = [Uint32Array.of(12, 11, 25, 21), Uint32Array.of(5, 19, 10, 23, 31)];
  expect(await fold().merge(data, other, { ...key, ...sizes })).toEqual(
    Uint32Array.of(5, 12, 11, 19, 10, 25, 21, 23, 31),
  );
  expect(await fold().union(data, other, { ...key, ...sizes })).toEqual(Uint32Array.of(5, 12, 25, 31));
  expect(await fold().union(other, data, { ...key, ...sizes })).toEqual(Uint32Array.of(5, 19, 23, 31));
  expect(await fold().intersection(data, other, { ...key, ...sizes })).toEqual(Uint32Array.of(12, 25));
  expect(await fold().difference(other, data, { ...key, ...sizes })).toEqual(Uint32Array.of(5, 31));
});

test("NaN of all kinds is one element, and the last; −0 comes before 0", async () => {
  const bits = (...words: number[]) => new Float32Array(Uint32Array.from(words).buffer);
  const data = bits(0xff800000, 0x80000000, 0, 0x7f800000, 0x7fc00001);
  const other = bits(0x80000000, 0x80000001 - 1, 0xffc12345);
  const words = async (made: Promise<Float32Array>) => [...new Uint32Array((await made).buffer)];
  expect(await words(fold().merge(data, other, sizes))).toEqual([
    0xff800000, 0x80000000, 0x80000000, 0x80000000, 0, 0x7f800000, 0x7fc00001, 0xffc12345,
  ]);
  expect(await words(fold().intersection(data, other, sizes))).toEqual([0x80000000, 0x7fc00001]);
  expect(await words(fold().difference(data, other, sizes))).toEqual([0xff800000, 0, 0x7f800000]);
});

describe("recorded, with both lengths on the GPU", () => {
  test.each([
    [0, 30],
    // More than there is room for stands for the room.
    [900, 900],
  ])("%d and %d", async (length, otherLength) => {
    const { device } = fold();
    const [most, mostOther] = [64, 48];
    const [data, other] = [sorted("data", most, 50), sorted("other", mostOther, 50)];
    const given = [data, other, Uint32Array.of(length), Uint32Array.of(otherLength)];
    const [input, others, count, otherCount] = given.map((words) => storageBuffer(device, words)) as [
      GPUBuffer,
      GPUBuffer,
      GPUBuffer,
      GPUBuffer,
    ];
    const own = [data.subarray(0, length), other.subarray(0, otherLength)] as const;
    for (const name of ["merge", ...sets] as const) {
      const expected = name === "merge" ? mergeReference(...own) : references[name](...own);
      const options = {
        type: u32,
        maxLength: most,
        maxOtherLength: mostOther,
        lengthOnGpu: true,
        otherCount: true,
        ...sizes,
      };
      const plan = await (
        {
          merge: fold().prepareMerge,
          union: fold().prepareUnion,
          intersection: fold().prepareIntersection,
          difference: fold().prepareDifference,
        }[name] as (
          all: object,
        ) => ReturnType<typeof fold>["prepareUnion"] extends (...all: never) => infer Plan ? Plan : never
      ).call(fold(), options);
      const [output, total] = [112, 1].map((words) =>
        storageBuffer(device, new Uint32Array(words).fill(7)),
      ) as [GPUBuffer, GPUBuffer];
      const ranges = {
        input,
        length: count,
        other: others,
        otherLength: mostOther,
        otherCount,
        output,
        count: total,
      };
      submit(device, (encoder) => plan.record(encoder, ranges));
      const words = await readWords(device, output);
      expect(words.subarray(0, expected.length), name).toEqual(expected);
      expect(
        [...words.subarray(expected.length)].every((word) => word === 7),
        name,
      ).toBe(true);
      expect([...(await readWords(device, total))]).toEqual([expected.length]);
      destroyAll(plan, output, total);
    }
    destroyAll(input, others, count, otherCount);
  });
});

describe("arrays in no order", () => {
  const next = randomBits("no order");
  const [data, other] = [Uint32Array.from({ length: 200 }, next), Uint32Array.from({ length: 150 }, next)];

  test("on the GPU, results have elements of both, and nothing is written past their ends", async () => {
    const { device } = fold();
    const arrays = [await fold().upload(data), await fold().upload(other)] as const;
    const all = new Set([...data, ...other]);
    for (const [name, most] of [
      ["merge", 350],
      ["union", 350],
      ["intersection", 150],
      ["difference", 200],
    ] as const) {
      const made = await (name === "merge" ? fold().merge(...arrays, sizes) : fold()[name](...arrays, sizes));
      const found = await made.read();
      expect(found.length <= most && found.every((one) => all.has(one)), name).toBe(true);
      made.destroy();
    }
    const plan = await fold().prepareIntersection({ type: u32, maxLength: 200, ...sizes });
    const output = storageBuffer(device, new Uint32Array(160).fill(7));
    const count = storageBuffer(device, Uint32Array.of(7));
    const [input, others] = [data, other].map((words) => storageBuffer(device, words)) as [
      GPUBuffer,
      GPUBuffer,
    ];
    const ranges = {
      input,
      length: 200,
      other: others,
      otherLength: 150,
      output: { buffer: output, size: 600 },
      count,
    };
    submit(device, (encoder) => plan.record(encoder, ranges));
    expect([...(await readWords(device, output))].slice(150)).toEqual(Array(10).fill(7));
    destroyAll(plan, output, count, input, others, ...arrays);
  });

  test.each([
    [
      Uint32Array.of(1, 5, 4),
      Uint32Array.of(1),
      {},
      "data",
      /^merge<u32>: data\[2\] is 4, after 5; it takes .* ascending/,
    ],
    [
      Uint32Array.of(1),
      Uint32Array.of(1, 1, 2),
      { descending: true },
      "other",
      /: other\[2\] is 2, after 1; .* descending/,
    ],
    [Float32Array.of(0, -0), Float32Array.of(), {}, "data", /^merge<f32>: data\[1\] is -0, after 0; /],
    [Float32Array.of(Number.NaN, 1), Float32Array.of(), {}, "data", /data\[1\] is 1, after NaN; /],
    [
      Uint32Array.of(1),
      Int32Array.of(1),
      {},
      "other",
      /^merge<u32>: other holds i32; it takes u32, as data holds$/,
    ],
    [
      Uint32Array.of(1),
      Uint32Array.of(1),
      { values: data.subarray(1, 2) },
      "otherValues",
      /otherValues is undefined; it takes an array beside values/,
    ],
    [
      Uint32Array.of(1),
      Uint32Array.of(1),
      { otherValues: data.subarray(1, 2) },
      "values",
      /values is undefined/,
    ],
    [
      Uint32Array.of(1),
      Uint32Array.of(1),
      { workGroupSize: 256, itemsPerThread: 64 },
      "itemsPerThread",
      /bytes of work-group memory/,
    ],
  ])("%o and %o, %o", async (given, others, options, option, message) => {
    const { device, made } = watched(fold().device);
    const one = await openFold({ device });
    const error = await errorOf(one.merge(given as Uint32Array, others as Uint32Array, options as object));
    expect(error.option, String(error)).toBe(option);
    expect(error.message).toMatch(message);
    expect(made()).toEqual([]);
    one.destroy();
  });

  test("the references refuse them, by a key, too", () => {
    const key = { key: (x: number) => -x };
    expect(() =>
      mergeReference(Uint32Array.of(1, 2), Uint32Array.of(), { ...key, keyType: f32 } as never),
    ).toThrow(ArgumentError);
    expect(() => unionReference(Uint32Array.of(), Uint32Array.of(2, 1))).toThrow(
      /other\[1\] comes before other\[0\]/,
    );
    expect(() => unionReference(Uint32Array.of(), Int32Array.of(1) as never)).toThrow(ArgumentError);
  });
});

/** Arrays whose tiles start within runs of equal elements, and between them. */
const overlapping: Subject = async function* () {
  yield* outcomes(Uint32Array.of(), sorted("other", 190, 4));
  for (const classes of [4, 60, 400]) {
    yield* outcomes(sorted("data", 230, classes), sorted("other", 190, classes));
  }
};

/** Elements of which several have a key. */
const keyed: Subject = async function* () {
  const [data, other] = [sorted("data", 230, 4000), sorted("other", 190, 4000)];
  const found = await fold().merge(data, other, { key: "x / 100u", ...sizes });
  yield [found, mergeReference(data, other, { key: (x) => Math.floor(x / 100) })];
};

/** Values, of which those of equal elements differ. */
const valued: Subject = async function* () {
  for (const classes of [4, 400]) {
    const [data, other] = [sorted("data", 230, classes), sorted("other", 190, classes)];
    const values = { values: sorted("values", 230, 2 ** 32), otherValues: sorted("others", 190, 2 ** 32) };
    const found = await fold().merge(data, other, { ...values, ...sizes });
    const expected = mergeReference(data, other, values);
    yield [found.keys, expected.keys];
    yield [found.values, expected.values];
  }
};

testMutations(
  fold,
  { examples: examplesOf("merge"), overlapping, keyed, valued, unions: examplesOf("union") },
  {
    valued: {
      "of equal items with values, the others come first": [
        "((other >= tile.count) | !comes_before(other_key, own_key))",
        "((other >= tile.count) | comes_before(own_key, other_key))",
      ],
      "values of all tiles go to the places of the first one": [
        "let to = call.reordered_base + kept.first;",
        "let to = call.reordered_base;",
      ],
    },
    overlapping: {
      "a thread goes on past the tile's items of the input": [
        "let takes_own = (own < tile.own) & (",
        "let takes_own = (",
      ],
      "a thread goes on past the tile's other items": [
        "((other >= tile.count) | !comes_before(other_key, own_key))",
        "(!comes_before(other_key, own_key))",
      ],
      "a thread keeps the key of an item that it has taken": ["other_key = key_of_staged(next_item);", ""],
      "a thread starts with its items of the input alone": [
        "var own = own_in_tile(tile, start);",
        "var own = min(start, tile.own);",
      ],
      "an equal item of the tile before does not count": ["if (tile.first > 0u)", "if (false)"],
      "an equal other item of the tile before does not count": ["if (tile.other > 0u)", "if (false)"],
      "an equal other item of the tile behind does not count": [
        "(other < tile.count || has_next(tile))",
        "other < tile.count",
      ],
      "items are kept as often as they are there": [
        "let is_first = !before.is_there || comes_before(before.key, key);",
        "let is_first = true;",
      ],
      "kept items go behind all of the tiles before": [
        "KeptPlaces(first, kept.total, kept.prefix)",
        "KeptPlaces(tile.start, kept.total, kept.prefix)",
      ],
    },
    keyed: {
      "of equal items, the others come first where tiles start": [
        "if (comes_before(key_from_item(read_other(place - 1u - middle)), key_from_item(read_item(middle))))",
        "if (!comes_before(key_from_item(read_item(middle)), key_from_item(read_other(place - 1u - middle))))",
      ],
      "of equal items, the others come first": [
        "!comes_before(other_key, own_key)",
        "comes_before(own_key, other_key)",
      ],
    },
    examples: {
      "values are those of the first array alone": [
        "return rest[call.rest_base + tile.other + source - tile.own];",
        "return values[call.values_base + source - tile.own];",
      ],
      "nobody counts a merge whose length is on the GPU": [
        "store_total(length + other);",
        "store_total(length);",
      ],
    },
    unions: {
      "all other items that there is room for count": [
        "min(sorted_count[call.sorted_count_base], call.sorted_length)",
        "call.sorted_length",
      ],
    },
  },
);
