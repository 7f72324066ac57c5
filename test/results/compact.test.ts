import { expect, test } from "vitest";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { Scalar, ScalarType } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import type { Algorithm } from "../../src/kernels/algorithms.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { expectSameBits } from "../support/compare.ts";
import { algorithmNames, useFold } from "../support/fold.ts";
import { around, edgeLengths } from "../support/lengths.ts";
import { anyItems, arrayOfBits, randomBits } from "../support/random.ts";
import { smallTunings } from "../support/results.ts";

const fold = useFold();

const predicates: [ScalarType, string, (value: Scalar, index: number) => boolean][] = [
  [u32, "x % 3u == 1u", (value) => Number(value) % 3 === 1],
  [u32, "i % 2u == 0u", (_, index) => index % 2 === 0],
  [i32, "x < 0", (value) => value < 0],
  [f32, "x > 0.5f // a comment", (value) => value > 0.5],
  [f16, "x > 0.5h", (value) => value > 0.5],
  [u64, "less_u64(vec2(7u, 1u), x)", (value) => value > 0x1_0000_0007n],
  [i64, "less_i64(x, vec2(0u)) || i == 1u", (value, index) => value < 0n || index === 1],
  [f64, "less_f64(f64_from_i32(-1), x)", (value) => value > -1],
];

const voted = [u32, f64];
test.each(voted)("$name, by the votes of subgroups on 12 and 33 items of a thread", async ({ name }) => {
  for (const itemsPerThread of [12, 33]) {
    const sizes = { algorithm: "subgroup", passes: "single", workGroupSize: 64, itemsPerThread } as const;
    const tile = 64 * itemsPerThread;
    for (const length of [1, ...around(tile), ...around(3 * tile), 70 * tile + 5]) {
      const data = anyItems(name, length, `votes ${length}`);
      const options = { ...sizes, where: "i % 3u != 1u && i != 70u" };
      const keep = (_: Scalar, index: number): boolean => index % 3 !== 1 && index !== 70;
      const title = `${length}, ${itemsPerThread} items`;
      expectSameBits(await fold().compact(data, options), compactReference(data, keep), title);
      const indices = compactReference(data, keep, { indices: true });
      expectSameBits(await fold().compact(data, { ...options, indices: true }), indices, `indices, ${title}`);
    }
  }
});

/** The lengths for each of the small tunings. */
const sweepsOf = (algorithm: Algorithm) =>
  smallTunings.map(({ most, ...sizes }) => ({
    tuning: { algorithm, ...sizes } as const,
    lengths: edgeLengths(sizes.workGroupSize, sizes.itemsPerThread).filter((length) => length <= most),
  }));

const ofPredicates = algorithmNames.flatMap((algorithm) =>
  predicates.map(([type, where, keep], at) => ({ algorithm, name: type.name, where, type, keep, at })),
);
test.for(ofPredicates)(
  "$algorithm, $name where $where: items and positions at every edge",
  async ({ algorithm, name, where, type, keep, at }, { skip }) => {
    skip(name === f16.name && !fold().device.features.has("shader-f16"), "the adapter has no shader-f16");
    // The first two predicates take either kind of passes, the others one, in turn.
    for (const { tuning, lengths } of sweepsOf(algorithm).filter((_, turn) => at < 2 || at % 2 === turn)) {
      for (const length of lengths) {
        const title = `${length} ${tuning.passes}`;
        const data = anyItems(name, length, `${where} ${length}`);
        expectSameBits(
          await fold().compact(data, { type, where, ...tuning }),
          compactReference(data, keep, { type }),
          title,
        );
        expectSameBits(
          await fold().compact(data, { type, where, indices: true, ...tuning }),
          compactReference(data, keep, { type, indices: true }),
          `${title} indices`,
        );
      }
    }
  },
);

test.each(algorithmNames.flatMap(sweepsOf))(
  "$tuning.algorithm, by flags, none and all too: $tuning.passes",
  async ({ tuning, lengths }) => {
    for (const length of lengths) {
      const next = randomBits(`flags ${length}`);
      const data = anyItems("f32", length, `${length}`) as Float32Array;
      for (const share of [0, 1, 3, 4]) {
        const flags = Array.from({ length }, () => next() % 4 < share);
        const keep = (_: Scalar, index: number): boolean => flags[index] ?? false;
        const options = { type: f32, flags, ...tuning };
        expectSameBits(
          await fold().compact(data, options),
          compactReference(data, keep),
          `${length} ${share}`,
        );
        expectSameBits(
          await fold().compact(data, { ...options, indices: true }),
          compactReference(data, keep, { indices: true }),
          `${length} ${share} indices`,
        );
      }
    }
  },
);

test.each(algorithmNames)("%s with the default tuning", async (algorithm) => {
  for (const length of [...around(1024), 5000]) {
    const data = anyItems("u32", length, `default ${length}`) as Uint32Array;
    const options = { type: u32, algorithm, where: "x % 3u == 1u" } as const;
    expectSameBits(
      await fold().compact(data, options),
      compactReference(data, (x) => x % 3 === 1),
      `${length}`,
    );
  }
});

test("a NaN keeps its payload", async () => {
  const data = arrayOfBits("f32", [0x7fc12345, 0x3f800000, 0xff800001, 0x7fffffff, 1]) as Float32Array;
  expectSameBits(await fold().compact(data, { where: "true" }), data, "all");
  expectSameBits(
    await fold().compact(data, { flags: [1, 0, 2, 0.5, 0] }),
    arrayOfBits("f32", [0x7fc12345, 0xff800001, 0x7fffffff]),
    "flags",
  );
  expect(await fold().compact(data, { where: "false" })).toHaveLength(0);
});

test("a predicate may be a number, and several lines", async () => {
  expect([...(await fold().compact(Uint32Array.of(4, 7, 2, 9), { where: "x\n  & 1u" }))]).toEqual([7, 9]);
});
