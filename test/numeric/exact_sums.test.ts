import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { exactFormats } from "../../src/algebra/exact_sums.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import type { RunKernel } from "../support/buffers.ts";
import { compileKernel } from "../support/buffers.ts";
import { bitsOf } from "../support/compare.ts";
import type { FloatRow } from "../support/exact_sums.ts";
import { awkwardSums, floats, floatsOf, spreadItems, wordsOfRows } from "../support/exact_sums.ts";
import { useFold } from "../support/fold.ts";
import { asItems } from "../support/results.ts";

// The functions of shaders/exact/ by themselves, on bits: so f16 is tested without the feature, too.

const fold = useFold();
const read = (name: string): string =>
  readFileSync(new URL(`../../shaders/exact/${name}.wgsl`, import.meta.url), "utf8");

/** Items of a row of the kernel's input. */
const MOST = 8;

/** A kernel that adds up each row: the number of its items, and the two words of each. */
function kernelOf({ type, fraction, exponent }: FloatRow, change: (text: string) => string): string {
  const isDouble = type.name === "f64";
  return [
    `const EXACT_WORDS = ${exactFormats[type.name].words}u;`,
    `const EXACT_FRACTION = ${fraction}u;`,
    `const EXACT_MOST = ${2 ** exponent - 1}u;`,
    change(read("sum")),
    change(read(isDouble ? "double" : "float")),
    `@group(0) @binding(0) var<storage, read_write> rows: array<u32>;
    @group(0) @binding(1) var<storage, read_write> sums: array<vec2<u32>>;
    @compute @workgroup_size(1)
    fn main(@builtin(workgroup_id) group: vec3<u32>) {
      let first = group.x * ${2 * MOST + 1}u;
      var sum = ExactSum();
      for (var item = 0u; item < rows[first]; item++) {
        let low = rows[first + 1u + 2u * item];
        let high = rows[first + 2u + 2u * item];
        sum = exact_combine(sum, ${isDouble ? "exact_from_f64(vec2<u32>(low, high))" : "exact_from_bits(low + (high & 0u))"});
      }
      sums[group.x] = ${isDouble ? "f64_from_exact(sum)" : "vec2<u32>(bits_from_exact(sum), 0u)"};
    }`,
  ].join("\n");
}

/** Rows of items. */
const sumsOf = (float: FloatRow): ScalarArray[] => [
  ...awkwardSums(float).map((values) => floatsOf(float, values)),
  ...[1, 2, 3, 5, 20, 2 ** float.exponent - 1].flatMap((binades) =>
    Array.from({ length: 60 }, (_, at) =>
      spreadItems(
        float,
        1 + (at % MOST),
        `${binades} ${at}`,
        binades,
        (at * 7) % (2 ** float.exponent - 1 - binades + 1),
      ),
    ),
  ),
];

/** The rows of each type, with the bits of the reference's sums. */
const referenceSums = new Map(
  floats.map((float) => {
    const { type } = float;
    const bitsOfSum = (row: ScalarArray): bigint => {
      const total = reduceReference(row, { op: exactAdd, type } as never) as number;
      return BigInt(bitsOf(asItems(type, total))[0] ?? 0);
    };
    return [float, sumsOf(float).map((row) => ({ row, expected: bitsOfSum(row) }))] as const;
  }),
);

/** The rows that get another sum than the reference has. */
async function differing(float: FloatRow, run: RunKernel): Promise<string[]> {
  const sumsOfRows = referenceSums.get(float) ?? [];
  const given = sumsOfRows.map(({ row }) => row);
  const words = wordsOfRows(given, MOST);
  const [, sums = new Uint32Array()] = await run([words, new Uint32Array(given.length * 2)], given.length);
  return sumsOfRows.flatMap(({ row, expected }, at) => {
    const found = BigInt(sums[2 * at] ?? 0) | (BigInt(sums[2 * at + 1] ?? 0) << 32n);
    return found === expected
      ? []
      : [
          `${Array.from(row as Float64Array).join(" + ")}: 0x${found.toString(16)} instead of 0x${expected.toString(16)}`,
        ];
  });
}

test.each(floats)("$type.name: sums have the reference's bits", async (float) => {
  const run = await compileKernel(
    fold().device,
    kernelOf(float, (text) => text),
  );
  expect(await differing(float, run)).toEqual([]);
});

/** Faults: what stands in the shaders, and what it becomes. */
const faults: readonly (readonly [name: string, from: string, to: string])[] = [
  ["a lost sticky bit", "sticky | (bottom << zeros)", "bottom << zeros"],
  ["a lost sticky word", "below |= two_before;", ""],
  ["a lost carry", "| select(0u, 1u, whole < partial)", ""],
  ["a lost carry of a sum", "select(0u, 1u, partial < a[word])", "0u"],
  ["a lost carry of a magnitude", "carry &= select(0u, 1u, magnitude == 0u);", "carry = 0u;"],
  ["a lost borrow of an item", "carry &= select(0u, 1u, first_word == 0u);", "carry = 0u;"],
  ["a lost sign", "lead.is_negative)", "false)"],
  [
    "a lost sign above the item",
    "select(third_word, mask, word > first + 2u)",
    "select(third_word, 0u, word > first + 2u)",
  ],
  ["ties away from zero", "& 1u) != 0u || rest != 0u)", "& 1u) != 2u || rest != 0u)"],
  [
    "a lost -0",
    "select(EXACT_SEEN_OTHERS, EXACT_SEEN_MINUS_ZERO, is_zero && parts.is_negative)",
    "EXACT_SEEN_OTHERS",
  ],
  [
    "infinities that do not meet",
    "(a[EXACT_WORDS - 1u] | b[EXACT_WORDS - 1u]) & EXACT_SEEN",
    "max(a[EXACT_WORDS - 1u] & EXACT_SEEN, b[EXACT_WORDS - 1u] & EXACT_SEEN)",
  ],
];
/** Those that no sum of f16 meets, since all of it is in the 64 bits that it is rounded from. */
const inLongSums = ["a lost sticky bit", "a lost sticky word", "a lost sign above the item"];
const ofFloats = floats.flatMap((float) =>
  faults
    .filter(([name]) => float.type.name !== "f16" || !inLongSums.includes(name))
    .map(([name, from, to]) => ({ float, name, from, to })),
);
test.each(ofFloats)("$float.type.name: $name is noticed", async ({ float, from, to }) => {
  let found = 0;
  const code = kernelOf(float, (text) => {
    found += text.split(from).length - 1;
    return text.replaceAll(from, to);
  });
  expect(found).toBe(1);
  const run = await compileKernel(fold().device, code);
  expect((await differing(float, run)).length).toBeGreaterThan(0);
});
