import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBuffer } from "../../bench/buffers.ts";
import type { BenchTypeName, Chunk, Values } from "../../bench/elements.ts";
import { benchTypes, CHUNK, elementsOf, keptOf, referenceScan, room, wordsOf } from "../../bench/elements.ts";
import type { BenchPrimitive } from "../../bench/suite.ts";
import { scanPrimitives } from "../../bench/suite.ts";
import type { Buffers } from "../../bench/task.ts";
import type { Known } from "../../bench/verify_on_gpu.ts";
import { learn, verifyOnGpu } from "../../bench/verify_on_gpu.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { encodeFloat16 } from "../../src/algebra/float16.ts";
import { argSortReference, sortReference } from "../../src/reference/sort.ts";
import { useFold } from "../support/fold.ts";

const fold = useFold();

// The last block and the last word of f16 are not whole. Of most types, a chunk is enough.
const lengthOf = (type: BenchTypeName): number =>
  type === "u32" || type === "f16" ? 2 ** 16 + 777 : 2 ** 12 + 777;
const types = Object.keys(benchTypes) as BenchTypeName[];

/** Numbers or words of elements, as the bytes of a buffer. */
function bytesOf(type: BenchTypeName, values: Values): Uint8Array {
  const array =
    type === "f32"
      ? Float32Array.from(values)
      : type === "f16"
        ? Uint16Array.from(values, encodeFloat16)
        : values;
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** Runs over the data's chunks, and joins the bytes that each of them becomes. */
function joined(
  type: BenchTypeName,
  of: (chunk: Chunk, first: number) => Uint8Array,
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const elements = elementsOf(type, "add", lengthOf(type));
  for (let chunk = elements.next(), first = 0; chunk !== undefined; chunk = elements.next()) {
    parts.push(of(chunk, first).slice());
    first += CHUNK;
  }
  return Uint8Array.from(Buffer.concat(parts));
}

const bytesOfArray = (array: AnyArray): Uint8Array<ArrayBuffer> =>
  new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength).slice();

const computedBefore = new Map<string, Uint8Array<ArrayBuffer>>();

/** What the CPU has for a primitive. */
function right(
  type: BenchTypeName,
  primitive: "copy" | "scan" | "compact" | "sort",
): Uint8Array<ArrayBuffer> {
  const name = `${type} ${primitive}`;
  const bytes = computedBefore.get(name) ?? computed(type, primitive);
  computedBefore.set(name, bytes);
  return bytes;
}

function computed(
  type: BenchTypeName,
  primitive: "copy" | "scan" | "compact" | "sort",
): Uint8Array<ArrayBuffer> {
  const values = room(type);
  const words = wordsOf(type);
  const reference = referenceScan(type, "add", true);
  switch (primitive) {
    case "copy":
      return joined(type, ({ bytes }) => bytes);
    case "scan":
      return joined(type, (chunk) => {
        reference.scan(chunk, values);
        return bytesOf(type, values.subarray(0, words * chunk.count));
      });
    case "compact":
      return joined(type, (chunk, first) => {
        const kept = keptOf(type, chunk, first, false, values);
        return bytesOf(type, values.subarray(0, words * kept));
      });
    case "sort":
      return bytesOfArray(sorted(type));
    default:
      return primitive satisfies never;
  }
}

const likeOf = (type: BenchTypeName): never => (type === "f16" ? { type: benchTypes.f16.type } : {}) as never;
const dataOf = (type: BenchTypeName): AnyArray =>
  arrayOver(benchTypes[type].type as never, right(type, "copy").buffer) as AnyArray;
const sorted = (type: BenchTypeName): AnyArray => sortReference(dataOf(type), likeOf(type)) as AnyArray;
const sortedBytes = (type: BenchTypeName): Uint8Array<ArrayBuffer> => right(type, "sort").slice();

describe.each(types)("checks of %s on the GPU", (type) => {
  const length = lengthOf(type);
  const question = { type, op: "add", length } as const;
  const size = benchTypes[type].type.bytes;
  let data: Uint8Array<ArrayBuffer>;
  let known: Known;
  let buffers: Buffers & { readonly reordered: GPUBuffer };
  const write = (buffer: GPUBuffer, bytes: Uint8Array<ArrayBuffer>): void => {
    const whole = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
    whole.set(bytes);
    fold().device.queue.writeBuffer(buffer, 0, whole);
  };

  beforeAll(async () => {
    const learning = learn(question, [...scanPrimitives]);
    data = joined(type, (chunk) => {
      learning.look(chunk);
      return chunk.bytes;
    });
    known = learning.known();
    const { device } = fold();
    const make = (name: string, bytes = size * length) => createBuffer(device, name, bytes);
    buffers = {
      input: await make("input"),
      output: await make("output"),
      result: await make("result", 64),
      reordered: await make("places", 4 * length),
    };
    write(buffers.input, data);
  });
  afterAll(() => {
    for (const buffer of Object.values(buffers)) {
      buffer.destroy();
    }
  });

  const problemOf = (primitive: "copy" | BenchPrimitive, result: Uint8Array<ArrayBuffer>) => {
    write(buffers.output, result);
    return verifyOnGpu(fold().device, { ...question, primitive }, buffers, known);
  };

  const checked = (["copy", "scan", "compact", "sort"] as const).filter(
    (primitive) => primitive !== "sort" || type !== "struct16",
  );
  test.each(checked)("%s: takes the CPU's result, and sees one wrong bit anywhere", async (primitive) => {
    const result = right(type, primitive);
    const count = result.length / size;
    write(buffers.result, new Uint8Array(Uint32Array.of(count).buffer));
    expect(await problemOf(primitive, result)).toBe(undefined);
    // The first element has no highest bit: a scan of floats begins with 0, and -0 is as right. Types differ in an element's bits alone.
    const inBlocks = [
      [0, "lowest"],
      [2 ** 16, "lowest"],
      [count - 1, "highest"],
    ] as const;
    const places = [
      ...(type === "u32" ? inBlocks : []),
      [255, "highest"] as const,
      [count - 1, "lowest"] as const,
    ];
    for (const [at, bit] of places.filter(([one]) => one < count)) {
      const wrong = result.slice();
      const place = at * size + (bit === "lowest" ? 0 : size - 1);
      wrong[place] = (result[place] ?? 0) ^ (bit === "lowest" ? 1 : 0x80);
      expect(await problemOf(primitive, wrong), `element ${at}, the ${bit} bit`).toMatch(
        primitive === "sort"
          ? / is the first of \d+ that a check on the GPU finds wrong$|^its keys are not those of the data/
          : / is the first of \d+ that a check on the GPU finds wrong$/,
      );
    }
  });

  test("a compaction's count and a reduction's value are the CPU's", async () => {
    expect(known.kept).toBe(right(type, "compact").length / size);
    write(buffers.result, new Uint8Array(Uint32Array.of(known.kept + 1).buffer));
    expect(await problemOf("compact", right(type, "compact"))).toBe(
      `it says that ${known.kept + 1} are kept, and the CPU keeps ${known.kept}`,
    );
    const total = bytesOf(type, known.total).slice();
    write(buffers.result, total);
    expect(await problemOf("reduce", data)).toBe(undefined);
    total[0] = (total[0] ?? 0) ^ 1;
    write(buffers.result, total);
    expect(await problemOf("reduce", data)).toMatch(/^it is .*, and the CPU has /);
  });

  test("pairs: keys of other places, places that come twice, and another order", async ({ skip }) => {
    skip(type === "struct16", "the bench sorts no structs");
    const places = argSortReference(dataOf(type), likeOf(type));
    const keys = sortedBytes(type);
    const problemWith = (change: (places: Uint32Array) => void) => {
      const changed = Uint32Array.from(places);
      change(changed);
      write(buffers.reordered, new Uint8Array(changed.buffer));
      return problemOf("pairs", keys);
    };
    expect(await problemWith(() => {})).toBe(undefined);
    const wrong = / that a check on the GPU finds wrong$/;
    expect(await problemWith((all) => all.copyWithin(5, 6, 7))).toMatch(wrong);
    expect(await problemWith((all) => all.fill(length, length - 1))).toMatch(wrong);
    expect(await problemWith((all) => all.reverse())).toMatch(wrong);
    // Equal keys that change their order. Only short types have some.
    const keyAt = (at: number): string => keys.subarray(at * size, (at + 1) * size).join();
    const at = places.findIndex((_, index) => index > 0 && keyAt(index - 1) === keyAt(index));
    if (at > 0) {
      const swapped = await problemWith((all) => {
        [all[at - 1], all[at]] = [all[at] ?? 0, all[at - 1] ?? 0];
      });
      expect(swapped).toMatch(wrong);
    }
    expect(type === "f16" ? at : 1).toBeGreaterThan(0);
  });

  test("a sort: a key that comes twice in place of another one", async ({ skip }) => {
    skip(type === "struct16", "the bench sorts no structs");
    write(buffers.reordered, new Uint8Array(4));
    const keys = sortedBytes(type);
    const keyAt = (at: number): string => keys.subarray(at * size, (at + 1) * size).join();
    let at = (length / 2) | 0;
    while (keyAt(at) === keyAt(at + 1)) {
      at++;
    }
    keys.copyWithin(at * size, (at + 1) * size, (at + 2) * size);
    expect(await problemOf("sort", keys)).toMatch(/^its keys are not those of the data/);
  });
});

test("a check that sees nothing is no check", async () => {
  const { device } = fold();
  const buffer = await createBuffer(device, "data", 4096);
  const question = { type: "u32", op: "add", length: 1024, primitive: "copy" } as const;
  const known = { total: new Int32Array(1), kept: 0, keptBefore: new Uint32Array(0) };
  // A check whose dispatches do nothing.
  const blind = new Proxy(device, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === "createCommandEncoder") {
        return (...args: never[]) => {
          const encoder = target.createCommandEncoder(...args);
          const begin = encoder.beginComputePass.bind(encoder);
          encoder.beginComputePass = (descriptor) => {
            const pass = begin(descriptor);
            pass.dispatchWorkgroups = () => undefined;
            return pass;
          };
          return encoder;
        };
      }
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const buffers = { input: buffer, output: buffer, result: buffer };
  expect(await verifyOnGpu(device, question, buffers, known)).toBe(undefined);
  expect(await verifyOnGpu(blind, question, buffers, known)).toMatch(
    /sees no wrong bit .* so it says nothing$/,
  );
  buffer.destroy();
});
