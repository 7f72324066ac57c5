import type { Bounded } from "./accuracy.ts";
import * as exact from "./accuracy.ts";
import { anything, exactly } from "./accuracy.ts";
import type { DeviceCase } from "./device_cases.ts";
import type { Triple } from "./float_words.ts";

// Expressions of f32 whose results have bounds, with the expressions that WGSL's bounds are inherited from.

const unit = exactly(1);
const two = exactly(2);
const half = exactly(0.5);

const sinh = (x: Bounded): Bounded =>
  exact.times(exact.minus(exact.exp(x), exact.exp(exactly(-x.value))), half);
const cosh = (x: Bounded): Bounded =>
  exact.times(exact.plus(exact.exp(x), exact.exp(exactly(-x.value))), half);
const besideUnit = (x: Bounded): Bounded => exact.sqrt(exact.minus(unit, exact.times(x, x)));
const isIn = ({ value }: Bounded, from: number, to: number): boolean => value >= from && value <= to;

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

/** SwiftShader multiplies before exp2 and after log2, and was seen to exceed the bound of exp by 8 %, and of log by 3 %. */
const SLACK = 1.25;

const ofX = (name: string, bound: (x: Bounded) => Bounded, slack = 1): DeviceCase => ({
  name,
  on: ["x"],
  result: "f32",
  bounds: (x) => [bound(x)],
  slack,
});

export const boundedCases: readonly DeviceCase[] = [
  { name: "/", on: ["x", "y"], result: "f32", bounds: (x, y) => [exact.over(x, y)] },
  {
    name: "%",
    on: ["x", "y"],
    result: "f32",
    bounds: (x, y) => [exact.minus(x, exact.times(y, exact.trunc(exact.over(x, y))))],
  },
  ofX("acos", (x) =>
    isIn(x, -1, 1) ? exact.orAbsolute(6.77e-5, exact.atan2(besideUnit(x), x), Math.acos(x.value)) : anything,
  ),
  ofX("asin", (x) =>
    isIn(x, -1, 1) ? exact.orAbsolute(6.81e-5, exact.atan2(x, besideUnit(x)), Math.asin(x.value)) : anything,
  ),
  ofX("acosh", (x) =>
    isIn(x, 1, Infinity)
      ? exact.log(exact.plus(x, exact.sqrt(exact.minus(exact.times(x, x), unit))))
      : anything,
  ),
  ofX("asinh", (x) => exact.log(exact.plus(x, exact.sqrt(exact.plus(exact.times(x, x), unit))))),
  ofX("atan", exact.atan),
  ofX("atanh", (x) =>
    isIn(x, -1, 1)
      ? exact.times(exact.log(exact.over(exact.plus(unit, x), exact.minus(unit, x))), half)
      : anything,
  ),
  ofX("cos", exact.cos),
  ofX("sin", exact.sin),
  ofX("tan", (x) => exact.over(exact.sin(x), exact.cos(x))),
  ofX("cosh", cosh),
  ofX("sinh", sinh),
  ofX("tanh", (x) => exact.orAbsolute(1e-5, exact.over(sinh(x), cosh(x)), Math.tanh(x.value))),
  ofX("degrees", (x) => exact.times(x, constant(180 / Math.PI))),
  ofX("radians", (x) => exact.times(x, constant(Math.PI / 180))),
  ofX("exp", exact.exp, SLACK),
  ofX("exp2", exact.exp2, SLACK),
  ofX("log", (x) => (x.value > 0 ? exact.log(x) : anything), SLACK),
  ofX("log2", (x) => (x.value > 0 ? exact.log2(x) : anything)),
  ofX("sqrt", (x) => (x.value >= 0 ? exact.sqrt(x) : anything)),
  ofX("inverseSqrt", (x) => (x.value > 0 ? exact.inverseSqrt(x) : anything)),
  ofX("fract", (x) => exact.minus(x, exact.floor(x))),
  { name: "atan2", on: ["x", "y"], result: "f32", bounds: (x, y) => [exact.atan2(x, y)] },
  {
    name: "pow",
    on: ["x", "y"],
    result: "f32",
    slack: SLACK,
    bounds: (x, y) => [x.value > 0 ? exact.exp2(exact.times(y, exact.log2(x))) : anything],
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
    bounds: (_x, _y, _z, word) =>
      Array.from({ length: count }, (_, at) => {
        const field = (word << (32 - bits * (at + 1))) >> (32 - bits);
        const component = Math.max(-1, (isSigned ? field : field & (2 ** bits - 1)) / steps);
        return { value: component, error: 3 * exact.ulp(component) };
      }),
  };
}

const negated = ({ value, error }: Bounded): Bounded => ({ value: -value, error });

function reflected(e1: readonly Bounded[], e2: readonly Bounded[]): readonly Bounded[] {
  const twice = exact.times(two, exact.dot(e1, e2));
  return e1.map((x, at) => exact.minus(x, exact.times(twice, e2[at] ?? anything)));
}

function refracted(e1: readonly Bounded[], e2: readonly Bounded[], ratio: Bounded): readonly Bounded[] {
  const dot = exact.dot(e2, e1);
  const left = exact.minus(unit, exact.times(dot, dot));
  const k = exact.minus(unit, exact.times(exact.times(ratio, ratio), left));
  if (!(Math.abs(k.value) > k.error)) {
    return e1.map(() => anything);
  }
  const along = exact.plus(exact.times(ratio, dot), exact.sqrt(k));
  return e1.map((x, at) =>
    k.value < 0 ? exactly(0) : exact.minus(exact.times(ratio, x), exact.times(along, e2[at] ?? anything)),
  );
}

function faced(e1: readonly Bounded[], e2: readonly Bounded[], e3: readonly Bounded[]): readonly Bounded[] {
  const { value, error } = exact.dot(e2, e3);
  return e1.map((x) => (!(Math.abs(value) > error) ? anything : value < 0 ? x : negated(x)));
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
    const across = Array.from({ length: inner }, (__, from) => left[from * rows + row] ?? anything);
    return exact.dot(across, right.slice(column * inner, (column + 1) * inner));
  });
}

export const vectorCases: readonly DeviceCase[] = [
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
