import { expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import { ArgumentError, openFold } from "../../src/node.ts";
import { expandRunsReference, runLengthsReference, uniqueReference } from "../../src/reference/runs.ts";
import { readWords, storageBuffer, submit } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";
import type { Subject } from "../support/mutations.ts";
import { testMutations } from "../support/mutations.ts";
import { errorOf } from "../support/option_checks.ts";
import { randomWords } from "../support/random.ts";
import { watched } from "../support/watched_device.ts";

// What is special to unique with its options, and to items of runs with indices and ranks. test/primitives/ has all forms of both.

const fold = useFold();
const tiles = { workGroupSize: 8, itemsPerThread: 2 } as const;

test("sorted, with the index of each element's value: values[inverse[i]] is element i", async () => {
  const data = Float32Array.of(2, -0, Number.NaN, 0, 2, Number.NaN, -1, 0);
  const { values, inverse, counts } = await fold().unique(data, { sort: true, inverse: true, counts: true });
  expect(values).toEqual(Float32Array.of(-1, -0, 0, 2, Number.NaN));
  expect(counts).toEqual(Uint32Array.of(1, 1, 2, 2, 2));
  expect(Float32Array.from(inverse, (at) => values[at] as number)).toEqual(data);
  expect(await fold().unique(data, { sort: true, indices: true })).toEqual(Uint32Array.of(6, 1, 3, 0, 2));
});

test("what occurs several times, and what occurs once", async () => {
  const data = Uint32Array.of(5, 3, 5, 9, 3, 5, 7);
  expect(await fold().unique(data, { sort: true, minCount: 2 })).toEqual(Uint32Array.of(3, 5));
  expect(await fold().unique(data, { sort: true, maxCount: 1 })).toEqual(Uint32Array.of(7, 9));
  expect(await fold().unique(data, { sort: true, maxCount: 1, indices: true })).toEqual(Uint32Array.of(6, 3));
  expect(await fold().runLengths(data, { sort: true, minCount: 2, maxCount: 2 })).toEqual({
    values: Uint32Array.of(3),
    counts: Uint32Array.of(2),
  });
  expect(await fold().unique(data, { minCount: 2 ** 40 })).toEqual(new Uint32Array(0));
});

test.each([{ sort: true }, { minCount: 2, counts: true }])(
  "recorded without room for an item of 8 bytes: %o",
  async (options) => {
    const { device } = fold();
    const plan = await fold().prepareUnique({ type: u64, ...options, maxLength: 0, ...tiles });
    const [input, unique, counts, count] = [0, 0, 0, 9].map((word) =>
      storageBuffer(device, Uint32Array.of(word, 7)),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
    const ranges = { input, unique, ...("counts" in options && { counts }), count, length: 0 };
    await submit(device, (encoder) => plan.record(encoder, ranges));
    expect(await readWords(device, count)).toEqual(Uint32Array.of(0, 7));
    plan.destroy();
  },
);

test("recorded: the number of runs stays on the GPU, and sizes go to each pass", async () => {
  const { device } = fold();
  const data = randomWords(1100, "recorded").map((word) => word % 300);
  const plan = await fold().prepareUnique({
    type: u32,
    sort: true,
    counts: true,
    inverse: true,
    maxLength: 1200,
    ...tiles,
  });
  const [input, unique, counts, inverse] = [
    data,
    ...Array.from({ length: 3 }, () => new Uint32Array(1100)),
  ].map((words) => storageBuffer(device, words as Uint32Array)) as [
    GPUBuffer,
    GPUBuffer,
    GPUBuffer,
    GPUBuffer,
  ];
  const count = storageBuffer(device, new Uint32Array(1));
  const ranges = { input, unique, counts, inverse, count, length: 1100 };
  submit(device, (encoder) => plan.record(encoder, ranges));
  const meant = uniqueReference(data, { sort: true, counts: true, inverse: true });
  const [runs = 0] = await readWords(device, count);
  expect(runs).toBe(meant.values.length);
  expect((await readWords(device, unique)).slice(0, runs)).toEqual(meant.values);
  expect((await readWords(device, counts)).slice(0, runs)).toEqual(meant.counts);
  expect(await readWords(device, inverse)).toEqual(meant.inverse);
  const record = (changes: object) => () =>
    plan.record(device.createCommandEncoder(), { ...ranges, ...changes } as typeof ranges);
  expect(record({ keys: input })).toThrow(/takes no option keys/);
  expect(record({ output: unique })).toThrow(/takes no option output/);
  expect(record({ inverse: undefined })).toThrow(/^unique<u32>: inverse is undefined/);
  expect(record({ counts: inverse })).toThrow(/overlap; they must be apart/);
  expect(record({ inverse: input })).toThrow(/overlap; they must be apart/);
  plan.destroy();
});

test("what it refuses, before anything is made", async () => {
  const { device, made } = watched(fold().device);
  const other = await openFold({ device });
  const data = Uint32Array.of(1, 1, 2);
  for (const [options, option, message] of [
    [{ inverse: true, minCount: 2 }, "minCount", /takes inverse or minCount, and not both: elements that/],
    [{ inverse: true, maxCount: 2 }, "maxCount", /takes inverse or maxCount, and not both/],
    [{ minCount: 0 }, "minCount", /minCount is 0; it takes a whole number from 1 up$/],
    [{ minCount: 3, maxCount: 2 }, "maxCount", /maxCount is 2; it takes a whole number from 3 up$/],
    [{ sort: 1 }, "sort", /sort is 1; it takes true or false$/],
  ] as const) {
    const error = await errorOf(other.unique(data, options as never));
    expect(error).toBeInstanceOf(ArgumentError);
    expect(error.option).toBe(option);
    expect(error.message).toMatch(message);
    expect(() => uniqueReference(data, options as never)).toThrow(message);
  }
  expect((await errorOf(other.runLengths(data, { counts: true } as never))).message).toMatch(
    /no option counts/,
  );
  expect(made()).toEqual([]);
  other.destroy();
});

/** Runs whose items fill several tiles, with empty ones, and room for some of them. */
const counts = Uint32Array.of(0, 7, 1, 0, 40, 3, 0, 29, 1, 1);
const values = randomWords(counts.length, "values");

const expanded: Subject = async function* (fold) {
  const [onGpu, lengths] = [await fold.upload(values), await fold.upload(counts)];
  for (const maxLength of [81, 90]) {
    for (const indices of [false, true]) {
      const options = { indices, ranks: true, maxLength, ...tiles } as const;
      const found = await fold.expandRuns(onGpu, lengths, options as typeof options & { indices: true });
      const meant = expandRunsReference(values, counts, { indices, ranks: true });
      yield [
        [await found.values.read(), await found.ranks.read()],
        [meant.values.slice(0, maxLength), meant.ranks.slice(0, maxLength)],
      ];
    }
  }
};

const inverted: Subject = async function* (fold) {
  const data = randomWords(90, "inverted").map((word) => word % 9);
  const onGpu = await fold.upload(data);
  const { values: firsts, inverse } = await fold.unique(onGpu, { sort: true, inverse: true, ...tiles });
  const meant = uniqueReference(data, { sort: true, inverse: true });
  yield [
    [await firsts.read(), await inverse.read()],
    [meant.values, meant.inverse],
  ];
};

testMutations(
  fold,
  { expanded, inverted },
  {
    expanded: {
      "ranks count from 1": ["index - start;", "index - start + 1u;"],
      "the first run's ranks start late": [
        "run > 0u) {\n    start = run_end(run - 1u)",
        "run > 0u) {\n    start = run_end(run)",
      ],
      "a value is that of the next run": [
        "input[call.input_base + run]",
        "input[call.input_base + run + 1u]",
      ],
      "the number of a run is one too many": [
        "output[call.output_base + index] = run;",
        "output[call.output_base + index] = run + 1u;",
      ],
    },
    inverted: {
      "indices stay in the order of the sort": [
        "positions[call.positions_base + index]] = run",
        "index] = run",
      ],
      "runs have other numbers": ["return index;", "return index + 1u;"],
    },
  },
);

test("the counts that references give are those of runLengths", () => {
  const data = Uint32Array.of(4, 4, 7, 4);
  expect(uniqueReference(data, { counts: true })).toEqual(runLengthsReference(data));
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
