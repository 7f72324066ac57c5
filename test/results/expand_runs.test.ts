import { expect } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, TypeName } from "../../src/algebra/types.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { elementsAt, expandRunsReference, runLengthsReference } from "../../src/reference/runs.ts";
import { readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useSoftwareFold } from "../support/fold.ts";
import { anyItems, randomBits } from "../support/random.ts";
import { testInTurn } from "../support/rows.ts";

// Runs that are written out, against the reference, on every element.

const test = testInTurn({ of: 4 });
const fold = useSoftwareFold();
const pair = struct({ name: "Pair", fields: { cell: u32, weight: f32, more: u32 } });

const randomWords = (length: number, name: string): Uint32Array =>
  Uint32Array.from({ length }, randomBits(name));

/** Counts of so many runs: none, one, around a tile of 1024 items, and random ones. */
const counted: Readonly<Record<string, (runs: number) => Uint32Array>> = {
  ones: (runs) => new Uint32Array(runs).fill(1),
  "none but one": (runs) => Uint32Array.from({ length: runs }, (_, run) => (run === runs >> 1 ? 1500 : 0)),
  "around tiles": (runs) =>
    Uint32Array.from({ length: runs }, (_, run) => [1023, 0, 1, 1024, 0, 0, 1025, 7][run % 8] as number),
  random(runs) {
    const next = randomBits(`counts ${runs}`);
    return Uint32Array.from({ length: runs }, () => (next() % 3 === 0 ? 0 : next() % 30));
  },
};
const valuesOf = (type: ElementType, runs: number): AnyArray =>
  type.kind === "struct"
    ? (pair.over(randomWords(runs * 3, `pairs ${runs}`).buffer as ArrayBuffer) as unknown as AnyArray)
    : anyItems(type.name as TypeName, runs, `values ${runs}`);

test.for([u32, f16, f64, pair] as ElementType[])(
  "of $name: at hand, and on the GPU",
  async (type, { skip }) => {
    skip(
      type.feature !== undefined && !fold().device.features.has(type.feature),
      "the adapter has no shader-f16",
    );
    for (const runs of [0, 1, 2, 9, 33, 700]) {
      for (const [how, countsOf] of Object.entries(counted)) {
        const title = `${runs} runs, ${how}`;
        const values = valuesOf(type, runs);
        const counts = countsOf(Math.min(runs, how === "around tiles" ? 20 : runs));
        const own = (how === "around tiles" ? valuesOf(type, counts.length) : values) as Uint32Array;
        const expected = expandRunsReference(own, counts);
        expectSameBits(await fold().expandRuns(own, counts, { type } as never), expected, title);
        const [onGpu, lengths] = [await fold().upload(own, { type } as never), await fold().upload(counts)];
        // Room for all and more, and for less.
        for (const maxLength of [expected.length + 7, expected.length >> 1]) {
          const found = await fold().expandRuns(onGpu as never, lengths, { maxLength });
          expectSameBits(
            (await (found as { read(): Promise<AnyArray> }).read()) as AnyArray,
            elementsAt(
              expected,
              Array.from({ length: Math.min(maxLength, expected.length) }, (_, at) => at),
            ),
            `${title}, room for ${maxLength}`,
          );
          (found as { destroy(): void }).destroy();
        }
        onGpu.destroy();
        lengths.destroy();
      }
    }
  },
);

test("the inverse of runLengths, on the GPU without reading anything back", async () => {
  const data = randomWords(3000, "inverse").map((word) => word % 2);
  const array = await fold().upload(data);
  const { values, counts } = await fold().runLengths(array);
  const back = await fold().expandRuns(values, counts, { maxLength: 3000 });
  expectSameBits(await back.read(), data, "back");
  const sums = await fold().scan(back);
  expect((await sums.read()).at(-1)).toBe(data.reduce((sum, one) => sum + one, 0));
  for (const one of [array, values, counts, back, sums]) {
    one.destroy();
  }
  const { values: own, counts: lengths } = runLengthsReference(data);
  expectSameBits(expandRunsReference(own, lengths), data, "reference");
});

test("recorded: any offsets, a length on the GPU, and nothing outside of the output", async () => {
  const { device } = fold();
  const values = randomWords(60, "values");
  const counts = randomWords(60, "counts").map((word) => word % 50);
  const expected = expandRunsReference(values, counts);
  const poison = randomWords(3000, "poison");
  for (const lengthOnGpu of [false, true]) {
    const expand = await fold().prepareExpandRuns({
      type: u32,
      maxLength: 64,
      lengthOnGpu,
      workGroupSize: 8,
      itemsPerThread: 4,
    });
    for (const [runs, outputLength] of [
      [60, 2900],
      [60, 500],
      [7, 2900],
      [0, 2900],
      [60, 0],
    ] as const) {
      const title = `${runs} runs, room for ${outputLength}, ${lengthOnGpu}`;
      const input = storageBuffer(device, Uint32Array.of(1, ...values, 8, 8, 8, 8));
      const marks = storageBuffer(device, Uint32Array.of(9, 9, ...counts, 8, 8, 8, 8));
      const output = storageBuffer(device, poison);
      const sum = storageBuffer(device, Uint32Array.of(77, 77, 77));
      const length = storageBuffer(device, Uint32Array.of(runs));
      const encoder = device.createCommandEncoder();
      expand.record(encoder, {
        input: { buffer: input, offset: 4 },
        counts: { buffer: marks, offset: 8 },
        output: { buffer: output, offset: 12 },
        outputLength,
        count: { buffer: sum, offset: 4 },
        length: lengthOnGpu ? length : runs,
      });
      device.queue.submit([encoder.finish()]);
      const own = expandRunsReference(values.slice(0, runs), counts.slice(0, runs)).slice(0, outputLength);
      const wanted = Uint32Array.from(poison);
      wanted.set(own, 3);
      expectSameBits(await readWords(device, output), wanted, title);
      expect([...(await readWords(device, sum))], title).toEqual([77, own.length, 77]);
      for (const one of [input, marks, output, sum, length]) {
        one.destroy();
      }
    }
    expand.destroy();
  }
  expect(expected.length).toBeGreaterThan(500);
});

test("counts that add up to more than 2^32 fill the room", async () => {
  const values = await fold().upload(Uint32Array.of(5, 6, 7));
  const counts = await fold().upload(Uint32Array.of(3, 0xffffffff, 0xffffffff));
  const found = await fold().expandRuns(values, counts, { maxLength: 10 });
  expectSameBits(await found.read(), Uint32Array.of(5, 5, 5, 6, 6, 6, 6, 6, 6, 6), "filled");
  for (const one of [values, counts, found]) {
    one.destroy();
  }
});

test("what it refuses", async () => {
  const six = await fold().upload(new Uint32Array(6));
  const five = await fold().upload(new Uint32Array(5));
  const floats = await fold().upload(new Float32Array(6));
  const none = new Uint32Array(2);
  for (const [values, counts, options, option, message] of [
    [none, new Uint32Array(3), {}, "counts", /3 counts for 2 values/],
    [none, [1, 2], {}, "counts", /counts is .*; it takes a Uint32Array/],
    [none, none, { maxLength: 5 }, "maxLength", /takes no option maxLength/],
    [none, Uint32Array.of(0xffffffff, 9), {}, "counts", /the counts add up to 4294967304/],
    [six, five, { maxLength: 5 }, "counts", /5 counts for 6 values/],
    [six, floats, { maxLength: 5 }, "counts", /counts holds f32; it takes u32/],
    [six, six, {}, "maxLength", /maxLength is undefined/],
    [six, six, { maxLength: -1 }, "maxLength", /maxLength is -1/],
    [six, none, { maxLength: 5 }, "counts", /counts is Uint32Array, and values is on the GPU/],
    [none, six, { maxLength: 5 }, "values", /values is Uint32Array, and counts is on the GPU/],
  ] as const) {
    await expect(
      fold().expandRuns(values as never, counts as never, options as never),
      String(message),
    ).rejects.toMatchObject({
      option,
      message: expect.stringMatching(message),
    });
  }
  const expand = await fold().prepareExpandRuns({ type: u32, maxLength: 6 });
  const encoder = fold().device.createCommandEncoder();
  const ranges = { input: six, counts: five, output: floats, outputLength: 6, count: five, length: 6 };
  for (const [change, option, message] of [
    [{}, "counts", /counts has 20 bytes/],
    [{ counts: six, count: six }, "positions", /./],
    [{ counts: floats, outputLength: -3 }, "outputLength", /outputLength is -3/],
    [{ counts: floats, outputLength: 60 }, "output", /output has/],
  ] as const) {
    let found: unknown;
    try {
      expand.record(encoder, { ...ranges, ...change } as never);
    } catch (cause) {
      found = cause;
    }
    if (option !== "positions") {
      expect(found, String(message)).toMatchObject({ option, message: expect.stringMatching(message) });
    } else {
      expect(found).toBeInstanceOf(Error);
    }
  }
  for (const one of [six, five, floats, expand]) {
    one.destroy();
  }
});
