import { describe, expect, test } from "vitest";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Segments } from "../../src/algebra/segments.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { Scalar, TypeName } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import type { ArgValue } from "../../src/gpu/at_hand/hand_types.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { argMax } from "../../src/monoids/arg_max.ts";
import type { ArgMin } from "../../src/monoids/arg_min.ts";
import { argMin } from "../../src/monoids/arg_min.ts";
import { ArgumentError } from "../../src/node.ts";
import { argMaxReference, argMinReference } from "../../src/reference/arg_min_max.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { readWords, storageBuffer, submit } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";
import { pairs } from "../support/pairs.ts";
import { anyItems, randomBits, valuesAs } from "../support/random.ts";

const fold = useFold();
const typed = (type: TypeName): object => (type === "f16" ? { type: f16 } : {});
const lacks = (type: TypeName): boolean => type === "f16" && !fold().device.features.has("shader-f16");

const cases = (Object.keys(elementTypes) as TypeName[]).flatMap((type) =>
  (["argMin", "argMax"] as const).map((call) => [type, call] as const),
);
/** Not by the name of the call, of which TypeScript would compare all forms with each other. */
const run = (call: "argMin" | "argMax", data: ScalarArray, options: object): Promise<ArgValue<Scalar>> =>
  (call === "argMin" ? fold().argMin(data, options) : fold().argMax(data, options)) as Promise<
    ArgValue<Scalar>
  >;
const references = { argMin: argMinReference, argMax: argMaxReference } as const;

const shapes = [{}, { workGroupSize: 4, itemsPerThread: 2 }];
test.for(cases.map((row, at) => [...row, shapes[at % 2] as object] as const))(
  "%s %s: random bits, and many equal values, %o",
  async ([type, call, shape], { skip }) => {
    skip(lacks(type), "the adapter has no shader-f16");
    const next = randomBits(`${type} ${call}`);
    for (const length of [1, 8, 9, 300]) {
      const few = valuesAs(
        type,
        Array.from({ length }, () => (type.startsWith("u") ? 3 : -1) + (next() % 3)),
      );
      for (const data of [anyItems(type, length, `${call} ${type} ${length}`), few]) {
        const expected = references[call](data, typed(type));
        const found = await run(call, data, { ...typed(type), ...shape });
        expect(found, `${length}`).toEqual(expected);
        expect(Object.is(found.value, expected.value)).toBe(true);
      }
    }
  },
);

test.each([
  [Float32Array.of(Number.NaN, 2, 1, 1), { value: 1, index: 2 }, { value: 2, index: 1 }],
  [Float32Array.of(Number.NaN, Number.NaN), { value: Number.NaN, index: 0 }, { value: Number.NaN, index: 0 }],
  [Float64Array.of(0, -0, 0), { value: -0, index: 1 }, { value: 0, index: 0 }],
  [
    Float32Array.of(Number.NaN, Number.POSITIVE_INFINITY),
    { value: Number.POSITIVE_INFINITY, index: 1 },
    { value: Number.POSITIVE_INFINITY, index: 1 },
  ],
  [
    Float64Array.of(Number.NaN, Number.NEGATIVE_INFINITY),
    { value: Number.NEGATIVE_INFINITY, index: 1 },
    { value: Number.NEGATIVE_INFINITY, index: 1 },
  ],
  [Uint32Array.of(0xffffffff, 0xffffffff), { value: 0xffffffff, index: 0 }, { value: 0xffffffff, index: 0 }],
  [BigInt64Array.of(5n, -(2n ** 63n), 5n), { value: -(2n ** 63n), index: 1 }, { value: 5n, index: 0 }],
])("%o", async (data, least, greatest) => {
  expect(await fold().argMin(data as Float32Array)).toEqual(least);
  expect(await fold().argMax(data as Float32Array)).toEqual(greatest);
  expect(argMinReference(data as Float32Array)).toEqual(least);
  expect(argMaxReference(data as Float32Array)).toEqual(greatest);
});

test("an array on the GPU, by a map", async () => {
  const data = await fold().upload(Float32Array.of(3, 7, 7, 2));
  const op = argMax(f32);
  const found = await fold().reduce(data, { type: op.type, op, map: "ArgMaxF32(x, i)" });
  expect([...(await found.read())]).toEqual([{ value: 7, index: 1 }]);
  await expect(fold().argMax(data as never)).rejects.toThrow("data is on the GPU; it takes a typed array");
});

const recorded = pairs({
  type: [u32, f32, i64],
  made: [argMin, argMax],
  algorithm: ["hillis-steele", "subgroup"] as const,
});
test.for(recorded)(
  "recorded, by a map: $type.name $made.name, $algorithm",
  async ({ type, made, algorithm }, { skip }) => {
    const { name } = type;
    const { device } = fold();
    const { subgroupMaxSize, features } = contextOf(device).facts;
    skip(algorithm === "subgroup" && !features.has("subgroups"), "the adapter has no subgroups");
    const op = made(type as typeof f32) as ArgMin<"f32">;
    const length = 500;
    const reduce = await fold().prepareReduce({
      type: op.type,
      op,
      from: type as typeof f32,
      map: `${op.type.name}(x, i)`,
      maxLength: length,
      passes: "single",
      algorithm,
      workGroupSize: subgroupMaxSize,
      itemsPerThread: 2,
    });
    const few = valuesAs(
      name,
      Array.from({ length }, (_, at) => ((at * 37) % 101) - (name.startsWith("u") ? 0 : 50)),
    );
    for (const values of [few, anyItems(name, length, `recorded ${name}`)]) {
      const [input, output] = [new Uint32Array(values.buffer as ArrayBuffer), new Uint32Array(4)].map(
        (words) => storageBuffer(device, words),
      ) as [GPUBuffer, GPUBuffer];
      submit(device, (encoder) => reduce.record(encoder, { input, output, length }));
      const words = await readWords(device, output);
      const [value] = arrayOver(type, words.buffer as ArrayBuffer) as Float32Array;
      expect({ value, index: words[type.bytes / 4] }).toEqual(
        references[made.name as "argMin" | "argMax"](values as Float32Array),
      );
    }
    reduce.destroy();
  },
);

/** Segments of 600 items, which are more tiles than a spine with too short entries has room for. */
const sources: Readonly<Record<string, Segments>> = {
  heads: { heads: Uint32Array.from({ length: 600 }, (_, index) => Number(index % 177 === 5)) },
  keys: { keys: Uint32Array.from({ length: 600 }, (_, index) => Math.floor(index / 199)) },
  offsets: { offsets: Uint32Array.of(0, 3, 3, 220, 599, 600) },
};
const segmented = pairs({
  type: [f32, u64, f64],
  source: Object.keys(sources),
  made: [argMin, argMax],
  passes: ["reduce-then-scan", "single"] as const,
});
test.for(segmented)(
  "$made.name of $type.name by $source, $passes",
  async ({ type, source, made, passes }) => {
    const op = (made as typeof argMin)(type as typeof f32);
    const values = valuesAs(
      type.name,
      Array.from({ length: 600 }, (_, index) => (index * 37) % 11),
    );
    const items = op.type.from(Array.from(values as Float32Array, (value, index) => ({ value, index })));
    const options = { op, segments: sources[source] as Segments };
    const tile = { workGroupSize: 16, itemsPerThread: 3, algorithm: "hillis-steele" } as const;
    const found = await fold().reduce(items, { ...options, ...tile, passes });
    expect(found).toEqual(reduceReference(items, options));
  },
);

describe("bad input", () => {
  const pair = struct({ name: "Pair", fields: { a: u32, b: u32 } });
  test.each([
    [new Float32Array(0), {}, "data", /the array is empty/],
    [pair.array(2), {}, "data", /data is the struct Pair; it takes u32/],
    [[1, 2], {}, "data", /has no element type/],
    [Uint32Array.of(1), { op: 1 }, "op", /takes no option op/],
    [Uint32Array.of(1), { type: f32 }, "type", /holds u32, but type says f32/],
    [Uint32Array.of(1), { workGroupSize: 0 }, "workGroupSize", /workGroupSize/],
  ])("%o %o", async (data, options, option, message) => {
    for (const call of ["argMin", "argMax"] as const) {
      const error = await run(call, data as never, options).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(ArgumentError);
      expect((error as ArgumentError).option).toBe(option);
      expect((error as ArgumentError).message).toMatch(message);
    }
  });
});
