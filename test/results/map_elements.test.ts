import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Fold } from "../../src/node.ts";
import { ArgumentError, LimitError, openFold } from "../../src/node.ts";
import { planMap } from "../../src/plan/map_elements.ts";
import { mapReference } from "../../src/reference/map.ts";
import { destroyAll, readWords, storageBuffer, submit } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";
import type { Subject } from "../support/mutations.ts";
import { examplesOf, testMutations } from "../support/mutations.ts";
import { errorOf } from "../support/option_checks.ts";

const fold = useFold();
let onCpu: Fold;
beforeAll(async () => {
  onCpu = await openFold({ cpu: "always" });
});
afterAll(() => onCpu?.destroy());

/** Tiles of 16 items: four vectors of words, or one each. */
const sizes = { workGroupSize: 4, itemsPerThread: 4 } as const;
test("indices count from firstIndex, and the length may be on the GPU", async () => {
  const { device } = fold();
  const plan = await fold().prepareMap({
    type: u32,
    map: "x + i + by",
    params: { by: u32 },
    maxLength: 20,
    lengthOnGpu: true,
    ...sizes,
  });
  for (const counted of [0, 7, 20, 99]) {
    const input = storageBuffer(
      device,
      Uint32Array.from({ length: 20 }, (_, at) => 100 * at),
    );
    const length = storageBuffer(device, Uint32Array.of(counted));
    submit(device, (encoder) =>
      plan.record(encoder, { input, output: input, length, firstIndex: 5, params: { by: 1000 } }),
    );
    expect([...(await readWords(device, input))]).toEqual(
      Array.from({ length: 20 }, (_, at) => 100 * at + (at < counted ? at + 1005 : 0)),
    );
    destroyAll(input, length);
  }
  plan.destroy();
});

test("a result goes into the data, and into another array", async () => {
  const data = Uint32Array.of(1, 2, 3);
  const before = { neighbours: { before: -1 }, edge: "wrap", map: "x + before" } as const;
  const room = new Uint32Array(3);
  expect(await fold().map(data, { ...before, into: room })).toBe(room);
  expect([...room]).toEqual([4, 3, 5]);
  for (const one of [fold(), onCpu]) {
    const own = data.slice();
    expect(await one.map(own, { ...before, into: own })).toBe(own);
    expect([...own]).toEqual([4, 3, 5]);
  }
  const there = await fold().upload(data);
  await fold().map(there, { map: "x * 2u", into: there });
  expect([...(await there.read())]).toEqual([2, 4, 6]);
  const error = await errorOf(fold().map(there, { ...before, into: there }));
  expect(error.option).toBe("into");
  expect(error.message).toMatch(
    /overlap; they must be apart, since elements are read after their neighbours/,
  );
  there.destroy();
});

describe("how many arrays there may be", () => {
  const named = (count: number): Record<string, ElementType> =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`y${at}`, u32]));

  test.each([
    [6, false],
    [5, true],
  ])("%i, if the length on the GPU is %s", async (most, lengthOnGpu) => {
    const { facts } = contextOf(fold().device);
    const limits = { ...facts.limits, maxStorageBuffersPerShaderStage: 8 };
    const planOf = (count: number) =>
      planMap(
        { type: u32, with: named(count), map: `x + y${count - 1}`, maxLength: 9, lengthOnGpu },
        { ...facts, limits },
      );
    for (const { bindings } of planOf(most).kernels) {
      expect([...bindings.values()].filter(({ kind }) => kind.startsWith("read")).length).toBeLessThanOrEqual(
        8,
      );
    }
    expect(() => planOf(most + 1)).toThrow(LimitError);
    expect(() => planOf(most + 1)).toThrow(new RegExp(`limit is 8 storage .*so it takes at most ${most}`));
  });

  test("all of them are read", async () => {
    const all = Object.fromEntries(
      Array.from({ length: 6 }, (_, at) => [`y${at}`, Uint32Array.of(10 ** at, 2 * 10 ** at)]),
    );
    const map = ["x", ...Object.keys(all)].join(" + ");
    expect(await fold().map(Uint32Array.of(0, 1), { with: all, map })).toEqual(
      Uint32Array.of(111111, 222223),
    );
  });
});

describe("bad input", () => {
  const data = Float32Array.of(1, 2, 3);
  test.each<readonly [options: object, option: string, message: RegExp]>([
    [{}, "map", /^map<f32>: map is undefined; it takes a WGSL expression/],
    [{ map: " " }, "map", /map is empty/],
    [{ map: "x", with: data }, "with", /^map: with is a Float32Array; it takes an object of arrays/],
    [{ map: "x", with: [data] }, "with", /an object of arrays/],
    [{ map: "x", with: { y: [1, 2, 3] } }, "with", /^map: with\.y: Array has no element type/],
    [{ map: "x", with: { y: data.subarray(1) } }, "with", /2 elements of with\.y for 3 elements/],
    [
      { map: "x", with: { x: data } },
      "with",
      /with: x has another meaning in the map; choose another, such as x_/,
    ],
    [{ map: "x", with: { fn: data } }, "with", /fn is a reserved word/],
    [{ map: "x", with: { "a b": data } }, "with", /it takes letters, digits/],
    [{ map: "x", with: { y: data }, params: { y: 1 } }, "with", /y has another meaning/],
    [{ map: "x", with: { y: data }, neighbours: { y: 1 }, edge: 0 }, "neighbours", /y has another meaning/],
    [{ map: "x", neighbours: { y: 1 } }, "edge", /edge is undefined; it takes "nearest", "wrap", or a value/],
    [{ map: "x", neighbours: { y: 1 }, edge: "zero" }, "edge", /edge: .*zero.*"nearest", "wrap", or a value/],
    [{ map: "x", edge: "wrap" }, "edge", /an edge only beside neighbours/],
    [
      { map: "x", neighbours: { y: 0 }, edge: 0 },
      "neighbours",
      /\{ y: 0 \}; it takes a whole number other than 0/,
    ],
    [{ map: "x", neighbours: { y: 0.5 }, edge: 0 }, "neighbours", /a whole number other than 0/],
    [{ map: "x", neighbours: -1, edge: 0 }, "neighbours", /an object of distances, such as \{ before: -1 \}/],
    [{ map: "x", where: "true" }, "where", /takes no option where/],
  ])("%o", async (options, option, message) => {
    for (const one of [fold(), onCpu]) {
      const error = await errorOf(one.map(data, options as never));
      expect(error, String(error)).toBeInstanceOf(ArgumentError);
      expect(error.message).toMatch(message);
      expect(error.option).toBe(option);
    }
  });

  test("ranges that are missing, or that the plan does not know", async () => {
    const plan = await fold().prepareMap({ type: u32, with: { y: u32 }, map: "x + y", maxLength: 4 });
    const of = () => storageBuffer(fold().device, new Uint32Array(4));
    const [input, y, output] = [of(), of(), of()];
    const all = { input, with: { y }, output, length: 4 };
    const record = (changes: object) => () =>
      plan.record(fold().device.createCommandEncoder(), { ...all, ...changes } as typeof all);
    expect(record({})).not.toThrow();
    expect(record({ with: undefined })).toThrow(/with is undefined|options is undefined|an object/);
    expect(record({ with: {} })).toThrow(/with\.y is undefined/);
    expect(record({ with: { y, z: y } })).toThrow(/with takes no option z/);
    expect(record({ with: { y: output } })).toThrow(/with\.y .*output .* overlap/);
    destroyAll(input, y, output, plan);
  });

  test.each([
    [() => mapReference(data, { map: "x" } as never), "map"],
    [() => mapReference(data, { map: (x) => x, with: { y: data.subarray(1) } }), "with"],
    [() => mapReference(data, { map: (x) => x, neighbours: { y: 1 } }), "edge"],
    [() => mapReference(data, { map: () => "1" as never }), "map"],
  ])("the reference %#", (run, option) => {
    expect(run).toThrow(expect.objectContaining({ name: "ArgumentError", option }));
  });
});

test("the edge of floats is the nearest value of their type", async () => {
  const data = Float32Array.of(1);
  const options = { neighbours: { before: -1 }, edge: 0.1 } as const;
  for (const one of [fold(), onCpu]) {
    const bits = await one.map(data, { ...options, type: u32, map: "bitcast<u32>(before)" });
    expect(bits).toEqual(new Uint32Array(Float32Array.of(0.1).buffer));
  }
  const seen = mapReference(data, { ...options, type: f64, map: (_, __, { before = 0 }) => before });
  expect(seen).toEqual(Float64Array.of(Math.fround(0.1)));
});

/** Arrays at hand start at vectors. */
const vectors: Subject = async function* (one) {
  const data = Uint32Array.from({ length: 300 }, (_, at) => 3 * at);
  const found = await one.map(data, { map: "x + i * 1000u", workGroupSize: 16, itemsPerThread: 4 });
  yield [found, data.map((x, at) => x + at * 1000)];
};

testMutations(
  fold,
  { examples: examplesOf("map", { examples: [0, 1, 2, 3, 4] }), vectors },
  {
    vectors: {
      "the second item of a vector has the index of the first": [
        /(\* WORK_GROUP_SIZE\) \* VECTOR \+) (1u|item)\b/g,
        "$1 0u",
      ],
    },
    examples: {
      "each tile is the first one": [
        "let first = tile * (TILE / VECTOR) + thread;\n  if (tile >= call.tiles)",
        "let first = thread;\n  if (tile >= call.tiles)",
      ],
      "items at the end keep their places among vectors": [
        "let index = place * VECTOR + ",
        "let index = place + ",
      ],
      "the nearest before is the one before": ["index - min(index, distance)", "index - min(index, 1u)"],
      "the nearest after is the one behind the end": [
        "min(distance, length - 1u - index)",
        "min(distance, length - index)",
      ],
      "elements wrap around to the one before the last": [
        "index + (length - steps), index < steps",
        "index + (length - 1u - steps), index < steps",
      ],
      "the last element wraps around too early": [
        "index - (length - steps), steps >= length - index",
        "index - (length - steps), steps + 1u >= length - index",
      ],
      "a distance wraps around once": [
        "let steps = distance % length;\n  return select(index + steps",
        "let steps = select(distance, distance - length, distance >= length);\n  return select(index + steps",
      ],
      "a value stands for the first element, too": ["length, index < distance", "length, index <= distance"],
      "a value stands for the last element, too": [
        "distance >= length - index",
        "distance + 1u >= length - index",
      ],
    },
  },
);
