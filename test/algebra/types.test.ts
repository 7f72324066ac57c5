import { expect, test } from "vitest";
import type { CompactOptions, Fold } from "../../src/node.ts";
import { add, and, f32, f64, i64, max, operator, struct, u32, u64 } from "../../src/node.ts";
import { workGroupScan } from "../../src/wgsl.ts";
import { useFold } from "../support/fold.ts";
import { greatest, pair } from "../support/operators.ts";

const fold = useFold();
const first = operator({
  name: "first",
  type: u32,
  identity: 0,
  combine: "earlier",
  reference: (earlier) => earlier,
});

const other = struct({ name: "Other", fields: { key: u32, value: u64 } });

/** Checked by tsc alone: each line below a comment must be an error. */
async function meaningless(own: Fold, encoder: GPUCommandEncoder, buffer: GPUBuffer): Promise<void> {
  const floats = Float32Array.of(1);
  // @ts-expect-error bitwise and has no meaning on f32.
  await own.scan(floats, { op: and });
  // @ts-expect-error nor in a reduction.
  await own.reduce(floats, { op: and });
  // @ts-expect-error nor prepared.
  await own.prepareScan({ type: f32, op: and, maxLength: 1 });
  // @ts-expect-error nor in a kernel.
  workGroupScan({ type: f32, op: and, workGroupSize: 32 });
  // @ts-expect-error an operator on u32 is none on f32.
  await own.scan(floats, { op: first });
  // @ts-expect-error an f32 type for an array of u32.
  await own.scan(Uint32Array.of(1), { type: f32 });
  const wide = BigUint64Array.of(1n);
  // @ts-expect-error bitwise and has no meaning on f64.
  await own.scan(Float64Array.of(1), { op: and });
  // @ts-expect-error nor prepared.
  await own.prepareReduce({ type: f64, op: and, maxLength: 1 });
  // @ts-expect-error an operator on u32 is none on u64.
  await own.scan(wide, { op: first });
  // @ts-expect-error an i64 type for an array of u64.
  await own.scan(wide, { type: i64 });
  // @ts-expect-error a sum of u64 is a bigint.
  (await own.reduce(wide)) satisfies number;
  // @ts-expect-error a u64's identity is a bigint.
  operator({ name: "bad", type: u64, identity: 0, combine: "earlier", reference: (x) => x });
  // @ts-expect-error no built-in operator takes a struct.
  await own.scan(pair.array(1), { op: max });
  // @ts-expect-error an operator on one struct is none on another.
  await own.scan(other.array(1), { op: greatest });
  // @ts-expect-error a struct's operator is none on a scalar.
  await own.scan(wide, { op: greatest });
  // @ts-expect-error a field that the struct lacks.
  pair.from([{ key: 1, value: 2n, more: 3 }]);
  // @ts-expect-error a field of the wrong type.
  pair.from([{ key: 1, value: 2 }]);
  // @ts-expect-error a field has a type.
  struct({ name: "Typeless", fields: { pair: 3 } });
  // @ts-expect-error nor is an operator of a struct one in a kernel of f32.
  workGroupScan({ type: f32, op: greatest, workGroupSize: 32 });
  // @ts-expect-error a view that is no array.
  await own.scan(new DataView(new ArrayBuffer(4)));
  // @ts-expect-error nor plain arrays.
  await own.reduce([1, 2, 3]);
  // @ts-expect-error no such algorithm.
  await own.scan(floats, { algorithm: "fast" });
  // @ts-expect-error maxLength is missing.
  await own.prepareReduce({ type: u32 });
  const compact = await own.prepareCompact({ type: u32, where: "true", maxLength: 1 });
  // @ts-expect-error count is missing.
  compact.record(encoder, { input: buffer, output: buffer, length: 1 });
  const ranges = { input: buffer, output: buffer, count: buffer, length: 1 };
  // @ts-expect-error the predicate decides.
  compact.record(encoder, { ...ranges, flags: buffer });
  const flagged = await own.prepareCompact({ type: u32, maxLength: 1 });
  // @ts-expect-error flags is missing.
  flagged.record(encoder, ranges);
  flagged.record(encoder, { ...ranges, flags: buffer });
  const either = await own.prepareCompact({ type: u32, maxLength: 1 } as CompactOptions<"u32">);
  either.record(encoder, ranges);
  either.record(encoder, { ...ranges, flags: buffer });
  const both = await own.prepareCompact({ type: u32, where: "x > 7u", flags: true, maxLength: 1 });
  // @ts-expect-error flags is missing.
  both.record(encoder, ranges);
  // @ts-expect-error an operator is no string.
  await own.scan(floats, { op: "add" });
}

test("what is meaningless does not type-check", () => {
  expect(meaningless).toBeTypeOf("function");
});

test("what is meaningless names both at run time", async () => {
  const own = fold();
  const untypedAnd = and as never;
  await expect(own.scan(Float64Array.of(1), { op: untypedAnd })).rejects.toThrow(
    "scan<f64, and>: and has no meaning on f64; it takes u32, i32, u64, i64",
  );
  await expect(own.reduce(BigUint64Array.of(1n), { op: first as never })).rejects.toThrow(
    "reduce<u64, first>: the operator first is for u32, not for u64",
  );
  await expect(own.scan(pair.array(1), { op: max as never })).rejects.toThrow(
    "scan<Pair, max>: max has no meaning on Pair; it takes operator({ type: Pair, … })",
  );
  await expect(own.scan(other.array(1), { op: greatest as never })).rejects.toThrow(
    "scan<Other, greatest>: the operator greatest is for Pair, not for Other",
  );
  const twin = struct({ name: "Pair", fields: { key: u32, value: u64 } });
  await expect(own.scan(twin.array(1), { op: greatest })).rejects.toThrow(
    "the operator greatest is for Pair, not for another type of that name",
  );
  await expect(own.scan(pair.array(1), { op: greatest, type: twin })).rejects.toThrow(
    "scan: the array holds Pair, but type says Pair",
  );
});

test("arrays keep their type", async () => {
  const floats: Float32Array = await fold().scan(Float32Array.of(1, 2), { op: add });
  const positions: Uint32Array = await fold().compact(Float32Array.of(1, 2), {
    where: "x > 1.0",
    indices: true,
  });
  const kept: Float32Array = await fold().compact(Float32Array.of(1, 2), { where: "x > 1.0" });
  const sum: bigint = await fold().reduce(BigUint64Array.of(1n, 2n));
  const doubles: Float64Array = await fold().scan(Float64Array.of(1, 2));
  const pairs = await fold().scan(pair.from([{ key: 1, value: 2n }]), { op: greatest });
  const { value }: { readonly value: bigint } = await fold().reduce(pairs, { op: greatest });
  expect([sum, doubles, pairs.get(0), value]).toEqual([3n, Float64Array.of(1, 3), { key: 1, value: 2n }, 2n]);
  expect([floats, positions, kept]).toEqual([Float32Array.of(1, 3), Uint32Array.of(1), Float32Array.of(2)]);
});
