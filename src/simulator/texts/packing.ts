import { eachWord } from "./operand.ts";

// https://www.w3.org/TR/WGSL/#pack-builtin-functions, #unpack-builtin-functions

/** How components become fields of one word, or fields of a word components. */
type Field = (word: string) => string;

/** Fields of one width, from the lowest on. */
const joined = (words: readonly string[], bits: number, field: Field): string =>
  `(${words.map((word, index) => (index === 0 ? field(word) : `${field(word)} << ${bits * index}`)).join(" | ")})`;

const packed: Readonly<Record<string, { readonly count: number; readonly field: Field }>> = {
  pack4x8snorm: { count: 4, field: (a) => `f32_to_snorm8(${a})` },
  pack4x8unorm: { count: 4, field: (a) => `f32_to_unorm8(${a})` },
  pack4xI8: { count: 4, field: (a) => `(${a} & 255)` },
  pack4xU8: { count: 4, field: (a) => `(${a} & 255)` },
  pack4xI8Clamp: { count: 4, field: (a) => `(i32_clamp(${a}, -128, 127) & 255)` },
  pack4xU8Clamp: { count: 4, field: (a) => `u32_min(${a}, 255)` },
  pack2x16snorm: { count: 2, field: (a) => `f32_to_snorm16(${a})` },
  pack2x16unorm: { count: 2, field: (a) => `f32_to_unorm16(${a})` },
  pack2x16float: { count: 2, field: (a) => `f32_to_f16(${a})` },
} satisfies Readonly<Record<string, { readonly count: number; readonly field: Field }>>;

interface Unpacked {
  readonly count: number;
  readonly isSigned: boolean;
  readonly component: Field;
}

const unpacked: Readonly<Record<string, Unpacked>> = {
  unpack4x8snorm: { count: 4, isSigned: true, component: (a) => `snorm8_to_f32(${a})` },
  unpack4x8unorm: { count: 4, isSigned: false, component: (a) => `unorm8_to_f32(${a})` },
  unpack4xI8: { count: 4, isSigned: true, component: (a) => `(${a})` },
  unpack4xU8: { count: 4, isSigned: false, component: (a) => `(${a})` },
  unpack2x16snorm: { count: 2, isSigned: true, component: (a) => `snorm16_to_f32(${a})` },
  unpack2x16unorm: { count: 2, isSigned: false, component: (a) => `unorm16_to_f32(${a})` },
  unpack2x16float: { count: 2, isSigned: false, component: (a) => `f16_to_f32(${a})` },
} satisfies Readonly<Record<string, Unpacked>>;

/** A field of a word, as an integer. */
function fieldText(word: string, bits: number, index: number, isSigned: boolean): string {
  const above = 32 - bits * (index + 1);
  if (isSigned) {
    return above === 0 ? `${word} >> ${32 - bits}` : `${word} << ${above} >> ${32 - bits}`;
  }
  return above === 0 ? `${word} >>> ${32 - bits}` : `${word} >>> ${bits * index} & ${2 ** bits - 1}`;
}

/** The words of a call of pack… or unpack…; undefined if it is none of these. */
export function packing(name: string, words: readonly string[]): readonly string[] | undefined {
  const pack = Object.hasOwn(packed, name) ? packed[name] : undefined;
  if (pack !== undefined) {
    requireWords(name, pack.count, words);
    return [joined(words, 32 / pack.count, pack.field)];
  }
  const unpack = Object.hasOwn(unpacked, name) ? unpacked[name] : undefined;
  if (unpack === undefined) {
    return undefined;
  }
  requireWords(name, 1, words);
  const { count, isSigned, component } = unpack;
  return eachWord(count, (index) => component(fieldText(words[0] ?? "", 32 / count, index, isSigned)));
}

function requireWords(name: string, count: number, words: readonly string[]): void {
  if (words.length !== count) {
    throw new TypeError(
      `${name} takes ${count === 1 ? "a word" : `${count} components`}, and here are ${words.length}`,
    );
  }
}
