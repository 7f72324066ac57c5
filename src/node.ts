/**
 * Everything of `wavefold`, for Node.js. `openFold` finds a GPU, or takes the software adapter.
 *
 * @module wavefold/node
 */

import process from "node:process";
import type { Dawn } from "./dawn.ts";
import { loadDawn } from "./dawn.ts";
import { AdapterError, MissingPackageError, part, refuse, shown } from "./errors.ts";
import {
  hasSwiftShader,
  softwareFolder,
  whatRuntimeTakes,
  withSoftwareDriver,
} from "./gpu/adapters/software_adapter.ts";
import { canFindGpu } from "./gpu/adapters/vulkan_loader.ts";
import { sentencesOf, whyNoGpu } from "./gpu/diagnosis/why_no_gpu.ts";
import type { Fold } from "./gpu/fold.ts";
import type { OpenOptions } from "./gpu/open.ts";
import { openDevice } from "./gpu/open.ts";
import { fileStore } from "./gpu/tuning/tuning_folder.ts";
import { loadOnDevice } from "./parts.ts";

export {
  GPUBufferUsage,
  GPUColorWrite,
  GPUMapMode,
  GPUShaderStage,
  GPUTextureUsage,
} from "./gpu/device/usage_flags.ts";
// The `openFold` below takes the place of the browser's.
export * from "./index.ts";

/** Options of {@link openFold}. */
export interface NodeOpenOptions extends Omit<OpenOptions, "adapter"> {
  /**
   * The adapter to open a device on; or `"gpu"` or `"software"`, to take only that kind. The default is a GPU, or a
   * software adapter if there is no GPU: SwiftShader on Linux x64, WARP on Windows, and elsewhere the one that the system has.
   * `"simulated"` is the adapter of `simulatedGpu()` of `wavefold/simulator`: plain JavaScript, which needs no package, and is
   * slow.
   */
  readonly adapter?: GPUAdapter | "gpu" | "software" | "simulated";
}

/** What `adapter` takes but an adapter. */
const kinds: readonly string[] = ["gpu", "software", "simulated"];

// The f16 that Dawn hides on NVIDIA, and timestamps as fine as the GPU has them.
const GPU_FLAGS = [
  "enable-dawn-features=vulkan_enable_f16_on_nvidia",
  "disable-dawn-features=timestamp_quantization",
] as const;

// Where the driver sets work-group memory to zero, SwiftShader writes out a store for each word of it, at about a millisecond
// and 0.1 MB a word. Without that feature Dawn sets it to zero in a loop.
const SOFTWARE_FLAGS = [
  "disable-dawn-features=timestamp_quantization,use_vulkan_zero_initialize_workgroup_memory_extension",
] as const;

/** Bytes of a piece. With an H100, pieces of 8 MiB take 1.01 to 1.06 of the time, but for arrays of 2^27 once; in browsers they are faster. */
const PIECE_BYTES = 2 ** 24;

/**
 * The instances in use. Dawn's devices hang or crash when the object they came from is collected. Node.js may not exit while it is held
 * (on SwiftShader, it does). A destroyed device is in use until its last pipeline is compiled, which another thread does.
 */
const instances = new Set<GPU>();

/**
 * Opens a {@link Fold} in Node.js: on your device, on your adapter, or on the best adapter of the machine. Call
 * `fold.destroy()` at the end. Otherwise Node.js may not exit.
 *
 * @throws {MissingPackageError} if the package `webgpu`, or the software adapter's package, is needed and not installed.
 * @throws {AdapterError} if there is no adapter of the kind that you asked for.
 *
 * @example
 * ```ts
 * const fold = await openFold();
 * await fold.scan(Uint32Array.of(3, 1, 7)); // 3 4 11
 * fold.destroy();
 * ```
 */
export async function openFold(options: NodeOpenOptions = {}): Promise<Fold> {
  // Options that are not an object are refused below, with the other options.
  const { adapter, featureLevel } = Object(options) as NodeOpenOptions;
  if (typeof adapter === "string" && !kinds.includes(adapter)) {
    refuse("openFold", "adapter", shown(adapter), `"gpu", "software", "simulated" or a GPUAdapter`);
  }
  if ((adapter === "software" || adapter === "simulated") && featureLevel !== undefined) {
    refuse("openFold", "featureLevel", `given beside adapter: ${shown(adapter)}`, "GPUs alone");
  }
  const isNamed = typeof adapter === "string";
  const others = isNamed ? { ...options, adapter: undefined } : options;
  const fold = await openDevice(others as OpenOptions, {
    isNamed,
    async find(featureLevel) {
      if (adapter === "simulated") {
        return { adapter: await simulatedAdapter() };
      }
      const dawn = await loadDawn();
      const gpu =
        !canFindGpu() || adapter === "software"
          ? undefined
          : await requestFrom(dawn, GPU_FLAGS, (info) => !info.isFallbackAdapter, {
              powerPreference: "high-performance",
              featureLevel,
            });
      const found =
        gpu ?? (adapter === "gpu" ? undefined : await softwareOrWhy(dawn, adapter === "software"));
      if (found === undefined) {
        throw new AdapterError(`openFold: ${await missing(adapter === "gpu", adapter === "software")}`);
      }
      return found;
    },
    openStore: async () => fileStore(),
  });
  if (fold.machine === "gpu") {
    const { contextOf } = await loadOnDevice();
    contextOf(fold.device).kept.pieceBytes = PIECE_BYTES;
  }
  return fold;
}

/** The simulator, with its defaults. It always has an adapter. */
async function simulatedAdapter(): Promise<GPUAdapter> {
  const { simulatedGpu } = await part(import("./simulator/index.ts"));
  return (await simulatedGpu().requestAdapter()) as GPUAdapter;
}

/** What was looked for, and was not there; and why. */
async function missing(gpuAlone: boolean, softwareAlone: boolean): Promise<string> {
  if (gpuAlone) {
    const { headline, why } = gpuMissing();
    return `${headline}; a software adapter takes its place with adapter: "software". ${why}`;
  }
  const what = softwareAlone
    ? "no software adapter was found"
    : "neither a GPU nor a software adapter was found";
  const software = hasSwiftShader()
    ? `${what}: SwiftShader did not start${whatRuntimeTakes(await softwareFolder())}`
    : `${what}: SwiftShader is built for Linux x64, and this system, ${process.platform} ${process.arch}, has none of its own`;
  return softwareAlone ? software : `${software}. ${gpuMissing().why}`;
}

/** Why there is no GPU. */
function gpuMissing(): { headline: string; why: string } {
  const diagnosis = whyNoGpu(canFindGpu());
  return { headline: diagnosis.headline, why: sentencesOf(diagnosis) };
}

interface Found {
  adapter: GPUAdapter;
  /** Lets go of the instance, once no device of the adapter compiles a pipeline any more. */
  release(): void;
}

/** The adapter. The pipelines that its devices compile are in the set until they are compiled. */
function noteCompiling(adapter: GPUAdapter, compiling: Set<Promise<unknown>>): GPUAdapter {
  const note = <T>(made: Promise<T>): Promise<T> => {
    const noted = made.finally(() => compiling.delete(noted));
    noted.catch(() => {});
    compiling.add(noted);
    return made;
  };
  const requestDevice = adapter.requestDevice.bind(adapter);
  return Object.assign(adapter, {
    async requestDevice(descriptor?: GPUDeviceDescriptor) {
      const device = await requestDevice(descriptor);
      const compute = device.createComputePipelineAsync.bind(device);
      const render = device.createRenderPipelineAsync.bind(device);
      return Object.assign(device, {
        createComputePipelineAsync: (pipeline: GPUComputePipelineDescriptor) => note(compute(pipeline)),
        createRenderPipelineAsync: (pipeline: GPURenderPipelineDescriptor) => note(render(pipeline)),
      });
    },
  });
}

async function requestFrom(
  dawn: Dawn,
  flags: readonly string[],
  accept: (info: GPUAdapterInfo) => boolean,
  options: GPURequestAdapterOptions = { powerPreference: "high-performance" },
): Promise<Found | undefined> {
  const gpu = dawn.create(flags);
  instances.add(gpu);
  const compiling = new Set<Promise<unknown>>();
  const release = async (): Promise<void> => {
    while (compiling.size > 0) {
      await Promise.allSettled(compiling);
    }
    instances.delete(gpu);
  };
  const adapter = await gpu.requestAdapter(options);
  if (adapter && accept(adapter.info)) {
    return { adapter: noteCompiling(adapter, compiling), release };
  }
  release();
  return undefined;
}

/** The software adapter. If its package is missing, and it was only to take a GPU's place, the error says why there is no GPU. */
async function softwareOrWhy(dawn: Dawn, asked: boolean): Promise<Found | undefined> {
  try {
    return await requestSoftware(dawn);
  } catch (cause) {
    if (!(cause instanceof MissingPackageError) || asked) {
      throw cause;
    }
    const { headline, why } = gpuMissing();
    throw new MissingPackageError(`${cause.message}. It is needed since ${headline}. ${why}`, cause.package);
  }
}

/** SwiftShader; or where it is not built, the system's own: WARP on Windows, or a driver such as Mesa's lavapipe. */
async function requestSoftware(dawn: Dawn): Promise<Found | undefined> {
  if (!hasSwiftShader()) {
    return canFindGpu()
      ? requestFrom(dawn, SOFTWARE_FLAGS, (info) => info.isFallbackAdapter, { forceFallbackAdapter: true })
      : undefined;
  }
  const folder = await softwareFolder();
  return withSoftwareDriver(folder, () => requestFrom(dawn, SOFTWARE_FLAGS, () => true));
}
