import { AdapterError } from "./errors.ts";
import type { Fold, OpenOptions } from "./runtime/fold.ts";
import { openDevice } from "./runtime/fold.ts";

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
      throw new AdapterError(
        "open: there is no navigator.gpu; WebGPU takes a recent browser and a secure context (https or localhost). In Node.js, import wavefold/node",
      );
    }
    const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
    if (adapter === null) {
      throw new AdapterError(
        "open: the browser has WebGPU, but no adapter: its GPU is not supported, or is blocked",
      );
    }
    return { adapter };
  });
}
