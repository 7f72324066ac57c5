import type { Core } from "./core.ts";
import { checked, DeviceObject, descriptorOf, nameOf } from "./device_object.ts";
import { choiceOf, integer32 } from "./idl.ts";

const MOST_QUERIES = 4096;

export class SimulatedQuerySet extends DeviceObject implements GPUQuerySet {
  declare readonly __brand: "GPUQuerySet";
  readonly type: GPUQueryType;
  readonly count: number;
  /** Nanoseconds. */
  values = new BigUint64Array(0);
  #isDestroyed = false;

  constructor(core: Core, descriptor: GPUQuerySetDescriptor) {
    super(core, descriptor);
    this.type = choiceOf(descriptor.type, ["occlusion", "timestamp"], "createQuerySet: type");
    this.count = integer32(descriptor.count, "createQuerySet: count");
  }

  get [Symbol.toStringTag](): string {
    return "GPUQuerySet";
  }

  get stateProblem(): string | undefined {
    return this.#isDestroyed ? `${nameOf(this)} is destroyed` : undefined;
  }

  destroy(): undefined {
    this.#isDestroyed = true;
    return undefined;
  }
}

/** https://www.w3.org/TR/webgpu/#dom-gpudevice-createqueryset */
export function createQuerySet(core: Core, given: GPUQuerySetDescriptor): SimulatedQuerySet {
  const set = new SimulatedQuerySet(core, descriptorOf(given, "createQuerySet"));
  if (set.type === "timestamp" && !core.features.has("timestamp-query")) {
    throw new TypeError('createQuerySet: the type "timestamp" takes the feature "timestamp-query"');
  }
  checked(set, "createQuerySet", [
    set.count > MOST_QUERIES ? `count is ${set.count}; it takes at most ${MOST_QUERIES}` : undefined,
  ]);
  if (set.isValid) {
    set.values = new BigUint64Array(set.count);
  }
  return set;
}
