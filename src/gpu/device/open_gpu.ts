import { traitsOf } from "../../adapters/adapter.ts";
import { AdapterError, NoGpuError, part, refuse, shown } from "../../errors.ts";
import type { Context } from "./context.ts";
import { contextWithCpu, openContext } from "./device.ts";
import type { MostKept } from "./empty_context.ts";
import { trim } from "./kept_pipelines.ts";
import { withoutStack } from "./without_stack.ts";

// Devices that are opened, and their contexts.

/** The features that a device is opened with, if the adapter has them. */
const WANTED_FEATURES = [
  "core-features-and-limits",
  "shader-f16",
  "subgroups",
  "subgroup-size-control",
  "timestamp-query",
] as readonly string[] as readonly GPUFeatureName[];
const WANTED_LIMITS = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupStorageSize",
] as const satisfies readonly (keyof GPUSupportedLimits)[];
/** The default of WebGPU, of which kernels use no more. In its compatibility mode, the default is less. */
const STORAGE_BUFFERS = 8;

/** A device with the adapter's features and limits that are useful here. */
async function requestDevice(adapter: GPUAdapter): Promise<GPUDevice> {
  return adapter.requestDevice({
    label: "wavefold",
    requiredFeatures: WANTED_FEATURES.filter((name) => adapter.features.has(name)),
    requiredLimits: {
      ...Object.fromEntries(WANTED_LIMITS.map((name) => [name, adapter.limits[name]])),
      maxStorageBuffersPerShaderStage: Math.min(
        STORAGE_BUFFERS,
        adapter.limits.maxStorageBuffersPerShaderStage,
      ),
    },
  });
}

/** The device to use, or the adapter to open one on. */
export interface OpenGpuOptions extends MostKept {
  readonly device?: GPUDevice | undefined;
  readonly adapter?: GPUAdapter | undefined;
}

/** The context of a caller's device or of a device that is opened here, which `opened` is. */
export async function openGpu(
  options: OpenGpuOptions,
  cpu: "auto" | "never" | "always",
): Promise<{ readonly context: Context; readonly opened: GPUDevice | undefined }> {
  const { device, adapter } = options;
  if (device !== undefined && typeof device?.createComputePipelineAsync !== "function") {
    refuse("openFold", "device", shown(device), "a GPUDevice");
  }
  const opened = device === undefined ? await openedOn(adapter as GPUAdapter) : undefined;
  try {
    const context = await openContext((device ?? opened) as GPUDevice, options);
    // Another fold on the device may use the CPU in another way.
    const lengths = cpu === "auto" ? traitsOf(context.facts).cpuLengths : undefined;
    return { context: cpu === "never" ? context : contextWithCpu(context, { lengths }), opened };
  } catch (cause) {
    opened?.destroy();
    throw cause;
  }
}

/** A device on an adapter. @throws {AdapterError} if it gives none. */
async function openedOn(adapter: GPUAdapter): Promise<GPUDevice> {
  if (typeof adapter?.requestDevice !== "function") {
    refuse("openFold", "adapter", shown(adapter), "a GPUAdapter");
  }
  try {
    const device = await requestDevice(adapter);
    // Safari 26.0 has no `device.adapterInfo`.
    (device as { adapterInfo?: GPUAdapterInfo }).adapterInfo ??= adapter.info;
    return device;
  } catch (cause) {
    const said = withoutStack(String((cause as Error)?.message ?? cause));
    throw new AdapterError(`openFold: the adapter gave no device: ${said}`);
  }
}

/**
 * The simulated device of a context that has no GPU, for the calls that the CPU has no loops for.
 *
 * @throws {NoGpuError} where a page's Content-Security-Policy forbids to make functions of texts, as the simulated device does.
 */
export async function openSimulated(context: Context): Promise<GPUDevice> {
  try {
    new Function("");
  } catch (cause) {
    throw Object.assign(
      new NoGpuError(
        "the CPU has no loop for this call, and without a GPU, others take functions that are made of texts. The page's Content-Security-Policy forbids these; it takes 'unsafe-eval'",
      ),
      { cause },
    );
  }
  const { simulatedGpu } = await part(import("../../simulator/index.ts"));
  const device = await requestDevice((await simulatedGpu().requestAdapter()) as GPUAdapter);
  context.trim = () => trim(context);
  return device;
}
