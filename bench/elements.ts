import { operator } from "../src/algebra/custom_operator.ts";
import { elementTypes } from "../src/algebra/element_types.ts";
import { decodeFloat16, encodeFloat16 } from "../src/algebra/float16.ts";
import { u32 } from "../src/algebra/integers.ts";
import type { Operator } from "../src/algebra/monoid.ts";
import { monoid } from "../src/algebra/monoid.ts";
import { operators } from "../src/algebra/operator_table.ts";
import { struct } from "../src/algebra/struct.ts";
import type { ElementType, StructValue, Value } from "../src/algebra/types.ts";

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
export const identityOn = (op: OperatorName, type: BenchTypeName): Value =>
  monoid(operatorOn(op, type) as Operator, benchTypes[type].type as ElementType, "bench").identity;

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

/** What the scan of an operator's data should be. */
export function referenceScan(name: BenchTypeName, op: OperatorName, exclusive: boolean): ReferenceScan {
  const { words, exact, type } = rowOf(name);
  const identity = identityOn(op, name);
  const code = codes[op];
  if (exact !== undefined) {
    const carry = Float64Array.of(identity as number);
    return {
      scan: ({ count, values }, into) =>
        scanFloats(values as Float64Array, into as Float64Array, count, carry, code, exclusive),
      total: () => carry,
    };
  }
  const signed = type.kind === "signed";
  const scans = { 1: scanWords, 2: scanPairs, 4: scanQuads } as const;
  const carry = Int32Array.from(
    typeof identity === "bigint"
      ? [Number(BigInt.asIntN(32, identity)), Number(BigInt.asIntN(32, identity >> 32n))]
      : typeof identity === "object"
        ? Object.values(identity as StructValue).map(Number)
        : [identity],
  );
  return {
    scan: ({ count, values }, into) =>
      scans[words](values as Int32Array, into as Int32Array, count, carry, code, exclusive, signed),
    total: () => carry,
  };
}

// The operator is chosen for each element, in the loop: a call would cost more.
function scanFloats(
  values: Float64Array,
  into: Float64Array,
  count: number,
  carry: Float64Array,
  code: number,
  exclusive: boolean,
): void {
  let prefix = carry[0] ?? 0;
  for (let at = 0; at < count; at++) {
    const value = values[at] ?? 0;
    const before = prefix;
    switch (code) {
      case ADD:
        prefix += value;
        break;
      case MUL:
        prefix *= value;
        break;
      case MIN:
      case MINIMUM:
        prefix = Math.min(prefix, value);
        break;
      case MAX:
      case MAXIMUM:
        prefix = Math.max(prefix, value);
        break;
      case LOGICAL_AND:
        prefix = prefix !== 0 && value !== 0 ? 1 : 0;
        break;
      case LOGICAL_OR:
        prefix = prefix !== 0 || value !== 0 ? 1 : 0;
        break;
      default:
        prefix = (prefix !== 0) !== (value !== 0) ? 1 : 0;
    }
    into[at] = exclusive ? before : prefix;
  }
  carry[0] = prefix;
}

type ScanWords = (
  values: Int32Array,
  into: Int32Array,
  count: number,
  carry: Int32Array,
  code: number,
  exclusive: boolean,
  signed: boolean,
) => void;

/** 32-bit integers, as signed words: sums and products wrap to the same bits. */
const scanWords: ScanWords = (values, into, count, carry, code, exclusive, signed) => {
  let prefix = carry[0] ?? 0;
  // Unsigned words are in order once their highest bit is turned over.
  const flip = signed ? 0 : 0x80000000 | 0;
  for (let at = 0; at < count; at++) {
    const value = values[at] ?? 0;
    const before = prefix;
    switch (code) {
      case ADD:
        prefix = (prefix + value) | 0;
        break;
      case MUL:
        prefix = Math.imul(prefix, value);
        break;
      case MIN:
      case MINIMUM:
        prefix = (value ^ flip) < (prefix ^ flip) ? value : prefix;
        break;
      case MAX:
      case MAXIMUM:
        prefix = (value ^ flip) > (prefix ^ flip) ? value : prefix;
        break;
      case AND:
        prefix &= value;
        break;
      case OR:
        prefix |= value;
        break;
      case XOR:
        prefix ^= value;
        break;
      case LOGICAL_AND:
        prefix = prefix !== 0 && value !== 0 ? 1 : 0;
        break;
      case LOGICAL_OR:
        prefix = prefix !== 0 || value !== 0 ? 1 : 0;
        break;
      default:
        prefix = (prefix !== 0) !== (value !== 0) ? 1 : 0;
    }
    into[at] = exclusive ? before : prefix;
  }
  carry[0] = prefix;
};

/** The high word of a product of two words. */
function multiplyHigh(a: number, b: number): number {
  const [aLow, aHigh, bLow, bHigh] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const other = aLow * bHigh + (middle & 0xffff);
  return aHigh * bHigh + Math.floor(middle / 65536) + Math.floor(other / 65536);
}

const scanPairs: ScanWords = (values, into, count, carry, code, exclusive, signed) => {
  let low = carry[0] ?? 0;
  let high = carry[1] ?? 0;
  const flip = signed ? 0 : 0x80000000 | 0;
  for (let at = 0; at < 2 * count; at += 2) {
    const valueLow = values[at] ?? 0;
    const valueHigh = values[at + 1] ?? 0;
    if (exclusive) {
      into[at] = low;
      into[at + 1] = high;
    }
    const truth = (low | high) !== 0;
    const valueTruth = (valueLow | valueHigh) !== 0;
    switch (code) {
      case ADD: {
        const sum = (low + valueLow) | 0;
        high = (high + valueHigh + (sum >>> 0 < low >>> 0 ? 1 : 0)) | 0;
        low = sum;
        break;
      }
      case MUL:
        high =
          (multiplyHigh(low >>> 0, valueLow >>> 0) + Math.imul(low, valueHigh) + Math.imul(high, valueLow)) |
          0;
        low = Math.imul(low, valueLow);
        break;
      case MIN:
      case MINIMUM:
      case MAX:
      case MAXIMUM: {
        const less = (valueHigh ^ flip) < (high ^ flip) || (valueHigh === high && valueLow >>> 0 < low >>> 0);
        if (less === (code === MIN || code === MINIMUM)) {
          low = valueLow;
          high = valueHigh;
        }
        break;
      }
      case AND:
        low &= valueLow;
        high &= valueHigh;
        break;
      case OR:
        low |= valueLow;
        high |= valueHigh;
        break;
      case XOR:
        low ^= valueLow;
        high ^= valueHigh;
        break;
      case LOGICAL_AND:
        low = truth && valueTruth ? 1 : 0;
        high = 0;
        break;
      case LOGICAL_OR:
        low = truth || valueTruth ? 1 : 0;
        high = 0;
        break;
      default:
        low = truth !== valueTruth ? 1 : 0;
        high = 0;
    }
    if (!exclusive) {
      into[at] = low;
      into[at + 1] = high;
    }
  }
  carry[0] = low;
  carry[1] = high;
};

/** Sums, field by field: a struct has no other operator here. */
const scanQuads: ScanWords = (values, into, count, carry, _code, exclusive) => {
  for (let at = 0; at < 4 * count; at++) {
    const before = carry[at & 3] ?? 0;
    const after = (before + (values[at] ?? 0)) | 0;
    into[at] = exclusive ? before : after;
    carry[at & 3] = after;
  }
};

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
