import type { Core } from "./core.ts";
import { checked, DeviceObject, descriptorOf, nameOf, useProblem } from "./device_object.ts";
import { unsupported } from "./errors.ts";
import { choiceOf, dictionaryOf, integer32, integer64, listOf, objectOf } from "./idl.ts";
import type { LimitName, Limits } from "./limits.ts";
import { ALL_STAGES, COMPUTE_STAGE, VERTEX_STAGE } from "./usage.ts";

/** An entry of a layout: always of a buffer. */
export interface LayoutEntry {
  readonly binding: number;
  readonly visibility: number;
  readonly type: GPUBufferBindingType;
  readonly hasDynamicOffset: boolean;
  readonly minBindingSize: number;
}

const bindingTypes = ["uniform", "storage", "read-only-storage"] as const satisfies GPUBufferBindingType[];

/** The members of an entry that are not for compute. */
const otherMembers = ["sampler", "texture", "storageTexture", "externalTexture"] as const;

export class SimulatedBindGroupLayout extends DeviceObject implements GPUBindGroupLayout {
  declare readonly __brand: "GPUBindGroupLayout";
  /** By binding, from the lowest on. */
  readonly entries: readonly LayoutEntry[];
  /** The pipeline that has this layout as its automatic one, if it is one: a bind group of it fits no other. */
  readonly pipeline: object | undefined;

  constructor(core: Core, label: string, entries: readonly LayoutEntry[], pipeline?: object) {
    super(core, { label });
    this.entries = [...entries].sort((a, b) => a.binding - b.binding);
    this.pipeline = pipeline;
  }

  get [Symbol.toStringTag](): string {
    return "GPUBindGroupLayout";
  }
}

export class SimulatedPipelineLayout extends DeviceObject implements GPUPipelineLayout {
  declare readonly __brand: "GPUPipelineLayout";
  /** By group. A layout without entries is as good as none. */
  readonly groups: readonly (SimulatedBindGroupLayout | undefined)[];

  constructor(core: Core, label: string, groups: readonly (SimulatedBindGroupLayout | undefined)[]) {
    super(core, { label });
    this.groups = groups.map((group) => (group?.isValid && group.entries.length === 0 ? undefined : group));
  }

  get [Symbol.toStringTag](): string {
    return "GPUPipelineLayout";
  }
}

/** Whether bind groups of one layout fit the other: https://www.w3.org/TR/webgpu/#group-equivalent. */
export function isEquivalent(a: SimulatedBindGroupLayout, b: SimulatedBindGroupLayout): boolean {
  return (
    a.pipeline === b.pipeline &&
    a.entries.length === b.entries.length &&
    a.entries.every((entry, at) => isSameEntry(entry, b.entries[at]))
  );
}

const isSameEntry = (a: LayoutEntry, b: LayoutEntry | undefined): boolean =>
  a.binding === b?.binding &&
  a.visibility === b.visibility &&
  a.type === b.type &&
  a.hasDynamicOffset === b.hasDynamicOffset &&
  a.minBindingSize === b.minBindingSize;

function entryOf(given: GPUBindGroupLayoutEntry): LayoutEntry & { readonly hasBuffer: boolean } {
  const caller = "createBindGroupLayout";
  const other = otherMembers.find((name) => given[name] !== undefined);
  if (other !== undefined) {
    unsupported(`${other} bindings`);
  }
  const buffer = dictionaryOf(given.buffer, `${caller}: buffer`);
  return {
    binding: integer32(given.binding, `${caller}: binding`),
    visibility: integer32(given.visibility, `${caller}: visibility`),
    hasBuffer: given.buffer !== undefined,
    type: choiceOf(buffer.type ?? "uniform", bindingTypes, `${caller}: buffer.type`),
    hasDynamicOffset: Boolean(buffer.hasDynamicOffset),
    minBindingSize: integer64(buffer.minBindingSize ?? 0, `${caller}: buffer.minBindingSize`),
  };
}

/** Which entries count for a limit. */
const slotLimits = {
  maxUniformBuffersPerShaderStage: ({ type, visibility }) =>
    type === "uniform" && (visibility & COMPUTE_STAGE) !== 0,
  maxStorageBuffersPerShaderStage: ({ type, visibility }) =>
    type !== "uniform" && (visibility & COMPUTE_STAGE) !== 0,
  maxDynamicUniformBuffersPerPipelineLayout: ({ type, hasDynamicOffset }) =>
    type === "uniform" && hasDynamicOffset,
  maxDynamicStorageBuffersPerPipelineLayout: ({ type, hasDynamicOffset }) =>
    type !== "uniform" && hasDynamicOffset,
} as const satisfies Partial<Record<LimitName, (entry: LayoutEntry) => boolean>>;

function* slotProblems(limits: Limits, entries: readonly LayoutEntry[]): Iterable<string> {
  for (const [name, counts] of Object.entries(slotLimits) as [
    keyof typeof slotLimits,
    (e: LayoutEntry) => boolean,
  ][]) {
    const count = entries.filter(counts).length;
    if (count > limits[name]) {
      yield `there are ${count} such bindings, and ${name} is ${limits[name]}`;
    }
  }
}

function* layoutProblems(
  { limits }: Core,
  entries: readonly (LayoutEntry & { readonly hasBuffer: boolean })[],
): Iterable<string> {
  const seen = new Set<number>();
  for (const { binding, visibility, type, hasBuffer } of entries) {
    if (!hasBuffer) {
      yield `binding ${binding} has no buffer; it takes what is bound there`;
    }
    if (seen.has(binding)) {
      yield `binding ${binding} is there twice`;
    }
    seen.add(binding);
    if (binding >= limits.maxBindingsPerBindGroup) {
      yield `binding ${binding} is not below maxBindingsPerBindGroup, ${limits.maxBindingsPerBindGroup}`;
    }
    if ((visibility & ~ALL_STAGES) !== 0) {
      yield `visibility of binding ${binding} is ${visibility}; it takes flags of GPUShaderStage`;
    }
    if ((visibility & VERTEX_STAGE) !== 0 && type === "storage") {
      yield `binding ${binding} is of the type "storage", which vertex shaders do not take`;
    }
  }
  yield* slotProblems(limits, entries);
}

/** https://www.w3.org/TR/webgpu/#dom-gpudevice-createbindgrouplayout */
export function createBindGroupLayout(
  core: Core,
  given: GPUBindGroupLayoutDescriptor,
): SimulatedBindGroupLayout {
  const caller = "createBindGroupLayout";
  const { label = "", entries: list } = descriptorOf(given, caller);
  const entries = listOf(list, `${caller}: entries`).map(entryOf);
  return checked(new SimulatedBindGroupLayout(core, label, entries), caller, layoutProblems(core, entries));
}

function* pipelineLayoutProblems(
  core: Core,
  groups: readonly (SimulatedBindGroupLayout | undefined)[],
  immediateSize: number,
): Iterable<string | undefined> {
  const { limits } = core;
  for (const group of groups) {
    if (group) {
      yield useProblem(core, group);
      if (group.pipeline) {
        yield `${nameOf(group)} is the automatic layout of a pipeline, and goes with that alone`;
      }
    }
  }
  if (groups.length > limits.maxBindGroups) {
    yield `there are ${groups.length} bind groups, and maxBindGroups is ${limits.maxBindGroups}`;
  }
  yield* slotProblems(
    limits,
    groups.flatMap((group) => group?.entries ?? []),
  );
  if (immediateSize > limits.maxImmediateSize) {
    yield `immediateSize is ${immediateSize}, and maxImmediateSize is ${limits.maxImmediateSize}`;
  }
}

/** https://www.w3.org/TR/webgpu/#dom-gpudevice-createpipelinelayout */
export function createPipelineLayout(
  core: Core,
  given: GPUPipelineLayoutDescriptor,
): SimulatedPipelineLayout {
  const caller = "createPipelineLayout";
  const { label = "", bindGroupLayouts, immediateSize = 0 } = descriptorOf(given, caller);
  const groups = listOf(bindGroupLayouts, `${caller}: bindGroupLayouts`).map((group) =>
    group === null || group === undefined
      ? undefined
      : objectOf(SimulatedBindGroupLayout, "GPUBindGroupLayout", group, `${caller}: a layout`),
  );
  const bytes = integer32(immediateSize, `${caller}: immediateSize`);
  return checked(
    new SimulatedPipelineLayout(core, label, groups),
    caller,
    pipelineLayoutProblems(core, groups, bytes),
  );
}
