// SwiftShader starts the subgroups of a work-group in order, and the one that lacks lanes last. A GPU starts them in any
// order: here the numbers by which device-wide kernels tell them apart are those of another order.

import { inOrder } from "../support/subgroup_order.ts";

/** A permutation of the first numbers, made from a seed. */
function shuffled(count: number, seed: number): number[] {
  let state = seed | 0;
  const keys = Array.from({ length: count }, (_, at) => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return { at, key: state >>> 8 };
  });
  return keys.sort((a, b) => a.key - b.key).map(({ at }) => at);
}

const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash;
};

/** A kernel's text with subgroups numbered as if they started in another order: for each text always the same one. */
export function withShuffledSubgroups(code: string, lanes: number): string {
  const threads = Number(/\bconst WORK_GROUP_SIZE = (\d+)u/.exec(code)?.[1] ?? 0);
  const count = Math.ceil(threads / lanes);
  if (count < 2) {
    return code;
  }
  const places = shuffled(count, hashOf(code));
  return inOrder(code, threads, lanes, places);
}

/** Shuffles the subgroups of all kernels that a device compiles from now on. */
export function shuffleSubgroups(device: GPUDevice): void {
  const create = device.createShaderModule;
  Object.defineProperty(device, "createShaderModule", {
    configurable: true,
    value: (descriptor: GPUShaderModuleDescriptor) =>
      create.call(device, {
        ...descriptor,
        code: withShuffledSubgroups(descriptor.code, device.adapterInfo.subgroupMaxSize),
      }),
  });
}
