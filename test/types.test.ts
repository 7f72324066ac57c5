import { expect, test } from "vitest";
import type { Fold } from "../src/node.ts";
import { add, and, f32, operator, u32 } from "../src/node.ts";
import { workGroupScan } from "../src/wgsl.ts";
import { useSoftwareFold } from "./support/fold.ts";

const fold = useSoftwareFold();
const first = operator({
  name: "first",
  type: u32,
  identity: 0,
  combine: "earlier",
  reference: (earlier) => earlier,
});

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
  // @ts-expect-error there is no 8-bit type.
  await own.scan(Uint8Array.of(1));
  // @ts-expect-error nor plain arrays.
  await own.reduce([1, 2, 3]);
  // @ts-expect-error no such algorithm.
  await own.scan(floats, { algorithm: "fast" });
  // @ts-expect-error maxLength is missing.
  await own.prepareReduce({ type: u32 });
  const compact = await own.prepareCompact({ type: u32, where: "true", maxLength: 1 });
  // @ts-expect-error count is missing.
  compact.record(encoder, { input: buffer, output: buffer, length: 1 });
  // @ts-expect-error an operator is no string.
  await own.scan(floats, { op: "add" });
}

test("what is meaningless does not type-check", () => {
  expect(meaningless).toBeTypeOf("function");
});

test("arrays keep their type", async () => {
  const floats: Float32Array = await fold().scan(Float32Array.of(1, 2), { op: add });
  const positions: Uint32Array = await fold().compact(Float32Array.of(1, 2), {
    where: "x > 1.0",
    indices: true,
  });
  const kept: Float32Array = await fold().compact(Float32Array.of(1, 2), { where: "x > 1.0" });
  expect([floats, positions, kept]).toEqual([Float32Array.of(1, 3), Uint32Array.of(1), Float32Array.of(2)]);
});
