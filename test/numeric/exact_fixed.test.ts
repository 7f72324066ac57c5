import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { exactFormats } from "../../src/algebra/exact_sums.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { linkSources } from "../../src/text/link.ts";
import { generated } from "../../src/text/source.ts";
import type { RunKernel } from "../support/buffers.ts";
import { compileKernel } from "../support/buffers.ts";
import { bitsOf } from "../support/compare.ts";
import type { FloatRow } from "../support/exact_sums.ts";
import { awkwardSums, floats, floatsOf, spreadItems, wordsOfRows } from "../support/exact_sums.ts";
import { useFold } from "../support/fold.ts";
import { asItems } from "../support/results.ts";

// Sums in fixed point by themselves, on bits, of items whose binades fit: so f16 is tested without the feature, too.

const fold = useFold();
const read = (name: string): string =>
  readFileSync(new URL(`../../shaders/exact/${name}.wgsl`, import.meta.url), "utf8");

/** Items of a row. */
const MOST = 8;
const shapes = {
  f16: { words: 2, span: 32, binades: 31, tie: [2048, 1, 2 ** -24] },
  f32: { words: 3, span: 39, binades: 40, tie: [1, 2 ** -24, 2 ** -38] },
  f64: { words: 5, span: 74, binades: 75, tie: [1, 2 ** -53, 2 ** -70] },
} as const;

/** How the items of a row are added up: see the shaders of these names. */
type Run = "run_any" | "run_float" | "run_double";

/** A kernel that adds up each row: the number of its items, and the two words of each. 2 says that the row does not fit. */
function kernelOf(
  { type, fraction, exponent }: FloatRow,
  change: (text: string) => string,
  run: Run = "run_any",
): string {
  const isDouble = type.name === "f64";
  const { words, span } = shapes[type.name];
  const bits = isDouble ? "vec2<u32>(low, high)" : "low + (high & 0u)";
  const sources = [
    `const EXACT_WORDS = ${exactFormats[type.name].words}u;
    const EXACT_FRACTION = ${fraction}u;
    const EXACT_MOST = ${2 ** exponent - 1}u;
    const FIXED_WORDS = ${words}u;
    const FIXED_SPAN = ${span}u;
    const ITEMS = ${MOST}u;`,
    read(isDouble ? "double" : "float"),
    change(read("fixed")),
    change(read(isDouble ? "double_items" : "float_items")),
    change(read(run)),
    `@group(0) @binding(0) var<storage, read_write> rows: array<u32>;
    @group(0) @binding(1) var<storage, read_write> sums: array<vec3<u32>>;
    @compute @workgroup_size(1)
    fn main(@builtin(workgroup_id) group: vec3<u32>) {
      let first = group.x * ${2 * MOST + 1}u;
      var least = 0xffffffffu;
      var most = 0u;
      for (var item = 0u; item < rows[first]; item++) {
        let low = rows[first + 1u + 2u * item];
        let high = rows[first + 2u + 2u * item];
        let key = key_of_float(${bits});
        least = min(least, key - 1u);
        most = max(most, key);
      }
      let base = base_of_keys(least, most);
      if (base == NO_BASE || most >> KEY_FRACTION == KEY_MOST) {
        sums[group.x] = vec3<u32>(0u, 0u, 2u);
        return;
      }
      var items: array<FloatBits, ITEMS>;
      for (var item = 0u; item < rows[first]; item++) {
        let low = rows[first + 1u + 2u * item];
        let high = rows[first + 2u + 2u * item];
        items[item] = ${bits};
      }
      let sum = add_run(Fixed(), items, base);
      let found = float_from_fixed(sum, 0u, base).bits;
      sums[group.x] = vec3<u32>(${isDouble ? "found" : "found, 0u"}, 1u);
    }`,
  ];
  // The files of exact sums may replace names of each other.
  const named = sources.map((text) => ({ ...generated(text), name: "shaders/exact/fixed.wgsl" }));
  return linkSources(named, "main").code;
}

/** Rows of items: around the widest that fits, from the lowest places to the highest. */
const rowsOf = (float: FloatRow): ReturnType<typeof floatsOf>[] => {
  const { binades, tie } = shapes[float.type.name];
  const all = 2 ** float.exponent - 1;
  return [
    ...awkwardSums(float).map((values) => floatsOf(float, values)),
    // What breaks a tie is far below it.
    ...[1, -1].map((sign) =>
      floatsOf(
        float,
        tie.map((one) => sign * one),
      ),
    ),
    // The widest that fits, and one place more, with all bits of the greatest item.
    ...[1, -1].flatMap((sign) =>
      [binades - 1, binades].map((place) =>
        floatsOf(
          float,
          Array(MOST - 1)
            .fill(sign * (2 - 2 ** -float.fraction) * 2 ** (place - 10))
            .concat(sign * 2 ** -10),
        ),
      ),
    ),
    // All bits of an item, at each place above the lowest one.
    ...[1, -1].flatMap((sign) =>
      Array.from({ length: Math.min(binades, all - 1) }, (_, place) =>
        floatsOf(float, [
          ...Array(MOST - 1).fill(sign * (2 - 2 ** -float.fraction) * 2 ** (place - 10)),
          -sign * 2 ** -10,
        ]),
      ),
    ),
    ...[1, 3, 20, Math.min(binades, all), Math.min(binades + 1, all)].flatMap((spread) =>
      Array.from({ length: 60 }, (_, at) => {
        const places = all - spread;
        const from = at % 3 === 0 ? 0 : at % 3 === 1 ? places : (at * 7) % (places + 1);
        return spreadItems(float, 1 + (at % MOST), `${spread} ${at}`, spread, from);
      }),
    ),
  ];
};

/** The rows whose sum is not the reference's, and how many rows fit. */
async function differing(float: FloatRow, run: RunKernel): Promise<{ wrong: string[]; fitting: number }> {
  const { type } = float;
  const given = rowsOf(float);
  const words = wordsOfRows(given, MOST);
  const [, sums = new Uint32Array()] = await run([words, new Uint32Array(given.length * 4)], given.length);
  let fitting = 0;
  const wrong = given.flatMap((row, at) => {
    if (sums[4 * at + 2] === 2) {
      return [];
    }
    fitting++;
    const found = BigInt(sums[4 * at] ?? 0) | (BigInt(sums[4 * at + 1] ?? 0) << 32n);
    const total = reduceReference(row, { op: exactAdd, type } as never) as number;
    // A tile of nothing but -0 goes another way.
    const expected = BigInt(bitsOf(asItems(type, total === 0 ? 0 : total))[0] ?? 0);
    return found === expected
      ? []
      : [`${Array.from(row as Float64Array).join(" + ")}: 0x${found.toString(16)}`];
  });
  return { wrong, fitting };
}

/** How each type's items are added up in digits, if they are. */
const runsInDigits = { f32: "run_float", f64: "run_double" } as const;
const inDigits = ({ type }: FloatRow): Run[] => (type.name === "f16" ? [] : [runsInDigits[type.name]]);

const runs = floats.flatMap((float) =>
  (["run_any", ...inDigits(float)] as const).map((run) => ({ float, run })),
);
test.each(runs)(
  "$float.type.name, $run: sums that fit have the reference's bits",
  async ({ float, run: by }) => {
    const run = await compileKernel(
      fold().device,
      kernelOf(float, (text) => text, by),
    );
    const { wrong, fitting } = await differing(float, run);
    expect(wrong).toEqual([]);
    expect(fitting).toBeGreaterThan(200);
  },
);

/** Faults: what stands in the shaders, and what it becomes. f64 has texts of its own. */
const faults: readonly (readonly [name: string, from: string, to: string, doubles?: boolean])[] = [
  ["a lost sticky bit", "(top & (2u * HALF)) | sticky", "(top & (2u * HALF))", false],
  ["a lost sticky bit", "& 0xbffu) | sticky)", "& 0xbffu))", true],
  ["a lost carry of a sum", "select(0u, 1u, partial < b[word])", "0u"],
  ["a lost carry of a carry", " + select(0u, 1u, whole < carry)", ""],
  ["a lost sign", "(select(0u, 1u, rounds_up) ^ (sign & 1u))", "select(0u, 1u, rounds_up)", false],
  ["a lost sign", "select(0u, 1u, rounds_up) ^ (sign & 1u)", "select(0u, 1u, rounds_up)", true],
  ["a span of one place more", "base + FIXED_SPAN", "base + FIXED_SPAN + 1u"],
  ["subnormals of one place more", "place < EXACT_FRACTION) {", "place <= EXACT_FRACTION + 1u) {", false],
];
const faultsOfDigits: Readonly<
  Record<string, readonly (readonly [name: string, from: string, to: string])[]>
> = {
  run_float: [
    ["a lost sign of the low digit", "sign_of(a), sign_of(a)", "0u, 0u"],
    ["a lost sign of the middle digit", ", sign_of(b)", ", 0u"],
    ["a lost upper part of the middle digit", "bitcast<u32>(middle >> 10u)", "sign_of(b)"],
    ["a lost upper part of the high digit", "bitcast<u32>(high >> 20u)", "0u"],
    ["a zero that counts", "select(scaled, 0u, (own[item] & 0x7f800000u) == 0u)", "scaled"],
    ["subnormals by conversions", "base == 0u", "base > 254u"],
  ],
  run_double: [
    ["a lost sign of an item", "(bitcast<i32>(high) >> 31u) | 1", "1"],
    ["a lost carry of the lowest digit", "b += a >> 26u;", ""],
    ["a lost carry of the middle digit", "d += c >> 26u;", ""],
    ["a lost carry of the highest digit", "bitcast<u32>(e >> 24u)", "0u"],
    ["lost bits in the lowest digit", "(lower << left) & DIGIT", "0u"],
    ["lost bits in the highest digit of an item", "second * parts.z + third * parts.y", "third * parts.y"],
    [
      "subnormals with a hidden bit",
      "min(exponent, 1u);\n    let place = max(exponent, base + 1u)",
      "1u;\n    let place = max(exponent, base + 1u)",
    ],
  ],
};
const ofFloats = floats.flatMap((float) =>
  faults
    .filter(([, , , doubles]) => doubles === undefined || doubles === (float.type.name === "f64"))
    // f16 and f64 have room for more places, and sums of f16 have no carry of a carry.
    .filter(([name]) => float.type.name === "f32" || !name.startsWith("a span"))
    .filter(([name]) => float.type.name !== "f16" || name !== "a lost carry of a carry")
    .map(([name, from, to]) => ({ float, name, from, to, by: "run_any" as Run })),
);
for (const float of floats) {
  for (const by of inDigits(float)) {
    ofFloats.push(...(faultsOfDigits[by] ?? []).map(([name, from, to]) => ({ float, name, from, to, by })));
  }
}
test.each(ofFloats)("$float.type.name, $by: $name is noticed", async ({ float, from, to, by }) => {
  let found = 0;
  const change = (text: string): string => {
    found += text.split(from).length - 1;
    return text.replaceAll(from, to);
  };
  const code = kernelOf(float, change, by);
  expect(found).toBe(1);
  const run = await compileKernel(fold().device, code);
  expect((await differing(float, run)).wrong.length).toBeGreaterThan(0);
});
