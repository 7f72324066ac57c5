import { describe, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { fixedArray, leavesOf, scalarAt, vec2, vec3 } from "../../src/algebra/fields.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { StructFields, StructType, StructValueOf } from "../../src/algebra/struct.ts";
import { struct } from "../../src/algebra/struct.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import type { StructArray } from "../../src/node.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { compileKernel } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { algorithmNames, untyped, useSoftwareFold } from "../support/fold.ts";
import { edgeLengths } from "../support/lengths.ts";
import { randomItems } from "../support/random.ts";
import { rows } from "../support/rows.ts";
import { scalarsKernel } from "../support/structs.ts";

const fold = useSoftwareFold();

const Pair = struct({ name: "Pair", fields: { first: vec2(i32), second: f16 } });
const Inner = struct({ name: "Inner", fields: { own: Pair, list: fixedArray(u32, 2) } });

/** Structs of every size from 4 to 64 bytes, with every field type, in order of alignment and out of it. */
const shapes = {
  Four: { a: u32 },
  Six: { a: f16, b: f16, c: f16 },
  Eight: { a: i32, b: f32 },
  Halves: { a: f16, b: f16, c: u32, d: f16 },
  Wide: { a: u64 },
  Twelve: { a: u32, b: f32, c: i32 },
  Padded: { a: u32, b: f64, c: u32 },
  Sixteen: { a: i64, b: u32, c: f32 },
  Odd: { a: f32, b: u32, c: u32, d: u32, e: i32 },
  Mixed: { a: f16, b: u64, c: f16, d: i32, e: f64, f: u32 },
  ThirtyTwo: { a: u64, b: f64, c: i64, d: u32, e: u32 },
  SixtyFour: { a: f64, b: f64, c: f64, d: f64, e: u64, f: u64, g: i64, h: i64 },
  Particle: { id: u32, position: vec3(f32), velocity: vec3(f32), age: f32 },
  Halved: { a: f16, b: vec3(f16), c: vec2(f16) },
  Trio: { a: f16, b: fixedArray(f16, 2) },
  Listed: { a: u32, b: fixedArray(vec3(f32), 2), c: fixedArray(u64, 1) },
  Nested: { a: i32, b: Inner, c: fixedArray(Pair, 2) },
} as const satisfies Record<string, StructFields>;
const bytes = {
  Four: 4,
  Six: 6,
  Eight: 8,
  Halves: 12,
  Wide: 8,
  Twelve: 12,
  Padded: 24,
  Sixteen: 16,
  Odd: 20,
  Mixed: 40,
  ThirtyTwo: 32,
  SixtyFour: 64,
  Particle: 48,
  Halved: 24,
  Trio: 6,
  Listed: 64,
  Nested: 64,
} as const satisfies Record<keyof typeof shapes, number>;

/** The last struct whose first field is not 0, every field of it: no field may be lost on the way. */
const lastOf = (name: string, fields: StructFields) => {
  const type = struct({ name, fields });
  const zeros = type.array(1).get(0) as StructValueOf<StructFields>;
  const first = Object.keys(fields)[0] as string;
  const isZero =
    fields[first]?.bytes === 8
      ? `all(later.${first} == vec2(0u))`
      : `later.${first} == ${fields[first]?.name}(0)`;
  return operator({
    name: "last",
    type,
    identity: zeros as never,
    combine: `if (${isZero}) {\n  return earlier;\n}\nreturn later;`,
    reference: (earlier, later) => (Number(later[first]) === 0 ? earlier : later),
  });
};

describe.each(rows(Object.entries(shapes), { of: 15 }))("%s", (name, fields: StructFields) => {
  const op = lastOf(name, fields);
  const type = op.type as StructType;

  test("has WGSL's size", () => {
    expect(type.bytes).toBe(bytes[name as keyof typeof bytes]);
  });

  test("a kernel of the caller's own reads each field where the CPU wrote it", async ({ skip }) => {
    const { device } = fold();
    skip(
      type.feature !== undefined && !device.features.has(type.feature),
      `the adapter has no ${type.feature}`,
    );
    const leaves = leavesOf(type);
    const data = randomItems(type, 4, name) as StructArray;
    const padded = new Uint32Array(Math.ceil(data.byteLength / 4));
    new Uint8Array(padded.buffer).set(new Uint8Array(data.buffer));
    const run = await compileKernel(device, scalarsKernel(type, "read"));
    const [, output] = await run([padded, new Uint32Array(2 * leaves.length)]);
    const seen = (output as Uint32Array).buffer as ArrayBuffer;
    const value = data.get(1);
    leaves.forEach((leaf, at) => {
      // A struct of this scalar alone reads the words that came out.
      const alone = struct({ name: "Alone", fields: { x: leaf.type, pad: u64 } });
      const read = alone.over(new ArrayBuffer(alone.bytes));
      new Uint8Array(read.buffer).set(new Uint8Array(seen, 8 * at, 8));
      expect(read.get(0).x, leaf.access).toBe(scalarAt(value, leaf.keys));
    });
  });

  // Each shape with one algorithm, in turn, and the oddest with all: neither depends on the other.
  const at = Object.keys(shapes).indexOf(name) % algorithmNames.length;
  const own = name === "Mixed" ? algorithmNames : algorithmNames.slice(at, at + 1);
  test.for(own)("scan, reduce and compact: %s", async (algorithm, { skip }) => {
    skip(
      type.feature !== undefined && !fold().device.features.has(type.feature),
      `the adapter has no ${type.feature}`,
    );
    const tuning = { algorithm, workGroupSize: 4, itemsPerThread: 2 } as const;
    for (const length of edgeLengths(4, 2).filter((one) => one < 100)) {
      const data = randomItems(type, length, `${name} ${length}`) as StructArray;
      // Either kind of scan has kernels of its own, which take long to compile in software.
      for (const exclusive of [algorithm === "blelloch"]) {
        expectSameBits(
          await fold().scan(data, { op: untyped(op), exclusive, ...tuning }),
          scanReference(data, { op: untyped(op), exclusive }),
          `${length} exclusive=${exclusive}`,
        );
      }
      expect(await fold().reduce(data, { op: untyped(op), ...tuning })).toEqual(
        reduceReference(data, { op: untyped(op) }),
      );
      expectSameBits(
        await fold().compact(data, { where: "i % 3u != 1u", ...tuning }),
        compactReference(data, (_, index) => index % 3 !== 1),
        `${length} compact`,
      );
    }
  });
});
