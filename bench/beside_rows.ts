import { exactAdd } from "../src/algebra/exact_add.ts";
import { f32 } from "../src/algebra/floats.ts";
import { u32 } from "../src/algebra/integers.ts";
import type { Operator } from "../src/algebra/monoid.ts";
import { u8 } from "../src/algebra/narrow_types.ts";
import { add, max, maximum, min, minimum } from "../src/algebra/operators.ts";
import { u64 } from "../src/algebra/types_64.ts";
import type { BufferName, ExpectedWords, Task, TaskFacts } from "./beside_task.ts";
import { bareKernel, recorded } from "./beside_task.ts";
import { createBuffer } from "./buffers.ts";
import { prepareCopy } from "./copy.ts";
import { wordAt, wordsBy, writeWords } from "./words.ts";

/** A task, and its name. */
interface NamedTask {
  readonly name: string;
  readonly task: (facts: TaskFacts) => Promise<Task>;
}

/** A task beside another. */
export interface Row extends NamedTask {
  /** It takes 2^power items. */
  readonly power: number;
  readonly beside: NamedTask;
  /** The most times that the other's time it may take, once `plus` microseconds are taken off. */
  readonly goal: number;
  readonly plus?: number;
  /** The name of the same task on the same data in bench/peers/cub.cu. */
  readonly cub?: "runs" | "sums" | "halves" | "bins" | "equal";
}

/** A position for each index, all different: the lengths are powers of two, and both factors are odd. */
const positionAt = (index: number, length: number): number => {
  let position = Math.imul(index, 2654435761) & (length - 1);
  position ^= position >>> 7;
  return Math.imul(position, 2246822519) & (length - 1);
};

/** What the buffers hold: random words, positions in random order, and two sorted arrays. */
export const BUFFERS: readonly {
  readonly name: BufferName;
  readonly words: (length: number) => number;
  readonly word?: (at: number, length: number) => number;
}[] = [
  { name: "input", words: (length) => length, word: wordAt },
  { name: "other", words: (length) => length, word: positionAt },
  { name: "sorted", words: (length) => length, word: (at) => 2 * at },
  { name: "otherSorted", words: (length) => length, word: (at) => 3 * at },
  // Merges of the longest arrays would not fit in a binding, and are not timed.
  { name: "output", words: (length) => (length < 2 ** 28 ? 2 * length : length) },
  { name: "reordered", words: (length) => (length < 2 ** 28 ? 2 * length : length) },
  { name: "unique", words: (length) => length },
  { name: "words", words: () => 256 },
];

const GREAT = "x > 0xfd70a3d7u";
const isGreat = (word: number): boolean => word > 0xfd70a3d7;

const output = (words: Uint32Array): readonly ExpectedWords[] => [{ from: "output", words }];

const copy: NamedTask = {
  name: "a copy",
  async task({ fold, buffers, length }) {
    const { record } = await prepareCopy(fold.device, buffers.input, buffers.output, 4 * length);
    return { record, writes: ["output"], expected: () => output(wordsBy(length, wordAt)), destroy() {} };
  },
};

const sums = (length: number, at: (index: number) => number): Uint32Array => {
  const words = new Uint32Array(length);
  let sum = 0;
  for (let index = 0; index < length; index++) {
    sum = (sum + wordAt(at(index))) >>> 0;
    words[at(index)] = sum;
  }
  return words;
};

const scanning = (reverse: boolean, exclusive: boolean): NamedTask => ({
  name: `${reverse ? "reverse " : ""}${exclusive ? "exclusive " : ""}scan`,
  task: ({ fold, buffers: { input, output: to }, length }) =>
    recorded(
      fold.prepareScan({ type: u32, exclusive, reverse, maxLength: length }),
      { input, output: to, length },
      ["output"],
      () => {
        const inclusive = sums(length, reverse ? (index) => length - 1 - index : (index) => index);
        return output(exclusive ? inclusive.map((sum, at) => (sum - wordAt(at)) >>> 0) : inclusive);
      },
    ),
});

/** The bytes of the words. */
const byteAt = (at: number): number => (wordAt(at >>> 2) >>> (8 * (at & 3))) & 255;

/** Bytes in the order of memory, as the words that hold them. */
const inWords = (bytes: Uint8Array<ArrayBuffer>): Uint32Array => new Uint32Array(bytes.buffer);

const scanningBytes: NamedTask = {
  name: "scan of u8",
  task: ({ fold, buffers: { input, output: to }, length }) =>
    recorded(
      fold.prepareScan({ type: u32, from: u8, maxLength: length }),
      { input, output: to, length },
      ["output"],
      () => {
        let sum = 0;
        return output(
          wordsBy(length, (at) => {
            sum = (sum + byteAt(at)) >>> 0;
            return sum;
          }),
        );
      },
    ),
};

const summingBytes: NamedTask = {
  name: "reduction of u8",
  task: ({ fold, buffers: { input, words }, length }) =>
    recorded(
      fold.prepareReduce({ type: u32, from: u8, maxLength: length }),
      { input, output: words, length },
      ["words"],
      () => {
        let sum = 0;
        for (let at = 0; at < length; at++) {
          sum = (sum + byteAt(at)) >>> 0;
        }
        return [{ from: "words", words: Uint32Array.of(sum) }];
      },
    ),
};

const compactingBytes: NamedTask = {
  name: "compaction of u8",
  task: ({ fold, buffers: { input, output: to, words }, length }) =>
    recorded(
      fold.prepareCompact({ type: u8, where: "x > 127", maxLength: length }),
      { input, output: to, count: words, length },
      ["output", "words"],
      () => {
        const kept = new Uint8Array(length);
        let count = 0;
        for (let at = 0; at < length; at++) {
          const byte = byteAt(at);
          if (byte > 127) {
            kept[count++] = byte;
          }
        }
        return [
          ...output(inWords(kept).subarray(0, count >>> 2)),
          { from: "words", words: Uint32Array.of(count) },
        ];
      },
    ),
};

/** Whole numbers that f32 holds exactly, so that no conversion rounds. */
const floatAt = (at: number): number => wordAt(at) >>> 8;
const FLOATS = "f32(x >> 8u)";
const extremes = (op: Operator<"f32">): NamedTask => ({
  name: `scan of f32 by ${op.name}`,
  task: ({ fold, buffers: { input, output: to }, length }) =>
    recorded(
      fold.prepareScan({ type: f32, from: u32, map: FLOATS, op, maxLength: length }),
      { input, output: to, length },
      ["output"],
      () => {
        const found = new Float32Array(length);
        const best = op.name.startsWith("min") ? Math.min : Math.max;
        let sofar = floatAt(0);
        for (let at = 0; at < length; at++) {
          sofar = best(sofar, floatAt(at));
          found[at] = sofar;
        }
        return output(new Uint32Array(found.buffer));
      },
    ),
});

const sum: NamedTask = {
  name: "reduction",
  task: ({ fold, buffers: { input, words }, length }) =>
    recorded(
      fold.prepareReduce({ type: u32, maxLength: length }),
      { input, output: words, length },
      ["words"],
      () => [
        { from: "words", words: Uint32Array.of(wordsBy(length, wordAt).reduce((a, b) => (a + b) >>> 0, 0)) },
      ],
    ),
};

const count: NamedTask = {
  name: "count",
  task: ({ fold, buffers: { input, words }, length }) =>
    recorded(
      fold.prepareCount({ type: u32, where: GREAT, maxLength: length }),
      { input, output: words, length },
      ["words"],
      () => [
        {
          from: "words",
          words: Uint32Array.of(wordsBy(length, wordAt).reduce((n, word) => n + Number(isGreat(word)), 0)),
        },
      ],
    ),
};

const finding = (where: "first" | "last", percent: number): NamedTask => ({
  name: `find${where === "first" ? "First" : "Last"}, at ${percent} %`,
  task({ fold, buffers: { input, words }, length }) {
    const at = Math.floor((length * percent) / 100);
    const options = { type: u32, where: `i == ${at}u && x == ${wordAt(at)}u`, maxLength: length };
    return recorded(
      where === "first" ? fold.prepareFindFirst(options) : fold.prepareFindLast(options),
      { input, output: words, length },
      ["words"],
      () => [{ from: "words", words: Uint32Array.of(at < length ? at : 0xffffffff) }],
    );
  },
});

const compacting = (given: "literal" | "params"): NamedTask => ({
  name: given === "params" ? "compaction by a value of params" : "compaction by a literal",
  task: ({ fold, buffers: { input, output: to, words }, length }) =>
    recorded(
      fold.prepareCompact(
        given === "params"
          ? { type: u32, where: "x > limit", params: { limit: u32 }, maxLength: length }
          : { type: u32, where: "x > 0x80000000u", maxLength: length },
      ),
      {
        input,
        output: to,
        count: words,
        length,
        ...(given === "params" && { params: { limit: 0x80000000 } }),
      },
      ["output", "words"],
      () => {
        // `filter` would gather 2^27 words in an array of numbers.
        const kept = new Uint32Array(length);
        let count = 0;
        for (let at = 0; at < length; at++) {
          const word = wordAt(at);
          if (word > 0x80000000) {
            kept[count++] = word;
          }
        }
        return [...output(kept.subarray(0, count)), { from: "words", words: Uint32Array.of(count) }];
      },
    ),
});

const gathered = (length: number): readonly ExpectedWords[] =>
  output(wordsBy(length, (at) => wordAt(positionAt(at, length))));

const gather: NamedTask = {
  name: "gather at random positions",
  task: ({ fold, buffers: { input, other, output: to }, length }) =>
    recorded(
      fold.prepareGather({ type: u32, maxLength: length }),
      { values: input, valuesLength: length, input: other, output: to, length },
      ["output"],
      () => gathered(length),
    ),
};

const bareGather: NamedTask = {
  name: "a bare gather",
  task: (facts) =>
    bareKernel(facts, "gather", "output[index] = input[positions[index]];", () => gathered(facts.length)),
};

const mapping = (isOfTwo: boolean): NamedTask => ({
  name: isOfTwo ? "map of two arrays" : "map",
  task: ({ fold, buffers: { input, other, output: to }, length }) =>
    recorded(
      isOfTwo
        ? fold.prepareMap({ type: u32, with: { y: u32 }, map: "x ^ y", maxLength: length })
        : fold.prepareMap({ type: u32, map: "x * 2u + 1u", maxLength: length }),
      { input, output: to, length, ...(isOfTwo && { with: { y: other } }) },
      ["output"],
      () =>
        output(
          wordsBy(length, (at) =>
            isOfTwo ? (wordAt(at) ^ positionAt(at, length)) >>> 0 : (2 * wordAt(at) + 1) >>> 0,
          ),
        ),
    ),
});

const scattered = (length: number): readonly ExpectedWords[] => {
  const words = new Uint32Array(length);
  for (let at = 0; at < length; at++) {
    words[positionAt(at, length)] = wordAt(at);
  }
  return output(words);
};

const scatter: NamedTask = {
  name: "scatter to random positions",
  task: ({ fold, buffers: { input, other, output: to }, length }) =>
    recorded(
      fold.prepareScatter({ type: u32, maxLength: length, maxOutputLength: length }),
      { input, positions: other, output: to, outputLength: length, length },
      ["output"],
      () => scattered(length),
    ),
};

const bareScatter: NamedTask = {
  name: "a bare scatter",
  task: (facts) =>
    bareKernel(facts, "scatter", "output[positions[index]] = input[index];", () => scattered(facts.length)),
};

/** Positions modulo the number of sums. */
const scatteringSums = (power: number): NamedTask => ({
  name: `scatter with add into 2^${power}`,
  async task({ fold, buffers: { input, other, output: to, reordered }, length }) {
    const sums = Math.min(2 ** power, length);
    const fewer = await fold.prepareMap({ type: u32, map: `x & ${sums - 1}u`, maxLength: length });
    const encoder = fold.device.createCommandEncoder({ label: "bench positions" });
    fewer.record(encoder, { input: other, output: reordered, length });
    fold.device.queue.submit([encoder.finish()]);
    fewer.destroy();
    return recorded(
      fold.prepareScatter({ type: u32, op: add, maxLength: length, maxOutputLength: sums }),
      { input, positions: reordered, output: { buffer: to, size: 4 * sums }, outputLength: sums, length },
      ["output"],
      () => {
        const words = new Uint32Array(sums);
        for (let at = 0; at < length; at++) {
          const position = positionAt(at, length) & (sums - 1);
          words[position] = ((words[position] as number) + wordAt(at)) >>> 0;
        }
        return output(words);
      },
    );
  },
});

const bareSums = (power: number): NamedTask => ({
  name: `bare atomics into 2^${power}`,
  task: (facts) =>
    bareKernel(
      facts,
      `sums of ${power}`,
      `atomicAdd(&output[positions[index] & ${2 ** power - 1}u], input[index]);`,
      // They add to what is there.
      () => [],
    ),
});

const merged = (length: number): { readonly keys: Uint32Array; readonly values: Uint32Array } => {
  const [keys, values] = [new Uint32Array(2 * length), new Uint32Array(2 * length)];
  for (let at = 0, a = 0, b = 0; at < 2 * length; at++) {
    const isFirst = b === length || (a < length && 2 * a <= 3 * b);
    keys[at] = isFirst ? 2 * a : 3 * b;
    values[at] = isFirst ? wordAt(a++) : positionAt(b++, length);
  }
  return { keys, values };
};

const merging = (hasValues: boolean): NamedTask => ({
  name: hasValues ? "merge with values" : "merge",
  task: ({ fold, buffers: { sorted, otherSorted, input, other, output: to, reordered }, length }) =>
    recorded(
      fold.prepareMerge({ type: u32, maxLength: length, ...(hasValues && { values: u32 }) }),
      {
        input: sorted,
        length,
        other: otherSorted,
        otherLength: length,
        output: to,
        ...(hasValues && { values: input, otherValues: other, reordered }),
      },
      hasValues ? ["output", "reordered"] : ["output"],
      () => {
        const { keys, values } = merged(length);
        return [...output(keys), ...(hasValues ? [{ from: "reordered", words: values } as const] : [])];
      },
    ),
});

const intersecting: NamedTask = {
  name: "intersection",
  task: ({ fold, buffers: { sorted, otherSorted, output: to, words }, length }) =>
    recorded(
      fold.prepareIntersection({ type: u32, maxLength: length }),
      { input: sorted, length, other: otherSorted, otherLength: length, output: to, count: words },
      ["output", "words"],
      () => {
        const both = wordsBy(Math.ceil((2 * length) / 6), (at) => 6 * at);
        return [...output(both), { from: "words", words: Uint32Array.of(both.length) }];
      },
    ),
};

/** The positions of a sort. The results of both are compared in the tests. */
const sorting = (keys: "u64" | "two u32"): NamedTask => ({
  name: `argSort by ${keys === "u64" ? "a u64" : "two u32"}`,
  task: ({ fold, buffers: { input, other, output: to }, length }) =>
    keys === "u64"
      ? recorded(
          fold.prepareSort({ type: u64, indices: true, maxLength: length / 2 }),
          { input, output: to, length: length / 2 },
          ["output"],
          () => [],
        )
      : recorded(
          fold.prepareSort({ type: u32, thenBy: u32, indices: true, maxLength: length / 2 }),
          { input, thenBy: other, output: to, length: length / 2 },
          ["output"],
          () => [],
        ),
});

const exactScatter: NamedTask = {
  name: "scatter of f32 with exactAdd",
  task: ({ fold, buffers: { input, other, output: to }, length }) =>
    recorded(
      fold.prepareScatter({ type: f32, op: exactAdd, maxLength: length, maxOutputLength: length }),
      { input, positions: other, output: to, outputLength: length, length },
      ["output"],
      () => [],
    ),
};

/** What a scatter by `exactAdd` has to do, by calls of the family: positions are sorted, and the values of each are added up. */
const sortThenSum: NamedTask = {
  name: "sort of pairs, exact sums by key",
  async task({ fold, buffers: { input, other, output: to, reordered, words }, length }) {
    const sort = await fold.prepareSort({ type: u32, values: u32, maxLength: length });
    const sums = await fold.prepareReduce({
      type: f32,
      op: exactAdd,
      segments: { keys: u32, unique: true },
      maxLength: length,
    });
    const made = await Promise.all(
      ["sums", "unique"].map((name) => createBuffer(fold.device, name, 4 * length)),
    );
    const [summed, unique] = made as [GPUBuffer, GPUBuffer];
    return {
      record(pass) {
        sort.record(pass, { input: other, values: input, output: to, reordered, length });
        sums.record(pass, { input: reordered, keys: to, output: summed, unique, count: words, length });
      },
      writes: ["output", "reordered"],
      expected: () => output(wordsBy(length, (at) => at)),
      destroy() {
        for (const one of [sort, sums, ...made]) {
          one.destroy();
        }
      },
    };
  },
};

/** Keys that rise by one where a run starts: at one of 2^bits places, at random. */
function keysOf(length: number, bits: number): Uint32Array<ArrayBuffer> {
  let key = 0;
  return wordsBy(length, (at) => {
    key += wordAt(at) >>> (32 - bits) === 0 ? 1 : 0;
    return key;
  });
}

const summingRuns = (name: string, bits: number, isOfLengths: boolean): NamedTask => ({
  name,
  task({ fold, buffers: { input, output: to, reordered, unique, words }, length }) {
    const keys = keysOf(length, bits);
    writeWords(fold.device, reordered, keys);
    return recorded(
      fold.prepareReduce({
        ...{ type: u32, maxLength: length, segments: { keys: u32, unique: true } },
        ...(isOfLengths && { map: "1u" }),
      }),
      { input, keys: reordered, output: to, unique, count: words, length },
      ["output", "unique", "words"],
      () => {
        const [firsts, totals] = [new Uint32Array(length), new Uint32Array(length)];
        let run = -1;
        for (let at = 0; at < length; at++) {
          if (at === 0 || keys[at] !== keys[at - 1]) {
            firsts[++run] = keys[at] as number;
          }
          totals[run] = (totals[run] as number) + (isOfLengths ? 1 : wordAt(at));
        }
        const count = run + 1;
        return [
          ...output(totals.subarray(0, count)),
          { from: "unique", words: firsts.subarray(0, count) },
          { from: "words", words: Uint32Array.of(count) },
        ];
      },
    );
  },
});

const partitioning: NamedTask = {
  name: "partition, about half kept",
  task: ({ fold, buffers: { input, output: to, words }, length }) =>
    recorded(
      fold.preparePartition({ type: u32, maxLength: length, where: "x % 2u == 1u" }),
      { input, output: to, count: words, length },
      ["output", "words"],
      () => {
        const parted = new Uint32Array(length);
        let kept = 0;
        for (const isRest of [false, true]) {
          let place = kept;
          for (let at = 0; at < length; at++) {
            const word = wordAt(at);
            if ((word % 2 === 0) === isRest) {
              parted[place++] = word;
            }
          }
          kept ||= place;
        }
        return [...output(parted), { from: "words", words: Uint32Array.of(kept) }];
      },
    ),
};

/** Rows of as many elements, of which the greatest are taken: eight of each row, or up to 15, by a number that each row has. */
const ROW = 32;
const numberOf = (row: number, isEach: boolean): number => (isEach ? wordAt(row) >>> 28 : 8);

const choosing = (isEach: boolean): NamedTask => ({
  name: `greatest of rows of ${ROW}, ${isEach ? "a number for each" : "8 of each"}`,
  async task({ fold, buffers: { input, output: to, reordered, words }, length }) {
    const rows = length / ROW;
    const made = await Promise.all(
      ["numbers", "offsets"].map((name) => createBuffer(fold.device, name, 4 * (rows + 1))),
    );
    const [k, outputOffsets] = made as [GPUBuffer, GPUBuffer];
    writeWords(
      fold.device,
      k,
      wordsBy(rows, (row) => numberOf(row, isEach)),
    );
    const shared = { type: u32, segments: "rows", maxLength: length, maxSegmentLength: ROW } as const;
    const ranges = { input, output: to, indices: reordered, length, rows: ROW };
    const expected = () => {
      const chosen: number[] = [];
      for (let row = 0; row < rows; row++) {
        const sorted = wordsBy(ROW, (at) => wordAt(row * ROW + at))
          .sort()
          .reverse();
        chosen.push(...sorted.subarray(0, numberOf(row, isEach)));
      }
      return output(Uint32Array.from(chosen));
    };
    const { destroy, ...task } = isEach
      ? await recorded(
          fold.prepareTopK({ ...shared, k: u32 }),
          { ...ranges, k, outputOffsets, count: words },
          ["output", "reordered"],
          expected,
        )
      : await recorded(fold.prepareTopK({ ...shared, k: 8 }), ranges, ["output", "reordered"], expected);
    return {
      ...task,
      destroy() {
        for (const one of [{ destroy }, ...made]) {
          one.destroy();
        }
      },
    };
  },
});

const BINS = 256;
const RANGE = 2 ** 16;

const counting = (isRandom: boolean): NamedTask => ({
  name: `histogram, 256 even bins, ${isRandom ? "random" : "all equal"}`,
  task({ fold, buffers: { reordered, words }, length }) {
    const data = wordsBy(length, (at) => (isRandom ? wordAt(at) % RANGE : Math.floor(RANGE / 3)));
    writeWords(fold.device, reordered, data);
    return recorded(
      fold.prepareHistogram({ type: u32, maxLength: length, bins: BINS, range: [0, RANGE] }),
      { input: reordered, output: words, length },
      ["words"],
      () => {
        const counts = new Uint32Array(BINS);
        for (let at = 0; at < length; at++) {
          const bin = Math.floor(((data[at] as number) * BINS) / RANGE);
          counts[bin] = (counts[bin] as number) + 1;
        }
        return [{ from: "words", words: counts }];
      },
    );
  },
});

/** One row for each length. */
const at = (powers: readonly number[], row: Omit<Row, "power">): Row[] =>
  powers.map((power) => ({ ...row, power }));

export const rows: readonly Row[] = [
  ...at([20, 24, 28], { ...scanning(false, false), beside: copy, goal: 1.1 }),
  ...at([20, 24, 28], { ...scanning(true, false), beside: scanning(false, false), goal: 1.05 }),
  ...at([24, 28], { ...scanning(true, true), beside: scanning(false, true), goal: 1.05 }),
  // Five bytes an item, of a copy's eight; and one of a reduction's four.
  ...at([24, 28], { ...scanningBytes, beside: copy, goal: 0.66 }),
  ...at([28], { ...summingBytes, beside: sum, goal: 0.27 }),
  ...at([28], { ...compactingBytes, beside: compacting("literal"), goal: 0.3 }),
  ...at([24], { ...extremes(minimum), beside: extremes(min), goal: 1.05 }),
  ...at([24], { ...extremes(maximum), beside: extremes(max), goal: 1.05 }),
  ...at([24, 28], { ...count, beside: sum, goal: 1 }),
  ...at([28], { ...finding("first", 1), beside: sum, goal: 0.05, plus: 10 }),
  ...at([28], { ...finding("last", 99), beside: sum, goal: 0.05, plus: 10 }),
  ...at([28], { ...finding("first", 100), beside: sum, goal: 1.1 }),
  ...at([20, 24, 28], { ...compacting("params"), beside: compacting("literal"), goal: 1 }),
  ...at([20, 24, 26], { ...gather, beside: bareGather, goal: 1.1 }),
  ...at([20, 24, 26], { ...scatter, beside: bareScatter, goal: 1.1 }),
  ...at([26], { ...scatteringSums(8), beside: bareSums(8), goal: 0.1 }),
  ...at([26], { ...scatteringSums(12), beside: bareSums(12), goal: 0.5 }),
  ...at([26], { ...scatteringSums(20), beside: bareSums(20), goal: 1.2 }),
  ...at([20, 24], { ...exactScatter, beside: sortThenSum, goal: 1.1 }),
  ...at([24, 28], { ...mapping(false), beside: copy, goal: 1.05 }),
  ...at([24, 26], { ...mapping(true), beside: copy, goal: 1.575 }),
  // CUB: 101 and 218 µs at 2^24, 323 and 803 at 2^26 (H200), where a copy takes 40 and 134.
  ...at([24, 26], { ...merging(false), beside: copy, goal: 2.42 }),
  ...at([24, 26], { ...merging(true), beside: copy, goal: 5.45 }),
  ...at([26], { ...intersecting, beside: merging(false), goal: 2 }),
  ...at([22, 24], { ...sorting("two u32"), beside: sorting("u64"), goal: 1.1 }),
  ...at([20, 24], { ...choosing(true), beside: choosing(false), goal: 1.5 }),
  // CUB: 762, 788, 869 and 1352 µs at 2^28 (H200), where a copy takes 512.
  ...at([20, 24, 28], {
    ...summingRuns("run lengths, runs of about 4", 2, true),
    ...{ beside: copy, goal: 1.49, cub: "runs" },
  }),
  ...at([20, 24, 28], {
    ...summingRuns("sums by key, runs of about 256", 8, false),
    ...{ beside: copy, goal: 1.54, cub: "sums" },
  }),
  ...at([20, 24, 28], { ...partitioning, beside: copy, goal: 1.7, cub: "halves" }),
  ...at([20, 24, 28], { ...counting(true), beside: copy, goal: 2.64, cub: "bins" }),
  ...at([20, 24, 28], { ...counting(false), beside: copy, goal: 2.64, cub: "equal" }),
];
