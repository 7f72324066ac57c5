import { traitsOf } from "../../adapters/adapter.ts";
import { LimitError } from "../../errors.ts";
import type { BindingKind, Kernel } from "../../kernels/kernel.ts";
import { loadShaderErrors } from "../../parts.ts";
import type { Context, CpuUse, Pipeline } from "./context.ts";
import { compilesSubgroupIds, refusedError, roomError } from "./device_errors.ts";
import type { MostKept } from "./empty_context.ts";
import { emptyContext, keepAtMost } from "./empty_context.ts";
import { letGo, pipelineKeyOf, trim } from "./kept_pipelines.ts";
import { withSubgroupSize } from "./subgroup_size.ts";
import { COMPUTE_STAGE } from "./usage_flags.ts";

/** The parts of a kernel that its pipeline depends on. */
export type Compilable = Omit<Kernel, "vector" | "tile" | "sources">;

const contexts = new WeakMap<GPUDevice, Context>();

/**
 * The device's context, which is made once. `subgroupIds` counts only for a new one: whether WGSL has `subgroup_id` on the
 * device.
 */
export function contextOf(device: GPUDevice, subgroupIds = false): Context {
  const known = contexts.get(device);
  if (known) {
    return known;
  }
  const info: Partial<GPUAdapterInfo> = device.adapterInfo ?? {};
  const { vendor = "", isFallbackAdapter: software = false } = info;
  const { tellsSubgroupSizes, looksBack } = traitsOf({ software, vendor });
  const context: Context = {
    device,
    facts: {
      limits: device.limits,
      features: new Set(device.features),
      subgroupMinSize: (tellsSubgroupSizes && info.subgroupMinSize) || 4,
      subgroupMaxSize: (tellsSubgroupSizes && info.subgroupMaxSize) || 128,
      subgroupIds,
      software,
      vendor,
      lookBack: looksBack,
    },
    ...emptyContext(),
    trim: () => trim(context),
  };
  contexts.set(device, context);
  void device.lost.then((lost) => {
    context.lost = lost;
  });
  return context;
}

/** Whether WGSL has `subgroup_id` on the device. In a browser, `navigator.gpu` says so. Elsewhere the compiler is asked. */
const hasSubgroupIds = async (device: GPUDevice): Promise<boolean> =>
  (globalThis.navigator as Navigator | undefined)?.gpu?.wgslLanguageFeatures?.has("subgroup_id") ??
  compilesSubgroupIds(device);

/** The device's context. For a new one, the device's compiler is asked first whether it has `subgroup_id`. */
export async function openContext(device: GPUDevice, most: MostKept = {}): Promise<Context> {
  const has = !contexts.has(device) && device.features.has("subgroups") && (await hasSubgroupIds(device));
  const context = contextOf(device, has);
  keepAtMost(context, most);
  return context;
}

/** The context of a fold whose calls at hand use the CPU in its own way. All else is the device's, whichever fold on it changes that. */
export const contextWithCpu = (context: Context, cpu: CpuUse | undefined): Context => {
  const own = { cpu };
  return new Proxy(context, {
    get: (shared, name) => Reflect.get(name === "cpu" ? own : shared, name),
    set: (shared, name, value) => Reflect.set(name === "cpu" ? own : shared, name, value),
  });
};

/**
 * The kernel's pipeline, from the cache or compiled now.
 *
 * @throws {SourceError} when a part that the caller wrote does not compile.
 * @throws {ShaderError} when a part of ours does not.
 */
export function pipelineOf(context: Context, kernel: Compilable): Promise<Pipeline> {
  const { pipelines } = context;
  const key = pipelineKeyOf(kernel);
  const known = pipelines.get(key);
  const pipeline = typeof known === "object" ? known : compile(context.device, kernel);
  pipelines.delete(key);
  pipelines.set(key, pipeline);
  // A failed pipeline is not kept: perhaps the device was lost.
  pipeline.catch(() => pipelines.delete(key));
  letGo(context, context.mostPipelines);
  return pipeline;
}

const bindingLayouts = {
  uniform: { type: "uniform" },
  digit: { type: "uniform", hasDynamicOffset: true },
  params: { type: "uniform", hasDynamicOffset: true },
  read: { type: "read-only-storage" },
  read_write: { type: "storage" },
} as const satisfies Record<BindingKind, GPUBufferBindingLayout>;

/** @throws {LimitError} if a kernel binds more buffers than the device, which is one of compatibility mode. */
function requireBindings(
  { limits: { maxStorageBuffersPerShaderStage: most } }: GPUDevice,
  kernel: Compilable,
): void {
  const bound = [...kernel.bindings.values()].filter(({ kind }) => kind.startsWith("read")).length;
  if (bound > most) {
    throw new LimitError(
      `${kernel.label}: the kernel binds ${bound} storage buffers, and the device at most ${most} (maxStorageBuffersPerShaderStage)`,
      bound,
      most,
    );
  }
}

/**
 * Compiles a kernel, and turns the compiler's messages into errors at the line that was written. The pipeline does not wait for the
 * messages: they are asked for while it is compiled.
 */
async function compile(device: GPUDevice, kernel: Compilable): Promise<Pipeline> {
  requireBindings(device, kernel);
  const sized = withSubgroupSize(device, kernel);
  if (sized !== undefined) {
    try {
      return await compileText(device, kernel, sized);
    } catch {
      // A device may refuse the size for this kernel, and the kernel runs with any.
    }
  }
  return compileText(device, kernel, kernel.code);
}

async function compileText(device: GPUDevice, kernel: Compilable, code: string): Promise<Pipeline> {
  const { label } = kernel;
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ label, code });
  const [layout, descriptor] = descriptorOf(device, kernel, module);
  const made = device.createComputePipelineAsync(descriptor);
  // If the module is wrong, its error is thrown below, and the pipeline's is not.
  made.catch(() => {});
  const [failure, { messages }] = await Promise.all([device.popErrorScope(), module.getCompilationInfo()]);
  const message = messages.find(({ type }) => type === "error");
  const problem = message ?? failure;
  if (problem) {
    const { shaderError } = await loadShaderErrors();
    throw shaderError(kernel, label, message, failure);
  }
  return { pipeline: await made, layout };
}

/** What a kernel's pipeline is made of: the layout of its bindings, and its description. */
export function descriptorOf(
  device: GPUDevice,
  { label, entryPoint, bindings }: Compilable,
  module: GPUShaderModule,
): [layout: GPUBindGroupLayout, descriptor: GPUComputePipelineDescriptor] {
  const layout = device.createBindGroupLayout({
    label,
    entries: [...bindings.values()].map(({ number, kind }) => ({
      binding: number,
      visibility: COMPUTE_STAGE,
      buffer: bindingLayouts[kind],
    })),
  });
  return [
    layout,
    {
      label,
      layout: device.createPipelineLayout({ label, bindGroupLayouts: [layout] }),
      compute: { module, entryPoint },
    },
  ];
}

/** Makes a buffer. It throws if there is no room for it; the error says that `needed` bytes are needed. */
export async function allocate(
  context: Context,
  descriptor: GPUBufferDescriptor,
  title: string,
  needed = descriptor.size,
): Promise<GPUBuffer> {
  const { device } = context;
  device.pushErrorScope("out-of-memory");
  const made = validated(context, title, () => device.createBuffer(descriptor));
  const [buffer, failure] = await Promise.all([made, device.popErrorScope()]);
  if (failure !== null) {
    buffer.destroy();
    throw roomError(title, needed, descriptor.label, failure);
  }
  return buffer;
}

/**
 * Runs an action, and returns its result. The action must be done when it returns, since all pending calls share one stack
 * of error scopes.
 *
 * @throws {WavefoldError} when the device refuses what it does.
 */
export async function validated<T>({ device }: Context, title: string, action: () => T): Promise<T> {
  device.pushErrorScope("validation");
  let result: T;
  try {
    result = action();
  } catch (cause) {
    device.popErrorScope().catch(() => {});
    throw cause;
  }
  const failure = await device.popErrorScope();
  if (failure !== null) {
    throw refusedError(title, failure);
  }
  return result;
}

/** A buffer with this data. It is never written again, so any number of recordings may share it. */
export function filledBuffer(
  device: GPUDevice,
  data: Uint8Array | Uint32Array,
  usage: number,
  label: string,
): GPUBuffer {
  // A uniform takes whole vectors of four words.
  const size = Math.ceil(data.byteLength / 16) * 16;
  const buffer = device.createBuffer({ label, size, usage, mappedAtCreation: true });
  new Uint8Array(buffer.getMappedRange()).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  buffer.unmap();
  return buffer;
}
