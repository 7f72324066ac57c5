import { SimulatedBuffer } from "./buffer.ts";
import type { Core } from "./core.ts";
import { checked, DeviceObject, descriptorOf, nameOf, useProblem } from "./device_object.ts";
import { integer32, integer64, listOf, objectOf, optional64 } from "./idl.ts";
import type { LayoutEntry } from "./layouts.ts";
import { SimulatedBindGroupLayout } from "./layouts.ts";
import type { LimitName } from "./limits.ts";
import { STORAGE, UNIFORM } from "./usage.ts";

/** A buffer's range that is bound. */
export interface Bound {
  readonly entry: LayoutEntry;
  readonly buffer: SimulatedBuffer;
  readonly offset: number;
  readonly size: number;
}

interface GivenEntry {
  readonly binding: number;
  readonly buffer: SimulatedBuffer;
  readonly offset: number;
  readonly size: number;
}

/** What a binding of a type takes. */
export const bindingRules = {
  uniform: {
    usage: UNIFORM,
    usageName: "UNIFORM",
    alignment: "minUniformBufferOffsetAlignment",
    most: "maxUniformBufferBindingSize",
  },
  storage: {
    usage: STORAGE,
    usageName: "STORAGE",
    alignment: "minStorageBufferOffsetAlignment",
    most: "maxStorageBufferBindingSize",
  },
  "read-only-storage": {
    usage: STORAGE,
    usageName: "STORAGE",
    alignment: "minStorageBufferOffsetAlignment",
    most: "maxStorageBufferBindingSize",
  },
} as const satisfies Record<
  GPUBufferBindingType,
  { usage: number; usageName: string; alignment: LimitName; most: LimitName }
>;

export class SimulatedBindGroup extends DeviceObject implements GPUBindGroup {
  declare readonly __brand: "GPUBindGroup";
  readonly layout: SimulatedBindGroupLayout;
  readonly #entries: readonly GivenEntry[];

  constructor(core: Core, label: string, layout: SimulatedBindGroupLayout, entries: readonly GivenEntry[]) {
    super(core, { label });
    this.layout = layout;
    this.#entries = entries;
  }

  get [Symbol.toStringTag](): string {
    return "GPUBindGroup";
  }

  get buffers(): readonly SimulatedBuffer[] {
    return this.#entries.map(({ buffer }) => buffer);
  }

  /** The ranges that are bound, from the lowest binding on. Dynamic offsets come in that order, too. */
  boundAt(dynamicOffsets: readonly number[]): Bound[] {
    const offsets = dynamicOffsets[Symbol.iterator]();
    return this.layout.entries.flatMap((entry) => {
      const given = this.#entries.find(({ binding }) => binding === entry.binding);
      if (given === undefined) {
        return [];
      }
      const more = entry.hasDynamicOffset ? (offsets.next().value ?? 0) : 0;
      return [{ entry, buffer: given.buffer, offset: given.offset + more, size: given.size }];
    });
  }
}

function entryOf({ binding, resource }: GPUBindGroupEntry): GivenEntry {
  const caller = "createBindGroup";
  const isWhole = resource instanceof SimulatedBuffer;
  const { buffer: given, offset, size } = (isWhole ? { buffer: resource } : resource) as GPUBufferBinding;
  const number = integer32(binding, `${caller}: binding`);
  const buffer = objectOf(SimulatedBuffer, "GPUBuffer", given, `${caller}: the buffer of binding ${number}`);
  const from = integer64(offset ?? 0, `${caller}: the offset of binding ${number}`);
  return {
    binding: number,
    buffer,
    offset: from,
    size: optional64(size, `${caller}: the size of binding ${number}`) ?? Math.max(0, buffer.size - from),
  };
}

function* entryProblems(
  core: Core,
  { buffer, offset, size, binding }: GivenEntry,
  { type, minBindingSize }: LayoutEntry,
): Iterable<string | undefined> {
  const { limits } = core;
  const { usage, usageName, alignment, most } = bindingRules[type];
  const of = `binding ${binding}`;
  yield useProblem(core, buffer);
  if ((buffer.usage & usage) === 0) {
    yield `${of}: ${nameOf(buffer)} has no usage ${usageName}`;
  }
  if (size === 0 || offset + size > buffer.size) {
    yield `${of}: bytes ${offset} to ${offset + size} are ${size === 0 ? "none" : `not in ${nameOf(buffer)} of ${buffer.size} bytes`}`;
  }
  if (size < minBindingSize) {
    yield `${of} has ${size} bytes, and its minBindingSize is ${minBindingSize}`;
  }
  if (size > limits[most]) {
    yield `${of} has ${size} bytes, and ${most} is ${limits[most]}`;
  }
  if (offset % limits[alignment] !== 0) {
    yield `${of} is at byte ${offset}; ${alignment} is ${limits[alignment]}`;
  }
  if (type !== "uniform" && size % 4 !== 0) {
    yield `${of} has ${size} bytes; storage takes a multiple of 4`;
  }
}

function* groupProblems(
  core: Core,
  layout: SimulatedBindGroupLayout,
  entries: readonly GivenEntry[],
): Iterable<string | undefined> {
  yield useProblem(core, layout);
  if (entries.length !== layout.entries.length) {
    yield `there are ${entries.length} entries, and ${nameOf(layout)} has ${layout.entries.length}`;
  }
  for (const given of entries) {
    const entry = layout.entries.find(({ binding }) => binding === given.binding);
    if (entry === undefined) {
      yield `${nameOf(layout)} has no binding ${given.binding}`;
      return;
    }
    if (entries.some((other) => other !== given && other.binding === given.binding)) {
      yield `binding ${given.binding} is there twice`;
    }
    yield* entryProblems(core, given, entry);
  }
}

/** https://www.w3.org/TR/webgpu/#dom-gpudevice-createbindgroup */
export function createBindGroup(core: Core, given: GPUBindGroupDescriptor): SimulatedBindGroup {
  const caller = "createBindGroup";
  const { label = "", layout: givenLayout, entries: list } = descriptorOf(given, caller);
  const layout = objectOf(
    SimulatedBindGroupLayout,
    "GPUBindGroupLayout",
    givenLayout,
    `${caller}: the layout`,
  );
  const entries = listOf(list, `${caller}: entries`).map(entryOf);
  return checked(
    new SimulatedBindGroup(core, label, layout, entries),
    caller,
    groupProblems(core, layout, entries),
  );
}
