import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { LimitError } from "../../src/node.ts";
import { argSortReference } from "../../src/reference/sort.ts";
import { guarded, readWords, storageBuffer, submit } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { planAs, useFold } from "../support/fold.ts";
import { pairs } from "../support/pairs.ts";
import { randomBits } from "../support/random.ts";
import { useShortBindings, watchBindings } from "../support/short_bindings.ts";
import { gathered, kinds } from "../support/sorted_arrays.ts";

// Sorts of ranges that are longer than a binding may be. The device is taken for one whose bindings are short.

const fold = useFold();
const BINDING = 8192;
useShortBindings(fold, BINDING);

const SIZES = { workGroupSize: 32, itemsPerThread: 8 } as const;
/** Items of a window, of `bytes` bytes each: whole tiles, beside what a binding may start before its range. */
const windowFor = (bytes: number): number => Math.floor((BINDING - 4096) / bytes / 256) * 256;

const words = (data: AnyArray): Uint32Array => {
  const bytes = new Uint8Array(Math.ceil(data.byteLength / 4) * 4);
  bytes.set(new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength));
  return new Uint32Array(bytes.buffer);
};

const Triple = struct({ name: "Triple", fields: { a: u32, depth: f32, c: u32 } });
/** Elements of `size` words, each with its place in it. */
const numbered = (length: number, size: number): Uint32Array =>
  Uint32Array.from({ length: length * size }, (_, at) => (at % size === 0 ? at / size : at * 2654435761));

/** An odd number of digits, whose last one leaves its results beside the output; a few bits; and all. */
const someBits = [undefined, [0, 5], [3, 20]] as const;

const cases = pairs({
  name: ["u32", "f64"],
  values: ["none", "positions", "u64", "struct"],
  bits: someBits,
  algorithm: ["subgroup", "blelloch"],
  descending: [false, true],
  place: ["apart", "in place"],
  lengthOnGpu: [false, true],
  asNvidia: [false, true],
} as const).map(({ place, ...row }, at) => ({
  ...row,
  at,
  place: row.values === "positions" ? ("apart" as const) : place,
}));

describe("sorts of more items than a binding holds", () => {
  test.for(cases)(
    "$name, values: $values, $algorithm, bits $bits, descending $descending, $place, length on the GPU $lengthOnGpu, as NVIDIA $asNvidia",
    async ({ at, name, values, bits, algorithm, descending, place, lengthOnGpu, asNvidia }) => {
      const { device } = fold();
      const type = elementTypes[name] as ElementType;
      const moved = { none: undefined, positions: undefined, u32, u64: elementTypes.u64, struct: Triple }[
        values
      ];
      const window = windowFor(Math.max(type.bytes, values === "u64" ? 8 : 4));
      const maxLength = 2 * window + 300;
      const restore = planAs(fold(), asNvidia ? { vendor: "nvidia", software: false } : {});
      const sort = await fold().prepareSort({
        type: type as never,
        descending,
        algorithm,
        ...SIZES,
        ...(bits && { bits }),
        ...(values === "positions" && { indices: true }),
        ...(moved && { values: moved }),
        lengthOnGpu,
        maxLength,
      });
      restore();
      const watched = watchBindings(fold());
      // Each row has one of the lengths, and the most.
      const lengths = [0, 1, window - 1, window, window + 1, 2 * window];
      for (const length of [lengths[at % lengths.length] ?? 0, maxLength]) {
        const kind = length % 2 === 0 ? "few" : "any";
        const data = kinds[kind](name, length, `${name} ${length}`) as Uint32Array;
        const positions = argSortReference(data, {
          type: type as never,
          descending,
          ...(bits && { bits }),
        });
        const size = (moved?.bytes ?? 4) / 4;
        const given = numbered(length, size);
        const isApart = place === "apart";
        const keys = words(data);
        // A length on the GPU may be the most, so ranges have room for that.
        const left = lengthOnGpu ? maxLength - length : 0;
        const keyWords = type.bytes / 4;
        const outWords = values === "positions" ? 1 : keyWords;
        const input = storageBuffer(device, guarded(keys, 4, 4 + left * keyWords));
        const valuesIn = storageBuffer(device, guarded(given, 12, 4 + left * size));
        const output = isApart
          ? storageBuffer(device, guarded(new Uint32Array(length * outWords), 2, 3 + left * outWords))
          : input;
        const reordered = isApart
          ? storageBuffer(device, guarded(new Uint32Array(given.length), 24, 5 + left * size))
          : valuesIn;
        const stated = storageBuffer(device, Uint32Array.of(length));
        submit(device, (encoder) =>
          sort.record(encoder, {
            input: { buffer: input, offset: 16 },
            output: { buffer: output, offset: isApart ? 8 : 16 },
            ...(moved && {
              values: { buffer: valuesIn, offset: 48 },
              reordered: { buffer: reordered, offset: isApart ? 96 : 48 },
            }),
            length: lengthOnGpu ? stated : length,
            ...(values === "positions" && { firstIndex: 5 }),
          }),
        );
        const expected =
          values === "positions" ? positions.map((one) => one + 5) : words(gathered(data, positions));
        expectSameBits(
          await readWords(device, output),
          isApart ? guarded(expected, 2, 3 + left * outWords) : guarded(expected, 4, 4 + left * keyWords),
          `${length} items`,
        );
        if (moved) {
          const ordered = new Uint32Array(given.length);
          positions.forEach((from, to) => {
            ordered.set(given.subarray(from * size, (from + 1) * size), to * size);
          });
          expectSameBits(
            await readWords(device, reordered),
            isApart ? guarded(ordered, 24, 5 + left * size) : guarded(ordered, 12, 4 + left * size),
            `values of ${length} items`,
          );
        }
        for (const buffer of new Set([input, output, valuesIn, reordered, stated])) {
          buffer.destroy();
        }
      }
      watched.stop();
      expect(watched.most()).toBeLessThanOrEqual(BINDING);
      expect(watched.mostBuffers()).toBeLessThanOrEqual(8);
      sort.destroy();
    },
  );

  test("structs by a field, in place and apart", async () => {
    const { device } = fold();
    const length = 2 * windowFor(12) + 300;
    const next = randomBits("depths");
    const data = numbered(length, 3);
    const depths = Float32Array.from({ length }, () => next() % 50);
    const bits = new Uint32Array(depths.buffer);
    for (let at = 0; at < length; at++) {
      data[3 * at + 1] = bits[at] as number;
    }
    const sort = await fold().prepareSort({ type: Triple, key: "x.depth", maxLength: length, ...SIZES });
    const order = argSortReference(depths);
    const expected = new Uint32Array(data.length);
    order.forEach((from, to) => {
      expected.set(data.subarray(3 * from, 3 * from + 3), 3 * to);
    });
    const input = storageBuffer(device, data);
    const output = storageBuffer(device, new Uint32Array(data.length));
    submit(device, (encoder) => sort.record(encoder, { input, output, length }));
    expectSameBits(await readWords(device, output), expected, "apart");
    submit(device, (encoder) => sort.record(encoder, { input, output: input, length }));
    expectSameBits(await readWords(device, input), expected, "in place");
    sort.destroy();
  });

  test("at hand, and on the GPU", async () => {
    const length = windowFor(4) * 2 + 5;
    const data = kinds.any("u32", length, "at hand") as Uint32Array;
    const order = argSortReference(data);
    const values = Float32Array.from({ length }, (_, at) => at);
    const sorted = await fold().sort(data, { values });
    expectSameBits(sorted.keys, gathered(data, order), "keys");
    expect([...(sorted.values as Float32Array)]).toEqual([...order]);
    const onGpu = await fold().upload(data);
    const kept = await fold().compact(onGpu, { where: "x % 3u > 0u", passes: "reduce-then-scan", ...SIZES });
    expectSameBits(
      await (await fold().sort(kept)).read(),
      data.filter((x) => x % 3 > 0).sort(),
      "what a compaction left",
    );
    onGpu.destroy();
    kept.destroy();
  });
});

describe("errors", () => {
  test("more than a buffer holds", async () => {
    const { maxBufferSize } = fold().device.limits;
    // A place is a u32.
    const most = Math.min(Math.floor(maxBufferSize / 4), 2 ** 32 - 1);
    await expect(fold().prepareSort({ type: u32, maxLength: most + 1 })).rejects.toThrow(LimitError);
    await expect(fold().prepareSort({ type: u32, maxLength: most + 1 })).rejects.toThrow(
      `sort<u32>: ${most + 1} items of 4 bytes are more than a buffer of the device holds, which is ${most}`,
    );
  });

  test("what takes no windows says which limit a device needs", async () => {
    const most = BINDING / 4;
    const message = `${most + 1} items of 4 bytes are more than the device can bind, which is ${most}; a device with a larger maxStorageBufferBindingSize takes more`;
    const options = { type: u32, maxLength: most + 1 };
    for (const [title, prepare] of [
      ["sort<u32>", () => fold().prepareSort({ ...options, segments: "rows" })],
      ["sort<u32>", () => fold().prepareSort({ ...options, segments: "offsets" })],
      ["topK<u32>", () => fold().prepareTopK({ ...options, k: 3 })],
      ["topK<u32>", () => fold().prepareTopK({ ...options, k: 3, segments: "rows" })],
      ["nth<u32>", () => fold().prepareNth({ ...options, n: 3 })],
    ] as const) {
      const cause = await prepare().catch((error: unknown) => error);
      expect(cause).toBeInstanceOf(LimitError);
      expect((cause as Error).message).toBe(`${title}: ${message}`);
    }
    const data = new Uint32Array(most + 1);
    for (const call of [
      () => fold().sort(data, { segments: { rows: most + 1 } }),
      () => fold().topK(data, 3),
      () => fold().nth(data, 3),
    ]) {
      const cause = await call().catch((error: unknown) => error);
      expect((cause as Error).message).toContain(message);
      expect(cause).toMatchObject({ option: "data" });
    }
  });
});
