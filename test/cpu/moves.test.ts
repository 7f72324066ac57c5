import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, ScalarType } from "../../src/algebra/types.ts";
import { placeOfBest } from "../../src/cpu/arg_min_max.ts";
import type { CpuArray, FindClasses, Numbers } from "../../src/cpu/call.ts";
import { byFlags, partitionByClasses, selectBy } from "../../src/cpu/moves.ts";
import { classText } from "../../src/cpu/texts.ts";
import { argMaxReference, argMinReference } from "../../src/reference/arg_min_max.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { partitionReference } from "../../src/reference/partition.ts";
import { expectSameBits } from "../support/compare.ts";
import { anyItems, randomBits, randomItems, valuesAs } from "../support/random.ts";
import { cpuArray } from "./calls.ts";

const scalars = Object.values(elementTypes) as readonly ScalarType[];
const { f16, u32, u64 } = elementTypes;
const Mixed = struct({ name: "Mixed", fields: { a: u32, b: u64, c: f16 } });
const types: readonly ElementType[] = [...scalars, Mixed as unknown as ElementType];
const lengths = [0, 1, 2, 3, 255, 256, 257, 1000, 5000];

/** What a result may go into: a new array, one of its own, one longer than it, or the data. */
const rooms = ["new", "other", "data"] as const;

/** The data again, and where the result goes. */
function roomFor(data: CpuArray, room: (typeof rooms)[number], indices: boolean) {
  const copy: CpuArray = { ...data, numbers: data.numbers.slice() as Numbers };
  const other = indices ? new Uint32Array(data.length) : (data.numbers.slice().reverse() as Numbers);
  const isData = room === "data" && !indices;
  const output = room === "new" ? undefined : isData ? copy.numbers : other;
  return { data: copy, ...(output && { output }), indices };
}

/** The first elements of a result. */
const firstOf = (numbers: Numbers, bytes: number): Uint16Array =>
  new Uint16Array(new Uint8Array(numbers.buffer as ArrayBuffer, numbers.byteOffset, bytes).slice().buffer);
const halvesOf = (array: AnyArray): Uint16Array =>
  firstOf(array as unknown as Numbers, (array as unknown as Numbers).byteLength);

/** Classes that stand in an array beside, by the loop of a text. */
const classesIn =
  (from: ScalarType, numbers: Numbers): FindClasses =>
  (_, ...found) =>
    classText({ text: "x", from })?.(numbers, numbers.length, [], ...found);

describe.each(types)("$name", (type) => {
  test("compactions and partitions by flags", () => {
    const next = randomBits(`flags ${type.name}`);
    for (const length of lengths) {
      const items = randomItems(type, length, `flags ${length}`);
      const flags = Uint32Array.from({ length }, () => [0, 1, 0x80000000, 0, 6][next() % 5] as number);
      for (const kept of [flags, flags.map(() => 0), flags.map(() => 2)]) {
        for (const room of rooms) {
          for (const indices of [false, true]) {
            const title = `${length} items, ${room}, ${indices}`;
            const options = { type: type as never, indices: indices as true };
            const keep = (_: unknown, at: number): boolean => kept[at] !== 0;
            const compacted = halvesOf(compactReference(items as Uint32Array, keep, options));
            const into = roomFor(cpuArray(type, items), room, indices);
            const before = into.output?.slice();
            const one = selectBy(into, byFlags(kept), false);
            expectSameBits(firstOf(one.values, compacted.byteLength), compacted, title);
            expect([...one.counts]).toEqual([kept.filter((flag) => flag !== 0).length]);
            if (before) {
              const bytesBehind = (array: Numbers) =>
                firstOf(array, array.byteLength).subarray(compacted.length);
              expectSameBits(bytesBehind(one.values), bytesBehind(before as Numbers), `behind ${title}`);
            }
            const parted = partitionReference(items as Uint32Array, keep, options);
            const both = selectBy(roomFor(cpuArray(type, items), room, indices), byFlags(kept), true);
            expectSameBits(firstOf(both.values, both.values.byteLength), halvesOf(parted.values), title);
            expect([...both.counts]).toEqual([parted.count]);
          }
        }
      }
    }
  });

  test("partitions by classes", () => {
    const next = randomBits(`classes ${type.name}`);
    for (const length of lengths) {
      const items = randomItems(type, length, `classes ${length}`);
      for (const classes of [1, 2, 5, 16]) {
        const numbers = Float32Array.from({ length }, () =>
          next() % 9 === 0 ? Number.NaN : (next() % (classes + 6)) / 2 - 1.5,
        );
        const room = rooms[next() % 3] as (typeof rooms)[number];
        const indices = next() % 2 === 0;
        const expected = partitionReference(items as Uint32Array, (_, at) => numbers[at] as number, {
          type: type as never,
          classes,
          indices: indices as true,
        });
        const into = roomFor(cpuArray(type, items), room, indices);
        const made = partitionByClasses(into, classesIn(elementTypes.f32, numbers), classes);
        const title = `${length} items in ${classes} classes`;
        expectSameBits(firstOf(made.values, made.values.byteLength), halvesOf(expected.values), title);
        expectSameBits(made.counts, expected.offsets, title);
      }
    }
  });
});

test.each(scalars)("classes that are $name", (type) => {
  const length = 3000;
  const data = { type: u32, length, numbers: Uint32Array.from({ length }, (_, at) => at) };
  const numbers = valuesAs(
    type.name,
    Array.from({ length }, (_, at) => (at % 9) - (type.kind === "unsigned" ? 0 : 2)),
  );
  const made = partitionByClasses({ data }, classesIn(type, cpuArray(type, numbers).numbers), 4);
  const classOf = (at: number): number => {
    const number = (at % 9) - (type.kind === "unsigned" ? 0 : 2);
    return number >= 0 && number < 3 ? number : 3;
  };
  expectSameBits(
    made.values,
    partitionReference(data.numbers, (_, at) => classOf(at), { classes: 4 }).values,
    type.name,
  );
});

test.each(scalars)("the least and the greatest $name", (type) => {
  const next = randomBits(`best ${type.name}`);
  const isFloat = type.kind === "float";
  const few = (length: number) =>
    Array.from({ length }, () => (isFloat ? ([-0, 0, Number.NaN][next() % 3] as number) : next() % 3));
  for (const length of [1, 2, 3, 5, 255, 256, 257, 1000]) {
    for (let round = 0; round < 20; round++) {
      for (const data of [
        anyItems(type.name, length, `best ${length} ${round}`),
        valuesAs(type.name, few(length)),
        valuesAs(type.name, Array(length).fill(type.greatest)),
        valuesAs(type.name, Array(length).fill(type.lowest)),
      ]) {
        const array = cpuArray(type, data);
        const options = { type: type as never };
        expect(placeOfBest("argMin", array)).toBe(argMinReference(data as Uint32Array, options).index);
        expect(placeOfBest("argMax", array)).toBe(argMaxReference(data as Uint32Array, options).index);
      }
    }
  }
});
