import { test } from "vitest";
import { check } from "./arithmetic.ts";
import type { Exact } from "./rationals.ts";
import { compared, decoded, f32, floored, fraction, product, rounded, sum, whole } from "./rationals.ts";
import { pairsOf, randomWord, specialFloats } from "./special_words.ts";

const fields = [
  { name: "snorm8", isSigned: true, bits: 8, steps: 127n },
  { name: "unorm8", isSigned: false, bits: 8, steps: 255n },
  { name: "snorm16", isSigned: true, bits: 16, steps: 32767n },
  { name: "unorm16", isSigned: false, bits: 16, steps: 65535n },
] as const;

const half = fraction(false, 1n, 2n);

/** floor(0.5 + steps · x), where x is held between the least and 1. NaN is taken for the least. */
function field(x: Exact, least: Exact, steps: bigint): bigint {
  const isBelow = x.kind === "NaN" || (compared(x, least) ?? 0) < 0;
  const held = isBelow ? least : (compared(x, whole(1n)) ?? 0) > 0 ? whole(1n) : x;
  const result = floored(sum(half, product(whole(steps), held)));
  return result.kind === "finite" ? (result.isNegative ? -result.n : result.n) : 0n;
}

test.each(fields)("f32 becomes $name", ({ name, isSigned, bits, steps }) => {
  const next = randomWord("f32", name);
  // Around the middles between two steps, too: (2i + 1) / (2 · steps).
  const middles = Array.from({ length: 300 }, (_, at) =>
    rounded(fraction(at % 2 === 0, BigInt(2 * at + 1), 2n * steps), f32),
  ).flatMap((middle) => [middle - 1, middle, middle + 1]);
  for (const a of [...specialFloats.f32, ...middles, ...Array.from({ length: 2000 }, next)]) {
    const expected = field(decoded(a, f32), whole(isSigned ? -1n : 0n), steps);
    check(`f32_to_${name}`, [a], Number(BigInt.asUintN(bits, expected)));
  }
});

test.each(fields)("$name becomes the nearest f32", ({ name, isSigned, bits, steps }) => {
  for (let at = 0; at < 2 ** bits; at++) {
    const value = isSigned ? BigInt.asIntN(bits, BigInt(at)) : BigInt(at);
    const held = value < -steps ? -steps : value;
    const expected = rounded(fraction(held < 0n, held < 0n ? -held : held, steps), f32);
    check(`${name}_to_f32`, [Number(value)], expected);
  }
});

test("products of bytes are added", () => {
  const bytesOf = (word: number): readonly bigint[] =>
    [0n, 8n, 16n, 24n].map((shift) => (BigInt.asUintN(32, BigInt(word)) >> shift) & 0xffn);
  const dot = (a: number, b: number, byte: (bits: bigint) => bigint): number =>
    bytesOf(a).reduce((total, bits, at) => total + Number(byte(bits) * byte(bytesOf(b)[at] ?? 0n)), 0);
  for (const [a, b] of pairsOf("u32", "bytes", 2000)) {
    check("dot4_u8", [a, b], dot(a, b, BigInt));
    check(
      "dot4_i8",
      [a, b],
      dot(a, b, (bits) => BigInt.asIntN(8, bits)),
    );
  }
});
