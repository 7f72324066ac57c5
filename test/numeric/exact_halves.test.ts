import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exactFormats, exactOf, exactRounded, seen } from "../../src/algebra/exact_sums.ts";
import { decodeFloat16, encodeFloat16 } from "../../src/algebra/float16.ts";
import type { RunKernel } from "../support/buffers.ts";
import { compileKernel } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";
import { randomBits } from "../support/random.ts";

// Sums of f16 in two digits by themselves, on bits: a thread's run, its sum, and the prefixes after what comes before it.

const fold = useFold();
const read = (name: string): string =>
  readFileSync(new URL(`../../shaders/exact/${name}.wgsl`, import.meta.url), "utf8");

const ITEMS = 32;
/** Words of a run: its start and its items; and of what is found: its sum and its prefixes. */
const WORDS = 2 + ITEMS;

const kernelOf = (change: (text: string) => string): string =>
  [
    `const EXACT_WORDS = 3u; const EXACT_FRACTION = 10u; const EXACT_MOST = 31u; const FIXED_WORDS = 2u; const FIXED_SPAN = 32u;
    const KEY_FRACTION = 10u; const KEY_MOST = 31u; const ITEMS = ${ITEMS}u;
    alias FloatBits = u32; alias Output = u32; alias Element = array<u32, EXACT_WORDS>;
    struct Items { bits: array<FloatBits, ITEMS> }
    fn output_from_float(x: FloatBits) -> Output { return x; }
    fn select_digits(exclusive: Digits, inclusive: Digits) -> Digits { return inclusive; }
    fn select_word(exclusive: u32, inclusive: u32) -> u32 { return inclusive; }
    @group(0) @binding(0) var<storage, read_write> runs: array<u32>;
    @group(0) @binding(1) var<storage, read_write> found: array<u32>;
    fn store_outputs(outputs: array<Output, ITEMS>, thread: u32, tile: u32, length: u32) {
      var own = outputs;
      for (var item = 0u; item < ITEMS; item++) { found[tile * ${WORDS}u + 2u + item] = own[item]; }
    }`,
    read("fixed"),
    read("fixed_float"),
    change(read("halves")),
    `@compute @workgroup_size(1)
    fn main(@builtin(workgroup_id) group: vec3<u32>) {
      let first = group.x * ${WORDS}u;
      let start = Fixed(runs[first], runs[first + 1u]);
      var items: Items;
      var highest = 0u;
      for (var item = 0u; item < ITEMS; item++) {
        items.bits[item] = runs[first + 2u + item];
        highest = max(highest, key_of_float(items.bits[item]));
      }
      let sum = fixed_add_run(start, items.bits, 0u, highest);
      found[first] = sum[0];
      found[first + 1u] = sum[1];
      _ = store_swift(items, 0u, group.x, 0u, start, 0u, 0u, highest);
    }`,
  ].join("\n");

/** What comes before a run, in units of the least subnormal, and the bits of its items. */
interface Run {
  readonly start: bigint;
  readonly items: readonly number[];
}

function runsOf(): Run[] {
  const next = randomBits("halves");
  const bits = (value: number): number => encodeFloat16(value);
  const padded = (items: readonly number[]): number[] => [...items, ...Array(ITEMS - items.length).fill(0)];
  const most = 65504;
  const least = 2 ** -24;
  const random = Array.from({ length: 300 }, (_, at): Run => {
    const binades = [1, 5, 12, 31][at % 4] as number;
    const lowest = next() % (32 - binades);
    const items = Array.from(
      { length: ITEMS },
      () => ((next() & 1) << 15) | (Math.min(30, lowest + (next() % binades)) << 10) | (next() & 0x3ff),
    );
    const start = ((BigInt(next()) << 32n) | BigInt(next())) >> BigInt(3 + (next() % 61));
    return { start: at % 3 === 0 ? 0n : at % 3 === 1 ? start : -start, items };
  });
  const far = [1n << 40n, 1n << 45n, (1n << 47n) - 1n, 1n << 47n, (1n << 61n) - 1n];
  return [
    ...random,
    // As large as can be, to both sides, from near and from far away; and back to what is finite.
    ...[0n, ...far, ...far.map((one) => -one)].flatMap((start) =>
      [most, -most, 2 ** -9, -(2 ** -9) * (2 - 2 ** -10)].map((item) => ({
        start,
        items: Array(ITEMS).fill(bits(item)) as number[],
      })),
    ),
    // From near the least start that no run comes back from, by the largest items of their binade.
    ...[1, -1].flatMap((sign) =>
      [0, 7, 8, 9, 15, 22, 30].flatMap((exponent) =>
        [-20 * 2 ** 24, -(2 ** 18), -1, 0, 1].map((more) => ({
          start:
            BigInt(sign) *
            ((1n << 40n) + (BigInt(ITEMS) << BigInt(Math.max(exponent, 8) + 10)) + BigInt(more)),
          items: Array(ITEMS).fill((exponent << 10) | 0x3ff | (sign === 1 ? 0x8000 : 0)) as number[],
        })),
      ),
    ),
    // The most that a sum in one word takes, and one binade more.
    ...[1, -1].flatMap((sign) =>
      [4 - 2 ** -9, 8 - 2 ** -8].map((item) => ({
        start: 5n,
        items: Array(ITEMS).fill(bits(sign * item)) as number[],
      })),
    ),
    // Prefixes in one word, whose highest bit stays: near the middle of two floats, by what is far below it; and where the start's lower
    // word is zero.
    ...[1n, -1n].flatMap((sign) =>
      [1n << 36n, (1n << 37n) + (1n << 36n)].flatMap((start) =>
        [-1n, 0n, 1n].map((rest) => ({
          start: sign * (start + rest),
          items: padded([2 ** -10, 2 ** (start > 1n << 37n ? 2 : 1), least, -least, -least, least].map(bits)),
        })),
      ),
    ),
    // The same in the 12 binades that an f32 holds, and below them.
    ...[1, -1].flatMap((sign) =>
      [
        [1, least, -2 * least, least, 2, -least, 2 * least],
        [-2047, 2 ** -11, least],
        [-2040, 2 ** -8, -least],
        [3 * least, 2 ** -9, 2 ** -10],
      ].map((values) => ({
        start: BigInt(sign) * (2048n << 24n),
        items: padded(values.map((one) => bits(sign * one))),
      })),
    ),
    ...[1, -1].map((sign) => ({
      start: 0n,
      items: padded([3, 5, 1000, 40].map((one) => bits(sign * one * least))),
    })),
    // Ties that are even and odd, and what breaks them far below, on both sides of zero.
    ...[1, -1].flatMap((sign) =>
      [
        [2048, 1, least, -least, -least],
        [2050, 1, least, -2 * least],
        [32768, 16, least, -2 * least, least],
        [most, 15, 1, -least, least],
        [1, 2 ** -11, 2 ** -24, -(2 ** -23)],
        [2 ** -8, 2 ** -19, 2 ** -24],
        [2 ** -9, 2 ** -20, 2 ** -24],
        [64, -64, least, -least],
        [least, 2 ** -14, -least, -(2 ** -14)],
      ].map((values) => ({ start: 0n, items: padded(values.map((one) => bits(sign * one))) })),
    ),
  ];
}

/** The runs, with the words that the reference has of each. */
const referenceRuns = runsOf().map(({ start, items }) => {
  let units = start;
  const prefixes = items.map((item) => {
    units += exactOf(decodeFloat16(item), exactFormats.f16).units;
    return encodeFloat16(exactRounded({ units, seen: seen.others }, exactFormats.f16));
  });
  return { start, items, prefixes, sum: BigInt.asUintN(64, units) };
});

/** How many runs have another sum or another prefix than the reference. */
async function differing(run: RunKernel): Promise<number> {
  const given = referenceRuns;
  const words = new Uint32Array(given.length * WORDS);
  given.forEach(({ start, items }, at) => {
    words.set(
      [Number(BigInt.asUintN(32, start)), Number(BigInt.asUintN(32, start >> 32n)), ...items],
      at * WORDS,
    );
  });
  const [, found = new Uint32Array()] = await run([words, new Uint32Array(words.length)], given.length);
  return given.filter(({ prefixes, sum }, at) => {
    const own = found.subarray(at * WORDS, (at + 1) * WORDS);
    const ownSum = (BigInt(own[1] ?? 0) << 32n) | BigInt(own[0] ?? 0);
    return ownSum !== sum || prefixes.some((bits, item) => bits !== own[2 + item]);
  }).length;
}

test("sums and prefixes of f16 have the reference's bits", async () => {
  const run = await compileKernel(
    fold().device,
    kernelOf((text) => text),
  );
  expect(await differing(run)).toBe(0);
});

const faults: readonly (readonly [name: string, from: string, to: string])[] = [
  ["a lost bit that decides", "(low | ((low & mask) + mask)) & ~mask", "low & ~mask"],
  ["ties that go down", "((bits >> 13u) & 1u) + (0xfffu", "(0xfffu"],
  ["a lost sign of a prefix", "| ((bits >> 16u) & 0x8000u)", ""],
  [
    "subnormals that are taken for others",
    "select(115u + below, 113u, below == 0u)",
    "select(115u + below, 0u, below == 0u)",
  ],
  ["prefixes below the 12 binades", "select(115u + below, 113u, below == 0u)", "113u"],
  ["prefixes that are not finite", "0x477ff000u)) {", "0xffffffffu)) {"],
  ["a lost sticky bit", " | min(low & 0x7ffu, 1u)", ""],
  ["ties that go down, from any sum", "- 1u + is_odd", "- 1u"],
  ["a lost carry of the low digit", "sum.high + (sum.low >> 18u)", "sum.high"],
  ["a lost carry of a sum", "sign_of(low) + carry", "sign_of(low)"],
  ["a lost sign of the low digit", "+ sign_of(low) + carry", "+ carry"],
  ["a lost sign of any sum", "| ((bitcast<u32>(twice) >> 16u) & 0x8000u)", ""],
  ["a start that is too far away", "select(high, far, upper < -0x8000 || upper >= 0x8000)", "high"],
  [
    "a sum that is too far away",
    "clamp(sum.high + (sum.low >> 18u), -MOST, MOST)",
    "(sum.high + (sum.low >> 18u))",
  ],
  ["a run that comes back from infinity", "(ITEMS << (max(", "((ITEMS / 2u) << (max("],
  ["a run of small items that comes back from infinity", "i32((1u << 22u) + ", "i32((1u << 21u) + "],
  ["a start that is near infinity", "i32((1u << 22u) + ", "i32((1u << 22u) - 2048u + "],
  ["a lost sign of infinity", "select(0x7c00u, 0xfc00u, first.high < 0)", "0x7c00u"],
  [
    "a lost sign of a sum in one word",
    "Fixed(bitcast<u32>(word), sign_of(bitcast<u32>(word)))",
    "Fixed(bitcast<u32>(word), 0u)",
  ],
  ["a sum in one word of a binade too much", "22u - ROOM", "23u - ROOM"],
  ["lost bits below a prefix in one word", " || is_near >= 2u * HALF", ""],
  ["a highest bit of a prefix that moves", "changed >= HIGHEST || ", ""],
  ["a lost carry of a start", "select(0u, sign & 1u, lower == 0u)", "0u"],
  ["a lost sign of a start", "(sign & 0x80000000u)", "0u"],
  ["a lost sign of a prefix in one word", " + (sign & 0x8000u)", ""],
  ["a place of one more", "select(12u, 0u, is_near)", "select(13u, 0u, is_near)"],
];
test.each(faults.map(([name, from, to]) => ({ name, from, to })))(
  "$name is noticed",
  async ({ from, to }) => {
    let found = 0;
    const code = kernelOf((text) => {
      found += text.split(from).length - 1;
      return text.replaceAll(from, to);
    });
    expect(found).toBe(1);
    const run = await compileKernel(fold().device, code);
    expect(await differing(run)).toBeGreaterThan(0);
  },
);
