import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Fold } from "../../src/node.ts";
import { ArgumentError, f16, f32, openFold, SourceError, u32 } from "../../src/node.ts";
import {
  allReference,
  anyReference,
  countReference,
  findFirstReference,
  findLastReference,
} from "../../src/reference/find.ts";
import type { TraceEvent } from "../../src/simulator/index.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";
import { isSimulated } from "../support/adapter.ts";
import { destroyAll, readWords, storageBuffer, submit } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";
import type { Subject } from "../support/mutations.ts";
import { examplesOf, testMutations } from "../support/mutations.ts";
import { errorOf } from "../support/option_checks.ts";
import { randomWords } from "../support/random.ts";
import { watched } from "../support/watched_device.ts";

const fold = useFold();
let onCpu: Fold;
beforeAll(async () => {
  onCpu = await openFold({ cpu: "always" });
});
afterAll(() => onCpu.destroy());

const references = {
  count: countReference,
  any: anyReference,
  all: allReference,
  findFirst: findFirstReference,
  findLast: findLastReference,
};
type Name = keyof typeof references;
const names = Object.keys(references) as Name[];

const sizes = { workGroupSize: 8, itemsPerThread: 2 } as const;
/** What is stored if there is none. */
const NONE = 0xffffffff;

describe.each(names)("%s", (name) => {
  test("in long data on the CPU, around the elements that are looked at together", async () => {
    for (const at of [0, 4095, 4096, 8191, 9999]) {
      const data = new Uint32Array(10_000);
      data[at] = 1;
      const expected = references[name](data, { where: (x) => x === 1 });
      expect(await onCpu[name](data, { where: "x == 1u" })).toBe(expected);
      const byIndex = references[name](data, { where: (_, i) => i === at });
      expect(await onCpu[name](data, { where: `i == ${at}u` })).toBe(byIndex);
    }
  });

  test("recorded again and again by one plan", async () => {
    const { device } = fold();
    const caller = `prepare${name.slice(0, 1).toUpperCase()}${name.slice(1)}` as "prepareCount";
    for (const own of [sizes, { workGroupSize: 1, itemsPerThread: 4 }]) {
      const prepared = await fold()[caller]({ type: u32, where: "x > 7u", maxLength: 100, ...own });
      const output = storageBuffer(device, Uint32Array.of(1, 2, 3));
      for (const [length, ...at] of [[100, 70], [100, 3, 99], [100], [60, 70], [0], [100, 20]]) {
        const words = new Uint32Array(100);
        for (const one of at) {
          words[one] = 9;
        }
        const input = storageBuffer(device, words);
        const range = { buffer: output, offset: 4 };
        submit(device, (encoder) =>
          prepared.record(encoder, { input, output: range, length: length as number }),
        );
        const expected = references[name](words.slice(0, length), { where: (x) => x > 7 });
        expect([...(await readWords(device, output))]).toEqual([1, Number(expected) >>> 0, 3]);
        input.destroy();
      }
      destroyAll(output, prepared);
    }
  });

  test("of structs, 64-bit and 16-bit elements, whose conditions are statements or numbers", async () => {
    const doubles = Float64Array.of(0.25, -3, Number.NaN, 8);
    const where = "let half = x / 2; return half > 1;";
    const expected = references[name](doubles, { where: (x) => x / 2 > 1 });
    expect(references[name](doubles, { where })).toBe(expected);
    for (const one of [fold(), onCpu]) {
      expect(await one[name](doubles, { where })).toBe(expected);
      const longs = BigInt64Array.of(-5n, 0n, 2n ** 40n);
      expect(await one[name](longs, { where: "x >> 33" })).toBe(
        references[name](longs, { where: (x) => x >> 33n }),
      );
    }
    const halves = new Uint16Array([0x3c00, 0x4000, 0x0000]);
    const ofHalves = references[name](halves, { type: f16, where: (x) => Number(x) > 1 });
    expect(references[name](halves, { type: f16, where: "x > 1.0h && i < 2u" })).toBe(ofHalves);
    expect(() => references[name](halves, { type: f16, where: 3 as never })).toThrow(
      `${name}Reference: where is 3; it takes a function of an element and its index, or WGSL over x and i`,
    );
    if (fold().device.features.has("shader-f16")) {
      expect(await fold()[name](halves, { type: f16, where: "x > 1.0h" })).toBe(ofHalves);
    }
  });

  test.each([
    [
      undefined,
      ArgumentError,
      /^NAME<u32>: where is undefined; it takes a WGSL expression over the element x/,
    ],
    [{}, ArgumentError, /^NAME<u32>: where is undefined; /],
    [{ where: 5 }, ArgumentError, /^NAME<u32>: where is number; /],
    [{ where: " " }, ArgumentError, /^NAME<u32>: where is empty; /],
    [{ where: "true", flags: [1] }, ArgumentError, /^NAME takes no option flags; /],
    [{ where: "true", type: f32 }, ArgumentError, /^NAME: data is a Uint32Array; it takes|holds u32/],
    [{ where: "x > 1u; " }, SourceError, /the predicate, line 1: an expression takes no ";"/],
    [{ where: "x > 1u) || (true" }, SourceError, /the predicate, line 1: '\)' without its '\('/],
    [{ where: "y > 1u" }, SourceError, /y/],
  ])("refuses %o", async (options, kind, message) => {
    const data = Uint32Array.of(1);
    for (const one of [fold(), onCpu]) {
      const error = await errorOf(one[name](data, options as never));
      expect(error).toBeInstanceOf(kind);
      expect(error.message).toMatch(new RegExp(message.source.replace("NAME", name)));
    }
    const { device, made } = watched(fold().device);
    const other = await openFold({ device });
    expect(await errorOf(other[name](data, {} as never))).toBeInstanceOf(ArgumentError);
    expect(made()).toEqual([]);
    other.destroy();
  });
});

/** How many items a search reads that finds one of 4000. */
async function itemsRead(name: Name, at: number, schedule: "in order" | "starve"): Promise<number> {
  const read = new Set<number>();
  const trace = ({ kind, variable, index }: TraceEvent): void => {
    if (kind === "read" && variable.startsWith("input")) {
      read.add(index);
    }
  };
  const gpu = simulatedGpu({ trace, residentGroups: 3, schedule, subgroupSize: 8, seed: 3 });
  const traced = await openFold({ adapter: (await gpu.requestAdapter()) as GPUAdapter, cpu: "never" });
  const data = new Uint32Array(4000);
  data[at] = 1;
  await traced[name](data, { where: name === "all" ? "x != 1u" : "x == 1u", ...sizes });
  traced.destroy();
  return read.size;
}

test("searches end early, whichever work-groups run at a time", async () => {
  for (const schedule of ["in order", "starve"] as const) {
    for (const name of ["any", "all", "findFirst"] as const) {
      expect(await itemsRead(name, 100, schedule), name).toBeLessThan(400);
    }
    expect(await itemsRead("findLast", 3900, schedule)).toBeLessThan(400);
    expect(await itemsRead("findLast", 100, schedule)).toBeGreaterThan(900);
  }
});

test("positions count from firstIndex, and none stays none", async () => {
  const { device } = fold();
  const input = storageBuffer(device, Uint32Array.of(0, 1, 1, 0));
  const output = storageBuffer(device, Uint32Array.of(7));
  for (const [caller, where, expected] of [
    ["prepareFindFirst", "x == 1u", 1001],
    ["prepareFindLast", "x == 1u", 1002],
    ["prepareFindFirst", "i == 1003u", 1003],
    ["prepareFindLast", "x == 5u", NONE],
    ["prepareFindFirst", "x == 5u", NONE],
    ["prepareCount", "i >= 1001u", 3],
  ] as const) {
    const prepared = await fold()[caller]({ type: u32, where, maxLength: 4 });
    submit(device, (encoder) => prepared.record(encoder, { input, output, length: 4, firstIndex: 1000 }));
    expect([...(await readWords(device, output))]).toEqual([expected]);
    prepared.destroy();
  }
  destroyAll(input, output);
});

test("a pass of the caller's takes it, and bad ranges are refused", async () => {
  const { device } = fold();
  const words = randomWords(40, "pass");
  const input = storageBuffer(device, words);
  const output = storageBuffer(device, Uint32Array.of(7));
  const first = await fold().prepareFindFirst({ type: u32, where: "x % 3u == 0u", maxLength: 40 });
  submit(device, (encoder) => {
    const pass = encoder.beginComputePass();
    first.record(pass, { input, output, length: 40 });
    pass.end();
  });
  const expected = findFirstReference(words, { where: (x) => x % 3 === 0 }) >>> 0;
  expect([...(await readWords(device, output))]).toEqual([expected]);
  const record = (changes: object) => () =>
    first.record(device.createCommandEncoder(), { input, output, length: 40, ...changes });
  expect(record({})).not.toThrow();
  expect(record({ length: 41 })).toThrow(ArgumentError);
  expect(record({ output: { buffer: input, offset: 4 } })).toThrow(
    /overlap; the output must be apart from the input, or start where it starts$/,
  );
  submit(device, (encoder) => first.record(encoder, { input, output: input, length: 40 }));
  expect([...(await readWords(device, input))]).toEqual([expected, ...words.slice(1)]);
  const count = await fold().prepareCount({ type: u32, where: "x > 7u", maxLength: 40 });
  const ranges = { input, output: input, length: 40 };
  for (const offset of [0, 4]) {
    const inside = { ...ranges, output: { buffer: input, offset } };
    expect(() => count.record(device.createCommandEncoder(), inside)).toThrow(
      /must be in different buffers$/,
    );
  }
  count.destroy();
  expect(record({ output: undefined })).toThrow(/output is undefined/);
  expect(record({ count: output })).toThrow(/takes no option count/);
  destroyAll(first, input, output);
});

/** Searches that are recorded in parts of longer data, and several times by one plan. */
const recorded: Subject = async function* (fold) {
  const { device } = fold;
  const inputs = [
    [0, 1, 1, 0],
    [1, 0, 0, 0],
  ].map((words) => storageBuffer(device, Uint32Array.from(words)));
  const output = storageBuffer(device, Uint32Array.of(7));
  for (const [caller, where, ...expected] of [
    ["prepareFindFirst", "x == 5u", NONE, NONE],
    ["prepareFindLast", "x == 5u", NONE, NONE],
    ["prepareFindFirst", "i == 1003u", 1003, 1003],
    ["prepareFindLast", "x == 1u", 1002, 1000],
  ] as const) {
    const prepared = await fold[caller]({ type: u32, where, maxLength: 4 });
    for (const [at, input] of inputs.entries()) {
      const ranges = { input, output, length: 4, firstIndex: 1000 };
      submit(device, (encoder) => prepared.record(encoder, ranges));
      yield [[...(await readWords(device, output))], [expected[at]]];
    }
    prepared.destroy();
  }
  destroyAll(...inputs, output);
};

/** Searches for items at each place of each tile: one at a time, and all from there on. */
const eachPlace: Subject = async function* (fold) {
  for (const at of [0, 7, 15, 16, 40, 47, 58]) {
    const all = Uint32Array.from({ length: 59 }, (_, index) => Number(index >= at));
    const one = all.map((x, index) => x * Number(index === at));
    yield [await fold.findFirst(all, { where: "x == 1u", ...sizes }), at];
    yield [await fold.findFirst(one, { where: "x == 1u", ...sizes }), at];
    yield [await fold.findLast(one, { where: "x == 1u", ...sizes }), at];
  }
};

const subjects = {
  last: examplesOf("findLast"),
  any: examplesOf("any"),
  all: examplesOf("all"),
  eachPlace,
  recorded,
};

testMutations(fold, subjects, {
  eachPlace: {
    "a work-group keeps to itself what it has found": ["if (best > 0u)", "if (false)"],
    "every other tile is left out": ["atomicAdd(&search.turns, 1u)", "atomicAdd(&search.turns, 2u)"],
    "the last tile is not searched": ["last_tile(length) + 1u", "last_tile(length)"],
    "of a thread's items, the one that was looked at last counts": [
      /greatest = max\(greatest, (score_of\(\w+\))\)/g,
      "greatest = $1",
    ],
  },
  last: {
    "what lies past the end counts": ["index < length && keep(", "keep("],
    "a tile is left out if its first item alone has too low a score": [
      "min(length, (tile + 1u) * TILE)",
      "0u",
    ],
    "the last item's score is its index": ["return index + 1u;", "return index;"],
  },
  all: {
    "an item for which the condition does not hold says that it holds for all": [
      "(score > 0u) == MEANT",
      "score > 0u",
    ],
  },
  any: {
    "an item for which the condition holds says that it holds for none": [
      "(score > 0u) == MEANT",
      "score == 0u",
    ],
  },
  recorded: {
    "if there is none, firstIndex counts all the same": [
      /select\((~score \+ call\.first_index), .*?\)/,
      "($1)",
    ],
    "positions count from the start of the range": ["score - 1u + call.first_index", "score - 1u"],
    "the condition sees indices that count from the start of the range": [
      "index + call.first_index) == MEANT",
      "index) == MEANT",
    ],
    "a search goes on from the one before": [
      "cleared[call.output_base + bin] = 0u",
      "cleared[call.output_base + bin] += 0u",
    ],
  },
});

describe("where work-groups wait at any place", () => {
  const slow = useFold({
    schedule: "random",
    seed: 3,
    residentGroups: 9,
    lanes: "natural",
    atomics: "natural",
    olderValues: false,
    subgroupSize: 8,
    subgroupMinSize: 8,
    subgroupMaxSize: 8,
  });
  const dense: Subject = async function* (fold) {
    for (let length = 300; length < 340; length++) {
      yield [await fold.findFirst(new Uint32Array(length), { where: "x == 0u", ...sizes }), 0];
    }
  };
  testMutations(
    slow,
    { dense },
    isSimulated
      ? {
          dense: {
            "a work-group ends once any item is found": [
              "greatest_score(tile_at(turn, tiles), length);",
              "1u;",
            ],
            "scores of work-groups add up": [
              "atomicMax(&search.best, best)",
              "atomicAdd(&search.best, best)",
            ],
          },
        }
      : {},
  );
});
