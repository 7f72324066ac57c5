import type { Operand, Scalar, WordText } from "./operand.ts";
import { applied, eachWord, scalarOf, wordAt } from "./operand.ts";

// Functions of each component: https://www.w3.org/TR/WGSL/#numeric-builtin-functions

/** How many operands a function takes, and its text for each scalar that the first operand may be made of. */
interface Row {
  readonly count: number;
  readonly texts: Readonly<Partial<Record<Scalar, WordText>>>;
}

/** Functions of f32 and f16 alone, with the count of their operands. */
const ofFloats: Readonly<Record<string, readonly [count: number, name: string]>> = {
  acos: [1, "acos"],
  acosh: [1, "acosh"],
  asin: [1, "asin"],
  asinh: [1, "asinh"],
  atan: [1, "atan"],
  atan2: [2, "atan2"],
  atanh: [1, "atanh"],
  ceil: [1, "ceil"],
  cos: [1, "cos"],
  cosh: [1, "cosh"],
  degrees: [1, "degrees"],
  exp: [1, "exp"],
  exp2: [1, "exp2"],
  floor: [1, "floor"],
  fma: [3, "fma"],
  fract: [1, "fract"],
  inverseSqrt: [1, "inverse_sqrt"],
  ldexp: [2, "ldexp"],
  log: [1, "log"],
  log2: [1, "log2"],
  mix: [3, "mix"],
  pow: [2, "pow"],
  radians: [1, "radians"],
  round: [1, "round"],
  saturate: [1, "saturate"],
  sin: [1, "sin"],
  sinh: [1, "sinh"],
  smoothstep: [3, "smoothstep"],
  sqrt: [1, "sqrt"],
  step: [2, "step"],
  tan: [1, "tan"],
  tanh: [1, "tanh"],
  trunc: [1, "trunc"],
} satisfies Readonly<Record<string, readonly [count: number, name: string]>>;

const selected: WordText = (ifFalse, ifTrue, condition) => `(${condition} !== 0 ? ${ifTrue} : ${ifFalse})`;

const lowestBit: WordText = (a) => `(31 - Math.clz32(${a} & 0 - ${a}))`;

const ofMoreTypes: Readonly<Record<string, Row>> = {
  abs: {
    count: 1,
    texts: {
      i32: (a) => `(${a} < 0 ? 0 - ${a} | 0 : ${a})`,
      u32: (a = "") => a,
      f32: (a) => `(${a} & 2147483647)`,
      f16: (a) => `(${a} & 32767)`,
    },
  },
  clamp: { count: 3, texts: { i32: "i32_clamp", u32: "u32_clamp", f32: "f32_clamp", f16: "f16_clamp" } },
  countLeadingZeros: { count: 1, texts: { i32: "Math.clz32", u32: "Math.clz32" } },
  countOneBits: { count: 1, texts: { i32: "count_one_bits", u32: "count_one_bits" } },
  countTrailingZeros: { count: 1, texts: { i32: "count_trailing_zeros", u32: "count_trailing_zeros" } },
  extractBits: { count: 3, texts: { i32: "i32_extract_bits", u32: "u32_extract_bits" } },
  // These two give -1 where there is no such bit. Of an i32, bits like the sign do not count.
  firstLeadingBit: {
    count: 1,
    texts: {
      i32: (a) => `(31 - Math.clz32(${a} ^ ${a} >> 31))`,
      u32: (a) => `(31 - Math.clz32(${a}))`,
    },
  },
  firstTrailingBit: { count: 1, texts: { i32: lowestBit, u32: lowestBit } },
  insertBits: { count: 4, texts: { i32: "insert_bits", u32: "insert_bits" } },
  max: {
    count: 2,
    texts: { i32: (a, b) => `(${a} > ${b} ? ${a} : ${b})`, u32: "u32_max", f32: "f32_max", f16: "f16_max" },
  },
  min: {
    count: 2,
    texts: { i32: (a, b) => `(${a} < ${b} ? ${a} : ${b})`, u32: "u32_min", f32: "f32_min", f16: "f16_min" },
  },
  quantizeToF16: { count: 1, texts: { f32: "f32_quantize_to_f16" } },
  reverseBits: { count: 1, texts: { i32: "reverse_bits", u32: "reverse_bits" } },
  select: { count: 3, texts: { bool: selected, i32: selected, u32: selected, f32: selected, f16: selected } },
  sign: { count: 1, texts: { i32: "i32_sign", f32: "f32_sign", f16: "f16_sign" } },
} satisfies Readonly<Record<string, Row>>;

function rowOf(name: string): Row | undefined {
  if (Object.hasOwn(ofMoreTypes, name)) {
    return ofMoreTypes[name];
  }
  const [count, called] = (Object.hasOwn(ofFloats, name) && ofFloats[name]) || [];
  return count === undefined ? undefined : { count, texts: { f32: `f32_${called}`, f16: `f16_${called}` } };
}

/** The words of a function that goes component by component; undefined if it is none of those. */
export function componentwise(name: string, operands: readonly Operand[]): readonly string[] | undefined {
  const row = rowOf(name);
  const [first] = operands;
  if (row === undefined) {
    return undefined;
  }
  if (first === undefined || operands.length !== row.count) {
    throw new TypeError(`${name} takes ${row.count} operands, and here are ${operands.length}`);
  }
  const scalar = scalarOf(first.type);
  const text = row.texts[scalar];
  if (text === undefined) {
    throw new TypeError(`${name} takes no ${scalar}; it takes ${Object.keys(row.texts).join(", ")}`);
  }
  const count = Math.max(...operands.map(({ words }) => words.length));
  return eachWord(count, (index) =>
    applied(
      text,
      operands.map((operand) => wordAt(operand, index)),
    ),
  );
}
