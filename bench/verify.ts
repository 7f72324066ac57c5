import type { Source } from "./buffers.ts";
import type { BenchTypeName, OperatorName, ReadBack, Values } from "./elements.ts";
import {
  benchTypes,
  CHUNK,
  decode,
  elementsOf,
  firstDifference,
  format,
  keptOf,
  referenceScan,
  room,
  wordsOf,
} from "./elements.ts";

/** What a result is a result of. */
export interface Question {
  readonly type: BenchTypeName;
  readonly op: OperatorName;
  readonly length: number;
}

/** Where the results lie. */
export interface Answer {
  readonly output: Source;
  /** A compaction's: how many it kept. */
  readonly count?: Source;
}

/**
 * Compares every element with the CPU's. Each of these answers what is wrong, or nothing.
 *
 * @param first - how many elements were copied; left out: all of them.
 */
export async function verifyCopy(
  { type, op, length }: Question,
  answer: Answer,
  first = length,
): Promise<string | undefined> {
  const elements = elementsOf(type, op, length);
  let left = first;
  return compareAll(type, answer, () => {
    const chunk = left > 0 ? elements.next() : undefined;
    if (chunk === undefined) {
      return undefined;
    }
    const count = Math.min(chunk.count, left);
    left -= count;
    return { values: chunk.values, count };
  });
}

/** See {@link verifyCopy}. */
export async function verifyScan(
  { type, op, length, exclusive }: Question & { readonly exclusive: boolean },
  answer: Answer,
): Promise<string | undefined> {
  const elements = elementsOf(type, op, length);
  const reference = referenceScan(type, op, exclusive);
  const values = room(type);
  return compareAll(type, answer, () => {
    const chunk = elements.next();
    if (chunk === undefined) {
      return undefined;
    }
    reference.scan(chunk, values);
    return { values, count: chunk.count };
  });
}

/** See {@link verifyCopy}. */
export async function verifyReduce(
  { type, op, length }: Question,
  answer: Answer,
): Promise<string | undefined> {
  const elements = elementsOf(type, op, length);
  const reference = referenceScan(type, op, false);
  const values = room(type);
  for (let chunk = elements.next(); chunk !== undefined; chunk = elements.next()) {
    reference.scan(chunk, values);
  }
  const expected = reference.total();
  const actual = decode(type, await readStart(answer.output, benchTypes[type].type.bytes));
  const wrong = firstDifference(actual, expected, wordsOf(type));
  const all = (values: ReadBack): string => [...values].map((value) => format(type, value)).join(" ");
  return wrong < 0 ? undefined : `it is ${all(actual)}, and the CPU has ${all(expected)}`;
}

/** See {@link verifyCopy}. */
export async function verifyCompact(
  { type, op, length, indices }: Question & { readonly indices: boolean },
  answer: Answer,
): Promise<string | undefined> {
  const elements = elementsOf(type, op, length);
  const outputType = indices ? "u32" : type;
  const values = room(outputType);
  let first = 0;
  let total = 0;
  const wrong = await compareAll(outputType, answer, () => {
    const chunk = elements.next();
    if (chunk === undefined) {
      return undefined;
    }
    const count = keptOf(type, chunk, first, indices, values);
    first += chunk.count;
    total += count;
    return { values, count };
  });
  if (wrong !== undefined || answer.count === undefined) {
    return wrong;
  }
  const kept = new Uint32Array((await readStart(answer.count, 4)).buffer)[0];
  return kept === total ? undefined : `it says that ${kept} are kept, and the CPU keeps ${total}`;
}

/** Reads the output back beside chunks of what it should be. */
async function compareAll(
  type: BenchTypeName,
  { output }: Answer,
  next: () => { readonly values: Values; readonly count: number } | undefined,
): Promise<string | undefined> {
  const words = wordsOf(type);
  const { bytes } = benchTypes[type].type;
  const block = new Uint8Array(CHUNK * bytes);
  const reader = output();
  let first = 0;
  try {
    for (let expected = next(); expected !== undefined; expected = next()) {
      const own = block.subarray(0, expected.count * bytes);
      await reader.read(own);
      const actual = decode(type, own);
      const wrong = firstDifference(actual, expected.values, expected.count * words);
      if (wrong >= 0) {
        const word = words === 1 ? "" : `, word ${wrong % words}`;
        return `element ${first + Math.floor(wrong / words)}${word} is ${format(type, actual[wrong])}, and the CPU has ${format(type, expected.values[wrong])}`;
      }
      first += expected.count;
    }
    return undefined;
  } finally {
    reader.destroy();
  }
}

async function readStart(source: Source, bytes: number): Promise<Uint8Array> {
  const into = new Uint8Array(bytes);
  const reader = source();
  await reader.read(into);
  reader.destroy();
  return into;
}
