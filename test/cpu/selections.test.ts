import { expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { vec3 } from "../../src/algebra/fields.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, TypeName } from "../../src/algebra/types.ts";
import { nth as nthOnCpu, topK as topKOnCpu } from "../../src/cpu/selection_loops.ts";
import { nth } from "../../src/primitives/nth.ts";
import { topK } from "../../src/primitives/top_k.ts";
import { argSortReference, topKReference } from "../../src/reference/sort.ts";
import { anyItems, randomBits, randomItems } from "../support/random.ts";
import type { SortCall, Typed } from "./sort_calls.ts";
import { bytesOf, elementsAt, expectSame, fewItems, onCpu, referenceOptions } from "./sort_calls.ts";

const { u32, i32, f32, f64, f16, u64, i64 } = elementTypes;
const types = [u32, i32, f32, f16, u64, i64, f64];

type Options = Readonly<Record<string, unknown>>;

/** The positions of all elements in order, as the reference has them. */
const order = ({ type, array }: Typed, options: Options, twin?: SortCall["twin"]): Uint32Array =>
  argSortReference(array as Uint32Array, referenceOptions(type, options, twin) as never);

/** Compares the first elements of each row, and their positions, for several numbers of them. */
async function compareTopK(
  typed: Typed,
  { smallest = false, ...options }: Options,
  ks: readonly number[],
  twin?: SortCall["twin"],
): Promise<void> {
  const all = order(typed, { ...options, descending: !smallest }, twin);
  const { rows = Math.max(1, all.length) } = (options.segments ?? {}) as { readonly rows?: number };
  for (const k of ks) {
    const positions = all.filter((_, at) => at % rows < k);
    const call = { ...typed, options: { ...options, smallest, k }, ...(twin && { twin }) };
    const [values, indices, ...others] = await onCpu(topK, topKOnCpu, call);
    const what = `${k} of ${all.length} ${typed.type.name} ${JSON.stringify(options, (_, x) => x?.name ?? x)}`;
    expectSame(indices, bytesOf(positions), `positions of ${what}`);
    expectSame(values, elementsAt(typed, positions), `values of ${what}`);
    expect(others).toEqual([]);
  }
}

/** Compares elements, and their positions, at several places of an order. */
async function compareNth(
  typed: Typed,
  options: Options,
  ns: readonly number[],
  twin?: SortCall["twin"],
): Promise<void> {
  const all = order(typed, options, twin);
  for (const n of ns) {
    const call = { ...typed, options: { ...options, n }, ...(twin && { twin }) };
    const [value, index] = await onCpu(nth, nthOnCpu, call);
    const what = `${n} of ${all.length} ${typed.type.name} ${JSON.stringify(options, (_, x) => x?.name ?? x)}`;
    expectSame(index, bytesOf(all.slice(n, n + 1)), `position of ${what}`);
    expectSame(value, elementsAt(typed, all.slice(n, n + 1)), `value of ${what}`);
  }
}

/** Random elements of a type, and such that many are equal. */
const kinds = (type: ElementType, length: number): readonly Typed[] =>
  [
    anyItems(type.name as TypeName, length, `any ${type.name} ${length}`),
    fewItems(type.name as TypeName, length) as AnyArray,
  ].map((array) => ({ type, array }));

test.each(types)("$name: the first elements are those of the reference at each length", async (type) => {
  for (const length of [0, 1, 2, 3, 63, 64, 65, 255, 256, 257, 1000, 1499, 1500, 4000]) {
    for (const typed of kinds(type, length)) {
      for (const smallest of [false, true]) {
        await compareTopK(typed, { smallest }, [1, 2, 31, 32, 33, 100, 750, length + 9]);
      }
    }
  }
});

test.each(types)("$name: each element of an order is that of the reference", async (type) => {
  for (const length of [1, 2, 3, 255, 256, 257, 1000, 1499, 1500, 4000]) {
    for (const typed of kinds(type, length)) {
      for (const descending of [false, true]) {
        const places = [0, 1, length >> 2, length >> 1, length - 2, length - 1];
        await compareNth(
          typed,
          { descending },
          places.filter((n) => n >= 0 && n < length),
        );
      }
    }
  }
});

test.each(types)("$name: selections of 70 000 elements", async (type) => {
  const [any, few] = kinds(type, 70_000) as [Typed, Typed];
  await compareTopK(any, {}, [10, 500, 30_000]);
  await compareNth(few, {}, [0, 35_000, 69_999]);
});

test.each(types)("$name: selections by some of the keys' bits", async (type) => {
  const width = 8 * type.bytes;
  const half = width / 2;
  for (const bits of [
    [0, 1],
    [0, half],
    [half, width],
    [half - 1, half + 1],
    [3, width - 1],
  ]) {
    for (const typed of kinds(type, 3000)) {
      await compareTopK(typed, { bits, smallest: half % 3 === 0 }, [7, 40, 900]);
      await compareNth(typed, { bits, descending: half % 3 === 0 }, [0, 1100, 2999]);
    }
  }
});

test.each(types)("$name: the first elements of each row", async (type) => {
  for (const rows of [1, 2, 10, 60, 100, 2000, 3000, 6000]) {
    for (const typed of kinds(type, 6000)) {
      await compareTopK(typed, { segments: { rows }, smallest: rows % 3 === 0 }, [1, 5, 32, 40, 700, 2500]);
    }
  }
});

test.each(types)("$name: as many of each row and segment as it has a number for", async (type) => {
  const next = randomBits(`numbers ${type.name}`);
  const length = 6000;
  const ends = Array.from({ length: 40 }, () => next() % (length + 1)).sort((a, b) => a - b);
  const each = (count: number, below: number): readonly number[] =>
    Array.from({ length: count }, () => next() % below);
  for (const typed of kinds(type, length)) {
    for (const [segments, k] of [
      [{ rows: 60 }, each(100, 9)],
      [{ rows: 60 }, Array(100).fill(0)],
      [{ rows: 3000 }, [2, 2999]],
      [{ rows: 2000 }, [4, 0, 0xffffffff]],
      [{ offsets: [0, ...ends, length] }, each(41, 300)],
      [{ begins: ends.slice(0, -1), ends: ends.slice(1) }, each(39, 40)],
    ] as const) {
      for (const smallest of [false, true]) {
        const made = await onCpu(topK, topKOnCpu, { ...typed, options: { segments, k, smallest } });
        const { values, indices, offsets } = topKReference(typed.array as Uint32Array, k, {
          segments,
          smallest,
          type: type as never,
        });
        const what = `${type.name} ${JSON.stringify(segments)} ${smallest}`;
        for (const [at, array] of [values, indices, offsets].entries()) {
          expectSame(made[at], bytesOf(array), what);
        }
      }
    }
  }
});

test("elements that rise and fall, so that each one is put first, or none", async () => {
  const rising = Uint32Array.from({ length: 5000 }, (_, at) => at >> 1);
  for (const array of [rising, rising.slice().reverse()]) {
    for (const smallest of [false, true]) {
      await compareTopK({ type: u32, array }, { smallest }, [1, 31, 32, 33, 2000]);
    }
    await compareNth({ type: u32, array }, {}, [0, 2500, 4999]);
  }
});

test.each([u64, f64])("$name: elements that differ in their low words alone", async (type) => {
  const next = randomBits(`low ${type.name}`);
  const words = Uint32Array.from({ length: 8000 }, (_, at) =>
    at % 2 === 1 ? 0x40000000 + (next() % 3) : next(),
  );
  const array = type.name === "u64" ? new BigUint64Array(words.buffer) : new Float64Array(words.buffer);
  await compareTopK({ type, array }, {}, [20, 1300]);
  await compareNth({ type, array }, {}, [5, 1300, 1400, 3999]);
});

const body = struct({ name: "Body", fields: { at: vec3(f32), mass: f64, id: u64, kind: f16 } });

test("structs are selected by a key", async () => {
  for (const length of [200, 3000]) {
    const typed = { type: body, array: randomItems(body, length, "bodies") };
    for (const [options, twin] of [
      [{ key: "x.at.z" }, (x: { at: number[] }) => x.at[2]],
      [{ key: "x.mass" }, (x: { mass: number }) => x.mass],
      [{ key: "x.kind + 1h", keyType: f16 }, (x: { kind: number }) => x.kind + 1],
    ] as const) {
      const keyType = "keyType" in options ? f16 : options.key === "x.mass" ? f64 : f32;
      await compareTopK(typed, { ...options, keyType }, [1, 20, 90], twin as never);
      await compareNth(typed, { ...options, keyType, descending: true }, [0, 99], twin as never);
    }
  }
});

test("a key that the CPU has no code for is left to another machine", async () => {
  const call = { type: u32, array: Uint32Array.of(3, 1) };
  for (const [of, run, name] of [
    [topK, topKOnCpu, "topK"],
    [nth, nthOnCpu, "nth"],
  ] as const) {
    const options = { key: "f(x)", k: 1, n: 1 };
    const made = onCpu(of as never, run, { ...call, options });
    await expect(made).rejects.toThrow(`the CPU has no loop for ${name}<u32>`);
  }
});
