import { constantFrom, integer } from "fast-check";
import { describe, expect, test } from "vitest";
import { problemOf } from "../../src/algebra/check_value.ts";
import { operator } from "../../src/algebra/custom_operator.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { fixedArray, leavesOf, vec2, vec3 } from "../../src/algebra/fields.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import { add, max, min } from "../../src/algebra/operators.ts";
import type { StructType } from "../../src/algebra/struct.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ScalarType, Value } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import { ArgumentError, FeatureError, SourceError } from "../../src/errors.ts";
import type { CheckFailure, CheckReport } from "../../src/laws/index.ts";
import { nearly } from "../../src/laws/nearly.ts";
import { specialsOf } from "../../src/laws/values.ts";
import { checkMonoid } from "../support/check_monoid.ts";
import { useFold } from "../support/fold.ts";
import { operatorsOf } from "../support/kernels.ts";
import { affine, chain, first, last } from "../support/operators.ts";
import { seed } from "../support/random.ts";

type StructValueIn<Type> = Type extends StructType<string, infer V> ? V : never;

const fold = useFold();

/** The report of an operator that is none, or a failed test. */
function failure<V extends Value>(report: CheckReport<V>): CheckFailure<V> {
  if (report.ok) {
    return expect.fail("no law was found broken");
  }
  return report;
}

const difference = operator({
  name: "difference",
  type: u32,
  identity: 0,
  combine: "earlier - later",
  reference: (earlier, later) => (earlier - later) >>> 0,
});
const average = operator({
  name: "average",
  type: f32,
  identity: 0,
  combine: "(earlier + later) / 2.0f",
  reference: (earlier, later) => Math.fround(Math.fround(earlier + later) / 2),
});
/** `x + y` with an identity, a twin or WGSL that may be wrong. */
const sum = (changes: {
  readonly identity?: number;
  readonly combine?: string;
  readonly declarations?: string;
  readonly reference?: (earlier: number, later: number) => number;
}) =>
  operator({
    name: "sum",
    type: i32,
    identity: 0,
    combine: "earlier + later",
    reference: (earlier: number, later: number) => (earlier + later) | 0,
    ...changes,
  });

describe("what is no monoid, with the simplest values that show it", () => {
  // Whatever the samples are, they shrink to the same values.
  test.each([seed | 0, 1, 2, 3])("subtraction: seed %i", async (one) => {
    const report = failure(await checkMonoid(difference, { fold: fold(), seed: one }));
    expect(report).toEqual({
      ok: false,
      law: "associativity",
      on: "CPU",
      counterexample: { a: 0, b: 0, c: 1 },
      left: 0xffffffff,
      right: 1,
      seed: one,
      message: `difference on u32 is no monoid: it is not associative on the CPU. With a = 0, b = 0 and c = 1, combine(combine(a, b), c) is 4294967295, and combine(a, combine(b, c)) is 1. The seed ${one} repeats it.`,
    });
  });

  test("an average of floats", async () => {
    const report = failure(await checkMonoid(average, { seed }));
    expect(report).toMatchObject({ law: "associativity", on: "CPU" });
    const { a, b, c } = report.counterexample;
    expect([a, b, c].map((one) => Math.abs(one ?? 9)).sort()).toEqual([0, 0, 1]);
  });

  test("an identity that is none on the left", async () => {
    // The first of two is right of every identity, and left of none.
    const leftmost = operator({
      name: "leftmost",
      type: u32,
      identity: 7,
      combine: "earlier",
      reference: (earlier) => earlier,
    });
    const report = failure(await checkMonoid(leftmost, { fold: fold() }));
    expect(report).toMatchObject({
      law: "left identity",
      on: "CPU",
      counterexample: { a: 0 },
      left: 7,
      right: 0,
    });
    expect(report.counterexample).toEqual({ a: 0 });
    expect(report.message).toContain("its identity 7 changes a value after it");
  });

  test("an identity that is none on the right", async () => {
    const rightmost = operator({
      name: "rightmost",
      type: u32,
      identity: 7,
      combine: "later",
      reference: (_, later) => later,
    });
    const report = failure(await checkMonoid(rightmost, { fold: fold() }));
    expect(report).toMatchObject({
      law: "right identity",
      on: "CPU",
      counterexample: { a: 0 },
      left: 7,
      right: 0,
    });
  });

  test("a wrong identity of a sum of structs", async () => {
    const pair = struct({ name: "Pair", fields: { wide: i64, narrow: f32 } });
    const op = operator({
      name: "pairs",
      type: pair,
      identity: { wide: 0n, narrow: 1 },
      combine: "return Pair(add_u64(earlier.wide, later.wide), earlier.narrow + later.narrow);",
      reference: (a, b) => ({
        wide: BigInt.asIntN(64, a.wide + b.wide),
        narrow: Math.fround(a.narrow + b.narrow),
      }),
    });
    expect(failure(await checkMonoid(op, { fold: fold() }))).toMatchObject({
      law: "left identity",
      counterexample: { a: { wide: 0n, narrow: 0 } },
      left: { wide: 0n, narrow: 1 },
      right: { wide: 0n, narrow: 0 },
    });
  });

  test("a CPU twin that differs from the WGSL", async () => {
    const op = sum({ combine: "earlier ^ later" });
    const onCpu = failure(await checkMonoid(op));
    expect(onCpu).toMatchObject({ law: "agreement", on: "CPU", counterexample: { a: 1, b: 1 } });
    expect(onCpu.message).toContain(
      "its reference and its combine do not agree. With a = 1 and b = 1, reference(a, b) is 2, and combine(a, b) is 0.",
    );
    // The CPU has no code for variables at module scope: it cannot tell.
    const declarations = "var<private> seen: i32;\nfn kept(a: i32) -> i32 { seen = a; return seen; }";
    const unseen = sum({ combine: "kept(earlier) ^ later", declarations });
    expect(await checkMonoid(unseen)).toMatchObject({ ok: true, on: ["CPU"] });
    const report = failure(await checkMonoid(op, { fold: fold() }));
    expect(report).toMatchObject({ law: "agreement", on: "GPU", counterexample: { a: 1, b: 1 } });
    expect([report.left, report.right]).toEqual([2, 0]);
    expect(report.message).toContain(
      "With a = 1 and b = 1, combine(a, b) on the CPU is 2, and on the GPU it is 0.",
    );
  });

  test("a float's twin may differ from the WGSL by the bound, and no more", async () => {
    const scaled = (by: number) =>
      operator({
        name: "greatest",
        type: f32,
        identity: -Infinity,
        combine: `max(earlier, later) * ${1 + by}f`,
        reference: Math.max,
      });
    const values = [1, -2.5, 3000, 2 ** -20];
    expect(await checkMonoid(scaled(2 ** -22), { values })).toMatchObject({ ok: true });
    expect(failure(await checkMonoid(scaled(2 ** -16), { values }))).toMatchObject({
      law: "agreement",
      on: "CPU",
    });
  });

  test("an operator without a twin is tried by its WGSL", async () => {
    const { name, type, identity, combine } = difference;
    const bare = operator({ name, type, identity, combine });
    expect(failure(await checkMonoid(bare, { seed: 7 }))).toEqual(
      failure(await checkMonoid(difference, { seed: 7 })),
    );
    const plus = operator({ name: "plus", type: f32, identity: 0, combine: "earlier + later" });
    expect(await checkMonoid(plus, { fold: fold() })).toMatchObject({ ok: true, on: ["CPU", "GPU"] });
    expect(await checkMonoid(plus)).toMatchObject({ ok: true, on: ["CPU"] });
    const wrong = operator({ name: "wrong", type: u32, identity: 0, combine: "earlier + missing" });
    await expect(checkMonoid(wrong)).rejects.toThrow(
      "checkMonoid<u32, wrong>, combine of the operator wrong, line 1: missing is not declared",
    );
    // A compiler says more.
    await expect(checkMonoid(wrong, { fold: fold() })).rejects.toThrow(SourceError);
  });

  test("WGSL that is not associative, with a CPU twin that is", async () => {
    const report = failure(await checkMonoid(sum({ combine: "earlier - later" }), { fold: fold() }));
    expect(report).toMatchObject({
      law: "associativity",
      on: "GPU",
      counterexample: { a: 0, b: 0, c: 1 },
      left: -1,
      right: 1,
    });
  });

  test("WGSL whose identity is none", async () => {
    const report = failure(await checkMonoid(sum({ combine: "max(earlier, later)" }), { fold: fold() }));
    expect(report).toMatchObject({
      law: "left identity",
      on: "GPU",
      counterexample: { a: -1 },
      left: 0,
      right: -1,
    });
    expect(report.message).toContain("its identity 0 changes a value after it on the GPU");
  });

  test("what breaks only at an extreme, and how NaN is seen", async () => {
    // Associative but for overflow, which a sum that saturates has on one side only.
    const saturating = sum({
      reference: (a, b) => Math.max(-0x80000000, Math.min(0x7fffffff, a + b)),
      combine: "earlier",
    });
    const report = failure(await checkMonoid(saturating));
    expect(report.law).toBe("associativity");
    const naive = operator({
      name: "naiveMin",
      type: f32,
      identity: Infinity,
      combine: "select(later, earlier, earlier < later)",
      reference: (a, b) => [b, a][Number(a < b)] as number,
    });
    const { counterexample } = failure(await checkMonoid(naive));
    expect(Object.values(counterexample).some(Number.isNaN)).toBe(true);
  });

  test("values that break a law only from a thousand on are shrunk to the first", async () => {
    const most = (a: number, b: number): number => Math.min(1000, Math.max(a, b));
    const clampedBy = (reference: (a: number, b: number) => number) =>
      operator({
        name: "clamped",
        type: u32,
        identity: 0,
        combine: "min(1000u, max(earlier, later))",
        reference,
      });
    const clamped = clampedBy(most);
    for (const one of [seed, 1, 2]) {
      expect(failure(await checkMonoid(clamped, { seed: one }))).toMatchObject({
        law: "left identity",
        counterexample: { a: 1001 },
      });
      const onGpu = clampedBy((a, b) => Math.max(a, b));
      const report = failure(await checkMonoid(onGpu, { seed: one, fold: fold() }));
      expect(report).toMatchObject({ on: "GPU", counterexample: { a: 1001 }, left: 1000, right: 1001 });
    }
  });

  test("an identity that only infinity shows to be none", async () => {
    const greatest = operator({
      name: "greatest",
      type: f32,
      identity: -(2 - 2 ** -23) * 2 ** 127,
      combine: "max(earlier, later)",
      reference: Math.max,
    });
    expect(failure(await checkMonoid(greatest))).toMatchObject({
      law: "left identity",
      counterexample: { a: -Infinity },
    });
  });

  test("a smaller error than a float's own goes unseen, a larger one does not", async () => {
    const off = (by: number) =>
      operator({
        name: "off",
        type: f32,
        identity: 0,
        combine: "earlier + later",
        reference: (a, b) => Math.fround(Math.fround(a + b) * (1 + by)),
      });
    expect(await checkMonoid(off(2 ** -23), { fold: fold() })).toMatchObject({ ok: true });
    expect(failure(await checkMonoid(off(2 ** -16), { fold: fold() })).on).toBe("CPU");
  });

  test("a caller's own comparison may be stricter, or laxer", async () => {
    expect(await checkMonoid(add, { type: f32 })).toMatchObject({ ok: true });
    expect(failure(await checkMonoid(add, { type: f32, equal: Object.is })).law).toBe("associativity");
    expect(await checkMonoid(difference, { equal: () => true })).toMatchObject({ ok: true });
  });
});

describe("monoids pass", () => {
  const pairs = Object.values<ScalarType>(elementTypes).flatMap((type) =>
    operatorsOf(type).map((op) => [type.name, op.name, type, op] as const),
  );
  test.each(pairs)("%s %s", async (_, __, type, op) => {
    const has = type.feature === undefined || fold().device.features.has(type.feature);
    const report = await checkMonoid(op as never, {
      type: type as never,
      cases: 500,
      seed,
      ...(has && { fold: fold() }),
    });
    expect(report).toEqual({ ok: true, cases: 500, seed, on: has ? ["CPU", "GPU"] : ["CPU"] });
  });

  test("those that do not commute", async () => {
    for (const op of [affine, first, last]) {
      expect(await checkMonoid(op, { fold: fold() }), op.name).toMatchObject({ ok: true });
    }
    const { identity } = chain;
    const one = { sum: 5n, first: 1, last: -1, count: 1 };
    expect(await checkMonoid(chain, { fold: fold(), values: [identity, one] })).toMatchObject({ ok: true });
  });
});

describe("what may be tried", () => {
  test("a list of values, or an arbitrary", async () => {
    expect(failure(await checkMonoid(difference, { values: [8, 6, 4] })).counterexample).toEqual({
      a: 4,
      b: 4,
      c: 4,
    });
    const { counterexample } = failure(
      await checkMonoid(difference, { values: integer({ min: 100, max: 200 }) }),
    );
    expect(counterexample).toEqual({ a: 100, b: 100, c: 100 });
    // A sum that saturates is one where nothing is large.
    const small = sum({ reference: (a, b) => Math.min(1000, a + b) });
    expect(await checkMonoid(small, { values: integer({ min: 0, max: 300 }) })).toMatchObject({ ok: true });
    expect(await checkMonoid(difference, { values: constantFrom(0) })).toMatchObject({ ok: true });
  });

  test("the same seed gives the same values", async () => {
    const seen: number[][] = [[], [], []];
    for (const [at, one] of [5, 5, 6].entries()) {
      const spy = sum({
        reference: (a, b) => {
          seen[at]?.push(a, b);
          return (a + b) | 0;
        },
      });
      await checkMonoid(spy, { seed: one, cases: 50 });
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).not.toEqual(seen[0]);
    expect(seen[0]?.length).toBe(2 * 50 * (4 + 1 + 1 + 1));
  });

  test("special values of every type are among them", () => {
    for (const [type, expected] of [
      [u32, [0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x10000]],
      [i32, [0, 1, -1, -0x80000000, 0x7fffffff, 0x10000]],
      [
        f32,
        [0, -0, 1, -1, Infinity, -Infinity, Number.NaN, 2 ** -149, 2 ** -126, (2 - 2 ** -23) * 2 ** 127, 0.5],
      ],
      [f16, [0, -0, 1, Infinity, Number.NaN, 2 ** -24, 2 ** -14, 65504]],
      [u64, [0n, 1n, 2n ** 64n - 1n, 2n ** 63n, 2n ** 32n]],
      [i64, [0n, 1n, -1n, -(2n ** 63n), 2n ** 63n - 1n, 2n ** 32n]],
      [f64, [0, -0, Infinity, Number.NaN, Number.MAX_VALUE, Number.MIN_VALUE, 2 ** -1022]],
    ] as const) {
      expect(specialsOf(type), type.name).toEqual(expect.arrayContaining([...expected]));
      for (const one of specialsOf(type)) {
        expect(problemOf(type, one), type.name).toBe(undefined);
      }
    }
  });

  test("a struct's fields are told apart", () => {
    const all = { a: u32, b: i32, c: f32, d: f16, e: u64, f: i64, g: f64 };
    const types = leavesOf(struct({ name: "All", fields: all })).map(({ access, type }) => [access, type]);
    expect(types).toEqual(Object.entries(all).map(([field, type]) => [`.${field}`, type]));
  });

  describe("vectors, arrays and structs in a struct", () => {
    const Range = struct({ name: "Range", fields: { least: i32, most: i32 } });
    const Body = struct({
      name: "Body",
      fields: { at: vec3(f32), counts: fixedArray(u32, 2), range: Range, seen: vec2(u32) },
    });
    const definition = {
      name: "together",
      type: Body,
      identity: {
        at: [0, 0, 0],
        counts: [0, 0],
        range: { least: 0x7fffffff, most: -0x80000000 },
        seen: [0, 0],
      },
      combine: `return Body(
  earlier.at + later.at,
  array(earlier.counts[0] + later.counts[0], max(earlier.counts[1], later.counts[1])),
  Range(min(earlier.range.least, later.range.least), max(earlier.range.most, later.range.most)),
  earlier.seen | later.seen,
);`,
      reference: (a: StructValueIn<typeof Body>, b: StructValueIn<typeof Body>) => ({
        at: [0, 1, 2].map((k) => Math.fround((a.at[k] ?? 0) + (b.at[k] ?? 0))) as unknown as [
          number,
          number,
          number,
        ],
        counts: [
          ((a.counts[0] ?? 0) + (b.counts[0] ?? 0)) >>> 0,
          Math.max(a.counts[1] ?? 0, b.counts[1] ?? 0),
        ],
        range: {
          least: Math.min(a.range.least, b.range.least),
          most: Math.max(a.range.most, b.range.most),
        },
        seen: [(a.seen[0] | b.seen[0]) >>> 0, (a.seen[1] | b.seen[1]) >>> 0] as const,
      }),
    } as const;

    test("an operator that is one passes, on the GPU too", async () => {
      const report = await checkMonoid(operator(definition), { fold: fold(), cases: 50 });
      expect(report.ok ? "" : report.message).toBe("");
    });

    test("a law that only a part breaks is found, and all else is made simple", async () => {
      const broken = operator({
        ...definition,
        name: "broken",
        reference: (a, b) => ({
          ...definition.reference(a, b),
          range: { least: (a.range.least - b.range.least) | 0, most: 0 },
        }),
      });
      const { law, message } = failure(await checkMonoid(broken));
      expect(law).toBe("associativity");
      expect(message).toContain("at: [0, 0, 0], counts: [0, 0], range: { least: ");
      const other = operator({
        ...definition,
        name: "other",
        combine: definition.combine.replace("seen | ", "seen & "),
      });
      expect(failure(await checkMonoid(other, { fold: fold(), cases: 50 })).law).toBe("left identity");
    });

    test("floats may differ by what a change of any part of an operand makes of a result", () => {
      const Pair = struct({ name: "Pair", fields: { a: vec2(f32), b: Range } });
      const pair = (x: number) => ({ a: [0, x], b: { least: 0, most: 0 } });
      // Near 1, one unit in the last place more makes 12 more of the result.
      const steep = (value: Value): Value => pair(((value as ReturnType<typeof pair>).a[1] ?? 0) * 1e8 - 1e8);
      const isSame = (right: number): boolean =>
        nearly(Pair as never)({
          left: pair(0),
          right: pair(right),
          operands: [pair(1)],
          between: [],
          again: ([one = pair(1)]) => [steep(one), steep(one)],
        });
      expect(isSame(5)).toBe(true);
      expect(isSame(5000)).toBe(false);
    });

    test("values of it are named with their path", async () => {
      const wrong = { ...definition.identity, counts: [0, -1] };
      await expect(checkMonoid(operator(definition), { values: [wrong] })).rejects.toThrow(
        "counts[1]: -1 is no value of u32",
      );
    });
  });
});

describe("errors", () => {
  test("a combine that does not compile", async () => {
    await expect(checkMonoid(sum({ combine: "earlier + nonsense" }), { fold: fold() })).rejects.toThrow(
      SourceError,
    );
    expect(await checkMonoid(sum({ combine: "earlier + nonsense" }))).toMatchObject({ ok: true });
  });

  test("arguments that mean nothing", async () => {
    const refused: [options: object, message: RegExp][] = [
      [{ cases: 0 }, /cases is 0; it takes a whole number from 1 up/],
      [{ seed: 0.5 }, /seed is 0.5; it takes a whole number/],
      [{ values: [] }, /<u32, difference>: values is empty/],
      [{ values: 7 }, /values is number/],
      [{ values: [-1] }, /in values, -1 is no value of u32/],
      [{ type: i32 }, /for u32, not for i32/],
    ];
    for (const [options, message] of refused) {
      const report = checkMonoid(difference, options);
      await expect(report).rejects.toThrow(ArgumentError);
      await expect(report).rejects.toThrow(message);
    }
    await expect(checkMonoid(max as never)).rejects.toThrow(/max is for many types; say for which with type/);
    await expect(checkMonoid(sum({ reference: (a, b) => a + b }), { values: [0x7fffffff] })).rejects.toThrow(
      /reference\(2147483647, 2147483647\) is 4294967294: 4294967294 is no value of i32/,
    );
  });

  test("f16 where the adapter has none", async ({ skip }) => {
    skip(fold().device.features.has("shader-f16"), "the adapter has shader-f16");
    await expect(checkMonoid(min, { type: f16, fold: fold() })).rejects.toThrow(FeatureError);
  });
});
