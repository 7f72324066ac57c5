import { expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import type { Scalar } from "../../src/algebra/types.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { expectSameBits } from "../support/compare.ts";
import { useFold } from "../support/fold.ts";
import { around } from "../support/lengths.ts";
import { examplesOf, testMutations } from "../support/mutations.ts";
import { exampleNumbers } from "../support/primitives.ts";
import { anyItems } from "../support/random.ts";

// What is special to compactions. All else follows from their examples: test/primitives/.

const fold = useFold();

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

test("a predicate may be a number, several lines, and end in a comment", async () => {
  expect([...(await fold().compact(Uint32Array.of(4, 7, 2, 9), { where: "x\n  & 1u" }))]).toEqual([7, 9]);
  expect([...(await fold().compact(Uint32Array.of(4, 7), { where: "x > 4u // a comment" }))]).toEqual([7]);
});

test("by a condition and flags of any array, with a map and params", async () => {
  const data = Float32Array.of(1, 5, 9, 2, 8);
  const options = {
    where: "x > limit",
    params: { limit: 1.5 },
    map: "x + f32(i)",
    flags: [0, 0.5, true, 0, 1],
  };
  expect(await fold().compact(data, options as never)).toEqual(Float32Array.of(6, 11, 12));
});

testMutations(
  fold,
  {
    kept: examplesOf("compact", {
      examples: exampleNumbers(
        "compact",
        u32,
        ({ options, operands = {} }) => "where" in options && "flags" in operands,
      ).slice(0, 1),
    }),
  },
  {
    kept: {
      "flags are not read": ["!= 0u && keep_value(", "!= 7u && keep_value("],
      "flags of the range before": ["call.flags_base + index] != 0u && k", "index] != 0u && k"],
      "either is enough": ["!= 0u && keep_value(", "!= 0u || keep_value("],
      "the condition counts from 0": [
        "keep_value(value_from_item(item), index + call.first_index);\n}",
        "keep_value(value_from_item(item), index);\n}",
      ],
    },
  },
);
