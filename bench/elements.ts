import { arrayOver } from "../src/algebra/arrays.ts";
import { operator } from "../src/algebra/custom_operator.ts";
import { elementTypes } from "../src/algebra/element_types.ts";
import { decodeFloat16, encodeFloat16 } from "../src/algebra/float16.ts";
import { u32 } from "../src/algebra/integers.ts";
import type { Operator } from "../src/algebra/monoid.ts";
import { monoid } from "../src/algebra/monoid.ts";
import { operators } from "../src/algebra/operator_table.ts";
import { struct } from "../src/algebra/struct.ts";
import type { ElementType, Scalar, ScalarType } from "../src/algebra/types.ts";
import type { Numbers } from "../src/cpu/call.ts";
import { loopsByFamily } from "../src/cpu/floats_and_pairs.ts";
import { addWords } from "../src/cpu/fold_words.ts";
import type { FoldName } from "../src/cpu/folds.ts";
import { scanNumbers, wordLoops } from "../src/cpu/folds.ts";

// What the bench computes on. No element is kept: they are made chunk by chunk, the same each time,
// once to be uploaded and once to be verified. Float sums and products are exact in any order, since
// they and all their parts stay small whole numbers, or powers of two.

/** The name of an element type that the bench takes. */
export type BenchTypeName = keyof typeof benchTypes;
export type OperatorName = Exclude<keyof typeof operators, "exactAdd">;

/** 16 bytes: four u32, added field by field. */
const quad = /* @__PURE__ */ struct({ name: "Quad", fields: { a: u32, b: u32, c: u32, d: u32 } });
const addQuads = /* @__PURE__ */ operator({
  name: "add_fields",
  type: quad,
  identity: { a: 0, b: 0, c: 0, d: 0 },
  combine: "Quad(earlier.a + later.a, earlier.b + later.b, earlier.c + later.c, earlier.d + later.d)",
});

/** Elements on the CPU: integers as words, low word first; floats as numbers. */
export type Values = Int32Array | Float64Array;
/** What was read back: f32 and f16 as numbers of their own precision. */
export type ReadBack = Values | Float32Array;

interface BenchType {
  readonly type: ElementType;
  /** Words of an element; 1 for a float, which is a number on the CPU. */
  readonly words: 1 | 2 | 4;
  /** WGSL over `x`, true for half of the elements of a sum. {@link keptOf} is the same on the CPU. */
  readonly where: string;
  /** Floats: bounds within which sums, products and the values of a minimum are exact. */
  readonly exact?: Exact;
}

interface Exact {
  /** Sums and addends: the greatest of each. */
  readonly sum: number;
  readonly addend: number;
  /** Products: the greatest power of two. */
  readonly power: number;
  /** The greatest value of a minimum or a maximum. */
  readonly value: number;
}

export const benchTypes = {
  u32: { type: elementTypes.u32, words: 1, where: "(x & 1u) == 1u" },
  i32: { type: elementTypes.i32, words: 1, where: "(x & 1i) == 1i" },
  f32: {
    type: elementTypes.f32,
    words: 1,
    where: "x > 0.0f",
    exact: { sum: 2 ** 22, addend: 2 ** 9, power: 60, value: 2 ** 22 },
  },
  f16: {
    type: elementTypes.f16,
    words: 1,
    where: "x > 0.0h",
    exact: { sum: 500, addend: 3, power: 6, value: 1000 },
  },
  u64: { type: elementTypes.u64, words: 2, where: "(x & 1) == 1" },
  i64: { type: elementTypes.i64, words: 2, where: "(x & 1) == 1" },
  f64: {
    type: elementTypes.f64,
    words: 1,
    where: "(bitcast<vec2<u32>>(x).y >> 31u) == 1u",
    exact: { sum: 2 ** 51, addend: 2 ** 30, power: 400, value: 2 ** 30 },
  },
  struct16: { type: quad, words: 4, where: "(x.a & 1u) == 1u" },
} as const satisfies Record<string, BenchType>;

const rowOf = (name: BenchTypeName): BenchType => benchTypes[name];

/** The operator on a type: the struct's own addition is its `add`. */
export const operatorOn = (op: OperatorName, type: BenchTypeName): Operator<string> =>
  (type === "struct16" && op === "add" ? addQuads : operators[op]) as Operator as Operator<string>;

/** @throws {ArgumentError} where the operator has no meaning on the type. */
export const requireOn = (op: OperatorName, type: BenchTypeName): unknown =>
  monoid(operatorOn(op, type) as Operator, benchTypes[type].type as ElementType, "bench");

/** The operators that are timed. What they are verified with combines two values at a time, and exact sums do not. */
export const opNames = Object.keys(operators).filter((name) => name !== "exactAdd") as OperatorName[];
const codes = Object.fromEntries(opNames.map((name, code) => [name, code])) as Record<OperatorName, number>;
const ADD = codes.add;
const MUL = codes.mul;
const MIN = codes.min;
const MAX = codes.max;
const MINIMUM = codes.minimum;
const MAXIMUM = codes.maximum;
const AND = codes.and;
const OR = codes.or;
const XOR = codes.xor;
const LOGICAL_AND = codes.logicalAnd;
const LOGICAL_OR = codes.logicalOr;

/** Elements made and verified at a time. */
export const CHUNK = 2 ** 16;

/** One chunk of elements, and the same as the bytes of a buffer. */
export interface Chunk {
  readonly count: number;
  readonly values: Values;
  readonly bytes: Uint8Array;
}

/** The elements of an operator's data, in order. */
export interface Elements {
  /** The next chunk, in arrays that are used again for the one after it; `undefined` at the end. */
  next(): Chunk | undefined;
}

/** Numbers or words of an element. */
export const wordsOf = (name: BenchTypeName): number => benchTypes[name].words;

/** Room for one chunk. */
export const room = (name: BenchTypeName): Values =>
  rowOf(name).exact === undefined ? new Int32Array(CHUNK * wordsOf(name)) : new Float64Array(CHUNK);

const WHOLE = 2 ** 12;
let encoded: Uint16Array | undefined;
/** The bits of f16 for the whole numbers from −4096 up. */
const wholeHalves = (): Uint16Array => {
  encoded ??= Uint16Array.from({ length: 2 * WHOLE + 1 }, (_, at) => encodeFloat16(at - WHOLE));
  return encoded;
};

let decoded: Float32Array | undefined;
/** The number for each pattern of 16 bits. */
const halves = (): Float32Array => {
  decoded ??= Float32Array.from({ length: 65536 }, (_, bits) => decodeFloat16(bits));
  return decoded;
};

/** Chunks of `length` elements that tell the operator's results apart at every place. */
export function elementsOf(name: BenchTypeName, op: OperatorName, length: number): Elements {
  const { exact, type } = rowOf(name);
  const values = room(name);
  const fill =
    exact === undefined
      ? fillWords(values as Int32Array, op, length, type)
      : fillFloats(values as Float64Array, op, length, exact);
  const encode = encoderOf(name, values, op);
  let first = 0;
  return {
    next() {
      const count = Math.min(CHUNK, length - first);
      if (count <= 0) {
        return undefined;
      }
      fill(first, count);
      first += count;
      return { count, values, bytes: encode(count) };
    },
  };
}

/** The bytes of all elements, up to a whole word. */
export function bytesOf(name: BenchTypeName, op: OperatorName, length: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(Math.ceil((length * benchTypes[name].type.bytes) / 4) * 4);
  const elements = elementsOf(name, op, length);
  let filled = 0;
  for (let chunk = elements.next(); chunk !== undefined; chunk = elements.next()) {
    all.set(chunk.bytes, filled);
    filled += chunk.bytes.byteLength;
  }
  return all;
}

/** The bytes of a chunk's elements. */
function encoderOf(name: BenchTypeName, values: Values, op: OperatorName): (count: number) => Uint8Array {
  const { bytes } = benchTypes[name].type;
  if (name === "f32") {
    const floats = new Float32Array(CHUNK);
    return (count) => {
      floats.set(values);
      return new Uint8Array(floats.buffer, 0, count * bytes);
    };
  }
  if (name === "f16") {
    const halves = new Uint16Array(CHUNK);
    return (count) => {
      encodeHalves(values, halves, count, op === "mul");
      return new Uint8Array(halves.buffer, 0, count * bytes);
    };
  }
  return (count) => new Uint8Array(values.buffer, 0, count * bytes);
}

function encodeHalves(values: Values, into: Uint16Array, count: number, powers: boolean): void {
  const whole = wholeHalves();
  for (let at = 0; at < count; at++) {
    const value = values[at] ?? 0;
    into[at] = powers ? encodeFloat16(value) : (whole[value + WHOLE] ?? 0);
  }
}

// The state of the random numbers is a variable of the loop: outside of it, it would be an object.

type Fill = (first: number, count: number) => void;

/** Integers, of one word or more. */
function fillWords(into: Int32Array, op: OperatorName, length: number, type: ElementType): Fill {
  const code = codes[op];
  const words = type.bytes / 4;
  // Signed integers begin half-way.
  const least = type.kind === "signed" ? 0x80000000 : 0;
  // Odd, so that each bit comes, one after another up to the end.
  const gap = Math.floor(length / 33) | 1;
  const slope = 2 ** 31 / length;
  const third = Math.floor(length / 3);
  let seed = 0x9e3779b9 | 0;
  return (first, count) => {
    let state = seed;
    let at = 0;
    for (let index = first; index < first + count; index++) {
      for (let word = 0; word < words; word++, at++) {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        let value: number;
        switch (code) {
          case ADD:
          case XOR:
            value = state;
            break;
          case MUL:
            // Odd factors never multiply to 0.
            value = word === 0 ? state | 1 : state;
            break;
          case MIN:
          case MINIMUM:
            // A bound that goes on moving, in the word that counts most.
            value = ~(Math.floor(index * slope) + (state >>> 2)) ^ least;
            break;
          case MAX:
          case MAXIMUM:
            value = (Math.floor(index * slope) + (state >>> 2)) ^ least;
            break;
          case AND:
            value = index % gap === gap - 1 ? ~(1 << (31 - (index % 32))) : -1;
            break;
          case OR:
            value = index % gap === gap - 1 ? 1 << (31 - (index % 32)) : 0;
            break;
          case LOGICAL_AND:
            value = index === 2 * third ? 0 : state | 1;
            break;
          case LOGICAL_OR:
            value = index < third ? 0 : state;
            break;
          default:
            value = (state & 16) === 0 ? 0 : state;
        }
        into[at] = value;
      }
    }
    seed = state;
  };
}

/** Floats: whole numbers, or powers of two for products. */
function fillFloats(into: Float64Array, op: OperatorName, length: number, exact: Exact): Fill {
  const code = codes[op];
  const { sum, addend, power, value: most } = exact;
  const slope = most / length;
  const third = Math.floor(length / 3);
  let seed = 0x9e3779b9 | 0;
  let sumSoFar = 0;
  return (first, count) => {
    let state = seed;
    let total = sumSoFar;
    for (let at = 0; at < count; at++) {
      const index = first + at;
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      let value: number;
      switch (code) {
        case ADD:
          // A walk that turns back where it would leave its bounds.
          value = ((state >>> 1) % addend) + 1;
          value = (state & 1) === 0 ? value : -value;
          if (total + value > sum || total + value < -sum) {
            value = -value;
          }
          total += value;
          break;
        case MUL: {
          let step = ((state >>> 8) % 3) - 1;
          if (total + step > power || total + step < -power) {
            step = -step;
          }
          total += step;
          value = (state & 64) === 0 ? 2 ** step : -(2 ** step);
          break;
        }
        case MIN:
        case MINIMUM:
          value = -(Math.floor(index * slope) + ((state >>> 1) % most)) + most;
          break;
        case MAX:
        case MAXIMUM:
          value = Math.floor(index * slope) + ((state >>> 1) % most) - most;
          break;
        case LOGICAL_AND:
          value = index === 2 * third ? 0 : ((state >>> 8) % 7) + 1;
          break;
        case LOGICAL_OR:
          value = index < third ? 0 : (state >>> 8) % 7;
          break;
        default:
          value = (state & 16) === 0 ? 0 : ((state >>> 8) % 7) + 1;
      }
      into[at] = value;
    }
    seed = state;
    sumSoFar = total;
  };
}

/** A scan on the CPU, chunk by chunk. */
export interface ReferenceScan {
  /** Combines a chunk, and writes its prefixes. */
  scan(chunk: Chunk, into: Values): void;
  /** The combination of all chunks so far. */
  total(): Values;
}

/** What the scan of an operator's data should be, by the loops that calls at hand take on the CPU. */
export function referenceScan(name: BenchTypeName, op: OperatorName, exclusive: boolean): ReferenceScan {
  if (name === "struct16") {
    return sumsOfQuads(exclusive);
  }
  // Floats are numbers of f64 here, whatever their own type is.
  const type = (rowOf(name).exact === undefined ? benchTypes[name].type : elementTypes.f64) as ScalarType;
  const loops =
    type.kind === "float" ? loopsByFamily.f64 : type.bytes === 8 ? loopsByFamily.pairs : wordLoops;
  const numbersIn = (values: Values | Uint8Array, count: number): Numbers =>
    arrayOver(type, values.buffer as ArrayBuffer, 0, count) as Numbers;
  const total = new Uint8Array(type.bytes);
  let initial: Scalar | undefined;
  return {
    scan({ count, values }, into) {
      const [input, output] = [values, into].map((one) => numbersIn(one, count)) as [Numbers, Numbers];
      initial = scanNumbers({ type, op: op as FoldName, loops, input, output, initial, exclusive });
      numbersIn(total, 1)[0] = initial as never;
    },
    total: () => (type.kind === "float" ? new Float64Array(total.buffer) : new Int32Array(total.buffer)),
  };
}

/** Sums, field by field: a struct has no other operator here. */
function sumsOfQuads(exclusive: boolean): ReferenceScan {
  const carries = new Int32Array(4);
  return {
    scan({ count, values }, into) {
      const [input, output] = [values as Int32Array, into as Int32Array];
      const before = carries.slice();
      for (let field = 0; field < 4; field++) {
        const carry = carries.subarray(field, field + 1);
        const words = { input: input.subarray(field), output: output.subarray(field), stores: true, carry };
        addWords({ ...words, from: 0, to: 4 * count - field, step: 4, ...unused });
      }
      if (exclusive) {
        output.copyWithin(4, 0, 4 * (count - 1));
        output.set(before);
      }
    },
    total: () => carries,
  };
}

/** What a loop is told that sums do not ask for. */
const unused = { flip: 0, lowFlip: 0, mask: 0, one: [0, 0] } as const;

/** The kept elements of a chunk (the predicate is the type's `where`), or their positions: how many. */
export function keptOf(
  name: BenchTypeName,
  { values, count }: Chunk,
  first: number,
  indices: boolean,
  into: Values,
): number {
  const words = wordsOf(name);
  const integer = rowOf(name).exact === undefined;
  // f64 keeps what is below zero: that is one bit.
  const sign = name === "f64" ? -1 : 1;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const value = values[at * words] ?? 0;
    if (integer ? (value & 1) === 0 : value * sign <= 0) {
      continue;
    }
    if (indices) {
      into[kept] = first + at;
    } else {
      for (let word = 0; word < words; word++) {
        into[kept * words + word] = values[at * words + word] ?? 0;
      }
    }
    kept++;
  }
  return kept;
}

/** Bytes that were read back, as numbers or words. */
export function decode(name: BenchTypeName, bytes: Uint8Array): ReadBack {
  const { buffer, byteOffset, byteLength } = bytes;
  switch (name) {
    case "f16": {
      const table = halves();
      const bits = new Uint16Array(buffer, byteOffset, byteLength / 2);
      const values = new Float32Array(bits.length);
      for (let at = 0; at < bits.length; at++) {
        values[at] = table[bits[at] ?? 0] ?? 0;
      }
      return values;
    }
    case "f32":
      return new Float32Array(buffer as ArrayBuffer, byteOffset, byteLength / 4);
    case "f64":
      return new Float64Array(buffer as ArrayBuffer, byteOffset, byteLength / 8);
    default:
      return new Int32Array(buffer as ArrayBuffer, byteOffset, byteLength / 4);
  }
}

/** The first of `count` places where numbers or words differ, or −1. */
export const firstDifference = (actual: ReadBack, expected: Values, count: number): number =>
  expected instanceof Int32Array
    ? firstOtherWord(actual as Int32Array, expected, count)
    : firstOtherNumber(actual as Float32Array | Float64Array, expected, count);

function firstOtherWord(actual: Int32Array, expected: Int32Array, count: number): number {
  for (let at = 0; at < count; at++) {
    if (actual[at] !== expected[at]) {
      return at;
    }
  }
  return -1;
}

function firstOtherNumber(
  actual: Float32Array | Float64Array,
  expected: Float64Array,
  count: number,
): number {
  for (let at = 0; at < count; at++) {
    if (actual[at] !== expected[at]) {
      return at;
    }
  }
  return -1;
}

/** A number or a word, for messages. */
export const format = (name: BenchTypeName, value: number | undefined): string => {
  const { exact, type } = rowOf(name);
  return exact === undefined && type.kind !== "signed" ? String((value ?? 0) >>> 0) : String(value);
};
