// SwiftShader starts the subgroups of a work-group in order, and the one that lacks lanes last. A GPU starts them in any
// order: here the numbers by which device-wide kernels tell them apart are those of another order.

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
  const lanesOf = (start: number): number => Math.min(lanes, threads - start * lanes);
  // Where a kernel counts threads as their subgroups start: those of the subgroups that start earlier.
  const earlier = places.map((place) =>
    places.reduce((sum, other, start) => (other < place ? sum + lanesOf(start) : sum), 0),
  );
  const at = (values: readonly number[], index: string): string =>
    `array<u32, ${count}>(${values.map((value) => `${value}u`).join(", ")})[${index}]`;
  const changes: readonly (readonly [string, string])[] = [
    ["started = atomicAdd(&subgroups_started, 1u);", `started = ${at(places, "started")};`],
    [
      "counted = subgroupBroadcastFirst(counted);",
      `counted = (${at(places, "counted >> 16u")} << 16u) + ${at(earlier, "counted >> 16u")};`,
    ],
  ];
  return changes.reduce((text, [line, added]) => text.replace(line, `${line} ${added}`), code);
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
