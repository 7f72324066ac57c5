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
