import { part, refuse, shown } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import { requireCount, requireOptions } from "../options.ts";
import type { AdapterTuning } from "../plan/adapter_tuning.ts";
import { openContext } from "./device/device.ts";
import { noAdapterError, noDeviceError } from "./device/device_errors.ts";
import { Fold } from "./fold.ts";
import type { OpenStore } from "./tuning/tuning_store.ts";

/** Options of `openFold` in a browser. */
export interface OpenOptions {
  /** Your own device. It stays yours: `fold.destroy()` leaves it open. */
  readonly device?: GPUDevice;
  /** The adapter to open a device on. */
  readonly adapter?: GPUAdapter;
  /**
   * Whether to test single passes on the device first: see {@link Fold.singlePassTest}. The test takes some seconds at
   * most. Without it, single pass is the default only on adapters that are known to manage it.
   */
  readonly testSinglePass?: boolean;
  /**
   * Algorithms and sizes that were measured on this adapter, in place of Wavefold's own: what {@link tuneAdapter} returned or
   * `wavefold tune --output` wrote. `"auto"` takes those that were kept when this adapter was tuned before. If there are none,
   * it tunes the adapter now, which takes about 10 seconds and, on GPUs other than NVIDIA's, the test of the single pass, and keeps
   * the result: in the browser's IndexedDB; in Node.js in the user's folder for caches. Results are the same in any case, but for the
   * rounding of floats. It holds for the device: the last `openFold` that names one decides.
   */
  readonly tuning?: AdapterTuning | "auto";
  /**
   * The most pipelines to keep for later calls. The default is 128. The pipeline that was used least recently goes first.
   * A call uses 1 to 5 pipelines, and each has some hundred kilobytes. Prepared plans keep their own in any case. The number
   * holds for the device: the last `openFold` that names one decides.
   */
  readonly maxPipelines?: number;
  /**
   * The most bytes of the buffers of calls from array to array: of those that are under way, and of what is kept for later calls,
   * so that these need not allocate it again. The default is 2^29 (512 MiB). A call waits until there are bytes for it, and one
   * that needs more runs alone. With 0, nothing is kept, and calls run one after another. The buffers that were used least recently
   * go first. The number holds for the device: the last `openFold` that names one decides.
   */
  readonly maxKeptBytes?: number;
}

/** The features that a device is opened with, if the adapter has them. */
const WANTED_FEATURES = [
  "shader-f16",
  "subgroups",
  "timestamp-query",
] as const satisfies readonly GPUFeatureName[];
const WANTED_LIMITS = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupStorageSize",
] as const satisfies readonly (keyof GPUSupportedLimits)[];

/** A device with the adapter's features and limits that are useful here. */
export async function requestDevice(adapter: GPUAdapter): Promise<GPUDevice> {
  return adapter.requestDevice({
    label: "wavefold",
    requiredFeatures: WANTED_FEATURES.filter((name) => adapter.features.has(name)),
    requiredLimits: Object.fromEntries(WANTED_LIMITS.map((name) => [name, adapter.limits[name]])),
  });
}

const openNames = {
  device: true,
  adapter: true,
  testSinglePass: "boolean",
  tuning: true,
  maxPipelines: true,
  maxKeptBytes: true,
} as const satisfies OptionTable<OpenOptions>;

type Find = () => Promise<{ adapter: GPUAdapter; release?: () => void }>;

/**
 * A `Fold` on the caller's device or adapter, or on the adapter that `find` finds. It is tuned and tested if the options ask
 * for that. `openStore` opens the place where tunings are kept.
 */
export async function openDevice(options: OpenOptions, find: Find, openStore?: OpenStore): Promise<Fold> {
  const fold = await foldOn(options, find);
  if (options.tuning !== undefined || options.testSinglePass) {
    await (await part(import("./tuning/tuning.ts"))).measured(fold, options, openStore);
  }
  return fold;
}

async function foldOn(options: OpenOptions, find: Find): Promise<Fold> {
  requireOptions("openFold", options, openNames);
  const { device, adapter, maxPipelines = 0, maxKeptBytes = 0 } = options;
  requireCount("openFold", "maxPipelines", maxPipelines, 0);
  requireCount("openFold", "maxKeptBytes", maxKeptBytes, 0);
  if (device !== undefined) {
    if (typeof device?.createComputePipelineAsync !== "function") {
      refuse("openFold", "device", shown(device), "a GPUDevice");
    }
    return new Fold(await openContext(device, options), () => {});
  }
  if (adapter !== undefined && typeof adapter?.requestDevice !== "function") {
    refuse("openFold", "adapter", shown(adapter), "a GPUAdapter");
  }
  const found = adapter ? { adapter } : await find();
  let own: GPUDevice | undefined;
  const close = (): void => {
    own?.destroy();
    found.release?.();
  };
  try {
    own = await requestDevice(found.adapter);
    // Safari 26.0 has no `device.adapterInfo`.
    (own as { adapterInfo?: GPUAdapterInfo }).adapterInfo ??= found.adapter.info;
    return new Fold(await openContext(own, options), close);
  } catch (cause) {
    close();
    throw own ? cause : noDeviceError(cause);
  }
}

/**
 * Opens a {@link Fold} on a GPU: on your device, on your adapter, or on the browser's fastest adapter. A device that it opens
 * has the adapter's features and limits that are useful here.
 *
 * @throws {AdapterError} if there is no WebGPU or no adapter.
 *
 * @example
 * ```ts
 * const fold = await openFold();
 * await fold.scan(Uint32Array.of(3, 1, 7)); // 3 4 11
 * fold.destroy();
 * ```
 */
export function openFold(options: OpenOptions = {}): Promise<Fold> {
  return openDevice(options, async () => {
    const gpu = (globalThis.navigator as Navigator | undefined)?.gpu;
    const adapter = await gpu?.requestAdapter({ powerPreference: "high-performance" });
    if (!adapter) {
      throw noAdapterError(gpu);
    }
    return { adapter };
  });
}
