import { beforeAll, describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, Value } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import type { Fold } from "../../src/node.ts";
import { LimitError, openFold } from "../../src/node.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { asOnGpus, planAs, untyped, useFold } from "../support/fold.ts";
import { useNullDevice } from "../support/null_device.ts";
import { affine } from "../support/operators.ts";
import { pairs } from "../support/pairs.ts";
import { anyItems, manyMagnitudes, randomBits } from "../support/random.ts";
import { expectInPoison, poisoned, useShortBindings, watchBindings } from "../support/short_bindings.ts";
import { watched } from "../support/watched_device.ts";

// Rows that are together longer than a binding may be. The device is taken for one whose bindings are short.

const fold = useFold();
const BINDING = 8192;
useShortBindings(fold, BINDING, { lookBack: false });
const nullDevice = useNullDevice();
let onNothing: Fold | undefined;
beforeAll(async () => {
  onNothing = await openFold({ device: nullDevice() });
});
/** On a device that compiles and runs nothing. */
const nullFold = (): Fold => onNothing as Fold;
const nullLimits = useShortBindings(nullFold, BINDING);

const random = (length: number, name: string): Uint32Array => Uint32Array.from({ length }, randomBits(name));
const submit = (record: (encoder: GPUCommandEncoder) => void): void => {
  const encoder = fold().device.createCommandEncoder();
  record(encoder);
  fold().device.queue.submit([encoder.finish()]);
};
const Triple = struct({ name: "Triple", fields: { a: u32, b: u32, c: u32 } });

interface Row {
  readonly title: string;
  readonly type: ElementType;
  readonly op: Operator<string>;
  readonly initial: Value;
  readonly items?: (length: number) => AnyArray;
  readonly more?: object;
  /** Whether it is planned as on a GPU, where items go as vectors. */
  readonly onGpus?: boolean;
}
const table: readonly Row[] = [
  { title: "an operator that does not commute", type: u32, op: untyped(affine), initial: 0x80030005 },
  {
    title: "items of another size, with their places",
    type: u32,
    op: untyped(add),
    initial: 3,
    items: (length) => Triple.over(random(3 * length, "triples").buffer as ArrayBuffer) as never,
    more: { from: Triple, map: "x.b ^ i" },
  },
  {
    title: "f64 add, by vectors",
    type: f64,
    op: untyped(add),
    initial: 0.1,
    items: (length) => manyMagnitudes(length, `f64 ${length}`),
    onGpus: true,
  },
  {
    title: "f64 add, as all segments",
    type: f64,
    op: untyped(add),
    initial: 0.1,
    items: (length) => manyMagnitudes(length, `f64 ${length}`),
    more: { passes: "reduce-then-scan" },
  },
];
/** Rows that tiles take whole, and others; whose windows start at vectors, and others; of one item; nearly as long as a window. */
const widthsFor = (window: number): number[] => [1, 64, 129, window - 3];
const all = pairs({ row: table, primitive: ["scan", "reduce"], lengthOnGpu: [false, true] } as const).map(
  ({ row, ...how }) => ({ ...row, ...how }),
);

describe("rows in windows", () => {
  test.for(all)("$primitive, $title, length on the GPU $lengthOnGpu", async (row) => {
    const { type, op, initial, items, primitive, lengthOnGpu, more, onGpus } = row;
    const { device } = fold();
    const { from = type } = (more ?? {}) as { from?: ElementType };
    const maxLength = Math.floor((2.5 * BINDING) / from.bytes);
    const isScan = primitive === "scan";
    const exclusive = !lengthOnGpu;
    const sizes = { workGroupSize: 8, itemsPerThread: 8 } as const;
    const options = {
      type,
      op,
      ...more,
      maxLength,
      lengthOnGpu,
      segments: "rows",
      initial: true,
      ...sizes,
    };
    const prepare = () =>
      isScan
        ? fold().prepareScan({ ...options, exclusive } as never)
        : fold().prepareReduce(options as never);
    const prepared = await (onGpus ? asOnGpus(fold(), prepare) : prepare());
    const watched = watchBindings(fold());
    const window = Math.floor((BINDING - 4096) / Math.max(from.bytes, type.bytes) / 256) * 256;
    for (const columns of widthsFor(window)) {
      for (const most of [columns, maxLength]) {
        const length = most - (most % columns);
        const data = items?.(length) ?? anyItems(type.name as never, length, `${type.name} ${length}`);
        const room = new Uint8Array(poisoned(Math.ceil((maxLength * from.bytes) / 4)).buffer);
        room.set(new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength));
        const input = storageBuffer(device, Uint32Array.of(...poisoned(24), ...new Uint32Array(room.buffer)));
        const output = storageBuffer(device, poisoned((maxLength * type.bytes) / 4 + 24));
        const count = storageBuffer(device, poisoned(1));
        const stated = storageBuffer(device, Uint32Array.of(length));
        // Both start at a vector.
        const ranges = {
          input: { buffer: input, offset: 96 },
          output: { buffer: output, offset: 96 },
          initial,
          rows: columns,
          length: lengthOnGpu ? stated : length,
          ...(!isScan && lengthOnGpu && { count }),
        };
        submit((encoder) => prepared.record(encoder, ranges));
        const { passes: _, ...like } = {
          op,
          type,
          ...more,
          initial,
          segments: { rows: columns },
          ...(type === f64 && { grouping: prepared.groupingOf(ranges) }),
          ...(from !== type && { map: (x: { b: number }, i: number) => (x.b ^ i) >>> 0 }),
        } as { passes?: unknown };
        const expected = (
          isScan ? scanReference(data, { ...like, exclusive } as never) : reduceReference(data, like as never)
        ) as AnyArray;
        const title = `rows of ${columns}, ${length} items`;
        const found = await readWords(device, output);
        const wanted = new Uint32Array(
          expected.buffer as ArrayBuffer,
          expected.byteOffset,
          expected.byteLength / 4,
        );
        expectInPoison(found, 24, wanted, title);
        if (ranges.count) {
          expect((await readWords(device, count))[0], title).toBe(length / columns);
        }
        for (const buffer of [input, output, count, stated]) {
          buffer.destroy();
        }
      }
    }
    watched.stop();
    expect(watched.most()).toBeLessThanOrEqual(BINDING);
    expect(watched.most()).toBeGreaterThan(BINDING / 3);
    prepared.destroy();
  });

  test("in place, and in one buffer, further apart than a binding may be", async () => {
    const { device } = fold();
    const columns = 300;
    const length = 4500;
    const data = random(length, "one buffer");
    const scan = await fold().prepareScan({ type: u32, op: affine, segments: "rows", maxLength: length });
    for (const [from, to] of [
      [0, 0],
      [7, 7],
      [0, 10_000],
      [11_003, 3],
    ] as const) {
      const words = poisoned(16_000);
      words.set(data, from);
      const buffer = storageBuffer(device, words);
      const watched = watchBindings(fold());
      submit((encoder) =>
        scan.record(encoder, {
          input: { buffer, offset: 4 * from },
          output: { buffer, offset: 4 * to },
          rows: columns,
          length,
        }),
      );
      watched.stop();
      expect(watched.most()).toBeLessThanOrEqual(BINDING);
      words.set(scanReference(data, { op: affine, segments: { rows: columns } }), to);
      expectSameBits(await readWords(device, buffer), words, `from ${from} to ${to}`);
      buffer.destroy();
    }
    scan.destroy();
  });

  test("calls at hand and on the GPU, and what a compaction left", async () => {
    const data = random(9 * 700, "calls");
    const segments = { rows: 700 };
    const watched = watchBindings(fold());
    expectSameBits(
      await fold().scan(data, { op: affine, segments }),
      scanReference(data, { op: affine, segments }),
      "scan",
    );
    const own = await fold().upload(data);
    const kept = await fold().compact(own, { where: "i >= 2100u" });
    const sums = await fold().reduce(kept, { segments });
    expectSameBits(await sums.read(), reduceReference(data.slice(2100), { segments }), "sums");
    watched.stop();
    expect(watched.most()).toBeLessThanOrEqual(BINDING);
    for (const array of [own, kept, sums]) {
      array.destroy();
    }
  });
});

test.for([undefined, { rows: 1500 }])(
  "the single pass runs out of numbers while calls on the GPU go in windows: segments %o",
  async (segments) => {
    const { device, alive, made } = watched(nullDevice());
    const one = await openFold({ device });
    planAs(one, { lookBack: true, limits: { ...nullLimits(), maxStorageBufferBindingSize: 65_536 } });
    const uncaught: string[] = [];
    const listener = (event: Event): void => {
      uncaught.push((event as GPUUncapturedErrorEvent).error.message);
    };
    nullDevice().addEventListener("uncapturederror", listener);
    // A window has about 15,000 items. So a call has more than 80 runs, and a spine takes 4,095.
    const data = await one.upload(new Uint32Array(1_272_000));
    const into = await one.upload(new Uint32Array(1_272_000));
    const spines = (of: readonly string[]): number => of.filter((label) => label.includes("scratch")).length;
    let first = 0;
    for (let call = 0; call < 60; call++) {
      await one.scan(data, { into, passes: "single", ...(segments && { segments }) });
      first ||= spines(made());
    }
    await nullDevice().queue.onSubmittedWorkDone();
    expect(uncaught).toEqual([]);
    // The spine was replaced.
    expect(spines(made())).toBe(first + 1);
    one.trim();
    data.destroy();
    into.destroy();
    one.destroy();
    expect(alive()).toEqual([]);
    nullDevice().removeEventListener("uncapturederror", listener);
  },
);

describe("what does not go in windows is refused, with what would be right", () => {
  const maxLength = 6000;
  const refused = async (call: () => unknown, message: RegExp, option: string) => {
    const cause: unknown = await Promise.resolve()
      .then(call)
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(cause).toBeInstanceOf(LimitError);
    expect((cause as LimitError).message).toMatch(message);
    expect((cause as LimitError).option).toBe(option);
  };

  test("columns", async () => {
    const options = { type: u32, segments: "columns", maxLength } as const;
    const remedy = /rows go in windows, and columns do not: transpose the matrix/;
    await refused(() => nullFold().prepareReduce(options), remedy, "maxLength");
    await refused(() => nullFold().prepareScan(options), remedy, "maxLength");
  });

  test("segments that no buffer holds, and options that are wrong", async () => {
    const restore = planAs(nullFold(), { limits: { ...nullLimits(), maxBufferSize: 40_000 } });
    const options = { type: u32, segments: { keys: u64 }, maxLength: 5001 } as const;
    await refused(() => nullFold().prepareScan(options), /5001 items of 8 bytes .* is 5000$/, "maxLength");
    // What a reduction stores for runs may be short.
    await refused(() => nullFold().prepareReduce(options), /5001 items of 8 bytes .* is 5000$/, "maxLength");
    restore();
    const many = planAs(nullFold(), { limits: { ...nullLimits(), maxStorageBufferBindingSize: 8192 } });
    await refused(
      () => nullFold().prepareScan({ ...options, segments: "offsets", maxLength: 2 ** 17 }),
      /scan<u32, add> of offsets: the bits of 131072 items take 16384 bytes, and a binding of the device holds 8192/,
      "maxLength",
    );
    await refused(
      () => nullFold().prepareReduce({ ...options, segments: "offsets", maxLength: 2 ** 17 }),
      /reduce<u32, add> of offsets: the bits of 131072 items/,
      "maxLength",
    );
    many();
    for (const [wrong, message] of [
      [{ segments: "sheep" }, /segments is "sheep"; it takes "rows", "columns"/],
      [{ segments: { keys: u32, unique: true } }, /only a reduction gives the keys of runs/],
      [{ segments: "heads", total: true }, /with segments there is no total of all/],
    ] as const) {
      await expect(nullFold().prepareScan({ ...options, maxLength, ...wrong } as never)).rejects.toThrow(
        message,
      );
    }
    await expect(
      nullFold().prepareReduce({ ...options, maxLength, segments: { keys: u32, unique: 1 } } as never),
    ).rejects.toThrow(/segments is unique: 1; it takes true or false/);
  });

  test("more items than a buffer holds: of a reduction, in the input alone", async () => {
    const { device } = nullFold();
    const restore = planAs(nullFold(), { limits: { ...nullLimits(), maxBufferSize: 40_000 } });
    const options = { type: u64, from: u32, map: "vec2u(x, 0u)", segments: "rows", maxLength: 8000 } as const;
    await refused(
      () => nullFold().prepareScan(options),
      /8000 items of 8 bytes .* which is 5000$/,
      "maxLength",
    );
    await refused(
      () => nullFold().prepareReduce({ ...options, maxLength: 10_001 }),
      /10001 items of 4 bytes .* which is 10000$/,
      "maxLength",
    );
    const reduce = await nullFold().prepareReduce(options);
    restore();
    const [input, output] = [8000, 32].map((words) => storageBuffer(device, poisoned(words))) as [
      GPUBuffer,
      GPUBuffer,
    ];
    const encoder = device.createCommandEncoder();
    device.pushErrorScope("validation");
    reduce.record(encoder, { input, output, rows: 500, length: 8000 });
    encoder.finish();
    expect(await device.popErrorScope()).toBeNull();
    reduce.destroy();
  });

  test("rows that no binding holds", async () => {
    const { device } = nullFold();
    const scan = await nullFold().prepareScan({ type: u32, segments: "rows", maxLength });
    const [input, output] = [0, 1].map(() => storageBuffer(device, poisoned(maxLength))) as [
      GPUBuffer,
      GPUBuffer,
    ];
    const takes = /a row has \d000 items, and a binding of the device holds 1024; .*without segments/;
    await refused(
      () => scan.record(device.createCommandEncoder(), { input, output, rows: 5000, length: 5000 }),
      takes,
      "rows",
    );
    const data = random(maxLength, "long rows");
    const own = await nullFold().upload(data);
    await refused(() => nullFold().scan(own, { segments: { rows: 6000 } }), takes, "segments");
    own.destroy();
    scan.destroy();
  });
});
