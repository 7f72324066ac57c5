import { describe, expect, test } from "vitest";
import { sort as nvidiaSort } from "../../src/adapters/nvidia.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, ScalarType, TypeName } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { ArgumentError, LimitError, SourceError } from "../../src/errors.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import type { Kernel } from "../../src/kernels/kernel.ts";
import type { SortFault } from "../../src/kernels/sort.ts";
import { sortFaults } from "../../src/kernels/sort.ts";
import { methodsWithSubgroups } from "../../src/plan/methods_with_subgroups.ts";
import type { TuningOptions } from "../../src/plan/options.ts";
import type { SortTesting } from "../../src/plan/sort.ts";
import { planSort } from "../../src/plan/sort.ts";
import type { ReferenceSort } from "../../src/reference/sort.ts";
import { argSortReference, sortReference } from "../../src/reference/sort.ts";
import { readWords, storageBuffer, submitted } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { planAs, useFold } from "../support/fold.ts";
import { factsWith } from "../support/kernels.ts";
import { around } from "../support/lengths.ts";
import { arriveInOrder, keepsKeys, keepsRanks, plant } from "../support/plant.ts";
import { anyItems, randomItems } from "../support/random.ts";
import { expectSortedAnywhere, gathered, kinds } from "../support/sorted_arrays.ts";

const fold = useFold();

const Particle = struct({ name: "Particle", fields: { id: u32, depth: f32, weight: f32 } });
const particle = Particle as unknown as ElementType;

const missing = ({ feature }: ElementType): boolean =>
  feature !== undefined && !fold().device.features.has(feature);
const names = Object.keys(elementTypes) as TypeName[];

/** How tiles are ranked, and how their places are found. */
const ways: readonly (TuningOptions & { readonly name: string })[] = [
  { name: "votes, look-back", algorithm: "subgroup", passes: "single" },
  { name: "votes, counts", algorithm: "subgroup", passes: "reduce-then-scan" },
  { name: "counters, look-back", algorithm: "blelloch", passes: "single" },
  { name: "counters, counts", algorithm: "hillis-steele", passes: "reduce-then-scan" },
];
// One plan is for all lengths up to 1024, so that kernels are compiled once.
const sizes = { workGroupSize: 64, itemsPerThread: 3 };
const TILE = 192;
const lengths = [0, 1, 2, 63, ...around(TILE), ...around(2 * TILE), 5 * TILE + 21];

const cases = ways.flatMap((way) => names.map((type) => ({ ...way, way: way.name, type })));

test.for(cases)("$way, $type: elements, positions and values at every edge", async (one, { skip }) => {
  const { way: _, name: __, type: name, ...tuning } = one;
  const type = elementTypes[name];
  skip(missing(type), `the adapter has no ${type.feature}`);
  const kindNames = Object.keys(kinds) as (keyof typeof kinds)[];
  const descending = (names.indexOf(name) + ways.findIndex(({ name }) => name === one.way)) % 2 === 1;
  const options = { type: type as never, descending, ...tuning, ...sizes };
  for (const [turn, length] of lengths.entries()) {
    for (const kind of ["any", kindNames[turn % kindNames.length] as keyof typeof kinds] as const) {
      const data = kinds[kind](name, length, `${name} ${length}`) as Uint32Array;
      const title = `${length}, ${kind}${descending ? ", descending" : ""}`;
      const positions = argSortReference(data, { type: type as never, descending });
      expectSameBits(await fold().argSort(data, options), positions, `${title}: positions`);
      const values = Uint32Array.from(data, (_, at) => at * 3);
      const sorted = await fold().sort(data, { ...options, values });
      expectSameBits(sorted.keys, gathered(data, positions), `${title}: keys`);
      expectSameBits(sorted.values, gathered(values, positions), `${title}: values`);
    }
  }
});

test.for(names)("%s: what the plan chooses, for data of one tile and of more", async (name, { skip }) => {
  const type = elementTypes[name];
  skip(missing(type), `the adapter has no ${type.feature}`);
  for (const length of [0, 1, 700, 1024, 1025, 20_000]) {
    const data = anyItems(name, length, `${name} ${length}`) as Uint32Array;
    const options = { type: type as never, descending: length % 2 === 1 };
    expectSameBits(await fold().sort(data, options), sortReference(data, options), `${length}`);
  }
});

describe("values", () => {
  const valueTypes: readonly ElementType[] = [u32, i32, f32, u64, f64, particle];
  test.for(valueTypes.map((type) => [type.name, type] as const))(
    "of %s move with their keys",
    async ([, type]) => {
      for (const length of [0, 1, 300, 1000]) {
        const data = kinds.few("u32", length, `${length}`) as Uint32Array;
        const values = randomItems(type, length, `values ${length}`);
        const { keys, values: moved } = await fold().sort(data, { values });
        const positions = argSortReference(data);
        expectSameBits(keys, gathered(data, positions), `${length}: keys`);
        expectSameBits(moved, gathered(values, positions), `${length}: values`);
      }
    },
  );

  test("several arrays move together, and each comes back as an array of its kind", async () => {
    const data = kinds.few("f32", 2000, "several") as Float32Array;
    const values = [
      Float64Array.from(data, (_, at) => at / 3),
      randomItems(particle, 2000, "particles"),
      Uint32Array.from(data, (_, at) => at),
    ] as const;
    const sorted = await fold().sort(data, { values, descending: true });
    const positions = argSortReference(data, { descending: true });
    expectSameBits(sorted.keys, gathered(data, positions), "keys");
    expect(sorted.values).toHaveLength(3);
    for (const [at, one] of values.entries()) {
      expectSameBits(sorted.values[at] as AnyArray, gathered(one as AnyArray, positions), `values ${at}`);
    }
  });
});

describe("keys", () => {
  const byKey: readonly (readonly [
    key: string,
    keyType: ScalarType | undefined,
    of: (x: never) => number,
  ])[] = [
    ["x.depth", undefined, (x: { depth: number }) => x.depth],
    [" x . id ", undefined, (x: { id: number }) => x.id],
    ["x.id % 7u", u32, (x: { id: number }) => x.id % 7],
    ["let y = i32(x.id % 9u); return 4 - y;", i32, (x: { id: number }) => 4 - (x.id % 9)],
    [
      "vec2<u32>(x.id % 3u, x.id % 5u)",
      u64,
      (x: { id: number }) => Number((BigInt(x.id % 5) << 32n) | BigInt(x.id % 3)),
    ],
  ];
  test.for(byKey)("structs are sorted by %s", async ([key, keyType, of]) => {
    for (const length of [1, 500, 1000]) {
      const data = randomItems(particle, length, key);
      const own = keyType ?? (key.includes("depth") ? f32 : u32);
      const asKey = own.bytes === 8 ? (x: never) => BigInt(of(x)) : of;
      const expected = argSortReference(data, { key: asKey as never, keyType: own });
      const options = { key, ...(keyType && { keyType }) };
      expectSameBits(await fold().sort(data, options), gathered(data, expected), `${length}`);
      expectSameBits(await fold().argSort(data, options), expected, `${length}: positions`);
      const values = Uint32Array.from({ length }, (_, at) => at);
      const sorted = await fold().sort(data, { ...options, values, descending: true });
      const down = argSortReference(data, { key: asKey as never, keyType: own, descending: true });
      expectSameBits(sorted.values, down, `${length}: values`);
      expectSameBits(sorted.keys, gathered(data, down), `${length}: descending`);
    }
  });

  test("scalars are sorted by an expression, of their own type or another", async () => {
    const data = anyItems("u32", 3000, "expression") as Uint32Array;
    const own: ReferenceSort<Uint32Array> = { key: (x) => x % 10 };
    expectSameBits(await fold().sort(data, { key: "x % 10u" }), sortReference(data, own), "own type");
    const other: ReferenceSort<Uint32Array> = { key: (x) => -(x % 1000), keyType: f32 };
    expectSameBits(
      await fold().sort(data, { key: "-f32(x % 1000u)", keyType: f32 }),
      sortReference(data, other),
      "f32",
    );
  });

  test("the bits of a float's key are in the order of its numbers", async () => {
    const data = Float32Array.of(
      1,
      Number.NaN,
      -0,
      Number.POSITIVE_INFINITY,
      0,
      -1,
      Number.NEGATIVE_INFINITY,
      -Number.NaN,
    );
    const sorted = await fold().sort(data);
    expect([...sorted]).toEqual([
      Number.NEGATIVE_INFINITY,
      -1,
      -0,
      0,
      1,
      Number.POSITIVE_INFINITY,
      Number.NaN,
      Number.NaN,
    ]);
    // NaNs are equal, so they keep their order.
    expect([...(await fold().argSort(data))]).toEqual([6, 5, 2, 4, 0, 3, 1, 7]);
    expect([...(await fold().argSort(data, { descending: true }))]).toEqual([1, 7, 3, 0, 4, 2, 5, 6]);
  });
});

describe("bits", () => {
  const ranges: readonly (readonly [name: TypeName, from: number, to: number])[] = [
    ["u32", 0, 8],
    ["u32", 0, 1],
    ["u32", 31, 32],
    ["u32", 3, 14],
    ["u32", 0, 16],
    ["i32", 16, 32],
    ["f32", 20, 32],
    ["u64", 0, 9],
    ["u64", 28, 37],
    ["u64", 32, 64],
    ["f64", 40, 61],
    ["f16", 4, 12],
  ];
  const each = ways.flatMap((way) =>
    ranges.map(([name, from, to]) => ({ way, named: way.name, name, from, to })),
  );
  test.for(each)("$name from $from to $to, $named", async ({ way, name, from, to }, { skip }) => {
    const type = elementTypes[name];
    skip(missing(type), `the adapter has no ${type.feature}`);
    const { name: _, ...tuning } = way;
    const data = anyItems(name, 1000, `${name} ${from}`) as Uint32Array;
    const options = { type: type as never, bits: [from, to] as const, descending: from % 2 === 1 };
    expectSameBits(
      await fold().argSort(data, { ...options, ...tuning, ...sizes }),
      argSortReference(data, options),
      "positions",
    );
  });
});

describe("recorded", () => {
  const placed = ways.flatMap((way) => [3, 16, 32].map((bits) => ({ way, named: way.name, bits })));
  test.for(placed)(
    "$named, $bits bits: ranges that start anywhere, and nothing else is written",
    async ({ way, bits }) => {
      const { device } = fold();
      const { name: _, ...tuning } = way;
      const sort = await fold().prepareSort({
        type: u32,
        values: u32,
        bits: [0, bits],
        maxLength: 1500,
        ...tuning,
        ...sizes,
      });
      for (const [length, apart] of [
        [1500, true],
        [257, true],
        [1500, false],
        [300, false],
      ] as const) {
        const data = anyItems("u32", length, `${length}`) as Uint32Array;
        const positions = argSortReference(data, { bits: [0, bits] });
        await expectSortedAnywhere(device, sort, data, positions, apart);
      }
      sort.destroy();
    },
  );

  test("several values, structs by a key, and in place, from one recording", async () => {
    const { device } = fold();
    const length = 1200;
    const particles = randomItems(particle, length, "recorded");
    const positions = argSortReference(particles, {
      key: ((x: { depth: number }) => x.depth) as never,
      keyType: f32,
    });
    const wide = Float64Array.from({ length }, (_, at) => at / 7);
    const sort = await fold().prepareSort({
      type: particle,
      key: "x.depth",
      values: [f64, u32],
      maxLength: length,
    });
    const [items, values, more] = [particles, wide, positions].map((one) =>
      storageBuffer(device, new Uint32Array(one.buffer as ArrayBuffer)),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer];
    const room = storageBuffer(device, new Uint32Array(length));
    const [sorted, moved, others] = (await submitted(
      fold().device,
      (encoder) =>
        sort.record(encoder, {
          input: items,
          output: items,
          values: [values, more],
          reordered: [values, room],
          length,
        }),
      [items, values, room],
    )) as [Uint32Array, Uint32Array, Uint32Array];
    expectSameBits(sorted, new Uint32Array(gathered(particles, positions).buffer as ArrayBuffer), "structs");
    expectSameBits(moved, new Uint32Array(gathered(wide, positions).buffer), "f64");
    expectSameBits(others, gathered(positions, positions), "u32");
    sort.destroy();
  });

  test("a length on the GPU, of any number of items", async () => {
    const { device } = fold();
    const most = 1000;
    const data = anyItems("f32", most, "length") as Float32Array;
    for (const values of [undefined, particle] as const) {
      const sort = await fold().prepareSort({
        type: f32,
        ...(values && { values }),
        maxLength: most,
        lengthOnGpu: true,
        ...sizes,
      });
      for (const length of [0, 1, 255, 257, 1000, 5000]) {
        const input = storageBuffer(device, new Uint32Array(data.buffer));
        const output = storageBuffer(device, new Uint32Array(most).fill(7));
        const given = storageBuffer(
          device,
          Uint32Array.from({ length: 3 * most }, (_, at) => at),
        );
        const reordered = storageBuffer(device, new Uint32Array(3 * most).fill(7));
        const count = storageBuffer(device, Uint32Array.of(length));
        const [words] = (await submitted(
          fold().device,
          (encoder) =>
            sort.record(encoder, {
              input,
              output,
              length: count,
              ...(values && { values: given, reordered }),
            }),
          [output],
        )) as [Uint32Array];
        const items = Math.min(length, most);
        const expected = new Uint32Array(most).fill(7);
        expected.set(new Uint32Array(sortReference(data.slice(0, items)).buffer));
        expectSameBits(words, expected, `${length} of ${values?.name}`);
      }
      sort.destroy();
    }
  });

  test("positions count from firstIndex", async () => {
    const { device } = fold();
    const data = Uint32Array.of(9, 4, 7);
    const sort = await fold().prepareSort({ type: u32, indices: true, maxLength: 3 });
    const [input, output] = [storageBuffer(device, data), storageBuffer(device, new Uint32Array(3))];
    const [words] = await submitted(
      fold().device,
      (encoder) => sort.record(encoder, { input, output, length: 3, firstIndex: 10 }),
      [output],
    );
    expect([...(words as Uint32Array)]).toEqual([11, 12, 10]);
    sort.destroy();
    // What moves by positions does not go by these.
    const moving = await fold().prepareSort({ type: u32, values: [u32, u32], maxLength: 3 });
    const [first, second, ...rooms] = [data, data, new Uint32Array(3), new Uint32Array(3)].map((one) =>
      storageBuffer(device, one),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
    const [moved] = await submitted(
      fold().device,
      (encoder) =>
        moving.record(encoder, {
          input,
          output,
          values: [first, second],
          reordered: rooms,
          length: 3,
          firstIndex: 10,
        }),
      [rooms[1]],
    );
    expect([...(moved as Uint32Array)]).toEqual([4, 7, 9]);
    moving.destroy();
  });

  test("many runs of one recording, of several lengths, all come out right", async () => {
    const { device } = fold();
    const sort = await fold().prepareSort({
      type: u32,
      bits: [0, 24],
      passes: "single",
      maxLength: 1500,
      ...sizes,
    });
    for (let run = 0; run < 20; run++) {
      const length = [1500, 300, 1100, 1][run % 4] as number;
      const data = anyItems("u32", length, `run ${run}`) as Uint32Array;
      const [input, output] = [storageBuffer(device, data), storageBuffer(device, new Uint32Array(length))];
      const [words] = await submitted(
        fold().device,
        (encoder) => sort.record(encoder, { input, output, length }),
        [output],
      );
      expectSameBits(words as Uint32Array, sortReference(data, { bits: [0, 24] }), `run ${run}`);
    }
    sort.destroy();
  });
});

describe("faults in the look-back", () => {
  const faults = sortFaults.flatMap((fault) =>
    [1, 3].flatMap((share) => [false, true].map((tickets) => ({ fault, share, tickets }))),
  );
  test.for(faults)("$fault, every $share. tile, tickets: $tickets", async (testing) => {
    const { device } = fold();
    const context = contextOf(device);
    const length = 5 * TILE + 5;
    const data = kinds.few("u32", length, testing.fault) as Uint32Array;
    const more: SortTesting = { ...testing, patience: 3 };
    const plan = planSort(
      { type: u32, bits: [0, 16], passes: "single", maxLength: length, ...sizes },
      context.facts,
      methodsWithSubgroups,
      "positions",
      undefined,
      more,
    );
    const sort = await prepare(context, plan);
    for (let run = 0; run < 2; run++) {
      const [input, output, reordered] = [data, new Uint32Array(length), new Uint32Array(length)].map(
        (words) => storageBuffer(device, words),
      ) as [GPUBuffer, GPUBuffer, GPUBuffer];
      const encoder = device.createCommandEncoder();
      sort.record(encoder, { input, output, reordered, length });
      device.queue.submit([encoder.finish()]);
      expectSameBits(await readWords(device, reordered), argSortReference(data), `run ${run}`);
      expectSameBits(await readWords(device, output), sortReference(data), `run ${run}: keys`);
    }
    sort.destroy();
  });
});

/** Records a sort of data of some length, with values if a type of values is given, and compares keys and values. */
async function expectSorted(
  sort: Prepared,
  one: {
    readonly name: TypeName;
    readonly length: number;
    readonly descending: boolean;
    readonly moved: ScalarType | undefined;
    readonly bits?: readonly [number, number] | undefined;
  },
): Promise<void> {
  const { device } = fold();
  const { name, length, descending, moved, bits } = one;
  const type = elementTypes[name] as ElementType;
  const data = kinds[length % 2 === 0 ? "few" : "any"](name, length, `${name} ${length}`) as Uint32Array;
  const positions = argSortReference(data, { type: type as never, descending, ...(bits && { bits }) });
  const values = randomItems(moved ?? u32, length, `values ${length}`) as Uint32Array;
  const wordsOf = (array: AnyArray): Uint32Array => {
    const words = new Uint32Array(Math.ceil(array.byteLength / 4));
    new Uint8Array(words.buffer).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    return words;
  };
  const [input, given] = [data, values].map((from) => storageBuffer(device, wordsOf(from))) as [
    GPUBuffer,
    GPUBuffer,
  ];
  const [output, reordered] = [data, values].map((like) =>
    storageBuffer(device, new Uint32Array(Math.max(4, wordsOf(like).length))),
  ) as [GPUBuffer, GPUBuffer];
  const encoder = device.createCommandEncoder();
  sort.record(encoder, { input, output, ...(moved && { values: given, reordered }), length });
  device.queue.submit([encoder.finish()]);
  const found = async (buffer: GPUBuffer, words: Uint32Array): Promise<Uint32Array> =>
    (await readWords(device, buffer)).subarray(0, words.length);
  const keys = wordsOf(gathered(data, positions));
  expectSameBits(await found(output, keys), keys, `${length}: keys`);
  if (moved) {
    const expected = wordsOf(gathered(values, positions));
    expectSameBits(await found(reordered, expected), expected, `${length}: values`);
  }
}

describe("tiles that go through work-group memory in parts", () => {
  const turns = ways.flatMap((way) =>
    (
      [
        ["u32", undefined],
        ["u64", undefined],
        ["f64", f64],
        ["i64", u32],
        ["u32", u64],
      ] as const
    ).map(([name, moved]) => ({ way, named: way.name, name, moved, values: moved?.name ?? "nothing" })),
  );
  test.for(turns)("$named, $name with $values", async ({ way, name, moved }) => {
    const { device } = fold();
    const context = contextOf(device);
    const { name: _, ...tuning } = way;
    const type = elementTypes[name] as ElementType;
    const descending = name === "i64";
    const testing = {
      partBytes: 512,
      patience: 3,
      ...(tuning.passes === "single" && { fault: "late" as const }),
    };
    // Of several tiles, and of one, whose kernel alone would put all items down at once.
    const planned = async (maxLength: number) => {
      const options = { type, descending, maxLength, ...tuning, ...sizes };
      return prepare(
        context,
        planSort(options, context.facts, methodsWithSubgroups, moved, undefined, { ...testing }),
      );
    };
    const sorts = { 1000: await planned(1000), [TILE]: await planned(TILE) };
    const recorded = Object.entries(sorts).flatMap(([most, sort]) =>
      lengths.filter((one) => one <= Number(most)).map((length) => ({ sort, length })),
    );
    for (const { sort, length } of recorded) {
      await expectSorted(sort, { name, descending, moved, length });
    }
    for (const sort of Object.values(sorts)) {
      sort.destroy();
    }
  });
});

test.for([27, 28])(
  "values move by ranks of which two are in a word, with %i items a thread",
  async (itemsPerThread) => {
    const { device } = fold();
    const context = contextOf(device);
    const options = { type: u32, algorithm: "subgroup", workGroupSize: 64, itemsPerThread } as const;
    const tile = 64 * itemsPerThread;
    const testing = { packsFrom: 26, partBytes: 4096, patience: 3 };
    const plan = planSort(
      { ...options, maxLength: 3 * tile },
      context.facts,
      methodsWithSubgroups,
      u32,
      undefined,
      testing,
    );
    expect(plan.kernels.filter(({ code }) => code.includes("const RANKS = 2u;")).length).toBeGreaterThan(0);
    const sort = await prepare(context, plan);
    for (const length of [1, tile - 1, tile, tile + 1, 3 * tile]) {
      await expectSorted(sort, { name: "u32", length, descending: false, moved: u32 });
    }
    sort.destroy();
  },
);

describe("short data that is sorted by comparing each item with all others", () => {
  const turns = names.flatMap((name, at) =>
    ([undefined, u32, f64] as const).map((moved, turn) => ({
      name,
      moved,
      values: moved?.name ?? "nothing",
      descending: (at + turn) % 2 === 1,
      bits: turn === 1 ? ([2, 8 * elementTypes[name].bytes - 3] as const) : undefined,
    })),
  );
  test.for(turns)("$name with $values, up to every edge", async (one, { skip }) => {
    const { name, moved, descending, bits } = one;
    const type = elementTypes[name] as ElementType;
    skip(missing(type), `the adapter has no ${type.feature}`);
    const context = contextOf(fold().device);
    // One work-group and several; a thread that compares with all keys, and several that share them; more keys than threads.
    for (const [maxLength, own, threads] of [
      [1, 32, 32],
      [6, 4, 64],
      [128, 8, 32],
      [300, 32, 64],
    ] as const) {
      const testing = { compared: [[300, own, threads]] } as const;
      const options = { type, descending, maxLength, ...(bits && { bits }) };
      const plan = planSort(options, context.facts, methodsWithSubgroups, moved, undefined, testing);
      expect(plan.kernels[0]?.entryPoint).toBe("sort_by_comparing");
      expect(plan.passes(maxLength, "items")).toHaveLength(1);
      const sort = await prepare(context, plan);
      for (const length of [0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 65, 99, 127, 128, 129, 255, 257, 299, 300]) {
        if (length <= maxLength) {
          await expectSorted(sort, { ...one, length });
        }
      }
      sort.destroy();
    }
  });

  test("of a length that is on the GPU", async () => {
    const { device } = fold();
    const context = contextOf(device);
    const options = { type: u32, maxLength: 200, lengthOnGpu: true } as const;
    const testing = { compared: [[256, 8, 32]] } as const;
    const plan = planSort(options, context.facts, methodsWithSubgroups, undefined, undefined, testing);
    expect(plan.kernels[0]?.entryPoint).toBe("sort_by_comparing");
    const sort = await prepare(context, plan);
    const data = kinds.few("u32", 200, "a length on the GPU") as Uint32Array;
    for (const length of [0, 1, 7, 8, 150, 200, 1000]) {
      const [input, output, count] = [data, new Uint32Array(200).fill(7), Uint32Array.of(length)].map((one) =>
        storageBuffer(device, one),
      ) as [GPUBuffer, GPUBuffer, GPUBuffer];
      const encoder = device.createCommandEncoder();
      sort.record(encoder, { input, output, length: count });
      device.queue.submit([encoder.finish()]);
      const most = Math.min(length, 200);
      const expected = new Uint32Array(200).fill(7);
      expected.set(sortReference(data.slice(0, most)));
      expectSameBits((await readWords(device, output)).subarray(0, 200), expected, `${length}`);
    }
    sort.destroy();
  });

  test("nothing past the input is read, for a length on the GPU of 0, too", async () => {
    const { device } = fold();
    const context = contextOf(device);
    const options = { type: u32, maxLength: 100, lengthOnGpu: true } as const;
    const testing = { compared: [[256, 8, 32]] } as const;
    const plan = planSort(options, context.facts, methodsWithSubgroups, undefined, undefined, testing);
    // A thread loads four keys at a time, 128 of a work-group. The last place of the output, which no item gets, tells of a read past the input.
    const read = "return input[params.input_base + index];";
    const mark = `if (params.input_base + index >= arrayLength(&input)) {\n    output[99] = 1u;\n  }\n  ${read}`;
    const told = plan.kernels.map((kernel) => ({ ...kernel, code: kernel.code.replace(read, mark) }));
    expect(told[0]?.code).toContain(mark);
    const sort = await prepare(context, {
      ...plan,
      kernels: told,
      passes: (...given) =>
        plan
          .passes(...given)
          .map((pass) => ({ ...pass, kernel: told[plan.kernels.indexOf(pass.kernel)] as Kernel })),
    });
    for (const length of [0, 1, 75, 99]) {
      const [input, output, count] = [100, 100, 1].map((words, at) =>
        storageBuffer(device, new Uint32Array(words).fill(at === 2 ? length : 7)),
      ) as [GPUBuffer, GPUBuffer, GPUBuffer];
      const encoder = device.createCommandEncoder();
      sort.record(encoder, { input, output, length: count });
      device.queue.submit([encoder.finish()]);
      expect((await readWords(device, output))[99], `${length}`).toBe(7);
    }
    sort.destroy();
  });

  test("sizes and algorithms that the caller chooses are taken instead, and so are radix sorts of more", () => {
    const { facts } = contextOf(fold().device);
    const kernelOf = (more: object): string =>
      planSort({ type: u32, maxLength: 128, ...more }, facts, methodsWithSubgroups, undefined, undefined, {
        compared: [[128, 8, 32]],
      }).kernels[0]?.entryPoint ?? "";
    expect([{}, { bits: [0, 8] }, { lengthOnGpu: true }, { type: u64 }].map(kernelOf)).toEqual(
      Array(4).fill("sort_by_comparing"),
    );
    for (const more of [
      { algorithm: "blelloch" },
      { itemsPerThread: 4 },
      { workGroupSize: 64 },
      { maxLength: 129 },
    ]) {
      expect(kernelOf(more), Object.keys(more)[0]).not.toBe("sort_by_comparing");
    }
  });
});

describe("keys that are ranked by the order in which they arrive", () => {
  const words = names.filter((name) => elementTypes[name].bytes >= 4);
  // A tile whose items arrive in a wrong order is sorted again. So are tiles that are not full, and those that have NaN.
  const planted = words.flatMap((name, at) =>
    (["single", "reduce-then-scan"] as const).flatMap((passes, by) =>
      ([0, 1, 2] as const).map((disorder, how) => ({
        name,
        passes,
        disorder,
        descending: (at + by + how) % 2 === 1,
        partBytes: (by + how) % 2 === 0 ? 512 : Infinity,
        ...(passes === "single" && how > 0 && { fault: sortFaults[at % sortFaults.length] as SortFault }),
      })),
    ),
  );
  test.for(planted)(
    "$name, $passes, wrong tiles: one of $disorder, descending: $descending, parts of $partBytes bytes, fault: $fault",
    async ({ name, passes, descending, disorder, ...testing }) => {
      const { device } = fold();
      const context = contextOf(device);
      const type = elementTypes[name] as ElementType;
      const options = { type, descending, passes, algorithm: "subgroup", workGroupSize: 64 } as const;
      const plan = planSort(
        { ...options, itemsPerThread: 4, maxLength: 1500 },
        context.facts,
        methodsWithSubgroups,
        undefined,
        undefined,
        { ...testing, ...(disorder > 0 && { disorder }), byArrival: 8, patience: 3 },
      );
      expect(plan.kernels.filter(({ entryPoint }) => entryPoint === "sort_keys_pass")).toHaveLength(1);
      const sort = await prepare(context, plan);
      for (const length of [1, ...around(256), ...around(1024), 1500]) {
        for (const kind of ["any", "few", "top byte"] as const) {
          const data = kinds[kind](name, length, `${name} ${length}`) as Uint32Array;
          const bits = new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4);
          if (type.kind === "float" && kind === "few") {
            // NaN of several bits, whose order shows.
            for (let at = 0; at < length; at += 7) {
              bits.fill(
                (0x7ff80000 + ((at * 37) % 1000)) | ((at % 2) << 31),
                at * (type.bytes / 4),
                (at + 1) * (type.bytes / 4),
              );
            }
          }
          const positions = argSortReference(data, { type: type as never, descending });
          const [input, output] = [bits, new Uint32Array(bits.length)].map((one) =>
            storageBuffer(device, one),
          ) as [GPUBuffer, GPUBuffer];
          const encoder = device.createCommandEncoder();
          sort.record(encoder, { input, output, length });
          device.queue.submit([encoder.finish()]);
          const expected = gathered(data, positions);
          expectSameBits(
            (await readWords(device, output)).subarray(0, bits.length),
            new Uint32Array(expected.buffer, expected.byteOffset, bits.length),
            `${length}, ${kind}`,
          );
        }
      }
      sort.destroy();
    },
  );
});

describe("tiles of the sizes that NVIDIA's GPUs have, whose items arrive in order and in a wrong one", () => {
  // Items of a thread, in parts as the plan has them.
  const shapes = [
    ["u32", 32],
    ["u64", 16],
    ["u64", 24],
    ["i64", 8],
    ["f64", 4],
    ["f64", 16],
    ["f64", 22],
  ] as const;
  test.for(shapes)("%s, %i items a thread", async ([name, items]) => {
    const { device, software } = fold();
    const context = contextOf(device);
    const type = elementTypes[name] as ElementType;
    const length = software ? 2 * 256 * items + 777 : 300_001;
    const options = { type, algorithm: "subgroup", passes: "single", workGroupSize: 256 } as const;
    const sizes = { partBytes: nvidiaSort.partBytes, byArrival: 8, atOnce: 8 } as const;
    // In order, they are ranked right without a repair by votes, which would hide it if the fast way were always wrong.
    for (const disorder of [undefined, 2]) {
      const plan = planSort(
        { ...options, itemsPerThread: items, maxLength: length },
        context.facts,
        methodsWithSubgroups,
        undefined,
        undefined,
        { ...sizes, ...(disorder && { disorder }) },
      );
      expect(plan.kernels.filter(({ entryPoint }) => entryPoint === "sort_keys_pass")).toHaveLength(1);
      // Keys with NaN are always sorted again.
      const isKept = disorder === undefined && type.kind !== "float" && arriveInOrder(fold());
      const takeBack = plant(fold(), ...(isKept ? [keepsKeys] : []));
      const sort = await prepare(context, plan);
      expect(takeBack().every((changed) => changed > 0)).toBe(true);
      for (const kind of ["any", "few"] as const) {
        const data = kinds[kind](name, length, `${name} ${items}`) as Uint32Array;
        const bits = new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4);
        const [input, output] = [bits, new Uint32Array(bits.length)].map((one) =>
          storageBuffer(device, one),
        ) as [GPUBuffer, GPUBuffer];
        const encoder = device.createCommandEncoder();
        sort.record(encoder, { input, output, length });
        device.queue.submit([encoder.finish()]);
        const expected = sortReference(data, { type: type as never });
        expectSameBits(
          (await readWords(device, output)).subarray(0, bits.length),
          new Uint32Array(expected.buffer, expected.byteOffset, bits.length),
          kind,
        );
      }
      sort.destroy();
    }
  });
});

describe("items that are ranked by the order in which they arrive, and checked by marks", () => {
  const turns = names.flatMap((name, at) =>
    [u32, f64, undefined].map((moved, how) => ({
      name,
      moved,
      values: moved?.name ?? "nothing",
      disorder: (at + how) % 3,
      descending: (at + how) % 2 === 1,
      passes: at % 2 === 0 ? ("single" as const) : ("reduce-then-scan" as const),
      bits: how === 1 ? undefined : ([2, 8 * elementTypes[name].bytes - 3] as const),
      partBytes: (at + how) % 2 === 0 ? 512 : Infinity,
      packsFrom: how === 1 ? 1 : Infinity,
      ...(at % 4 === 0 && { fault: sortFaults[(at + how) % sortFaults.length] as SortFault }),
    })),
  );
  test.for(turns)(
    "$name with $values, $passes, wrong tiles: one of $disorder, bits: $bits, parts of $partBytes bytes, fault: $fault",
    async (one, { skip }) => {
      const { name, moved, descending, bits, passes, values: _, disorder, ...testing } = one;
      const type = elementTypes[name] as ElementType;
      skip(missing(type), `the adapter has no ${type.feature}`);
      const context = contextOf(fold().device);
      const options = { type, descending, passes, algorithm: "subgroup", workGroupSize: 64 } as const;
      const plan = planSort(
        { ...options, itemsPerThread: 4, maxLength: 1500, ...(bits && { bits }) },
        context.facts,
        methodsWithSubgroups,
        moved,
        undefined,
        {
          ...testing,
          ...(disorder > 0 && { disorder }),
          byMarks: true,
          byArrival: 0,
          patience: 3,
          oneTile: 0,
        },
      );
      expect(plan.kernels.some(({ code }) => code.includes("ranks_again"))).toBe(name !== "f16");
      const sort = await prepare(context, plan);
      for (const length of [1, ...around(256), ...around(1024), 1500]) {
        await expectSorted(sort, { ...one, length });
      }
      sort.destroy();
    },
  );

  // As NVIDIA's GPUs have them. On a GPU, most subgroups' items arrive as they should.
  const shapes = [
    ["u32", undefined, 22],
    ["u32", u32, 16],
    ["u32", u32, 20],
    ["u32", u32, 22],
    ["u32", u32, 22, 512],
    ["u32", u32, 28],
    ["u32", u64, 22],
    ["u64", u32, 16],
    ["f64", f64, 22],
  ] as const;
  const named = shapes.map(([name, moved, itemsPerThread, workGroupSize = 256]) => ({
    name,
    moved,
    values: moved?.name ?? "nothing",
    itemsPerThread,
    workGroupSize,
    bits: moved ? undefined : ([0, 16] as const),
  }));
  test.for(named)(
    "$name with $values, $itemsPerThread items of each of $workGroupSize threads",
    async ({ name, moved, itemsPerThread, workGroupSize, bits }, { skip }) => {
      const { device, software } = fold();
      const context = contextOf(device);
      const type = elementTypes[name] as ElementType;
      skip(missing(type), `the adapter has no ${type.feature}`);
      const most = device.limits.maxComputeInvocationsPerWorkgroup;
      skip(workGroupSize > most, `a work-group of the adapter has ${most} threads at most`);
      const maxLength = software ? 2 * 256 * itemsPerThread + 777 : 300_001;
      const options = { type, algorithm: "subgroup", passes: "single", workGroupSize } as const;
      const { partBytes, packsFrom } = nvidiaSort;
      // In order, they are ranked right without a repair by votes, which would hide it if the fast way were always wrong.
      for (const disorder of [undefined, 2]) {
        const takeBack = plant(fold(), ...(disorder || !arriveInOrder(fold()) ? [] : [keepsRanks]));
        const plan = planSort(
          { ...options, itemsPerThread, maxLength, ...(bits && { bits }) },
          context.facts,
          methodsWithSubgroups,
          moved,
          undefined,
          { partBytes, packsFrom, byMarks: true, atOnce: 8, ...(disorder && { disorder }) },
        );
        expect(plan.kernels.some(({ code }) => code.includes("ranks_again"))).toBe(true);
        const sort = await prepare(context, plan);
        expect(takeBack().every((changed) => changed > 0)).toBe(true);
        for (const length of [maxLength, maxLength - 1]) {
          await expectSorted(sort, { name, length, descending: false, moved, bits });
        }
        sort.destroy();
      }
    },
  );
});

describe("arrays on the GPU", () => {
  test("what a compaction left is sorted without a read-back, with values", async () => {
    const data = await fold().upload(anyItems("u32", 3000, "kept") as Uint32Array);
    const kept = await fold().compact(data, { where: "x % 3u == 1u" });
    const sorted = await fold().sort(kept, { descending: true });
    const expected = sortReference(await kept.read(), { descending: true });
    expectSameBits(await sorted.read(), expected, "kept");
    const indices = await fold().argSort(kept);
    expectSameBits(await indices.read(), argSortReference(await kept.read()), "positions");
    const both = await fold()
      .sort(kept, { values: [data, indices] as never })
      .catch((cause: unknown) => cause);
    expect(both, "values of the most length will do").toMatchObject({ keys: {}, values: [{}, {}] });
    for (const one of [data, kept, sorted, indices]) {
      one.destroy();
    }
  });

  test("results stay on the GPU, and go into an array that is there", async () => {
    const words = anyItems("f32", 2000, "into") as Float32Array;
    const data = await fold().upload(words);
    const values = await fold().upload(Float64Array.from(words, (_, at) => at));
    const { keys, values: moved } = await fold().sort(data, { values });
    const positions = argSortReference(words);
    expectSameBits(await keys.read(), gathered(words, positions), "keys");
    expectSameBits(await moved.read(), Float64Array.from(positions), "values");
    await fold().sort(data, { into: data });
    expectSameBits(await data.read(), gathered(words, positions), "in place");
    const into = await fold().upload(new Uint32Array(2000));
    await fold().argSort(data, { into });
    expect((await into.read()).every((position, at) => position === at)).toBe(true);
    for (const one of [data, values, keys, moved, into]) {
      one.destroy();
    }
  });
});

test("into is filled, and may be the data itself", async () => {
  const data = anyItems("i32", 1500, "into") as Int32Array;
  const expected = sortReference(data);
  const into = new Int32Array(1500);
  expect(await fold().sort(data, { into })).toBe(into);
  expectSameBits(into, expected, "into");
  expect(await fold().sort(data, { into: data })).toBe(data);
  expectSameBits(data, expected, "in place");
  const positions = new Uint32Array(1500);
  expect(await fold().argSort(data, { into: positions })).toBe(positions);
  expect(positions.every((position, at) => position === at)).toBe(true);
});

describe("what is refused", () => {
  const data = Uint32Array.of(3, 1, 2);
  const refused: readonly (readonly [call: () => Promise<unknown>, option: string, message: RegExp])[] = [
    [() => fold().sort(data, { bits: [0, 33] }), "bits", /\[from, to\], with 0 <= from < to <= 32/],
    [() => fold().sort(data, { bits: [4, 4] }), "bits", /bits is \[4, 4\]/],
    [() => fold().sort(data, { bits: 8 as never }), "bits", /bits is 8/],
    [() => fold().sort(data, { descending: "yes" as never }), "descending", /takes true or false/],
    [() => fold().sort(data, { keyType: f32 }), "keyType", /only beside key/],
    [() => fold().sort(data, { key: 5 as never }), "key", /WGSL over/],
    [() => fold().sort(Particle.array(2)), "key", /such as "x.depth"/],
    [() => fold().sort(Particle.array(2), { key: "x.id + 1u" }), "keyType", /the type that the key/],
    [
      () => fold().sort(Particle.array(2), { key: "x.dept" }),
      "key",
      /"x\.dept"; it takes a field of Particle: x\.\w+, x\./,
    ],
    [() => fold().sort(Particle.array(2), { key: "x", keyType: Particle as never }), "keyType", /the struct/],
    [() => fold().sort(data, { values: Uint32Array.of(1, 2) }), "values", /2 values for 3 elements/],
    [() => fold().sort(data, { values: [1, 2, 3] as never }), "values", /values: number has no element type/],
    [() => fold().sort([data, data] as never), "data", /has no element type/],
    [() => fold().sort(data, { values: data, into: data } as never), "into", /values or into, and not both/],
    [() => fold().sort(data, { into: new Uint32Array(2) }), "into", /into has 2 elements; it takes 3/],
    [() => fold().argSort(data, { into: new Int32Array(3) as never }), "into", /it takes Uint32Array/],
    [() => fold().argSort(data, { values: data } as never), "values", /takes no option values/],
    [
      () => fold().sort(data, { ascending: true } as never),
      "ascending",
      /takes no option ascending; did you mean descending/,
    ],
    [() => fold().sort(data, { workGroupSize: 1 }), "workGroupSize", /2 or more/],
    [() => fold().prepareSort({ type: u32, values: [], maxLength: 3 }), "values", /an empty list/],
    [
      () => fold().prepareSort({ type: u32, values: u32, indices: true, maxLength: 3 }),
      "indices",
      /not both/,
    ],
    [() => fold().prepareSort({ type: u32, indices: 1 as never, maxLength: 3 }), "indices", /true or false/],
    [
      () => fold().argSort(data, { itemsPerThread: 65 }),
      "itemsPerThread",
      /^argSort<u32>: itemsPerThread is 65; it takes 1 to 64/,
    ],
    [() => fold().prepareSort({ type: u32, maxLength: -1 }), "maxLength", /a whole number from 0 up/],
  ];
  test.for(refused.map(([, option, message], at) => [option, String(message), at] as const))(
    "%s: %s",
    async ([option, , at]) => {
      const [call, , message] = refused[at] as (typeof refused)[number];
      const cause = await call().then(
        () => undefined,
        (one: unknown) => one,
      );
      expect(cause).toBeInstanceOf(ArgumentError);
      expect(cause).toMatchObject({ option, message: expect.stringMatching(message) });
    },
  );

  test("a key that does not compile, with its line", async () => {
    const cause = await fold()
      .sort(data, { key: "x +\n  nothing" })
      .catch((one: unknown) => one);
    expect(cause).toBeInstanceOf(SourceError);
    expect(cause).toMatchObject({ source: "x +\n  nothing", line: 2 });
  });

  test("more work-group memory than there is", async () => {
    const cause = await fold()
      .sort(data, { workGroupSize: 256, itemsPerThread: 64, algorithm: "blelloch" })
      .catch((one: unknown) => one);
    expect(cause).toBeInstanceOf(LimitError);
    expect(cause).toMatchObject({ option: "workGroupSize" });
  });

  test("more scratch than a binding has room for: of keys, and of counts of tiles", async () => {
    const own = factsWith({}, { maxStorageBufferBindingSize: 2 ** 20, maxBufferSize: 2 ** 20 });
    const { limits } = own;
    const wide = { type: u32, key: "vec2<u32>(x, 0u)", keyType: u64, indices: true, maxLength: 2 ** 18 };
    expect(() => planSort(wide, own, methodsWithSubgroups)).toThrow(LimitError);
    const restore = planAs(fold(), { limits });
    try {
      const small = {
        type: u32,
        algorithm: "subgroup",
        passes: "single",
        workGroupSize: 64,
        itemsPerThread: 1,
      } as const;
      const cause = await fold()
        .prepareSort({ ...small, maxLength: 2 ** 18 })
        .catch((one: unknown) => one);
      expect(cause).toBeInstanceOf(LimitError);
      expect(cause).toMatchObject({
        option: "maxLength",
        message: expect.stringMatching(/tiles of 64 \* 1 items/),
      });
    } finally {
      restore();
    }
  });

  test("the memory of the algorithm that is chosen counts", async () => {
    const facts = factsWith({}, { maxComputeWorkgroupStorageSize: 16384 });
    const options = { type: u32, workGroupSize: 256, itemsPerThread: 14, maxLength: 2 ** 16 } as const;
    const plan = (algorithm: "blelloch" | "hillis-steele") => () =>
      planSort({ ...options, algorithm }, facts, methodsWithSubgroups);
    expect(plan("blelloch")).not.toThrow();
    expect(plan("hillis-steele")).toThrow(LimitError);
  });

  test("arrays on the GPU that overlap, and values of another length: in the words of the call", async () => {
    const { device } = fold();
    const buffer = storageBuffer(device, new Uint32Array(128));
    const a = await fold().wrap({ buffer, type: u32, length: 64 });
    const b = await fold().wrap({ buffer, type: u32, offset: 16, length: 64 });
    const overlapping = await fold()
      .sort(a, { into: b })
      .catch((one: unknown) => one);
    expect(overlapping).toMatchObject({ name: "ArgumentError", option: "into" });
    const three = await fold().upload(Uint32Array.of(5, 4, 6));
    const four = await fold().upload(Uint32Array.of(1, 2, 3, 4));
    await expect(fold().sort(three, { values: four })).rejects.toMatchObject({ option: "values" });
    // How many a compaction has left is not known here.
    const left = await fold().compact(three, { where: "true" });
    const { values } = await fold().sort(three, { values: left });
    expect([...(await values.read())]).toEqual([4, 5, 6]);
  });

  test("no items need no input", async () => {
    const { device } = fold();
    const [output, values, reordered] = [0, 1, 2].map(() => storageBuffer(device, new Uint32Array(4)));
    const sort = await fold().prepareSort({ type: u32, values: [u32, u32], maxLength: 4 });
    const encoder = device.createCommandEncoder();
    const ranges = { output, values: [values, values], reordered: [reordered, reordered], length: 0 };
    expect(() => sort.record(encoder, ranges as never)).not.toThrow();
    device.queue.submit([encoder.finish()]);
    sort.destroy();
  });

  test("ranges that overlap, are too short, or are not there: before anything is recorded", async () => {
    const { device } = fold();
    const [a, b, c, d] = [0, 1, 2, 3].map(() =>
      storageBuffer(device, new Uint32Array(64)),
    ) as GPUBuffer[] as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
    const encoder = device.createCommandEncoder();
    const direct = await fold().prepareSort({ type: u32, values: u32, maxLength: 32 });
    const gathering = await fold().prepareSort({ type: u32, values: [u32, u32], maxLength: 32 });
    const length = 32;
    const wrong: readonly (readonly [sort: typeof direct, ranges: object, option: string])[] = [
      [direct, { input: a, output: { buffer: a, offset: 4 }, values: b, reordered: c, length }, "input"],
      [direct, { input: a, output: b, values: b, reordered: c, length }, "values"],
      [direct, { input: a, output: b, values: c, reordered: { buffer: b, offset: 16 }, length }, "reordered"],
      [direct, { input: a, output: b, values: c, length }, "reordered"],
      [direct, { input: a, output: b, values: [c], reordered: d, length }, "values"],
      [direct, { input: a, output: b, values: c, reordered: d, length: 33 }, "length"],
      [direct, { input: a, output: b, values: c, reordered: d, length, count: a }, "count"],
      [direct, { input: a, output: { buffer: b, offset: 2 }, values: c, reordered: d, length }, "output"],
      [direct, { input: a, output: { buffer: b, offset: 240 }, values: c, reordered: d, length }, "output"],
      [gathering, { input: a, output: b, values: [c], reordered: [d, a], length }, "values"],
      [gathering, { input: a, output: b, values: c, reordered: [d, a], length }, "values"],
      [gathering, { input: a, output: b, values: [c, d], reordered: [d, c], length }, "values"],
      [gathering, { input: a, output: b, values: [c, c], reordered: [d, b], length }, "output"],
    ];
    for (const [at, [sort, ranges, option]] of wrong.entries()) {
      let cause: unknown;
      try {
        sort.record(encoder, ranges as never);
      } catch (one) {
        cause = one;
      }
      expect(cause, `case ${at}`).toBeInstanceOf(ArgumentError);
      expect(cause, `case ${at}`).toMatchObject({ option });
    }
    // Nothing was recorded, so the encoder is still whole and empty.
    device.queue.submit([encoder.finish()]);
    expect([...(await readWords(device, b))].every((word) => word === 0)).toBe(true);
    direct.destroy();
    gathering.destroy();
    expect(() => direct.record(device.createCommandEncoder(), { input: a, output: b, length })).toThrow(
      /was destroyed|values/,
    );
  });

  test("f16 without the feature", async ({ skip }) => {
    skip(!missing(f16), "the adapter has f16");
    await expect(fold().sort(new Uint16Array(3), { type: f16 })).rejects.toThrow(/shader-f16/);
  });
});
