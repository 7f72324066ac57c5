import { expect, test } from "vitest";
import { f16Number, f16Word, f32Number, f32Word } from "../../../src/simulator/numbers/words.ts";
import { halves } from "./halves.ts";
import { specialFloats } from "./special_words.ts";

const view = new DataView(new ArrayBuffer(8));

/** The number beside another one of binary64, up or down. */
function beside(number: number, steps: bigint): number {
  view.setFloat64(0, number);
  view.setBigInt64(0, view.getBigInt64(0) + steps);
  return view.getFloat64(0);
}

test("every word of f16 is its number, and the number its word", () => {
  const numbers = halves();
  expect(numbers[0x7c00]).toBe(2 ** 16);
  for (let word = 0; word < 0x8000; word++) {
    const number = word < 0x7c00 ? (numbers[word] ?? 0) : word === 0x7c00 ? Infinity : Number.NaN;
    for (const [signed, value] of [
      [word, number],
      [word | 0x8000, -number],
    ] as const) {
      const expected = Number.isNaN(value) ? 0x7e00 : signed;
      if (!Object.is(f16Number(signed), value) || f16Word(value) !== expected) {
        expect.fail(`${signed}: ${f16Number(signed)} instead of ${value}, and back ${f16Word(value)}`);
      }
    }
  }
});

test("a number becomes the nearest f16, the even one of two that are as near, whether it is an f32 or between two of them", () => {
  const numbers = halves();
  for (let word = 0; word < 0x7c00; word++) {
    const [low, high] = [numbers[word] ?? 0, numbers[word + 1] ?? 0];
    const middle = (low + high) / 2;
    const tiny = (high - low) * 2 ** -13;
    for (const [number, expected] of [
      [low + tiny, word],
      [middle - tiny, word],
      [beside(middle, -1n), word],
      [middle, word + (word % 2)],
      [beside(middle, 1n), word + 1],
      [middle + tiny, word + 1],
      [beside(high, -1n), word + 1],
    ] as const) {
      if (f16Word(number) !== expected || f16Word(-number) !== expected + 0x8000) {
        expect.fail(`${number} is ${f16Word(number)}, not ${expected}`);
      }
    }
  }
  expect([0, -0, 5e-324, 2 ** -25, 65519.99, 65520, 1e300, -Infinity].map(f16Word)).toEqual([
    0, 0x8000, 0, 0, 0x7bff, 0x7c00, 0x7c00, 0xfc00,
  ]);
});

test("a word of f32 is its number, and a number the word of the nearest f32", () => {
  for (const word of specialFloats.f32) {
    view.setInt32(0, word);
    const number = view.getFloat32(0);
    expect(f32Number(word)).toBe(number);
    expect(f32Word(number)).toBe(Number.isNaN(number) ? 0x7fc00000 : word | 0);
  }
  expect([1 + 2 ** -24, 1 + 2 ** -24 + 2 ** -52, 2 ** -150, 2 ** 128 - 2 ** 103].map(f32Word)).toEqual([
    0x3f800000, 0x3f800001, 0, 0x7f800000,
  ]);
});
