import { describe, expect } from "vitest";
import { adapter, skipAll, swiftShaderMissing } from "../support/adapter.ts";
import { compileKernel } from "../support/buffers.ts";
import { useSoftwareFold } from "../support/fold.ts";
import { randomBits } from "../support/random.ts";
import { testInTurn } from "../support/rows.ts";
import type { Bounded } from "./accuracy.ts";
import { anything } from "./accuracy.ts";
import { boundedCases, vectorCases } from "./bounded_cases.ts";
import type { DeviceCase } from "./device_cases.ts";
import { evaluatorOf, kernelOf, places } from "./device_cases.ts";
import { exactCases, integerCases } from "./exact_cases.ts";
import type { Triple } from "./float_words.ts";
import { isFiniteWord, isSubnormal, isZero, numberOf } from "./float_words.ts";
import { hex, randomWord, specialFloats, specialIntegers } from "./numbers/special_words.ts";

// SwiftShader computes with IEEE's operations, so operators, conversions and functions that are exact must have the same bits there.
// Other adapters may round up or down.
skipAll(
  swiftShaderMissing ?? (adapter === "gpu" ? "exact results are compared with SwiftShader's" : undefined),
);
const fold = useSoftwareFold();

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
          ? withinBounds(bounds[at - from] ?? anything, [ours, theirs])
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
