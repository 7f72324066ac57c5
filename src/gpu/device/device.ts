import { traitsOf } from "../../adapters/adapter.ts";
import { DeviceLostError } from "../../errors.ts";
import type { BindingKind, Kernel } from "../../kernels/kernel.ts";
import { letGoOfBuffers, letGoOfPlans, nothingKept } from "./call_memory.ts";
import type { Context, Pipeline } from "./context.ts";
import { compilesSubgroupIds, refusedError, roomError, shaderError } from "./device_errors.ts";
import { COMPUTE_STAGE } from "./usage_flags.ts";
import { withoutStack } from "./without_stack.ts";

/** The parts of a kernel that its pipeline depends on. */
export type Compilable = Omit<Kernel, "vector" | "sources">;

/** How many pipelines are kept by default. About thirty calls of different kinds take as many. */
const MOST_PIPELINES = 128;

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
    pipelines: new Map(),
    mostPipelines: MOST_PIPELINES,
    kept: nothingKept(),
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
export async function openContext(
  device: GPUDevice,
  { maxPipelines, maxKeptBytes }: { readonly maxPipelines?: number; readonly maxKeptBytes?: number } = {},
): Promise<Context> {
  const has = !contexts.has(device) && device.features.has("subgroups") && (await hasSubgroupIds(device));
  const context = contextOf(device, has);
  context.mostPipelines = maxPipelines ?? context.mostPipelines;
  context.kept.mostBytes = maxKeptBytes ?? context.kept.mostBytes;
  return context;
}

/** @throws {DeviceLostError} when the device is gone. */
export function requireDevice(context: Context, title: string): void {
  if (context.lost) {
    throw lostError(context.lost, title);
  }
}

function lostError({ reason, message }: GPUDeviceLostInfo, title: string): DeviceLostError {
  const how = reason === "destroyed" ? reason : "lost";
  const said = withoutStack(message);
  return Object.assign(
    new DeviceLostError(`${title}: the device was ${how}${said && ` (${said})`}; open a new one`),
    { reason },
  );
}

/** The error to report for `cause`. A lost device causes many kinds of failures, and then that loss is the error. */
export async function explain(context: Context, title: string, cause: unknown): Promise<unknown> {
  // `device.lost` may resolve a little later than the failure.
  const lost = context.lost ?? (await Promise.race([context.device.lost, pause()]));
  return lost ? lostError(lost, title) : cause;
}

const pause = (): Promise<undefined> => new Promise((resolve) => setTimeout(resolve, 10));

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

/** The key of a kernel's pipeline: two kernels with the same key have the same pipeline. */
export const pipelineKeyOf = ({ entryPoint, code }: Pick<Kernel, "entryPoint" | "code">): string =>
  `${entryPoint}\n${code}`;

/** Marks the pipelines of these keys as the most recently used. */
export function usePipelines({ pipelines }: Context, keys: readonly string[]): void {
  for (const key of keys) {
    const pipeline = pipelines.get(key);
    if (pipeline) {
      pipelines.delete(key);
      pipelines.set(key, pipeline);
    }
  }
}

/** Drops the pipelines that were used least recently, until at most `most` are left; and kept plans that lack one then. */
function letGo({ pipelines, kept }: Context, most: number): void {
  const before = pipelines.size;
  for (const key of pipelines.keys()) {
    if (pipelines.size > most) {
      pipelines.delete(key);
    }
  }
  if (pipelines.size < before) {
    letGoOfPlans(kept, pipelines);
  }
}

/** Drops what is kept for later calls. Prepared plans keep what they use. */
export function trim(context: Context): void {
  letGo(context, 0);
  letGoOfBuffers(context.kept, 0);
  if (context.digits?.uses === 0) {
    context.digits.resource.buffer.destroy();
    delete context.digits;
  }
}

const bindingLayouts = {
  uniform: { type: "uniform" },
  digit: { type: "uniform", hasDynamicOffset: true },
  read: { type: "read-only-storage" },
  read_write: { type: "storage" },
} as const satisfies Record<BindingKind, GPUBufferBindingLayout>;

/**
 * Compiles a kernel, and turns the compiler's messages into errors at the line that was written. The pipeline does not wait for the
 * messages: they are asked for while it is compiled.
 */
async function compile(device: GPUDevice, kernel: Compilable): Promise<Pipeline> {
  const { label, code } = kernel;
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
