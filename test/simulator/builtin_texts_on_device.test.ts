import { describe, expect } from "vitest";
import { adapter, skipAll, swiftShaderMissing } from "../support/adapter.ts";
import { compileKernel } from "../support/buffers.ts";
import { useSoftwareFold } from "../support/fold.ts";
import { randomBits } from "../support/random.ts";
import { testInTurn } from "../support/rows.ts";
import type { Bounded } from "./accuracy.ts";
import * as exact from "./accuracy.ts";
import { exactly } from "./accuracy.ts";
import type { DeviceCase, OperandName, TypeName } from "./device_cases.ts";
import { evaluatorOf, kernelOf, places } from "./device_cases.ts";
import { decoded, f16, f32, rounded } from "./numbers/rationals.ts";
import { hex, randomWord, specialFloats, specialIntegers } from "./numbers/special_words.ts";

// SwiftShader computes with IEEE's operations, so operators, conversions and functions that are exact must have the same bits there.
// Other adapters may round up or down.
skipAll(
  swiftShaderMissing ?? (adapter === "gpu" ? "exact results are compared with SwiftShader's" : undefined),
);
const fold = useSoftwareFold();

type Triple = readonly [number, number, number];

const view = new DataView(new ArrayBuffer(4));
function numberOf(word: number): number {
  view.setInt32(0, word);
  return view.getFloat32(0);
}
const isSubnormal = (word: number): boolean => (word & 0x7f800000) === 0 && (word & 0x7fffff) !== 0;
const isFiniteWord = (word: number): boolean => (word & 0x7f800000) !== 0x7f800000;
const isZero = (word: number): boolean => (word & 0x7fffffff) === 0;

const same = (result: TypeName, names: string, ...on: OperandName[]): DeviceCase[] =>
  names.split(" ").map((name) => ({ name, on, result }));

/** Integers may be rounded up or down. */
const isBeside = (integer: number, actual: number): boolean =>
  Math.abs(numberOf(actual) - integer) < exact.ulp(integer);

/** A field that ends with the word is the same as a longer one, so every offset and count is allowed here. */
const integerCases: readonly DeviceCase[] = [
  ...same("i32", "+ - * / % & | ^", "i", "j"),
  ...same("u32", "+ - * / % & | ^", "u", "v"),
  ...same("i32", "<< >>", "i", "v"),
  ...same("u32", "<< >>", "u", "v"),
  ...same("bool", "== != < <= > >=", "i", "j"),
  ...same("bool", "== != < <= > >=", "u", "v"),
  ...same("bool", "== != & |", "p", "q"),
  ...same("i32", "- ~ abs countLeadingZeros countOneBits countTrailingZeros firstLeadingBit", "i"),
  ...same("i32", "firstTrailingBit reverseBits sign i32", "i"),
  ...same("u32", "~ abs countLeadingZeros countOneBits countTrailingZeros firstLeadingBit", "u"),
  ...same("u32", "firstTrailingBit reverseBits u32", "u"),
  ...same("bool", "! all any bool", "p"),
  ...same("bool", "all any", "pq"),
  ...same("bool", "all any", "qpp"),
  ...same("vec3i", "+ - * / %", "ijk", "jki"),
  ...same("vec3u", "* / % & >> <<", "uvw", "wuv"),
  ...same("i32", "min max", "i", "j"),
  ...same("u32", "min max", "u", "v"),
  ...same("vec3i", "min max", "ijk", "jki"),
  ...same("i32", "clamp", "i", "j", "k"),
  ...same("u32", "clamp", "u", "v", "w"),
  ...same("i32", "select", "i", "j", "p"),
  ...same("vec3u", "select", "uvw", "wuv", "qpp"),
  ...same("vec3i", "select", "ijk", "jki", "q"),
  ...same("i32", "extractBits", "i", "v", "w"),
  ...same("u32", "extractBits", "u", "v", "w"),
  ...same("vec3i", "extractBits", "ijk", "v", "w"),
  ...same("vec3u", "extractBits", "uvw", "v", "w"),
  ...same("u32", "insertBits", "u", "w", "v", "w"),
  ...same("i32", "insertBits", "k", "i", "u", "v"),
  ...same("i32", "dot", "ij", "ij"),
  ...same("i32", "dot", "ijk", "jki"),
  ...same("u32", "dot", "uvw", "wuv"),
  ...same("i32", "dot4I8Packed", "u", "v"),
  ...same("u32", "dot4U8Packed", "u", "v"),
  ...same("u32", "pack4xI8 pack4xI8Clamp", "ijki"),
  ...same("u32", "pack4xU8 pack4xU8Clamp", "uvwu"),
  ...same("vec4i", "unpack4xI8", "u"),
  ...same("vec4u", "unpack4xU8", "u"),
  ...same("i32", "bitcast i32", "u"),
  ...same("u32", "bitcast u32", "i"),
  ...same("vec2i", "bitcast", "uv"),
  ...same("u32", "u32", "p"),
  ...same("i32", "i32", "q"),
  ...same("bool", "bool", "i"),
  ...same("bool", "bool", "u"),
  { name: "f32", on: ["i"], result: "f32", isOpen: ([word], actual) => isBeside(word, actual) },
  { name: "f32", on: ["u"], result: "f32", isOpen: ([word], actual) => isBeside(word >>> 0, actual) },
  ...same("f32", "f32", "p"),
];

const steps8 = (isSigned: boolean): Bounds => normalizedFields(4, isSigned ? 127 : 255, isSigned);
const steps16 = (isSigned: boolean): Bounds => normalizedFields(2, isSigned ? 32767 : 65535, isSigned);
type Bounds = NonNullable<DeviceCase["isOpen"]>;

/** What is packed may differ by one step beside the middle of two, where the product is rounded. */
function normalizedFields(count: number, steps: number, isSigned: boolean): Bounds {
  const bits = 32 / count;
  return (words, actual) => {
    const components = [...words, words[0]].slice(0, count);
    return components.every((word, at) => {
      const shifted = (actual << (32 - bits * (at + 1))) >> (32 - bits);
      const packed = isSigned ? shifted : shifted & (2 ** bits - 1);
      const held = Math.max(isSigned ? -1 : 0, Math.min(1, numberOf(word)));
      const product = 0.5 + steps * held;
      const slack = 2 * exact.ulp(product) + exact.ulp(steps * held);
      return packed >= Math.floor(product - slack) && packed <= Math.floor(product + slack);
    });
  };
}

const isPastHalf = (word: number): boolean => Math.abs(numberOf(word)) >= 65504;

/** Halves may be rounded up or down, subnormal ones flushed, and what is past the greatest may be anything. */
const isHalf = (word: number, half: number): boolean => {
  const nearest = rounded(decoded(word, f32), f16);
  const isTiny = (nearest & 0x7fff) < 0x400;
  return isPastHalf(word) || Math.abs(nearest - half) <= 1 || (isTiny && (half & 0x7fff) === 0);
};

const exactCases: readonly DeviceCase[] = [
  ...same("f32", "+ - *", "x", "y"),
  ...same("vec3f", "+ *", "xyz", "zxy"),
  ...same("bool", "== != < <= > >=", "x", "y"),
  ...same("f32", "- abs ceil floor round trunc sign saturate f32 bitcast", "x"),
  ...same("vec3f", "- abs floor", "xyz"),
  ...same("f32", "min max step", "x", "y"),
  ...same("f32", "select", "x", "y", "q"),
  ...same("vec2f", "min", "xy", "yz"),
  ...same("i32", "i32 bitcast", "x"),
  ...same("u32", "u32 bitcast", "x"),
  ...same("bool", "bool", "x"),
  ...same("f32", "bitcast", "u"),
  ...same("vec2f", "bitcast", "uv"),
  ...same("mat2x3", "+ -", "m23", "m23"),
  ...same("mat2x2", "*", "m22", "x"),
  ...same("mat2x3", "*", "y", "m23"),
  ...same("mat2x3", "transpose", "m32"),
  ...same("mat3x2", "transpose", "m23"),
  {
    name: "clamp",
    on: ["x", "y", "z"],
    result: "f32",
    isOpen: ([, low, high]) => numberOf(low) > numberOf(high),
  },
  { name: "modf", on: ["x"], result: "f32", member: "whole" },
  { name: "modf", on: ["x"], result: "f32", member: "fract" },
  { name: "modf", on: ["xyz"], result: "vec3f", member: "whole" },
  { name: "frexp", on: ["x"], result: "f32", member: "fract", isOpen: ([x]) => isSubnormal(x) },
  { name: "frexp", on: ["x"], result: "i32", member: "exp", isOpen: ([x]) => isSubnormal(x) },
  {
    name: "frexp",
    on: ["xy"],
    result: "vec2i",
    member: "exp",
    isOpen: ([x, y]) => isSubnormal(x) || isSubnormal(y),
  },
  {
    name: "ldexp",
    on: ["x", "j"],
    result: "f32",
    isOpen: ([, exponent], actual) => exponent > 128 || (exponent <= -127 && isZero(actual)),
  },
  {
    name: "quantizeToF16",
    on: ["x"],
    result: "f32",
    isOpen: ([x], actual) => isHalf(x, rounded(decoded(actual, f32), f16)),
  },
  {
    name: "pack2x16float",
    on: ["xy"],
    result: "u32",
    isOpen: ([x, y], actual) =>
      isPastHalf(x) || isPastHalf(y) || (isHalf(x, actual & 0xffff) && isHalf(y, actual >>> 16)),
  },
  { name: "pack4x8snorm", on: ["xyzx"], result: "u32", isOpen: steps8(true) },
  { name: "pack4x8unorm", on: ["xyzx"], result: "u32", isOpen: steps8(false) },
  { name: "pack2x16snorm", on: ["xy"], result: "u32", isOpen: steps16(true) },
  { name: "pack2x16unorm", on: ["xy"], result: "u32", isOpen: steps16(false) },
];

const unit = exactly(1);
const two = exactly(2);
const half = exactly(0.5);

const sinh = (x: Bounded): Bounded =>
  exact.times(exact.minus(exact.exp(x), exact.exp(exactly(-x.value))), half);
const cosh = (x: Bounded): Bounded =>
  exact.times(exact.plus(exact.exp(x), exact.exp(exactly(-x.value))), half);
const beside1 = (x: Bounded): Bounded => exact.sqrt(exact.minus(unit, exact.times(x, x)));
const isIn = ({ value }: Bounded, from: number, to: number): boolean => value >= from && value <= to;
const open: Bounded = { value: 0, error: Infinity };

function smoothstep(low: Bounded, high: Bounded, x: Bounded): Bounded {
  const t = exact.clamped(exact.over(exact.minus(x, low), exact.minus(high, low)), 0, 1);
  return exact.times(exact.times(t, t), exact.minus(exactly(3), exact.times(two, t)));
}

/** The worse of x · (1 - z) + y · z, as WGSL has it, and x + (y - x) · z, as SwiftShader computes it. */
function mix(x: Bounded, y: Bounded, z: Bounded): Bounded {
  const { value, error } = exact.plus(exact.times(x, exact.minus(unit, z)), exact.times(y, z));
  const other = exact.plus(x, exact.times(exact.minus(y, x), z));
  return { value, error: Math.max(error, other.error) };
}

/** A constant as an f32, which is rounded, too. */
const constant = (value: number): Bounded => ({ value, error: exact.ulp(value) });

const of1 = (name: string, bound: (x: Bounded) => Bounded): DeviceCase => ({
  name,
  on: ["x"],
  result: "f32",
  bounds: (x) => [bound(x)],
});

const boundedCases: readonly DeviceCase[] = [
  { name: "/", on: ["x", "y"], result: "f32", bounds: (x, y) => [exact.over(x, y)] },
  {
    name: "%",
    on: ["x", "y"],
    result: "f32",
    bounds: (x, y) => [exact.minus(x, exact.times(y, exact.trunc(exact.over(x, y))))],
  },
  of1("acos", (x) =>
    isIn(x, -1, 1) ? exact.orAbsolute(6.77e-5, exact.atan2(beside1(x), x), Math.acos(x.value)) : open,
  ),
  of1("asin", (x) =>
    isIn(x, -1, 1) ? exact.orAbsolute(6.81e-5, exact.atan2(x, beside1(x)), Math.asin(x.value)) : open,
  ),
  of1("acosh", (x) =>
    isIn(x, 1, Infinity) ? exact.log(exact.plus(x, exact.sqrt(exact.minus(exact.times(x, x), unit)))) : open,
  ),
  of1("asinh", (x) => exact.log(exact.plus(x, exact.sqrt(exact.plus(exact.times(x, x), unit))))),
  of1("atan", exact.atan),
  of1("atanh", (x) =>
    isIn(x, -1, 1)
      ? exact.times(exact.log(exact.over(exact.plus(unit, x), exact.minus(unit, x))), half)
      : open,
  ),
  of1("cos", exact.cos),
  of1("sin", exact.sin),
  of1("tan", (x) => exact.over(exact.sin(x), exact.cos(x))),
  of1("cosh", cosh),
  of1("sinh", sinh),
  of1("tanh", (x) => exact.orAbsolute(1e-5, exact.over(sinh(x), cosh(x)), Math.tanh(x.value))),
  of1("degrees", (x) => exact.times(x, constant(180 / Math.PI))),
  of1("radians", (x) => exact.times(x, constant(Math.PI / 180))),
  of1("exp", exact.exp),
  of1("exp2", exact.exp2),
  of1("log", (x) => (x.value > 0 ? exact.log(x) : open)),
  of1("log2", (x) => (x.value > 0 ? exact.log2(x) : open)),
  of1("sqrt", (x) => (x.value >= 0 ? exact.sqrt(x) : open)),
  of1("inverseSqrt", (x) => (x.value > 0 ? exact.inverseSqrt(x) : open)),
  of1("fract", (x) => exact.minus(x, exact.floor(x))),
  { name: "atan2", on: ["x", "y"], result: "f32", bounds: (x, y) => [exact.atan2(x, y)] },
  {
    name: "pow",
    on: ["x", "y"],
    result: "f32",
    bounds: (x, y) => [x.value > 0 ? exact.exp2(exact.times(y, exact.log2(x))) : open],
  },
  {
    name: "fma",
    on: ["x", "y", "z"],
    result: "f32",
    bounds: (x, y, z) => [exact.plus(exact.times(x, y), z)],
  },
  { name: "mix", on: ["x", "y", "z"], result: "f32", bounds: (x, y, z) => [mix(x, y, z)] },
  { name: "mix", on: ["xy", "yz", "z"], result: "vec2f", bounds: (x, y, z) => [mix(x, y, z), mix(y, z, z)] },
  { name: "smoothstep", on: ["x", "y", "z"], result: "f32", bounds: (x, y, z) => [smoothstep(x, y, z)] },
  { name: "length", on: ["x"], result: "f32", bounds: (x) => [exact.sqrt(exact.times(x, x))] },
  ...["unpack4x8snorm", "unpack4x8unorm", "unpack2x16snorm", "unpack2x16unorm"].map(unpacked),
  { name: "unpack2x16float", on: ["u"], result: "vec2f", isOpen: hasOpenHalf },
];

/** Of half floats that are no numbers nothing is known, and subnormal ones may be flushed. */
function hasOpenHalf([word]: Triple): boolean {
  return [word & 0xffff, word >>> 16].some((bits) => {
    const exponent = bits & 0x7c00;
    return exponent === 0x7c00 || (exponent === 0 && (bits & 0x3ff) !== 0);
  });
}

/** Within 3 units of the last place. */
function unpacked(name: string): DeviceCase {
  const count = name.startsWith("unpack4") ? 4 : 2;
  const bits = 32 / count;
  const isSigned = name.endsWith("snorm");
  const steps = 2 ** (isSigned ? bits - 1 : bits) - 1;
  return {
    name,
    on: ["u"],
    result: count === 4 ? "vec4f" : "vec2f",
    bounds: ({ value }) => {
      view.setFloat32(0, value);
      const word = view.getInt32(0);
      return Array.from({ length: count }, (_, at) => {
        const field = (word << (32 - bits * (at + 1))) >> (32 - bits);
        const component = Math.max(-1, (isSigned ? field : field & (2 ** bits - 1)) / steps);
        return { value: component, error: 3 * exact.ulp(component) };
      });
    },
  };
}

const negated = ({ value, error }: Bounded): Bounded => ({ value: -value, error });

function reflected(e1: readonly Bounded[], e2: readonly Bounded[]): readonly Bounded[] {
  const twice = exact.times(two, exact.dot(e1, e2));
  return e1.map((x, at) => exact.minus(x, exact.times(twice, e2[at] ?? open)));
}

function refracted(e1: readonly Bounded[], e2: readonly Bounded[], ratio: Bounded): readonly Bounded[] {
  const dot = exact.dot(e2, e1);
  const left = exact.minus(unit, exact.times(dot, dot));
  const k = exact.minus(unit, exact.times(exact.times(ratio, ratio), left));
  if (!(Math.abs(k.value) > k.error)) {
    return e1.map(() => open);
  }
  const along = exact.plus(exact.times(ratio, dot), exact.sqrt(k));
  return e1.map((x, at) =>
    k.value < 0 ? exactly(0) : exact.minus(exact.times(ratio, x), exact.times(along, e2[at] ?? open)),
  );
}

function faced(e1: readonly Bounded[], e2: readonly Bounded[], e3: readonly Bounded[]): readonly Bounded[] {
  const { value, error } = exact.dot(e2, e3);
  return e1.map((x) => (!(Math.abs(value) > error) ? open : value < 0 ? x : negated(x)));
}

/** The element of a product in a column and a row: of a row of the left matrix, and a column of the right one. */
function multiplied(
  left: readonly Bounded[],
  rows: number,
  right: readonly Bounded[],
  columns: number,
): readonly Bounded[] {
  const inner = left.length / rows;
  return Array.from({ length: rows * columns }, (_, at) => {
    const [row, column] = [at % rows, Math.floor(at / rows)];
    const across = Array.from({ length: inner }, (__, from) => left[from * rows + row] ?? open);
    return exact.dot(across, right.slice(column * inner, (column + 1) * inner));
  });
}

const vectorCases: readonly DeviceCase[] = [
  { name: "dot", on: ["xy", "yz"], result: "f32", bounds: (x, y, z) => [exact.dot([x, y], [y, z])] },
  {
    name: "dot",
    on: ["xyzx", "zyxy"],
    result: "f32",
    bounds: (x, y, z) => [exact.dot([x, y, z, x], [z, y, x, y])],
  },
  { name: "length", on: ["xy"], result: "f32", bounds: (x, y) => [exact.length([x, y])] },
  { name: "length", on: ["xyzx"], result: "f32", bounds: (x, y, z) => [exact.length([x, y, z, x])] },
  {
    name: "distance",
    on: ["xyz", "zxy"],
    result: "f32",
    bounds: (x, y, z) => [exact.length([exact.minus(x, z), exact.minus(y, x), exact.minus(z, y)])],
  },
  { name: "distance", on: ["x", "y"], result: "f32", bounds: (x, y) => [exact.length([exact.minus(x, y)])] },
  {
    name: "normalize",
    on: ["xyz"],
    result: "vec3f",
    bounds: (x, y, z) => [x, y, z].map((component) => exact.over(component, exact.length([x, y, z]))),
  },
  {
    name: "cross",
    on: ["xyz", "yzz"],
    result: "vec3f",
    bounds: (x, y, z) => [
      exact.minus(exact.times(y, z), exact.times(z, z)),
      exact.minus(exact.times(z, y), exact.times(x, z)),
      exact.minus(exact.times(x, z), exact.times(y, y)),
    ],
  },
  { name: "reflect", on: ["xy", "yz"], result: "vec2f", bounds: (x, y, z) => reflected([x, y], [y, z]) },
  {
    name: "reflect",
    on: ["xyz", "zxy"],
    result: "vec3f",
    bounds: (x, y, z) => reflected([x, y, z], [z, x, y]),
  },
  {
    name: "refract",
    on: ["xyz", "zxy", "y"],
    result: "vec3f",
    bounds: (x, y, z) => refracted([x, y, z], [z, x, y], y),
  },
  {
    name: "faceForward",
    on: ["xyz", "zxy", "yzz"],
    result: "vec3f",
    bounds: (x, y, z) => faced([x, y, z], [z, x, y], [y, z, z]),
  },
  {
    name: "*",
    on: ["m22", "xy"],
    result: "vec2f",
    bounds: (x, y, z) => multiplied([x, y, z, x], 2, [x, y], 1),
  },
  {
    name: "*",
    on: ["m32", "xyz"],
    result: "vec2f",
    bounds: (x, y, z) => multiplied([x, y, z, z, x, y], 2, [x, y, z], 1),
  },
  {
    name: "*",
    on: ["xy", "m32"],
    result: "vec3f",
    bounds: (x, y, z) => multiplied([x, y], 1, [x, y, z, z, x, y], 3),
  },
  {
    name: "*",
    on: ["m32", "m23"],
    result: "mat2x2",
    bounds: (x, y, z) => multiplied([x, y, z, z, x, y], 2, [y, x, z, x, y, z], 2),
  },
  {
    name: "*",
    on: ["m33", "m33"],
    result: "mat3x3",
    bounds: (x, y, z) => multiplied([x, y, z, y, z, x, z, x, y], 3, [x, y, z, y, z, x, z, x, y], 3),
  },
  {
    name: "*",
    on: ["m43", "m24"],
    result: "mat2x3",
    bounds: (x, y, z) => multiplied([x, y, z, y, z, x, z, x, y, x, x, y], 3, [x, y, z, x, y, y, z, x], 2),
  },
];

/** Triples of special words with each other, and of random words. */
function triplesOf(specials: readonly number[], next: () => number, count: number): Int32Array {
  const pick = randomBits("triples");
  const special = (): number => specials[pick() % specials.length] ?? 0;
  const triples = specials.flatMap((a) => specials.flatMap((b) => [a, b, special()]));
  for (let at = 0; at < count; at++) {
    triples.push(next(), next(), pick() % 4 === 0 ? special() : next());
  }
  return Int32Array.from(triples);
}

/** Floats from 2^-8 to 2^8. */
function moderate(): () => number {
  const next = randomBits("moderate");
  return () => (next() & 0x807fffff) | ((119 + (next() % 16)) << 23);
}

/** Shift counts, offsets and counts of bits are small. */
function mixedIntegers(): () => number {
  const next = randomWord("i32", "integers");
  const pick = randomBits("small");
  return () => (pick() % 3 === 0 ? pick() % 40 : next());
}

/** The words of a triple with subnormal floats flushed to zero, in all ways that WGSL allows. */
function* flushed(words: Triple): Generator<Triple> {
  for (let chosen = 1; chosen < 8; chosen++) {
    yield words.map((word, at) =>
      (chosen >> at) % 2 === 1 && isSubnormal(word) ? word & 0x80000000 : word,
    ) as [number, number, number] satisfies Triple;
  }
}

/**
 * Whether a word is the expected one, but for what WGSL leaves open of any float: the sign of zero, what is not finite, a subnormal number, which may have been rounded
 * up to the least normal one.
 */
function isSame(isFloat: boolean, expected: number, actual: number): boolean {
  return (
    expected === actual ||
    (isFloat && (!isFiniteWord(expected) || (isZero(actual) && (expected & 0x7fffffff) <= 0x800000)))
  );
}

type Verdict = "right" | "wrong" | "open";

class Comparison {
  readonly #evaluate;
  readonly #again: number[];

  constructor(cases: readonly DeviceCase[]) {
    this.#evaluate = evaluatorOf(cases);
    this.#again = Array<number>(places(cases)[1]).fill(0);
  }

  write(words: Triple, results: number[], to: number): void {
    this.#evaluate(...words, results, to);
  }

  /** Compares a word that must be the same. `at` is its place among those of a triple. */
  exact({ on, result, isOpen }: DeviceCase, words: Triple, [at, expected, actual]: Triple): Verdict {
    const takesFloats = on.some((name) => /[xyzm]/.test(name));
    const isFloat = /^(f32|vec.f|mat)/.test(result);
    if (expected === actual) {
      return "right";
    }
    if ((takesFloats && !words.every(isFiniteWord)) || isOpen?.(words, actual)) {
      return "open";
    }
    if (isSame(isFloat, expected, actual)) {
      return "open";
    }
    if (takesFloats) {
      for (const other of flushed(words)) {
        this.#evaluate(...other, this.#again, 0);
        if (isSame(isFloat, this.#again[at] ?? 0, actual)) {
          return "open";
        }
      }
    }
    return "wrong";
  }
}

/** A subnormal operand may be flushed to zero. */
function operand(word: number): Bounded {
  const value = numberOf(word);
  return { value, error: isSubnormal(word) ? Math.abs(value) : 0 };
}

function withinBounds({ value, error }: Bounded, words: readonly number[]): Verdict {
  if (error === Infinity || Number.isNaN(error)) {
    return "open";
  }
  return words.every((word) => Math.abs(numberOf(word) - value) <= error) ? "right" : "wrong";
}

async function compareWithDevice(cases: readonly DeviceCase[], triples: Int32Array): Promise<void> {
  const run = await compileKernel(fold().device, kernelOf(cases));
  const [starts, stride] = places(cases);
  const count = triples.length / 3;
  const poison = new Uint32Array(count * stride).fill(0xdeadbeef);
  const [, results] = await run([new Uint32Array(triples.buffer), poison], Math.ceil(count / 64));
  const actual = new Int32Array((results ?? poison).buffer);
  const comparison = new Comparison(cases);
  const expected = Array<number>(stride).fill(0);
  const right = cases.map(() => 0);
  for (let item = 0; item < count; item++) {
    const words = [triples[3 * item], triples[3 * item + 1], triples[3 * item + 2]].map(Number) as [
      number,
      number,
      number,
    ];
    comparison.write(words, expected, 0);
    const [x, y, z] = words.map(operand) as [Bounded, Bounded, Bounded];
    for (const [index, checked] of cases.entries()) {
      const from = starts[index] ?? 0;
      const to = starts[index + 1] ?? stride;
      const bounds =
        checked.bounds && (checked.on[0] === "u" || words.every(isFiniteWord) ? checked.bounds(x, y, z) : []);
      for (let at = from; at < to; at++) {
        const [ours, theirs] = [expected[at] ?? 0, actual[item * stride + at] ?? 0];
        const verdict = bounds
          ? withinBounds(bounds[at - from] ?? open, [ours, theirs])
          : comparison.exact(checked, words, [at, ours, theirs]);
        if (verdict === "wrong") {
          const bound = bounds ? `, within ${JSON.stringify(bounds[at - from])}` : "";
          expect.fail(
            `${checked.name} of ${checked.on.join(", ")} with ${words.map(hex).join(", ")}, word ${at - from}: ${hex(ours)} (${numberOf(ours)}) here, ${hex(theirs)} (${numberOf(theirs)}) on the device${bound}`,
          );
        }
        right[index] = (right[index] ?? 0) + (verdict === "right" ? 1 : 0);
      }
    }
  }
  // A case that is always left open tests nothing.
  for (const [index, { name, on }] of cases.entries()) {
    expect(right[index], `${name} of ${on.join(", ")} was compared`).toBeGreaterThan(count / 10);
  }
}

const inTurn = testInTurn({ of: 4 });

describe("the texts compute what a device computes", () => {
  inTurn("of integers, to the bit", async () => {
    await compareWithDevice(integerCases, triplesOf(specialIntegers, mixedIntegers(), 3000));
  });

  inTurn("of f32 where results are exact or rounded once, to the bit", async () => {
    await compareWithDevice(exactCases, triplesOf(specialFloats.f32, randomWord("f32", "exact"), 3000));
  });

  inTurn("of f32 in functions with bounds, within them", async () => {
    const some = specialFloats.f32.filter((_, at) => at % 3 === 0);
    await compareWithDevice(boundedCases, triplesOf(some, moderate(), 2000));
  });

  inTurn("of vectors and matrices, within bounds", async () => {
    const some = specialFloats.f32.filter((_, at) => at % 4 === 0);
    await compareWithDevice(vectorCases, triplesOf(some, moderate(), 2000));
  });
});
