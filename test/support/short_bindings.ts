import { afterAll, beforeAll } from "vitest";
import type { Fold } from "../../src/node.ts";
import type { DeviceFacts, Limits } from "../../src/plan/device_facts.ts";
import { expectSameBits } from "./compare.ts";
import { planAs } from "./fold.ts";

// A device that is taken for one whose bindings are short, so that short ranges go in windows.

/** A device's limits, but for the bytes of a binding. */
export function limitsWithBinding({ limits }: GPUDevice, binding: number): Limits {
  const own = Object.fromEntries(
    (
      [
        "maxComputeInvocationsPerWorkgroup",
        "maxComputeWorkgroupSizeX",
        "maxComputeWorkgroupStorageSize",
        "maxComputeWorkgroupsPerDimension",
        "maxBufferSize",
        "maxStorageBuffersPerShaderStage",
        "minStorageBufferOffsetAlignment",
      ] as const
    ).map((name) => [name, limits[name]]),
  );
  return { ...own, maxStorageBufferBindingSize: binding } as unknown as Limits;
}

/**
 * Has a file's fold taken for such a device, which has no look-back where the spine would be longer than a binding. It returns
 * the limits.
 */
export function useShortBindings(
  fold: () => Fold,
  binding: number,
  facts: Pick<Partial<DeviceFacts>, "lookBack"> = {},
): () => Limits {
  let limits: Limits | undefined;
  let restore = (): void => {};
  beforeAll(() => {
    const { device } = fold();
    limits = limitsWithBinding(device, binding);
    restore = planAs({ device }, { ...facts, limits });
  });
  afterAll(() => restore());
  return () => {
    if (limits === undefined) {
      throw new Error("the limits are known in beforeAll");
    }
    return limits;
  };
}

const POISON = 0xdeadbeef;

/** Words that no result is. */
export const poisoned = (length: number): Uint32Array => new Uint32Array(length).fill(POISON);

/** Of a range in a buffer of poison, every word: the range holds `wanted` from word `from` on, and nothing before and behind it was written. */
export function expectInPoison(found: Uint32Array, from: number, wanted: Uint32Array, title: string): void {
  expectSameBits(found.slice(from, from + wanted.length), wanted, title);
  expectSameBits(found.slice(0, from), poisoned(from), `before ${title}`);
  const behind = found.slice(from + wanted.length);
  expectSameBits(behind, poisoned(behind.length), `behind ${title}`);
}

/** What dispatches bind, as the device is told: the most bytes of a binding, and the most storage buffers of a kernel. */
export function watchBindings({ device }: Fold): { most(): number; mostBuffers(): number; stop(): void } {
  const make = device.createBindGroup;
  let most = 0;
  let mostBuffers = 0;
  device.createBindGroup = (descriptor) => {
    // One is the uniform that has the parameters.
    mostBuffers = Math.max(mostBuffers, [...descriptor.entries].length - 1);
    for (const { resource } of descriptor.entries) {
      most = Math.max(most, (resource as GPUBufferBinding).size ?? 0);
    }
    return make.call(device, descriptor);
  };
  return {
    most: () => most,
    mostBuffers: () => mostBuffers,
    stop: () => {
      device.createBindGroup = make;
    },
  };
}
