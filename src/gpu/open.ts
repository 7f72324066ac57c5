import { AdapterError, ArgumentError, refuse } from "../errors.ts";
import { requireOptions } from "../options.ts";
import { contextOf, openContext } from "./device.ts";
import { Fold } from "./fold.ts";

/** Options of `openFold` in a browser. */
export interface OpenOptions {
  /** Your own device. It stays yours: `destroy()` leaves it open. */
  readonly device?: GPUDevice;
  /** The adapter to open a device on. */
  readonly adapter?: GPUAdapter;
  /**
   * Whether to test single passes on the device first, in some seconds at most: see {@link Fold.singlePassTest}. Left
   * out: no, and the default is a single pass on adapters alone that are known to manage.
   */
  readonly testSinglePass?: boolean;
  /**
   * The most pipelines to keep for the next call that takes them, 128 where it is left out. The one that was used least
   * recently goes first. A call takes 1 to 5, and each takes some hundred kilobytes; what is prepared keeps its own in any
   * case. It holds for the device, whichever `openFold` said it last.
   */
  readonly maxPipelines?: number;
}

/** The features that are used where the adapter has them. */
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

/** A device with all that is useful here of what the adapter has. */
export async function requestDevice(adapter: GPUAdapter): Promise<GPUDevice> {
  const has = (name: GPUFeatureName): boolean => adapter.features.has(name);
  return adapter.requestDevice({
    label: "wavefold",
    requiredFeatures: WANTED_FEATURES.filter(has),
    requiredLimits: Object.fromEntries(WANTED_LIMITS.map((name) => [name, adapter.limits[name]])),
  });
}

const openNames = {
  device: true,
  adapter: true,
  testSinglePass: true,
  maxPipelines: true,
} as const satisfies Record<keyof OpenOptions, true>;

type Find = () => Promise<{ adapter: GPUAdapter; release?: () => void }>;

/** A `Fold` on the caller's device or adapter, or on the one that `find` finds; tested, where that is asked for. */
export async function openDevice(options: OpenOptions, find: Find): Promise<Fold> {
  const fold = await foldOn(options, find);
  if (options.testSinglePass) {
    const { tested } = await import("./look_back_test.ts");
    await tested(fold, contextOf(fold.device));
  }
  return fold;
}

async function foldOn(options: OpenOptions, find: Find): Promise<Fold> {
  requireOptions("openFold", options, openNames);
  const { device, adapter, maxPipelines } = options;
  if (maxPipelines !== undefined && !(Number.isInteger(maxPipelines) && maxPipelines >= 0)) {
    refuse("openFold", `maxPipelines is ${String(maxPipelines)}`, "a whole number from 0 up");
  }
  if (device !== undefined) {
    if (typeof device?.createComputePipelineAsync !== "function") {
      throw new ArgumentError("openFold: device is no GPUDevice");
    }
    return new Fold(await openContext(device, maxPipelines), () => {});
  }
  if (adapter !== undefined && typeof adapter?.requestDevice !== "function") {
    throw new ArgumentError("openFold: adapter is no GPUAdapter");
  }
  const found = adapter === undefined ? await find() : { adapter };
  try {
    const own = await requestDevice(found.adapter);
    return new Fold(await openContext(own, maxPipelines), () => {
      own.destroy();
      found.release?.();
    });
  } catch (cause) {
    found.release?.();
    throw new AdapterError(
      `openFold: the adapter gave no device: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}

/**
 * Opens scan, reduce and compact on a GPU: on your device, on your adapter, or on the browser's
 * fastest adapter. The device is opened with the features and limits that are useful here.
 *
 * @throws {AdapterError} where there is no WebGPU or no adapter.
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
    if (gpu === undefined) {
      throw new AdapterError(
        "openFold: there is no navigator.gpu; WebGPU takes a recent browser and a secure context (https or localhost). In Node.js, import wavefold/node",
      );
    }
    const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
    if (adapter === null) {
      throw new AdapterError(
        "openFold: the browser has WebGPU, but no adapter: its GPU is not supported, or is blocked",
      );
    }
    return { adapter };
  });
}
