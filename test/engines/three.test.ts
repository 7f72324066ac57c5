import { expect, test } from "vitest";
import { runInPage, useChromium } from "./program.ts";

// Attributes and renderers of three.js itself, in Chromium. test/three/open.test.ts has what stands for them.

const browser = useChromium();

const imports = `
import { instancedArray, struct as tslStruct } from "three/tsl";
import { BufferAttribute, IndirectStorageBufferAttribute, StorageBufferAttribute, StorageInstancedBufferAttribute, WebGPURenderer } from "three/webgpu";
import { f32, openFold, struct, u32 } from "wavefold";
import { openThree } from "wavefold/three";
`;
const run = <Report>(heading: string, text: string) =>
  runInPage<Report>(browser(), { heading, blocks: [{ language: "ts", note: "", text: imports + text }] });

test("every kind of attribute", async () => {
  const { report } = await run<Record<string, unknown>>(
    "attributes",
    `
const renderer = new WebGPURenderer({ canvas });
const { fold, arrayOf, rangeOf } = await openThree(renderer);
const read = async (attribute, options) => {
  const array = await arrayOf(attribute, options);
  return [array.type.name, array.length, ...Array.from(await array.read())];
};
const disposed = new StorageBufferAttribute(Uint32Array.of(1, 2), 1);
renderer._attributes.update(disposed, 3);
const range = rangeOf(disposed);
const before = range.buffer;
disposed.dispose();
const used = new StorageBufferAttribute(Uint32Array.of(1, 2), 1);
await fold.scan(await arrayOf(used, { type: u32 }), { into: await arrayOf(used, { type: u32 }) });
// three.js's own use comes after Wavefold's: it keeps what is there.
renderer._attributes.update(used, 3);
const own = new IndirectStorageBufferAttribute(4, 1);
$report({
  vec3: await read(instancedArray(Float32Array.of(1, 2, 3, 4, 5, 6), "vec3")),
  ivec2: await read(instancedArray(Int32Array.of(1, -2, 3, -4), "ivec2")),
  bytes: await read(new StorageBufferAttribute(Uint8Array.of(3, 1, 255), 1)),
  shorts: await read(new StorageInstancedBufferAttribute(Int16Array.of(-3, 1), 1)),
  struct: await read(instancedArray(2, tslStruct({ place: "vec3", life: "float" })), {
    type: struct({ name: "Own", fields: { x: f32, y: f32, z: f32, life: f32 } }),
  }),
  used: Array.from(new Uint32Array(await renderer.getArrayBufferAsync(used))),
  isRenewed: range.buffer !== before,
  indirect: (rangeOf(own).buffer.usage & GPUBufferUsage.INDIRECT) !== 0,
  plain: await arrayOf(new BufferAttribute(new Float32Array(3), 1)).catch(({ message }) => message),
  shared: (await openThree(new WebGPURenderer({ device: fold.device }))).fold.device === fold.device,
});`,
  );
  const plain = expect.stringMatching(
    /^arrayOf: attribute is of the class \w+; it takes a StorageBufferAttribute/,
  );
  expect(report).toEqual({
    vec3: ["Vec4F32", 2, { x: 1, y: 2, z: 3, w: 0 }, { x: 4, y: 5, z: 6, w: 0 }],
    ivec2: ["Vec2I32", 2, { x: 1, y: -2 }, { x: 3, y: -4 }],
    bytes: ["u32", 3, 3, 1, 255],
    shorts: ["i32", 2, -3, 1],
    struct: ["Own", 2, { x: 0, y: 0, z: 0, life: 0 }, { x: 0, y: 0, z: 0, life: 0 }],
    used: [1, 3],
    isRenewed: true,
    indirect: true,
    plain,
    shared: true,
  });
});

test("a renderer that draws with WebGL", async () => {
  const { report } = await run<string>(
    "WebGL",
    `$report(await openThree(new WebGPURenderer({ canvas, forceWebGL: true })).catch((cause) => cause.name + ": " + cause.message));`,
  );
  expect(report).toMatch(/^AdapterError: openThree: the renderer draws with WebGL/);
});
