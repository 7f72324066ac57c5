import { SimulatedBuffer } from "./buffer.ts";
import { SimulatedCommandBuffer } from "./command_encoder.ts";
import { execute, writeBytes } from "./commands.ts";
import type { Core } from "./core.ts";
import { DeviceObject, firstOf, nameOf, useProblem } from "./device_object.ts";
import { operationError, unsupported } from "./errors.ts";
import { integer64, listOf, objectOf, optional64 } from "./idl.ts";
import { COPY_DST } from "./usage.ts";

export class SimulatedQueue extends DeviceObject implements GPUQueue {
  declare readonly __brand: "GPUQueue";

  get [Symbol.toStringTag](): string {
    return "GPUQueue";
  }

  /** https://www.w3.org/TR/webgpu/#dom-gpuqueue-submit */
  submit(given: Iterable<GPUCommandBuffer>): undefined {
    const { core } = this;
    const buffers = listOf(given, "submit: the command buffers").map((buffer) =>
      objectOf(SimulatedCommandBuffer, "GPUCommandBuffer", buffer, "submit: a command buffer"),
    );
    const problem = firstOf(submitProblems(core, buffers));
    for (const buffer of buffers) {
      buffer.isValid = false;
    }
    if (problem !== undefined) {
      core.report("validation", `submit: ${problem}`);
      return undefined;
    }
    for (const command of buffers.flatMap(({ commands }) => commands)) {
      core.timeline.add(() => {
        if (!core.isLost) {
          execute(core, command);
        }
      });
    }
    return undefined;
  }

  onSubmittedWorkDone(): Promise<undefined> {
    return this.core.timeline.done();
  }

  /** https://www.w3.org/TR/webgpu/#dom-gpuqueue-writebuffer */
  writeBuffer(
    given: GPUBuffer,
    bufferOffset: number,
    data: GPUAllowSharedBufferSource,
    dataOffset = 0,
    size?: number,
  ): undefined {
    const { core } = this;
    const buffer = objectOf(SimulatedBuffer, "GPUBuffer", given, "writeBuffer: the buffer");
    const offset = integer64(bufferOffset, "writeBuffer: bufferOffset");
    const bytes = bytesIn(
      data,
      integer64(dataOffset, "writeBuffer: dataOffset"),
      optional64(size, "writeBuffer: size"),
    );
    const problem = firstOf(writeProblems(core, buffer, offset, bytes.byteLength));
    if (problem !== undefined) {
      core.report("validation", `writeBuffer: ${problem}`);
    } else {
      core.timeline.add(() => {
        if (!core.isLost) {
          writeBytes(buffer, offset, bytes);
        }
      });
    }
    return undefined;
  }

  writeTexture(): never {
    unsupported("writeTexture");
  }

  copyExternalImageToTexture(): never {
    unsupported("copyExternalImageToTexture");
  }

  /** Not in every list of WebGPU's types yet, nor the next one. */
  copyElementImageToTexture(): never {
    unsupported("copyElementImageToTexture");
  }

  drawElementImageToTexture(): never {
    unsupported("drawElementImageToTexture");
  }
}

function* submitProblems(
  core: Core,
  buffers: readonly SimulatedCommandBuffer[],
): Iterable<string | undefined> {
  if (new Set(buffers).size < buffers.length) {
    yield "a command buffer is there twice";
  }
  for (const buffer of buffers) {
    yield useProblem(core, buffer);
    for (const { stateProblem } of buffer.used) {
      yield stateProblem && `${nameOf(buffer)}: ${stateProblem}`;
    }
  }
}

function* writeProblems(
  core: Core,
  buffer: SimulatedBuffer,
  offset: number,
  bytes: number,
): Iterable<string | undefined> {
  yield useProblem(core, buffer);
  yield buffer.stateProblem;
  if ((buffer.usage & COPY_DST) === 0) {
    yield `${nameOf(buffer)} has no usage COPY_DST`;
  }
  if (offset % 4 !== 0) {
    yield `bufferOffset is ${offset}; it takes a multiple of 4`;
  }
  if (offset + bytes > buffer.size) {
    yield `bytes ${offset} to ${offset + bytes} are not in ${nameOf(buffer)} of ${buffer.size} bytes`;
  }
}

/** A copy of some bytes. Of a typed array, offset and size count elements. */
function bytesIn(data: GPUAllowSharedBufferSource, offset: number, size: number | undefined): Uint8Array {
  const isView = ArrayBuffer.isView(data);
  const buffer = isView ? data.buffer : data;
  if (!(buffer instanceof ArrayBuffer || isShared(buffer))) {
    throw new TypeError(`writeBuffer: data is ${String(data)}; it takes an ArrayBuffer or a view of one`);
  }
  const unit = "BYTES_PER_ELEMENT" in data ? Number(data.BYTES_PER_ELEMENT) : 1;
  const length = data.byteLength / unit;
  const count = size ?? length - offset;
  if (count < 0 || offset + count > length) {
    throw operationError(`writeBuffer: elements ${offset} to ${offset + count} are not in data of ${length}`);
  }
  if ((count * unit) % 4 !== 0) {
    throw operationError(`writeBuffer: there are ${count * unit} bytes; it takes a multiple of 4`);
  }
  const start = (isView ? data.byteOffset : 0) + offset * unit;
  return new Uint8Array(buffer, start, count * unit).slice();
}

/** Pages that are not isolated have no SharedArrayBuffer. */
const isShared = (buffer: ArrayBufferLike): boolean =>
  typeof SharedArrayBuffer !== "undefined" && buffer instanceof SharedArrayBuffer;
