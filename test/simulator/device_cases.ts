import type { Operand, Scalar } from "../../src/simulator/builtin_texts.ts";
import {
  binaryText,
  builtinWords,
  convertText,
  matrixText,
  unaryText,
} from "../../src/simulator/builtin_texts.ts";
import type { BinaryOperator } from "../../src/text/syntax.ts";
import type { Type } from "../../src/text/wgsl_types.ts";
import { scalar, textOfType } from "../../src/text/wgsl_types.ts";
import type { Bounded } from "./accuracy.ts";
import { functions } from "./numbers/rationals.ts";

// Expressions of WGSL that a device and the texts of the simulator compute from the same three words a, b and c.

const vector = (count: number, of: Scalar): Type => ({ kind: "vector", count, of: scalar(of) });
const matrix = (columns: number, rows: number): Type => ({
  kind: "matrix",
  columns,
  rows,
  of: scalar("f32"),
});

export const types = {
  f32: scalar("f32"),
  i32: scalar("i32"),
  u32: scalar("u32"),
  bool: scalar("bool"),
  vec2f: vector(2, "f32"),
  vec3f: vector(3, "f32"),
  vec4f: vector(4, "f32"),
  vec2i: vector(2, "i32"),
  vec3i: vector(3, "i32"),
  vec4i: vector(4, "i32"),
  vec2u: vector(2, "u32"),
  vec3u: vector(3, "u32"),
  vec4u: vector(4, "u32"),
  vec2b: vector(2, "bool"),
  vec3b: vector(3, "bool"),
  mat2x2: matrix(2, 2),
  mat3x2: matrix(3, 2),
  mat2x3: matrix(2, 3),
  mat3x3: matrix(3, 3),
  mat4x3: matrix(4, 3),
  mat2x4: matrix(2, 4),
} satisfies Readonly<Record<string, Type>>;

export type TypeName = keyof typeof types;

/** The operands: of each, its type, and the words that its scalars are. `p` and `q` are the lowest bits of a and b. */
const operands = {
  x: ["f32", "a"],
  y: ["f32", "b"],
  z: ["f32", "c"],
  i: ["i32", "a"],
  j: ["i32", "b"],
  k: ["i32", "c"],
  u: ["u32", "a"],
  v: ["u32", "b"],
  w: ["u32", "c"],
  p: ["bool", "p"],
  q: ["bool", "q"],
  xy: ["vec2f", "ab"],
  yz: ["vec2f", "bc"],
  xyz: ["vec3f", "abc"],
  zxy: ["vec3f", "cab"],
  yzz: ["vec3f", "bcc"],
  xyzx: ["vec4f", "abca"],
  zyxy: ["vec4f", "cbab"],
  ij: ["vec2i", "ab"],
  jki: ["vec3i", "bca"],
  ijk: ["vec3i", "abc"],
  ijki: ["vec4i", "abca"],
  uv: ["vec2u", "ab"],
  uvw: ["vec3u", "abc"],
  wuv: ["vec3u", "cab"],
  uvwu: ["vec4u", "abca"],
  pq: ["vec2b", "pq"],
  qpp: ["vec3b", "qpp"],
  m22: ["mat2x2", "abca"],
  n22: ["mat2x2", "cbab"],
  m32: ["mat3x2", "abccab"],
  m23: ["mat2x3", "bacabc"],
  m33: ["mat3x3", "abcbcacab"],
  m43: ["mat4x3", "abcbcacabaab"],
  m24: ["mat2x4", "abcabbca"],
} satisfies Readonly<Record<string, readonly [TypeName, string]>>;

export type OperandName = keyof typeof operands;

/** One expression, and what must be true of its result. */
export interface DeviceCase {
  /** A function, `T(…)` for a conversion, or an operator. */
  readonly name: string;
  readonly on: readonly OperandName[];
  readonly result: TypeName;
  /** The member of a struct's result, of which there are two of this size. */
  readonly member?: "fract" | "exp" | "whole";
  /** How far each scalar of the result may be from the exact one; if there is none, all words must be the same. `bits` is x's word: as a number, a NaN may lose some. */
  readonly bounds?: (x: Bounded, y: Bounded, z: Bounded, bits: number) => readonly Bounded[];
  /** How many times as far a device's result may be. */
  readonly slack?: number;
  /** Whether a result is one of those that WGSL allows: ours must be one, and the device's. */
  readonly allows?: (words: readonly [number, number, number], result: number) => boolean;
  /** Whether WGSL leaves the device's result open. */
  readonly isOpen?: (words: readonly [number, number, number], actual: number) => boolean;
}

const letters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  f32: { a: "x", b: "y", c: "z" },
  i32: { a: "i", b: "j", c: "k" },
  u32: { a: "u", b: "v", c: "w" },
  bool: { p: "p", q: "q" },
};

const elementOf = (type: Type): string =>
  type.kind === "vector" || type.kind === "matrix" ? elementOf(type.of) : textOfType(type);

const scalarCount = (type: Type): number =>
  type.kind === "vector" ? type.count : type.kind === "matrix" ? type.columns * type.rows : 1;

/** Declares the operands of a group of cases, each as a value of WGSL. */
function declarations(cases: readonly DeviceCase[]): string {
  const used = new Set<OperandName>(cases.flatMap(({ on }) => on));
  return [...used]
    .filter((name) => scalarCount(types[operands[name][0]]) > 1)
    .map((name) => {
      const [typeName, words] = operands[name];
      const type = types[typeName];
      const components = [...words].map((word) => letters[elementOf(type)]?.[word]);
      return `let ${name} = ${textOfType(type)}(${components.join(", ")});`;
    })
    .join("\n    ");
}

const isOperator = (name: string): boolean => /^\W/.test(name);

function expressionOf({ name, on, result, member }: DeviceCase): string {
  const [left = "", right] = on;
  if (isOperator(name)) {
    return right === undefined ? `${name}${left}` : `(${left} ${name} ${right})`;
  }
  const called = name === "bitcast" ? `bitcast<${textOfType(types[result])}>` : name;
  return `${called}(${on.join(", ")})${member ? `.${member}` : ""}`;
}

/** The words of a result, as a device stores them. */
function stored(stated: DeviceCase, from: number): string {
  const type = types[stated.result];
  const word = (text: string): string =>
    elementOf(type) === "bool" ? `select(0u, 1u, ${text})` : `bitcast<u32>(${text})`;
  const places = Array.from({ length: scalarCount(type) }, (_, at) =>
    type.kind === "vector"
      ? `[${at}]`
      : type.kind === "matrix"
        ? `[${Math.floor(at / type.rows)}][${at % type.rows}]`
        : "",
  );
  const lines = places.map((place, at) => `results[to + ${from + at}u] = ${word(`result${place}`)};`);
  return `{ let result = ${expressionOf(stated)}; ${lines.join(" ")} }`;
}

/** Where the words of each case begin among those of a triple of operands, and how many there are in all. */
export function places(cases: readonly DeviceCase[]): readonly [starts: readonly number[], stride: number] {
  let stride = 0;
  const starts = cases.map(({ result }) => {
    const start = stride;
    stride += scalarCount(types[result]);
    return start;
  });
  return [starts, stride];
}

/** The kernel that computes all cases for each triple. */
export function kernelOf(cases: readonly DeviceCase[]): string {
  const [starts, stride] = places(cases);
  return `
@group(0) @binding(0) var<storage, read> triples: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) thread: vec3<u32>) {
  let at = 3u * thread.x;
  if (at < arrayLength(&triples)) {
    let to = ${stride}u * thread.x;
    let u = triples[at];
    let v = triples[at + 1u];
    let w = triples[at + 2u];
    let i = bitcast<i32>(u);
    let j = bitcast<i32>(v);
    let k = bitcast<i32>(w);
    let x = bitcast<f32>(u);
    let y = bitcast<f32>(v);
    let z = bitcast<f32>(w);
    let p = (u & 1u) == 1u;
    let q = (v & 1u) == 1u;
    ${declarations(cases)}
    ${cases.map((stated, at) => stored(stated, starts[at] ?? 0)).join("\n    ")}
  }
}
`;
}

const operandOf = (name: OperandName): Operand => {
  const [type, words] = operands[name];
  return { type: types[type], words: [...words] };
};

/** The words of a case as the simulator's texts have them. */
export function textsOf({ name, on, result, member }: DeviceCase): readonly string[] {
  const given = on.map(operandOf);
  const [left, right] = given;
  if (left === undefined) {
    throw new Error(`${name} has no operand`);
  }
  const from = elementOf(left.type) as Scalar;
  if (isOperator(name)) {
    return operatorTexts(name, from, left, right, types[result]);
  }
  if (["f32", "i32", "u32", "bool"].includes(name)) {
    return left.words.map((word) => convertText(from, elementOf(types[result]) as Scalar, word));
  }
  const words = builtinWords(name, given, types[result]);
  if (words === undefined) {
    throw new Error(`there is no function ${name}`);
  }
  const half = words.length / 2;
  return member === undefined ? words : member === "fract" ? words.slice(0, half) : words.slice(half);
}

function operatorTexts(
  name: string,
  from: Scalar,
  left: Operand,
  right: Operand | undefined,
  result: Type,
): readonly string[] {
  if (right === undefined) {
    return left.words.map((word) => unaryText(name as "-" | "!" | "~", from, word));
  }
  if ([left, right].some(({ type }) => type.kind === "matrix")) {
    return matrixText(name as BinaryOperator, left, right, result);
  }
  return left.words.map((word, at) => {
    const other = right.words[right.words.length === 1 ? 0 : at] ?? "";
    return binaryText(name as BinaryOperator, from, word, other);
  });
}

/** Computes all cases of a triple, and writes their words into an array from a place on. */
export type Evaluate = (a: number, b: number, c: number, results: number[], to: number) => void;

export function evaluatorOf(cases: readonly DeviceCase[]): Evaluate {
  const lines = cases.flatMap(textsOf).map((text, at) => `results[to + ${at}] = ${text};`);
  const body = `"use strict"; return (a, b, c, results, to) => { const p = a & 1, q = b & 1; ${lines.join("\n")} };`;
  return new Function(...Object.keys(functions), body)(...Object.values(functions)) as Evaluate;
}
