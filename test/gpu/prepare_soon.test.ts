import process from "node:process";
import { afterEach, describe, expect, test, vi } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { max } from "../../src/algebra/operators.ts";
import type { StructType } from "../../src/algebra/struct.ts";
import { struct } from "../../src/algebra/struct.ts";
import { ArgumentError, DeviceLostError } from "../../src/errors.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import type { Fold } from "../../src/node.ts";
import { openFold } from "../../src/node.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { partitionReference } from "../../src/reference/partition.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { readWords, storageBuffer, submit, submitted } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { planAs, untyped, useFold } from "../support/fold.ts";
import { nullGpu } from "../support/null_device.ts";
import { affine } from "../support/operators.ts";
import { randomBits, randomItems } from "../support/random.ts";
import type { PlacedRanges, Places } from "../support/ranges.ts";
import { runPlaced } from "../support/ranges.ts";
import { limitsWithBinding } from "../support/short_bindings.ts";
import { watched } from "../support/watched_device.ts";

// With `soon`, recordings go by two passes of kernels that compile quickly until the plan's own kernels are there. The tests hold back the
// pipelines of either plan, so that each order of events happens.

const fold = useFold();

const own = { algorithm: "hillis-steele", workGroupSize: 16, itemsPerThread: 4 } as const;
const twice = { ...own, passes: "reduce-then-scan" } as const;
const once = { ...own, passes: "single" } as const;
const MOST = 2100;
const plain = { type: u32, maxLength: MOST, ...twice } as const;

/** Which plan a kernel is of. Some kernels do not depend on a plan's sizes. */
type Side = "own" | "quick" | "any";
function sideOf(code: string): Side {
  const [, size] = /\bWORK_GROUP_SIZE\b[^;]*= *(\d+)u?;/.exec(code) ?? [];
  return size === undefined ? "any" : Number(size) === own.workGroupSize ? "own" : "quick";
}
const kernelsOf = (plan: unknown): Prepared["kernels"] => (plan as Prepared).kernels;
const isOwn = (plan: unknown): boolean => kernelsOf(plan).every(({ code }) => sideOf(code) !== "quick");

/** Holds back the pipelines of some plans from now on. */
function hold({ device, trim }: Pick<Fold, "device"> & { trim?: () => void }, ...sides: readonly Side[]) {
  trim?.();
  const { createShaderModule, createComputePipelineAsync } = device;
  const codes = new WeakMap<GPUShaderModule, string>();
  const asked: Side[] = [];
  const gates = new Map(
    sides.map((side) => {
      let open = (_?: Error): void => {};
      const gate = new Promise<Error | undefined>((resolve) => {
        open = resolve;
      });
      return [side, { gate, open }];
    }),
  );
  vi.spyOn(device, "createShaderModule").mockImplementation((descriptor) => {
    const module = createShaderModule.call(device, descriptor);
    codes.set(module, descriptor.code);
    return module;
  });
  const later = vi.spyOn(device, "createComputePipelineAsync").mockImplementation(async (descriptor) => {
    const side = sideOf(codes.get(descriptor.compute.module) ?? "");
    asked.push(side);
    const failure = await gates.get(side)?.gate;
    if (failure) {
      throw failure;
    }
    return createComputePipelineAsync.call(device, descriptor);
  });
  const now = vi.spyOn(device, "createComputePipeline");
  return {
    /** Lets the pipelines of a plan go, or has them fail. */
    open: (side: Side, failure?: Error) => gates.get(side)?.open(failure),
    /** The plans whose pipelines were asked for, one after another. */
    asked,
    later,
    now,
  };
}
const held = (...sides: Side[]) => hold({ device: fold().device, trim: () => fold().trim() }, ...sides);

const unhandled: unknown[] = [];
const listener = (cause: unknown): void => void unhandled.push(cause);
process.on("unhandledRejection", listener);
afterEach(async () => {
  vi.restoreAllMocks();
  await turns();
  expect(unhandled.splice(0)).toEqual([]);
});

/** Turns in which everything that can happen does. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** Whether a promise has resolved or been rejected by now. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  const note = (): void => {
    done = true;
  };
  promise.then(note, note);
  await turns();
  return done;
}

const layouts = {
  vectors: { input: 0, output: 0, shared: false },
  items: { input: 1, output: 3, shared: false },
  "one buffer": { input: 1, output: 6002, shared: true },
  "in place": { input: 64, output: 64, shared: true },
} as const satisfies Record<string, Places>;

const data = (length: number): Uint32Array => Uint32Array.from({ length }, randomBits(`soon ${length}`));
const LENGTHS = [0, 33, 1025];

/** A plan, what it records, and what the output then holds. */
interface Case {
  readonly name: string;
  prepare(): Promise<{ readonly settled: Promise<void>; destroy(): void }>;
  record(plan: never, encoder: GPUCommandEncoder, ranges: PlacedRanges, extra: GPUBuffer): void;
  /** The output, and the words of `extra`. */
  wanted(items: Uint32Array): readonly [output: Uint32Array, extra: readonly number[]];
  /** The items that ranges have room for. The default is the length. */
  readonly room?: number;
}

const keep = (value: number): boolean => value % 3 === 1;
const where = "x % 3u == 1u";
const cases: readonly Case[] = [
  ...[twice, once].flatMap((tuning): Case[] => {
    const by = tuning.passes;
    const options = { type: u32, maxLength: MOST, ...tuning, soon: true } as const;
    return [
      {
        name: `an exclusive scan by an operator that does not commute, ${by}`,
        prepare: () => fold().prepareScan({ ...options, op: untyped(affine), exclusive: true }),
        record: (plan: Prepared, encoder, ranges) => plan.record(encoder, ranges),
        wanted: (items) => [scanReference(items, { op: affine, exclusive: true }), []],
      },
      {
        name: `a scan with its total and its length on the GPU, ${by}`,
        prepare: () => fold().prepareScan({ ...options, lengthOnGpu: true, total: true }),
        record: (plan: Prepared, encoder, ranges, extra) => {
          fold().device.queue.writeBuffer(extra, 0, Uint32Array.of(ranges.length));
          plan.record(encoder, {
            ...ranges,
            length: { buffer: extra, size: 4 },
            total: storageBuffer(fold().device, new Uint32Array(4)),
          });
        },
        wanted: (items) => [scanReference(items), [items.length]],
        room: MOST,
      },
      {
        name: `a reduction from a value, ${by}`,
        prepare: () => fold().prepareReduce({ ...options, op: untyped(affine), initial: true }),
        record: (plan: Prepared, encoder, ranges) => plan.record(encoder, { ...ranges, initial: 77 }),
        wanted: (items) => [Uint32Array.of(reduceReference(items, { op: affine, initial: 77 })), []],
      },
      {
        name: `a compaction, ${by}`,
        prepare: () => fold().prepareCompact({ ...options, where, indirect: { draw: { vertexCount: 4 } } }),
        record: (plan: Prepared, encoder, ranges, extra) =>
          plan.record(encoder, {
            ...ranges,
            count: { buffer: extra, size: 4 },
            indirect: storageBuffer(fold().device, new Uint32Array(4), 0x180),
          }),
        wanted: (items) => {
          const kept = compactReference(items, keep);
          return [kept, [kept.length]];
        },
      },
      {
        name: `a partition, ${by}`,
        prepare: () => fold().preparePartition({ ...options, where }),
        record: (plan: Prepared, encoder, ranges, extra) =>
          plan.record(encoder, { ...ranges, count: { buffer: extra, size: 4 } }),
        wanted: (items) => {
          const { values, count } = partitionReference(items, keep);
          return [values, [count]];
        },
      },
    ];
  }),
  {
    name: "a partition into classes",
    prepare: () =>
      fold().preparePartition({
        type: u32,
        maxLength: MOST,
        ...twice,
        class: "x % 5u",
        classes: 5,
        soon: true,
      }),
    record: (plan: Prepared, encoder, ranges, extra) =>
      plan.record(encoder, { ...ranges, count: { buffer: extra, size: 24 } }),
    wanted: (items) => {
      const { values, offsets } = partitionReference(items, (value) => value % 5, { classes: 5 });
      return [values, [...offsets]];
    },
  },
];

/** Records items that lie in some way, and compares every word. */
async function expectRecorded(one: Case, plan: unknown, length: number, layout: keyof typeof layouts) {
  const { device } = fold();
  const title = `${one.name}, ${length} items, ${layout}`;
  const items = data(length);
  const [output, words] = one.wanted(items);
  const extra = storageBuffer(device, new Uint32Array(8).fill(7));
  const seen = await runPlaced(
    device,
    u32,
    items,
    output.length,
    layouts[layout],
    (encoder, ranges) => one.record(plan as never, encoder, ranges, extra),
    title,
    one.room ?? length,
  );
  expectSameBits(seen, output, title);
  const all = await readWords(device, extra);
  expect([...all.subarray(0, words.length)], title).toEqual(words);
  extra.destroy();
}

describe("results are the same before and after", () => {
  test.each(cases)("$name", async (one) => {
    const held1 = held("own");
    const plan = await one.prepare();
    expect(isOwn(plan)).toBe(false);
    const others = (Object.keys(layouts) as (keyof typeof layouts)[]).filter((name) => name !== "vectors");
    for (const length of LENGTHS) {
      await expectRecorded(one, plan, length, "vectors");
    }
    for (const layout of others) {
      await expectRecorded(one, plan, 1025, layout);
    }
    expect(await isDone(plan.settled)).toBe(false);
    held1.open("own");
    await plan.settled;
    expect(isOwn(plan)).toBe(true);
    for (const length of LENGTHS) {
      await expectRecorded(one, plan, length, "vectors");
    }
    for (const layout of others) {
      await expectRecorded(one, plan, 1025, layout);
    }
    plan.destroy();
  });
});

test("an encoder that recorded both plans may be submitted when the second is there", async () => {
  const { device } = fold();
  const { open } = held("own");
  const plan = await fold().prepareScan({ ...plain, soon: true });
  const items = data(2049);
  const input = storageBuffer(device, items);
  const outputs = [0, 1, 2].map(() => storageBuffer(device, new Uint32Array(2049)));
  const encoder = device.createCommandEncoder();
  const record = (output: GPUBuffer | undefined): void =>
    plan.record(encoder, { input, output: output as GPUBuffer, length: 2049 });
  record(outputs[0]);
  record(outputs[1]);
  open("own");
  await plan.settled;
  record(outputs[2]);
  device.queue.submit([encoder.finish()]);
  for (const output of outputs) {
    expectSameBits(await readWords(device, output), scanReference(items), "one of three");
  }
  plan.destroy();
});

test("if the plan's own kernels are there first, the quick plan is never used", async () => {
  const { device } = fold();
  const { alive, device: own } = watched(device);
  const one = await openFold({ device: own });
  const { open } = hold({ device: own, trim: () => one.trim() }, "quick");
  const first = await one.prepareScan(plain);
  const { length: each } = alive();
  const plan = await one.prepareScan({ ...plain, soon: true });
  expect(isOwn(plan)).toBe(true);
  expect(await isDone(plan.settled)).toBe(true);
  open("quick");
  await turns();
  // Those of the two plans that are used.
  await vi.waitFor(() => expect(alive()).toHaveLength(2 * each), 10_000);
  const items = data(1025);
  const [input, output] = [items, new Uint32Array(1025)].map((words) => storageBuffer(own, words)) as [
    GPUBuffer,
    GPUBuffer,
  ];
  const [seen] = await submitted(own, (encoder) => plan.record(encoder, { input, output, length: 1025 }), [
    output,
  ]);
  expectSameBits(seen as Uint32Array, scanReference(items), "the plan's own kernels");
  plan.destroy();
  first.destroy();
  input.destroy();
  output.destroy();
  one.destroy();
  expect(alive()).toEqual([]);
});

describe("destroy()", () => {
  const moments = ["before the plan's own kernels", "after them", "in between, twice"] as const;
  test.each(moments)("%s", async (moment) => {
    const { device } = fold();
    const { alive, device: own } = watched(device);
    const one = await openFold({ device: own });
    const { open } = hold({ device: own, trim: () => one.trim() }, "own");
    const before = alive();
    const plan = await one.prepareScan({ ...plain, soon: true });
    const [input, output] = [0, 1].map(() => storageBuffer(own, new Uint32Array(2049))) as [
      GPUBuffer,
      GPUBuffer,
    ];
    const ranges = { input, output, length: 2049 };
    const record = (encoder: GPUCommandEncoder): void => plan.record(encoder, ranges);
    submit(own, record);
    if (moment === "after them") {
      open("own");
      await plan.settled;
      submit(own, record);
    } else {
      plan.destroy();
      if (moment === "in between, twice") {
        plan[Symbol.dispose]();
      }
      expect(() => submit(own, record)).toThrow("was destroyed; prepare it again");
      open("own");
    }
    await plan.settled;
    plan.destroy();
    input.destroy();
    output.destroy();
    await vi.waitFor(() => expect(alive()).toEqual(before), 10_000);
    expect(() => submit(own, record)).toThrow("was destroyed; prepare it again");
    one.destroy();
  });
});

describe("a plan that does not compile", () => {
  test("after the quick one was handed out: recordings go on, and settled rejects", async () => {
    const { open } = held("own");
    const scan = cases[0] as Case;
    const plan = await scan.prepare();
    open("own", new Error("no such pipeline"));
    await turns();
    await expect(plan.settled).rejects.toThrow("no such pipeline");
    await expectRecorded(scan, plan, 1025, "vectors");
    await expectRecorded(scan, plan, 1025, "items");
    expect(isOwn(plan)).toBe(false);
    plan.destroy();
  });

  test("before the quick one is there: prepare… rejects", async () => {
    const { device } = fold();
    const { alive, device: own } = watched(device);
    const one = await openFold({ device: own });
    const { open } = hold({ device: own, trim: () => one.trim() }, "own", "quick");
    const before = alive();
    const preparing = one.prepareScan({ ...plain, soon: true });
    open("own", new Error("no such pipeline"));
    await expect(preparing).rejects.toThrow("no such pipeline");
    open("quick");
    await vi.waitFor(() => expect(alive()).toEqual(before), 10_000);
    await turns();
    expect(alive()).toEqual(before);
    one.destroy();
  });

  test("the quick one: the plan's own is waited for", async () => {
    const { open } = held("own", "quick");
    const preparing = fold().prepareScan({ ...plain, soon: true });
    open("quick", new Error("no such pipeline"));
    expect(await isDone(preparing)).toBe(false);
    open("own");
    const plan = await preparing;
    expect(isOwn(plan)).toBe(true);
    expect(await isDone(plan.settled)).toBe(true);
    plan.destroy();
  });
});

test("a device that cannot run the quick kernels prepares the plan's own", async () => {
  const { asked } = held();
  const limits = limitsWithBinding(fold().device, fold().device.limits.maxStorageBufferBindingSize);
  const restore = planAs(fold(), { limits: { ...limits, maxComputeInvocationsPerWorkgroup: 128 } });
  try {
    const plan = await fold().prepareScan({ ...plain, soon: true });
    expect(isOwn(plan)).toBe(true);
    expect(asked).not.toContain("quick");
    expect(await isDone(plan.settled)).toBe(true);
    plan.destroy();
  } finally {
    restore();
  }
});

test("sums of floats follow groupingOf before and after", async () => {
  const { device } = fold();
  const { open } = held("own");
  const plan = await fold().prepareScan({ ...plain, type: f32, soon: true });
  const length = 2049;
  const items = Float32Array.from({ length }, (_, index) => Math.fround(1 / (index + 3)));
  const [input, output] = [items, new Float32Array(length)].map((array) =>
    storageBuffer(device, new Uint32Array(array.buffer)),
  ) as [GPUBuffer, GPUBuffer];
  const ranges = { input, output, length };
  const sums = async (): Promise<Float32Array> => {
    const [words] = await submitted(device, (encoder) => plan.record(encoder, ranges), [output]);
    return new Float32Array((words as Uint32Array).buffer);
  };
  const groupings = [plan.groupingOf(ranges)];
  const before = await sums();
  open("own");
  await plan.settled;
  groupings.push(plan.groupingOf(ranges));
  const after = await sums();
  expect(groupings.map(({ workGroupSize }) => workGroupSize)).toEqual([256, 16]);
  for (const [at, seen] of [before, after].entries()) {
    const grouping = groupings[at];
    expectSameBits(seen, scanReference(items, { ...(grouping && { grouping }) }), `sums ${at}`);
  }
  expect(before).not.toEqual(after);
  plan.destroy();
});

const Sixteen = struct({ name: "Sixteen", fields: { a: u32, b: u32, c: u32, d: u32 } });
const Long = struct({
  name: "Long",
  fields: Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`f${at}`, u32])),
});
/** An operator that adds field by field. */
const sumOf = (type: StructType, fields: readonly string[]): Operator =>
  operator<string, Readonly<Record<string, number>>>({
    name: `add${type.name}`,
    type: type as never,
    identity: Object.fromEntries(fields.map((field) => [field, 0])) as never,
    combine: `${type.name}(${fields.map((field) => `earlier.${field} + later.${field}`).join(", ")})`,
    reference: (earlier: Readonly<Record<string, number>>, later: Readonly<Record<string, number>>) =>
      Object.fromEntries(
        fields.map((field) => [field, ((earlier[field] ?? 0) + (later[field] ?? 0)) >>> 0]),
      ) as never,
  }) as unknown as Operator;

describe("elements of any length", () => {
  test.each([
    ["exactAdd", f32, exactAdd, undefined],
    ["16 bytes", Sixteen, sumOf(Sixteen as never, ["a", "b", "c", "d"]), 256],
    [
      "64 bytes",
      Long,
      sumOf(
        Long as never,
        Array.from({ length: 16 }, (_, at) => `f${at}`),
      ),
      undefined,
    ],
  ] as const)("%s", async (name, type, op, workGroupSize) => {
    const { device } = fold();
    const before = held("own");
    const options = { type, op, maxLength: 700, ...own, soon: true } as const;
    const sizes: unknown[] = [];
    const plan = await fold().prepareScan(options as never);
    const items = randomItems(type as never, 700, `soon ${name}`);
    const bytes = new Uint8Array(items.buffer as ArrayBuffer, items.byteOffset, items.byteLength);
    const input = storageBuffer(device, new Uint32Array(bytes.slice().buffer));
    const output = storageBuffer(device, new Uint32Array(input.size / 4));
    const ranges = { input, output, length: 700 };
    const words = async (): Promise<Uint32Array> => {
      const grouping = plan.groupingOf(ranges);
      sizes.push([grouping.algorithm, grouping.workGroupSize]);
      const [seen] = await submitted(device, (encoder) => plan.record(encoder, ranges), [output]);
      return seen as Uint32Array;
    };
    const quick = await words();
    before.open("own");
    await plan.settled;
    expectSameBits(await words(), quick, name);
    expectSameBits(quick, scanReference(items as never, { type, op } as never), `${name}, the reference`);
    // Long elements go by the sizes that their plans have by default.
    const blelloch = { passes: "reduce-then-scan", algorithm: "blelloch" };
    const usual = await fold().prepareScan({ type, op, maxLength: 700, ...blelloch } as never);
    expect(sizes).toEqual([
      ["blelloch", workGroupSize ?? usual.groupingOf(ranges).workGroupSize],
      [own.algorithm, own.workGroupSize],
    ]);
    usual.destroy();
    plan.destroy();
  });
});

describe("what is refused is refused as without soon, before anything is compiled", () => {
  const wrong: readonly [
    call: "prepareScan" | "prepareReduce" | "prepareCompact" | "preparePartition",
    options: object,
  ][] = [
    ["prepareScan", { type: undefined }],
    ["prepareScan", { maxLength: -1 }],
    ["prepareScan", { maxLength: undefined }],
    ["prepareScan", { maxLenght: 5 }],
    // The quick plan has sizes of its own, which are right.
    ["prepareScan", { workGroupSize: 7777 }],
    ["prepareScan", { itemsPerThread: 65 }],
    ["prepareScan", { algorithm: "fast" }],
    ["prepareScan", { passes: "thrice" }],
    ["prepareScan", { op: "add" }],
    ["prepareScan", { map: 5 }],
    ["prepareReduce", { maxLength: -1 }],
    ["prepareReduce", { workGroupSize: 7777 }],
    ["prepareCompact", { where: 5 }],
    ["prepareCompact", { indirect: { draw: {} } }],
    ["preparePartition", { class: "x", classes: 99 }],
    ["preparePartition", { where: "true", passes: "thrice" }],
  ];
  test.each(wrong)("%s %o", async (call, options) => {
    const { later, now } = held();
    const make = vi.spyOn(fold().device, "createBuffer");
    const prepare = (soon: object): Promise<Error> =>
      (fold()[call] as (all: object) => Promise<unknown>)
        .call(fold(), { ...plain, ...options, ...soon })
        .then(
          () => new Error("it was prepared"),
          (cause: Error) => cause,
        );
    const [expected, actual] = [await prepare({}), await prepare({ soon: true })];
    expect(expected.message).not.toBe("it was prepared");
    expect([actual.name, actual.message]).toEqual([expected.name, expected.message]);
    await turns();
    for (const spy of [later, now, make]) {
      expect(spy).not.toHaveBeenCalled();
    }
  });
});

const refusing = ["rows", "heads", "columns"] as const;
test.each(refusing)("segments by %s take no soon", async (segments) => {
  const { later } = held();
  for (const call of ["prepareScan", "prepareReduce"] as const) {
    const refused = fold()[call]({ ...plain, segments, soon: true });
    await expect(refused).rejects.toThrow(ArgumentError);
    await expect(refused).rejects.toThrow(`${call}: soon is true`);
    await expect(refused).rejects.toThrow("leave soon out");
  }
  expect(later).not.toHaveBeenCalled();
  // As one that is left out.
  const { workGroupSize, itemsPerThread } = own;
  const sizes = { type: u32, maxLength: MOST, workGroupSize, itemsPerThread };
  (await fold().prepareScan({ ...sizes, segments, soon: false })).destroy();
});

/** A fold on Dawn's null backend, which compiles, and runs nothing. */
async function openNull(): Promise<Fold> {
  const adapter = await nullGpu().requestAdapter();
  return openFold({ adapter: adapter as GPUAdapter });
}

test("a device that is lost in between", async () => {
  const one = await openNull();
  const { device } = one;
  const { open } = hold({ device }, "own");
  const plan = await one.prepareScan({ ...plain, soon: true });
  const [input, output] = [0, 1].map(() => storageBuffer(device, new Uint32Array(1024))) as [
    GPUBuffer,
    GPUBuffer,
  ];
  const encoder = device.createCommandEncoder();
  plan.record(encoder, { input, output, length: 1000 });
  one.destroy();
  await device.lost;
  open("own", new Error("the device is gone"));
  await turns();
  await expect(plan.settled).rejects.toThrow(DeviceLostError);
  expect(() => plan.record(encoder, { input, output, length: 1000 })).toThrow(DeviceLostError);
  plan.destroy();
});

describe("what is compiled", () => {
  /** A fold that is taken for one on a GPU. */
  async function nullFold() {
    const one = await openNull();
    planAs(one, { software: false });
    const { device } = one;
    const [a, b] = [0, 1].map(() => storageBuffer(device, new Uint32Array(4096))) as [GPUBuffer, GPUBuffer];
    return {
      one,
      device,
      record(plan: Pick<Prepared, "record">, { input, output, shared }: Places) {
        const encoder = device.createCommandEncoder();
        plan.record(encoder, {
          input: { buffer: a, offset: 4 * input },
          output: { buffer: shared ? a : b, offset: 4 * output },
          length: 1000,
        });
        device.queue.submit([encoder.finish()]);
      },
    };
  }

  test("the device gets the quick kernels first, and those that they put off not before they are used", async () => {
    const { one, device, record } = await nullFold();
    const { open, asked, now } = hold({ device }, "own");
    const plan = await one.prepareScan({ ...plain, soon: true });
    await turns();
    const quick = asked.filter((side) => side === "quick").length;
    expect(quick).toBeGreaterThan(1);
    expect(asked.slice(0, quick)).toEqual(Array(quick).fill("quick"));
    expect(asked.length).toBeGreaterThan(quick);
    record(plan as never, layouts.vectors);
    expect(now).not.toHaveBeenCalled();
    open("own");
    await plan.settled;
    // Ranges of other kinds were not recorded, so nothing waits for their kernels.
    expect(asked.length).toBeLessThan(quick + kernelsOf(plan).length);
    // They are compiled in the background all the same.
    await vi.waitFor(() => expect(asked).toHaveLength(quick + kernelsOf(plan).length), 30_000);
    expect(asked.filter((side) => side === "quick")).toHaveLength(quick);
    plan.destroy();
    one.destroy();
  });

  test("a program that records in place does not wait for the compiler in the middle of its frames", async () => {
    const { one, device, record } = await nullFold();
    const { open, now } = hold({ device }, "own");
    const plan = await one.prepareScan({ ...plain, passes: "single", soon: true });
    record(plan as never, layouts["in place"]);
    // The quick plan's.
    expect(now).toHaveBeenCalled();
    now.mockClear();
    open("own");
    while (!isOwn(plan)) {
      record(plan as never, layouts["in place"]);
      await new Promise((resolve) => setTimeout(resolve));
    }
    record(plan as never, layouts["in place"]);
    expect(now).not.toHaveBeenCalled();
    await plan.settled;
    plan.destroy();
    one.destroy();
  });

  test("nor if the quick plan's kernels were compiled before, by another plan", async () => {
    const { one, device, record } = await nullFold();
    const quickSizes = { algorithm: "blelloch", workGroupSize: 256, itemsPerThread: 4 } as const;
    const other = await one.prepareScan({
      type: u32,
      maxLength: MOST,
      passes: "reduce-then-scan",
      ...quickSizes,
    });
    record(other as never, layouts.vectors);
    record(other as never, layouts["in place"]);
    await turns();
    const { open, now } = hold({ device }, "own");
    const plan = await one.prepareScan({ ...plain, passes: "single", soon: true });
    record(plan as never, layouts["in place"]);
    expect(now).not.toHaveBeenCalled();
    open("own");
    await plan.settled;
    expect(isOwn(plan)).toBe(true);
    record(plan as never, layouts["in place"]);
    expect(now).not.toHaveBeenCalled();
    plan.destroy();
    other.destroy();
    one.destroy();
  });

  test("if a kernel that is waited for does not compile, settled rejects, and recordings go on", async () => {
    const { one, device, record } = await nullFold();
    const { open, asked, later } = hold({ device }, "own");
    const plan = await one.prepareScan({ ...plain, soon: true });
    record(plan as never, layouts["in place"]);
    await turns();
    const first = asked.length;
    // From here on, the device refuses what it is asked for.
    const make = later.getMockImplementation();
    later.mockImplementation(async (descriptor) => {
      await make?.call(device, descriptor);
      throw new Error("refused for the test");
    });
    open("own");
    await expect(plan.settled).rejects.toThrow("refused for the test");
    expect(asked.length).toBeGreaterThan(first);
    expect(isOwn(plan)).toBe(false);
    record(plan as never, layouts["in place"]);
    record(plan as never, layouts.vectors);
    plan.destroy();
    one.destroy();
  });

  test("destroy() while the others are waited for", async () => {
    const { one, device, record } = await nullFold();
    const { open, asked, now } = hold({ device }, "own");
    const plan = await one.prepareScan({ ...plain, soon: true });
    record(plan as never, layouts["in place"]);
    expect(now).toHaveBeenCalled();
    await turns();
    const first = asked.length;
    open("own");
    // The first of the plan's own kernels are there when others are asked for.
    while (asked.length === first) {
      await new Promise((resolve) => setTimeout(resolve));
    }
    const begun = asked.length;
    plan.destroy();
    await plan.settled;
    await turns();
    // The background and the wait may each have asked for one more.
    expect(asked.length).toBeLessThanOrEqual(begun + 2);
    expect(asked.length).toBeLessThan(first + 6);
    expect(() => record(plan as never, layouts.vectors)).toThrow("was destroyed; prepare it again");
    one.destroy();
  });
});

test("ranges that go in windows are prepared by their own kernels", async () => {
  const { asked } = held();
  const restore = planAs(fold(), { limits: limitsWithBinding(fold().device, 32_768) });
  try {
    const prepare = (soon: boolean) => fold().prepareScan({ ...plain, maxLength: 20_000, soon });
    (await prepare(false)).destroy();
    const all = [...asked];
    fold().trim();
    const plan = await prepare(true);
    expect(asked).toEqual([...all, ...all]);
    expect(await isDone(plan.settled)).toBe(true);
    plan.destroy();
  } finally {
    restore();
  }
});

test("without soon, a lost device is asked for no kernel of segments", async () => {
  const one = await openNull();
  one.device.destroy();
  await one.device.lost;
  const make = vi.spyOn(one.device, "createShaderModule");
  const refused = one.prepareScan({ type: u32, maxLength: MOST, segments: "heads" });
  await expect(refused).rejects.toThrow(DeviceLostError);
  expect(make).not.toHaveBeenCalled();
});

test("without soon, a plan is settled, and nothing else is compiled", async () => {
  const { asked } = held();
  const plans = [
    await fold().prepareScan({ ...plain, op: max }),
    await fold().prepareScan({ ...plain, op: max, soon: false }),
    await fold().prepareCompact({ ...plain, where }),
    await fold().preparePartition({ ...plain, where }),
  ];
  for (const plan of plans) {
    await expect(plan.settled).resolves.toBeUndefined();
    plan.destroy();
  }
  expect(asked).not.toContain("quick");
});
