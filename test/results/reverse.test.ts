import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { max, min } from "../../src/algebra/operators.ts";
import type { ElementType, Value } from "../../src/algebra/types.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { openFold } from "../../src/node.ts";
import { bytesOf } from "../../src/primitives/example_calls.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { isSimulated } from "../support/adapter.ts";
import { arrayBuffer, destroyAll, readAs, readWords, storageBuffer, submit } from "../support/buffers.ts";
import { arrayOfOne, itemsOf } from "../support/combinations.ts";
import { expectSameBits } from "../support/compare.ts";
import { planAs, useFoldOfOneSize } from "../support/fold.ts";
import type { Subject } from "../support/mutations.ts";
import { testMutations } from "../support/mutations.ts";
import { affine } from "../support/operators.ts";
import { manyMagnitudes, randomWords } from "../support/random.ts";
import { lacks } from "../support/sorts.ts";

// Scans from the last element to the first: the reference, what is special to them, and their mutants. All else follows from the examples of
// scans: test/primitives/.

// Sums of f64 have the order that groupingOf gives.
const fold = useFoldOfOneSize();
const tunings = [
  { workGroupSize: 4, itemsPerThread: 2, passes: "reduce-then-scan" },
  { workGroupSize: 8, itemsPerThread: 4, passes: "single" },
] as const;
const MOST = 300;

/** Numbers of f32 or f64 whose exponents differ. */
const magnitudesOf =
  (type: ElementType) =>
  (length: number): AnyArray => {
    const items = manyMagnitudes(length, `${type.name} ${length}`);
    return type === f32 ? Float32Array.from(items) : items;
  };

const combineAffine = affine.reference as NonNullable<typeof affine.reference>;

/** Suffixes by the plainest loop: what the reference has to give. */
function suffixesOf<V>(
  values: readonly V[],
  combine: (earlier: V, later: V) => V,
  identity: V,
  exclusive: boolean,
): V[] {
  return values.map((_, at) =>
    values.slice(exclusive ? at + 1 : at).reduceRight((later, earlier) => combine(earlier, later), identity),
  );
}

describe("the reference", () => {
  test.for([false, true])("gives what a loop gives, exclusive: %s", (exclusive) => {
    const data = randomWords(40, "reference");
    const plain = suffixesOf([...data], combineAffine, affine.identity, exclusive);
    const given = scanReference(data, { op: affine, reverse: true, exclusive });
    expectSameBits(given, Uint32Array.from(plain), "all");
    const total = new Uint32Array(1);
    const from = 0x80030005;
    const started = scanReference(data, { op: affine, reverse: true, exclusive, initial: from, total });
    const behind = suffixesOf([...data, from], combineAffine, affine.identity, exclusive);
    expectSameBits(
      started,
      Uint32Array.from(
        behind.slice(0, -1).map((value, at) => (exclusive && at === data.length - 1 ? from : value)),
      ),
      "initial",
    );
    expect(total[0]).toBe(suffixesOf([...data, from], combineAffine, affine.identity, false)[0]);
  });

  test.for([false, true])("restarts at the end of each segment, exclusive: %s", (exclusive) => {
    const data = randomWords(24, "segments");
    const bounds = [0, 5, 6, 6, 20, 24];
    const wanted = bounds
      .slice(1)
      .flatMap((end, at) =>
        suffixesOf([...data.subarray(bounds[at], end)], combineAffine, affine.identity, exclusive),
      );
    const options = { op: affine, reverse: true, exclusive } as const;
    expectSameBits(
      scanReference(data, { ...options, segments: { offsets: bounds } }),
      Uint32Array.from(wanted),
      "offsets",
    );
    const byRows = scanReference(data, { ...options, segments: { rows: 6 } });
    const rows = [0, 6, 12, 18].flatMap((at) =>
      suffixesOf([...data.subarray(at, at + 6)], combineAffine, affine.identity, exclusive),
    );
    expectSameBits(byRows, Uint32Array.from(rows), "rows");
    const byColumns = scanReference(data, { ...options, segments: { columns: 4 } });
    for (let column = 0; column < 4; column++) {
      const own = data.filter((_, at) => at % 4 === column);
      expectSameBits(
        byColumns.filter((_, at) => at % 4 === column),
        Uint32Array.from(suffixesOf([...own], combineAffine, affine.identity, exclusive)),
        "column",
      );
    }
  });
});

/** Rows or columns of ten as lists of items, for a length that cuts the last row off. */
function partsOf(kind: "rows" | "columns", length: number): number[][] {
  const parts = new Map<number, number[]>();
  for (let index = 0; index < length; index++) {
    const part = kind === "rows" ? Math.floor(index / 10) : index % 10;
    parts.set(part, [...(parts.get(part) ?? []), index]);
  }
  return [...parts.values()];
}

test.for(["rows", "columns"] as const)("%s of data whose length only the GPU knows", async (kind) => {
  const { device } = fold();
  const maxLength = 400;
  // Columns have sizes of their own.
  const sizes = kind === "columns" ? [undefined, undefined] : [...tunings, undefined];
  for (const [at, tuning] of sizes.entries()) {
    const exclusive = (at + kind.length) % 2 === 0;
    const scan = await fold().prepareScan({
      type: u32,
      op: affine,
      reverse: true,
      exclusive,
      maxLength,
      lengthOnGpu: true,
      segments: kind,
      ...tuning,
    });
    for (const length of [0, 33, 97, 98, 400]) {
      const data = randomWords(maxLength, `${kind} ${length}`);
      const [input, output] = [
        storageBuffer(device, data),
        storageBuffer(device, randomWords(500, "poison")),
      ];
      const count = storageBuffer(device, Uint32Array.of(length));
      const ranges = { input, output, length: count, [kind]: 10 };
      submit(device, (encoder) => scan.record(encoder, ranges as never));
      const wanted = randomWords(500, "poison");
      for (const part of partsOf(kind, length)) {
        const items = part.map((index) => data[index] as number);
        const suffixes = suffixesOf(items, combineAffine, affine.identity, exclusive);
        part.forEach((index, at) => {
          wanted[index] = suffixes[at] as number;
        });
      }
      const title = `${length}, exclusive: ${exclusive}, ${tuning?.passes}`;
      expectSameBits(await readWords(device, output), wanted, title);
      destroyAll(input, output, count);
    }
    scan.destroy();
  }
});

test.each(["u32", "f32", "u64", "f64"] as const)(
  "on both machines, %s: the data stays as it is",
  async (name) => {
    const cpu = await openFold({ device: fold().device, cpu: "always" });
    const data = itemsOf({ type: elementTypes[name] as ElementType }, 70);
    const before = bytesOf(data).slice();
    for (const own of [fold(), cpu]) {
      for (const options of [
        { op: max },
        { op: max, exclusive: true },
        { op: min, map: "x", type: elementTypes[name] },
        { op: min, segments: { rows: 7 } },
      ]) {
        const given = { ...options, reverse: true } as never;
        const twins = {
          ...options,
          reverse: true,
          ...("map" in options && { map: (x: Value) => x }),
        } as never;
        expectSameBits((await own.scan(data as never, given)) as never, scanReference(data, twins), "result");
        expect(bytesOf(data)).toEqual(before);
      }
    }
    cpu.destroy();
  },
);

test("is refused where there is no last element, and where nothing is scanned", async () => {
  const error =
    /scanStream: reverse is true, but a stream gives its first results before its last elements come in/;
  const { readable } = fold().scanStream({ type: u32, reverse: true } as never);
  await expect(readable.getReader().read()).rejects.toThrow(error);
  await expect(fold().reduce(Uint32Array.of(1), { reverse: true } as never)).rejects.toThrow(
    /reduce takes no option reverse/,
  );
  await expect(fold().scan(Uint32Array.of(1), { reverse: 1 } as never)).rejects.toThrow(/reverse is 1/);
  await expect(fold().prepareScan({ type: u32, maxLength: 1, reverse: "yes" } as never)).rejects.toThrow(
    /reverse/,
  );
});

describe("exact sums in tiles of their own, as on GPUs", () => {
  test.for([f16, f32, f64])("$name", async (type, { skip }) => {
    skip(lacks(fold(), type), "the adapter has no shader-f16");
    skip(!isSimulated && type === f64, "a software adapter compiles these kernels for minutes");
    const { device } = fold();
    const restore = planAs(fold(), { software: false });
    try {
      for (const [turn, sizes] of [
        { workGroupSize: 4, itemsPerThread: 4 },
        ...(type === f32 ? [{ workGroupSize: 4, itemsPerThread: 33 }] : []),
      ].entries()) {
        const exclusive = turn === 0;
        const options = { type, op: exactAdd, reverse: true, exclusive } as const;
        const scan = await fold().prepareScan({
          ...options,
          ...sizes,
          algorithm: "blelloch",
          passes: "reduce-then-scan",
          maxLength: MOST,
          total: true,
        });
        // Up to the third tile, and the second of long ones.
        for (const length of turn === 0 ? [0, 17, 40] : [1, 140]) {
          const data = itemsOf({ type, ...(type !== f16 && { items: magnitudesOf(type) }) }, length);
          const input = arrayBuffer(device, data, 4);
          const output = turn === 0 ? storageBuffer(device, randomWords(700, "poison")) : input;
          const total = storageBuffer(device, randomWords(4, "total"));
          const at = { buffer: input, offset: 16 };
          const ranges = { input: at, output: turn === 0 ? output : at, length, total };
          submit(device, (encoder) => scan.record(encoder, ranges));
          const wanted = arrayOfOne(type, 0);
          const expected = scanReference(data, { ...options, total: wanted } as never) as AnyArray;
          const words = await readWords(device, output);
          expectSameBits(readAs(expected, type, words.slice(turn === 0 ? 0 : 4)), expected, `${length}`);
          expectSameBits(readAs(wanted, type, await readWords(device, total)), wanted, `total ${length}`);
          destroyAll(input, output, total);
        }
        scan.destroy();
      }
    } finally {
      restore();
    }
  });
});

const broken = randomWords(100, "mutations");
const small = { op: affine, reverse: true, workGroupSize: 4, itemsPerThread: 2 } as const;

/** Scans of an array, of two buffers, in place, and of two ranges of one buffer. */
const scans = (more: object, twin: object = more, length: number = broken.length): Subject =>
  async function* (own) {
    const data = broken.slice(0, length);
    const expected = scanReference(data, { op: affine, reverse: true, ...twin } as never);
    yield [await own.scan(data, { ...small, ...more } as never), expected];
    const { device } = own;
    const { segments, ...others } = more as { segments?: Record<string, number> };
    const [[kind, count] = []] = Object.entries(segments ?? {});
    const scan = await own.prepareScan({
      type: u32,
      ...small,
      ...others,
      ...(kind && { segments: kind as "rows" }),
      maxLength: length,
    });
    for (const place of [0, 4 * length]) {
      const buffer = storageBuffer(device, Uint32Array.of(...data, ...data));
      const output = { buffer, offset: place };
      const ranges = { input: { buffer, size: 4 * length }, output, length, ...(kind && { [kind]: count }) };
      submit(device, (encoder) => scan.record(encoder, ranges as never));
      yield [(await readWords(device, buffer)).slice(place / 4, place / 4 + length), expected];
    }
    scan.destroy();
  };

/** A scan of whole vectors, between two buffers. */
const wholeVectors: Subject = async function* (own) {
  const { device } = own;
  const four = { ...small, itemsPerThread: 4 };
  const scan = await own.prepareScan({ type: u32, ...four, map: "x ^ i", maxLength: broken.length });
  const output = storageBuffer(device, new Uint32Array(broken.length));
  const ranges = { input: storageBuffer(device, broken), output, length: broken.length };
  submit(device, (encoder) => scan.record(encoder, ranges));
  const mapped = broken.map((x, i) => x ^ i);
  yield [await readWords(device, output), scanReference(mapped, { op: affine, reverse: true })];
  scan.destroy();
};

/** A scan of fewer items than a whole number of rows of seven. */
const cutOff = (kind: "rows" | "columns"): Subject =>
  async function* (own) {
    const { device } = own;
    const scan = await own.prepareScan({
      type: u32,
      ...small,
      maxLength: 98,
      lengthOnGpu: true,
      segments: kind,
    });
    const output = storageBuffer(device, new Uint32Array(98));
    const length = storageBuffer(device, Uint32Array.of(95));
    const ranges = { input: storageBuffer(device, broken), output, length, [kind]: 7 };
    submit(device, (encoder) => scan.record(encoder, ranges));
    const wanted = new Uint32Array(98);
    for (let part = 0; part < 14; part++) {
      const own = Array.from({ length: 95 }, (_, at) => at).filter((at) =>
        kind === "rows" ? Math.floor(at / 7) === part : at % 7 === part,
      );
      const items = own.map((at) => broken[at] as number);
      for (const [at, value] of suffixesOf(items, combineAffine, affine.identity, false).entries()) {
        wanted[own[at] as number] = value;
      }
    }
    yield [await readWords(device, output), wanted];
    scan.destroy();
  };

testMutations(
  fold,
  {
    all: scans({}),
    "a single pass": scans({ passes: "single" }, {}),
    mapped: scans({ map: "x ^ i" }, { map: (x: number, i: number) => (x ^ i) >>> 0 }),
    "whole vectors": wholeVectors,
    rows: scans({ segments: { rows: 10 } }),
    columns: scans({ segments: { columns: 10 } }),
    "rows that are cut off": cutOff("rows"),
    "columns that are cut off": cutOff("columns"),
    keys: async function* (own) {
      const keys = broken.map((_, at) => Math.floor(Math.sqrt(at)));
      const options = { ...small, exclusive: true, segments: { keys } };
      const expected = scanReference(broken, {
        op: affine,
        reverse: true,
        exclusive: true,
        segments: { keys },
      });
      yield [await own.scan(broken, options), expected];
    },
  },
  {
    all: {
      "an operator gets its operands in the order of the kernel": [
        "fn combine(later: Element, earlier: Element)",
        "fn combine(earlier: Element, later: Element)",
      ],
      "items are not mirrored": ["return data_length() - 1u - index;", "return index;"],
      "the input in the output's buffer is read in its own order": [
        "output[call.input_base + mirrored(index)]",
        "output[call.input_base + index]",
      ],
    },
    keys: {
      "within segments, too": [
        "fn combine_values(later: SegmentValue, earlier: SegmentValue)",
        "fn combine_values(earlier: SegmentValue, later: SegmentValue)",
      ],
      "segments start where they do in the caller's order": [
        "mirrored(index) + 1u, index > 0u",
        "mirrored(index), index > 0u",
      ],
    },
    "a single pass": {
      "the input is read in its own order": [
        "input[call.input_base + mirrored(index)]",
        "input[call.input_base + index]",
      ],
      "results are written in the order of the kernel": [
        "output[call.output_base + mirrored(index)] = item",
        "output[call.output_base + index] = item",
      ],
    },
    mapped: {
      "a map sees the index of the kernel": ["mirrored(i) + call.first_index", "i + call.first_index"],
    },
    "whole vectors": {
      "vectors are read in their own order": [
        "input[call.input_base + data_length() / VECTOR - 1u - vector]",
        "input[call.input_base + vector]",
      ],
      "vectors are written in the order of the kernel": [
        "output[call.output_base + data_length() / VECTOR - 1u - vector] = items",
        "output[call.output_base + vector] = items",
      ],
      "the items of a vector are not mirrored": [
        "array<Input, VECTOR>(vector.w, vector.z, vector.y, vector.x)",
        "array<Input, VECTOR>(vector.x, vector.y, vector.z, vector.w)",
      ],
    },
    rows: {
      "rows change places": [
        "let first = index - index % call.columns;",
        "let first = data_length() - call.columns - (index - index % call.columns);",
      ],
    },
    "rows that are cut off": {
      "a row that is cut off is as long as the others": [
        "min(call.columns, data_length() - first) - 1u",
        "call.columns - 1u",
      ],
    },
    columns: {
      "columns go from their first items on": [
        "(rows - 1u - index / call.columns)",
        "(index / call.columns)",
      ],
    },
    "columns that are cut off": {
      "a column that is cut off is as long as the others": [
        /(let rows = length \/ call\.columns \+ select\(0u, 1u, )column < length % call\.columns\);\n {2}return \(rows/,
        "$1true);\n  return (rows",
      ],
    },
  },
);
