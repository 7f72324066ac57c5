import { settable, valuesOf } from "../algebra/array_values.ts";
import { arrayOver } from "../algebra/arrays.ts";
import type { Scalar, ScalarType } from "../algebra/types.ts";
import { dtypes } from "./dtypes.ts";
import { UsageError } from "./errors.ts";
import type { Input, Target } from "./files.ts";
import { formatValue, parseValue } from "./format.ts";
import type { ElementSource } from "./npy.ts";
import { requireNoHeader } from "./npy.ts";

/** Bytes of text that are read at once. */
const PIECE_BYTES = 2 ** 16;
/** The longest double in decimal digits has some 1100 characters. */
const MOST_CHARACTERS = 4096;
const SPACE = /[ \t\r\n]+/;

/**
 * Elements that come as text, as {@link formatValue} writes them or Python does, divided by white space.
 *
 * @throws {UsageError} in `fill`, for a text that is no value of the type.
 */
export function openText(input: Input, type: ScalarType): ElementSource {
  const words = wordsOf(input);
  let count = 0;
  return {
    type,
    dtype: dtypes[type.name],
    shape: undefined,
    size: undefined,
    async fill(bytes) {
      const data = new ArrayBuffer(bytes.length);
      const elements = settable(arrayOver(type, data), type);
      const room = bytes.length / type.bytes;
      let filled = 0;
      while (filled < room) {
        const { done, value } = await words.next();
        if (done) {
          break;
        }
        count++;
        elements.set(filled++, parseValue(value, type, `${input.path}: value ${count}`, "the elements are"));
      }
      bytes.set(new Uint8Array(data, 0, filled * type.bytes));
      return filled * type.bytes;
    },
  };
}

async function* wordsOf(input: Input): AsyncGenerator<string, void> {
  const bytes = new Uint8Array(PIECE_BYTES);
  let isStart = true;
  // No number has a byte outside ASCII. In an error, each such byte is one character.
  const decoder = new TextDecoder("latin1");
  let left = "";
  for (let filled = PIECE_BYTES; filled === PIECE_BYTES; ) {
    filled = await input.fill(bytes);
    const read = bytes.subarray(0, filled);
    const text = decoder.decode(isStart ? plainBytes(read, input.path) : read);
    isStart = false;
    const words = (left + text).split(SPACE);
    left = words.pop() ?? "";
    if (left.length > MOST_CHARACTERS) {
      throw new UsageError(
        `${input.path}: a word has more than ${MOST_CHARACTERS} characters, and no value has`,
      );
    }
    yield* words.filter((word) => word !== "");
  }
  if (left !== "") {
    yield left;
  }
}

/**
 * The start of a text, without the byte order mark of UTF-8.
 *
 * @throws {UsageError} for what is no text of this kind.
 */
function plainBytes(bytes: Uint8Array, path: string): Uint8Array {
  requireNoHeader(bytes, path, "--text");
  const [first, second, third] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new UsageError(`${path}: this text is UTF-16; --text takes UTF-8: save it as that`);
  }
  return first === 0xef && second === 0xbb && third === 0xbf ? bytes.subarray(3) : bytes;
}

/** A place for elements that go out as text, one a line. */
export const textTarget = (target: Target, type: ScalarType): Target => {
  const linesOf = (bytes: Uint8Array): Uint8Array => {
    const data = Uint8Array.from(bytes).buffer;
    const value = valuesOf(arrayOver(type, data), type);
    const lines = Array.from(
      { length: bytes.length / type.bytes },
      (_, index) => `${formatValue(value(index) as Scalar, type)}\n`,
    );
    return new TextEncoder().encode(lines.join(""));
  };
  return {
    write: (bytes) => target.write(linesOf(bytes)),
    writeBy: (work) =>
      target.writeBy((output) => work({ ...output, write: (bytes) => output.write(linesOf(bytes)) })),
  };
};
