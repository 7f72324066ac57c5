import type { Fold, OpenOptions } from "./gpu/fold.ts";
import { openDevice } from "./gpu/fold.ts";
import { loadOpenProblems } from "./later.ts";

/**
 * Opens scan, reduce and compact on a GPU: on your device, on your adapter, or on the browser's
 * fastest adapter. The device is opened with the features and limits that are useful here.
 *
 * @throws {AdapterError} where there is no WebGPU or no adapter.
 *
 * @example
 * ```ts
 * const fold = await open();
 * await fold.scan(Uint32Array.of(3, 1, 7)); // 3 4 11
 * fold.destroy();
 * ```
 */
export function open(options: OpenOptions = {}): Promise<Fold> {
  return openDevice(options, async () => {
    const gpu = (globalThis.navigator as Navigator | undefined)?.gpu;
    if (gpu === undefined) {
      throw (await loadOpenProblems()).noGpu();
    }
    const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
    if (adapter === null) {
      throw (await loadOpenProblems()).noAdapter();
    }
    return { adapter };
  });
}
