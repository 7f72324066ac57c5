import { AdapterError, MissingPackageError, refuse, shown } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import { requireCount, requireOptions } from "../options.ts";
import { loadOnDevice, loadTuning } from "../parts.ts";
import type { AdapterTuning } from "../plan/adapter_tuning.ts";
import { cpuContext } from "./device/cpu_context.ts";
import { keepAtMost } from "./device/empty_context.ts";
import { Fold } from "./fold.ts";
import type { OpenStore } from "./tuning/tuning_store.ts";

/** Options of `openFold` in a browser. */
export interface OpenOptions {
  /** Your own device. It stays yours: `fold.destroy()` leaves it open. */
  readonly device?: GPUDevice;
  /** The adapter to open a device on. */
  readonly adapter?: GPUAdapter;
  /**
   * `"compatibility"` also takes GPUs without Vulkan, Metal or Direct3D 12, where the browser offers them: Chrome 146 does on Android, by OpenGL ES
   * 3.1. Such a device may bind as few as 4 storage buffers to a kernel; a call that needs more throws a {@link LimitError}. A GPU that has all of
   * WebGPU is opened with all of it. The default is `"core"`. It is for an adapter that `openFold` finds itself.
   */
  readonly featureLevel?: "core" | "compatibility";
  /**
   * When calls from array to array run on the CPU instead.
   *
   * - `"auto"`: where the CPU is the faster one: short arrays, and most calls if the adapter computes on the CPU itself. Without a GPU, the
   *   fold opens all the same, and its calls run on the CPU: see {@link Fold.machine}. It is the default, unless you give a device or an
   *   adapter.
   * - `"never"`: no call does. Without a GPU, nothing is opened. It is the default if you give a device or an adapter.
   * - `"always"`: all that the CPU has loops for. Unless you give a device or an adapter, none is opened.
   *
   * Results are the same, but for sums and products of floats: the CPU rounds them from left to right. It holds for the device: the last
   * `openFold` decides.
   */
  readonly cpu?: "auto" | "never" | "always";
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

const openNames = {
  device: true,
  adapter: true,
  featureLevel: true,
  cpu: true,
  testSinglePass: "boolean",
  tuning: true,
  maxPipelines: true,
  maxKeptBytes: true,
} as const satisfies OptionTable<OpenOptions>;

type Level = NonNullable<OpenOptions["featureLevel"]>;

/** An adapter, and what lets go of it. */
interface Found {
  readonly adapter: GPUAdapter | undefined;
  release?(): void;
}

type Find = (featureLevel: Level) => Promise<Found>;

/** How an adapter is found, if the options have none. */
export interface Finder {
  readonly find: Find;
  /** Whether the caller named one that `find` finds. */
  readonly isNamed?: boolean;
  /** Opens the place where tunings are kept. */
  readonly openStore?: OpenStore;
}

/**
 * A `Fold` on the caller's device or adapter, on the adapter that `find` finds, or on the CPU. It is tuned and tested if the options ask
 * for that.
 */
export async function openDevice(
  options: OpenOptions,
  { find, isNamed = false, openStore }: Finder,
): Promise<Fold> {
  requireOptions("openFold", options, openNames);
  const hasMachine = isNamed || options.device !== undefined || options.adapter !== undefined;
  const { cpu = hasMachine ? "never" : "auto", maxPipelines = 0, maxKeptBytes = 0 } = options;
  requireWord("cpu", cpu, cpuUses);
  requireLevel(options);
  requireCount("openFold", "maxPipelines", maxPipelines, 0);
  requireCount("openFold", "maxKeptBytes", maxKeptBytes, 0);
  const fold = await foldFor(cpu, options, find, hasMachine);
  if (fold.machine === "gpu" && (options.tuning !== undefined || options.testSinglePass)) {
    await (await loadTuning()).measured(fold, options, openStore);
  }
  return fold;
}

type Cpu = NonNullable<OpenOptions["cpu"]>;

const cpuUses = ["auto", "never", "always"] satisfies Cpu[];
const levels = ["core", "compatibility"] satisfies Level[];

/** @throws {ArgumentError} for another word than an option takes. */
function requireWord(option: string, word: unknown, words: readonly unknown[]): void {
  if (!words.includes(word)) {
    refuse("openFold", option, shown(word), words.map(shown).join(", "));
  }
}

/** @throws {ArgumentError} for a level that there is not, and for one beside a device or an adapter. */
function requireLevel({ featureLevel, device, adapter }: OpenOptions): void {
  if (featureLevel === undefined) {
    return;
  }
  requireWord("featureLevel", featureLevel, levels);
  if ((device ?? adapter) !== undefined) {
    const given = device ? "device" : "adapter";
    refuse("openFold", "featureLevel", `given beside ${given}`, `${given} alone, which has its level`);
  }
}

/** A fold on a GPU, or if there is none and the CPU may take its place, on the CPU. */
async function foldFor(cpu: Cpu, options: OpenOptions, find: Find, hasMachine: boolean): Promise<Fold> {
  if (cpu === "always" && !hasMachine) {
    return foldOnCpu(options, new AdapterError('openFold was called with cpu: "always"'));
  }
  try {
    return await foldOnGpu(options, find, cpu);
  } catch (cause) {
    const isMissing = cause instanceof AdapterError || cause instanceof MissingPackageError;
    if (cpu === "never" || hasMachine || !isMissing) {
      throw cause;
    }
    return foldOnCpu(options, cause);
  }
}

function foldOnCpu(options: OpenOptions, noGpu: Error): Fold {
  const context = cpuContext(noGpu, async (context) => (await loadOnDevice()).openSimulated(context));
  keepAtMost(context, options);
  return new Fold(context, context.destroy);
}

async function foldOnGpu(options: OpenOptions, find: Find, cpu: Cpu): Promise<Fold> {
  const { device, adapter, featureLevel = "core" } = options;
  const isGiven = device !== undefined || adapter !== undefined;
  const found: Found = isGiven ? { adapter } : await find(featureLevel);
  try {
    const { openGpu } = await loadOnDevice();
    const { context, opened } = await openGpu({ ...options, adapter: found.adapter }, cpu);
    return new Fold(context, () => {
      opened?.destroy();
      found.release?.();
    });
  } catch (cause) {
    found.release?.();
    throw cause;
  }
}

/**
 * Opens a {@link Fold} on a GPU: on your device, on your adapter, or on the browser's fastest adapter. A device that it opens has
 * the adapter's features and limits that are useful here. Without WebGPU it opens on the CPU: see {@link OpenOptions.cpu}.
 *
 * @throws {AdapterError} if there is no WebGPU or no adapter, and the CPU may not take their place.
 *
 * @example
 * ```ts
 * const fold = await openFold();
 * await fold.scan(Uint32Array.of(3, 1, 7)); // 3 4 11
 * fold.destroy();
 * ```
 */
export function openFold(options: OpenOptions = {}): Promise<Fold> {
  const find: Find = async (featureLevel) => {
    const gpu = (globalThis.navigator as Navigator | undefined)?.gpu;
    const adapter = await gpu?.requestAdapter({ powerPreference: "high-performance", featureLevel });
    if (!adapter) {
      throw new AdapterError(
        gpu === undefined
          ? "openFold: there is no navigator.gpu; WebGPU needs a recent browser and a secure context. In Node.js, import wavefold/node"
          : "openFold: there is WebGPU, but no adapter: the GPU may be blocked",
      );
    }
    return { adapter };
  };
  return openDevice(options, { find });
}
