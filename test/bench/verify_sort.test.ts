import { describe, expect, it } from "vitest";
import { sourceOf } from "../../bench/buffers.ts";
import type { BenchTypeName } from "../../bench/elements.ts";
import { benchTypes, CHUNK, elementsOf } from "../../bench/elements.ts";
import { verifyPairs, verifySort } from "../../bench/verify_sort.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { argSortReference, sortReference } from "../../src/reference/sort.ts";

// More than one chunk, and keys of which several are equal.
const LENGTH = CHUNK + 5;
const types = ["u32", "i32", "f32", "f16", "u64", "i64", "f64"] as const satisfies readonly BenchTypeName[];
type Sorted = (typeof types)[number];

function dataOf(type: Sorted, length: number): AnyArray {
  const bytes = new Uint8Array(length * benchTypes[type].type.bytes);
  const elements = elementsOf(type, "add", length);
  let filled = 0;
  for (let chunk = elements.next(); chunk !== undefined; chunk = elements.next()) {
    bytes.set(chunk.bytes, filled);
    filled += chunk.bytes.byteLength;
  }
  return arrayOver(benchTypes[type].type, bytes.buffer);
}

const bytesOf = (array: AnyArray): Uint8Array =>
  new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength);

describe.each(types)("sorts of %s", (type) => {
  const question = { type, op: "add", length: LENGTH } as const;
  const data = dataOf(type, LENGTH);
  const like = type === "f16" ? { type: benchTypes.f16.type } : {};
  const sorted = sortReference(data, like as never) as AnyArray;
  const positions = argSortReference(data, like as never);
  const keysAre = (keys: AnyArray) => verifySort(question, { output: sourceOf(bytesOf(keys)) });
  const pairsAre = (keys: AnyArray, places: Uint32Array) =>
    verifyPairs(question, { output: sourceOf(bytesOf(keys)), positions: sourceOf(bytesOf(places)) });

  it("takes what the reference has", async () => {
    expect(await keysAre(sorted)).toBe(undefined);
    expect(await pairsAre(sorted, positions)).toBe(undefined);
  });

  it("sees one other key, in the last place too", async () => {
    for (const at of [0, LENGTH - 1]) {
      const wrong = (sorted as Uint32Array).slice();
      wrong[at] = wrong[at === 0 ? LENGTH - 1 : 0] as number;
      expect(await keysAre(wrong)).toMatch(new RegExp(`^key ${at} is .*, and the CPU has `));
      expect(await pairsAre(wrong, positions)).toMatch(
        new RegExp(`^pair ${at}, .* has another key than the data`),
      );
    }
  });

  it("sees places that come twice, that are no places, and pairs out of order", async () => {
    const twice = positions.slice();
    twice[LENGTH - 1] = positions[LENGTH - 2] as number;
    expect(await pairsAre(sorted, twice)).toMatch(/ is there twice, or has no place in the data$/);
    const behind = positions.slice();
    behind[3] = LENGTH;
    expect(await pairsAre(sorted, behind)).toMatch(
      /^pair 3, .* is there twice, or has no place in the data$/,
    );
    expect(
      await pairsAre(
        data,
        Uint32Array.from({ length: LENGTH }, (_, at) => at),
      ),
    ).toMatch(/ comes after /);
  });
});

it("sees equal keys that change their order", async () => {
  const data = dataOf("f32", LENGTH) as Float32Array;
  const sorted = sortReference(data);
  const positions = argSortReference(data);
  const at = sorted.findIndex((key, index) => key === sorted[index + 1]);
  expect(at).toBeGreaterThan(-1);
  [positions[at], positions[at + 1]] = [positions[at + 1] as number, positions[at] as number];
  const question = { type: "f32", op: "add", length: LENGTH } as const;
  const found = await verifyPairs(question, {
    output: sourceOf(bytesOf(sorted)),
    positions: sourceOf(bytesOf(positions)),
  });
  expect(found).toMatch(new RegExp(`^pair ${at + 1}, .* comes after `));
});
