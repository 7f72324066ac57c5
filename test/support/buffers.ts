import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import type { Items } from "./compare.ts";
import { randomWords } from "./random.ts";

const STORAGE = 0x80;
const COPY_SRC = 0x4;
const COPY_DST = 0x8;

/** A storage buffer that holds these words. */
export function storageBuffer(
  device: GPUDevice,
  words: Uint32Array,
  usage = STORAGE | COPY_SRC | COPY_DST,
): GPUBuffer {
  const buffer = device.createBuffer({ size: words.byteLength, usage, mappedAtCreation: true });
  new Uint32Array(buffer.getMappedRange()).set(words);
  buffer.unmap();
  return buffer;
}

/** A storage buffer that holds an array, with random words before and behind it. */
export function arrayBuffer(device: GPUDevice, data: AnyArray, before = 0, behind = 0): GPUBuffer {
  const words = randomWords(before + Math.max(4, Math.ceil(data.byteLength / 4)) + behind, "around");
  new Uint8Array(words.buffer).set(bytesIn(data), before * 4);
  return storageBuffer(device, words);
}

/** Destroys buffers, arrays, plans and folds. One may stand there twice. */
export function destroyAll(...all: readonly ({ destroy(): void } | undefined)[]): void {
  for (const one of all) {
    one?.destroy();
  }
}

/** The bytes of an array. */
export const bytesIn = ({ buffer, byteOffset, byteLength }: Items): Uint8Array =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);

/** The same in a copy, as whole words. */
export function wordsOf(items: Items): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(items.byteLength / 4));
  new Uint8Array(words.buffer).set(bytesIn(items));
  return words;
}

/** Words between others that nothing may write. */
export function guarded(words: Uint32Array, before: number, after: number): Uint32Array {
  const all = new Uint32Array(before + words.length + after).fill(GUARD);
  all.set(words, before);
  return all;
}
export const GUARD = 0xabad1dea;

/** The first bytes of words, as many as an array has, as an array of its type. */
export const readAs = (wanted: AnyArray, type: ElementType, words: Uint32Array): AnyArray =>
  wanted instanceof Uint16Array
    ? new Uint16Array(words.slice().buffer, 0, wanted.length)
    : arrayOver(type, words.slice().buffer, 0, wanted.length);

/** Records into an encoder, and submits it. */
export function submit(device: GPUDevice, record: (encoder: GPUCommandEncoder) => void): void {
  const encoder = device.createCommandEncoder();
  record(encoder);
  device.queue.submit([encoder.finish()]);
}

/** The same. It gives the words that the buffers then hold. */
export function submitted(
  device: GPUDevice,
  record: (encoder: GPUCommandEncoder) => void,
  buffers: readonly GPUBuffer[],
): Promise<Uint32Array[]> {
  submit(device, record);
  return Promise.all(buffers.map((buffer) => readWords(device, buffer)));
}

/** The words of a buffer, once all that was submitted is done. */
export async function readWords(device: GPUDevice, buffer: GPUBuffer): Promise<Uint32Array> {
  const staging = device.createBuffer({ size: buffer.size, usage: 0x1 | COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(0x1);
  const words = new Uint32Array(staging.getMappedRange().slice(0));
  staging.destroy();
  return words;
}

/** An encoder with a dispatch of a pipeline, whose bindings are these whole buffers. */
export function encodeDispatch(
  device: GPUDevice,
  pipeline: GPUComputePipeline,
  bound: Iterable<readonly [binding: number, buffer: GPUBuffer, ...unknown[]]>,
  groups: number,
): GPUCommandEncoder {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: Array.from(bound, ([binding, buffer]) => ({ binding, resource: { buffer } })),
    }),
  );
  pass.dispatchWorkgroups(groups);
  pass.end();
  return encoder;
}

/** What runs a compiled kernel on buffers 0, 1, 2 … that hold these words, and returns what they hold then. */
export type RunKernel = (buffers: readonly Uint32Array[], groups?: number) => Promise<Uint32Array[]>;

/** Compiles a kernel whose bindings are all storage buffers. */
export async function compileKernel(device: GPUDevice, code: string): Promise<RunKernel> {
  const pipeline = await device.createComputePipelineAsync({
    layout: "auto",
    compute: { module: device.createShaderModule({ code }) },
  });
  return async (contents, groups = 1) => {
    const buffers = contents.map((words) => storageBuffer(device, words));
    device.queue.submit([encodeDispatch(device, pipeline, buffers.entries(), groups).finish()]);
    const words = await Promise.all(buffers.map((buffer) => readWords(device, buffer)));
    for (const buffer of buffers) {
      buffer.destroy();
    }
    return words;
  };
}
