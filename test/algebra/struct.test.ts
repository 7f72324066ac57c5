import { describe, expect, test } from "vitest";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { StructFields } from "../../src/algebra/struct.ts";
import { struct } from "../../src/algebra/struct.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import { ArgumentError } from "../../src/errors.ts";

const mixed = struct({ name: "Mixed", fields: { a: f16, b: u64, c: f16, d: i32, e: f64, f: u32, g: i64 } });

test("fields lie where WGSL puts them", () => {
  expect(mixed.offsets).toEqual({ a: 0, b: 8, c: 16, d: 20, e: 24, f: 32, g: 40 });
  expect(mixed.bytes).toBe(48);
});

test("values go in and come out, field by field", () => {
  const value = { a: 0.5, b: 2n ** 64n - 1n, c: -2, d: -7, e: 0.1, f: 0xffffffff, g: -(2n ** 63n) };
  const array = mixed.array(3);
  array.set(1, value);
  expect(array.get(1)).toEqual(value);
  expect([...array]).toEqual([mixed.array(1).get(0), value, mixed.array(1).get(0)]);
  const view = new DataView(array.buffer, mixed.bytes);
  expect(view.getFloat64(24, true)).toBe(0.1);
  expect(view.getUint32(8, true)).toBe(0xffffffff);
  const inside = mixed.over(array.buffer, mixed.bytes, 1);
  expect([inside.length, inside.byteOffset, inside.byteLength]).toEqual([1, 48, 48]);
  expect(inside.get(0)).toEqual(value);
  expect(mixed.from([value, value]).length).toBe(2);
});

describe("errors", () => {
  const make = (name: string, fields: unknown) => () => struct({ name, fields: fields as StructFields });
  const many = Object.fromEntries("abcdefghi".split("").map((name) => [name, f64]));
  test.each<[string, () => unknown, string]>([
    ["lower case", make("pair", { a: u32 }), "struct pair: the name starts with a lower-case letter"],
    [
      "a reserved name",
      make("Self", { a: u32 }),
      "struct Self: Self is a reserved word of WGSL; choose another, such as Self_",
    ],
    ...["type", "get", "self", "fn", "partition"].map((name): [string, () => unknown, string] => [
      `a field called ${name}`,
      make("Some", { [name]: u32 }),
      `struct Some, field ${name}: ${name} is a reserved word of WGSL; choose another, such as ${name}_`,
    ]),
    ["no name", make("", { a: u32 }), 'struct: name is ""; it takes letters'],
    ["no fields", make("Empty", {}), "struct Empty: there are no fields"],
    ["no type", make("Bad", { a: "u32" }), "struct Bad, field a: u32 is not an element type"],
    ["too small", make("Small", { a: f16 }), "struct Small: it takes 2 bytes; a struct takes 4 to 64"],
    ["too large", make("Large", many), "struct Large: it takes 72 bytes; a struct takes 4 to 64"],
    ["nested", make("Outer", { a: mixed }), "struct Outer, field a: Mixed is a struct; a field takes u32"],
    ["no such place", () => mixed.array(2).get(2), "Mixed: index is 2; the array holds 2 structs"],
    ["no length", () => mixed.array(-1), "Mixed.array: length is -1; it takes a whole number"],
    [
      "more than 2^32 - 1",
      () => mixed.array(2 ** 40),
      "Mixed.array: length is 1099511627776; it takes a whole number from 0 to 2^32 - 1",
    ],
    [
      "more bytes than there is memory",
      () => mixed.array(2 ** 32 - 1),
      "Mixed.array: 4294967295 elements of Mixed take 206158430160 bytes, and there is no memory for an array of as many",
    ],
    [
      "half a byte",
      () => mixed.over(new ArrayBuffer(96), 0.5, 1),
      "Mixed.over: byteOffset is 0.5, and length is 1;",
    ],
    [
      "half a struct",
      () => mixed.over(new ArrayBuffer(96), 0, 0.5),
      "Mixed.over: byteOffset is 0, and length is 0.5;",
    ],
    [
      "an offset of none",
      () => mixed.over(new ArrayBuffer(96), Number.NaN),
      "Mixed.over: byteOffset is NaN, and",
    ],
    ["not enough bytes", () => mixed.over(new ArrayBuffer(48), 0, 2), "Mixed.over: 2 structs of 48 bytes"],
    [
      "a missing field",
      () => struct({ name: "Two", fields: { a: u32, b: f32 } }).from([{ a: 1 } as never]),
      "Two at 0: b: undefined is no value of f32, which takes a number",
    ],
    [
      "a value out of range",
      () => struct({ name: "One", fields: { a: u32 } }).from([{ a: -1 }]),
      "One at 0: a: -1 is no value of u32; the nearest is 4294967295",
    ],
    [
      "a number for a u64",
      () => struct({ name: "Wide", fields: { a: u64 } }).from([{ a: 1 as never }]),
      "Wide at 0: a: 1 is no value of u64, which takes a bigint",
    ],
  ])("%s", (_, action, message) => {
    expect(action).toThrow(ArgumentError);
    expect(action).toThrow(message);
  });
});
