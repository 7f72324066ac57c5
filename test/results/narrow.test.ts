import { afterAll, beforeAll, expect, test } from "vitest";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import { i8, i16, narrowTypes, u8, u16 } from "../../src/algebra/narrow_types.ts";
import { add, max } from "../../src/algebra/operators.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Fold } from "../../src/gpu/fold.ts";
import { ArgumentError, openFold } from "../../src/node.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { withCpu } from "../fuzz/cpu.ts";
import { runDescribed } from "../fuzz/described.ts";
import { places } from "../fuzz/described_call.ts";
import type { Fixture } from "../fuzz/fixture.ts";
import { fixtureOn } from "../fuzz/fixture.ts";
import { scaleOf } from "../fuzz/plans.ts";
import { destroyAll, storageBuffer } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";
import { examplesOf, testMutations } from "../support/mutations.ts";
import { errorOf } from "../support/option_checks.ts";
import { described } from "../support/primitives.ts";
import { randomBits } from "../support/random.ts";

const fold = useFold();
let onCpu: Fold;
let fixture: Fixture;
beforeAll(async () => {
  onCpu = await openFold({ cpu: "always" });
  fixture = fixtureOn(fold(), scaleOf("simulated"));
});
afterAll(() => {
  destroyAll(fixture, onCpu);
});

const types = Object.values(narrowTypes);
type Narrow = Uint8Array | Int8Array | Uint16Array | Int16Array;
const small = { workGroupSize: 8, itemsPerThread: 4 } as const;

/** Any items of a type. */
function itemsOf(type: (typeof types)[number], length: number): Narrow {
  const next = randomBits(`${type.name} ${length}`);
  return (arrayOver(type, new ArrayBuffer(length * type.bytes)) as Uint8Array).map(() => next()) as Narrow;
}

/** Around a word, a tile of 32 items, and two levels of spine. */
const lengths = [0, 1, 3, 5, 33, 1025];

/** Primitives whose threads take whole vectors of packed items; or, of three items, one at a time. */
const packed = ["scan", "reduce", "compact", "partition", "count", "findLast", "map", "histogram"];
/** By subgroups, sums that go in a single pass hold words. */
const packedTiles = [
  { passes: "single", itemsPerThread: 4 },
  { passes: "reduce-then-scan", itemsPerThread: 4 },
  { passes: "single", itemsPerThread: 3 },
  { passes: "single", itemsPerThread: 4, algorithm: "subgroup" },
  { passes: "single", itemsPerThread: 8, algorithm: "subgroup" },
  { passes: "reduce-then-scan", itemsPerThread: 8 },
] as const;
/** Each example, of the types by turns: types differ in how items are taken out of words. */
const packedRows = described
  .filter(({ primitive }) => packed.includes(primitive.name))
  .flatMap(({ primitive, examples }) =>
    examples.of(u8, 1025, randomBits(primitive.name)).map((_, example) => ({ primitive, example })),
  )
  .map(({ primitive, example }, turn) => ({
    name: primitive.name,
    example,
    type: types[turn % types.length]?.name ?? "u8",
    options: Object.fromEntries(
      Object.entries({ workGroupSize: 8, ...packedTiles[turn % packedTiles.length] }).filter(
        ([option]) => option in primitive.options,
      ),
    ),
    lengthOnGpu: turn % 2 === 0,
    recorded: [
      [1, 131],
      [7, 1025],
      [33, 3],
    ][turn % 3] as number[],
    place: places[turn % places.length] ?? "at hand",
  }));
test.for(packedRows)(
  "$name of $type, example $example, recorded and $place",
  async ({ name, type, example, options, lengthOnGpu, recorded, place }, { skip }) => {
    const algorithm = "algorithm" in options ? options.algorithm : undefined;
    skip(
      algorithm === "subgroup" && !fold().device.features.has("subgroups"),
      "the adapter has no subgroups",
    );
    const next = randomBits(`${name} ${type} ${example}`);
    const stepOf = (at: (typeof places)[number], length: number) => ({
      place: at,
      length,
      before: next() % 5,
      data: { kind: "bits" as const, seed: next() },
    });
    const steps = [...recorded.map((length) => stepOf("recorded", length)), stepOf(place, 131)];
    const seed = next();
    const call = { primitive: name, type, maxLength: 1034, example, seed, options, lengthOnGpu };
    await withCpu(seed % 2 === 0 ? "always" : undefined, fixture, async (own) => {
      for (const step of steps) {
        const verdict = await runDescribed({ family: "described", call, steps: [step] }, own);
        expect(verdict, `${step.place}, ${step.length} items`).toBe("passed");
      }
      return "passed";
    });
  },
);

test("results of 32 and 64 bits, and of a map", async () => {
  const bytes = itemsOf(u8, 1025) as Uint8Array;
  const sum = bytes.reduce((total, x) => total + x, 0);
  for (const one of [fold(), onCpu]) {
    expect(await one.reduce(bytes)).toBe(sum);
    expect(await one.reduce(bytes, { type: u64 })).toBe(BigInt(sum));
    expect(await one.reduce(bytes, { type: f64 })).toBe(sum);
    expect(await one.reduce(bytes, { type: i32, op: max })).toBe(Math.max(...bytes));
    expect(await one.reduce(bytes, { type: f32, map: "f32(x) / 256.0" })).toBeCloseTo(sum / 256, 1);
    expect(await one.scan(Int16Array.of(-1, -32768, 3))).toEqual(Int32Array.of(-1, -32769, -32766));
    expect(await one.compact(Int8Array.of(-1, 5), { where: "x < 0", type: f32 })).toEqual(
      Float32Array.of(-1),
    );
    expect(await one.compact(bytes, { where: "true", map: "x + 1u" })).toEqual(bytes.map((x) => x + 1));
  }
});

test("results are like the data, into arrays of its kind", async () => {
  const clamped = Uint8ClampedArray.of(9, 2, 250);
  for (const one of [fold(), onCpu]) {
    expect(await one.sort(clamped)).toEqual(Uint8ClampedArray.of(2, 9, 250));
    const into = new Uint8ClampedArray(4);
    expect(await one.compact(clamped, { where: "x > 5u", into })).toEqual(Uint8ClampedArray.of(9, 250));
    expect(into).toEqual(Uint8ClampedArray.of(9, 250, 0, 0));
    const error = await errorOf(one.compact(clamped, { where: "x > 5u", into: new Uint8Array(3) as never }));
    expect(error.message).toBe("compact: into is Uint8Array; it takes Uint8ClampedArray, as the result is");
    expect(await one.gather(clamped, Uint32Array.of(2, 2, 0))).toEqual(Uint8ClampedArray.of(250, 250, 9));
    expect(await one.argMax(Int8Array.of(-9, -3, -128))).toEqual({ value: -3, index: 1 });
    const runs = await one.reduce(Uint8Array.of(1, 2, 3), { segments: { keys: Uint8Array.of(7, 7, 9) } });
    expect(runs).toEqual({ keys: Uint8Array.of(7, 9), values: Uint32Array.of(3, 3) });
    // Bits of f16, if type says so.
    expect(
      await one.sort(Uint16Array.of(0x3c00, 0xbc00), { type: f32 } as never).catch((error) => error.message),
    ).toBe("sort: Uint16Array holds u16, but type says f32");
  }
});

test("results on the GPU that go into an array of the caller's are like that array", async () => {
  const data = await fold().upload(Uint8Array.of(9, 2, 250));
  const positions = await fold().upload(Uint32Array.of(2, 2, 0));
  const into = (await fold().upload(new Uint8ClampedArray(3))) as typeof data;
  const calls = {
    sort: await (await fold().sort(data, { into })).read(),
    gather: await (await fold().gather(data, positions, { into })).read(),
    map: await (await fold().map(data, { map: "x", into })).read(),
    compact: await (await fold().compact(data, { where: "x > 5u", into })).read(),
  };
  expect(calls).toEqual({
    sort: Uint8ClampedArray.of(2, 9, 250),
    gather: Uint8ClampedArray.of(250, 250, 9),
    map: Uint8ClampedArray.of(9, 2, 250),
    compact: Uint8ClampedArray.of(9, 250),
  });
});

test("long arrays go in pieces, and streams take chunks", async () => {
  const own = await openFold({ device: fold().device, cpu: "never" });
  Object.assign(contextOf(own.device).kept, { longBytes: 256, pieceBytes: 128 });
  const items = itemsOf(i16, 501) as Int16Array;
  const keeps = (x: number): boolean => x > 100;
  expect(await own.scan(items, small)).toEqual(scanReference(items));
  expect(await own.reduce(items, { ...small, type: i64 })).toBe(reduceReference(items, { type: i64 }));
  expect(await own.compact(items, { ...small, where: "x > 100" })).toEqual(items.filter(keeps));
  const segments = { rows: 3 };
  expect(await own.scan(items, { segments })).toEqual(scanReference(items, { segments }));
  const chunks = async function* (): AsyncGenerator<Int16Array> {
    yield* [items.slice(0, 117), items.slice(117)];
  };
  expect(await own.reduceStream(chunks(), { type: i32, from: i16 })).toBe(reduceReference(items));
  const kept: number[] = [];
  const stream = own.compactStream({ type: i16, where: "x > 100" });
  const written = (async () => {
    const writer = stream.writable.getWriter();
    for await (const chunk of chunks()) {
      await writer.write(chunk);
    }
    await writer.close();
  })();
  for await (const chunk of stream.readable as unknown as AsyncIterable<Int16Array>) {
    kept.push(...chunk);
  }
  await written;
  expect(kept).toEqual([...items.filter(keeps)]);
  own.destroy();
});

test("what is refused, before the GPU is touched", async () => {
  const bytes = Uint8Array.of(1, 2, 3);
  const wrong = (call: Promise<unknown>, message: RegExp): Promise<void> =>
    errorOf(call).then((error) => {
      expect(error).toBeInstanceOf(ArgumentError);
      expect(error.message).toMatch(message);
    });
  await wrong(
    fold().scan(bytes, { type: u8 } as never),
    /^scan<u8, add>: add has no meaning on u8; it takes u32, i32, f32, f16, u64, i64, f64$/,
  );
  await wrong(
    fold().prepareReduce({ type: i16, maxLength: 9 } as never),
    /^reduce<i16, add>: add has no meaning on i16; it takes u32/,
  );
  await wrong(fold().sort(bytes, { type: u16 } as never), /^sort: Uint8Array holds u8, but type says u16$/);
  await wrong(
    fold().prepareScan({ from: i8, type: u64, maxLength: 9 } as never),
    /^scan<u64, add>: the items are i8, and the result is u64; it takes a map from one to the other, such as map: "u64\(x\)"$/,
  );
  await wrong(
    fold().prepareCompact({ from: i32, type: i8, where: "x > 2", maxLength: 9 } as never),
    /^compact<i8>: the items are i32, and the result is i8; it takes a map/,
  );
  const positions = Uint32Array.of(0, 1, 2);
  await wrong(
    fold().scatter(bytes, positions, { length: 9, type: u32 }),
    /^scatter: the values are u8, and type is u32; values that only move keep their type, and those that op combines take a wider one$/,
  );
  await wrong(
    fold().scatter(bytes, positions, { length: 9, op: add, type: u16 as never }),
    /^scatter<u16, add>: add has no meaning on u16; it takes u32/,
  );
  await wrong(
    fold().scatter(Int8Array.of(1, 2, 3), positions, { length: 9, op: add, type: u32 }),
    /^scatter: the values are i8, and type is u32, which lacks some of their values; fold.map makes others of them first$/,
  );
  await wrong(
    fold().prepareScatter({ type: u8, op: add, maxLength: 9, maxOutputLength: 9 } as never),
    /^scatter<u8, add>: add has no meaning on u8; it takes u32/,
  );
  await wrong(
    fold().sort(bytes, { key: "x % 2u", keyType: u8 } as never),
    /keyType is of u8; it takes 32 bits/,
  );
  const { device } = fold();
  const buffer = storageBuffer(device, new Uint32Array(4));
  await wrong(
    fold().wrap({ buffer, type: i8, offset: 2 }),
    /^wrap<i8>: offset is 2 bytes; it takes a multiple of 4/,
  );
  const sort = await fold().prepareSort({ type: u16, maxLength: 4 });
  const record = () =>
    sort.record(device.createCommandEncoder(), { input: { buffer, offset: 2 }, output: buffer, length: 2 });
  expect(record).toThrow(/^sort<u16>: input's offset is 2 bytes; it takes a multiple of 4$/);
  sort.destroy();
  const scan = await fold().prepareScan({ from: u8, type: u32, maxLength: 2 });
  expect(() =>
    scan.record(device.createCommandEncoder(), {
      input: buffer,
      output: { buffer, offset: 4 },
      length: 2,
    }),
  ).toThrow(/items of 1 bytes.*must be in different buffers/);
  destroyAll(scan, buffer);
});

// Each primitive that is described, in each form, by its examples.
const rows = described.flatMap(({ primitive: { name, options } }, at) =>
  ([...places, "recorded"] as const).map((place, form) => ({
    name,
    place,
    type: types[(at + form) % types.length]?.name ?? "u8",
    length: lengths[(2 * at + 3 * form + 1) % lengths.length] ?? 5,
    sizes: "workGroupSize" in options && form % 2 === 0 ? { workGroupSize: 8, itemsPerThread: 2 } : {},
  })),
);
test.for(rows)("$name of $length $type, $place", async ({ name, place, type, length, sizes }) => {
  const next = randomBits(`${name} ${place}`);
  const verdict = runDescribed(
    {
      family: "described",
      call: {
        primitive: name,
        type,
        maxLength: length + 2,
        example: next() % 99,
        seed: next(),
        options: sizes,
        lengthOnGpu: next() % 2 === 0,
      },
      steps: [{ place, length, before: next() % 5, data: { kind: "bits", seed: next() } }],
    },
    fixture,
  );
  const error = await verdict.then((own) => (length === 0 ? "passed" : own)).catch(String);
  expect(error).toBe("passed");
});

testMutations(
  fold,
  {
    search: examplesOf("searchSorted", { type: "i8" }),
    sort: examplesOf("sort", { type: "u16" }),
    map: examplesOf("map", { type: "u16" }),
  },
  {
    search: {
      "signed items have no sign": [
        /bitcast<u32>\(extractBits\(bitcast<i32>\(bits\), place, BITS\)\)/g,
        "extractBits(bits, place, BITS)",
      ],
    },
    sort: {
      "the last word is not widened": [/vector < \(length \+ 3u\) \/ 4u/g, "vector < length / 4u - 1u"],
      "widened items start at their binding": [/call\.input_base \/ ITEMS_OF_WORD \+ place/g, "place"],
      "a packed word loses what follows the last item": [
        /if \(count - first < ITEMS_OF_WORD\)/g,
        "if (false)",
      ],
      "packed items start at their binding": [/call\.output_base \/ ITEMS_OF_WORD \+ word/g, "word"],
    },
    map: {
      "vectors of packed items start at their binding": [
        /\(call\.input_base \+ vector \* VECTOR\) \/ ITEMS_OF_WORD/g,
        "vector * VECTOR / ITEMS_OF_WORD",
      ],
      "a vector of packed items is one word": [/word \+ \w+ \/ ITEMS_OF_WORD/g, "word"],
      "a word is read as its first item alone": [/\(first \+ \w+\) % ITEMS_OF_WORD \* BITS/g, "0u"],
      "at the end of the data, packed items start at their binding": [
        /\(call\.input_base \+ index\) \/ ITEMS_OF_WORD/g,
        "index / ITEMS_OF_WORD",
      ],
      "at the end of the data, a word is read as its first item alone": [
        /index % ITEMS_OF_WORD \* BITS/g,
        "0u",
      ],
    },
  },
);

test("a recording says why input and output of items of 8 and 16 bits are in two buffers", async () => {
  const buffer = storageBuffer(fold().device, new Uint32Array(64));
  const encoder = fold().device.createCommandEncoder();
  const why =
    "; items of 8 and 16 bits share words, and become words of their own on the way, so the output takes another buffer than what is read";
  const scan = await fold().prepareScan({ from: u8, type: u32, maxLength: 9 });
  const output = { buffer, offset: 64 };
  for (const [message, record] of [
    [
      "scan<u32, add>: input (items of 1 bytes) and output (items of 4 bytes) must be in different buffers",
      () => scan.record(encoder, { input: buffer, output, length: 9 }),
    ],
    [
      "scan<u32, add>: input (bytes 0 to 9) and output (bytes 0 to 36) overlap; they must be apart",
      () => scan.record(encoder, { input: buffer, output: buffer, length: 9 }),
    ],
  ] as const) {
    expect(record).toThrow(`${message}${why}`);
  }
  destroyAll(scan, buffer);
});
