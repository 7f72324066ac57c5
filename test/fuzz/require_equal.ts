import type { AnyArray } from "../../src/algebra/arrays.ts";
import { bytesOf } from "./values.ts";
import { Fault } from "./verdict.ts";

/** @throws {Fault} where two arrays differ in a bit. */
export function requireEqual(actual: unknown, expected: AnyArray, title: string): void {
  const array = actual as AnyArray;
  if (typeof array?.length !== "number" || typeof array.byteLength !== "number") {
    throw new Fault(`${title} gives no array`);
  }
  if (array.length !== expected.length || array.constructor !== expected.constructor) {
    throw new Fault(
      `${title} gives ${array.constructor.name} of ${array.length} items instead of ${expected.constructor.name} of ${expected.length}`,
    );
  }
  const a = bytesOf(array);
  const e = bytesOf(expected);
  const wrong = e.findIndex((byte, at) => byte !== a[at]);
  if (wrong >= 0) {
    const size = e.length / expected.length;
    throw new Fault(
      `${title}: item ${Math.floor(wrong / size)} of ${expected.length} is wrong: byte ${wrong} is ${a[wrong]}, and should be ${e[wrong]}`,
    );
  }
}
