import { expect, test } from "vitest";
import { Random } from "../../../src/simulator/machine/random.ts";

const take = <T>(count: number, give: () => T): T[] => Array.from({ length: count }, give);

test("a seed gives the same numbers, another seed others", () => {
  const numbersOf = (seed: number): number[] => {
    const random = new Random(seed);
    return take(20, () => random.next());
  };
  expect(numbersOf(7)).toEqual(numbersOf(7));
  const firsts = new Set(take(100, () => 0).map((_, seed) => numbersOf(seed)[0]));
  expect(firsts.size).toBe(100);
});

test("each bit is 1 as often as not", () => {
  const random = new Random(1);
  const numbers = take(4000, () => random.next());
  for (let bit = 0; bit < 32; bit++) {
    const ones = numbers.filter((number) => (number >>> bit) & 1).length;
    // Five standard deviations.
    expect(Math.abs(ones - 2000)).toBeLessThan(160);
  }
});

test("whole numbers below an end all come", () => {
  const random = new Random(1);
  const counts = [0, 0, 0, 0, 0, 0, 0];
  for (const number of take(7000, () => random.below(7))) {
    counts[number] = (counts[number] ?? Number.NaN) + 1;
  }
  for (const count of counts) {
    expect(Math.abs(count - 1000)).toBeLessThan(150);
  }
  expect(take(20, () => random.below(1))).toEqual(Array(20).fill(0));
});

test("the first values come into each order", () => {
  const random = new Random(1);
  const orders = new Set(
    take(200, () => {
      const values = Int32Array.of(1, 2, 3, 4);
      random.shuffle(values, 3);
      return values.join("");
    }),
  );
  expect([...orders].sort()).toEqual(["1234", "1324", "2134", "2314", "3124", "3214"]);
});
