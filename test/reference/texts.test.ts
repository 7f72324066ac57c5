import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { operator } from "../../src/algebra/custom_operator.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import { max } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import { ArgumentError, SourceError } from "../../src/errors.ts";
import * as references from "../../src/reference/index.ts";
import { expectSameBits } from "../support/compare.ts";
import { mapRows } from "../support/maps.ts";
import { affine, first, last } from "../support/operators.ts";
import { randomItems } from "../support/random.ts";

// WGSL in the place of JavaScript, against JavaScript that was written by hand.

const {
  argSortReference,
  compactReference,
  countReference,
  histogramReference,
  partitionReference,
  reduceReference,
  runLengthsReference,
  scanReference,
  sortReference,
  topKReference,
  uniqueReference,
} = references;

const LENGTH = 200;

/** Whether the CPU has code for texts over elements of these types. */
const hasCode = (...types: readonly ElementType[]): boolean =>
  types.every(({ bytes, kind }) => kind !== "struct" || bytes % 4 === 0);

test.each(mapRows)("a map as text: $title", ({ from, type, op, map, reference, items, title }) => {
  const data = items?.(LENGTH, title) ?? (randomItems(from, LENGTH, title) as AnyArray);
  const options = { from, type, op } as never;
  const scan = (by: unknown): AnyArray => scanReference(data, { ...(options as object), map: by } as never);
  if (!hasCode(from, type)) {
    expect(() => scan(map)).toThrow(ArgumentError);
    expect(() => scan(map)).toThrow(
      "scanReference: the CPU has no code for map: a struct of no whole number of words; it takes a function of an element and its index",
    );
    return;
  }
  expectSameBits(scan(map), scan(reference), title);
  const reduce = (by: unknown): unknown =>
    reduceReference(data, { ...(options as object), map: by } as never);
  expect(reduce(map)).toEqual(reduce(reference));
  const mapped = (by: unknown): AnyArray =>
    compactReference(data, "(i & 1u) == 1u", { from, type, map: by } as never);
  expectSameBits(
    mapped(map),
    compactReference(data, (_, i) => i % 2 === 1, { from, type, map: reference } as never),
    title,
  );
});

describe("conditions, classes, bins and keys as texts", () => {
  const words = randomItems(u32, LENGTH, "words") as Uint32Array;
  const floats = randomItems(f32, LENGTH, "floats") as Float32Array;
  const long = randomItems(i64, LENGTH, "long") as BigInt64Array;

  test("conditions see the bits of NaN, and keep items as they are", () => {
    const isOdd = new Uint32Array(floats.buffer, floats.byteOffset, LENGTH).map((bits) => bits & 1);
    const kept = compactReference(floats, "(bitcast<u32>(x) & 1u) == 1u");
    expectSameBits(
      kept,
      compactReference(floats, (_, i) => isOdd[i] === 1),
      "odd bits",
    );
    expect(compactReference(long, "x > 0", { indices: true })).toEqual(
      compactReference(long, (x) => x > 0n, { indices: true }),
    );
    // A number holds if it is not 0.
    expect(compactReference(words, "x & 3")).toEqual(compactReference(words, (x) => (x & 3) !== 0));
    const { values, count } = partitionReference(words, "let y = x ^ i; return y % 3u == 0u;");
    const like = partitionReference(words, (x, i) => ((x ^ i) >>> 0) % 3 === 0);
    expect([values, count]).toEqual([like.values, like.count]);
  });

  test("classes and bins", () => {
    const classes = 5;
    expect(partitionReference(words, "x % 7", { classes })).toEqual(
      partitionReference(words, (x) => x % 7, { classes }),
    );
    expect(partitionReference(floats, "x / 4", { classes, indices: true })).toEqual(
      partitionReference(floats, (x) => Math.fround(x / 4), { classes, indices: true }),
    );
    expect(partitionReference(long, "x % 4", { classes })).toEqual(
      partitionReference(long, (x) => Number(x % 4n), { classes }),
    );
    expect(histogramReference(words, { bins: 9, bin: "(x >> 3u) % 11u + i % 2u" })).toEqual(
      histogramReference(words, { bins: 9, bin: (x, i) => ((x >>> 3) % 11) + (i % 2) }),
    );
    expect(histogramReference(floats, { bins: 4, bin: "x * 2" })).toEqual(
      histogramReference(floats, { bins: 4, bin: (x) => Math.fround(x * 2) }),
    );
  });

  test("keys of sorts, selections, runs and segments", () => {
    expect(sortReference(words, { key: "x % 100" })).toEqual(sortReference(words, { key: (x) => x % 100 }));
    expect(argSortReference(floats, { key: "bitcast<u32>(x)", keyType: u32 })).toEqual(
      argSortReference(floats, {
        key: (x) => new Uint32Array(Float32Array.of(x).buffer)[0] as number,
        keyType: u32,
      }),
    );
    const body = struct({ name: "Body", fields: { cell: u32, mass: f32, id: u64 } });
    const bodies = body.from(
      Array.from({ length: LENGTH }, (_, i) => ({
        cell: (words[i] as number) % 5,
        mass: (words[i] as number) % 1000,
        id: BigInt(i),
      })),
    );
    // The key's type is that of the field.
    const byMass = { key: (x: { mass: number }) => x.mass, keyType: f32 };
    expectSameBits(sortReference(bodies, { key: "x.mass" }), sortReference(bodies, byMass), "by mass");
    expect(topKReference(bodies, 7, { key: "x.id" }).indices).toEqual(
      topKReference(bodies, 7, { key: (x) => x.id, keyType: u64 }).indices,
    );
    const byCell = { key: (x: { cell: number }) => x.cell, keyType: u32 };
    expectSameBits(uniqueReference(bodies, { key: "x.cell" }), uniqueReference(bodies, byCell), "by cell");
    expect(runLengthsReference(words, { key: "x >> 31u" })).toEqual(
      runLengthsReference(words, { key: (x) => x >>> 31 }),
    );
    const runs = reduceReference(words, { segments: { keys: bodies, key: "x.cell" } } as never);
    expect(runs).toEqual(reduceReference(words, { segments: { keys: bodies, ...byCell } }));
    expect(scanReference(words, { op: max, segments: { key: "x & 1" } })).toEqual(
      scanReference(words, { op: max, segments: { key: (x) => x & 1 } }),
    );
  });
});

describe("operators without a twin", () => {
  const bare = <
    One extends { readonly name: string; readonly combine: string; readonly declarations: string },
  >(
    op: One,
  ): One => {
    const { name, type, identity, combine, declarations } = op as never;
    return operator({ name, type, identity, combine, declarations }) as unknown as One;
  };

  test.each([affine, first, last])("$name gives what its twin gives", (op) => {
    const data = randomItems(u32, LENGTH, op.name) as Uint32Array;
    const own = bare(op);
    expect("reference" in own).toBe(false);
    for (const options of [{}, { exclusive: true }, { initial: 0x30001 }, { segments: { rows: 8 } }]) {
      expect(scanReference(data, { op: own, ...options })).toEqual(scanReference(data, { op, ...options }));
    }
    expect(reduceReference(data, { op: own })).toBe(reduceReference(data, { op }));
  });

  test("halves and structs with arrays", () => {
    const most = operator({ name: "most", type: f16, identity: -65504, combine: "max(earlier, later)" });
    const data = arrayOver(f16, Uint16Array.of(0x3c00, 0xc000, 0x4400, 0x4200).buffer);
    const scanned = scanReference(data as Uint16Array, { op: most, type: f16 });
    expect(new Uint16Array(scanned.buffer)).toEqual(Uint16Array.of(0x3c00, 0x3c00, 0x4400, 0x4400));
    const move = struct({ name: "Move", fields: { by: i32, steps: u32 } });
    const then = operator({
      name: "then",
      type: move,
      identity: { by: 0, steps: 0 },
      combine: "Move(earlier.by + later.by, earlier.steps + later.steps)",
    });
    const moves = move.from([
      { by: -3, steps: 3 },
      { by: 5, steps: 5 },
    ]);
    expect(reduceReference(moves, { op: then })).toEqual({ by: 2, steps: 8 });
  });
});

describe("texts see elements of 8 and 16 bits as numbers of 32 bits", () => {
  const arrays = [
    [Int8Array.of(-128, 3, 127), i32, i64, f64],
    [Uint8Array.of(255, 3, 1), u32, u64, f32],
    [Int16Array.of(-(2 ** 15), 3, 1), i32, i64, f32],
    [Uint16Array.of(2 ** 16 - 1, 3, 1), u32, u64, f64],
  ] as const;
  test.each(arrays)("%o", (data, ...types) => {
    for (const type of types) {
      const isLong = type === i64 || type === u64;
      const map = (x: number): number | bigint => (isLong ? BigInt(x) * BigInt(x) : x * x);
      const scan = (by: unknown): AnyArray => scanReference(data, { type, map: by } as never);
      expectSameBits(scan(`${type.name}(x) * ${type.name}(x)`), scan(map), type.name);
    }
    const sum = (by: unknown): unknown => reduceReference(data, { type: types[1], map: by } as never);
    expect(sum("x")).toBe(sum((x: number) => BigInt(x)));
    const unsigned = types[0] === u32 ? "u" : "";
    expect(countReference(data, { where: `x > 3${unsigned}` })).toBe(
      countReference(data, { where: (x: number) => x > 3 }),
    );
    const order = sortReference(data, { key: "x ^ (x >> 1u)" }).join();
    expect(order).toBe([...data].sort((a, b) => (a ^ (a >> 1)) - (b ^ (b >> 1))).join());
  });
});

test("texts without code are refused, and say why", () => {
  const data = Uint32Array.of(3, 1, 2);
  const refused = (call: () => unknown, message: string, option?: string): void => {
    expect(call).toThrow(message);
    expect(call).toThrow(expect.objectContaining({ option }));
  };
  refused(
    () => compactReference(data, " // nothing"),
    "compactReference: keep is empty; it takes a function",
    "keep",
  );
  refused(
    () => compactReference(data, 3 as never),
    "compactReference: keep is 3; it takes a function of an element and its index, or WGSL over x and i",
    "keep",
  );
  const counting = operator({
    name: "counting",
    type: u32,
    identity: 0,
    combine: "count(earlier) + later",
    declarations: "var<private> calls: u32; fn count(a: u32) -> u32 { calls += a; return calls; }",
  });
  refused(
    () => scanReference(data, { op: counting }),
    "scanReference<u32, counting>: the CPU has no code for the operator counting: the variable calls at module scope; it takes a reference",
    "combine",
  );
});

describe("texts that cannot be read are told at their lines", () => {
  const data = Uint32Array.of(3, 1, 2);
  const wrong = operator({ name: "wrong", type: u32, identity: 0, combine: "earlier +\nmissing" });
  const mixed = operator({ name: "mixed", type: u32, identity: 0, combine: "f32(earlier)" });
  const declares = operator({
    name: "declares",
    type: u32,
    identity: 0,
    combine: "twice(earlier) + later",
    declarations: "\nfn twice(a: u32) -> u32 { return a * factor; }",
  });
  test.each<[message: string, place: readonly [line: number, column: number], call: () => unknown]>([
    ["scanReference, map, line 1: missing", [1, 1], () => scanReference(data, { map: "missing(x)" })],
    [
      'scanReference, map, line 1: an expression takes no ";"',
      [1, 2],
      () => scanReference(data, { map: "x; x" }),
    ],
    [
      "compactReference, keep, line 1: expected an expression, and found",
      [1, 0],
      () => compactReference(data, "x >"),
    ],
    ["compactReference, keep, line 1: q is not", [1, 5], () => compactReference(data, "x > q")],
    ["compactReference, keep, line 2: q is not", [2, 1], () => compactReference(data, "x >\nq")],
    ["countReference, where, line 1: q is not", [1, 5], () => countReference(data, { where: "x > q" })],
    ["sortReference, key, line 1: i is not", [1, 5], () => sortReference(data, { key: "x + i" })],
    ["sortReference, key, line 1: ", [1, 2], () => sortReference(data, { key: "x; x" })],
    [
      "sortReference, key, line 1: this is vec2<f32>; it takes f32",
      [1, 0],
      () => sortReference(data, { key: "vec2(f32(x))", keyType: f32 }),
    ],
    [
      "reduceReference, key, line 1: i is not",
      [1, 5],
      () => reduceReference(data, { segments: { key: "x + i" } }),
    ],
    [
      "histogramReference, bin, line 1: y is not",
      [1, 1],
      () => histogramReference(data, { bins: 4, bin: "y" }),
    ],
    [
      "compactReference, keep, line 1: its end is reached without a 'return'",
      [1, 0],
      () => compactReference(data, "if (x > 1u) { return true; }"),
    ],
    [
      "scanReference<u32, wrong>, combine of the operator wrong, line 2: missing is not",
      [2, 1],
      () => scanReference(data, { op: wrong }),
    ],
    ["combine of the operator mixed, line 1: ", [1, 0], () => scanReference(data, { op: mixed })],
    [
      "declarations of the operator declares, line 2: factor is not",
      [2, 38],
      () => scanReference(data, { op: declares }),
    ],
  ])("%s", (message, [line, column], call) => {
    expect(call).toThrow(message);
    expect(call).toThrow(SourceError);
    expect(call).toThrow(expect.objectContaining({ line, column }));
  });
});
