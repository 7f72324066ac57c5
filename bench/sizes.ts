import { ArgumentError } from "../src/errors.ts";

/** `2^20`, or a number that is no power of two. */
export const formatLength = (length: number): string =>
  Number.isInteger(Math.log2(length)) ? `2^${Math.log2(length)}` : String(length);

const MOST_POWER = 31;

/**
 * Lengths from text: `10..28` and `20` are powers of two, numbers from 32 up are lengths.
 *
 * @throws {ArgumentError} for what means no length.
 */
export function parseSizes(text: string): number[] {
  const wrong = (part: string, why: string): ArgumentError =>
    new ArgumentError(
      `sizes: "${part}" ${why}; it takes exponents of two to ${MOST_POWER} (20), ranges of them (10..28) and lengths (1000003), divided by commas`,
    );
  const sizes = text.split(",").flatMap((given): number[] => {
    const part = given.trim();
    const range = /^(\d{1,2})\.\.(\d{1,2})$/.exec(part);
    if (range !== null) {
      const [from, to] = [Number(range[1]), Number(range[2])];
      if (from > to || to > MOST_POWER) {
        throw wrong(part, "is no range of exponents");
      }
      return Array.from({ length: to - from + 1 }, (_, at) => 2 ** (from + at));
    }
    const number = /^(2\^)?(\d{1,10})$/.exec(part);
    if (number === null) {
      throw wrong(part, "is no size");
    }
    const value = Number(number[2]);
    if (number[1] !== undefined && value > MOST_POWER) {
      throw wrong(part, "is too large");
    }
    return [value <= MOST_POWER ? 2 ** value : value];
  });
  return [...new Set(sizes)].sort((a, b) => a - b);
}
