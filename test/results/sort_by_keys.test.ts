import { expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { TypeName } from "../../src/algebra/types.ts";
import { argSortReference } from "../../src/reference/sort.ts";
import { destroyAll, guarded, storageBuffer, submitted } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useFold } from "../support/fold.ts";
import { examplesOf, testMutations } from "../support/mutations.ts";
import { gathered, kinds } from "../support/sorted_arrays.ts";
import { lacks } from "../support/sorts.ts";

// Sorts by several keys: some have 64 bits together, and some have not.

const fold = useFold();
const sizes = { workGroupSize: 32, itemsPerThread: 3 } as const;

// At hand, only the first key may be f16.
test.for([f16, i32])("$name, and then f16, in segments between offsets", async (type, { skip }) => {
  skip(lacks(fold(), f16), "the adapter has no shader-f16");
  const [first, then] = [kinds.few(type.name, 300, "first"), kinds.few("f16", 300, "then") as Uint16Array];
  // All of these f16 are subnormal.
  const asFloats = (keys: AnyArray) =>
    keys instanceof Uint16Array ? Float32Array.from(keys, (bits) => bits * 2 ** -24) : keys;
  const descending = [false, true];
  const offsets = Uint32Array.of(0, 1, 1, 300);
  const expected = argSortReference([asFloats(first), asFloats(then)], { descending, segments: { offsets } });
  const arrays = [
    await fold().upload(first as Uint32Array, { type: type as never }),
    await fold().upload(then, { type: f16 }),
  ] as const;
  const there = await fold().upload(offsets);
  const found = await fold().argSort(arrays, { descending, segments: { offsets: there }, ...sizes });
  expectSameBits(await found.read(), expected, "positions");
  destroyAll(...arrays, there, found);
});

/** Keys of which many are equal, but for the last. Floats have NaN of several kinds, infinities, and zeros of both signs. */
function keysFor(
  types: readonly TypeName[],
  length: number,
  name: string,
): readonly [AnyArray, ...AnyArray[]] {
  const made = types.map((type, at) => {
    const data = kinds.few(type, length, `${name} ${at}`);
    if (type === "f32") {
      const words = new Uint32Array(data.buffer as ArrayBuffer);
      const some = [0x7fc00000, 0xffc00001, 0x80000000, 0, 0x7f800000, 0xff800000];
      words.set(words.map((word, place) => some[(word + place) % 6] as number));
    }
    return data;
  });
  return made as [AnyArray, ...AnyArray[]];
}

test.each([true, false])("ranges anywhere, apart: %s", async (apart) => {
  const { device } = fold();
  const plan = {
    type: u32,
    thenBy: [i32, u32],
    descending: [true, false, true],
    maxLength: 400,
    ...sizes,
  } as const;
  const sort = await fold().prepareSort(plan);
  for (const length of [400, 0, 1, 257]) {
    const keys = keysFor(["u32", "i32", "u32"], length, `recorded ${length}`) as readonly [
      Uint32Array,
      Int32Array,
      Uint32Array,
    ];
    const positions = argSortReference(keys, { descending: plan.descending });
    const given = keys.map((one, at) =>
      storageBuffer(device, guarded(new Uint32Array(one.buffer as ArrayBuffer), 3 + at, 2)),
    ) as [GPUBuffer, ...GPUBuffer[]];
    const made = apart
      ? keys.map((_, at) => storageBuffer(device, guarded(new Uint32Array(length), 3 + at, 2)))
      : given;
    const rangeOf = (at: number, all: readonly GPUBuffer[]) => ({
      buffer: all[at] as GPUBuffer,
      offset: 4 * (3 + at),
    });
    const found = await submitted(
      device,
      (encoder) =>
        sort.record(encoder, {
          input: rangeOf(0, given),
          thenBy: [1, 2].map((at) => rangeOf(at, given)),
          output: rangeOf(0, made),
          thenOutput: [1, 2].map((at) => rangeOf(at, made)),
          length,
        }),
      made,
    );
    for (const [at, key] of keys.entries()) {
      const words = new Uint32Array(key.buffer as ArrayBuffer);
      expectSameBits(
        found[at] as Uint32Array,
        guarded(gathered(words, positions), 3 + at, 2),
        `${length}: key ${at}`,
      );
    }
  }
  sort.destroy();
});

test("a list of the wrong length, and ranges that overlap", async () => {
  const { device } = fold();
  const sort = await fold().prepareSort({ type: u32, thenBy: [f32], indices: true, maxLength: 4 });
  const buffer = storageBuffer(device, new Uint32Array(16));
  const [thenBy, output] = [{ buffer, offset: 16 }, storageBuffer(device, new Uint32Array(4))];
  const record = (changes: object) => () =>
    sort.record(device.createCommandEncoder(), {
      input: buffer,
      thenBy: [thenBy],
      output,
      length: 4,
      ...changes,
    });
  expect(record({})).not.toThrow();
  expect(record({ thenBy })).toThrow(/^sort<u32, f32>: thenBy is no list of 1 ranges/);
  expect(record({ thenBy: [thenBy, thenBy] })).toThrow(/thenBy is no list of 1 ranges/);
  expect(record({ output: thenBy })).toThrow(/thenBy\[0\] .* and output .* overlap/);
  expect(record({ thenOutput: [output] })).toThrow(/takes no option thenOutput/);
  sort.destroy();
});

testMutations(
  fold,
  { keys: examplesOf("argSort", { examples: [7, 8] }) },
  {
    keys: {
      "positions count from 0": [
        "reordered[index] = position + call.first_index;",
        "reordered[index] = position;",
      ],
      "the first key is taken in the order of the data": [
        "joined_key(position_at(index))",
        "joined_key(index + 0u * position_at(index))",
      ],
      "the second key is taken from the start of its binding": [
        "values[call.values_base + position]",
        "values[position]",
      ],
      "the less important key is in the high word": [
        "return vec2<u32>(later, first);",
        "return vec2<u32>(first, later);",
      ],
    },
  },
);
