import { describe, expect, test } from "vitest";
import { AdapterError, ArgumentError, DeviceLostError, f32, struct, u32, u64 } from "../../src/index.ts";
import { openFold } from "../../src/node.ts";
import { openThree } from "../../src/three/index.ts";
import { adapter, useSoftwareFold } from "../support/fold.ts";
import { attributeOf, rendererOn } from "../support/three.ts";

const fold = useSoftwareFold();

describe("it refuses", () => {
  const open = () => openThree(rendererOn(fold().device));
  const words = attributeOf(new Uint32Array(8), 1);
  const cases: readonly (readonly [what: string, call: () => unknown, option: string, message: RegExp])[] = [
    ["no renderer", () => openThree(undefined as never), "renderer", /no WebGPURenderer of three\/webgpu/],
    [
      "a renderer of WebGL alone",
      () => openThree({ render() {} } as never),
      "renderer",
      /no WebGPURenderer of three\/webgpu/,
    ],
    [
      "a device",
      () => openThree(rendererOn(null), { device: 1 } as never),
      "device",
      /takes no option device/,
    ],
    [
      "a test of the single pass that is neither true nor false",
      () => openThree(rendererOn(null), { testSinglePass: 1 } as never),
      "testSinglePass",
      /testSinglePass is 1; it takes true or false/,
    ],
    [
      "what is no attribute",
      async () => (await open()).arrayOf(new Uint32Array(8) as never),
      "attribute",
      /attribute is of the class Uint32Array; it takes a StorageBufferAttribute, .* a storage node/,
    ],
    [
      "nothing",
      async () => (await open()).arrayOf(undefined as never),
      "attribute",
      /attribute is undefined; it takes a StorageBufferAttribute/,
    ],
    [
      "an attribute without a storage buffer",
      async () => (await open()).rangeOf({ ...words, isStorageBufferAttribute: false } as never),
      "attribute",
      /attribute is of the class Object; it takes a StorageBufferAttribute/,
    ],
    [
      "a node without a storage buffer",
      async () => (await open()).rangeOf({ isStorageBufferNode: true, value: {} } as never),
      "attribute",
      /it takes a StorageBufferAttribute/,
    ],
    [
      "a length that is no attribute",
      async () => (await open()).arrayOf(words, { length: {} as never }),
      "length",
      /length is of the class Object; it takes a StorageBufferAttribute/,
    ],
    [
      "more elements than there are",
      async () => (await open()).arrayOf(words, { length: 9 }),
      "length",
      /length is 9, and the attribute has 8 elements/,
    ],
    [
      "more elements than there are, with the length on the GPU",
      async () => (await open()).arrayOf(words, { length: attributeOf(new Uint32Array(1), 1), maxLength: 9 }),
      "maxLength",
      /maxLength is 9, and the attribute has 8 elements/,
    ],
    [
      "another scalar type",
      async () => (await open()).arrayOf(words, { type: f32 }),
      "type",
      /type is f32, of 4 bytes, and the attribute has itemSize 1 and a Uint32Array; that takes u32/,
    ],
    [
      "a type of another size",
      async () => (await open()).arrayOf(attributeOf(new Float32Array(8), 4), { type: f32 }),
      "type",
      /type is f32, of 4 bytes, .* itemSize 4 and a Float32Array; that takes a type of 16 bytes, .* or none for x, y, z, w/,
    ],
    [
      "an element that has no default",
      async () => (await open()).arrayOf(attributeOf(new Float32Array(10), 5)),
      "type",
      /type is left out, .* itemSize 5 and a Float32Array; that takes a type of 20 bytes, such as struct/,
    ],
    [
      "an array of another kind",
      async () => (await open()).arrayOf(attributeOf(new Uint8Array(8), 1)),
      "attribute",
      /itemSize 1 and a Uint8Array; Wavefold takes a Float32Array, Uint32Array, Int32Array or Float16Array/,
    ],
    [
      "an option that there is not",
      async () => (await open()).arrayOf(words, { size: 1 } as never),
      "size",
      /size/,
    ],
  ];
  test.each(cases)("%s", async (_, call, option, message) => {
    const cause = await (async () => call())().then(
      () => undefined,
      (one: unknown) => one,
    );
    expect(cause).toBeInstanceOf(ArgumentError);
    expect(cause).toMatchObject({ option, message: expect.stringMatching(message) });
  });

  test("a renderer that draws with WebGL", async () => {
    const renderer = rendererOn(null, { isWebGPUBackend: undefined });
    await expect(openThree(renderer)).rejects.toThrow(AdapterError);
    await expect(openThree(renderer)).rejects.toThrow(/draws with WebGL/);
  });
});

test("it waits for the renderer's device", async () => {
  const { device } = fold();
  const renderer = rendererOn(null);
  const late = { init: async () => Object.assign(renderer.backend, { device }), backend: renderer.backend };
  expect((await openThree(late)).fold.device).toBe(device);
});

test("the type of an element comes from the array and the item's size", async () => {
  const { arrayOf } = await openThree(rendererOn(fold().device));
  const names = async (itemSize: number): Promise<string[]> =>
    Promise.all(
      [Float32Array, Uint32Array, Int32Array].map(
        async (Type) => (await arrayOf(attributeOf(new Type(12), itemSize))).type.name,
      ),
    );
  expect(await names(1)).toEqual(["f32", "u32", "i32"]);
  expect(await names(2)).toEqual(["Vec2F32", "Vec2U32", "Vec2I32"]);
  expect(await names(4)).toEqual(["Vec4F32", "Vec4U32", "Vec4I32"]);
  const one = await arrayOf(attributeOf(Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8), 4));
  expect(Array.from((await one.read()) as Iterable<unknown>)).toEqual([
    { x: 1, y: 2, z: 3, w: 4 },
    { x: 5, y: 6, z: 7, w: 8 },
  ]);
  const wide = await arrayOf(attributeOf(Uint32Array.of(1, 2), 2), { type: u64 });
  expect([...(await wide.read<"u64">())]).toEqual([2n ** 33n + 1n]);
  const Bits = struct({ name: "Bits", fields: { bits: u32 } });
  expect((await arrayOf(attributeOf(Float32Array.of(1), 1), { type: Bits })).type).toBe(Bits);
});

test("three numbers an element are four once three.js has the buffer", async () => {
  const { arrayOf } = await openThree(rendererOn(fold().device));
  const padded = await arrayOf(attributeOf(new Uint32Array(9), 3));
  expect(padded).toMatchObject({ type: { name: "Vec4U32", bytes: 16 }, length: 3 });
});

test("the buffer is the one that three.js has at each use", async () => {
  const { device } = fold();
  const renderer = rendererOn(device);
  const { fold: own, arrayOf, rangeOf } = await openThree(renderer);
  const input = attributeOf(Uint32Array.of(3, 1, 7), 1);
  const output = { isStorageBufferNode: true, value: attributeOf(new Uint32Array(3), 1) };
  const count = attributeOf(Uint32Array.of(2), 1);
  const indirect = attributeOf(new Uint32Array(5), 1, { isIndirectStorageBufferAttribute: true });
  const ranges = { input: rangeOf(input), output: rangeOf(output), length: 3 };
  expect(renderer.made, "no buffer is made before it is used").toEqual([]);
  expect(rangeOf(indirect).buffer).toBe(rangeOf(indirect).buffer);
  expect(renderer.made).toEqual(["indirect"]);
  const scan = await own.prepareScan({ type: u32, maxLength: 3 });
  for (const prefixes of [
    [3, 4, 11],
    [5, 6, 13],
  ]) {
    const before = ranges.output.buffer;
    const encoder = device.createCommandEncoder();
    scan.record(encoder, ranges);
    device.queue.submit([encoder.finish()]);
    expect([...(await (await arrayOf(output, { type: u32 })).read())]).toEqual(prefixes);
    expect([...(await (await arrayOf(output, { type: u32, length: count })).read())]).toEqual(
      prefixes.slice(0, 2),
    );
    expect([...(await (await arrayOf(output, { type: u32, length: rangeOf(count) })).read())]).toEqual(
      prefixes.slice(0, 2),
    );
    expect([...(await (await arrayOf(output, { type: u32, length: 1 })).read())]).toEqual(
      prefixes.slice(0, 1),
    );
    // As `dispose()` does.
    renderer.dispose(input);
    renderer.dispose(output.value);
    before.destroy();
    input.array[0] = 5;
  }
});

test("a lost device is said so", async () => {
  const own = await openFold({ adapter });
  const { arrayOf } = await openThree(rendererOn(own.device));
  own.destroy();
  await own.device.lost;
  await expect(arrayOf(attributeOf(new Uint32Array(4), 1))).rejects.toThrow(DeviceLostError);
});
