import { describe, expect, it } from "vitest";
import type { BenchTypeName, OperatorName } from "../../bench/elements.ts";
import {
  benchTypes,
  CHUNK,
  decode,
  elementsOf,
  firstDifference,
  keptOf,
  operatorOn,
  opNames,
  referenceScan,
  room,
  wordsOf,
} from "../../bench/elements.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { monoid } from "../../src/algebra/monoid.ts";
import type { StructType } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";

const LENGTH = 700;
const types = Object.keys(benchTypes) as BenchTypeName[];
const takes = (type: BenchTypeName, op: OperatorName): boolean => {
  try {
    monoid(operatorOn(op, type) as Operator, benchTypes[type].type as ElementType, "test");
    return true;
  } catch {
    return false;
  }
};
const cases = types.flatMap((type) =>
  opNames.filter((op) => takes(type, op)).map((op) => [type, op] as const),
);

/** All of an operator's data, as an array of the package's. */
function arrayOf(type: BenchTypeName, bytes: Uint8Array): AnyArray {
  const { buffer } = bytes.slice();
  const arrays = {
    u32: Uint32Array,
    i32: Int32Array,
    f32: Float32Array,
    f16: Uint16Array,
    u64: BigUint64Array,
    i64: BigInt64Array,
    f64: Float64Array,
  } as const;
  return type === "struct16"
    ? (benchTypes.struct16.type as unknown as StructType).over(buffer as ArrayBuffer)
    : (new arrays[type](buffer as ArrayBuffer) as AnyArray);
}

/** The numbers or words of an array of the package's, as the bench reads them. */
const wordsIn = (type: BenchTypeName, data: AnyArray) =>
  decode(type, new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength));

describe.each(cases)("%s, %s", (type, op) => {
  const options = { type: benchTypes[type].type, op: operatorOn(op, type) } as never;

  it("has the prefixes and the total of the package's reference", () => {
    const chunk = elementsOf(type, op, LENGTH).next();
    if (chunk === undefined) {
      throw new Error("there is a chunk");
    }
    const data = arrayOf(type, chunk.bytes);
    expect(data.length).toBe(LENGTH);
    for (const exclusive of [true, false]) {
      const reference = referenceScan(type, op, exclusive);
      const into = room(type);
      reference.scan(chunk, into);
      const expected = wordsIn(type, scanReference(data, { ...(options as object), exclusive } as never));
      expect(firstDifference(expected, into, LENGTH * wordsOf(type))).toBe(-1);
      const total = reduceReference(data, options);
      const values = typeof total === "object" ? Object.values(total as object) : [total];
      const own = reference.total();
      expect(values.map((one) => (typeof one === "bigint" ? BigInt.asUintN(64, one) : Number(one)))).toEqual(
        type === "u64" || type === "i64"
          ? [new BigUint64Array((own as Int32Array).slice().buffer)[0]]
          : [...own].map((one) =>
              type === "i32" || benchTypes[type].type.kind === "float" ? one : one >>> 0,
            ),
      );
    }
  });

  it("goes on changing: what a tile loses shows", () => {
    const length = 4096;
    const reference = referenceScan(type, op, false);
    const chunk = elementsOf(type, op, length).next();
    const into = room(type);
    if (chunk === undefined) {
      throw new Error("there is a chunk");
    }
    reference.scan(chunk, into);
    const half = (length / 2) * wordsOf(type);
    const later = new Set(into.subarray(half, length * wordsOf(type)));
    // Once a logicalAnd is 0, or a logicalOr 1, it stays so.
    expect(later.size).toBeGreaterThan(op === "logicalOr" ? 0 : 1);
  });
});

describe("floats", () => {
  it.each(["f32", "f16", "f64"] as const)("%s: no sum of a run of elements is rounded", (type) => {
    const length = 16 * CHUNK + 5;
    const elements = elementsOf(type, "add", length);
    let [sum, least, most, count] = [0, 0, 0, 0];
    for (let chunk = elements.next(); chunk !== undefined; chunk = elements.next()) {
      count += chunk.count;
      for (const value of chunk.values.subarray(0, chunk.count)) {
        sum += value;
        least = Math.min(least, sum);
        most = Math.max(most, sum);
      }
    }
    expect(count).toBe(length);
    const exact = { f32: 2 ** 24, f16: 2 ** 11, f64: 2 ** 53 }[type];
    expect(most - least).toBeLessThanOrEqual(exact);
    expect(most - least).toBeGreaterThan(100);
  });
});

describe("compaction", () => {
  it.each(types)("%s: half of the elements are kept", (type) => {
    const chunk = elementsOf(type, "add", CHUNK).next();
    if (chunk === undefined) {
      throw new Error("there is a chunk");
    }
    const into = room("u32");
    const kept = keptOf(type, chunk, 7, true, into);
    expect(kept / CHUNK).toBeGreaterThan(0.48);
    expect(kept / CHUNK).toBeLessThan(0.52);
    expect(into[0]).toBeGreaterThanOrEqual(7);
  });
});
