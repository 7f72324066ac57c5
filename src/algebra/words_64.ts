import binary64File from "#shaders/numeric/binary64.wgsl";
import binary64Order from "#shaders/numeric/binary64_order.wgsl";
import int64File from "#shaders/numeric/int64.wgsl";
import { converted, hex, sharedFile } from "./literals.ts";
import type { Domain, Literal, ScalarType } from "./types.ts";

const int64 = /* @__PURE__ */ sharedFile(int64File);
const binary64 = /* @__PURE__ */ sharedFile(binary64File);

const words = (low: number, high: number): Literal => [`vec2<u32>(${hex(low)}, ${hex(high)})`];
const bigWords = (value: bigint): Literal => {
  const bits = BigInt.asUintN(64, value);
  return words(Number(bits & 0xffffffffn), Number(bits >> 32n));
};
const f64Words = (value: number): readonly [low: number, high: number] => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return [view.getUint32(4), view.getUint32(0)];
};

/** Pairs of u32, low word first, as they are stored. */
const pair = <V extends number | bigint>(
  operations: NonNullable<Domain["operations"]>,
  literal: Domain<V>["literal"],
): Domain<V> => ({
  element: "vec2<u32>",
  elementBytes: 8,
  operations,
  literal,
});

const integerOperations = (name: "u64" | "i64"): NonNullable<Domain["operations"]> => ({
  add: "add_u64(earlier, later)",
  mul: "mul_u64(earlier, later)",
  min: `min_${name}(earlier, later)`,
  max: `max_${name}(earlier, later)`,
  and: "earlier & later",
  or: "earlier | later",
  xor: "earlier ^ later",
});

const integer = <Name extends "u64" | "i64">(
  name: Name,
  round: (value: bigint) => bigint,
): Omit<ScalarType<Name, bigint>, "kind" | "lowest" | "greatest"> => ({
  name,
  bytes: 8,
  value: "vec2<u32>",
  zero: 0n,
  one: 1n,
  round,
  files: [int64],
  native: pair<bigint>(integerOperations(name), bigWords),
});

/** 64-bit unsigned integers on pairs of u32; arithmetic wraps. */
export const u64: ScalarType<"u64", bigint> = {
  .../* @__PURE__ */ integer("u64", (value) => BigInt.asUintN(64, value)),
  kind: "unsigned",
  lowest: 0n,
  greatest: 0xffff_ffff_ffff_ffffn,
} satisfies ScalarType<"u64", bigint>;

/** 64-bit signed integers on pairs of u32, in two's complement; arithmetic wraps. */
export const i64: ScalarType<"i64", bigint> = {
  .../* @__PURE__ */ integer("i64", (value) => BigInt.asIntN(64, value)),
  kind: "signed",
  lowest: -0x8000_0000_0000_0000n,
  greatest: 0x7fff_ffff_ffff_ffffn,
} satisfies ScalarType<"i64", bigint>;

// Floats as integers in the same order. `nan` is what NaN becomes.
function orderOfF64(nan: string, bits = "f64_bits_from_order(x)"): Domain<number> {
  const fromBits = `order_from_f64_bits(x, ${nan})`;
  return converted(fromBits, bits, {
    ...pair<number>({ min: "min_u64(earlier, later)", max: "max_u64(earlier, later)" }, (value) => {
      const [low, high] = f64Words(value);
      return high >= 0x80000000 ? words(~low >>> 0, ~high >>> 0) : words(low, (high ^ 0x80000000) >>> 0);
    }),
    fromStored: fromBits,
    toStored: bits,
  });
}

const same = (value: number): number => value;

/**
 * IEEE-754 binary64 in integer arithmetic: each operation rounds to nearest even and keeps
 * subnormals, bit for bit as JavaScript's numbers do. Every NaN that results is 0x7ff8000000000000.
 */
export const f64: ScalarType<"f64", number> = {
  name: "f64",
  kind: "float",
  bytes: 8,
  value: "vec2<u32>",
  zero: 0,
  one: 1,
  lowest: -Infinity,
  greatest: Infinity,
  addIdentity: -0,
  addStart: {
    value: 0,
    before: "zero_before_f64(x)",
    inKernel: "fn value_from_exclusive(x: Value) -> Value {\n  return zero_before_f64(x);\n}",
  },
  round: same,
  files: [int64, binary64, binary64Order],
  native: {
    .../* @__PURE__ */ pair<number>(
      { add: "add_f64(earlier, later)", mul: "mul_f64(earlier, later)" },
      (value) => words(...f64Words(value)),
    ),
    long: true,
  },
  order: /* @__PURE__ */ orderOfF64("identity()"),
  nanFirst: /* @__PURE__ */ orderOfF64("vec2<u32>(0u)", "f64_bits_or_nan_from_order(x)"),
  nanLast: /* @__PURE__ */ orderOfF64("vec2<u32>(0xffffffffu)", "f64_bits_or_nan_from_order(x)"),
} satisfies ScalarType<"f64", number>;
