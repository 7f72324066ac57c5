import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { ArgumentError, openFold } from "../../src/node.ts";
import { gatherReference } from "../../src/reference/moves.ts";
import { arrayBuffer, bytesIn, destroyAll, readWords, storageBuffer, submit } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";
import { examplesOf, testMutations } from "../support/mutations.ts";
import { errorOf } from "../support/option_checks.ts";
import { randomBits, randomItems } from "../support/random.ts";
import { lacks, particle } from "../support/sorts.ts";
import { watched } from "../support/watched_device.ts";

const fold = useFold();

const types: readonly ElementType[] = [elementTypes.f16, particle];
const sizes = { workGroupSize: 8, itemsPerThread: 2 } as const;
/** Several tiles, and an edge. */
const LENGTH = 53;
/** How many values there are. It is odd, so that the last word of f16 is half full. */
const COUNT = 21;
/** The first positions without a value, and the last ones that there are. */
const past = [COUNT, COUNT + 1, 2 ** 31, 2 ** 32 - 1];

/** The element at each position, by the bytes that these have, which is another way than the reference. */
function meant(values: AnyArray, positions: Uint32Array, { bytes }: ElementType, count: number): Uint8Array {
  const all = new Uint8Array(values.buffer as ArrayBuffer);
  return Uint8Array.from({ length: positions.length * bytes }, (_, at) => {
    const position = positions[Math.floor(at / bytes)] as number;
    return position < count ? (all[position * bytes + (at % bytes)] as number) : 0;
  });
}

/** Positions of which about every fifth one is past the end. */
function somePositions(name: string): Uint32Array {
  const next = randomBits(name);
  return Uint32Array.from({ length: LENGTH }, (_, at) =>
    at % 5 === 3 ? (past[next() % past.length] as number) : next() % COUNT,
  );
}

describe.each(types)("$name", (type) => {
  const values = randomItems(type, COUNT, `values ${type.name}`);
  const positions = somePositions(type.name);

  test("zero past what the GPU counts, with values behind it", async ({ skip }) => {
    skip(lacks(fold(), type), `the adapter has no ${type.name}`);
    const { device } = fold();
    const places = await fold().upload(positions);
    for (const [counted, count] of [
      [5, 5],
      [0, 0],
      // A length that is more than there is room for stands for the room.
      [COUNT + 1, COUNT],
      [2 ** 32 - 1, COUNT],
    ] as const) {
      const buffer = arrayBuffer(device, values, 0, 8);
      const length = storageBuffer(device, Uint32Array.of(counted));
      const wrapped = await fold().wrap({ buffer, type, length, maxLength: COUNT } as never);
      const found = await fold().gather(wrapped, places as never, sizes);
      expect(bytesIn((await found.read()) as AnyArray)).toEqual(meant(values, positions, type, count));
      destroyAll(buffer, length, wrapped, found);
    }
    places.destroy();
  });
});

describe("recorded", () => {
  let buffers: readonly [values: GPUBuffer, input: GPUBuffer, output: GPUBuffer];
  beforeAll(() => {
    const { device } = fold();
    const of = (...words: number[]): GPUBuffer => storageBuffer(device, Uint32Array.from(words));
    buffers = [of(10, 20, 30, 40), of(3, 0, 1, 9), of(7, 7, 7, 7)];
  });
  afterAll(() => {
    destroyAll(...buffers);
  });

  test("the same buffers with other numbers of values", async () => {
    const [values, input, output] = buffers;
    const gather = await fold().prepareGather({ type: u32, maxLength: 4 });
    for (const [valuesLength, expected] of [
      [4, [40, 10, 20, 0]],
      [1, [0, 10, 0, 0]],
      [2, [0, 10, 20, 0]],
    ] as const) {
      submit(fold().device, (encoder) =>
        gather.record(encoder, { values, valuesLength, input, output, length: 4 }),
      );
      expect([...(await readWords(fold().device, output))]).toEqual(expected);
    }
    gather.destroy();
  });

  test("bad ranges", async () => {
    const [values, input, output] = buffers;
    const gather = await fold().prepareGather({ type: u32, maxLength: 4 });
    const all = { values, valuesLength: 4, input, output, length: 4 };
    const record = (changes: object) => () =>
      gather.record(fold().device.createCommandEncoder(), { ...all, ...changes } as typeof all);
    expect(record({})).not.toThrow();
    for (const valuesLength of [undefined, -1, 1.5, "4", 2 ** 32]) {
      expect(record({ valuesLength })).toThrow(
        /^gather<u32>: valuesLength is .*; it takes a whole number from 0/,
      );
    }
    expect(record({ valuesLength: 5 })).toThrow(/values has 16 bytes from offset 0 on, and 5 items/);
    expect(record({ values: undefined })).toThrow(/values is undefined/);
    expect(record({ values: [values] })).toThrow(/values is a list/);
    expect(record({ sortedLength: 4 })).toThrow(/takes no option sortedLength/);
    expect(record({ output: input })).toThrow(ArgumentError);
    expect(record({ output: values })).toThrow(/overlap/);
    gather.destroy();
  });
});

describe("bad input at hand", () => {
  const values = Float32Array.of(0.5, 2, 8);
  test.each([
    [
      values,
      Uint32Array.of(2, 3, 0, 9),
      "positions",
      /^gather<f32>: positions\[1\] is 3; it takes less than 3, the number of values$/,
    ],
    [values, Uint32Array.of(2, 2 ** 32 - 1), "positions", /^gather<f32>: positions\[1\] is 4294967295; /],
    [
      new Float64Array(0),
      Uint32Array.of(0),
      "positions",
      /^gather<f64>: positions\[0\] is 0; it takes less than 0, /,
    ],
    [values, Int32Array.of(1), "positions", /^gather<f32>: positions holds i32; it takes u32$/],
    [
      values,
      BigInt64Array.of(1n),
      "positions",
      /^gather<f32>: positions holds i64; it takes u32: Uint32Array\.from\(positions, Number\) has the same numbers$/,
    ],
    [values, [1], "positions", /^gather: positions: Array has no element type/],
    [[1], Uint32Array.of(0), "values", /^gather: values: Array has no element type/],
    [
      Promise.resolve(values),
      Uint32Array.of(0),
      "values",
      /^gather: values: a promise has no element type; await it$/,
    ],
  ])("%o at %o", async (given, positions, option, message) => {
    const { device, made } = watched(fold().device);
    const other = await openFold({ device });
    const error = await errorOf(other.gather(given as never, positions as never));
    expect(error).toBeInstanceOf(ArgumentError);
    expect(error.option).toBe(option);
    expect(error.message).toMatch(message);
    expect(made()).toEqual([]);
    other.destroy();
  });

  test.each([
    [() => gatherReference([1] as never, Uint32Array.of(0)), "values"],
    [() => gatherReference(values, [0] as never), "positions"],
  ])("the reference %#", (run, option) => {
    expect(run).toThrow(expect.objectContaining({ name: "ArgumentError", option }));
  });
});

testMutations(
  fold,
  { examples: examplesOf("gather") },
  {
    examples: {
      "a position past the last value takes what lies there": ["if (position < most)", "if (true)"],
      "the value behind the last one counts, too": ["if (position < most)", "if (position <= most)"],
      "values are taken from the start of their binding": [
        "values[call.values_base + position]",
        "values[position]",
      ],
      "all values that there is room for count": [
        "min(count[call.count_base], call.sorted_length)",
        "call.sorted_length",
      ],
    },
  },
);
