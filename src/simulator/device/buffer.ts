import { Memory } from "../machine/index.ts";
import type { Core } from "./core.ts";
import { checked, DeviceObject, descriptorOf, firstOf, nameOf } from "./device_object.ts";
import { abortError, operationError } from "./errors.ts";
import { integer32, integer64, optional64 } from "./idl.ts";
import { ALL_USAGES, COPY_DST, COPY_SRC, MAP_READ, MAP_WRITE } from "./usage.ts";

/** A range that `getMappedRange` gave out. */
interface View {
  readonly from: number;
  readonly to: number;
  readonly bytes: ArrayBuffer;
}

interface Mapping {
  readonly isWritten: boolean;
  readonly from: number;
  readonly to: number;
  readonly views: View[];
}

/** A call of `mapAsync` that is under way. */
interface Pending {
  resolve(): void;
  reject(cause: DOMException): void;
}

export class SimulatedBuffer extends DeviceObject implements GPUBuffer {
  declare readonly __brand: "GPUBuffer";
  readonly size: number;
  readonly usage: number;
  #memory: Memory | undefined;
  #isDestroyed = false;
  #mapping: Mapping | undefined;
  #pending: Pending | undefined;

  constructor(core: Core, descriptor: GPUBufferDescriptor) {
    super(core, descriptor);
    this.size = integer64(descriptor.size, "createBuffer: size");
    this.usage = integer32(descriptor.usage, "createBuffer: usage");
  }

  get [Symbol.toStringTag](): string {
    return "GPUBuffer";
  }

  get mapState(): GPUBufferMapState {
    if (this.#mapping) {
      return "mapped";
    }
    return this.#pending ? "pending" : "unmapped";
  }

  /** What the buffer holds. It is there until the work that was submitted before `destroy()` is done. */
  get memory(): Memory {
    if (this.#memory === undefined) {
      throw new Error(`${nameOf(this)} has no memory`);
    }
    return this.#memory;
  }

  /** Why a queue cannot use the buffer now; undefined if it can. */
  get stateProblem(): string | undefined {
    if (this.#isDestroyed) {
      return `${nameOf(this)} is destroyed`;
    }
    return this.mapState === "unmapped" ? undefined : `${nameOf(this)} is ${stateNames[this.mapState]}`;
  }

  /** Gives the buffer its bytes, all of them zero. */
  allocate(): void {
    if (!this.core.take(this.size)) {
      this.#refuseRoom();
      return;
    }
    try {
      this.#memory = new Memory(this.size, this.label, this.core.machine.options.uninitialized);
    } catch {
      // A RangeError: there is no room for such an array.
      this.core.giveBack(this.size);
      this.#refuseRoom();
    }
  }

  #refuseRoom(): void {
    this.isValid = false;
    this.core.report(
      "out-of-memory",
      `createBuffer: there is no room for ${this.size} bytes, ${nameOf(this)}`,
    );
  }

  mapAtCreation(): void {
    this.#startMapping({ isWritten: true, from: 0, to: this.size, views: [] });
  }

  async mapAsync(mode: number, offset = 0, size?: number): Promise<undefined> {
    const flags = integer32(mode, "mapAsync: mode");
    const from = integer64(offset, "mapAsync: offset");
    const length = optional64(size, "mapAsync: size") ?? Math.max(0, this.size - from);
    if (this.mapState !== "unmapped") {
      this.core.report("validation", `mapAsync: ${this.stateProblem}`);
      throw operationError(`mapAsync: ${this.stateProblem}`);
    }
    await this.#map(flags, from, length);
    return undefined;
  }

  #map(mode: number, from: number, length: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const pending: Pending = { resolve, reject };
      this.#pending = pending;
      this.core.mapped.add(this);
      const isLost = !this.isValid || this.core.isLost;
      const problem = isLost ? undefined : firstOf(this.#mapProblems(mode, from, length));
      if (problem !== undefined) {
        this.core.report("validation", `mapAsync: ${problem}`);
      }
      this.core.timeline.add(() => {
        if (this.#pending !== pending) {
          // It was cancelled.
          return;
        }
        if (isLost || problem !== undefined) {
          this.#endPending(
            isLost
              ? abortError(`mapAsync: ${nameOf(this)} is invalid`)
              : operationError(`mapAsync: ${problem}`),
          );
          return;
        }
        this.#pending = undefined;
        this.#startMapping({ isWritten: mode === MAP_WRITE, from, to: from + length, views: [] });
        resolve();
      });
    });
  }

  *#mapProblems(mode: number, from: number, length: number): Iterable<string | undefined> {
    yield this.#isDestroyed ? this.stateProblem : undefined;
    yield* rangeProblems(this, from, length);
    if (mode !== MAP_READ && mode !== MAP_WRITE) {
      yield `mode is ${mode}; it takes GPUMapMode.READ or GPUMapMode.WRITE`;
    }
    // A mode is the usage that it takes.
    if ((this.usage & mode) === 0) {
      yield `${nameOf(this)} has no usage ${mode === MAP_READ ? "MAP_READ" : "MAP_WRITE"}`;
    }
  }

  #startMapping(mapping: Mapping): void {
    this.#mapping = mapping;
    this.core.mapped.add(this);
  }

  #endPending(cause: DOMException): void {
    const pending = this.#pending;
    this.#pending = undefined;
    this.core.mapped.delete(this);
    pending?.reject(cause);
  }

  getMappedRange(offset = 0, size?: number): ArrayBuffer {
    const from = integer64(offset, "getMappedRange: offset");
    const length = optional64(size, "getMappedRange: size") ?? Math.max(0, this.size - from);
    const problem = firstOf(this.#viewProblems(from, length));
    if (problem !== undefined) {
      throw operationError(`getMappedRange: ${problem}`);
    }
    return this.#addView(from, from + length);
  }

  *#viewProblems(from: number, length: number): Iterable<string | undefined> {
    const mapping = this.#mapping;
    if (mapping === undefined) {
      yield `${nameOf(this)} is not mapped`;
      return;
    }
    yield* rangeProblems(this, from, length);
    const to = from + length;
    if (from < mapping.from || to > mapping.to) {
      yield `bytes ${from} to ${to} are not in the range that is mapped, ${mapping.from} to ${mapping.to}`;
    }
    const other = mapping.views.find((view) => from < view.to && view.from < to);
    if (other) {
      yield `bytes ${from} to ${to} overlap bytes ${other.from} to ${other.to}, which were given out before`;
    }
  }

  #addView(from: number, to: number): ArrayBuffer {
    const bytes = new ArrayBuffer(to - from);
    if (this.#memory) {
      new Uint8Array(bytes).set(this.#memory.bytes.subarray(from, to));
    }
    this.#mapping?.views.push({ from, to, bytes });
    return bytes;
  }

  unmap(): undefined {
    if (this.#pending) {
      this.#endPending(abortError(`mapAsync: ${nameOf(this)} was unmapped before it was mapped`));
    }
    const mapping = this.#mapping;
    this.#mapping = undefined;
    this.core.mapped.delete(this);
    for (const { from, to, bytes } of mapping?.views ?? []) {
      const wasTransferred = bytes.byteLength < to - from;
      const content = wasTransferred ? undefined : structuredClone(bytes, { transfer: [bytes] });
      if (content && mapping?.isWritten && this.#memory) {
        this.#memory.bytes.set(new Uint8Array(content), from);
        this.#memory.markWritten(from, to - from);
      } else if (wasTransferred) {
        this.core.report(
          "validation",
          `unmap: bytes ${from} to ${to} of ${nameOf(this)} were transferred; only unmap() may detach them`,
        );
      }
    }
    return undefined;
  }

  destroy(): undefined {
    this.unmap();
    if (!this.#isDestroyed) {
      this.#isDestroyed = true;
      // Work that was submitted before still uses the bytes.
      this.core.timeline.add(() => {
        if (this.#memory) {
          this.#memory = undefined;
          this.core.giveBack(this.size);
        }
      });
    }
    return undefined;
  }
}

const stateNames = {
  unmapped: "not mapped",
  mapped: "mapped",
  pending: "about to be mapped",
} as const satisfies Record<GPUBufferMapState, string>;

function* rangeProblems(buffer: SimulatedBuffer, from: number, length: number): Iterable<string> {
  if (from % 8 !== 0) {
    yield `offset is ${from}; it takes a multiple of 8`;
  }
  if (length % 4 !== 0) {
    yield `size is ${length}; it takes a multiple of 4`;
  }
  if (from + length > buffer.size) {
    yield `bytes ${from} to ${from + length} are not in ${nameOf(buffer)} of ${buffer.size} bytes`;
  }
}

function* bufferProblems({ core, size, usage }: SimulatedBuffer): Iterable<string> {
  if (usage === 0 || (usage & ~ALL_USAGES) !== 0) {
    yield `usage is ${usage}; it takes flags of GPUBufferUsage`;
  }
  if (usage & MAP_READ && usage & ~(MAP_READ | COPY_DST)) {
    yield `usage is ${usage}; MAP_READ goes with COPY_DST alone`;
  }
  if (usage & MAP_WRITE && usage & ~(MAP_WRITE | COPY_SRC)) {
    yield `usage is ${usage}; MAP_WRITE goes with COPY_SRC alone`;
  }
  if (size > core.limits.maxBufferSize) {
    yield `size is ${size}, and maxBufferSize is ${core.limits.maxBufferSize}`;
  }
}

/** https://www.w3.org/TR/webgpu/#dom-gpudevice-createbuffer */
export function createBuffer(core: Core, given: GPUBufferDescriptor): SimulatedBuffer {
  const descriptor = descriptorOf(given, "createBuffer");
  const buffer = new SimulatedBuffer(core, descriptor);
  if (descriptor.mappedAtCreation && buffer.size % 4 !== 0) {
    throw new RangeError(
      `createBuffer: size is ${buffer.size}; with mappedAtCreation, it takes a multiple of 4`,
    );
  }
  if (descriptor.mappedAtCreation && buffer.size > core.limits.maxBufferSize) {
    // Even a buffer that is too large can be written while it is mapped, unless there is no room for that: a RangeError.
    new ArrayBuffer(buffer.size);
  }
  checked(buffer, "createBuffer", bufferProblems(buffer));
  if (buffer.isValid) {
    buffer.allocate();
  }
  if (descriptor.mappedAtCreation) {
    buffer.mapAtCreation();
  }
  return buffer;
}
