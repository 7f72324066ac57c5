import { afterAll, beforeAll, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { Fold } from "../../src/gpu/fold.ts";
import { openFold } from "../../src/node.ts";
import { randomBits } from "../support/random.ts";

// Selections whose result goes into the memory that they read, and into other memory, behind whose result nothing may change.

let fold: Fold;
beforeAll(async () => {
  fold = await openFold({ cpu: "always" });
});
afterAll(() => {
  expect(() => Fold.contextOf(fold).device, "a call needed a device").toThrow("cpu");
  fold.destroy();
});

const { f16, f32, f64, i32, u32, u64 } = elementTypes;
const Pair = struct({ name: "Pair", fields: { a: u32, b: f32 } }) as unknown as ElementType;
const Six = struct({
  name: "Six",
  fields: { a: u32, b: u32, c: u32, d: u32, e: u32, f: u32 },
}) as unknown as ElementType;
const types: readonly ElementType[] = [u32, i32, f32, f16, u64, f64, Pair, Six];

/** Where the data and the result begin in one memory, in elements; undefined for memory of the result's own. */
const places = [undefined, [0, 0], [3, 3], [0, 3], [3, 0]] as const;
const lengths = [0, 1, 40];
const ROOM = 48;

/** Conditions that keep elements by their index: none, all, the first, the last, some. */
const conditions: readonly (readonly [string, (i: number, length: number) => boolean])[] = [
  ["i == 4000u", () => false],
  ["i < 4000u", () => true],
  ["i < 3u", (i) => i < 3],
  ["let third = i / 3u;\nreturn third * 3u == i;", (i) => i % 3 === 0],
  ["i % 5u != 2u && i != 9u", (i) => i % 5 !== 2 && i !== 9],
];

const bytesIn = (array: AnyArray): Uint8Array<ArrayBuffer> => {
  const { buffer, byteOffset, byteLength } = array as unknown as Uint8Array;
  return new Uint8Array((buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength));
};

test.each(types)("$name", async (type) => {
  const next = randomBits(`in place ${type.name}`);
  for (const length of lengths) {
    for (const place of places) {
      for (const indices of [false, true]) {
        for (const isFlagged of [undefined, false, true]) {
          for (const [where, holds] of conditions) {
            const own = new ArrayBuffer(ROOM * Math.max(4, type.bytes));
            new Uint32Array(own).forEach((_, at, words) => {
              words[at] = next();
            });
            const [from, to] = place ?? [0, 0];
            const memory = place === undefined ? own.slice() : own;
            const result = indices ? u32 : type;
            const data = arrayOver(type, own, from * type.bytes, length) as Uint32Array;
            const into = arrayOver(result, memory, to * Math.max(type.bytes, 4), length + 2) as Uint32Array;
            const flags = Uint8Array.from({ length }, () => next() % 2);
            const isKept = (i: number): boolean =>
              (isFlagged === undefined || flags[i] !== 0) && (isFlagged === true || holds(i, length));
            const kept = Array.from({ length }, (_, i) => i).filter(isKept);
            const before = bytesIn(data);
            const expected = bytesIn(into);
            const item = (i: number): Uint8Array =>
              indices
                ? new Uint8Array(Uint32Array.of(i).buffer)
                : before.subarray(i * type.bytes, (i + 1) * type.bytes);
            kept.forEach((i, at) => {
              expected.set(item(i), at * result.bytes);
            });
            const title = `${length} at ${place}, ${indices}, ${isFlagged}, ${where}`;
            const options = {
              type,
              ...(isFlagged !== true && { where }),
              ...(isFlagged !== undefined && { flags }),
              indices,
            };
            const found = await fold.compact(data, { ...options, into } as never);
            expect(found.length, title).toBe(kept.length);
            expect(bytesIn(into), title).toEqual(expected);
          }
        }
      }
    }
  }
});

test("a map whose results are longer than the items that they lie over", async () => {
  const memory = new ArrayBuffer(8 * 300);
  const data = new Uint32Array(memory, 0, 300).map((_, at) => (at * 7) % 11);
  new Uint32Array(memory).set(data);
  const into = new Float64Array(memory);
  const found = await fold.compact(new Uint32Array(memory, 0, 300), {
    type: f64,
    map: "f64(x) / 2",
    where: "x > 4u",
    into,
  });
  expect([...found]).toEqual([...data].filter((x) => x > 4).map((x) => x / 2));
});
