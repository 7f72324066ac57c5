/** More than any test takes. */
const MOST_BYTES = 2 ** 32;

/**
 * Calls with an `ArrayBuffer` that has no room for more than 4 GiB. Without it, the engine fails in the same way, but first it collects
 * garbage again and again, which takes seconds where files of tests share a process.
 */
export function withLittleMemory<T>(call: () => T): T {
  const { ArrayBuffer: Whole } = globalThis;
  globalThis.ArrayBuffer = class extends Whole {
    constructor(bytes: number) {
      if (bytes > MOST_BYTES) {
        throw new RangeError("Array buffer allocation failed");
      }
      super(bytes);
    }
  } as typeof Whole;
  try {
    return call();
  } finally {
    globalThis.ArrayBuffer = Whole;
  }
}
