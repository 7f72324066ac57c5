import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f32, f64, i8, i32, u8, u16, u32, u64 } from "../../src/algebra/index.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { operators } from "../../src/algebra/operator_table.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import type { GpuArray } from "../../src/node.ts";
import { ArgumentError, add, exactAdd, max, mul, openFold } from "../../src/node.ts";
import { scatterReference } from "../../src/reference/moves.ts";
import {
  arrayBuffer,
  bytesIn,
  destroyAll,
  readAs,
  readWords,
  storageBuffer,
  submit,
} from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { untyped, useFold } from "../support/fold.ts";
import type { Subject } from "../support/mutations.ts";
import { examplesOf, testMutations } from "../support/mutations.ts";
import { affine, first } from "../support/operators.ts";
import { errorOf } from "../support/option_checks.ts";
import { randomBits, randomItems, randomWords } from "../support/random.ts";
import { lacks, particle } from "../support/sorts.ts";
import { watched } from "../support/watched_device.ts";

const fold = useFold();
const sizes = { workGroupSize: 8, itemsPerThread: 2 } as const;

const positionsBelow = (below: number, length: number, name: string): Uint32Array => {
  const next = randomBits(name);
  return Uint32Array.from({ length }, () => next() % below);
};

/** A scatter of arrays that are put on the GPU, so that no loop of the CPU's takes it. */
async function onGpu(
  values: AnyArray,
  positions: Uint32Array,
  options: { length: number; op?: Operator; type: ElementType },
): Promise<AnyArray> {
  const { type, ...others } = options;
  const there = await fold().upload(values as Uint32Array, { type: type as typeof u32 });
  const places = await fold().upload(positions);
  const made = await fold().scatter(there, places, { ...others, ...sizes } as { length: number });
  const read = await made.read();
  destroyAll(there, places, made);
  return read;
}

test("positions in any order, some of them more than once", async () => {
  const values = Float32Array.of(0.5, 2, 8);
  const positions = Uint32Array.of(3, 0, 3);
  const sums = Float32Array.of(2, 0, 0, 8.5);
  expect(await fold().scatter(values, positions, { length: 4, op: exactAdd })).toEqual(sums);
  expect(scatterReference(values, positions, { length: 4, op: exactAdd })).toEqual(sums);
  expect(scatterReference(values, Uint32Array.of(7, 3, 4), { length: 4 })).toEqual(
    Float32Array.of(0, 0, 0, 2),
  );
});

describe.each([...Object.values(elementTypes), particle] as readonly ElementType[])("$name", (type) => {
  test("where positions meet, one of the values stays, whole", async ({ skip }) => {
    skip(lacks(fold(), type), `the adapter has no ${type.name}`);
    const [count, length] = [101, 37];
    const values = randomItems(type, count, `values ${type.name}`);
    // The last position has no value.
    const positions = positionsBelow(length - 1, count, `positions ${type.name}`);
    const given = bytesIn(values);
    const found = bytesIn(await onGpu(values, positions, { length, type }));
    expect(found.length).toBe(length * type.bytes);
    const itemAt = (bytes: Uint8Array, at: number): string =>
      bytes.subarray(at * type.bytes, (at + 1) * type.bytes).join();
    for (let position = 0; position < length; position++) {
      const there = [...positions.keys()].filter((at) => positions[at] === position);
      const nothing = new Uint8Array(type.bytes).join();
      const taken = there.length > 0 ? there.map((at) => itemAt(given, at)) : [nothing];
      expect(taken).toContain(itemAt(found, position));
    }
  });
});

/** Operators, types and ways: atomics in work-group memory and in the output, and the sort. */
const combined: readonly (readonly [name: keyof typeof operators, type: keyof typeof elementTypes])[] = [
  ["add", "i32"],
  ["min", "u32"],
  ["min", "i32"],
  ["max", "u32"],
  ["max", "i32"],
  ["and", "u32"],
  ["xor", "u32"],
  ["mul", "i32"],
  ["exactAdd", "f32"],
  ["exactAdd", "f64"],
  ["min", "f16"],
  ["add", "u64"],
];
const rows: readonly { readonly op: Operator; readonly type: ElementType }[] = [
  ...combined.map(([name, type]) => ({
    op: operators[name] as Operator,
    type: elementTypes[type] as ElementType,
  })),
  ...[affine, first].map((op) => ({ op: op as Operator, type: u32 as ElementType })),
];

const turns = rows.map((row, turn) => ({ ...row, turn }));

test.for(turns)(
  "in the order of the elements: $op.name of $type.name",
  async ({ op, type, turn }, { skip }) => {
    skip(lacks(fold(), type), `the adapter has no ${type.name}`);
    // More than work-group memory has counters for. The sort that the other types take has none.
    const many = type === u32 || type === i32 ? 8200 : 90;
    const few = [op === exactAdd ? 60 : 200, 5, 4] as const;
    // Some positions are past the end. Where counters are does not interact with what they combine.
    for (const [count, length, below] of turn % 2 === 0 ? [few] : [few, [100, many, many + 10] as const]) {
      const values = randomItems(type, count, `${op.name} of ${type.name}`);
      const positions = positionsBelow(below, count, op.name);
      const found = await onGpu(values, positions, { length, op, type });
      const meant = scatterReference(values as Uint32Array, positions, { length, op, type } as {
        length: number;
      });
      expect(bytesIn(found)).toEqual(bytesIn(meant));
    }
  },
);

test("no elements, and no room", async () => {
  const [none, two] = [new Uint32Array(0), Uint32Array.of(5, 9)];
  for (const op of [undefined, max, operators.mul, affine] as readonly (Operator | undefined)[]) {
    const by = { ...(op && { op }), type: u32 as ElementType };
    const empty = await onGpu(none, none, { length: 3, ...by });
    expect(empty).toEqual(scatterReference(none, none, { length: 3, ...by } as { length: number }));
    expect(await onGpu(two, Uint32Array.of(0, 1), { length: 0, ...by })).toEqual(none);
  }
  const sums = await onGpu(new Float64Array(0), none, { length: 2, op: add as Operator, type: f64 as never });
  expect(sums).toEqual(Float64Array.of(0, 0));
});

test("recorded: the same buffers with other lengths, and ranges that are refused", async () => {
  const { device } = fold();
  const of = (...words: number[]): GPUBuffer => storageBuffer(device, Uint32Array.from(words));
  const [input, positions, output] = [of(1, 2, 3, 4), of(0, 2, 2, 9), of(7, 7, 7, 7)];
  const options = { type: u32, op: add, maxLength: 4, maxOutputLength: 4 };
  const scatter = await fold().prepareScatter(options);
  const all = { input, positions, output, outputLength: 3, length: 4 };
  for (const [changes, expected] of [
    [{}, [1, 0, 5, 7]],
    [{ length: 2 }, [1, 0, 2, 7]],
    [{ outputLength: 4, length: 0 }, [0, 0, 0, 0]],
  ] as const) {
    submit(device, (encoder) => scatter.record(encoder, { ...all, ...changes }));
    expect([...(await readWords(device, output))]).toEqual(expected);
  }
  const record = (changes: object) => () =>
    scatter.record(device.createCommandEncoder(), { ...all, ...changes });
  expect(record({ outputLength: 5 })).toThrow(
    /^scatter<u32, add>: outputLength is 5, and this was prepared with a maxOutputLength of 4$/,
  );
  expect(record({ outputLength: undefined })).toThrow(/outputLength is undefined; it takes a whole number/);
  expect(record({ positions: undefined })).toThrow(/positions is undefined/);
  expect(record({ output: input })).toThrow(ArgumentError);
  scatter.destroy();
  for (const maxOutputLength of [undefined, -1, 1.5]) {
    const error = await errorOf(fold().prepareScatter({ ...options, maxOutputLength } as typeof options));
    expect(error.message).toMatch(
      /^scatter<u32, add>: maxOutputLength is .*; it takes a whole number from 0 up$/,
    );
  }
  destroyAll(input, positions, output);
});

describe("bad input at hand", () => {
  const values = Float32Array.of(0.5, 2, 8);
  const inside = Uint32Array.of(0, 1, 2);
  test.each([
    [
      values,
      Uint32Array.of(2, 3, 9),
      { length: 3 },
      "positions",
      /^scatter<f32>: positions\[1\] is 3; it takes less than 3, the length of the result$/,
    ],
    [
      values,
      inside.subarray(1),
      { length: 3 },
      "positions",
      /: 2 positions for 3 values; it takes one for each$/,
    ],
    [
      values,
      Int32Array.of(1),
      { length: 3 },
      "positions",
      /^scatter<f32>: positions holds i32; it takes u32$/,
    ],
    [values, inside, undefined, "length", /^scatter<f32>: length is undefined; it takes a whole number/],
    [values, inside, { length: -1 }, "length", /length is -1; it takes a whole number/],
    [values, inside, { length: 3, op: operators.and }, "op", /and/],
    [values, inside, { length: 3, op: "add" }, "op", /^scatter: op is "add"; it takes an operator itself/],
    [values, inside, { length: 3, initial: 7 }, "initial", /^scatter takes no option initial/],
    [[1], inside, { length: 3 }, "values", /^scatter: values: Array has no element type/],
  ])("%o at %o, %o", async (given, positions, options, option, message) => {
    const { device, made } = watched(fold().device);
    const other = await openFold({ device });
    const error = await errorOf(other.scatter(given as never, positions as never, options as never));
    expect(error).toBeInstanceOf(ArgumentError);
    expect(error.option).toBe(option);
    expect(error.message).toMatch(message);
    expect(made()).toEqual([]);
    other.destroy();
  });

  test.each([
    [() => scatterReference([1] as never, Uint32Array.of(0), { length: 1 }), "values"],
    [() => scatterReference(values, [0] as never, { length: 1 }), "positions"],
    [() => scatterReference(values, Uint32Array.of(0), { length: 1 }), "positions"],
    [() => scatterReference(values, inside, {} as never), "length"],
  ])("the reference %#", (run, option) => {
    expect(run).toThrow(expect.objectContaining({ name: "ArgumentError", option }));
  });
});

/** A scatter that the sort carries out, and one of elements that claim their positions. */
const others: Subject = async function* () {
  const [count, length] = [300, 100];
  const positions = positionsBelow(100, count, "others").map((one, at) =>
    at % 7 === 3 ? 2 ** 31 + one : one,
  );
  const values = randomItems(u32 as ElementType, count, "others") as Uint32Array;
  const options = { length, op: affine as Operator, type: u32 as ElementType };
  const meant = scatterReference(values, positions, options as { length: number });
  yield [bytesIn(await onGpu(values, positions, options)), bytesIn(meant)];
  const doubles = randomItems(f64 as never, 64, "claims") as Float64Array;
  const distinct = Uint32Array.from(doubles, (_, at) => (at * 5) % 64);
  const claimed = await onGpu(doubles, distinct, { length: 50, type: f64 as never });
  yield [bytesIn(claimed), bytesIn(scatterReference(doubles, distinct, { length: 50 }))];
  const maxima = await onGpu(values, positions, {
    length: 90,
    op: operators.min as Operator,
    type: u32 as never,
  });
  yield [maxima, scatterReference(values, positions, { length: 90, op: operators.min })];
};

/** What a recording leaves behind the end of its output, as words: by stores, and by atomics in the output. */
const behind: Subject = async function* (fold) {
  const { device } = fold;
  const of = (...words: number[]): GPUBuffer => storageBuffer(device, Uint32Array.from(words));
  for (const [op, expected] of [
    [undefined, [3, 0, 7, 7]],
    [add, [3, 0, 7, 7]],
  ] as const) {
    const buffers = [of(1, 2, 3), of(2, 3, 0), of(7, 7, 7, 7)] as const;
    const [input, positions, output] = buffers;
    const scatter = await fold.prepareScatter({
      type: u32,
      ...(op && { op }),
      maxLength: 3,
      maxOutputLength: 2 ** 14,
    });
    submit(device, (encoder) =>
      scatter.record(encoder, { input, positions, output, outputLength: 2, length: 3 }),
    );
    yield [[...(await readWords(device, output))], expected];
    destroyAll(scatter, ...buffers);
  }
};

/** Why a GPU hides a store past the end of a binding. */
const KEPT_INSIDE = "the GPU keeps stores inside the binding";

testMutations(
  fold,
  { examples: examplesOf("scatter"), others, behind },
  {
    behind: {
      "a position past the end is written": [
        "if (position < call.room)",
        "if (true)",
        { unseenOnGpus: KEPT_INSIDE },
      ],
      "the position behind the last one is written, too": [
        "if (position < call.room)",
        "if (position <= call.room)",
        { unseenOnGpus: KEPT_INSIDE },
      ],
      "elements past the end go there": ["if (item < call.room)", "if (true)", { unseenOnGpus: KEPT_INSIDE }],
    },
    examples: {
      "positions are read from the start of their binding": [
        "positions[call.positions_base + index]",
        "positions[index]",
      ],
      "words go to the start of their binding": [
        "output_words[call.output_base + position]",
        "output_words[position]",
      ],
      "the last item is not filled": ["index < call.length", "index + 1u < call.length"],
    },
    others: {
      "counters start from zero": ["atomicStore(&counters[place], identity());", ""],
      "one copy of the counters is left out": [
        "for (var copy = 0u; copy < COPIES; copy++)",
        "for (var copy = 1u; copy < COPIES; copy++)",
      ],
      "positions past the end are not cut": ["min(read_item(index), call.room)", "read_item(index)"],
      "a claim is that of the element before": [
        "atomicStore(&claims[position], index)",
        "atomicStore(&claims[position], max(index, 1u) - 1u)",
      ],
      "totals go to the places that they are read from": [
        "write_item(position, read_item(index))",
        "write_item(index, read_item(index))",
      ],
    },
  },
);

test("types of results", async () => {
  const made = await fold().scatter(Float32Array.of(1), Uint32Array.of(0), { length: 1, type: f32 });
  expect(made).toBeInstanceOf(Float32Array);
});

test("values that an operator combines may become wider ones: at hand, on both, on the GPU, and recorded", async () => {
  const cpu = await openFold({ device: fold().device, cpu: "always" });
  const positions = Uint32Array.from(randomWords(90, "wider positions"), (word) => word % 12);
  const words = randomWords(90, "wider values");
  const cases: readonly (readonly [
    AnyArray,
    ElementType | undefined,
    Operator<string>,
    ElementType,
    ElementType,
  ])[] = [
    [Uint8Array.from(words), undefined, untyped(add), u8, u32],
    [Uint8ClampedArray.from(words), undefined, untyped(mul), u8, u32],
    [Int8Array.from(words), undefined, untyped(add), i8, i32],
    [Uint16Array.from(words), undefined, untyped(affine), u16, u32],
    [Uint8Array.from(words), u64, untyped(add), u8, u64],
    [words, u64, untyped(add), u32, u64],
    [Float32Array.from(words, (word) => (word % 1000) / 8), f64, untyped(exactAdd), f32, f64],
  ];
  for (const [at, [values, type, op, from, result]] of cases.entries()) {
    const title = `${from.name} to ${result.name} by ${op.name}`;
    const options = { length: 12, op, ...(type && { type }) };
    const expected = scatterReference(values, positions, options as never) as AnyArray;
    for (const own of [fold(), cpu]) {
      expectSameBits((await own.scatter(values, positions, options as never)) as AnyArray, expected, title);
    }
    const there = await fold().upload(values);
    const where = await fold().upload(positions);
    const found = (await fold().scatter(there, where, options as never)) as unknown as GpuArray;
    expectSameBits((await found.read()) as AnyArray, expected, `${title} on the GPU`);
    const plan = await fold().prepareScatter({
      ...{ type: result, from, op, maxLength: 100, maxOutputLength: 12, lengthOnGpu: at % 2 === 0 },
    } as never);
    const { device } = fold();
    const count = storageBuffer(device, Uint32Array.of(90));
    const input = arrayBuffer(device, values, 0, 100);
    const output = storageBuffer(device, randomWords(64, title));
    const placed = arrayBuffer(device, positions, 0, 40);
    submit(device, (encoder) =>
      plan.record(encoder, {
        input,
        positions: placed,
        output,
        outputLength: 12,
        length: at % 2 === 0 ? count : 90,
      } as never),
    );
    expectSameBits(readAs(expected, result, await readWords(device, output)), expected, `${title} recorded`);
    destroyAll(plan, there, where, found, count, input, output, placed);
  }
  cpu.destroy();
});

test("into takes the result of a scatter and of a gather, at hand and on the GPU", async () => {
  const cpu = await openFold({ device: fold().device, cpu: "always" });
  const [values, positions] = [Uint32Array.of(7, 5, 9), Uint32Array.of(3, 0, 1)];
  for (const own of [fold(), cpu]) {
    const into = Uint32Array.of(1, 2, 3, 4);
    expect(await own.scatter(values, positions, { length: 4, into })).toBe(into);
    expect([...into]).toEqual([5, 9, 0, 7]);
    const room = new Uint32Array(3);
    expect(await own.gather(into, positions, { into: room })).toBe(room);
    expect([...room]).toEqual([7, 5, 9]);
    await expect(own.gather(into, positions, { into })).rejects.toMatchObject({ option: "into" });
    await expect(own.scatter(values, positions, { length: 4, into: room })).rejects.toMatchObject({
      option: "into",
    });
    const sums = new Uint32Array(4);
    await own.scatter(Uint8Array.of(200, 100, 1), Uint32Array.of(2, 2, 0), {
      length: 4,
      op: add,
      into: sums,
    });
    expect([...sums]).toEqual([1, 0, 300, 0]);
  }
  const [there, where] = [await fold().upload(values), await fold().upload(positions)];
  const into = await fold().upload(Uint32Array.of(1, 2, 3, 4));
  await fold().scatter(there, where, { length: 4, into });
  expect([...(await into.read())]).toEqual([5, 9, 0, 7]);
  await fold().gather(into, where, { into: there });
  expect([...(await there.read())]).toEqual([7, 5, 9]);
  destroyAll(there, where, into, cpu);
});
