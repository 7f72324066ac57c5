import { ArgumentError } from "../src/errors.ts";

/** `2^20`, or a number that is no power of two. */
export const formatLength = (length: number): string =>
  Number.isInteger(Math.log2(length)) ? `2^${Math.log2(length)}` : String(length);

const MOST_POWER = 31;

const UNITS: Readonly<Record<string, number>> = { "": 1, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** A number of elements: `1000003`, `64Ki`, `2^16`. It is undefined if the text is none. */
function parseLength(text: string): number | undefined {
  const power = /^2\^(\d{1,2})$/.exec(text);
  if (power !== null) {
    return 2 ** Number(power[1]);
  }
  const [, digits = "", unit = ""] = /^(\d{1,10})(Ki|Mi|Gi)?$/.exec(text) ?? [];
  return digits === "" ? undefined : Number(digits) * (UNITS[unit] ?? 1);
}

/**
 * Numbers of elements from text: `1000003`, `64Ki` (64 × 2^10), `16Mi`, `1Gi`, `2^20`, and ranges of powers of two, such as
 * `1Ki..256Mi`.
 *
 * @throws {ArgumentError} for what means no length.
 */
export function parseSizes(text: string): number[] {
  const wrong = (part: string, why: string): ArgumentError =>
    new ArgumentError(
      `sizes: "${part}" ${why}; it takes numbers of elements from 1 to 2Gi (1000003, 64Ki, 16Mi, 2^20) and ranges of powers of two (1Ki..256Mi), divided by commas`,
    );
  const sizes = text.split(",").flatMap((given): number[] => {
    const part = given.trim();
    const ends = part.split("..").map((one) => parseLength(one));
    const [from, to = from] = ends;
    if (from === undefined || to === undefined || ends.length > 2 || ends.includes(undefined)) {
      throw wrong(part, "is no size");
    }
    if (from < 1 || to > 2 ** MOST_POWER) {
      throw wrong(part, from < 1 ? "has no elements" : "is too large");
    }
    if (ends.length === 1) {
      return [from];
    }
    const [first, last] = [Math.log2(from), Math.log2(to)];
    if (!Number.isInteger(first) || !Number.isInteger(last) || first > last) {
      throw wrong(part, "is no range of powers of two");
    }
    return Array.from({ length: last - first + 1 }, (_, at) => 2 ** (first + at));
  });
  return [...new Set(sizes)].sort((a, b) => a - b);
}
