import { describe, expect, expectTypeOf, test } from "vitest";
import { problemOf } from "../../src/algebra/check_value.ts";
import { operator } from "../../src/algebra/custom_operator.ts";
import { fixedArray, leavesOf, scalarAt, vec2, vec3, vec4, writeValue } from "../../src/algebra/fields.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import { monoid } from "../../src/algebra/monoid.ts";
import { i16, u8 } from "../../src/algebra/narrow_types.ts";
import { add } from "../../src/algebra/operators.ts";
import { optionalDomain } from "../../src/algebra/optional_element.ts";
import type { StructArray, StructFields, StructType, StructValueOf } from "../../src/algebra/struct.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ScalarType } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import { wgslType } from "../../src/algebra/wgsl_type.ts";
import { ArgumentError } from "../../src/errors.ts";
import { workGroupReduce } from "../../src/in_kernel/functions.ts";
import { segmentedMonoid } from "../../src/kernels/segments.ts";
import { mapOf } from "../../src/plan/map.ts";
import { requireKey } from "../../src/plan/sort_key.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { compileKernel } from "../support/buffers.ts";
import { untyped, useFold } from "../support/fold.ts";
import { withLittleMemory } from "../support/no_memory.ts";
import { randomBits, randomItems } from "../support/random.ts";
import { randomStruct, scalarsKernel } from "../support/structs.ts";

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

const inner = struct({ name: "Inner", fields: { key: u32, at: vec2(f32) } });
const otherInner = struct({ name: "Inner", fields: { at: vec2(f32), key: u32 } });

describe("vectors, arrays and structs as fields", () => {
  const Outer = struct({
    name: "Outer",
    fields: { time: f16, position: vec3(f32), inner, list: fixedArray(fixedArray(u32, 1), 2) },
  });

  test("lie where WGSL puts them", () => {
    expect(Outer.offsets).toEqual({ time: 0, position: 16, inner: 32, list: 48 });
    expect(Outer.bytes).toBe(64);
    expect([vec2(f32), vec3(f32), vec4(f32)].map(({ bytes }) => bytes)).toEqual([8, 12, 16]);
    const halves = struct({ name: "Halves", fields: { a: vec2(f16), b: vec3(f16), c: f16, d: vec4(f16) } });
    expect(halves.offsets).toEqual({ a: 0, b: 8, c: 14, d: 16 });
    const behind = struct({ name: "Behind", fields: { a: vec3(f32), b: u32, c: fixedArray(vec3(i32), 2) } });
    expect(behind.offsets).toEqual({ a: 0, b: 12, c: 16 });
    expect(behind.bytes).toBe(48);
    expect(behind.fields.c).toMatchObject({ kind: "array", count: 2, stride: 16, bytes: 32 });
  });

  test("declare the structs that they need, each once and before it is used", () => {
    const Twice = struct({ name: "Twice", fields: { a: inner, b: fixedArray(inner, 2) } });
    expect(Twice.declaration).toBe(
      [
        "struct Inner {\n  key: u32,\n  at: vec2<f32>,\n}",
        "struct Twice {\n  a: Inner,\n  b: array<Inner, 2>,\n}",
      ].join("\n"),
    );
    const same = struct({ name: "Inner", fields: { key: u32, at: vec2(f32) } });
    expect(
      struct({ name: "Both", fields: { a: inner, b: same } }).declaration.match(/struct Inner/g),
    ).toEqual(["struct Inner"]);
  });

  test("have values that are arrays and objects", () => {
    const value = {
      time: 0.5,
      position: [1, -0, Number.POSITIVE_INFINITY],
      inner: { key: 7, at: [0.25, -1] },
      list: [[3], [0xffffffff]],
    } as const;
    const array = Outer.from([value, Outer.array(1).get(0), value]);
    expect([...array]).toEqual([
      value,
      { time: 0, position: [0, 0, 0], inner: { key: 0, at: [0, 0] }, list: [[0], [0]] },
      value,
    ]);
    const view = new DataView(array.buffer, 2 * Outer.bytes);
    expect(view.getFloat32(16, true)).toBe(1);
    expect(view.getUint32(32, true)).toBe(7);
    expect(view.getFloat32(44, true)).toBe(-1);
    expect(view.getUint32(52, true)).toBe(0xffffffff);
    expect(Outer.over(array.buffer, Outer.bytes * 2, 1).get(0)).toEqual(value);
  });

  test("have precise types", () => {
    type Value = StructValueOf<{
      readonly a: typeof u32;
      readonly b: ReturnType<typeof vec3<"f32">>;
      readonly c: typeof inner;
    }>;
    expectTypeOf<Value["b"]>().toEqualTypeOf<readonly [x: number, y: number, z: number]>();
    const got = Outer.array(1).get(0);
    expectTypeOf(got).toEqualTypeOf<{
      readonly time: number;
      readonly position: readonly [x: number, y: number, z: number];
      readonly inner: { readonly key: number; readonly at: readonly [x: number, y: number] };
      readonly list: readonly (readonly number[])[];
    }>();
    const Wide = struct({ name: "Wide", fields: { a: fixedArray(u64, 2), b: vec4(f16), c: f64 } });
    expectTypeOf(Wide.array(1).get(0)).toEqualTypeOf<{
      readonly a: readonly bigint[];
      readonly b: readonly [x: number, y: number, z: number, w: number];
      readonly c: number;
    }>();
    // Arrays in what a twin returns are tuples where a vector is asked for.
    operator({
      name: "moved",
      type: Outer,
      identity: { ...got, position: [1, 2, 3] },
      combine: "later",
      reference: (one) => ({ ...one, position: [one.position[0], 2, 3], inner: { key: 1, at: [1, 2] } }),
    });
    expectTypeOf(Outer.fields.time).toEqualTypeOf<ScalarType>();
    expectTypeOf(Outer.offsets.position).toEqualTypeOf<number>();
    () => {
      // @ts-expect-error a vector has three numbers.
      Outer.from([{ ...got, position: [1, 2] }]);
      const short = { name: "short", type: Outer, identity: got, combine: "later" } as const;
      // @ts-expect-error nor may a twin return two.
      operator({ ...short, reference: (one) => ({ ...one, position: [1, 2] }) });
      // @ts-expect-error a nested struct has its own fields.
      Outer.from([{ ...got, inner: { key: 1 } }]);
      // @ts-expect-error an array of u64 holds bigints.
      Wide.from([{ ...Wide.array(1).get(0), a: [1, 2] }]);
      // @ts-expect-error WGSL has no vectors of u64.
      vec2(u64);
      // @ts-expect-error a vector is no element type.
      workGroupReduce({ type: vec2(f32), op: add, workGroupSize: 32 });
    };
  });

  test.each<[string, unknown, string]>([
    [
      "a number for a vector",
      { position: 1 },
      "position: 1 is no value of vec3<f32>, which takes an array of 3 values of f32",
    ],
    ["too few", { position: [1, 2] }, "position: [1, 2] is no value of vec3<f32>, which takes an array of 3"],
    [
      "a typed array",
      { position: Float32Array.of(1, 2, 3) },
      "position: a Float32Array is no value of vec3<f32>",
    ],
    [
      "a number out of range",
      { position: [1, 2, -1e39] },
      "position[2]: -1e+39 is no value of f32; the nearest is -Infinity",
    ],
    ["a number past f16", { time: 65520 }, "time: 65520 is no value of f16; the nearest is Infinity"],
    [
      "a fraction",
      { inner: { key: 0.5, at: [0, 0] } },
      "inner.key: 0.5 is no value of u32, which takes whole numbers",
    ],
    [
      "a missing number",
      { position: [1, undefined, 3] },
      "position[1]: undefined is no value of f32, which takes a number",
    ],
    ["no struct", { inner: 3 }, "inner: 3 is no value of Inner, which takes { key, at }"],
    ["no object", { inner: null }, "inner: null is no value of Inner, which takes { key, at }"],
    [
      "a stranger",
      { inner: { key: 1, at: [0, 0], more: 1 } },
      "inner: { key: 1, at: [0, 0], more: 1 } has a field more, and Inner has key, at",
    ],
    [
      "a part of a part",
      { inner: { key: 1, at: [0, "1"] } },
      'inner.at[1]: "1" is no value of f32, which takes a number',
    ],
    [
      "an array of arrays",
      { list: [[1], [-1]] },
      "list[1][0]: -1 is no value of u32; it wraps to 4294967295",
    ],
    [
      "one array for several",
      { list: [1, 2] },
      "list[0]: 1 is no value of array<u32, 1>, which takes an array of 1 values of u32",
    ],
  ])("say which part is no value: %s", (_, changes, message) => {
    const value = { ...Outer.array(1).get(0), ...(changes as object) };
    expect(problemOf(Outer, value)).toContain(message);
    const set = (): void => Outer.array(2).set(1, value as never);
    expect(set).toThrow(ArgumentError);
    expect(set).toThrow(`Outer at 1: ${message}`);
    const make = (): unknown =>
      operator({ name: "any", type: Outer, identity: value as never, combine: "later" });
    expect(make).toThrow(`operator any: the identity ${message}`);
  });

  test("take the nearest value of a float in its range, and no other integers", () => {
    const f = Math.fround(0.1);
    const given = { time: 65519, position: [0.1, 3.4028235e38, NaN], inner: { key: -0, at: [-0, Infinity] } };
    const most = 2 ** 128 - 2 ** 104;
    const taken = { time: 65504, position: [f, most, NaN], inner: { key: 0, at: [-0, Infinity] } };
    const list = [[1], [2]];
    expect(Outer.from([{ ...given, list } as never]).get(0)).toEqual({ ...taken, list });
    const identity = { ...given, list } as never;
    expect(operator({ name: "any", type: Outer, identity, combine: "later" }).identity).toEqual({
      ...taken,
      list,
    });
    expect(operator({ name: "any", type: f32, identity: 0.1, combine: "later" }).identity).toBe(f);
    // A twin of the caller's computes with exact values, so it has to give them.
    expect(problemOf(Outer, { ...taken, position: [0.1, 0, 0], list })).toBe(
      "position[0]: 0.1 is no value of f32; the nearest is 0.10000000149011612",
    );
  });

  test("round to the nearest value, part by part", () => {
    const near = {
      time: 0.1,
      position: [0.1, 2, 3],
      inner: { key: -1, at: [0.1, 0] },
      list: [[-1], [2 ** 32]],
    };
    const f = Math.fround(0.1);
    expect(Outer.round(near as never)).toEqual({
      time: f16.round(0.1),
      position: [f, 2, 3],
      inner: { key: 0xffffffff, at: [f, 0] },
      list: [[0xffffffff], [0]],
    });
    const round = (changes: object) => () => Outer.round({ ...near, ...changes } as never);
    expect(round({ position: [1, 2] })).toThrow("position: [1, 2] is no value of vec3<f32>");
    expect(round({ inner: undefined })).toThrow("inner: undefined is no value of Inner");
    expect(round({ list: [[1], 2] })).toThrow("list[1]: 2 is no value of array<u32, 1>");
  });

  test("name the parts of a sort's key", () => {
    const typeOf = (key: string, type: StructType = Outer as never) =>
      requireKey({ key }, type, "sort").type.name;
    expect(typeOf("x.time")).toBe("f16");
    expect(typeOf("x.position.z")).toBe("f32");
    expect(typeOf(" x . position [ 2u ] ")).toBe("f32");
    expect(typeOf("x.position.b")).toBe("f32");
    expect(typeOf("x.inner.key")).toBe("u32");
    expect(typeOf("x.list[1][0]")).toBe("u32");
    for (const key of ["x.position", "x.inner", "x.list[1]"]) {
      expect(() => typeOf(key), key).toThrow(
        `sort: key is ${JSON.stringify(key)}, of ${{ "x.position": "vec3<f32>", "x.inner": "Inner" }[key] ?? "array<u32, 1>"}; it takes a scalar of it`,
      );
    }
    for (const key of [
      "x.position.w",
      "x.position.xy",
      "x.inner.more",
      "x.list[2][0]",
      "x.position.z + 1.0",
      "x.list.x",
    ]) {
      expect(() => typeOf(key), key).toThrow("keyType is undefined; it takes the type that the key");
    }
  });

  test("are refused where only whole elements go", () => {
    expect(() => reduceReference(Float32Array.of(1), { type: vec3(f32) as never })).toThrow(
      "vec3<f32> is not an element type; it takes u32, i32, f32, f16, u64, i64, f64, or struct(…)",
    );
    expect(() => workGroupReduce({ type: fixedArray(f32, 2), op: add, workGroupSize: 32 } as never)).toThrow(
      ArgumentError,
    );
  });

  test("are apart from others of the same names in a map", () => {
    const Other = struct({ name: "Other", fields: { inner: otherInner } });
    expect(() => mapOf({ map: "x.inner.key", from: Outer }, Other, "scan", new Set(["shader-f16"]))).toThrow(
      "scan: Outer and Other hold different structs that are both called struct Inner; rename one",
    );
  });
});

test("bytes and offsets of any nested type are WGSL's", () => {
  const next = randomBits("nested types");
  for (let at = 0; at < 300; at++) {
    const type = randomStruct(`Any${at}`, next);
    // This type is read from its WGSL, by rules of its own.
    const { bytes, native } = wgslType({ name: "any", wgsl: type.name, declarations: type.declaration });
    expect([type.bytes, type.native.align], type.declaration).toEqual([bytes, native.align]);
    const first = operator({ name: "first", type, identity: type.array(1).get(0), combine: "earlier" });
    const own = monoid(untyped(first), type, "test");
    const { domain } = segmentedMonoid(own, { heads: { kind: "rows" }, exclusive: false, initial: false });
    const declarations = `${type.declaration}\nstruct Segmented { value: ${type.name}, heads: u32 }`;
    const segmented = wgslType({ name: "any", wgsl: "Segmented", declarations });
    expect(domain.elementBytes, type.declaration).toBe(segmented.bytes);
    // An element of an operator that has no identity: the fields, and a flag.
    const { elementBytes, conversions = "" } = optionalDomain(type);
    const optional = wgslType({
      name: "any",
      wgsl: "OptionalElement",
      declarations: [...type.files, { text: conversions }]
        .flatMap(({ text }) => text.match(/struct [^}]*\}/g) ?? [])
        .join("\n"),
    });
    expect(elementBytes, type.declaration).toBe(optional.bytes);
    let end = 0;
    for (const { offset, type: one, access } of leavesOf(type)) {
      expect(offset % one.bytes, `${access} of ${type.declaration}`).toBe(0);
      expect(offset, `${access} of ${type.declaration}`).toBeGreaterThanOrEqual(end);
      end = offset + one.bytes;
    }
    expect(end).toBeLessThanOrEqual(type.bytes);
  }
});

const fold = useFold();

test.each([...Array(10).keys()])(
  "a kernel reads and writes each scalar of any nested type where the CPU does: %i",
  async (number) => {
    const { device } = fold();
    const next = randomBits(`nested kernels ${number}`);
    let type = randomStruct(`Any${number}`, next);
    while (type.feature !== undefined && !device.features.has(type.feature)) {
      type = randomStruct(`Any${number}`, next);
    }
    const leaves = leavesOf(type);
    const data = randomItems(type, 2, type.declaration) as StructArray;
    const words = new Uint32Array(2 * leaves.length);
    const view = new DataView(words.buffer);
    const value = data.get(1);
    leaves.forEach((leaf, at) => {
      writeValue(leaf.type, view, 8 * at, scalarAt(value, leaf.keys));
    });
    const items = new Uint32Array(data.buffer);
    const read = await compileKernel(device, scalarsKernel(type, "read"));
    const [, seen] = await read([items, new Uint32Array(words.length)]);
    expect(seen, type.declaration).toEqual(words);
    const write = await compileKernel(device, scalarsKernel(type, "write"));
    const [made] = await write([new Uint32Array(items.length), words]);
    const written = type.over((made as Uint32Array).buffer as ArrayBuffer).get(1);
    expect(written, type.declaration).toEqual(value);
    // The first exclusive prefix is the identity, which WGSL has as a literal.
    const special = type.array(1);
    const specials = new DataView(special.buffer);
    for (const { type: one, offset } of leaves) {
      const all = [
        one.lowest,
        one.greatest,
        one.kind === "float" ? one.round(-0) : one.one,
        one.round(one.one),
      ];
      writeValue(one, specials, offset, all[next() % all.length]);
    }
    const identity = special.get(0);
    const any = operator({ name: "any", type, identity, combine: "later", reference: (_, later) => later });
    const prefixes = await fold().scan(data, { op: untyped(any), exclusive: true });
    expect([...(prefixes as unknown as StructArray)][0], type.declaration).toEqual(identity);
    // A scan by an operator that keeps each first element: all goes through the kernels' own conversions.
    const [first] = leaves;
    const last = operator({
      name: "last",
      type,
      identity: type.array(1).get(0),
      combine: `if (all(later${first?.access} == ${first?.type.name}(0))) {\n  return earlier;\n}\nreturn later;`,
      reference: (_, later) => later,
    });
    const some = randomItems(type, 21, type.name) as StructArray;
    for (const options of [{}, { map: "x" }]) {
      const scanned = await fold().scan(some, {
        op: untyped(last),
        workGroupSize: 4,
        itemsPerThread: 2,
        ...options,
      });
      expect([...(scanned as unknown as StructArray)], type.declaration).toEqual([...some]);
    }
    const kept = await fold().compact(some, {
      where: `all(x${first?.access} == x${first?.access}) && i % 2u == 1u`,
    });
    expect([...kept], type.declaration).toEqual([...some].filter((_, at) => at % 2 === 1));
  },
);

describe("errors", () => {
  test("a long or deep value is shown in part", () => {
    const pair = struct({ name: "Pair", fields: { a: u32, v: vec3(f32) } });
    const messageOf = (value: unknown): string => {
      try {
        pair.from([value as never]);
      } catch (cause) {
        return (cause as Error).message;
      }
      return "";
    };
    expect(messageOf(new Float32Array(1e6))).toBe(
      "Pair at 0: a Float32Array has a field 0, and Pair has a, v",
    );
    expect(messageOf({ a: 1, v: new Array(1e6).fill(7) }).length).toBeLessThan(300);
    const cyclic: { a: unknown; v: number[] } = { a: 1, v: [1, 2, 3] };
    cyclic.a = cyclic;
    expect(messageOf(cyclic)).toContain("…");
  });

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
    [
      "a field of 8 bits",
      () => struct({ name: "Bad", fields: { a: u8 as never } }),
      "struct Bad, field a: u8 is not a type of a field, since WGSL has none of its size: take u32",
    ],
    [
      "an array of 16 bits",
      () => fixedArray(i16 as never, 4),
      "fixedArray: i16 is not a type of a field, since WGSL has none of its size: take i32",
    ],
    [
      "no type",
      make("Bad", { a: "u32" }),
      'struct Bad, field a: "u32" is not a type of a field; it takes u32, i32, f32, f16, u64, i64, f64, vec2(…), vec3(…), vec4(…), fixedArray(…) or struct(…)',
    ],
    ["nothing", make("Bad", { a: null }), "struct Bad, field a: null is not a type of a field"],
    [
      "a type of a kernel's values",
      make("Bad", { a: wgslType({ name: "vec2u" }) }),
      "struct Bad, field a: vec2u is not a type of a field",
    ],
    ["too small", make("Small", { a: f16 }), "struct Small: it takes 2 bytes; a struct takes 4 to 64"],
    ["too large", make("Large", many), "struct Large: it takes 72 bytes; a struct takes 4 to 64"],
    ["too much together", make("Outer", { a: mixed, b: mixed }), "struct Outer: it takes 96 bytes; a struct"],
    [
      "a struct in one of its name",
      make("Mixed", { a: mixed }),
      "struct Mixed: it holds another struct Mixed; rename one",
    ],
    [
      "two structs of one name",
      make("Outer", { a: inner, b: struct({ name: "Inner", fields: { other: u32 } }) }),
      "struct Outer: it holds two structs that are called struct Inner; rename one",
    ],
    [
      "two structs of one name, one in an array",
      make("Outer", { a: struct({ name: "Holder", fields: { a: inner } }), b: fixedArray(otherInner, 2) }),
      "struct Outer: it holds two structs that are called struct Inner; rename one",
    ],
    [
      "a vector of u64",
      () => vec3(u64 as never),
      "vec3: the type is u64; WGSL has vectors of f32, f16, i32, u32, and fixedArray(type, 3) holds others",
    ],
    ["a vector of f64", () => vec2(f64 as never), "vec2: the type is f64; WGSL has vectors of"],
    ["a vector of structs", () => vec4(inner as never), "vec4: the type is Inner; WGSL has vectors of"],
    [
      "a vector of nothing",
      () => vec4(undefined as never),
      "vec4: the type is undefined; WGSL has vectors of",
    ],
    [
      "an array of nothing",
      () => fixedArray(3 as never, 3),
      "fixedArray: 3 is not a type of a field; it takes",
    ],
    [
      "an array of none",
      () => fixedArray(u32, 0),
      "fixedArray: count is 0; it takes a whole number from 1 up",
    ],
    ["an array of a half", () => fixedArray(u32, 0.5), "fixedArray: count is 0.5; it takes a whole number"],
    [
      "an array without a count",
      () => fixedArray(u32, undefined as never),
      "fixedArray: count is undefined;",
    ],
    [
      "a long array",
      () => fixedArray(fixedArray(vec3(f32), 2), 1e9),
      "fixedArray: array<array<vec3<f32>, 2>, 1000000000> takes 32000000000 bytes; a struct takes at most 64",
    ],
    ["no such place", () => mixed.array(2).get(2), "Mixed: index is 2; the array holds 2 structs"],
    ["no length", () => mixed.array(-1), "Mixed.array: length is -1; it takes a whole number"],
    [
      "more than 2^32 - 1",
      () => mixed.array(2 ** 40),
      "Mixed.array: length is 1099511627776; it takes a whole number from 0 to 2^32 - 1",
    ],
    [
      "more bytes than there is memory",
      () => withLittleMemory(() => mixed.array(2 ** 32 - 1)),
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
      "One at 0: a: -1 is no value of u32; it wraps to 4294967295",
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
