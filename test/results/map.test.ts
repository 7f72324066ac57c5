import { describe, expect, expectTypeOf, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import { add, and, max } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { Float16ArrayLike } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import type { StructArray } from "../../src/node.ts";
import { ArgumentError, FeatureError, SourceError } from "../../src/node.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { destroyAll, readWords, storageBuffer } from "../support/buffers.ts";
import { useFoldOfOneSize, useSoftwareFold } from "../support/fold.ts";
import { factsWith } from "../support/kernels.ts";
import { greatest, pair } from "../support/operators.ts";
import { planScan } from "../support/plans.ts";
import { arrayOfBits } from "../support/random.ts";

// Sums of f64 have the order that groupingOf gives.
const fold = useFoldOfOneSize();

test("recorded, as the documentation has it", async () => {
  const { device } = fold();
  const options = { type: u32, from: f32, map: "u32(x > 0.5)", op: add } as const;
  const scan = await fold().prepareScan({ ...options, workGroupSize: 4, itemsPerThread: 2, maxLength: 4 });
  const input = storageBuffer(device, new Uint32Array(Float32Array.of(1.5, 0, 3, 4).buffer));
  const output = storageBuffer(device, new Uint32Array(4));
  const encoder = device.createCommandEncoder();
  scan.record(encoder, { input, output, length: 4 });
  device.queue.submit([encoder.finish()]);
  expect([...(await readWords(device, output))]).toEqual([1, 1, 2, 3]);
  scan.destroy();
});

test("compaction maps what it keeps, by its place in the input", async () => {
  const data = Float32Array.of(0.5, 7, -1, 3);
  const small = { workGroupSize: 4, itemsPerThread: 2 } as const;
  for (const passes of ["single", "reduce-then-scan"] as const) {
    const mapped = { ...small, passes, type: u64, map: "vec2(u32(x), i)" } as const;
    const kept = await fold().compact(data, { ...mapped, where: "x > 1.0" });
    expectTypeOf(kept).toEqualTypeOf<BigUint64Array>();
    expect(kept).toEqual(BigUint64Array.of((1n << 32n) + 7n, (3n << 32n) + 3n));
    const flagged = await fold().compact(data, { ...mapped, flags: [1, 0, 0, 1] });
    expect(flagged).toEqual(BigUint64Array.of(0n, (3n << 32n) + 3n));
    const twice = await fold().compact(data, { ...small, passes, where: "x > 1.0", map: "2.0 * x" });
    expectTypeOf(twice).toEqualTypeOf<Float32Array<ArrayBuffer>>();
    expect(twice).toEqual(Float32Array.of(14, 6));
  }
  const twin = compactReference(data, (x) => x > 1, { type: u64, map: (x, i) => BigInt(x + 8 * i) });
  expectTypeOf(twin).toEqualTypeOf<BigUint64Array>();
  expect(twin).toEqual(BigUint64Array.of(15n, 27n));
  // As the documentation has it.
  const odd = fold().compact(Uint32Array.of(4, 7, 2, 9), { where: "x % 2u == 1u", map: "10u * x + i" });
  expect([...(await odd)]).toEqual([71, 93]);
  const both = fold().compact(data, { where: "true", map: "x", indices: true });
  await expect(both).rejects.toThrow(
    "compact<f32> takes a map or indices, which are not mapped, and not both",
  );
});

test("no data, and the identity of the result's type", async () => {
  const none = new Float32Array(0);
  const prefixes = await fold().scan(none, { type: u64, map: "vec2(u32(x), 0u)" });
  expect(prefixes).toEqual(new BigUint64Array(0));
  expect(await fold().reduce(none, { type: i32, op: max, map: "i32(x)" })).toBe(-(2 ** 31));
  await expect(fold().scan(none, { map: "nonsense" })).rejects.toThrow(SourceError);
});

test("nothing is mapped past the end", async () => {
  // A map that gave these places anything would count them.
  const ones = Uint32Array.of(0, 0, 0);
  const tuning = { workGroupSize: 8, itemsPerThread: 4 } as const;
  for (const passes of ["single", "reduce-then-scan"] as const) {
    const prefixes = await fold().scan(ones, { map: "x + 1u", passes, ...tuning });
    expect([...prefixes]).toEqual([1, 2, 3]);
  }
  expect(await fold().reduce(ones, { map: "x + 1u", ...tuning })).toBe(3);
});

test("f16 bits go in and come out", async ({ skip }) => {
  skip(!fold().device.features.has("shader-f16"), "the adapter has no shader-f16");
  const bits = arrayOfBits("f16", [0x3c00, 0x4000, 0x4200]) as Uint16Array;
  const twice = await fold().scan(bits, { type: f16, map: "x * 2.0h" });
  expect(twice).toEqual(Uint16Array.of(0x4000, 0x4600, 0x4a00));
  expect(await fold().scan(bits, { from: f16, type: u32, map: "u32(x)" })).toEqual(Uint32Array.of(1, 3, 6));
});

test("the CPU's f16, as bits where there is no Float16Array", () => {
  const bits = arrayOfBits("f16", [0x3c00, 0x4000, 0x4200]) as Uint16Array;
  expect(scanReference(bits, { type: f16, map: (x) => 2 * x })).toEqual(
    Uint16Array.of(0x4000, 0x4600, 0x4a00),
  );
  expect(scanReference(bits, { from: f16, type: u32, map: (x) => x })).toEqual(Uint32Array.of(1, 3, 6));
  const made = scanReference(Float32Array.of(1, 2), { type: f16, map: (x) => x });
  expect(made[Symbol.toStringTag]).toBe("Float16Array" in globalThis ? "Float16Array" : "Uint16Array");
});

test("the CPU's map is rounded and wrapped, and checked", () => {
  const data = Uint32Array.of(1);
  expect(reduceReference(data, { map: (x) => x - 3 })).toBe(2 ** 32 - 2);
  expect(reduceReference(data, { type: f32, map: () => 0.1 })).toBe(Math.fround(0.1));
  expect(() => reduceReference(data, { type: u64, map: (() => 1) as never })).toThrow(
    "reduceReference: the map gave 1 is no value of u64, which takes a bigint",
  );
  expect(() => scanReference(data, { map: 3 as never })).toThrow(
    "scanReference: map is 3; it takes a function of an element and its index, or WGSL over x and i",
  );
  expect(() => scanReference(data, { from: u32, type: f32 } as never)).toThrow(
    "scanReference: the items are u32, and the result is f32; it takes a map from one to the other",
  );
});

// Dawn's words.
describe("errors", () => {
  const fold = useSoftwareFold();
  const data = Float32Array.of(1, 2, 3);
  const error = async (promise: Promise<unknown>): Promise<Error> =>
    promise.then(
      () => expect.fail("it did not fail"),
      (cause: unknown) => cause as Error,
    );

  test.each([
    [{ map: 3 }, "scan<f32, add>: map is number; it takes a WGSL expression over the item x and its index i"],
    [
      { map: (x: number) => x },
      'scan<f32, add>: map is a function; it takes a WGSL expression over the item x and its index i, such as "x * x"',
    ],
    [{ map: " \n" }, "scan<f32, add>: map is empty"],
    [{ map: null }, "scan<f32, add>: map is null"],
    [{ map: "x", type: "u32" }, 'scan: "u32" is not an element type'],
    [{ map: "x", from: "f32" }, 'scan: "f32" is not an element type'],
    [{ map: "x", from: u32 }, "scan: Float32Array holds f32, but type says u32"],
    [
      { type: u32 },
      'scan: the items are f32, and the result is u32; it takes a map from one to the other, such as map: "u32(x)"',
    ],
    [
      { from: f32, type: u32 },
      "scan<u32, add>: the items are f32, and the result is u32; it takes a map from one to the other",
    ],
    [{ map: "x", type: u32, op: and, from: 3 }, "scan: 3 is not an element type"],
    [{ map: "x", op: and }, "scan<f32, and>: and has no meaning on f32"],
  ])("arguments, %#", async (options, message) => {
    const cause = await error(fold().scan(data, options as never));
    expect(cause).toBeInstanceOf(ArgumentError);
    expect(cause.message).toContain(message);
  });

  test.each([
    ["x + y", 1, 5, "unresolved value 'y'"],
    ["let a = x;\nlet b = nowhere;\nreturn a;", 2, 9, "unresolved value 'nowhere'"],
    ["x > 1.0", 1, 0, "bool"],
    ["x)", 1, 2, "')' without its '('"],
    ["x) ; } fn evil() -> f32 { return (1.0", 1, 2, "')' without its '('"],
    ["x /* what", 1, 3, "a comment that does not end"],
  ])("WGSL that does not compile: %j", async (map, line, column, problem) => {
    for (const run of [
      () => fold().scan(data, { map }),
      () => fold().reduce(data, { map }),
      () => fold().scan(data, { map, passes: "single" }),
    ]) {
      const cause = (await error(run())) as SourceError;
      expect(cause).toBeInstanceOf(SourceError);
      expect(cause.message).toContain(`the map, line ${line}: `);
      expect(cause.message).toContain(problem);
      expect([cause.source, cause.line, cause.column]).toEqual([map, line, column]);
    }
  });

  test("names that the map, the operator and the shaders would share", async () => {
    const op = operator({
      name: "clash",
      type: f32,
      identity: 0,
      declarations: "fn map_value(x: f32, i: u32) -> f32 { return x; }",
      combine: "earlier + map_value(later, 0u)",
      reference: (earlier, later) => earlier + later,
    });
    expect(await fold().reduce(data, { op })).toBe(6);
    expect(await fold().reduce(data, { op, map: "x * 2.0" })).toBe(12);
    const one = struct({ name: "Twin", fields: { a: u32 } });
    const other = struct({ name: "Twin", fields: { a: f32 } });
    const last = operator({
      name: "last",
      type: other,
      identity: { a: 0 },
      combine: "later",
      reference: (_, later) => later,
    });
    const twins = await error(fold().scan(one.array(1), { type: other, op: last, map: "Twin(f32(x.a))" }));
    expect(twins).toBeInstanceOf(ArgumentError);
    expect(twins.message).toBe(
      "scan<Twin, last>: the items are of another struct of the name Twin; rename one",
    );
  });

  test("a feature that the device lacks", async () => {
    const options = { type: u32, from: f16, map: "u32(x)", maxLength: 1 };
    const facts = factsWith({ features: new Set() });
    await expect(planScan(options, facts)).rejects.toThrow(FeatureError);
    await expect(planScan(options, facts)).rejects.toThrow(
      'scan<u32, add> from f16 needs the adapter feature "shader-f16"',
    );
  });

  test("ranges of items of two sizes in one buffer", async () => {
    const { device } = fold();
    const buffer = storageBuffer(device, new Uint32Array(64));
    const small = { workGroupSize: 4, itemsPerThread: 2, maxLength: 8 } as const;
    const scan = await fold().prepareScan({ type: u64, from: u32, map: "vec2(x, 0u)", ...small });
    const record = (input: number, output: number): void =>
      scan.record(device.createCommandEncoder(), {
        input: { buffer, offset: input },
        output: { buffer, offset: output },
        length: 8,
      });
    expect(() => record(0, 0)).toThrow(ArgumentError);
    expect(() => record(0, 0)).toThrow("overlap; they must be apart");
    expect(() => record(0, 64)).toThrow(
      "scan<u64, add>: input (items of 4 bytes) and output (items of 8 bytes) must be in different buffers",
    );
    expect(() => record(0, 68)).toThrow("output's offset is 68 bytes; it takes a multiple of 8");
    scan.destroy();
    const one = await fold().prepareScan({ type: u32, from: f32, map: "u32(x)", ...small });
    const encoder = device.createCommandEncoder();
    const at = (offset: number): object => ({ buffer, offset });
    expect(() => one.record(encoder, { input: at(0), output: at(4), length: 8 } as never)).toThrow(
      "overlap; they must be the same range, or apart",
    );
    one.destroy();
    const compact = await fold().prepareCompact({
      ...small,
      type: u64,
      from: u32,
      map: "vec2(x)",
      where: "true",
    });
    // What is kept is put aside first.
    const count = storageBuffer(device, new Uint32Array(1));
    const words = Uint32Array.from({ length: 8 }, (_, index) => index + 1);
    device.queue.writeBuffer(buffer, 0, words);
    const own = device.createCommandEncoder();
    compact.record(own, { input: at(0), output: at(64), count, length: 8 } as never);
    device.queue.submit([own.finish()]);
    expect([...(await readWords(device, buffer)).subarray(16, 32)]).toEqual(
      [...words].flatMap((word) => [word, word]),
    );
    expect([...(await readWords(device, count))]).toEqual([8]);
    destroyAll(compact, buffer);
  });
});

test("types", async () => {
  const data = Float32Array.of(0.25, 2);
  type Pair = { readonly key: number; readonly value: bigint };
  const own = fold();
  const small = { workGroupSize: 4, itemsPerThread: 2, passes: "reduce-then-scan" } as const;
  const toPair = { ...small, type: pair, op: greatest, map: "Pair(u32(x), vec2(i, 0u))" } as const;
  const wide = await own.scan(data, { ...small, type: u64, map: "vec2(u32(x), 0u)", exclusive: true });
  const same = await own.scan(data, { ...small, map: "x * x" });
  const pairs = await own.scan(data, toPair);
  const best = await own.reduce(data, toPair);
  const sum = await own.reduce(data, { ...small, type: u64, map: "vec2(u32(x), 0u)" });
  const keys = await own.reduce(pairs, { ...small, type: u32, map: "x.key" });
  expectTypeOf(wide).toEqualTypeOf<BigUint64Array>();
  expectTypeOf(same).toEqualTypeOf<Float32Array<ArrayBuffer>>();
  expectTypeOf(pairs).toEqualTypeOf<StructArray<"Pair", Pair>>();
  expectTypeOf(best).toEqualTypeOf<Pair>();
  expectTypeOf(sum).toEqualTypeOf<bigint>();
  expectTypeOf(keys).toEqualTypeOf<number>();
  expect([wide, same, best, sum, keys]).toEqual([
    BigUint64Array.of(0n, 0n),
    Float32Array.of(0.0625, 4.0625),
    { key: 2, value: 1n },
    2n,
    2,
  ]);
  const twin = {
    type: pair,
    op: greatest,
    map: (x: number, i: number) => ({ key: x >>> 0, value: BigInt(i) }),
  };
  const wideTwin = scanReference(data, { type: u64, map: (x) => BigInt(Math.trunc(x)) });
  expectTypeOf(wideTwin).toEqualTypeOf<BigUint64Array>();
  expectTypeOf(scanReference(data, twin)).toEqualTypeOf<StructArray<"Pair", Pair>>();
  expectTypeOf(reduceReference(data, twin)).toEqualTypeOf<Pair>();
  expectTypeOf(reduceReference(pairs, { type: f64, map: (x) => x.key })).toEqualTypeOf<number>();
  expectTypeOf(scanReference(data, { type: f16, map: (x) => x })).toEqualTypeOf<
    Float16ArrayLike | Uint16Array
  >();
  expectTypeOf(scanReference(data, { map: (x) => x * x })).toEqualTypeOf<Float32Array<ArrayBuffer>>();
  expect([...pairs]).toEqual([...scanReference(data, twin)]);
});

/** Checked by tsc alone: each line below a comment must be an error. */
async function meaningless(): Promise<void> {
  const own = fold();
  const data = Float32Array.of(1);
  // @ts-expect-error another type takes a map.
  await own.scan(data, { type: u32 });
  // @ts-expect-error a map is WGSL.
  await own.scan(data, { map: (x: number) => x });
  // @ts-expect-error the operator is on the result's type.
  await own.reduce(data, { type: f32, map: "x", op: and });
  // @ts-expect-error so it is where that is another.
  await own.reduce(Uint32Array.of(1), { type: f64, map: "x", op: and });
  // @ts-expect-error the items' type is the array's.
  await own.scan(data, { from: u32, type: u64, map: "vec2(x, 0u)" });
  // @ts-expect-error a sum of u64 is a bigint.
  (await own.reduce(data, { type: u64, map: "vec2(0u)" })) satisfies number;
  // @ts-expect-error so is what its twin gives.
  reduceReference(data, { type: u64, map: (x) => x });
  // @ts-expect-error a prepared scan's operator is on the result's type.
  await own.prepareScan({ type: f32, from: u32, map: "f32(x)", op: and, maxLength: 1 });
}

test("what is meaningless does not type-check", () => {
  expect(meaningless).toBeTypeOf("function");
});
