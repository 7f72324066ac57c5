import { expect, test } from "vitest";
import { check } from "./arithmetic.ts";
import { pairsOf, randomWord, specialIntegers } from "./special_words.ts";

const signed = (word: number): bigint => BigInt.asIntN(32, BigInt(word));
const unsigned = (word: number): bigint => BigInt.asUintN(32, BigInt(word));
const word = (value: bigint): number => Number(BigInt.asIntN(32, value));
/** The bits of a word, from the lowest on. */
const bitsOf = (a: number): readonly string[] => [...unsigned(a).toString(2).padStart(32, "0")].reverse();
const ofBits = (bits: readonly string[]): number => word(BigInt(`0b${[...bits].reverse().join("")}`));

type Binary = (a: bigint, b: bigint) => bigint;

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const greatest = (a: bigint, b: bigint): bigint => (a < b ? b : a);

/** What is undefined elsewhere is in the text of the specification: x / 0 is x, x % 0 is 0; the least number by -1 wraps around. */
const binary: Readonly<Record<string, Binary>> = {
  add: (a, b) => a + b,
  mul: (a, b) => a * b,
  div: (a, b) => (b === 0n ? a : a / b),
  rem: (a, b) => (b === 0n ? 0n : a % b),
  min: least,
  max: greatest,
};
const ofBitsAlone: Readonly<Record<string, Binary>> = {
  bits_and: (a, b) => a & b,
  bits_or: (a, b) => a | b,
  bits_xor: (a, b) => a ^ b,
};

test("arithmetic", () => {
  for (const [a, b] of pairsOf("i32", "integers", 4000)) {
    for (const [name, reference] of Object.entries(binary)) {
      check(`i32_${name}`, [a, b], word(reference(signed(a), signed(b))));
      check(`u32_${name}`, [a, b], word(reference(unsigned(a), unsigned(b))));
    }
    for (const [name, reference] of Object.entries(ofBitsAlone)) {
      check(name, [a, b], word(reference(unsigned(a), unsigned(b))));
    }
  }
});

test("clamp is min(max(x, low), high), also where low is above high", () => {
  const some = specialIntegers.filter((_, at) => at % 3 === 0);
  for (const a of some) {
    for (const low of some) {
      for (const high of some) {
        check("i32_clamp", [a, low, high], word(least(greatest(signed(a), signed(low)), signed(high))));
        check("u32_clamp", [a, low, high], word(least(greatest(unsigned(a), unsigned(low)), unsigned(high))));
      }
    }
  }
});

const next = randomWord("u32", "bits");
const operands = [...specialIntegers, ...Array.from({ length: 500 }, next)];

test("bits are counted and reversed, and the sign is found", () => {
  for (const a of operands) {
    const bits = bitsOf(a);
    const [first, last] = [bits.indexOf("1"), bits.lastIndexOf("1")];
    check("count_one_bits", [a], bits.filter((bit) => bit === "1").length);
    check("count_leading_zeros", [a], 31 - last);
    check("count_trailing_zeros", [a], first < 0 ? 32 : first);
    check("reverse_bits", [a], ofBits([...bits].reverse()));
    check("i32_sign", [a], signed(a) > 0n ? 1 : signed(a) < 0n ? -1 : 0);
  }
});

test("fields of bits are taken and set, and end with the word", () => {
  const places = [0, 1, 5, 16, 31, 32, 33, 64, 0x7fffffff, -1, -32];
  for (const a of operands.filter((_, at) => at % 6 === 0)) {
    const bits = bitsOf(a);
    const inserted = bitsOf(~a ^ 0x12345678);
    for (const offset of places) {
      for (const count of places) {
        const from = Math.min(32, offset >>> 0);
        const length = Math.min(32 - from, count >>> 0);
        const field = bits.slice(from, from + length);
        const filled = (bit: string): string[] => [...field, ...Array<string>(32 - length).fill(bit)];
        check("u32_extract_bits", [a, offset, count], ofBits(filled("0")));
        check("i32_extract_bits", [a, offset, count], ofBits(filled(field.at(-1) ?? "0")));
        const set = [...bits.slice(0, from), ...inserted.slice(0, length), ...bits.slice(from + length)];
        check("insert_bits", [a, ~a ^ 0x12345678, offset, count], ofBits(set));
      }
    }
  }
});

test("there are operands of each kind", () => {
  expect(new Set(operands.map(Math.sign))).toEqual(new Set([-1, 0, 1]));
});
