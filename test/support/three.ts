/** A renderer that has what Wavefold uses of three.js's, on a device. It makes buffers as three.js does. */
export function rendererOn(device: GPUDevice | null, backend: object = {}) {
  const buffers = new Map<object, { buffer?: GPUBuffer }>();
  const create = (attribute: { array: Uint32Array<ArrayBuffer>; itemSize: number; count: number }): void => {
    if (attribute.itemSize === 3) {
      attribute.itemSize = 4;
      attribute.array = new Uint32Array(4 * attribute.count);
    }
    // Storage, copies to it and from it.
    const buffer = device?.createBuffer({ size: attribute.array.byteLength, usage: 0x8c });
    if (buffer !== undefined) {
      device?.queue.writeBuffer(buffer, 0, attribute.array);
      buffers.set(attribute, { buffer });
    }
  };
  const made: string[] = [];
  return {
    made,
    init: async () => {},
    dispose: (attribute: object) => buffers.delete(attribute),
    backend: {
      isWebGPUBackend: true,
      device,
      get: (attribute: object) => buffers.get(attribute) ?? {},
      createStorageAttribute(attribute: never) {
        made.push("storage");
        create(attribute);
      },
      createIndirectStorageAttribute(attribute: never) {
        made.push("indirect");
        create(attribute);
      },
      ...backend,
    },
  };
}

/** An attribute that has what Wavefold uses of three.js's. */
export const attributeOf = <A extends ArrayBufferView & { readonly length: number }>(
  array: A,
  itemSize: number,
  more: object = {},
) => ({ array, itemSize, count: array.length / itemSize, isStorageBufferAttribute: true, ...more });
