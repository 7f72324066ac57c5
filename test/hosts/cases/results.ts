import { emptyLike, valuesOf } from "../../../src/algebra/array_values.ts";
import type { AnyArray } from "../../../src/algebra/arrays.ts";
import { arrayLike } from "../../../src/algebra/arrays.ts";
import { operator } from "../../../src/algebra/custom_operator.ts";
import { exactAdd } from "../../../src/algebra/exact_add.ts";
import { f16, f32 } from "../../../src/algebra/floats.ts";
import { i32, u32 } from "../../../src/algebra/integers.ts";
import type { Operator } from "../../../src/algebra/monoid.ts";
import { add, logicalXor, max, min, mul, xor } from "../../../src/algebra/operators.ts";
import { roundingOf } from "../../../src/algebra/rounding.ts";
import type { StructType } from "../../../src/algebra/struct.ts";
import { StructArray, struct } from "../../../src/algebra/struct.ts";
import type { ElementType, ScalarType, Value } from "../../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../../src/algebra/types_64.ts";
import { contextOf } from "../../../src/gpu/device/device.ts";
import type { Fold } from "../../../src/gpu/fold.ts";
import type { Algorithm } from "../../../src/kernels/algorithms.ts";
import type { TuningOptions } from "../../../src/plan/options.ts";
import { compactReference } from "../../../src/reference/compact.ts";
import { reduceReference } from "../../../src/reference/reduce.ts";
import { scanReference } from "../../../src/reference/scan.ts";
import { readWords, storageBuffer } from "../../support/buffers.ts";
import { bitsOf, expectSameBits } from "../../support/compare.ts";
import { awkwardSums, floats, floatsOf, spreadItems, tiledItems } from "../../support/exact_sums.ts";
import { itemsOf, mapRows, twinOf } from "../../support/maps.ts";
import { affine, chain, first, span } from "../../support/operators.ts";
import { anyItems, randomBits, randomItems, valuesAs } from "../../support/random.ts";
import type { Bench, Case } from "../case.ts";

export const algorithmNames = ["hillis-steele", "blelloch", "subgroup"] as const;

/** Skips what the device lacks a feature for. */
export function requireFeatures(bench: Bench, type: ElementType, algorithm?: Algorithm): void {
  const { features } = bench.fold.device;
  bench.skip(
    type.feature !== undefined && !features.has(type.feature as GPUFeatureName),
    `the adapter has no ${type.feature}`,
  );
  bench.skip(algorithm === "subgroup" && !features.has("subgroups"), "the adapter has no subgroups");
}

/** Operators of each type: rounded, wrapped around, compared, and two that do not commute. */
const rows: readonly (readonly [ElementType, Operator<string>])[] = [
  [u32, add],
  [u32, affine],
  [u32, first],
  [i32, min],
  [i32, mul],
  [f32, add],
  [f32, max],
  [f32, min],
  [f16, add],
  [f16, max],
  [u64, xor],
  [u64, mul],
  [i64, add],
  [f64, add],
  [f64, min],
  [f64, logicalXor],
  // The same bits everywhere, of any data.
  [f16, exactAdd],
  [f32, exactAdd],
  [f64, exactAdd],
  [span, chain],
] as readonly (readonly [ElementType, Operator<string>])[];

/** Any bits, mostly; where WGSL rounds as it likes, small whole numbers, whose sums are exact in every order. */
export function itemsFor(type: ElementType, op: Operator<string>, length: number, name: string): AnyArray {
  if (roundingOf(op as Operator, type) === "adapter") {
    const next = randomBits(name);
    return valuesAs(
      (type as ScalarType).name,
      Array.from({ length }, () => next() % 3),
    );
  }
  if (type === (f64 as ElementType) && op.name === "add" && length % 2 === 1) {
    // Rounded almost every time: another order of the sums gives other bits.
    const next = randomBits(name);
    return Float64Array.from(
      { length },
      () => (next() - 2 ** 31 + next() / 2 ** 32) * 2 ** ((next() % 40) - 20),
    );
  }
  return randomItems(type, length, name);
}

/** What may differ: a struct's padding, and which NaN JavaScript gives. */
export function comparable(array: AnyArray): AnyArray | BigUint64Array {
  if (array instanceof StructArray) {
    return array.type.from(array);
  }
  return array instanceof Float64Array
    ? BigUint64Array.from(array, (value, at) =>
        Number.isNaN(value) ? 0x7ff8000000000000n : (bitsOf(array)[at] as bigint),
      )
    : array;
}

/** Items of a type from single values. */
export function itemOf(like: AnyArray, type: ElementType, value: Value): AnyArray {
  const { array, set } = emptyLike(like, 1, type);
  set(0, value);
  return array;
}

const POISON = 0xa5;
/** Items that nobody may touch, before each range and after it: an odd number, so that no range is aligned. */
const GAP = 3;

interface Ranges {
  readonly input: { readonly buffer: GPUBuffer; readonly offset: number };
  readonly output: { readonly buffer: GPUBuffer; readonly offset: number };
  readonly length: number;
}

interface Region {
  readonly offset: number;
  readonly length: number;
}

/** Ranges of these numbers of items, one after another, with gaps. */
function regionsOf(lengths: readonly number[]): { regions: Region[]; items: number } {
  let at = GAP;
  const regions = lengths.map((length) => {
    const region = { offset: at, length };
    at += length + GAP;
    return region;
  });
  return { regions, items: at };
}

/** Bytes of poison, with the items of each region in its place. */
function laidOut(
  type: ElementType,
  items: number,
  pieces: readonly (readonly [Region, AnyArray])[],
): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((items * type.bytes) / 4) * 4).fill(POISON);
  for (const [{ offset }, piece] of pieces) {
    bytes.set(
      new Uint8Array(piece.buffer as ArrayBuffer, piece.byteOffset, piece.byteLength),
      offset * type.bytes,
    );
  }
  return bytes;
}

const bufferOf = (device: GPUDevice, bytes: Uint8Array): GPUBuffer =>
  storageBuffer(device, new Uint32Array(bytes.buffer as ArrayBuffer));

/** Every item of every region as expected, and poison everywhere else. */
async function expectRegions(
  device: GPUDevice,
  buffer: GPUBuffer,
  type: ElementType,
  pieces: readonly (readonly [Region, AnyArray])[],
  title: string,
): Promise<void> {
  const bytes = new Uint8Array((await readWords(device, buffer)).buffer as ArrayBuffer);
  const rest = bytes.slice();
  for (const [{ offset, length }, expected] of pieces) {
    const from = offset * type.bytes;
    const actual = arrayLike(expected, bytes.slice(from, from + expected.length * type.bytes).buffer);
    expectSameBits(comparable(actual), comparable(expected), `${title}, length ${length}`);
    rest.fill(POISON, from, from + expected.length * type.bytes);
  }
  const touched = rest.findIndex((byte) => byte !== POISON);
  if (touched >= 0) {
    throw new Error(`${title}: byte ${touched} was written, which lies outside all ranges`);
  }
}

const tuning = { workGroupSize: 4, itemsPerThread: 2 } as const;
/** Of threads that take vectors of items. */
const wideTuning = { workGroupSize: 4, itemsPerThread: 4 } as const;
/** Around a thread's items, the tiles of both, and one and two levels of spine. */
const lengths = [0, 1, 2, 7, 8, 9, 15, 17, 29, 63, 64, 65, 131, 257, 513];

type Record = (encoder: GPUCommandEncoder | GPUComputePassEncoder, index: number) => void;

/** Records for every region: the even ones into the encoder itself, the odd ones together into a pass. */
function submitAll(device: GPUDevice, count: number, record: Record): void {
  const encoder = device.createCommandEncoder();
  for (let index = 0; index < count; index += 2) {
    record(encoder, index);
  }
  const pass = encoder.beginComputePass();
  for (let index = 1; index < count; index += 2) {
    record(pass, index);
  }
  pass.end();
  device.queue.submit([encoder.finish()]);
}

/** A scan and a reduction of all lengths at offsets in buffers, and the scan in place. */
async function checkRecorded(
  fold: Fold,
  type: ElementType,
  op: Operator<string>,
  algorithm: Algorithm,
  exclusive: boolean,
): Promise<void> {
  const { device } = fold;
  const tuned = op.name === affine.name ? wideTuning : tuning;
  const options = { type, op, algorithm, maxLength: Math.max(...lengths), ...tuned } as const;
  const [scan, reduce] = await Promise.all([
    fold.prepareScan({ ...options, exclusive }),
    fold.prepareReduce(options),
  ]);
  const data = lengths.map((length) => itemsFor(type, op, length, `${type.name} ${op.name} ${length}`));
  const { regions, items } = regionsOf(lengths);
  const input = regions.map((region, index) => [region, data[index] as AnyArray] as const);
  const single = regionsOf(lengths.map(() => 1));
  const source = bufferOf(device, laidOut(type, items, input));
  const output = bufferOf(device, laidOut(type, items, []));
  const inPlace = bufferOf(device, laidOut(type, items, input));
  const reduced = bufferOf(device, laidOut(type, single.items, []));
  const ranges = (from: GPUBuffer, to: GPUBuffer, places: readonly Region[]): Ranges[] =>
    regions.map((region, index) => ({
      input: { buffer: from, offset: region.offset * type.bytes },
      output: { buffer: to, offset: (places[index]?.offset ?? 0) * type.bytes },
      length: region.length,
    }));
  const apart = ranges(source, output, regions);
  const same = ranges(inPlace, inPlace, regions);
  const toOne = ranges(source, reduced, single.regions);
  // In place, the order of operations may be another one.
  const prefixesOn = (all: readonly Ranges[]) =>
    regions.map((region, index) => {
      const grouping = scan.groupingOf(all[index] as Ranges);
      return [region, scanReference(data[index] as AnyArray, { type, op, exclusive, grouping })] as const;
    });
  const totals = single.regions.map((region, index) => {
    const own = data[index] as AnyArray;
    const grouping = reduce.groupingOf(toOne[index] as Ranges);
    return [region, itemOf(own, type, reduceReference(own, { type, op, grouping }) as Value)] as const;
  });
  submitAll(device, lengths.length, (encoder, index) => {
    scan.record(encoder, apart[index] as Ranges);
    scan.record(encoder, same[index] as Ranges);
    reduce.record(encoder, toOne[index] as Ranges);
  });
  const title = exclusive ? "exclusive scan" : "scan";
  await expectRegions(device, output, type, prefixesOn(apart), title);
  await expectRegions(device, inPlace, type, prefixesOn(same), `${title} in place`);
  await expectRegions(device, reduced, type, totals, "reduce");
  await expectRegions(device, source, type, input, "input");
  for (const one of [scan, reduce, source, output, inPlace, reduced]) {
    one.destroy();
  }
}

/**
 * The algorithms of a row. What they do does not depend on the type, and a software adapter compiles each
 * for a second: the portable ones, which every host has, take turns, and rows that count run all.
 */
const algorithmsOf = (row: number, all: boolean): readonly Algorithm[] =>
  all ? algorithmNames : [portableOf(row)];
const portableOf = (row: number): Algorithm => (row % 2 === 0 ? "hillis-steele" : "blelloch");

/** A struct's kernels take the longest to compile: one portable algorithm and that by subgroups are enough. */
const recordedOf = (row: number, type: ElementType, op: Operator<string>): readonly Algorithm[] =>
  op === (chain as Operator<string>)
    ? [portableOf(row), "subgroup"]
    : algorithmsOf(
        row,
        op === (affine as Operator<string>) || (type === (f64 as ElementType) && op.name === "add"),
      );

const recordedCases: Case[] = rows.flatMap(([type, op], row) =>
  recordedOf(row, type, op).map((algorithm, column) => ({
    name: `${type.name} ${op.name}, ${algorithm}: scan and reduce, recorded`,
    ofCompiler: true,
    async run(bench: Bench) {
      requireFeatures(bench, type, algorithm);
      await checkRecorded(bench.fold, type, op, algorithm, ((row >> 1) + column) % 2 === 0);
    },
  })),
);

const predicates: readonly (readonly [ElementType, string, (value: never, index: number) => boolean])[] = [
  [u32, "x % 3u == 1u", (value: number) => value % 3 === 1],
  [f32, "x > 0.5f || i == 1u", (value: number, index: number) => value > 0.5 || index === 1],
  [f16, "x > 0.5h", (value: number) => value > 0.5],
  [u64, "less_u64(vec2(7u, 1u), x)", (value: bigint) => value > 0x1_0000_0007n],
  [f64, "less_f64(f64_from_i32(-1), x)", (value: number) => value > -1],
  [span, "x.count > 500u", (value: { count: number }) => value.count > 500],
];

/** Kept items and their positions, by a predicate and by flags, recorded; what is not written stays poison. */
async function checkCompact(
  fold: Fold,
  type: ElementType,
  where: string,
  keep: (value: Value, index: number) => boolean,
  algorithm: Algorithm,
): Promise<void> {
  const { device } = fold;
  const own = lengths.filter((length) => length !== 2);
  const tuned = type === (u32 as ElementType) ? wideTuning : tuning;
  const options = { type, algorithm, maxLength: Math.max(...own), ...tuned } as const;
  const [byPredicate, positions] = await Promise.all([
    fold.prepareCompact({ ...options, where }),
    fold.prepareCompact({ ...options, indices: true }),
  ]);
  const data = own.map((length) => randomItems(type, length, `compact ${type.name} ${length}`));
  const kept = data.map((items) => compactReference(items, keep as never, { type }));
  const places = data.map((items) => compactReference(items, keep as never, { type, indices: true }));
  const flagsOf = (items: AnyArray): Uint32Array =>
    Uint32Array.from({ length: items.length }, (_, index) =>
      keep(valuesOf(items, type)(index), index) ? 7 : 0,
    );
  const { regions, items } = regionsOf(own);
  const single = regionsOf(own.map(() => 1));
  const pair = <T>(over: readonly Region[], values: readonly T[]) =>
    over.map((region, index) => [region, values[index] as T] as const);
  const source = bufferOf(device, laidOut(type, items, pair(regions, data)));
  const flags = bufferOf(device, laidOut(u32, items, pair(regions, data.map(flagsOf))));
  const output = bufferOf(device, laidOut(type, items, []));
  const indices = bufferOf(device, laidOut(u32, items, []));
  const counts = [0, 1].map(() => bufferOf(device, laidOut(u32, single.items, []))) as [GPUBuffer, GPUBuffer];
  submitAll(device, own.length, (encoder, index) => {
    const region = regions[index] as Region;
    const at = (buffer: GPUBuffer, bytes: number, place = region) => ({
      buffer,
      offset: place.offset * bytes,
    });
    const count = (buffer: GPUBuffer) => at(buffer, 4, single.regions[index]);
    const length = own[index] ?? 0;
    byPredicate.record(encoder, {
      input: at(source, type.bytes),
      output: at(output, type.bytes),
      count: count(counts[0]),
      length,
    });
    positions.record(encoder, {
      flags: at(flags, 4),
      output: at(indices, 4),
      count: count(counts[1]),
      length,
    });
  });
  const expectedCounts = pair(
    single.regions,
    places.map((one) => Uint32Array.of(one.length)),
  );
  await expectRegions(device, output, type, pair(regions, kept), "items");
  await expectRegions(device, indices, u32, pair(regions, places), "positions");
  await expectRegions(device, counts[0], u32, expectedCounts, "count by predicate");
  await expectRegions(device, counts[1], u32, expectedCounts, "count by flags");
  for (const one of [byPredicate, positions, source, flags, output, indices, ...counts]) {
    one.destroy();
  }
}

const compactCases: Case[] = predicates.flatMap(([type, where, keep], row) =>
  algorithmsOf(row, row === 0).map((algorithm) => ({
    name: `${type.name}, ${algorithm}: compact, recorded`,
    ofCompiler: true,
    async run(bench: Bench) {
      requireFeatures(bench, type, algorithm);
      await checkCompact(
        bench.fold,
        type,
        where,
        keep as (value: Value, index: number) => boolean,
        algorithm,
      );
    },
  })),
);

/** Typed arrays in and out, with the tuning that the library chooses, or this one. */
export async function checkAtHand(
  fold: Fold,
  type: ElementType,
  length: number,
  kinds: readonly ("inclusive" | "exclusive")[] = ["inclusive"],
  tuned: TuningOptions = {},
): Promise<void> {
  const op = (
    type === (span as ElementType) ? chain : type === (f64 as ElementType) ? max : add
  ) as Operator<string>;
  const data = itemsFor(type, op, length, `at hand ${type.name} ${length}`);
  const options = { type, op, ...tuned } as const;
  for (const kind of kinds) {
    const exclusive = kind === "exclusive";
    expectSameBits(
      comparable(await fold.scan(data, { ...options, exclusive })),
      comparable(scanReference(data, { type, op, exclusive })),
      `${kind} scan of ${length}`,
    );
  }
  expectSameBits(
    comparable(itemOf(data, type, (await fold.reduce(data, options)) as Value)),
    comparable(itemOf(data, type, reduceReference(data, { type, op }) as Value)),
    `reduce of ${length}`,
  );
  const next = randomBits(`flags ${length}`);
  const flags = Array.from({ length }, () => next() % 3 === 0);
  expectSameBits(
    await fold.compact(data, { type, flags, ...tuned }),
    compactReference(data, (_, index) => flags[index] ?? false, { type }),
    `compact of ${length}`,
  );
}

/** Lengths, and the kernels of the default tuning, which compile slowly in software, are for a few types. */
const atHandCases: Case[] = [u32, i32, f32, f16, u64, i64, f64, span].map((type, row) => {
  const all = type === u32;
  const byDefault = [u32, f64, span].includes(type as never);
  return {
    name: `${type.name}: at hand, with ${byDefault ? "the default tuning" : "small tiles"}`,
    ...(all ? ({ quick: "in a worker" } as const) : ({ ofCompiler: true } as const)),
    async run(bench: Bench) {
      requireFeatures(bench, type);
      for (const length of all ? [0, 1, 1023, 1024, 1025, 5000] : [0, 1, 700, 1025]) {
        await checkAtHand(
          bench.fold,
          type,
          length,
          all ? ["inclusive", "exclusive"] : [row % 2 === 0 ? "inclusive" : "exclusive"],
          byDefault ? {} : tuning,
        );
      }
    },
  };
});

/** Every bit pattern of f16: the numbers in ascending order, and a NaN among them now and then. */
function everyF16(): Uint16Array {
  const negative = Array.from({ length: 0x7c01 }, (_, at) => 0xfc00 - at);
  const positive = Array.from({ length: 0x7c01 }, (_, at) => at);
  const nans = Array.from({ length: 0x3ff }, (_, at) => [0x7c01 + at, 0xfc01 + at]).flat();
  const between = (negative.length + positive.length) / nans.length;
  return Uint16Array.from(
    [...negative, ...positive]
      .flatMap((bits, at) => (at % between < 1 ? [bits, ...nans.splice(-1)] : [bits]))
      .concat(nans),
  );
}

/** By vectors of eight items, and item by item. */
const f16Tunings = [
  { workGroupSize: 64, itemsPerThread: 8 },
  { workGroupSize: 64, itemsPerThread: 2 },
] as const;

const Halves = struct({ name: "Halves", fields: { key: f16, value: f16 } });
const Three = struct({ name: "Three", fields: { key: f16, value: f16, other: f16 } });

const f16Cases: Case[] = [
  {
    name: "f16: every bit pattern",
    async run(bench) {
      requireFeatures(bench, f16);
      const ascending = everyF16();
      if (new Set(ascending).size !== 0x10000) {
        throw new Error("some pattern is missing");
      }
      for (const tuned of f16Tunings) {
        const options = { ...tuned, type: f16 } as const;
        const title = `${tuned.itemsPerThread} items a thread`;
        // A prefix maximum of ascending numbers is each number itself; and a parity changes with each that is not zero.
        for (const op of [max, min, logicalXor]) {
          const data = op === min ? ascending.slice().reverse() : ascending;
          const expected = scanReference(data, { op, type: f16 });
          expectSameBits(await bench.fold.scan(data, { ...options, op }), expected, `${op.name}, ${title}`);
        }
        const kept = await bench.fold.compact(ascending, { ...options, where: "i != 7u" });
        expectSameBits(
          kept,
          ascending.filter((_, at) => at !== 7),
          `moved, ${title}`,
        );
      }
    },
  },
  {
    name: "f16: in structs of 4 and 6 bytes",
    async run(bench) {
      requireFeatures(bench, f16);
      for (const type of [Halves, Three] as readonly StructType[]) {
        const next = randomBits(type.name);
        const identity = Object.fromEntries(Object.keys(type.fields).map((field) => [field, -Infinity]));
        const op = operator({
          name: "greatest_key",
          type,
          identity,
          combine: "if (later.key >= earlier.key) { return later; }\nreturn earlier;",
          reference: (earlier, later) => (Number(later.key) >= Number(earlier.key) ? later : earlier),
        });
        const items = type.from(
          Array.from({ length: 1025 }, () => ({
            ...identity,
            key: (next() % 2049) - 1024,
            value: ((next() % 2049) - 1024) / 64,
          })),
        );
        for (const tuned of f16Tunings) {
          const options = { ...tuned, op } as const;
          const title = `${type.bytes} bytes, ${tuned.itemsPerThread} items a thread`;
          expectSameBits(await bench.fold.scan(items, options), scanReference(items, { op }), title);
        }
      }
    },
  },
];

/** Scans of u32 with nothing chosen, of one tile up to three levels of them. */
const plainCase: Case = {
  name: "u32 with nothing chosen",
  async run({ fold }: Bench) {
    for (const length of [1, 512, 3 * 512 + 5, 1024, 3 * 1024 + 5, 512 ** 2 + 1]) {
      const data = anyItems("u32", length, `plain ${length}`) as Uint32Array<ArrayBuffer>;
      expectSameBits(await fold.scan(data), scanReference(data), `sum, ${length}`);
      const least = { op: min, exclusive: true };
      expectSameBits(await fold.scan(data, least), scanReference(data, least), `least, ${length}`);
    }
  },
};

/** Exact sums of f32 of all binades, whose bits no adapter and no plan changes. */
const exactCase: Case = {
  name: "f32: exact sums",
  ofCompiler: true,
  async run({ fold }: Bench) {
    const words = bitsOf(anyItems("f32", 3000, "exact sums")) as Uint32Array;
    // A prefix behind an infinity or NaN shows nothing.
    const finite = words.map((bits) => (((bits >> 23) & 0xff) === 0xff ? bits & 0x80ffffff : bits));
    const data = new Float32Array(finite.buffer as ArrayBuffer);
    const sum = await fold.reduce(data, { op: exactAdd });
    expectSameBits(Float32Array.of(sum), Float32Array.of(reduceReference(data, { op: exactAdd })), "sum");
    expectSameBits(
      await fold.scan(data, { op: exactAdd }),
      scanReference(data, { op: exactAdd }),
      "prefixes",
    );
  },
};

/**
 * Exact sums in tiles, which software adapters otherwise do without. Compilers may change floats' order of operations where WGSL lets them:
 * Mesa's does. f64 has integers alone, and takes minutes to compile on lavapipe.
 */
const exactTilesCase: Case = {
  name: "exact sums in tiles, as on a GPU",
  ofCompiler: true,
  async run({ host }: Bench) {
    const fold = await host.open();
    const context = contextOf(fold.device);
    context.facts = { ...context.facts, software: false };
    for (const float of floats.filter(({ type }) => type !== f64)) {
      const { type } = float;
      if (type.feature !== undefined && !fold.device.features.has(type.feature)) {
        continue;
      }
      const itemsPerThread = type === f16 ? 8 : 4;
      const sizes = { algorithm: "hillis-steele", workGroupSize: 4, itemsPerThread } as const;
      const tile = 4 * itemsPerThread;
      const finite = awkwardSums(float).flat().filter(Number.isFinite);
      const all = [
        tiledItems(float, 60, tile, "hosts"),
        spreadItems(float, 5 * tile + 1, "hosts", 30),
        floatsOf(float, [...finite, Infinity]),
      ];
      for (const [at, data] of all.entries()) {
        const given = { op: exactAdd, type } as never;
        const options = { op: exactAdd, type, ...sizes } as never;
        const [sum, total] = [await fold.reduce(data, options), reduceReference(data, given)];
        expectSameBits(valuesAs(type.name, [sum]), valuesAs(type.name, [total]), `${type.name}, sum ${at}`);
        expectSameBits(
          (await fold.scan(data, options)) as AnyArray,
          scanReference(data, given) as AnyArray,
          `${type.name}, prefixes ${at}`,
        );
      }
    }
    fold.destroy();
  },
};

/** Maps to the same size, to another, and to a struct. */
const mapCases: Case[] = mapRows
  .filter(({ title }) => /place|to u64|24 bytes/.test(title))
  .map((row) => ({
    name: `map: ${row.title}`,
    ofCompiler: true,
    async run({ fold }: Bench) {
      const { from, type, op, map } = row;
      for (const length of [0, 1, 700]) {
        const data = itemsOf(row, length, `map ${length}`);
        const prefixes = await fold.scan(data, { from, type, op, map, ...tuning } as never);
        expectSameBits(prefixes, scanReference(data, twinOf(row)), `scan of ${length}`);
      }
    },
  }));

/** A chain of calls on arrays that stay on the GPU, from an upload and from a buffer that is wrapped. */
const onGpuCase: Case = {
  name: "u32: a chain on the GPU",
  quick: "everywhere",
  async run({ fold }) {
    const tuning = { workGroupSize: 4, itemsPerThread: 4 } as const;
    for (const length of [0, 1, 700]) {
      const data = Uint32Array.from({ length }, (_, at) => (at * 2654435761) >>> 9);
      const buffer = storageBuffer(fold.device, Uint32Array.of(7, 7, ...data));
      for (const a of [await fold.upload(data), await fold.wrap({ buffer, type: u32, offset: 8 })]) {
        const kept = await fold.compact(a, { where: "x % 2u == 1u", ...tuning });
        const sums = await fold.scan(kept, { exclusive: true, ...tuning });
        const total = await fold.reduce(sums, { op: max, ...tuning });
        const expected = scanReference(
          data.filter((x) => x % 2 === 1),
          { exclusive: true },
        );
        expectSameBits(await sums.read(), expected, `sums of ${length}`);
        expectSameBits(
          await total.read(),
          Uint32Array.of(reduceReference(expected, { op: max })),
          `the greatest of ${length}`,
        );
        for (const one of [a, kept, sums, total]) {
          one.destroy();
        }
      }
      buffer.destroy();
    }
  },
};

export const resultCases: readonly Case[] = [
  onGpuCase,
  ...recordedCases,
  ...compactCases,
  ...atHandCases,
  plainCase,
  exactCase,
  exactTilesCase,
  ...f16Cases,
  ...mapCases,
];
