import { expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { ArgumentError, exactAdd, openFold } from "../../src/node.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { arrayBuffer, destroyAll, readWords, storageBuffer, submit } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useFoldOfOneSize } from "../support/fold.ts";
import { randomBits, randomWords } from "../support/random.ts";

// Exact sums of segments with gaps between them, and what is no such segments. Other results follow from the examples of scans and reductions:
// test/primitives/.

const fold = useFoldOfOneSize();
const MOST = 200;

test("exact sums, also in reverse, on both machines", async () => {
  const cpu = await openFold({ device: fold().device, cpu: "always" });
  const data = Float32Array.from(randomWords(300, "exact"), (word) => (word % 1000) / 8);
  const segments = { begins: [0, 7, 7, 90, 200], ends: [5, 7, 61, 199, 297] };
  for (const own of [fold(), cpu]) {
    for (const options of [
      { op: exactAdd, segments },
      { op: exactAdd, segments, reverse: true, exclusive: true },
    ]) {
      expectSameBits(await own.scan(data, options), scanReference(data, options), "scan");
    }
    const options = { op: exactAdd, segments };
    expectSameBits(await own.reduce(data, options), reduceReference(data, options), "reduction");
  }
  cpu.destroy();
});

test("what is no segments is refused, and the message names the first one that is not right", async () => {
  const data = Uint32Array.of(1, 2, 3, 4);
  for (const [segments, message] of [
    [
      { begins: [0, 2], ends: [3, 4] },
      "reduce<u32>: segment 1 begins at 2 and ends at 4, and segment 0 ends at 3; segments ascend, do not overlap, and end at the length, 4, or before",
    ],
    [
      { begins: [3, 0], ends: [4, 1] },
      "reduce<u32>: segment 1 begins at 0 and ends at 1, and segment 0 ends at 4; segments ascend, do not overlap, and end at the length, 4, or before",
    ],
    [
      { begins: [2], ends: [1] },
      "reduce<u32>: segment 0 begins at 2 and ends at 1; segments ascend, do not overlap, and end at the length, 4, or before",
    ],
    [
      { begins: [0], ends: [5] },
      "reduce<u32>: segment 0 begins at 0 and ends at 5; segments ascend, do not overlap, and end at the length, 4, or before",
    ],
    [
      { begins: [0.5], ends: [2] },
      "reduce<u32>: segment 0 begins at 0.5 and ends at 2; segments ascend, do not overlap, and end at the length, 4, or before",
    ],
    [
      { begins: [0, 1], ends: [1] },
      "reduce<u32>: there are 2 begins and 1 ends; each segment has one of both",
    ],
    [{ begins: [0] }, "reduce<u32>: segments is { begins }; it takes { begins, ends }"],
    [{ begins: [0], ends: 4 }, "reduce<u32>: segments is ends: 4; it takes an array"],
    [
      { begins: BigUint64Array.of(0n), ends: BigUint64Array.of(1n) },
      "reduce<u32>: segments is begins or ends of bigint; it takes numbers, such as Uint32Array.from(begins, Number)",
    ],
  ] as const) {
    await expect(fold().reduce(data, { segments } as never)).rejects.toMatchObject({
      name: "ArgumentError",
      message,
      option: "segments",
    });
  }
  const [words, floats] = [await fold().upload(data), await fold().upload(Float32Array.of(1))];
  for (const segments of [
    { begins: words },
    { begins: words, ends: floats },
    { begins: words, ends: await fold().upload(Uint32Array.of(1)) },
  ]) {
    await expect(fold().scan(words, { segments } as never)).rejects.toThrow(ArgumentError);
  }
});

test("segments that overlap, or do not ascend, write nothing outside of the ranges", async () => {
  const { device } = fold();
  const next = randomBits("overlapping");
  const options = {
    type: u32,
    maxLength: MOST,
    workGroupSize: 4,
    itemsPerThread: 2,
    segments: "begins",
  } as const;
  for (const passes of ["single", "reduce-then-scan"] as const) {
    const scan = await fold().prepareScan({ ...options, passes });
    const reduce = await fold().prepareReduce({ ...options, passes });
    for (let round = 0; round < 6; round++) {
      const anywhere = () =>
        Uint32Array.from({ length: 20 }, () => (next() % 5 === 0 ? next() : next() % 220));
      const data = randomWords(150, `overlapping ${round}`);
      const [begins, ends] = [arrayBuffer(device, anywhere(), 4), arrayBuffer(device, anywhere(), 4)];
      for (const [plan, room] of [
        [scan, 150],
        [reduce, 20],
      ] as const) {
        const input = arrayBuffer(device, data);
        const poison = randomWords(400, "poison");
        const output = storageBuffer(device, poison);
        const ranges = {
          input,
          output: { buffer: output, offset: 256 },
          length: data.length,
          begins: { buffer: begins, offset: 16 },
          ends: { buffer: ends, offset: 16 },
          segmentCount: 20,
        };
        submit(device, (encoder) => plan.record(encoder, ranges));
        const words = await readWords(device, output);
        expectSameBits(words.slice(0, 64), poison.slice(0, 64), "before the output");
        expectSameBits(words.slice(64 + room), poison.slice(64 + room), "behind the output");
        destroyAll(input, output);
      }
      destroyAll(begins, ends);
    }
    destroyAll(scan, reduce);
  }
});
