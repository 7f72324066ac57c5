import { describe, expect } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add, max } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, Value } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { asOnGpus, untyped, useSoftwareFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { randomBits } from "../support/random.ts";
import { rows, testInTurn } from "../support/rows.ts";
import { poisoned, useShortBindings, watchBindings } from "../support/short_bindings.ts";

// Scans of segments by flags, bits and keys that no binding holds. The device is taken for one whose bindings are short.

const test = testInTurn({ of: 6 });
const fold = useSoftwareFold();
const BINDING = 16384;
useShortBindings(fold, BINDING, { lookBack: false });

const Cell = struct({ name: "Cell", fields: { place: u32, cell: u32 } });
const random = (length: number, name: string): Uint32Array => Uint32Array.from({ length }, randomBits(name));
const submit = (record: (encoder: GPUCommandEncoder) => void): void => {
  const encoder = fold().device.createCommandEncoder();
  record(encoder);
  fold().device.queue.submit([encoder.finish()]);
};

interface Row {
  readonly title: string;
  readonly type: ElementType;
  readonly op: Operator<string>;
  readonly initial?: Value;
  readonly by: "offsets" | "heads" | "headBits" | "keys" | "computed keys" | "long keys";
  readonly exclusive?: boolean;
  readonly lengthOnGpu?: boolean;
  /** Whether it is planned as on a GPU, where items go as vectors. */
  readonly onGpus?: boolean;
  readonly more?: object;
}
const table: readonly Row[] = [
  { title: "an operator that does not commute", type: u32, op: untyped(affine), by: "heads" },
  {
    title: "exclusive, after a value, with a length on the GPU",
    type: u32,
    op: untyped(affine),
    initial: 0x80030005,
    by: "headBits",
    exclusive: true,
    lengthOnGpu: true,
  },
  { title: "by vectors", type: u32, op: untyped(affine), by: "keys", onGpus: true, exclusive: true },
  { title: "by vectors, after a value", type: u32, op: untyped(max), initial: 7, by: "heads", onGpus: true },
  {
    title: "an operator that does not commute",
    type: u32,
    op: untyped(affine),
    by: "offsets",
    exclusive: true,
  },
  {
    title: "with a length on the GPU",
    type: u32,
    op: untyped(max),
    initial: 7,
    by: "offsets",
    lengthOnGpu: true,
  },
  { title: "keys of structs", type: u32, op: untyped(affine), by: "computed keys", lengthOnGpu: true },
  { title: "keys longer than items", type: u32, op: untyped(add), initial: 9, by: "long keys" },
  { title: "f64, whose sums are exact", type: f64, op: untyped(add), by: "keys", exclusive: true },
  {
    title: "in a single pass",
    type: u32,
    op: untyped(affine),
    by: "headBits",
    more: { passes: "single", workGroupSize: 32 },
  },
];

/** Where segments start: nowhere; at each item; around the borders of windows; somewhere. */
const headsFor = (length: number, window: number): Record<string, Uint32Array> => {
  const next = randomBits(`heads ${length}`);
  const at = (places: readonly number[]): Uint32Array =>
    Uint32Array.from({ length }, (_, index) => Number(places.includes(index)));
  return {
    "one segment": new Uint32Array(length),
    "every few items": Uint32Array.from({ length }, (_, index) => Number(index % 4 === 1)),
    "where windows start": at([window, 2 * window]),
    "before and behind": at([window - 1, window + 1, 2 * window + 1]),
    some: Uint32Array.from({ length }, () => Number(next() % 700 === 0)),
  };
};

/** Keys that differ where segments start, and only there. */
const keysFor = (heads: Uint32Array): Uint32Array => {
  let key = 0;
  return heads.map((head) => {
    key += head;
    return key % 2;
  });
};

describe("every element is the reference's", () => {
  test.for(
    rows(
      table.map((row) => ({ ...row, name: `${row.by}: ${row.title}` })),
      { of: 6 },
    ),
  )("$name", async (row) => {
    const { type, op, initial, by, exclusive = false, lengthOnGpu = false, onGpus, more } = row;
    const { device } = fold();
    const words = type.bytes / 4;
    const keyWords = by === "long keys" || by === "computed keys" ? 2 : 1;
    // As src/gpu/head_windows.ts has it: bindings may start so many bytes before.
    const window = Math.floor((BINDING - 4096) / (4 * Math.max(words, keyWords)) / 256) * 256;
    const maxLength = 3 * window;
    const segments =
      by === "computed keys"
        ? { keys: Cell, key: "x.cell" }
        : by === "long keys"
          ? { keys: u64 }
          : by === "keys"
            ? { keys: u32 }
            : by;
    const options = {
      ...{ type, op, exclusive, lengthOnGpu, maxLength, segments },
      ...(initial !== undefined && { initial: true }),
      ...{ workGroupSize: 8, itemsPerThread: 8, ...more },
    };
    const prepare = () => fold().prepareScan(options as never);
    const prepared = await (onGpus ? asOnGpus(fold(), prepare) : prepare());
    const watched = watchBindings(fold());
    for (const length of [0, 5, window, window + 1, 2 * window + 37, maxLength]) {
      for (const [name, heads] of Object.entries(headsFor(length, window))) {
        const title = `${length} items, ${name}`;
        const given = random(length * words, title);
        const data =
          type === f64 ? Float64Array.from({ length }, (_, at) => (given[at] ?? 0) * 2 ** 10) : given;
        const keys = keysFor(heads);
        const bits = new Uint32Array(Math.ceil(length / 32));
        for (const [at, head] of heads.entries()) {
          bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (head << (at & 31));
        }
        // Some segments have no item.
        const places = [...heads.keys()].filter((at) => at > 0 && heads[at] === 1);
        const offsets = Uint32Array.of(
          0,
          ...places.flatMap((at) => (at % 3 === 0 ? [at, at] : [at])),
          length,
        );
        const starts = {
          offsets,
          heads,
          headBits: bits,
          keys,
          // The place is no part of the key.
          "computed keys": Uint32Array.from({ length: 2 * length }, (_, at) =>
            at % 2 === 0 ? at : (keys[at >>> 1] ?? 0),
          ),
          "long keys": Uint32Array.from({ length: 2 * length }, (_, at) =>
            at % 2 === 0 ? 5 : (keys[at >>> 1] ?? 0),
          ),
        }[by];
        const room = poisoned(maxLength * words + 24);
        room.set(new Uint32Array(data.buffer as ArrayBuffer), 24);
        const input = storageBuffer(device, room);
        const output = storageBuffer(device, poisoned(maxLength * words + 24));
        // What lies behind the flags or keys is no part of them.
        const placed = storageBuffer(
          device,
          Uint32Array.of(
            ...poisoned(6),
            ...starts,
            ...poisoned(Math.max(0, maxLength * keyWords - starts.length)),
          ),
        );
        const stated = storageBuffer(device, Uint32Array.of(length));
        const ranges = {
          input: { buffer: input, offset: 96 },
          output: { buffer: output, offset: 96 },
          [by === "offsets" ? by : by.startsWith("head") ? "heads" : "keys"]: { buffer: placed, offset: 24 },
          ...(by === "offsets" && { segmentCount: offsets.length - 1 }),
          ...(initial !== undefined && { initial }),
          length: lengthOnGpu ? stated : length,
        };
        submit((encoder) => prepared.record(encoder, ranges as never));
        const expected = scanReference(data, {
          ...{ op, type, exclusive, segments: { heads } },
          ...(initial !== undefined && { initial }),
        } as never) as AnyArray;
        const wanted = new Uint32Array(expected.buffer as ArrayBuffer);
        const found = await readWords(device, output);
        expectSameBits(found.slice(24, 24 + wanted.length), wanted, title);
        expectSameBits(found.slice(0, 24), poisoned(24), `before ${title}`);
        const behind = found.slice(24 + wanted.length);
        expectSameBits(behind, poisoned(behind.length), `behind ${title}`);
        for (const buffer of [input, output, placed, stated]) {
          buffer.destroy();
        }
      }
    }
    watched.stop();
    expect(watched.most()).toBeLessThanOrEqual(BINDING);
    expect(watched.most()).toBeGreaterThan(BINDING / 2);
    prepared.destroy();
  });

  test("calls at hand and on the GPU, and in place", async () => {
    const data = random(9000, "calls");
    const heads = Uint32Array.from({ length: 9000 }, (_, at) => Number(at === 2500 || at === 7000));
    const expected = scanReference(data, { op: affine, segments: { heads } });
    const watched = watchBindings(fold());
    expectSameBits(await fold().scan(data, { op: affine, segments: { heads } }), expected, "at hand");
    const keys = heads.map((_, at) => Number(at >= 2500) + Number(at >= 7000));
    expectSameBits(await fold().scan(data, { op: affine, segments: { keys } }), expected, "by keys");
    const offsets = [0, 2500, 2500, 7000, 9000];
    expectSameBits(await fold().scan(data, { op: affine, segments: { offsets } }), expected, "by offsets");
    const own = await fold().upload(data);
    const flags = await fold().upload(heads);
    await fold().scan(own, { op: affine, segments: { heads: flags }, into: own });
    expectSameBits(await own.read(), expected, "in place");
    watched.stop();
    expect(watched.most()).toBeLessThanOrEqual(BINDING);
    own.destroy();
    flags.destroy();
  });
});
