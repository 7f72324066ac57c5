import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { GpuArray } from "../../src/gpu/gpu_arrays/gpu_array.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import type { Fold } from "../../src/node.ts";
import { openFold, u32 } from "../../src/node.ts";
import { bitsOf } from "../../src/primitives/example_calls.ts";
import { argumentsAmong } from "../../src/primitives/primitive.ts";
import { adapter, isSimulated } from "../support/adapter.ts";
import { foldExamples } from "../support/fold_examples.ts";
import { described, exampleNumbers, prepareName } from "../support/primitives.ts";
import { places } from "./described_call.ts";
import type { Case } from "./families.ts";
import { runCase } from "./families.ts";
import type { Fixture } from "./fixture.ts";
import { fixtureOn } from "./fixture.ts";
import { scaleOf } from "./plans.ts";
import type { StepSpec } from "./recorded.ts";
import type { Sorting } from "./sortings.ts";
import { sortings } from "./sortings.ts";
import { staysInside, withoutComments } from "./text.ts";
import { Fault } from "./verdict.ts";

let fold: Fold;
let fixture: Fixture;
beforeAll(async () => {
  const kind = isSimulated ? "simulated" : adapter;
  fold = await openFold({ adapter: kind });
  fixture = fixtureOn(fold, scaleOf(kind));
});
afterAll(() => fixture.destroy());

/** The fixture with another fold: methods of this one, but for those that a test plants a fault in. */
const planted = (methods: object): Fixture => ({
  ...fixture,
  fold: new Proxy(fold, {
    get(target, name) {
      const value: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  }),
  // What is prepared with a fault is not kept.
  kept: (_, make) => make(),
});

const data = { kind: "small", seed: 1 } as const;
const tuning = { workGroupSize: 4, itemsPerThread: 2 } as const;
const step: StepSpec = { plan: 0, encoder: 0, length: 37, data };
const recorded = (plan: object, ...steps: Partial<StepSpec>[]): Case =>
  ({
    family: "recorded",
    plans: [{ type: "u32", maxLength: 100, ...tuning, ...plan }],
    encoders: ["command"],
    steps: steps.map((one) => ({ ...step, ...one })),
  }) as unknown as Case;
const scan = recorded({ primitive: "scan" }, {});
/** The examples by offsets, by begins and ends, by heads and by keys: of reductions, and of scans. */
const segmentExamples = ["offsets", "begins", "heads", "keys"].map((name) =>
  foldExamples.scan.of(u32, 90, bitsOf(6)).findIndex(({ operands }) => name in { ...operands }),
) as [number, number, number, number];
/** A scan at hand, or steps of it. */
const hand = (...steps: object[]): Case =>
  ({
    family: "described",
    call: { primitive: "scan", type: "u32", maxLength: 9, example: 0, seed: 1 },
    steps: (steps.length > 0 ? steps : [{}]).map((one) => ({
      place: "at hand",
      length: 9,
      data: { kind: "bits", seed: 1 },
      before: 1,
      ...one,
    })),
  }) as Case;
/** Keys alone, and keys with values: sorts, planned in one way. */
const sorted = (sorting: Sorting, type: string, more: object = {}): Case =>
  ({
    family: "described",
    call: { primitive: "sort", type, maxLength: 900, seed: 1, sorting, example: 0, ...more },
    steps: [
      { place: "recorded", length: 900, data: { kind: "bits", seed: 3 }, before: 3 },
      { place: "recorded", length: 320, data, before: 1, layout: "in place" },
    ],
  }) as Case;
/** The example of a sort of rows, without other keys. */
const [rowsExample] = exampleNumbers(
  "sort",
  u32,
  ({ options, operands }) => "segments" in options && !operands,
);

describe("a case that is right passes", () => {
  const right: readonly (readonly [string, Case])[] = [
    ["a scan", scan],
    ["in place, twice", recorded({ primitive: "scan" }, { output: { buffer: 0, how: "input" } }, {})],
    [
      "one range behind another",
      recorded(
        { primitive: "reduce", op: "affine" },
        { input: { buffer: 0, how: "apart" }, output: { buffer: 0, how: "apart" } },
      ),
    ],
    [
      "f64 in a plan's order",
      recorded({ primitive: "scan", type: "f64" }, { data: { kind: "level", seed: 3 } }),
    ],
    [
      "f32 within a bound",
      recorded({ primitive: "scan", type: "f32" }, { data: { kind: "level", seed: 3 } }),
    ],
    ["a compaction by flags, with arguments", recorded({ primitive: "compact", indirect: "dispatch" }, {})],
    [
      "an initial value as a value, in a range, and with a map",
      recorded(
        { primitive: "scan", op: "affine", map: "own", initial: true, total: true },
        { asValue: true, firstIndex: 7 },
        { initial: { buffer: 1, how: "apart" }, total: { buffer: 2, how: "apart" } },
      ),
    ],
    ["a length in a buffer", recorded({ primitive: "compact", where: "odd", lengthOnGpu: true }, {})],
    ["a call at hand", hand()],
    ...(["shared", "shrunk"] as const).map((kind): [string, Case] => [
      `a call at hand, ${kind}, beside others`,
      { ...hand({}, { hazard: { kind, operand: 0 } }, {}), atOnce: true } as Case,
    ]),
    ["a function in a kernel", { family: "in-kernel", size: [5, 1, 1], functions: [{ kind: "scan", data }] }],
    [
      "an expression",
      { family: "text", kind: "expression", slot: "map", tree: ["+", "x", "i"], between: [0] },
    ],
    ...sortings.flatMap((sorting): [string, Case][] =>
      [
        ["f32", {}],
        ["u64", { options: tuning, lengthOnGpu: true }],
      ].map(([type, more]) => [
        `a sort of ${type} ${sorting}, ${Object.keys(more as object).length > 0 ? "by small tiles" : "as usual"}`,
        sorted(sorting, type as string, more as object),
      ]),
    ),
    ...described.flatMap(({ primitive: { name: primitive } }) =>
      [...places, "recorded" as const].map((place, at): [string, Case] => [
        `${primitive}, ${place}, example ${at}`,
        {
          family: "described",
          call: { primitive, type: "f32", maxLength: 90, example: at, seed: at, lengthOnGpu: at % 2 === 1 },
          steps: [
            { place, length: 90, data, before: 3 },
            { place, length: 20, data, before: 0, firstIndex: 5, isChained: place === "counted" },
          ],
        },
      ]),
    ),
    ...(["scan", "reduce", "compact"] as const).flatMap((primitive): [string, Case][] => {
      const plan = { primitive, type: "i32", ...tuning } as const;
      const whole = { length: 300, data };
      const long = { type: "i32", maxLength: 6000, example: 0, seed: 1, options: tuning } as const;
      const steps = (["wrapped", "counted", "recorded"] as const).map((place) => ({
        place,
        length: 6000,
        before: 3,
        data,
      }));
      return [
        [
          `${primitive} on the GPU, in windows`,
          { family: "described", windows: true, call: { ...long, primitive }, steps },
        ],
        [
          `${primitive} piece by piece`,
          {
            family: "streams",
            plan: { ...plan, where: "odd" },
            pieceBits: 10,
            steps: [
              { ...whole, length: 700, chunk: 99, initial: true },
              { ...whole, length: 700, chunk: 1, atHand: true },
              { ...whole, length: 700, chunk: 99, row: 7 },
              { ...whole, length: 1200, chunk: 99, row: 400, initial: true },
              { ...whole, chunk: 20, failsAfter: 2 },
            ],
          },
        ],
      ];
    }),
    [
      "a recording in windows",
      { ...recorded({ primitive: "scan", maxLength: 6000 }, { length: 6000 }), windows: true },
    ],
    ["a file", { family: "files", kind: "header", dtype: "f2", shape: [2, 3], data }],
  ];
  test.each(right)("%s", async (_, one) => {
    expect(await runCase(one, fixture)).toBe("passed");
  });

  test("and one that must be refused is refused", async () => {
    const overlap = recorded(
      { primitive: "scan" },
      { input: { buffer: 0, how: "at" }, output: { buffer: 0, how: "at", items: 4 } },
    );
    expect(await runCase(overlap, fixture)).toBe("refused");
    expect(
      await runCase(
        recorded({ primitive: "scan", op: "latest", misfit: true, workGroupSize: 0.5 }, {}),
        fixture,
      ),
    ).toBe("refused");
  });
});

/** Prepares as the fold does, but records with other ranges. */
const preparedWith = (
  change: (ranges: Record<string, unknown>, encoder: GPUCommandEncoder) => Record<string, unknown>,
): Fixture =>
  planted({
    async prepareScan(options: never) {
      const prepared = await fold.prepareScan(options);
      return {
        ...prepared,
        record: (encoder: GPUCommandEncoder, ranges: Record<string, unknown>) =>
          prepared.record(encoder, change(ranges, encoder) as never),
      };
    },
  });

describe("a planted fault is found:", () => {
  test("an item that is not written", async () => {
    const bad = preparedWith((ranges) => ({ ...ranges, length: 36 }));
    await expect(runCase(scan, bad)).rejects.toThrow(/wrong in scan<u32, add>'s output/);
  });

  test("a sort whose order of arrival is not checked", async () => {
    const { device } = fold;
    const compile = device.createShaderModule;
    const spy = vi.spyOn(device, "createShaderModule").mockImplementation((descriptor) => {
      const code = descriptor.code.replaceAll(/is_wrong\w* \|= !is_first\w* & .*/g, "");
      return compile.call(device, { ...descriptor, code });
    });
    const one = sorted("by arrival, wrong in all tiles", "u32", {
      options: { workGroupSize: 16, itemsPerThread: 4, algorithm: "subgroup" },
    });
    fold.trim();
    try {
      await expect(runCase(one, planted({}))).rejects.toThrow(/wrong in sort<u32>/);
    } finally {
      spy.mockRestore();
      fold.trim();
    }
  });

  test("a sort of other rows, of which the last one may be short, and one that leaves the values where they are", async () => {
    const bad = (change: (ranges: Record<string, unknown>) => object): Fixture =>
      planted({
        async prepareSort(options: object) {
          const made = await fold.prepareSort(options as never);
          return {
            ...made,
            record: (encoder: never, ranges: Record<string, unknown>) =>
              made.record(encoder, { ...ranges, ...change(ranges) } as never),
          };
        },
      });
    const run = (example: number, more: object, how: object, on: Fixture): Promise<unknown> =>
      runCase(
        {
          family: "described",
          // As `exampleNumbers` draws them.
          call: { primitive: "sort", type: "u32", maxLength: 100, seed: 1, example, ...more },
          steps: [{ place: "recorded", length: 77, data: { kind: "bits", seed: 3 }, before: 3, ...how }],
        } as unknown as Case,
        on,
      );
    const halved = bad(({ rows }) => ({ rows: Math.ceil((rows as number) / 2) }));
    const inPlace = { layout: "in place" };
    await expect(run(rowsExample, { lengthOnGpu: true }, inPlace, halved)).rejects.toThrow(
      /wrong in sort<u32>/,
    );
    const [withValues] = exampleNumbers("sort", u32, ({ operands = {} }) => "values" in operands);
    const left = bad(({ reordered }) => ({ values: reordered }));
    await expect(run(withValues, {}, {}, left)).rejects.toThrow(/wrong in sort<u32> .*'s reordered/);
  });

  test("an array that is gone and is taken, one that is read too late, and calls at once that read each other's array", async () => {
    const run = (
      scan: (array: Uint32Array, options: object) => Promise<Uint32Array>,
      ...steps: object[]
    ): Promise<unknown> => runCase({ ...hand(...steps), atOnce: true } as Case, planted({ scan }));
    const hazard = (kind: string) => ({ hazard: { kind, operand: 0 } });
    await expect(run(async () => new Uint32Array(9), hazard("detached"))).rejects.toThrow(
      "works, and that array is gone",
    );
    const late = async ({ buffer, byteOffset, length }: Uint32Array): Promise<Uint32Array> => {
      await undefined;
      return new Uint32Array(buffer, byteOffset, length);
    };
    for (const kind of ["transferred", "shrunk"]) {
      await expect(run(late, hazard(kind))).rejects.toThrow("throws what is no refusal of ours");
    }
    let last: Uint32Array = new Uint32Array();
    const mixed = async (array: Uint32Array, options: object): Promise<Uint32Array> => {
      last = array;
      await undefined;
      return fold.scan(last, options);
    };
    await expect(run(mixed, {}, { data: { kind: "bits", seed: 2 } })).rejects.toThrow(
      /item \d+ of 9 is wrong/,
    );
  });

  // Of each described primitive: a call at hand that lacks the first element, a call on the GPU that takes others, a recording of one
  // item less, and one that has its output an item further.
  test.each(described)("$primitive.name of other elements, or in another place", async ({ primitive }) => {
    const { name } = primitive;
    const method = (called: string) =>
      (fold[called as keyof Fold] as unknown as (...all: readonly unknown[]) => Promise<unknown>).bind(fold);
    const changed = (change: (ranges: Record<string, unknown>) => object) =>
      planted({
        async [prepareName(primitive)](options: object) {
          const made = (await method(prepareName(primitive))(options)) as Prepared;
          return {
            ...made,
            record: (encoder: never, ranges: object) =>
              made.record(encoder, { ...ranges, ...change(ranges as Record<string, unknown>) } as never),
          };
        },
      });
    const input = argumentsAmong(primitive.operands).findIndex(({ range }) => range === "input");
    const others = planted({
      [name]: async (...all: unknown[]) => {
        const given = all[input] as Uint32Array | GpuArray<"u32", number>;
        const elements = (given instanceof Uint32Array ? given : await given.read()).map((x) => 3 - x);
        all[input] = given instanceof Uint32Array ? elements : await fold.upload(elements);
        return method(name)(...all);
      },
    });
    /** The first fault that an example shows: there are conditions to which most elements do not matter. */
    const run = async (place: string, bad: Fixture): Promise<void> => {
      for (const [example, seed] of [0, 1, 2, 4].flatMap((one) =>
        [3, 4, 5].map((from) => [one, from] as const),
      )) {
        const call = { primitive: name, type: "u32", maxLength: 90, example, seed };
        const steps = [{ place, length: 90, data: { ...data, seed }, before: 3 }];
        await runCase({ family: "described", call, steps } as unknown as Case, bad);
      }
    };
    await expect(run("at hand", others)).rejects.toThrow(Fault);
    await expect(run("uploaded", others)).rejects.toThrow(Fault);
    const earlier = (range: unknown): object => ({ ...(range as object), offset: 0 });
    const recordings: readonly ((ranges: Record<string, unknown>) => object)[] = [
      ({ input }) => ({ input: earlier(input) }),
      ({ output, unique }) => (output ? { output: earlier(output) } : { unique: earlier(unique) }),
    ];
    for (const change of prepareName(primitive) in fold ? recordings : []) {
      await expect(run("recorded", changed(change))).rejects.toThrow(
        /wrong in .*, recorded, 90 items's \w+: byte/,
      );
    }
  });

  test("a reduction of segments that leaves the last item out, and a scan that goes on over a head", async () => {
    const short = planted({
      reduce: (array: Uint32Array, options: object) =>
        fold.reduce(Uint32Array.of(...array.subarray(0, -1), 77), options as never),
      scan: (array: Uint32Array, { segments: _, ...options }: { segments?: object }) =>
        fold.scan(array, options as never),
    });
    // The first fault that a seed shows: operators such as or hide some.
    const run = async (primitive: string, example: number): Promise<void> => {
      for (const seed of [1, 2, 3, 4, 5, 6]) {
        const steps = [{ place: "at hand", length: 90, data, before: 3 }];
        const call = { primitive, type: "u32", maxLength: 90, seed, example };
        await runCase({ family: "described", call, steps } as unknown as Case, short);
      }
    };
    const [offsets, ...others] = segmentExamples;
    await expect(run("reduce", offsets)).rejects.toThrow(/item \d+ of \d+ is wrong/);
    for (const example of others) {
      await expect(run("scan", example)).rejects.toThrow(/item \d+ of \d+ is wrong/);
    }
  });

  test("a recording of segments that starts at another key, or that stores a total too many", async () => {
    const recording = (change: (ranges: Record<string, unknown>) => object): Fixture =>
      planted({
        async prepareReduce(options: never) {
          const prepared = await fold.prepareReduce(options);
          return {
            ...prepared,
            record: (encoder: GPUCommandEncoder, ranges: Record<string, unknown>) =>
              prepared.record(encoder, { ...ranges, ...change(ranges) } as never),
          };
        },
      });
    const run = async (example: number, bad: Fixture): Promise<void> => {
      for (const seed of [1, 2, 3, 4, 5, 6]) {
        const call = { primitive: "reduce", type: "u32", maxLength: 90, example, seed };
        const steps = [{ place: "recorded", length: 90, data, before: 3 }];
        await runCase({ family: "described", call, steps } as unknown as Case, bad);
      }
    };
    const [offsets, , , keys] = segmentExamples;
    const other = recording(({ keys: range }) => ({ keys: { ...(range as object), offset: 16 } }));
    await expect(run(keys, other)).rejects.toThrow(/wrong in reduce<u32>.*'s \w+: byte/);
    const more = recording(({ segmentCount }) => ({ segmentCount: (segmentCount as number) - 1 }));
    await expect(run(offsets, more)).rejects.toThrow(/wrong in reduce<u32>.*'s output: byte/);
  });

  test("runs that are written out with one item too few, and past their room", async () => {
    const run = (place: string, bad: Fixture): Promise<unknown> =>
      runCase(
        {
          family: "described",
          // The output has too little room for all.
          call: { primitive: "expandRuns", type: "u32", maxLength: 300, example: 3, seed: 3 },
          steps: [{ place, length: 300, data, before: 3 }],
        } as unknown as Case,
        bad,
      );
    const short = planted({
      expandRuns: async (values: Uint32Array, counts: Uint32Array) =>
        (await fold.expandRuns(values, counts)).slice(0, -1),
    });
    await expect(run("at hand", short)).rejects.toThrow(/items instead of/);
    const further = planted({
      async prepareExpandRuns(options: never) {
        const prepared = await fold.prepareExpandRuns(options);
        return {
          ...prepared,
          record: (encoder: GPUCommandEncoder, ranges: { outputLength: number }) =>
            prepared.record(encoder, { ...ranges, outputLength: ranges.outputLength + 3 } as never),
        };
      },
    });
    await expect(run("recorded", further)).rejects.toThrow(/wrong in expandRuns<u32>.*'s output: byte/);
  });

  test("a partition whose rest lies one item further, and one that gives no array of the caller's", async () => {
    const [example] = exampleNumbers("partition", u32, ({ recorded }) => recorded !== undefined);
    const run = (step: object, bad: Fixture): Promise<unknown> =>
      runCase(
        {
          family: "described",
          call: { primitive: "partition", type: "u32", maxLength: 90, example, seed: 3 },
          steps: [{ length: 90, data, before: 3, ...step }],
        } as unknown as Case,
        bad,
      );
    const further = planted({
      async preparePartition(options: never) {
        const prepared = await fold.preparePartition(options);
        return {
          ...prepared,
          record: (encoder: GPUCommandEncoder, ranges: { rest: { buffer: GPUBuffer; offset: number } }) =>
            prepared.record(encoder, {
              ...ranges,
              rest: { ...ranges.rest, offset: ranges.rest.offset + 4 },
            } as never),
        };
      },
    });
    await expect(run({ place: "recorded" }, further)).rejects.toThrow(
      /wrong in partition<u32> .*'s rest: byte/,
    );
    await expect(run({ place: "recorded", layout: "together" }, further)).rejects.toThrow(
      /wrong in partition<u32> .*'s output and rest: byte/,
    );
    const elsewhere = planted({
      partition: (array: Uint32Array, { into: _, ...options }: { into: unknown }) =>
        fold.partition(array, options as never),
    });
    await expect(run({ place: "at hand", into: 0 }, elsewhere)).rejects.toThrow(/into is not what it gives/);
    await expect(run({ place: "wrapped", into: 0 }, elsewhere)).rejects.toThrow(/writes into: byte/);
    await expect(run({ place: "wrapped", layout: "in place" }, elsewhere)).rejects.toThrow(
      /writes data: byte/,
    );
  });

  test("a call on the GPU that writes past its place, and one that loses the total", async () => {
    const run = async (example: number, more: object, bad: Fixture): Promise<void> => {
      for (const seed of [1, 2, 3, 4]) {
        const call = { primitive: "scan", type: "u32", maxLength: 90, example, seed };
        const steps = [{ place: "wrapped", length: 90, data, before: 3, ...more }];
        await runCase({ family: "described", call, steps } as unknown as Case, bad);
      }
    };
    const long = planted({
      scan: async (_: GpuArray<"u32", number>, { into, ...options }: { into: GpuArray<"u32", number> }) => {
        const { buffer, offset, maxLength } = into;
        const more = await fold.wrap({ buffer, type: u32, offset, length: maxLength + 1 });
        const other = await fold.upload(new Uint32Array(maxLength + 1));
        return fold.scan(other, { ...options, into: more });
      },
    });
    await expect(run(0, { into: 3 }, long)).rejects.toThrow(
      /gives Uint32Array of 91 items|writes into: byte/,
    );
    const lost = planted({
      scan: (array: GpuArray<"u32", number>, { total: _, ...options }: { total: unknown }) =>
        fold.scan(array, options as never),
    });
    await expect(run(2, {}, lost)).rejects.toThrow(/: total: item 0 of 1 is wrong/);
  });

  test("a recording that leaves a window out", async () => {
    // The second window is left out.
    const bad = preparedWith((ranges) => ({ ...ranges, length: 4096 }));
    const one = { ...recorded({ primitive: "scan", maxLength: 6000 }, { length: 6000 }), windows: true };
    await expect(runCase(one, bad)).rejects.toThrow(/wrong in scan<u32, add>'s output/);
  });

  test("a stream that drops the carry, and one that hides its source's error", async () => {
    const plan = { primitive: "scan", type: "u32", ...tuning };
    const run = (bad: Fixture, more: object): Promise<unknown> =>
      runCase(
        {
          family: "streams",
          plan,
          pieceBits: 10,
          steps: [{ length: 700, data, chunk: 99, ...more }],
        } as unknown as Case,
        bad,
      );
    const each = planted({
      scanStream: () =>
        new TransformStream({
          async transform(chunk: Uint32Array, controller) {
            controller.enqueue(await fold.scan(chunk));
          },
        }),
    });
    await expect(run(each, {})).rejects.toThrow(
      /scan<u32, add> of 700 items in a stream: item \d+ of 700 is wrong/,
    );
    await expect(run(each, { row: 350 })).rejects.toThrow(
      /scan<u32, add> of rows of 350, of 700 items in a stream: item \d+ of 700 is wrong/,
    );
    const silent = planted({
      scanStream: (options: never) => {
        const { readable, writable } = fold.scanStream(options);
        const writer = writable.getWriter();
        // What breaks the source only ends the stream.
        return {
          readable,
          writable: new WritableStream({
            write: (chunk: never) => writer.write(chunk),
            close: () => writer.close(),
            abort: () => writer.close(),
          }),
        };
      },
    });
    await expect(run(silent, { failsAfter: 2 })).rejects.toThrow(/in a stream/);
  });

  test("a word behind the range that is written", async () => {
    const bad = preparedWith((ranges) => ({ ...ranges, length: 38, input: ranges.input }));
    await expect(runCase(scan, bad)).rejects.toThrow(/no range that is written/);
  });

  test("an error of the device that nobody catches", async () => {
    const bad = preparedWith((ranges, encoder) => {
      const { buffer } = { buffer: ranges.output as GPUBuffer };
      encoder.copyBufferToBuffer(buffer, 0, buffer, 0, 4);
      return ranges;
    });
    await expect(runCase(scan, bad)).rejects.toThrow("an uncaught error of the device");
  });

  test("a TypeError where an error of ours belongs", async () => {
    const bad = preparedWith(() => {
      throw new TypeError("no");
    });
    await expect(runCase(scan, bad)).rejects.toThrow("throws what is no refusal of ours: TypeError");
  });

  test("a call that must work and is refused", async () => {
    const bad = preparedWith((ranges) => ({ ...ranges, length: -1 }));
    await expect(runCase(scan, bad)).rejects.toThrow("is refused, and must work");
  });

  test("a sum that is off by more than its bound", async () => {
    const one = recorded({ primitive: "scan", type: "f32" }, { data: { kind: "level", seed: 3 } });
    // The sums of the items from the second place on.
    const bad = preparedWith((ranges) => ({ ...ranges, input: { buffer: ranges.input, offset: 4 } }));
    await expect(runCase(one, bad)).rejects.toThrow(/item 0 is .*; it may be off/);
  });

  test("an array at hand that differs in one item, or is of another length", async () => {
    const bad = (change: (array: Uint32Array) => Uint32Array): Fixture =>
      planted({
        scan: async (array: Uint32Array, options: object) => change(await fold.scan(array, options)),
      });
    const off = bad((array) => array.map((x, index) => (index === 8 ? x + 1 : x)));
    await expect(runCase(hand(), off)).rejects.toThrow("item 8 of 9 is wrong");
    const short = bad((array) => array.slice(1));
    await expect(runCase(hand(), short)).rejects.toThrow("of 8 items instead of Uint32Array of 9");
  });
});

test("a fault is told from a failure of the fuzzer's own", async () => {
  await expect(
    runCase(hand(), planted({ scan: () => Promise.reject(new RangeError("no")) })),
  ).rejects.toBeInstanceOf(Fault);
});

describe("what stays inside the brackets that it is put into", () => {
  test.each([
    ["x > 1u", true],
    ["x /* ) */ > 1u // )", true],
    ["/* /* ) */ ( */ x", true],
    ["// a\r x", true],
    ["true // \r ); } fn evil() -> bool { return bool(true", false],
    ["true /* /* */ ); } fn evil() { return (true", false],
    ["true) || (true", false],
    ["true ; false", false],
    ["/* /* */", false],
    ["(x]", false],
  ])("%j: %s", (text, expected) => {
    expect(staysInside(text, true)).toBe(expected);
  });

  test("comments end at every line terminator of WGSL, and nest", () => {
    for (const end of ["\n", "\v", "\f", "\r", "\u0085", "\u2028", "\u2029"]) {
      expect(withoutComments(`a// b${end}c`)).toBe(`a${end}c`);
    }
    expect(withoutComments("a/* b /* c */ d */e")).toBe("a e");
    expect(withoutComments("a/* b")).toBeUndefined();
  });
});
