import { describe, expect, test } from "vitest";
import { adapter, skipAll, swiftShaderMissing } from "../support/adapter.ts";
import { compileKernel } from "../support/buffers.ts";
import { useSoftwareFold } from "../support/fold.ts";
import { randomBits } from "../support/random.ts";
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

/** A subnormal operand may be flushed to zero. */
function operand(word: number): Bounded {
  const value = numberOf(word);
  return { value, error: isSubnormal(word) ? Math.abs(value) : 0 };
}

function withinBounds({ value, error }: Bounded, { ours, theirs }: Word, slack = 1): Verdict {
  if (error === Infinity || Number.isNaN(error)) {
    return "open";
  }
  const isWithin = (word: number, times: number): boolean =>
    Math.abs(numberOf(word) - value) <= times * error;
  return isWithin(ours, 1) && isWithin(theirs, slack) ? "right" : "wrong";
}

/** A word of a result: its place among those of a triple, what it is here and on the device. */
interface Word {
  readonly at: number;
  readonly ours: number;
  readonly theirs: number;
}

/** Compares a word that must be the same. */
function sameWord(
  { on, result, allows, isOpen }: DeviceCase,
  words: Triple,
  { at, ours, theirs }: Word,
  wordsOf: (words: Triple) => readonly number[],
): Verdict {
  if (ours === theirs) {
    return "right";
  }
  const takesFloats = on.some((name) => /[xyzm]/.test(name));
  const isFloat = /^(f32|vec.f|mat)/.test(result);
  const isLeftOpen =
    (takesFloats && !words.every(isFiniteWord)) ||
    (allows?.(words, ours) && allows(words, theirs)) ||
    isOpen?.(words, theirs) ||
    isSame(isFloat, ours, theirs) ||
    (takesFloats && [...flushed(words)].some((other) => isSame(isFloat, wordsOf(other)[at] ?? 0, theirs)));
  return isLeftOpen ? "open" : "wrong";
}

/** What computes all words of a triple here. */
function evaluateHere(cases: readonly DeviceCase[]): (words: Triple) => readonly number[] {
  const evaluate = evaluatorOf(cases);
  const [, stride] = places(cases);
  return (words) => {
    const results = Array<number>(stride).fill(0);
    evaluate(...words, results, 0);
    return results;
  };
}

/** Compares all words of a triple, and counts those of each case that are right. */
function compareTriple(
  cases: readonly DeviceCase[],
  words: Triple,
  theirs: Int32Array,
  wordsOf: (words: Triple) => readonly number[],
  right: number[],
): void {
  const [starts, stride] = places(cases);
  const ours = wordsOf(words);
  const [x, y, z] = [operand(words[0]), operand(words[1]), operand(words[2])];
  for (const [index, checked] of cases.entries()) {
    const { bounds, on, slack } = checked;
    const start = starts[index] ?? 0;
    const isKnown = on[0] === "u" || words.every(isFiniteWord);
    const limits = bounds && (isKnown ? bounds(x, y, z, words[0]) : []);
    for (let at = start; at < (starts[index + 1] ?? stride); at++) {
      const word = { at, ours: ours[at] ?? 0, theirs: theirs[at] ?? 0 };
      const limit = limits?.[at - start] ?? anything;
      const verdict = limits ? withinBounds(limit, word, slack) : sameWord(checked, words, word, wordsOf);
      if (verdict === "wrong") {
        expect.fail(told(checked, words, word, limits && limit));
      }
      right[index] = (right[index] ?? 0) + (verdict === "right" ? 1 : 0);
    }
  }
}

function told({ name, on }: DeviceCase, words: Triple, { ours, theirs }: Word, limit?: Bounded): string {
  const [here, there] = [ours, theirs].map((word) => `${hex(word)} (${numberOf(word)})`);
  const bound = limit ? `, within ${limit.error} of ${limit.value}` : "";
  return `${name} of ${on.join(", ")} with ${words.map(hex).join(", ")}: ${here} here, ${there} on the device${bound}`;
}

async function compareWithDevice(cases: readonly DeviceCase[], triples: Int32Array): Promise<void> {
  const run = await compileKernel(fold().device, kernelOf(cases));
  const [, stride] = places(cases);
  const count = triples.length / 3;
  const poison = new Uint32Array(count * stride).fill(0xdeadbeef);
  const [, results = poison] = await run([new Uint32Array(triples.buffer), poison], Math.ceil(count / 64));
  const theirs = new Int32Array(results.buffer);
  const wordsOf = evaluateHere(cases);
  const right = cases.map(() => 0);
  for (let item = 0; item < count; item++) {
    const [a = 0, b = 0, c = 0] = triples.subarray(3 * item, 3 * item + 3);
    compareTriple(cases, [a, b, c], theirs.subarray(item * stride, (item + 1) * stride), wordsOf, right);
  }
  // A case that is always left open tests nothing.
  for (const [index, { name, on }] of cases.entries()) {
    expect(right[index], `${name} of ${on.join(", ")} was compared`).toBeGreaterThan(count / 10);
  }
}

describe("the texts compute what a device computes", () => {
  test("of integers, to the bit", async () => {
    await compareWithDevice(integerCases, triplesOf(specialIntegers, mixedIntegers(), 3000));
  });

  test("of f32 where results are exact or rounded once, to the bit", async () => {
    await compareWithDevice(exactCases, triplesOf(specialFloats.f32, randomWord("f32", "exact"), 3000));
  });

  test("of f32 in functions with bounds, within them", async () => {
    const some = specialFloats.f32.filter((_, at) => at % 3 === 0);
    await compareWithDevice(boundedCases, triplesOf(some, moderate(), 2000));
  });

  test("of vectors and matrices, within bounds", async () => {
    const some = specialFloats.f32.filter((_, at) => at % 4 === 0);
    await compareWithDevice(vectorCases, triplesOf(some, moderate(), 2000));
  });
});
