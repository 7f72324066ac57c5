import { expect, test } from "vitest";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Scalar, ScalarType } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { expectSameBits } from "../support/compare.ts";
import { algorithmNames, useFold } from "../support/fold.ts";
import { around } from "../support/lengths.ts";
import { pairs } from "../support/pairs.ts";
import { anyItems, arrayOfBits, randomBits } from "../support/random.ts";
import { smallLengths, smallTunings } from "../support/results.ts";

const fold = useFold();

const predicates: [ScalarType, string, (value: Scalar, index: number) => boolean][] = [
  [u32, "x % 3u == 1u", (value) => Number(value) % 3 === 1],
  [u32, "i % 2u == 0u", (_, index) => index % 2 === 0],
  [f32, "x > 0.5f // a comment", (value) => value > 0.5],
  [f16, "x > 0.5h", (value) => value > 0.5],
  [u64, "less_u64(vec2(7u, 1u), x) || i == 1u", (value, index) => value > 0x1_0000_0007n || index === 1],
  [f64, "less_f64(f64_from_i32(-1), x)", (value) => value > -1],
];

// Tiles of 192 items, of which there are several groups of a look-back; and more items of a thread than a word has bits.
const voted = [
  { type: u32, workGroupSize: 16, itemsPerThread: 12, tiles: 34, indices: false },
  { type: f64, workGroupSize: 64, itemsPerThread: 33, tiles: 3, indices: false },
] as const;
test.each(voted)(
  "$type.name, by the votes of subgroups on $itemsPerThread items of a thread, indices: $indices",
  async ({ type: { name }, workGroupSize, itemsPerThread, tiles, indices }) => {
    const sizes = { algorithm: "subgroup", passes: "single", workGroupSize, itemsPerThread } as const;
    const tile = workGroupSize * itemsPerThread;
    for (const length of [1, ...around(tile), tiles * tile + 5]) {
      const data = anyItems(name, length, `votes ${length}`);
      const options = { ...sizes, where: "i % 3u != 1u && i != 70u" };
      const keep = (_: Scalar, index: number): boolean => index % 3 !== 1 && index !== 70;
      const found = await fold().compact(data, { ...options, indices } as never);
      expectSameBits(found, compactReference(data, keep, { indices } as never), `${length}`);
    }
  },
);

const sizes = smallTunings.map(({ most: _, ...tuning }) => tuning);
const ways = { algorithm: algorithmNames, tuning: sizes, indices: [false, true] } as const;
test.for(pairs({ predicate: predicates, ...ways }))(
  "$predicate.1, $algorithm, $tuning.passes, indices: $indices: at every edge",
  async ({ predicate: [type, where, keep], algorithm, tuning, indices }, { skip }) => {
    const { name } = type;
    skip(name === f16.name && !fold().device.features.has("shader-f16"), "the adapter has no shader-f16");
    for (const length of smallLengths[tuning.passes]) {
      const data = anyItems(name, length, `${where} ${length}`);
      const options = { type, where, indices, algorithm, ...tuning } as never;
      const found = await fold().compact(data, options);
      expectSameBits(found, compactReference(data, keep, { type, indices } as never), `${length}`);
    }
  },
);

test.for(pairs(ways))(
  "by flags, none and all too: $algorithm, $tuning.passes, indices: $indices",
  async ({ algorithm, tuning, indices }) => {
    for (const [at, length] of smallLengths[tuning.passes].entries()) {
      const next = randomBits(`flags ${length}`);
      const data = anyItems("f32", length, `${length}`) as Float32Array;
      for (const share of at % 5 === 0 || length > 1000 ? [0, 1, 3, 4] : [[1, 3][at % 2] as number]) {
        const flags = Array.from({ length }, () => next() % 4 < share);
        const keep = (_: Scalar, index: number): boolean => flags[index] ?? false;
        const options = { type: f32, flags, indices, algorithm, ...tuning } as never;
        const found = await fold().compact(data, options);
        expectSameBits(found, compactReference(data, keep, { indices } as never), `${length} ${share}`);
      }
    }
  },
);

test.each(algorithmNames)("%s with the sizes that are chosen", async (algorithm) => {
  const data = anyItems("u32", 2500, "default") as Uint32Array;
  const options = { type: u32, algorithm, where: "x % 3u == 1u" } as const;
  const expected = compactReference(data, (x) => x % 3 === 1);
  expectSameBits(await fold().compact(data, options), expected, algorithm);
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
