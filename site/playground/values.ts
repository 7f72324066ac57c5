import type { Scalar } from "../../src/simulator/builtin_texts.ts";
import { f16Number, f16Word } from "../../src/simulator/numbers/words.ts";

/** A list of numbers, of which each may be followed by `*` and how often it stands there. */
const NUMBER =
  /^([-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|0x[\da-f]+|inf(?:inity)?|nan)|true|false)(?:\*(\d+))?$/i;

/** The most numbers of one buffer. */
export const MOST_NUMBERS = 16_384;

/** The numbers of a text such as `3 1 0*14`. @throws {RangeError} that says what is wrong. */
export function numbersOf(text: string, of: string): readonly number[] {
  const numbers: number[] = [];
  for (const word of text.split(/[\s,]+/).filter(Boolean)) {
    const [, number = "", times = "1"] = NUMBER.exec(word) ?? [];
    if (number === "") {
      throw new RangeError(
        `${of} has “${word}”; it takes numbers such as 7, −2.5 or 0x1f, and 0*16 for sixteen zeros`,
      );
    }
    if (numbers.length + Number(times) > MOST_NUMBERS) {
      throw new RangeError(`${of} has more than ${MOST_NUMBERS} numbers, the most that the page shows`);
    }
    for (let time = 0; time < Number(times); time++) {
      numbers.push(numberOf(number.toLowerCase()));
    }
  }
  return numbers;
}

function numberOf(text: string): number {
  if (text === "true" || text === "false") {
    return Number(text === "true");
  }
  return text.includes("inf")
    ? (text.startsWith("-") ? -1 : 1) * Number.POSITIVE_INFINITY
    : text.endsWith("nan")
      ? Number.NaN
      : Number(text);
}

/** Numbers as a text that {@link numbersOf} reads: equal ones that follow each other stand there once. */
export function textOfNumbers(numbers: readonly number[]): string {
  const texts: string[] = [];
  for (let at = 0; at < numbers.length; ) {
    let end = at + 1;
    while (end < numbers.length && Object.is(numbers[end], numbers[at])) {
      end++;
    }
    const number = Object.is(numbers[at], -0) ? "-0" : String(numbers[at]);
    if (end - at > 3) {
      texts.push(`${number}*${end - at}`);
    } else {
      texts.push(...new Array<string>(end - at).fill(number));
    }
    at = end;
  }
  return texts.join(" ");
}

/** The bits of a number of a type. @throws {RangeError} if the type has no such number. */
export function bitsOf(scalar: Scalar, number: number, of: string): number {
  switch (scalar) {
    case "f32":
      return new Uint32Array(Float32Array.of(number).buffer)[0] ?? 0;
    case "f16":
      return f16Word(number);
    case "bool":
      return Number(number !== 0);
    default: {
      const [least, most] = scalar === "i32" ? [-(2 ** 31), 2 ** 31 - 1] : [0, 2 ** 32 - 1];
      if (!Number.isInteger(number) || number < least || number > most) {
        throw new RangeError(`${of} has ${number}, which is no ${scalar}`);
      }
      return number >>> 0;
    }
  }
}

/** Bits as the page shows them. */
export function shown(scalar: Scalar, bits: number): string {
  switch (scalar) {
    case "f32":
      return brief(new Float32Array(Uint32Array.of(bits).buffer)[0] ?? 0);
    case "f16":
      return brief(f16Number(bits));
    case "bool":
      return bits === 0 ? "false" : "true";
    case "i32":
      return String(bits | 0);
    default:
      return String(bits >>> 0);
  }
}

const brief = (number: number): string =>
  Object.is(number, -0) ? "-0" : String(Number.isFinite(number) ? Number(number.toPrecision(6)) : number);
