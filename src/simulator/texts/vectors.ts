import type { Float, Operand } from "./operand.ts";
import { eachWord, floatOf, scalarOf, wordAt } from "./operand.ts";
import { binaryText, unaryText } from "./operators.ts";

// Functions of whole vectors: https://www.w3.org/TR/WGSL/#numeric-builtin-functions, #logical-builtin-functions

type WordsText = (...operands: Operand[]) => readonly string[];

const joinedBy = (words: readonly string[], operator: string): string =>
  words.length === 1 ? (words[0] ?? "") : `(${words.join(` ${operator} `)})`;

/** The sum of floats, rounded after each addition, from the first one on. */
export const floatSum = (type: Float, terms: readonly string[]): string =>
  terms.reduce((sum, term) => `${type}_add(${sum}, ${term})`);

/** The sum of the products of words. Four products of 32 bits fit into a number with room to spare. */
export function dotText(a: Operand, b: Operand): string {
  const scalar = scalarOf(a.type);
  const products = a.words.map((word, index) => binaryText("*", scalar, word, wordAt(b, index)));
  return scalar === "f32" || scalar === "f16" ? floatSum(scalar, products) : `(${products.join(" + ")} | 0)`;
}

function lengthText(type: Float, words: readonly string[]): string {
  const [first = ""] = words;
  return words.length === 1
    ? `(${first} & ${type === "f32" ? 2147483647 : 32767})`
    : `${type}_sqrt(${floatSum(
        type,
        words.map((word) => `${type}_squared(${word})`),
      )})`;
}

function differences(a: Operand, b: Operand): readonly string[] {
  return a.words.map((word, index) => `${floatOf(a.type)}_sub(${word}, ${wordAt(b, index)})`);
}

function crossWords(a: Operand, b: Operand): readonly string[] {
  const type = floatOf(a.type);
  return eachWord(3, (index) => {
    const [next, last] = [(index + 1) % 3, (index + 2) % 3];
    const [plus, minus] = [
      [next, last],
      [last, next],
    ].map(([i = 0, j = 0]) => `${type}_mul(${wordAt(a, i)}, ${wordAt(b, j)})`);
    return `${type}_sub(${plus}, ${minus})`;
  });
}

function faceForwardWords(a: Operand, b: Operand, c: Operand): readonly string[] {
  const type = floatOf(a.type);
  const isAgainst = `${type}_lt(${dotText(b, c)}, 0)`;
  return a.words.map((word) => `(${isAgainst} !== 0 ? ${word} : ${unaryText("-", type, word)})`);
}

/** The words of two functions of each component, one function after the other: what modf and frexp give as structs. */
function pairWords(a: Operand, names: readonly [string, string]): readonly string[] {
  const type = floatOf(a.type);
  return names.flatMap((name) => a.words.map((word) => `${type}_${name}(${word})`));
}

interface Row {
  readonly count: number;
  readonly text: WordsText;
}

const rows: Readonly<Record<string, Row>> = {
  all: { count: 1, text: (a) => [joinedBy(a.words, "&")] },
  any: { count: 1, text: (a) => [joinedBy(a.words, "|")] },
  cross: { count: 2, text: crossWords },
  distance: { count: 2, text: (a, b) => [lengthText(floatOf(a.type), differences(a, b))] },
  dot: { count: 2, text: (a, b) => [dotText(a, b)] },
  dot4I8Packed: { count: 2, text: (a, b) => [`dot4_i8(${wordAt(a, 0)}, ${wordAt(b, 0)})`] },
  dot4U8Packed: { count: 2, text: (a, b) => [`dot4_u8(${wordAt(a, 0)}, ${wordAt(b, 0)})`] },
  faceForward: { count: 3, text: faceForwardWords },
  frexp: { count: 1, text: (a) => pairWords(a, ["frexp_fract", "frexp_exp"]) },
  length: { count: 1, text: (a) => [lengthText(floatOf(a.type), a.words)] },
  modf: { count: 1, text: (a) => pairWords(a, ["modf_fract", "trunc"]) },
  normalize: {
    count: 1,
    text: (a) => {
      const type = floatOf(a.type);
      return a.words.map((word) => `${type}_div(${word}, ${lengthText(type, a.words)})`);
    },
  },
  reflect: {
    count: 2,
    text: (a, b) =>
      a.words.map(
        (word, index) => `${floatOf(a.type)}_reflect(${word}, ${wordAt(b, index)}, ${dotText(b, a)})`,
      ),
  },
  refract: {
    count: 3,
    text: (a, b, ratio) =>
      a.words.map(
        (word, index) =>
          `${floatOf(a.type)}_refract(${word}, ${wordAt(b, index)}, ${wordAt(ratio, 0)}, ${dotText(b, a)})`,
      ),
  },
} satisfies Readonly<Record<string, Row>>;

/** The words of a function of whole vectors; undefined if it is none of these. */
export function ofVectors(name: string, operands: readonly Operand[]): readonly string[] | undefined {
  const found = Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (found !== undefined && operands.length !== found.count) {
    throw new TypeError(`${name} takes ${found.count} operands, and here are ${operands.length}`);
  }
  return found?.text(...operands);
}
