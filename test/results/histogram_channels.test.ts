import { describe, expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import { ArgumentError, openFold } from "../../src/node.ts";
import { planHistogram } from "../../src/plan/histogram.ts";
import { histogramReference } from "../../src/reference/histogram.ts";
import { arrayBuffer, destroyAll, readWords, storageBuffer, submit } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useAdapters, useFold, useSoftwareFold } from "../support/fold.ts";
import type { Subject } from "../support/mutations.ts";
import { testMutations } from "../support/mutations.ts";
import { errorOf } from "../support/option_checks.ts";
import { randomBits, randomWords } from "../support/random.ts";

// Histograms of several channels, and of two dimensions.

const fold = useFold();
const nextAdapter = useAdapters();

/** Pixels of red, green, blue and alpha. */
const image = randomWords(4 * 300, "image").map((word) => word % 256);

test.for(["never", "always"] as const)(
  "channels as the histogram of each channel, the CPU: %s",
  async (cpu) => {
    const own = await openFold({ adapter: await nextAdapter(), cpu });
    for (const channels of [1, 3, 4]) {
      for (const rule of [
        { bins: 256, range: [0, 256] },
        { edges: [10, 20, 200] },
        { bins: 5, bin: "x / 40u" },
      ] as const) {
        const parts = Array.from({ length: channels }, (_, channel) =>
          image.filter((__, at) => at % channels === channel),
        );
        const expected = parts.flatMap((part) => [...histogramReference(part, rule)]);
        expect([...(await own.histogram(image, { ...rule, channels }))]).toEqual(expected);
        expect([...histogramReference(image, { ...rule, channels })]).toEqual(expected);
      }
    }
    own.destroy();
  },
);

/** As NumPy's histogram2d counts, by comparisons alone. */
const countsOf = (x: ArrayLike<number>, y: ArrayLike<number>, ofX: number[], ofY: number[]): number[] => {
  const binOf = (value: number, edges: number[]): number =>
    edges.findIndex((edge, at) => {
      const next = edges[at + 1];
      const isLast = at + 2 === edges.length;
      return next !== undefined && value >= edge && (value < next || (isLast && value === next));
    });
  const counts = Array<number>((ofX.length - 1) * (ofY.length - 1)).fill(0);
  for (let at = 0; at < x.length; at++) {
    const [first, second] = [binOf(x[at] as number, ofX), binOf(y[at] as number, ofY)];
    if (first >= 0 && second >= 0) {
      const place = first * (ofY.length - 1) + second;
      counts[place] = (counts[place] as number) + 1;
    }
  }
  return counts;
};

test.for(["never", "always"] as const)("two dimensions, the CPU: %s", async (cpu) => {
  const own = await openFold({ adapter: await nextAdapter(), cpu });
  const next = randomBits("points");
  const length = 700;
  // Some are outside, at edges, or not a number.
  const x = Float32Array.from({ length }, (_, at) => (at % 50 === 0 ? Number.NaN : ((next() % 44) - 2) / 40));
  const y = Int32Array.from({ length }, () => (next() % 24) - 2);
  const edgesX = Array.from({ length: 9 }, (_, at) => at / 8);
  const edgesY = [0, 3, 4, 20];
  const expected = countsOf(x, y, edgesX, edgesY);
  const bins = { bins: 8, range: [0, 1] } as const;
  const found = await own.histogram(x, { ...bins, y, yEdges: edgesY });
  expect([...found]).toEqual(expected);
  expect([...histogramReference(x, { ...bins, y, yEdges: edgesY })]).toEqual(expected);
  // The bins of y are those of the data, or have another number or another range.
  const shared = { ...bins, y: x };
  const diagonal = await own.histogram(x, shared);
  expect([...diagonal]).toEqual(countsOf(x, x, edgesX, edgesX));
  expect([...(await own.histogram(x, { ...shared, yBins: 4 }))]).toEqual(
    countsOf(x, x, edgesX, [0, 0.25, 0.5, 0.75, 1]),
  );
  expect([...(await own.histogram(x, { ...shared, yRange: [0, 8] }))]).toEqual(
    countsOf(x, x, edgesX, [0, 1, 2, 3, 4, 5, 6, 7, 8]),
  );
  expectSameBits(found, histogramReference(x, { ...bins, y, yEdges: edgesY }), "counts");
  own.destroy();
});

test("recorded: from any item on, in parts, with weights, and with bins beyond the memory of a work-group", async () => {
  const { device } = fold();
  const bins = { bins: 256, range: [0, 256], maxLength: image.length } as const;
  const channels = await fold().prepareHistogram({ type: u32, ...bins, channels: 4 });
  const pairs = await fold().prepareHistogram({ type: u32, ...bins, y: u32, weights: u32 });
  const input = arrayBuffer(device, image, 3);
  const weights = arrayBuffer(device, image);
  const output = storageBuffer(device, randomWords(1100, "poison"));
  const both = storageBuffer(device, randomWords(65536, "poison of pairs"));
  submit(device, (encoder) => {
    const ranges = { input: { buffer: input, offset: 12 + 4 * 6 }, output: { buffer: output, offset: 256 } };
    // The part starts with the third channel.
    channels.record(encoder, { ...ranges, length: 801, firstIndex: 6 });
    const y = { buffer: input, offset: 16 };
    pairs.record(encoder, { input: { buffer: input, offset: 12 }, y, weights, output: both, length: 1000 });
  });
  const part = Uint32Array.of(999, 999, ...image.subarray(6, 807));
  const expected = histogramReference(part, { bins: 256, range: [0, 256], channels: 4 });
  expectSameBits((await readWords(device, output)).slice(64, 64 + 1024), expected, "channels");
  const [x, y] = [image.subarray(0, 1000), image.subarray(1, 1001)];
  const sums = histogramReference(x, { bins: 256, range: [0, 256], y, weights: x });
  expectSameBits(await readWords(device, both), sums, "pairs");
  destroyAll(channels, pairs, input, weights, output, both);
});

test("arrays on the GPU", async () => {
  const x = await fold().upload(image);
  const y = await fold().upload(Float32Array.from(image, (value) => value / 2));
  const counts = await fold().histogram(x, { bins: 4, range: [0, 256], y, yRange: [0, 128] });
  expect(counts.length).toBe(16);
  const found = await counts.read();
  expect([0, 5, 10, 15].reduce((sum, at) => sum + (found[at] as number), 0)).toBe(image.length);
  destroyAll(x, y, counts);
});

describe("what is refused", () => {
  const data = Uint32Array.of(1, 2, 3);
  const bins = { bins: 2, range: [0, 4] } as const;
  test.each([
    [{ ...bins, channels: 0 }, "channels", /channels is 0; it takes a whole number from 1 up/],
    [{ ...bins, channels: 1.5 }, "channels", /channels is 1.5/],
    [{ ...bins, channels: 2 ** 31 }, "bins", /bins is 4294967296 together; it takes at most 2\^32 - 1/],
    [{ ...bins, channels: 2, y: data }, "channels", /takes channels or y, and not both/],
    [{ ...bins, yBins: 2 }, "yBins", /yBins is only for two dimensions; it takes y, too/],
    [{ ...bins, y: data, yBins: 0 }, "yBins", /yBins is 0; it takes a whole number/],
    [{ ...bins, y: data, yRange: [0.5, 2] }, "yRange", /yRange is \[0.5, 2\]; it takes whole numbers/],
    [{ ...bins, y: data, yEdges: [1, 0] }, "yEdges", /yEdges\[1\] is 0/],
    [{ bins: 2, bin: "x", y: data }, "yBins", /y takes yEdges, or yBins and yRange/],
    [{ ...bins, y: data.subarray(1) }, "y", /2.* 3|3.* 2/],
  ])("%o", async (options, option, message) => {
    for (const call of [
      () => fold().histogram(data, options as never),
      async () => histogramReference(data, options as never),
    ]) {
      const error = await errorOf(call());
      expect(error).toBeInstanceOf(ArgumentError);
      expect(error.message).toMatch(message);
      expect(error.option).toBe(option);
    }
  });
});

const counted = (options: object): Subject =>
  async function* (own) {
    const bins = { bins: 8, range: [0, 256], channels: 3 } as const;
    const plan = planHistogram(
      { type: u32, ...bins, maxLength: 300, workGroupSize: 8, itemsPerThread: 4 },
      contextOf(own.device).facts,
      options,
    );
    const histogram = await prepare(contextOf(own.device), plan);
    const data = image.subarray(0, 300);
    const output = storageBuffer(own.device, randomWords(24, "poison"));
    const input = arrayBuffer(own.device, data);
    const ranges = { input, output, length: 299, firstIndex: 1 } as never;
    submit(own.device, (encoder) => histogram.record(encoder, ranges));
    const part = Uint32Array.of(999, ...data.subarray(0, 299));
    yield [await readWords(own.device, output), histogramReference(part, bins)];
    destroyAll(histogram, input, output);
  };

const pairsOf: Subject = async function* (own) {
  const x = image.subarray(0, 200);
  const bins = { bins: 3, range: [10, 100] } as const;
  const options = { ...bins, y: image.subarray(1, 201), yBins: 5 };
  yield [await own.histogram(x, options), histogramReference(x, options)];
};

describe("on SwiftShader", () => {
  const software = useSoftwareFold();

  // Its compiler follows all paths through a loop. With the items of a thread written out, this kernel has 2^16 times as many, and is never done.
  test("two dimensions whose bins are estimated", { timeout: 60_000 }, async () => {
    const y = image.map((word) => 255 - word);
    const options = { bins: 24, range: [0, 111], yBins: 40, yRange: [0, 189] } as const;
    const found = await software().histogram(image, { ...options, y });
    expect(found).toEqual(histogramReference(image, { ...options, y }));
  });
});

testMutations(
  fold,
  { channels: counted({}), pairs: pairsOf },
  {
    pairs: {
      "an item outside all bins counts in the next channel": [
        "bin < BINS && channel < CHANNELS",
        "channel < CHANNELS",
      ],
      "an item outside the first dimension counts": ["bin < BINS && channel < CHANNELS", "bin < BINS"],
      "another item's bin is stored": [
        "bin_numbers[index] = select",
        "bin_numbers[length - 1u - index] = select",
      ],
      "each thread stores one bin": [
        "let index = tile * TILE + item * WORK_GROUP_SIZE + thread;",
        "let index = tile * TILE + thread;",
        { unseenOnGpus: "a work-group has a thread for each of the fifteen bins there" },
      ],
    },
    channels: {
      "channels lie in each other": ["channel * BINS + bin", "channel + bin"],
      "a part starts with the first channel": ["(index + call.first_index) % CHANNELS", "index % CHANNELS"],
      "counters of the first channel alone are added": ["bin < CHANNELS * BINS;", "bin < BINS;"],
    },
  },
);
