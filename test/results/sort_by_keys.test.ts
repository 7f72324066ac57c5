import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { TypeName } from "../../src/algebra/types.ts";
import type { Fold } from "../../src/node.ts";
import { openFold } from "../../src/node.ts";
import { argSortReference, sortReference } from "../../src/reference/sort.ts";
import { destroyAll, GUARD, guarded, storageBuffer, submitted } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useFold } from "../support/fold.ts";
import { testMutations } from "../support/mutations.ts";
import { pairs } from "../support/pairs.ts";
import { gathered, kinds } from "../support/sorted_arrays.ts";
import { lacks } from "../support/sorts.ts";

// Sorts by several keys: some have 64 bits together, and some have not.

const fold = useFold();
const sizes = { workGroupSize: 32, itemsPerThread: 3 } as const;

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

/** Types and lengths take turns: neither interacts with the other axes, and each type is there twice. */
const lists = [
  ["u32", "f32"],
  ["f16", "i32"],
  ["i32", "f16"],
  ["f16", "f16"],
  ["f64", "u32"],
  ["u32", "i64"],
  ["f32", "u32", "i32"],
  ["u32", "f64", "u64", "i32"],
  ["i32", "f32", "u32", "u32"],
] as const satisfies readonly (readonly TypeName[])[];
const table = pairs({
  descending: [false, true, "each"] as const,
  segments: ["none", "rows", "offsets"] as const,
  length: [1, 97, 300, 0],
}).map((row, turn) => ({ ...row, types: lists[turn % lists.length] as readonly TypeName[] }));

test.for(table)(
  "$types, $length items, descending: $descending, segments: $segments",
  async (row, { skip }) => {
    const { types, length } = row;
    skip(
      types.some((type) => lacks(fold(), elementTypes[type])),
      "the adapter lacks a type",
    );
    const keys = keysFor(types, length, `${types} ${length}`);
    const descending = row.descending === "each" ? types.map((_, at) => at % 2 === 1) : row.descending;
    const segments = {
      none: {},
      rows: { segments: { rows: Math.max(1, length % 2 === 0 ? length / 2 : length) } },
      offsets: { segments: { offsets: [0, Math.min(1, length), Math.min(1, length), length] } },
    }[row.segments];
    // The types of f16 bits are known on the GPU.
    const arrays = await Promise.all(
      keys.map((one, at) =>
        fold().upload(one as Uint32Array, { type: elementTypes[types[at] as TypeName] as never }),
      ),
    );
    const floats = keys.map((one) =>
      one instanceof Uint16Array ? asFloats(one) : one,
    ) as readonly AnyArray[] as typeof keys;
    const positions = argSortReference(floats, { descending, ...segments });
    const { offsets } = (segments as { readonly segments?: { readonly offsets?: number[] } }).segments ?? {};
    const there = offsets && (await fold().upload(Uint32Array.from(offsets)));
    const options = { descending, ...segments, ...(there && { segments: { offsets: there } }), ...sizes };
    const found = await fold().argSort(arrays as never, options as never);
    expectSameBits(
      (await (found as { read(): Promise<AnyArray> }).read()) as Uint32Array,
      positions,
      "positions",
    );
    destroyAll(...arrays, there);
  },
);

/** The numbers of f16 bits. All of them here are subnormal. */
const asFloats = (bits: Uint16Array): Float32Array => Float32Array.from(bits, (word) => word * 2 ** -24);

test("lists come back in order, with values, on the GPU and the CPU", async () => {
  const cpu = await openFold({ cpu: "always" });
  const keys = [
    kinds.few("u32", 500, "cities") as Uint32Array,
    kinds.any("f32", 500, "ages") as Float32Array,
  ] as const;
  const values = BigUint64Array.from(keys[0], (_, at) => BigInt(at));
  const options = { descending: [false, true] };
  const positions = argSortReference(keys, options);
  for (const one of [fold(), cpu]) {
    const { keys: sorted, values: moved } = await one.sort(keys, { ...options, values });
    for (const [at, array] of sorted.entries()) {
      expectSameBits(array as Uint32Array, gathered(keys[at] as Uint32Array, positions), `key ${at}`);
    }
    expectSameBits(moved, gathered(values, positions), "values");
    const [cities, ages] = await one.sort([...keys], options);
    expectSameBits(cities as Uint32Array, sorted[0], "cities alone");
    expectSameBits(ages as Float32Array, sorted[1], "ages alone");
    expectSameBits(
      await one.argSort(keys, { ...options, into: new Uint32Array(500) }),
      positions,
      "positions",
    );
  }
  expect(sortReference(keys, options)).toEqual(keys.map((one) => gathered(one as Uint32Array, positions)));
  cpu.destroy();
});

describe("recorded", () => {
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
});

/** Positions by three keys, of which two have 64 bits together, from a first index: with the length on the GPU, and without. */
async function* byThree(given: Fold): AsyncGenerator<readonly [found: unknown, expected: unknown]> {
  const { device } = given;
  const length = 300;
  const keys = keysFor(["f32", "u32", "i32"], length, "three") as readonly [
    Float32Array,
    Uint32Array,
    Int32Array,
  ];
  const descending = [true, false, true];
  const expected = argSortReference(keys, { descending }).map((position) => position + 7);
  for (const lengthOnGpu of [false, true]) {
    const sort = await given.prepareSort({
      type: f32,
      thenBy: [u32, i32],
      descending,
      indices: true,
      lengthOnGpu,
      maxLength: length,
      ...sizes,
    });
    const buffers = keys.map((one) =>
      storageBuffer(device, guarded(new Uint32Array(one.buffer as ArrayBuffer), 5, 0)),
    );
    const [input, ...thenBy] = buffers.map((buffer) => ({ buffer, offset: 20 }));
    const output = storageBuffer(device, new Uint32Array(length + 3).fill(GUARD));
    const counted = storageBuffer(device, Uint32Array.of(length));
    const [found] = await submitted(
      device,
      (encoder) =>
        sort.record(encoder, {
          input: input as GPUBuffer | { buffer: GPUBuffer },
          thenBy,
          output,
          length: lengthOnGpu ? counted : length,
          firstIndex: 7,
        }),
      [output],
    );
    yield [found, Uint32Array.of(...expected, GUARD, GUARD, GUARD)];
    sort.destroy();
  }
}

testMutations(
  fold,
  { three: byThree },
  {
    three: {
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
