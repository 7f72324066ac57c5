/** A device whose buffers are watched. */
export interface Watched {
  readonly device: GPUDevice;
  /** The labels of the buffers that were made and are not destroyed. */
  alive(): string[];
  /** The labels of the buffers that were made. */
  made(): string[];
  /** The most bytes that buffers had together that were made and were not destroyed. */
  mostBytes(): number;
}

interface Changes {
  /** Limits that it says it has. */
  readonly limits?: Partial<Record<keyof GPUSupportedLimits, number>>;
  /** What a buffer is made of instead. */
  readonly buffer?: (descriptor: GPUBufferDescriptor) => GPUBufferDescriptor;
}

/** The same device, for a fold of its own: a buffer that was destroyed is not counted any more. */
export function watched(device: GPUDevice, { limits = {}, buffer = (one) => one }: Changes = {}): Watched {
  const alive = new Map<GPUBuffer, string>();
  const made: string[] = [];
  let bytes = 0;
  let mostBytes = 0;
  const createBuffer = (descriptor: GPUBufferDescriptor): GPUBuffer => {
    const one = device.createBuffer(buffer(descriptor));
    const label = descriptor.label ?? "";
    made.push(label);
    alive.set(one, label);
    bytes += one.size;
    mostBytes = Math.max(mostBytes, bytes);
    const destroy = one.destroy.bind(one);
    one.destroy = () => {
      bytes -= alive.delete(one) ? one.size : 0;
      return destroy();
    };
    return one;
  };
  const known = new Proxy(device.limits, {
    get: (target, name) => (limits as Record<PropertyKey, number>)[name] ?? Reflect.get(target, name, target),
  });
  return {
    device: new Proxy(device, {
      get(target, name) {
        if (name === "createBuffer") {
          return createBuffer;
        }
        if (name === "limits") {
          return known;
        }
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
    alive: () => [...alive.values()],
    made: () => [...made],
    mostBytes: () => mostBytes,
  };
}
