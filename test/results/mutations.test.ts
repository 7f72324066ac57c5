import type { AnyArray } from "../../src/algebra/arrays.ts";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ScalarType } from "../../src/algebra/types.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import type { SortTesting } from "../../src/plan/check_sort.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import type { TuningOptions } from "../../src/plan/options.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { planSort } from "../../src/plan/sort.ts";
import { planSegmentSort } from "../../src/plan/sort_segments.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { expandRunsReference } from "../../src/reference/runs.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { argSortReference, sortReference, topKReference } from "../../src/reference/sort.ts";
import { fourMaps, fourMapsInTurn, lastingItems } from "../look_back/operators.ts";
import { readWords, storageBuffer, submit, wordsOf } from "../support/buffers.ts";
import { asOnGpus, planAs, useFold } from "../support/fold.ts";
import type { Mutations, Subject } from "../support/mutations.ts";
import { testMutations } from "../support/mutations.ts";
import { affine } from "../support/operators.ts";
import type { Change } from "../support/plant.ts";
import { keepsKeys, keepsRanks } from "../support/plant.ts";
import { randomItems } from "../support/random.ts";

// Rules of segments, sorts and selections are broken in the shader's text, one at a time: those that the examples of test/primitives/ need not show.

// Subgroups are small, so that few items take several of them, and items arrive at counters in order.
const fold = useFold({
  subgroupSize: 4,
  subgroupMinSize: 4,
  subgroupMaxSize: 4,
  lanes: "natural",
  atomics: "natural",
});

/** Several tiles, and two levels of spine; vectors of four and an edge. */
const LENGTH = 1003;
const numbers = randomItems(u32, LENGTH, "numbers") as Uint32Array;
// So the last segment has another total than a new buffer holds.
numbers[LENGTH - 1] = 1;
const few = numbers.map((x) => x % 5);
const tile = { workGroupSize: 16, itemsPerThread: 4 } as const;
/** What a call leaves behind of these is wrong for the next one, which may take the same buffers. */
const others = numbers.map((x) => ~x >>> 0);
const twice = { ...tile, algorithm: "blelloch", passes: "reduce-then-scan" } as const;
const once = { ...tile, algorithm: "blelloch", passes: "single" } as const;

/** Empty segments at the start, inside and at the end. */
const offsets = [0, 0, 3, 3, 3, 130, 131, 800, LENGTH, LENGTH];
// One of the flags past the last vector is set, whatever the numbers are.
const flags = numbers.map((x, at) => u32From(x % 7 === 0 || at === LENGTH - 2));
const bits = new Uint32Array(Math.ceil(LENGTH / 32));
for (const [at, flag] of flags.entries()) {
  bits[at >> 5] = ((bits[at >> 5] ?? 0) | (flag << (at & 31))) >>> 0;
}
/** Bits of f32, of which every third is NaN, each with others. */
const nans = numbers.map((x, at) => (at % 3 === 0 ? 0x7fc00000 + (x % 2 ** 20) : x % 2 ** 30));
const keys = Uint32Array.from({ length: LENGTH }, (_, at) => Math.floor(Math.sqrt(at)) % 3);

function u32From(flag: boolean): number {
  return flag ? 1 : 0;
}

const scanned = (segments: object, more: object = {}): Subject =>
  async function* (own) {
    for (const exclusive of [false, true]) {
      const options = { op: affine, segments, exclusive, ...more } as never;
      const expected = scanReference(numbers, options);
      for (const plan of [twice, once]) {
        yield [await own.scan(numbers, { ...(options as object), ...plan } as never), expected];
      }
    }
  };

const reduced = (segments: object): Subject =>
  async function* (own) {
    const options = { op: affine, segments } as never;
    const expected = reduceReference(numbers, options);
    await own.reduce(others, { ...(options as object), ...twice } as never);
    yield [await own.reduce(numbers, { ...(options as object), ...twice } as never), expected];
  };

const all = (...some: readonly Subject[]): Subject =>
  async function* (own) {
    for (const one of some) {
      yield* one(own);
    }
  };

/**
 * Keys of so many digits of four bits. The simulator has each thread of a subgroup count all its items before the next thread. So that they
 * arrive in order all the same, equal digits of a subgroup's items are of one thread: item `i` is of lane `i % 4`, in each pass.
 */
function arriving(digits: number): Uint32Array {
  const keys = new Uint32Array(LENGTH);
  for (let digit = 0; digit < digits; digit++) {
    const sorted = argSortReference(keys);
    for (const [place, at] of [...sorted].entries()) {
      const next = 4 * (place % 4) + (Math.floor(place / 16) % 3);
      keys[at] = (keys[at] as number) | (next << (4 * digit));
    }
  }
  return keys;
}

/** Keys alone that are ranked as they arrive: in a wrong order in every second tile, if `disorder` is 2. */
const byArrival = (bits: Uint32Array, type: ScalarType = u32, disorder?: number): Subject =>
  async function* ({ device }) {
    const context = contextOf(device);
    const options = { type, algorithm: "subgroup", ...tile, passes: "reduce-then-scan" } as const;
    const planned = { byArrival: true, partBytes: 128, ...(disorder && { disorder }) };
    const plan = planSort({ ...options, maxLength: LENGTH }, context.facts, undefined, undefined, planned);
    const sort = await prepare(context, plan);
    const [input, output] = [bits, new Uint32Array(LENGTH)].map((one) => storageBuffer(device, one)) as [
      GPUBuffer,
      GPUBuffer,
    ];
    submit(device, (encoder) => sort.record(encoder, { input, output, length: LENGTH }));
    const data = type === f32 ? new Float32Array(bits.buffer) : bits;
    const expected = [...argSortReference(data)].map((at) => bits[at]);
    yield [[...(await readWords(device, output)).subarray(0, LENGTH)], expected];
    sort.destroy();
  };

/** Positions that move with keys, in tiles that subgroups rank. */
const positionsOf = (
  data: Uint32Array,
  tuning: TuningOptions & { readonly bits?: readonly [number, number] },
  testing: SortTesting,
): Subject =>
  async function* ({ device }) {
    const context = contextOf(device);
    const options = { type: u32, algorithm: "subgroup", ...tuning, maxLength: LENGTH } as const;
    const sort = await prepare(context, planSort(options, context.facts, "positions", undefined, testing));
    const [input, output, reordered] = [data, new Uint32Array(LENGTH), new Uint32Array(LENGTH)].map((one) =>
      storageBuffer(device, one),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer];
    submit(device, (encoder) => sort.record(encoder, { input, output, reordered, length: LENGTH }));
    yield [[...(await readWords(device, reordered)).subarray(0, LENGTH)], [...argSortReference(data)]];
    sort.destroy();
  };
/** Positions that marks check. If `disorder` is 2, the items of every second tile arrive in a wrong order. */
const byMarks = (data: Uint32Array, disorder?: number): Subject =>
  positionsOf(
    data,
    { workGroupSize: 128, itemsPerThread: 2, bits: [0, 4] },
    { byMarks: true, partBytes: 512, ...(disorder && { disorder }) },
  );

/** 198 words in one recording of a plan, which fill no vector at the end: keys alone, or with positions. `rows` is the length of a row. */
const recordedOnce = (
  moved: "positions" | undefined,
  type: ScalarType,
  planned: (facts: DeviceFacts, maxLength: number) => Plan,
  rows?: number,
): Subject =>
  async function* ({ device }) {
    const context = contextOf(device);
    const words = few.slice(0, 198);
    // The last key is the least, so that what is past the end, which has that key, would come before the others.
    words.fill(0, 196);
    const data = type.bytes === 8 ? new BigUint64Array(words.buffer) : words;
    const { length } = data;
    const sort = await prepare(context, planned(context.facts, length));
    const [input, output, reordered] = [words, words, words].map((one) =>
      storageBuffer(device, Uint32Array.from(one)),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer];
    submit(device, (encoder) =>
      sort.record(encoder, { input, output, ...(moved && { reordered }), ...(rows && { rows }), length }),
    );
    const expected = new Uint32Array(sortReference(data).buffer);
    yield [[...(await readWords(device, output)).subarray(0, words.length)], [...expected]];
    if (moved) {
      yield [[...(await readWords(device, reordered)).subarray(0, length)], [...argSortReference(data)]];
    }
    sort.destroy();
  };

/** One row that a network of comparisons sorts. */
const byNetwork = (moved: "positions" | undefined): Subject => {
  const sizes = { short: 0, network: 256, networkThreads: 64, networkItems: 4 } as const;
  const options = { type: u32, segments: "rows" } as const;
  return recordedOnce(
    moved,
    u32,
    (facts, maxLength) => planSegmentSort({ ...options, maxLength }, facts, moved, undefined, sizes),
    198,
  );
};

const both = (segments: object): Subject => all(reduced(segments), scanned(segments));

/** Keys, and where each came from, which shows stability. */
const sorted = (options: object, data = numbers): Subject =>
  async function* (own) {
    yield [await own.sort(data, options as never), sortReference(data, bitsOf(options))];
    yield [await own.argSort(data, options as never), argSortReference(data, bitsOf(options))];
  };

/**
 * One plan sorts again and again, fewer items and more, by three digits: after an odd number of passes, what the last one leaves would count in
 * the first one of the next sort.
 */
const sortedAgain: Subject = async function* (own) {
  const { device } = own;
  const sort = await own.prepareSort({ type: u32, maxLength: LENGTH, bits: [0, 12], ...once });
  const input = storageBuffer(device, numbers);
  for (const length of [LENGTH, LENGTH - 200, LENGTH, LENGTH - 7]) {
    const output = storageBuffer(device, new Uint32Array(LENGTH));
    submit(device, (encoder) => sort.record(encoder, { input, output, length }));
    const found = (await readWords(device, output)).subarray(0, length);
    yield [[...found], [...sortReference(numbers.subarray(0, length), { bits: [0, 12] })]];
  }
  sort.destroy();
};
const bitsOf = (options: object): never => ("bits" in options ? { bits: options.bits } : {}) as never;

const many = randomItems(u32, 25_003, "many") as Uint32Array;
/** 26 have a higher digit than all others. */
const manyAndHigher = many.map((x, at) => (at % 1000 === 0 ? 5000 + (at % 3) : x % 200));
/** 26 again. Each is in a block of a thread of its own, whether threads take blocks that follow each other or not. */
const manyAndHigherByThreads = many.map((x, at) =>
  at % (17 * 32) === 0 && at < 26 * 17 * 32 ? 5000 + (at % 3) : x % 200,
);
const manyOfFew = many.map((x) => x % 5);

/** Few elements are taken by blocks, and many by digits. */
const greatest = (data: Uint32Array, k: number, segments?: { readonly rows: number }): Subject =>
  async function* (own) {
    const options = segments ? { segments } : {};
    const { values, indices } = await own.topK(data, k, options);
    const expected = topKReference(data, k, options);
    yield [values, expected.values];
    yield [indices, expected.indices];
  };

/** Rows that work-groups take whole: level by level, or by subgroups, as on NVIDIA's GPUs. */
const whole = (columns: number, vendor: string): Subject =>
  async function* (own) {
    const meant = { op: affine, segments: { rows: columns } } as never;
    const options = { ...(meant as object), workGroupSize: 64, itemsPerThread: 4 } as never;
    const restore = planAs(own, { vendor, software: false });
    try {
      const wholeRows = (data: Uint32Array) => data.subarray(0, LENGTH - (LENGTH % columns));
      // Scales are odd, so that what comes before an item counts however many follow.
      const data = wholeRows(numbers.map((x) => (x | 0x10000) >>> 0));
      await own.reduce(wholeRows(others), options);
      yield [await own.reduce(data, options), reduceReference(data, meant)];
      yield [await own.scan(data, options), scanReference(data, meant)];
    } finally {
      restore();
    }
  };

/** Of exact sums: four tiles of 16 items, and 4 threads each. */
const exactArrays = [
  // A tie in the second tile, and what breaks it in the first one, far below.
  [[2 ** -149], [1, 2 ** -24, 0, 0, -(2 ** -24)]],
  // The first tile has the highest bit of the second one's fixed point, which starts at 2 ** -41 and has 96 bits.
  [[2 ** 54], [2 ** -18, 1, 2 ** -17]],
  // The second tile comes back to what is below its fixed point, in a thread that starts below zero.
  [[2 ** -149], [-1, 0, 0, 0, 1, 2 ** -3, -(2 ** -3)]],
  // Many binades: a tie and what breaks it in one thread; what carries from the lower word and then stands alone; both signs;
  // carries over whole words.
  [[0, 0, 0, 0, 1, 2 ** -24, 2 ** -100, 0]],
  [[2 ** 80, 0, 0, 0, 2 ** 52, 2 ** 52, -(2 ** 80), 0, 2 ** -60]],
  [
    [-(2 ** -149), 2 ** 100, -(2 ** 60), -(2 ** 30)],
    [-1, -(2 ** -140), 2 ** 90, 2 ** -60, -(2 ** 90), 1],
  ],
  [
    [2 ** 100, 2 - 2 ** -23, 2 ** -23, 2 ** 31, 2 ** 31, 2 ** -120],
    [-(2 ** 120), 3, -(2 ** -80)],
  ],
  [Array.from({ length: 16 }, (_, at) => -(2 - 2 ** -23) * 2 ** (at % 4)), [3, -5, 7]],
  // Sums below zero.
  [
    Array.from({ length: 16 }, (_, at) => -(1 + at * 2 ** -20) * 2 ** ((at * 5) % 39)),
    Array.from(
      { length: 16 },
      (_, at) => (at % 3 === 0 ? 1 : -1) * (1 + at * 2 ** -20) * 2 ** ((at * 5) % 39),
    ),
  ],
  // What is in the lower word of two decides: by itself, and by a carry.
  [[1, 0, 0, 0, 2 ** -24, 2 ** -35]],
  [[1 + 2 ** -23, 2 ** -25, 2 ** -26, 2 ** -27, 2 ** -28, 2 ** -28]],
  // Ties that are even and odd, and carries between the words that prefixes are rounded in.
  [
    [1 + 2 ** -23, 2 ** -24, 0, 0, -(2 ** -23), 0, 0, 0, -2, 0, 0, 0, -1, -(2 ** -24)],
    Array.from(
      { length: 16 },
      (_, at) => (at % 5 === 0 ? -1 : 1) * (1 + at * 2 ** -20) * 2 ** -((7 * at) % 38),
    ),
  ],
  // Prefixes whose highest bits stay where they are, and where they do not; both signs; totals that carry from column to column.
  ...[1, -1].flatMap((sign) => [
    [
      [sign * 4096],
      Array.from(
        { length: 16 },
        (_, at) => (at % 3 === 0 ? -1 : 1) * (1 + at * 2 ** -20) * 2 ** ((at * 5) % 27),
      ).map((x) => x / 2 ** 18),
      [-sign * 3, -sign * 1, -sign * 2, -sign * 3, -sign * 3000, sign * 2500],
      [sign * 2 ** -11, sign * 2 ** -12],
    ],
    [[sign * 4096], [0, sign * 2 ** -12, -sign * 2 ** -51]],
    // A tie, and what decides it far below.
    [
      [sign * 4096, sign * 2 ** -12, 2 ** -100],
      [sign * 2 ** -11, sign * 2 ** -11, sign * 2 ** -11],
    ],
    [
      [sign * 4096, sign * 2 ** -12, -(2 ** -100)],
      [sign * 2 ** -11, sign * 2 ** -11, sign * 2 ** -11],
    ],
  ]),
  [[-1], [-(2 ** -3)], [-3, 2 ** 40], [5]],
].map((tiles) => {
  const data = new Float32Array(64);
  for (const [at, items] of tiles.entries()) {
    data.set(items, 16 * at);
  }
  return data;
});

/** Exact sums as on GPUs, where most tiles are combined in a few words. */
const exactly = (does: "scan" | "reduce"): Subject =>
  async function* (own) {
    const restore = planAs(own, { software: false });
    try {
      for (const data of exactArrays) {
        const sizes = { ...twice, workGroupSize: 4 };
        yield does === "scan"
          ? [
              await own.scan(data, { op: exactAdd, exclusive: true, ...sizes }),
              scanReference(data, { op: exactAdd, exclusive: true }),
            ]
          : [await own.reduce(data, { op: exactAdd, ...sizes }), reduceReference(data, { op: exactAdd })];
      }
    } finally {
      restore();
    }
  };

/** Of f64: tiles of 16 items, which go in vectors of two, and a last tile that ends in the middle of a vector. */
const exactDoubles = [
  // A tie in the second tile, and what breaks it in the first one, far below.
  [[2 ** -1074], [1, 2 ** -53, 0, 0, -(2 ** -53)]],
  // The first tile has more than the second one's fixed point has room for.
  [[2 ** 300], [2 ** -18, 1, 2 ** -17], [-(2 ** 300), 1]],
  // What comes before the third tile is below zero, in whole words and in a part of one.
  [
    [-(2 ** 40), 3],
    [-(2 ** -90)],
    Array.from({ length: 13 }, (_, at) => (1 + at * 2 ** -40) * 2 ** (3 * at)),
  ],
  // No number comes before the second tile.
  [[Infinity], [1, 2]],
  // Prefixes whose highest bits are near each other, and far from each other; both signs.
  ...[1, -1].flatMap((sign) => [
    [
      [sign * 2 ** 40, sign * 2 ** 20],
      Array.from(
        { length: 16 },
        (_, at) => (at % 3 === 0 ? -1 : 1) * (1 + at * 2 ** -20 + 2 ** -50) * 2 ** ((at * 5) % 39),
      ),
      [
        sign * 2 ** 39,
        sign * 2 ** 39,
        -sign * 2 ** 39,
        -sign * 2 ** 39,
        -sign * 2 ** 39,
        0,
        0,
        0,
        -sign * 2 ** 39,
        sign * 2 ** -9,
      ],
    ],
    [[sign * 2 ** 40], [0, sign * 2 ** -13, -sign * 2 ** -60]],
    [[sign * 2 ** 40], [sign * 2 ** -12, sign * 2 ** -13, sign * 2 ** -16]],
    // The highest bit goes far to the right.
    [[sign * 2 ** 40], [sign / 3, -sign * 2 ** 40]],
    // A tie, and what decides it far below.
    [
      [sign * 2 ** 40, sign * 2 ** -13, 2 ** -200],
      [sign * 2 ** -12, sign * 2 ** -12, sign * 2 ** -12],
    ],
    [
      [sign * 2 ** 40, sign * 2 ** -13, -(2 ** -200)],
      [sign * 2 ** -12, sign * 2 ** -12, sign * 2 ** -12],
    ],
  ]),
  // The start has bits below fixed point, which ends at a prefix's last place.
  [
    [1, 2 ** -53, 2 ** -54],
    [0, 1],
  ],
  // Totals that carry from column to column.
  [[-1, -(2 ** -90)], [2 ** 100], [1]],
].map((tiles) => {
  const data = new Float64Array(45);
  for (const [at, items] of tiles.entries()) {
    data.set(items, 16 * at);
  }
  return data;
});

/** Exact scans of f64, recorded as on GPUs. */
const exactlyDoubles: Subject = async function* (own) {
  const { device } = own;
  const restore = planAs(own, { software: false });
  const scan = await own
    .prepareScan({ type: f64, op: exactAdd, exclusive: true, maxLength: 45, ...twice, workGroupSize: 4 })
    .finally(restore);
  try {
    for (const data of exactDoubles) {
      const output = storageBuffer(device, new Uint32Array(90));
      submit(device, (encoder) =>
        scan.record(encoder, {
          input: storageBuffer(device, new Uint32Array(data.buffer)),
          output,
          length: 45,
        }),
      );
      yield [
        await readWords(device, output),
        new Uint32Array(scanReference(data, { op: exactAdd, exclusive: true }).buffer),
      ];
    }
  } finally {
    scan.destroy();
  }
};

/** Structs of 32 bytes, whose inclusive prefixes come from the next lane: three chunks of two rows a tile. */
const longStructs: Subject = async function* (own) {
  const { device } = own;
  const { subgroupMaxSize } = contextOf(device).facts;
  const sizes = { workGroupSize: 2 * subgroupMaxSize, itemsPerThread: 6 };
  const length = 3 * sizes.workGroupSize * sizes.itemsPerThread - 5;
  const options = { type: fourMaps, op: fourMapsInTurn, maxLength: length, ...sizes };
  const scan = await asOnGpus(own, () =>
    own.prepareScan({ ...options, algorithm: "subgroup", passes: "single" } as never),
  );
  const data = lastingItems(fourMaps, length, "long structs");
  const [input, output] = [wordsOf(data), new Uint32Array(8 * length)].map((one) =>
    storageBuffer(device, one),
  ) as [GPUBuffer, GPUBuffer];
  submit(device, (encoder) => scan.record(encoder, { input, output, length }));
  const expected = wordsOf(scanReference(data as never, { op: fourMapsInTurn } as never) as AnyArray);
  yield [await readWords(device, output), expected];
  scan.destroy();
};

/** Each value is there some 180 times. */
const manyTimes = many.subarray(0, 9001).map((x) => x % 50);

const subjects = {
  "inclusive scans of long structs": longStructs,
  "exact scans": exactly("scan"),
  "exact scans of f64": exactlyDoubles,
  "exact reductions": exactly("reduce"),
  "whole rows of 17": whole(17, "any"),
  "whole rows of 17, by subgroups": whole(17, "nvidia"),
  "whole rows of 20, by subgroups": whole(20, "nvidia"),
  "parts of rows of 257, by subgroups": whole(257, "nvidia"),
  "rows of 17": both({ rows: 17 }),
  "rows of 1": scanned({ rows: 1 }),
  offsets: both({ offsets }),
  "bits of heads": scanned({ headBits: bits }),
  keys: both({ keys }),
  // Two blocks in each tile, runs longer than many words of bits, and more empty runs in one place than a work-group has threads.
  "runs written out": async function* (own) {
    const counts = Uint32Array.from({ length: LENGTH }, (_, run) =>
      run > 100 && run < 400 ? 0 : ([1, 0, 40, 3][run % 4] as number),
    );
    counts[50] = 1500;
    counts[700] = 2;
    const sizes = { workGroupSize: 64, itemsPerThread: 64 };
    yield [await own.expandRuns(numbers, counts, sizes), expandRunsReference(numbers, counts)];
  },
  "a sort by counters, once": sorted(once),
  "sorts by one plan": sortedAgain,
  "positions ranked as they arrive": byMarks(few, 2),
  "positions that arrive in order": byMarks(arriving(1)),
  "keys ranked as they arrive": byArrival(numbers, u32, 2),
  "keys that arrive in order": byArrival(arriving(8)),
  "keys with NaN, ranked as they arrive": byArrival(nans, f32, 2),
  "a sort of keys by a network": byNetwork(undefined),
  // A row has several chunks, of 1024 items in software and of 4096 on GPUs.
  "the greatest of long rows": greatest(
    Uint32Array.from({ length: 10_000 }, (_, at) => Math.floor(at / 2) % 2500),
    3,
    { rows: 5000 },
  ),
  // Too many for chunks to leave any out.
  "many of the greatest of rows": greatest(manyOfFew.subarray(0, 6000), 1700, { rows: 3000 }),
  // The first digit alone tells which the first 26 are.
  "the greatest of many": all(
    greatest(manyAndHigher, 50),
    greatest(manyAndHigher, 26),
    greatest(manyAndHigherByThreads, 26),
    greatest(manyAndHigher, 38),
    greatest(manyAndHigher, 64),
  ),
  // More than one work-group puts in order: 100 on a software adapter, 1000 on GPUs.
  "many of the greatest": all(greatest(manyAndHigher, 100), greatest(manyAndHigher, 1000)),
  // By one number alone, a wrong digit may be right by chance.
  "very many": all(...[7200, 5300, 3100].map((k) => greatest(manyTimes, k))),
} satisfies Record<string, Subject>;

/** Between parts of a tile, no order is checked. */
const uncheckedPart = [/(let is_first\w* = )\w+ == 0u && /g, "$1"] as const;
/** The last item of the first part and the first one of the second change places, in the last pass. */
const swapped = (before: string, isFor = ""): Change => ({
  from: new RegExp(`(?=\\n\\s*${before})`),
  to: `
  for (var at = 0u; at < ITEMS; at++) {
    if (${isFor}call.digit == DIGITS - 1u && (ranks[at] == SHARE - 1u || ranks[at] == SHARE)) {
      ranks[at] = 2u * SHARE - 1u - ranks[at];
    }
  }`,
});
const lastComeFirst = [/(fn arrival_of\(.*\n\s*return) item;/, "$1 ITEMS - 1u - item;"] as const;

const mutations: Mutations<keyof typeof subjects> = {
  // Prefixes that come from the next lane.
  "inclusive scans of long structs": {
    "a lane keeps what comes before its own item": [/element_shuffle\((given\w*), next\w*\)/g, "$1"],
    "the last lane of a row gets what comes before the first item of that row": [
      /if \(subgroup_rank == 0u\) \{(\s*given\w* = scan)/g,
      "if (false) {$1",
    ],
    "the last lane of a row gets the chunk's total": [/given(\w*) = before\w*\[min\(.*/g, ""],
    "the last lane of a chunk gets what comes before the chunk's last row": [
      /given\w* = scan\w*\.total;/g,
      "",
    ],
    "chunks before are not combined with what comes from the next lane": [
      /combine\(earlier_rows\w*, (element_shuffle\(given\w*, next\w*\))\)/g,
      "$1",
    ],
    "what comes from the next lane is combined before earlier chunks": [
      /combine\((earlier_rows\w*), (element_shuffle\(given\w*, next\w*\))\)/g,
      "combine($2, $1)",
    ],
    "only the last chunk counts for the next one": [
      /(earlier_rows\w*) = combine\(\1, (scan\w*\.total)\);/g,
      "$1 = $2;",
    ],
  },
  // Exact sums.
  "exact scans": {
    "what is below fixed point is forgotten": ["atomicOr(&fixed_rest, rest);", ""],
    "fixed point takes more than it has room for": [
      "beyond |= bitcast<u32>(bitcast<i32>(sum[FIXED_WORDS - 1u]) >> 29u) ^ sign;",
      "",
    ],
    "prefixes whose bits are below fixed point are rounded there": [
      "if (rest != 0u && lowest <= EXACT_FRACTION + 1u) {",
      "if (false) {",
    ],
    "a sum in fixed point loses its sign as it becomes a whole sum": ["below |= sign << bit;", ""],
    "a whole sum loses a borrow": [
      /borrow = select\(0u, 1u, own_word < MIDDLE/g,
      "borrow = select(0u, 0u, own_word < MIDDLE",
    ],
    "an item of a whole sum loses its sign": ["var left = carry + sign_of(last);", "var left = carry;"],
    "a sum in two words loses the bits below them": [
      /rest \|= bitcast<u32>\(value\) \^ bitcast<u32>\(shifted << below\);/g,
      "",
    ],
    "a sum in two words loses a carry": [/ \+ select\(0u, 1u, partial < added\.x\)/g, ""],
    "a sum in two words lacks what it rounds by, and is stored all the same": [
      /prefix\.is_sure \|\| rest == 0u/g,
      "true",
    ],
    "a prefix near the middle of two floats is rounded without what is below it": [
      "|| nearest <= 2u * LACKS",
      "",
    ],
    "prefixes whose highest bit moves are rounded as if it did not": ["changed >= HIGHEST || ", ""],
    "the lower digit of a prefix loses a carry": [/ \+ \(prefix\.x >> 26u\)/g, ""],
    "the start of a run loses its sign": [
      "let sign = own_start[FIXED_WORDS - 1u] & 0x80000000u;",
      "let sign = 0u;",
    ],
    "a group of totals forgets the groups before it": [
      "sum = add_columns(sum, take_column(earlier, word));",
      "",
    ],
  },
  "exact scans of f64": {
    "two items of a vector change places": [
      /array<Input, VECTOR>\((vec2<u32>\(.*?\)), (vec2<u32>\(.*?\))\);/,
      "array<Input, VECTOR>($2, $1);",
    ],
    "a vector of which a part is past the end is read as if it were whole": [
      "if (first + VECTOR <= call.wide_length) {",
      "if (first < call.wide_length + VECTOR) {",
    ],
    "a carry that threads share loses its last word": [
      "exact_carry[word] = select(0u, spine[tile][word], tile > 0u);",
      "exact_carry[word] = select(0u, spine[tile][word], word + 1u < EXACT_WORDS);",
    ],
    "a carry that threads share loses what others than the first read": [
      "exact_carry[word] = select(0u, spine[tile][word], tile > 0u);",
      "exact_carry[word] = select(0u, spine[tile][word], thread == 0u);",
    ],
    "words of a carry above fixed point are forgotten": [
      "beyond |= select(0u, own ^ sign, word > first + FIXED_WORDS);",
      "",
    ],
    "words of a carry below fixed point are forgotten": ["rest |= select(0u, own, word < first);", ""],
    "only the first thread looks at a carry": ["if (beyond != 0u) {", "if (beyond != 0u && thread == 0u) {"],
    "a carry that is no number is taken for one": ["beyond |= select(1u, 0u, is_plain);", ""],
    "a prefix of f64 near the middle of two is rounded without what is below it": [
      "|| nearest <= ((2u * LACKS) << MOST_LEFT)",
      "",
    ],
    "prefixes of f64 are rounded without what is below fixed point": [
      "if (rest != 0u && place < base + 78u) {",
      "if (false) {",
    ],
    "prefixes of f64 are rounded wherever their highest bit goes": ["widest > MOST_LEFT || ", ""],
    "the highest bit of a prefix of f64 is not where it is rounded": [
      /let left = countLeadingZeros\(highest_digit\) - 5u;/g,
      "let left = 1u;",
    ],
    "the lowest digit of a prefix of f64 loses a carry": [/ \+ \(prefix\.x >> 26u\)/g, ""],
    "an item of f64 loses its part in the lowest digit": [/ \+ third \* parts\.z,/g, ","],
    "the start of a run of f64 loses its sign": [
      "let sign = sign_of(own_start[FIXED_WORDS - 1u]);",
      "let sign = 0u;",
    ],
    "a column of totals forgets what the one below hands on": [/lows\[\d+u?\] \+= below;/g, ""],
    "what columns of totals hand on goes no further": ["carry_through(slot);", ""],
    "totals forget that one of them is no number": [/\| seen\[\d+u?\]/g, ""],
  },
  "exact reductions": {
    "a thread's sum loses its sign in the tile's digits": [
      /add_digit\(first \+ 2u \* FIXED_WORDS, .*\);/,
      "",
    ],
    "an item loses its sign in the tile's digits": [
      /add_digit\(first \+ 2u \* ITEM_WORDS, sum\[ITEM_WORDS\]\);/g,
      "",
    ],
    "digits lose a carry": [/carry = \(carry >> 16u\) \+ /g, "carry = "],
  },
  "whole rows of 17": {
    "the total of a run in a row leaves out the last element": [
      "for (var at = 1u; at < count; at++) {",
      "for (var at = 1u; at + 1u < count; at++) {",
    ],
  },
  "whole rows of 17, by subgroups": {
    "lanes combine across the start of a row": [
      /subgroup_rank >= step_back && distance >= step_back/g,
      "subgroup_rank >= step_back",
    ],
    "rows that start within vectors are taken for rows that do not": [
      "let is_simple = rows_have_vectors();",
      "let is_simple = true;",
    ],
    "a subgroup's run takes nothing of the runs before": [
      "before = combine(before, subgroup_totals[slot]);",
      "",
    ],
  },
  "whole rows of 20, by subgroups": {
    "operands within a vector of a row are swapped": [
      /tail = combine\(tail, (items\w*\[[^\]]+\])\);/,
      "tail = combine($1, tail);",
    ],
    "a scan of rows that start at vectors has nothing of the vectors before": [
      "if (!is_simple || scans_rows()) {",
      "if (!is_simple) {",
    ],
  },
  "parts of rows of 257, by subgroups": {
    "a part of a row that starts within a vector has the items before it": [
      "if (index >= own.first && index < own.end) {",
      "if (index < own.end) {",
    ],
  },
  "rows of 17": {
    "a row that starts inside a vector has no head": [/column \+ \w+ == call\.columns/g, "false"],
  },
  "rows of 1": {
    "rows shorter than a vector have one head a vector": ["if (call.columns < VECTOR) {", "if (false) {"],
  },
  offsets: {
    "the place of a total is that of its vector's start": [
      /(store_total_of_segment\(vector_of\(tile, thread, item \/ VECTOR\) \* VECTOR) \+ item % VECTOR/,
      "$1",
    ],
    "a total at a vector's end is looked for at its start": [
      /is_last_of_segment\(first \+ (\d+u|item), length\)/g,
      "is_last_of_segment(first, length)",
    ],
  },
  "bits of heads": {
    "all bits of a word are its first ones": [
      "heads[call.heads_base + first / 32u] >> (first % 32u)",
      "heads[call.heads_base + first / 32u]",
    ],
  },
  keys: {
    "a key is compared with the first of its vector": [/before = own\w*;/g, ""],
  },
  "runs written out": {
    "a block keeps the starts of the one before": ["atomicStore(&block_starts[word], 0u);", ""],
  },
  // Sorts.
  "a sort of keys by a network": {
    "what is past the end comes first in a network": [
      "network_keys[item] = ~Key();",
      "network_keys[item] = Key();",
    ],
  },
  "a sort by counters, once": {
    "the last digit of a tile has no items": ["return TILE - first;", "return 0u;"],
  },
  "sorts by one plan": {
    "bins keep what the sort before the last one counted": [
      "atomicStore(&spine[other * BINS + bin], 0u);",
      "",
    ],
    "bins do not take turns": ["atomicStore(&spine[NEXT_BINS], other);", ""],
    "a sort reads the bins that the next one counts in": [
      "atomicStore(&bins[COUNTED_BINS], atomicLoad(&bins[NEXT_BINS]));",
      "",
    ],
    "entries of tiles keep what the last sort left": ["atomicStore(&bins[word], 0u);", ""],
  },
  "keys ranked as they arrive": {
    "the order of keys that arrive is not checked": [/is_wrong\w* \|= !is_first\w* & .*/g, ""],
    "the order is checked by this digit alone": [
      /return \(earlier\w* << others\w*\) <= \(later\w* << others\w*\);/g,
      "return digit_of(earlier, call.digit) <= digit_of(later, call.digit);",
    ],
    "a tile that is out of order stays so": [/disorder\w*, 1u\)/g, "disorder, 0u)"],
  },
  "positions ranked as they arrive": {
    "the order of positions that arrive is not checked": [/is_wrong\w* \|= !is_first\w* & .*/g, ""],
    "marks tell digits alone": [
      /atomicLoad\(&sort_memory\[at\w* \+ 1u\]\) <= (atomicLoad\(&sort_memory\[at\w*\]\))/g,
      "(atomicLoad(&sort_memory[at + 1u]) >> 16u) < ($1 >> 16u)",
    ],
    "a tile whose marks are out of order keeps its ranks": [
      "workgroupUniformLoad(&ranks_again) != 0u",
      "workgroupUniformLoad(&ranks_again) == 2u",
    ],
    "a tile that is ranked again does not begin at the first place of each digit": [
      "set_first_of_digit(first, thread);",
      "set_first_of_digit(0u, thread);",
    ],
    "a tile that is ranked again counts on from the marks": [
      /(\) != 0u\) \{\n\s*)clear_ranks\(thread\);(\n\s*count_items\(tile, digits, thread\);\n\s*set_first)/g,
      "$1$2",
    ],
  },
  "positions that arrive in order": {
    "the first mark of a part is not compared with the last one of the part before": [
      ...uncheckedPart,
      { besides: swapped("var first = 0u;") },
    ],
    // Votes would mend these.
    "a thread's last items with positions arrive first": [
      ...lastComeFirst,
      { besides: { ...keepsRanks, needsOrder: true } },
    ],
    "items arrive at the counters of all subgroups' first one": [
      "return subgroup_number * RADIX + digit;",
      "return ((subgroup_number + 1u) % SUBGROUP_SLOTS) * RADIX + digit;",
      { besides: { ...keepsRanks, needsOrder: true } },
    ],
  },
  "keys that arrive in order": {
    // Both have one digit in the last tile. If they had two, one of them would be stored over another tile's item.
    "the first key of a part is not compared with the last one of the part before": [
      ...uncheckedPart,
      {
        besides: swapped(
          String.raw`workgroupBarrier\(\);\n\s*put_items\(ranks, items, 0u\);\n`,
          "own < TILE && ",
        ),
      },
    ],
    // Votes would mend this, too.
    "a thread's last keys arrive first": [...lastComeFirst, { besides: { ...keepsKeys, needsOrder: true } }],
  },
  "keys with NaN, ranked as they arrive": {
    "NaN are ranked as they arrive": ["return all(x == Key(0xffffffffu));", "return false;"],
  },
  "the greatest of long rows": {
    "the chunks of a row are the first one": ["segment % call.row_chunks * SLOT", "0u * SLOT"],
  },
  "many of the greatest of rows": {
    "the first of all rows are those of the first row": [/(index\w*) \/ stored \* call\.columns \+ /g, ""],
  },
  "very many": {
    "of equal keys, the last index is left out": [
      "(index & selection.index_mask) <= selection.index",
      "(index & selection.index_mask) < selection.index",
    ],
    "the selection ends while more are left than are wanted": [
      "return remaining == count;",
      "return remaining <= count;",
    ],
  },
  "many of the greatest": {
    "blocks that lower digits took are forgotten": ["remaining -= last.y;\n    let bit", "let bit"],
    // One too many would show by chance alone: it is stored where another one is, too, or behind the last one.
    "one of the last digit's blocks too few is taken": [
      "(before >> 16u) < remaining",
      "(before >> 16u) + 1u < remaining",
      { unseenOnGpus: "an H100 gave right results, and why is open" },
    ],
    "parts of a block are those of the first one": ["(numbers[block >> bits] << bits)", "0u"],
  },
  "the greatest of many": {
    "of equal keys, those with the lowest numbers are not told apart": [
      "numbers[item] >> end, by_number",
      "0u, by_number",
    ],
    "a limit leaves out keys that have its first digits": [
      "limit.key |= select(Key(), ~bits_above(end), all_are_taken);",
      "",
    ],
  },
};

testMutations(fold, subjects, mutations);
