import leastEntryFile from "#shaders/device/keys/least_entry.wgsl";
import type { Monoid, Operator } from "../algebra/monoid.ts";
import { min } from "../algebra/operators.ts";
import type { ElementType, Scalar, ScalarType } from "../algebra/types.ts";

// argMin is the least of integers that have an element's key in their upper words and its index in the lowest one. For argMax, keys
// are complemented. NaN has the key that loses against all others.

/** Which element is looked for. */
export type ArgCall = "argMin" | "argMax";

/** The types of entries whose keys have two words. */
const wide: ElementType<"entry"> = {
  name: "entry",
  kind: "unsigned",
  bytes: 16,
  value: "vec4<u32>",
  files: [leastEntryFile],
  native: {
    element: "vec4<u32>",
    elementBytes: 16,
    literal: () => ["vec4<u32>(0xffffffffu)"],
  },
  round: (value) => value,
};

const leastEntry: Operator<"entry"> = {
  name: "least",
  on: (_, type): Monoid => ({
    key: "least_entry",
    title: `${type.name}, least`,
    type,
    domain: type.native,
    operation: undefined,
    combine: "first_entry(earlier, later)",
    leading: "x.y",
    identity: 0,
  }),
};

const NAN = "0xffffffffu";

/** Statements that declare `key` for an item `x`, whether it is NaN, and the same on the CPU for the key's words. */
const short = (bits: string): string => `let bits = ${bits};
let is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
let key = bits ^ select(0x80000000u, 0xffffffffu, bits >= 0x80000000u);`;
const integer = (key: string): string => `let is_nan = false;\nlet key = ${key};`;
const keys = {
  u32: integer("x"),
  i32: integer("bitcast<u32>(x) ^ 0x80000000u"),
  f32: short("bitcast<u32>(x)"),
  f16: short("bitcast<u32>(f32(x))"),
  u64: integer("bitcast<vec2<u32>>(x)"),
  i64: integer("bitcast<vec2<u32>>(x) ^ vec2<u32>(0u, 0x80000000u)"),
  f64: `let is_nan = is_nan_f64(x);
let mask = 0u - (bitcast<vec2<u32>>(x).y >> 31u);
let key = bitcast<vec2<u32>>(x) ^ vec2<u32>(mask, mask | 0x80000000u);`,
} as const satisfies Record<ScalarType["name"], string>;

/** The options of the reduction that finds an element of a type. Entries of 64 bits are values of `u64`. */
export function reductionOf(
  call: ArgCall,
  from: ScalarType,
  u64: ElementType<"u64">,
): { readonly from: ElementType; readonly type: ElementType; readonly op: Operator; readonly map: string } {
  const isWide = from.bytes === 8;
  const key = call === "argMax" ? "~key" : "key";
  const result = isWide
    ? `vec4<u32>(select(${key}, vec2<u32>(${NAN}), is_nan), i, 0u)`
    : `vec2<u32>(i, select(${key}, ${NAN}, is_nan))`;
  return {
    from,
    type: isWide ? wide : u64,
    op: (isWide ? leastEntry : min) as object as Operator,
    map: `${keys[from.name]}\nreturn ${result};`,
  };
}

/** The key of an entry as one integer, from its words. The reduction looks for the least one. */
export const keyOfWords = (words: Uint32Array): bigint => {
  const [first = 0, second = 0] = words;
  return words.length > 2 ? (BigInt(second) << 32n) | BigInt(first) : BigInt(second);
};

/** The element and its index, from the words that the reduction gives. */
export function elementOf(
  call: ArgCall,
  type: ScalarType,
  words: Uint32Array,
): { readonly value: Scalar; readonly index: number } {
  const isWide = type.bytes === 8;
  const [index = 0] = isWide ? words.subarray(2) : words;
  const bits = isWide ? 64 : 32;
  const most = (1n << BigInt(bits)) - 1n;
  const given = keyOfWords(words);
  if (type.kind === "float" && given === most) {
    return { value: Number.NaN, index };
  }
  const key = call === "argMax" ? most - given : given;
  const sign = 1n << BigInt(bits - 1);
  if (type.kind !== "float") {
    const value = type.kind === "signed" ? key - sign : key;
    return { value: isWide ? value : Number(value), index };
  }
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, key >= sign ? key - sign : most - key);
  return { value: isWide ? view.getFloat64(0) : view.getFloat32(4), index };
}
