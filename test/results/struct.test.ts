import { describe, expect, test } from "vitest";
import type { StructArray } from "../../src/node.ts";
import { operator } from "../../src/operators.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import type { StructFields, StructValueOf } from "../../src/struct.ts";
import { struct } from "../../src/struct.ts";
import { f16, f32, i32, u32 } from "../../src/types.ts";
import { f64, i64, u64 } from "../../src/types64.ts";
import { expectSameBits } from "../support/compare.ts";
import { algorithmNames, untyped, useSoftwareFold } from "../support/fold.ts";
import { edgeLengths } from "../support/lengths.ts";
import { randomItems } from "../support/random.ts";

const fold = useSoftwareFold();

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

describe.each(Object.entries(shapes))("%s", (name, fields: StructFields) => {
  const op = lastOf(name, fields);
  const type = op.type;

  test("has WGSL's size", () => {
    expect(type.bytes).toBe(bytes[name as keyof typeof bytes]);
  });

  test.for(algorithmNames)("scan, reduce and compact: %s", async (algorithm, { skip }) => {
    skip(
      type.feature !== undefined && !fold().device.features.has(type.feature),
      `the adapter has no ${type.feature}`,
    );
    const tuning = { algorithm, workGroupSize: 4, itemsPerThread: 2 } as const;
    for (const length of edgeLengths(4, 2).filter((one) => one < 100)) {
      const data = randomItems(type, length, `${name} ${length}`) as StructArray;
      for (const exclusive of [false, true]) {
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
