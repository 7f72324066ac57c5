import { expect, test } from "vitest";
import { vec2, vec3 } from "../../src/algebra/fields.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { add } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import { SourceError } from "../../src/node.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { runLengthsReference, uniqueReference } from "../../src/reference/runs.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { maps, mapsInTurn } from "../look_back/operators.ts";
import { destroyAll } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { algorithmNames, useFold } from "../support/fold.ts";
import { nanRuns } from "../support/nan_runs.ts";
import { randomBits } from "../support/random.ts";

// Runs of keys that WGSL computes: of the data itself, and of `unique` and `runLengths`. The examples of scans and reductions have those of other arrays.

const fold = useFold();
const Particle = struct({ name: "Particle", fields: { cell: u32, at: vec3(f32), mass: f32 } });

/** Particles in order of their cells. Cells have 1 to 40 of them, and some are of several tiles. */
function particles(length: number) {
  const next = randomBits(`particles ${length}`);
  const array = Particle.array(length);
  let cell = 0;
  for (let index = 0, left = 0; index < length; index++, left--) {
    if (left === 0) {
      cell += 1 + (next() % 4);
      left = next() % 9 === 0 ? 1500 : 1 + (next() % 40);
    }
    array.set(index, { cell, at: [index, 0, 1], mass: next() % 8 });
  }
  return array;
}

const key = "x.cell / 2u";
const twin = { key: (x: { readonly cell: number }) => Math.floor(x.cell / 2), keyType: u32 };

test("unique and runLengths by a key: the first element of each run, at hand and on the GPU", async () => {
  for (const length of [0, 1, 1025, 2500]) {
    const data = particles(length);
    const [unique, runs] = [uniqueReference(data, twin), runLengthsReference(data, twin)];
    expectSameBits(await fold().unique(data, { key, keyType: u32 }), unique, `unique of ${length}`);
    const found = await fold().runLengths(data, { key, keyType: u32 });
    expectSameBits(found.values, runs.values, `values of ${length}`);
    expectSameBits(found.counts, runs.counts, `counts of ${length}`);
    if (length > 0) {
      const there = await fold().upload(data);
      const own = await fold().runLengths(there, { key, keyType: u32 });
      expectSameBits(await own.values.read(), runs.values, `values of ${length}, on the GPU`);
      expectSameBits(await own.counts.read(), runs.counts, `counts of ${length}, on the GPU`);
      destroyAll(there, own.values, own.counts);
    }
  }
  // The same options and length, with the keys instead of the first elements: another plan.
  const data = particles(2500);
  const there = await fold().upload(data);
  const counts = { from: Particle, type: u32, map: "1u" } as const;
  const byKey = await fold().reduce(there, { ...counts, segments: { keys: there, key, keyType: u32 } });
  const keys = reduceReference(data, { type: u32, map: () => 1, segments: twin }).keys;
  expectSameBits(await byKey.keys.read(), keys, "keys beside counts");
  destroyAll(there, byKey.keys, byKey.values);
  // The type of a field need not be named.
  const positions = await fold().unique(data, { key: "x.cell", indices: true });
  const like = { key: (x: { readonly cell: number }) => x.cell, keyType: u32, indices: true } as const;
  expectSameBits(positions, uniqueReference(data, like), "positions");
});

test("the data gives the keys, and a map gives what is combined", async () => {
  const data = particles(2100);
  const options = { type: f32, map: "x.mass" } as const;
  const like = { type: f32, map: (x: { readonly mass: number }) => x.mass } as const;
  const own = { keyType: u32, key: (x: { readonly cell: number }) => x.cell };
  const expected = reduceReference(data, { ...like, segments: own });
  for (const segments of [{ key: "x.cell" }, { keys: data, key: "x.cell", keyType: u32 }]) {
    const { keys, values } = await fold().reduce(data, { ...options, segments });
    expectSameBits(keys, expected.keys, "keys");
    expectSameBits(values, expected.values, "values");
  }
  const there = await fold().upload(data);
  const byCell = await fold().reduce(there, { ...options, segments: { key: "x.cell", keyType: u32 } });
  expectSameBits(await byCell.keys.read(), expected.keys, "keys on the GPU");
  expectSameBits(await byCell.values.read(), expected.values, "values on the GPU");
  const prefixes = await fold().scan(there, { ...options, segments: { key: "x.cell" } });
  expectSameBits(await prefixes.read(), scanReference(data, { ...like, segments: own }), "prefixes");
  destroyAll(there, byCell.keys, byCell.values, prefixes);
});

test("keys of vectors of items", async () => {
  const next = randomBits("vectors of items");
  const data = Uint32Array.from({ length: 2500 }, (_, index) => 100 * (index >>> 4) + (next() % 100));
  const found = await fold().reduce(data, { segments: { key: "x / 300u" } });
  const expected = reduceReference(data, { segments: { key: (x) => Math.floor(x / 300), keyType: u32 } });
  expectSameBits(found.keys, expected.keys, "keys");
  expectSameBits(found.values, expected.values, "values");
});

/** Every plan of runs: by each algorithm, in one pass or two, and what is chosen if nothing is named. */
const plans = [
  {},
  ...algorithmNames.flatMap((algorithm) =>
    (["single", "reduce-then-scan"] as const).map((passes) => ({
      algorithm,
      passes,
      workGroupSize: 32,
      itemsPerThread: 2,
    })),
  ),
];

const nanPlans = plans.map((plan, at) => ({ plan, type: (["f32", "f64"] as const)[at % 2] as "f32" }));
test.for([...nanPlans, { plan: {}, type: "f64" as const }])(
  "a run of NaN whose bits differ is known by its first element: $type, $plan",
  async ({ type, plan }, { skip }) => {
    const isMissing =
      "algorithm" in plan && plan.algorithm === "subgroup" && !fold().device.features.has("subgroups");
    skip(isMissing, "the adapter has no subgroups");
    for (const length of [2, 700]) {
      const data = nanRuns[type](length);
      const title = `${length} of ${data.constructor.name}`;
      const [unique, runs] = [uniqueReference(data), runLengthsReference(data)];
      expectSameBits(unique, nanRuns.firstOf(data), `${title}: the reference`);
      expectSameBits(await fold().unique(data, plan), unique, `${title}: unique`);
      expectSameBits(
        await fold().unique(data, { ...plan, key: "x", keyType: undefined } as never),
        unique,
        `${title}: by a key`,
      );
      const found = await fold().runLengths(data, plan);
      expectSameBits(found.values, runs.values, `${title}: values`);
      expectSameBits(found.counts, runs.counts, `${title}: counts`);
      const ones = new Uint32Array(length).fill(1);
      const sums = await fold().reduce(ones, { ...plan, op: add, segments: { keys: data } });
      expectSameBits(sums.keys, unique, `${title}: keys of sums`);
      expectSameBits(sums.values, runs.counts, `${title}: sums`);
    }
  },
);

test("keys beside totals of 64 bytes", async () => {
  const data = maps.array(700);
  new Uint32Array(data.buffer).forEach((_, at, words) => {
    words[at] = at % 5;
  });
  const keys = nanRuns.f32(700);
  const options = { op: mapsInTurn, segments: { keys } } as const;
  const found = await fold().reduce(data, options);
  const expected = reduceReference(data, options);
  expectSameBits(found.keys, nanRuns.firstOf(keys), "keys");
  expectSameBits(expected.keys, nanRuns.firstOf(keys), "the reference's keys");
  expectSameBits(found.values, expected.values, "totals");
});

test("a key that does not compile", async () => {
  const data = Uint32Array.of(1, 2);
  for (const call of [
    () => fold().scan(data, { segments: { key: "x + nothing" } }),
    () => fold().unique(data, { key: "f32(x)" }),
  ]) {
    const cause = await call().catch((error: unknown) => error);
    expect(cause).toBeInstanceOf(SourceError);
    expect(String(cause)).toMatch(/the key, line 1/);
  }
});

test("bits between the fields of f16 count for nothing", async ({ skip }) => {
  skip(!fold().device.features.has("shader-f16"), "the adapter has no shader-f16");
  const Halved = struct({ name: "Halved", fields: { a: f16, b: vec2(f16), c: f16 } });
  const keys = Halved.array(2000);
  const words = new Uint32Array(keys.buffer);
  const next = randomBits("padding of f16");
  words.forEach((_, at) => {
    // a and c are in the lower halves of words whose upper halves are no field's.
    const run = Math.floor(at / 3 / 20);
    words[at] = at % 3 === 1 ? 0x3c003c00 : ((next() << 16) | (run % 3 === at % 3 ? 0x3c00 : 0)) >>> 0;
  });
  const data = new Uint32Array(2000).fill(1);
  const found = await fold().reduce(data, { segments: { keys } });
  const expected = reduceReference(data, { segments: { keys } });
  expect(expected.values.length).toBe(100);
  expectSameBits(found.values, expected.values, "totals");
  expectSameBits(found.keys, expected.keys, "keys");
});
