import { expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { vec3 } from "../../src/algebra/fields.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { argSort as argSortOnCpu, sort as sortOnCpu } from "../../src/cpu/sort_loops.ts";
import { argSort, sort } from "../../src/primitives/sort.ts";
import { argSortReference, sortReference } from "../../src/reference/sort.ts";
import { anyItems, arrayOfBits, randomBits, randomItems, valuesAs } from "../support/random.ts";
import type { SortCall, Typed } from "./sort_calls.ts";
import { bytesOf, elementsAt, expectSame, fewItems, onCpu, referenceOptions } from "./sort_calls.ts";

const { u32, i32, f32, f64, f16, u64, i64 } = elementTypes;
const types = [u32, i32, f32, f16, u64, i64, f64];
const lengths = [0, 1, 2, 3, 12, 13, 160, 161, 255, 256, 257, 400, 401, 1000, 4000];

type Order = Readonly<Record<string, unknown>>;

/** Compares the positions, the elements, and the elements with values, with those of the reference. */
async function compare(
  typed: Typed,
  options: Order,
  values: readonly NonNullable<SortCall["values"]>[] = [],
  twin?: SortCall["twin"],
): Promise<void> {
  const call: SortCall = { ...typed, options, ...(twin && { twin }) };
  const what = `${typed.array.length} ${typed.type.name} ${JSON.stringify(options, (_, x) => x?.name ?? x)}`;
  const positions = argSortReference(
    typed.array as Uint32Array,
    referenceOptions(typed.type, options, twin) as never,
  );
  const [found] = await onCpu(argSort, argSortOnCpu, call);
  expectSame(found, bytesOf(positions), `argSort ${what}`);
  const sorted = elementsAt(typed, positions);
  const [alone] = await onCpu(sort, sortOnCpu, call);
  expect(alone?.constructor).toBe(typed.type.kind === "struct" ? Uint32Array : typed.array.constructor);
  expectSame(alone, sorted, `sort ${what}`);
  for (const moved of values) {
    const [keys, ...others] = await onCpu(sort, sortOnCpu, { ...call, values: moved });
    expectSame(keys, sorted, `keys ${what}`);
    const list = [moved].flat() as Typed[];
    expect(others.length).toBe(list.length);
    list.forEach((one, place) => {
      expectSame(others[place], elementsAt(one, positions), `values ${one.type.name} ${what}`);
    });
  }
}

const valuesFor = (type: ElementType, length: number): Typed => ({
  type,
  array: randomItems(type, length, `values ${type.name} ${length}`),
});

test.each(types)("$name: sorts are those of the reference at each length, in both orders", async (type) => {
  for (const length of lengths) {
    const any = { type, array: anyItems(type.name, length, `any ${type.name} ${length}`) };
    const few = { type, array: fewItems(type.name, length) };
    for (const descending of [false, true]) {
      for (const typed of [any, few]) {
        await compare(typed, { descending }, [
          valuesFor(u32, length),
          [valuesFor(f16, length), valuesFor(i64, length)],
        ]);
      }
    }
  }
});

test.each(types)("$name: 70 000 elements", async (type) => {
  const any = { type, array: anyItems(type.name, 70_000, `long ${type.name}`) };
  await compare(any, {}, [valuesFor(f32, 70_000)]);
  await compare({ type, array: fewItems(type.name, 70_000) }, { descending: true }, [valuesFor(u32, 70_000)]);
});

test.each(types)("$name: elements are sorted by some of their bits", async (type) => {
  const width = 8 * type.bytes;
  const half = width / 2;
  const ranges = [
    [0, 1],
    [0, half],
    [half, width],
    [half - 1, half + 1],
    [3, width - 1],
    [1, width],
    [width - 1, width],
    [5, half - 1],
  ];
  for (const length of [3, 12, 100, 300, 1000, 4000]) {
    for (const bits of ranges) {
      const any = anyItems(type.name, length, `bits ${type.name} ${length}`);
      await compare({ type, array: any }, { bits, descending: length % 3 === 0 }, [valuesFor(u32, length)]);
      await compare({ type, array: fewItems(type.name, length) }, { bits }, [valuesFor(u32, length)]);
    }
  }
});

test.each(types)("$name: elements that are in order already, or in the opposite one", async (type) => {
  for (const length of [13, 300, 1000]) {
    const array = sortReference(
      anyItems(type.name, length, `ordered ${type.name}`) as Uint32Array,
      { type } as never,
    );
    for (const descending of [false, true]) {
      await compare({ type, array }, { descending }, [valuesFor(f32, length)]);
      await compare({ type, array }, { descending, segments: { rows: length } });
    }
  }
});

test.each([f32, f16, f64])("$name: NaNs of all bits keep their order, behind all others", async (type) => {
  const width = BigInt(8 * type.bytes);
  const infinity = { 2: 0x7c00n, 4: 0x7f800000n, 8: 0x7ff0000000000000n }[type.bytes] as bigint;
  const next = randomBits(`nan ${type.name}`);
  const nans = Array.from({ length: 500 }, (_, place) => {
    const sign = BigInt(next() & 1) << (width - 1n);
    return place % 5 === 0 ? BigInt(next() & 0x7fff) : sign | infinity | BigInt(1 + (next() % 1023));
  });
  for (const count of [2, 11, 90, 500]) {
    const array = arrayOfBits(type.name, nans.slice(0, count));
    await compare({ type, array }, {}, [valuesFor(u32, count)]);
    await compare({ type, array }, { descending: true }, [valuesFor(u32, count)]);
  }
});

test.each([u64, i64, f64])(
  "$name: runs of equal high words of each length are sorted by the low ones",
  async (type) => {
    for (const [length, run] of [
      [30, 2],
      [1000, 9],
      [1000, 40],
      [2000, 300],
      [4500, 700],
      [8000, 4000],
      [5000, 5000],
    ] as const) {
      const next = randomBits(`runs ${type.name} ${run}`);
      const many = Math.ceil(length / run);
      const bits = Array.from(
        { length },
        () => (BigInt(0x3ff00000 + (next() % many)) << 32n) | BigInt(next() >>> (next() % 32)),
      );
      const array = arrayOfBits(type.name, bits);
      for (const descending of [false, true]) {
        await compare({ type, array }, { descending }, [valuesFor(u64, length)]);
      }
      await compare({ type, array }, { bits: [20, 50] });
    }
  },
);

test.each(types)("$name: segments are sorted each on its own", async (type) => {
  const any = { type, array: anyItems(type.name, 6000, `segments ${type.name}`) };
  for (const rows of [1, 2, 12, 100, 300, 600, 3000, 6000]) {
    const options = { segments: { rows }, descending: rows % 3 === 0 };
    await compare(any, options, [valuesFor(u32, 6000)]);
    await compare({ type, array: fewItems(type.name, 6000) }, options, [valuesFor(u64, 6000)]);
  }
  await compare({ type, array: anyItems(type.name, 600, `short ${type.name}`) }, { segments: { rows: 100 } });
  const offsets = Uint32Array.of(0, 0, 1, 3, 3, 20, 120, 500, 1500, 5900, 6000, 6000);
  await compare(any, { segments: { offsets }, maxSegmentLength: 8 }, [valuesFor(u32, 6000)]);
  await compare(any, { segments: { offsets }, bits: [3, 8 * type.bytes - 1] });
  await compare({ type, array: valuesAs(type.name, []) }, { segments: { offsets: [0] } });
});

const body = struct({ name: "Body", fields: { at: vec3(f32), mass: f64, id: u64, kind: f16 } });

test("structs are moved whole, by a key of each type", async () => {
  const array = randomItems(body, 700, "bodies");
  for (const [key, keyType, twin] of [
    ["x.at.y", f32, (x: { at: number[] }) => x.at[1]],
    ["x.mass", f64, (x: { mass: number }) => x.mass],
    ["x.id", u64, (x: { id: bigint }) => x.id],
    ["x.kind", f16, (x: { kind: number }) => x.kind],
  ] as const) {
    for (const descending of [false, true]) {
      const options = { key, keyType, descending };
      await compare({ type: body, array }, options, [valuesFor(body, 700)], twin as never);
    }
  }
});

test("numbers are sorted by a key of another type", async () => {
  const array = anyItems("u32", 1000, "keyed");
  const twin = (x: number) => Math.fround(-(x % 7)) as never;
  const options = { key: "-f32(x % 7u)", keyType: f32 };
  await compare({ type: u32, array }, options, [valuesFor(u32, 1000), [valuesFor(f64, 1000)]], twin as never);
  await compare({ type: u32, array }, { ...options, bits: [23, 32] }, [], twin as never);
});

test("a key that the CPU has no code for is left to another machine", async () => {
  const call = { type: u32, array: Uint32Array.of(3, 1), options: { key: "f(x)" } };
  await expect(onCpu(sort, sortOnCpu, call)).rejects.toThrow("the CPU has no loop for sort<u32>");
  await expect(onCpu(argSort, argSortOnCpu, call)).rejects.toThrow("the CPU has no loop for argSort<u32>");
});

test("an array that starts in the middle of its memory", async () => {
  const words = new Uint32Array(5000).map((_, place) => Math.imul(place, 0x9e3779b1));
  const array = new Float64Array(words.buffer, 8, 2000);
  await compare({ type: f64, array }, {}, [{ type: i32, array: new Int32Array(words.buffer, 4, 2000) }]);
  expect(sortReference(array).length).toBe(2000);
});
