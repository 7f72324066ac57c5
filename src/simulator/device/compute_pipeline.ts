import { TextFault } from "../../text/syntax.ts";
import type { BindingText, EntryPointText, Runnable } from "./compiler.ts";
import type { Core, SubgroupSizes } from "./core.ts";
import { DeviceObject, descriptorOf, firstOf, nameOf, useProblem } from "./device_object.ts";
import type { ErrorKind } from "./errors.ts";
import { pipelineError } from "./errors.ts";
import { dictionaryOf, integer32, objectOf } from "./idl.ts";
import type { LayoutEntry } from "./layouts.ts";
import { SimulatedBindGroupLayout, SimulatedPipelineLayout } from "./layouts.ts";
import type { LimitName, Limits } from "./limits.ts";
import { SimulatedShaderModule } from "./shader_module.ts";
import { COMPUTE_STAGE } from "./usage.ts";

/** What a pipeline runs. */
export interface Compiled {
  readonly layout: SimulatedPipelineLayout;
  readonly entryPoint: EntryPointText;
  readonly program: Runnable;
  /** The module's label. */
  readonly file: string;
}

/** Why there is no pipeline. */
interface Failure {
  readonly kind: Extract<ErrorKind, "validation" | "internal">;
  readonly message: string;
}

export class SimulatedComputePipeline extends DeviceObject implements GPUComputePipeline {
  declare readonly __brand: "GPUComputePipeline";
  /** It is there if the pipeline is valid. */
  compiled: Compiled | undefined;

  get [Symbol.toStringTag](): string {
    return "GPUComputePipeline";
  }

  getBindGroupLayout(index: number): SimulatedBindGroupLayout {
    const group = integer32(index, "getBindGroupLayout: index");
    const { maxBindGroups } = this.core.limits;
    const known = this.compiled?.layout.groups[group];
    const layout = new SimulatedBindGroupLayout(
      this.core,
      known?.label ?? "",
      known?.entries ?? [],
      known?.pipeline,
    );
    const problem = firstOf([
      useProblem(this.core, this),
      group >= maxBindGroups ? `index is ${group}, and maxBindGroups is ${maxBindGroups}` : undefined,
    ]);
    if (problem !== undefined) {
      layout.isValid = false;
      this.core.report("validation", `getBindGroupLayout: ${problem}`);
    }
    return layout;
  }
}

/** The descriptor, as WebIDL takes it. */
interface Given {
  readonly layout: SimulatedPipelineLayout | undefined;
  readonly module: SimulatedShaderModule;
  readonly entryPoint: string | undefined;
  readonly constants: Readonly<Record<string, number>>;
}

function givenOf(descriptor: GPUComputePipelineDescriptor, caller: string): Given {
  const { layout, compute } = descriptorOf(descriptor, caller);
  const { module, entryPoint, constants } = dictionaryOf(compute, `${caller}: compute`);
  const values: Record<string, number> = {};
  for (const [name, value] of Object.entries(constants ?? {})) {
    const number = Number(value);
    if (!Number.isFinite(number)) {
      throw new TypeError(`${caller}: the constant ${name} is ${value}; it takes a finite number`);
    }
    values[name] = number;
  }
  return {
    layout:
      layout === "auto"
        ? undefined
        : objectOf(SimulatedPipelineLayout, "GPUPipelineLayout", layout, `${caller}: the layout`),
    module: objectOf(SimulatedShaderModule, "GPUShaderModule", module, `${caller}: the module`),
    entryPoint: entryPoint === undefined ? undefined : String(entryPoint),
    constants: values,
  };
}

/** The entry point that is asked for, or the only one. */
function entryPointOf({ module, entryPoint }: Given): EntryPointText | string {
  const known = module.text?.entryPoints ?? [];
  const names = known.map(({ name }) => name).join(", ") || "none";
  if (entryPoint === undefined) {
    return known.length === 1 && known[0]
      ? known[0]
      : `entryPoint is left out, which takes a module with one entry point; ${nameOf(module)} has ${names}`;
  }
  return (
    known.find(({ name }) => name === entryPoint) ??
    `${nameOf(module)} has no entry point ${JSON.stringify(entryPoint)}; it has ${names}`
  );
}

/** The layout of `layout: "auto"`: https://www.w3.org/TR/webgpu/#abstract-opdef-default-pipeline-layout. */
function automaticLayout(
  pipeline: SimulatedComputePipeline,
  bindings: readonly BindingText[],
): SimulatedPipelineLayout {
  const { core, label } = pipeline;
  const count = Math.max(0, ...bindings.map(({ group }) => group + 1));
  const groups = Array.from({ length: count }, (_, group) => {
    const entries = bindings
      .filter((binding) => binding.group === group)
      .map(
        ({ binding, type, minSize }): LayoutEntry => ({
          binding,
          type,
          visibility: COMPUTE_STAGE,
          hasDynamicOffset: false,
          minBindingSize: minSize,
        }),
      );
    return new SimulatedBindGroupLayout(core, label, entries, pipeline);
  });
  return new SimulatedPipelineLayout(core, label, groups);
}

function* bindingProblems(
  { groups }: SimulatedPipelineLayout,
  bindings: readonly BindingText[],
): Iterable<string> {
  for (const { group, binding, type, minSize } of bindings) {
    const of = `@group(${group}) @binding(${binding})`;
    const entry = groups[group]?.entries.find((candidate) => candidate.binding === binding);
    if (entry === undefined) {
      yield `the layout has no ${of}, which the shader uses`;
      return;
    }
    if ((entry.visibility & COMPUTE_STAGE) === 0) {
      yield `${of} of the layout is not visible to GPUShaderStage.COMPUTE`;
    }
    if (entry.type !== type) {
      yield `${of} is "${entry.type}" in the layout and "${type}" in the shader`;
    }
    if (entry.minBindingSize !== 0 && entry.minBindingSize < minSize) {
      yield `${of} has a minBindingSize of ${entry.minBindingSize}, and the shader takes ${minSize} bytes`;
    }
  }
}

/** An automatic layout is made of what the shader has, which no call has checked before. */
function* automaticProblems(limits: Limits, bindings: readonly BindingText[]): Iterable<string> {
  for (const { group, binding } of bindings) {
    if (group >= limits.maxBindGroups) {
      yield `the shader has @group(${group}), and maxBindGroups is ${limits.maxBindGroups}`;
    }
    if (binding >= limits.maxBindingsPerBindGroup) {
      yield `the shader has @binding(${binding}), and maxBindingsPerBindGroup is ${limits.maxBindingsPerBindGroup}`;
    }
  }
  const uniforms = bindings.filter(({ type }) => type === "uniform").length;
  yield* above(limits, "maxUniformBuffersPerShaderStage", uniforms, "uniform buffers");
  yield* above(limits, "maxStorageBuffersPerShaderStage", bindings.length - uniforms, "storage buffers");
}

function* above(limits: Limits, name: LimitName, value: number, what: string): Iterable<string> {
  if (value > limits[name]) {
    yield `the shader has ${value} ${what}, and ${name} is ${limits[name]}`;
  }
}

function* sizeProblems(
  limits: Limits,
  [x, y, z]: readonly [number, number, number],
  memory: number,
): Iterable<string> {
  yield* above(limits, "maxComputeWorkgroupSizeX", x, "threads in x");
  yield* above(limits, "maxComputeWorkgroupSizeY", y, "threads in y");
  yield* above(limits, "maxComputeWorkgroupSizeZ", z, "threads in z");
  yield* above(limits, "maxComputeInvocationsPerWorkgroup", x * y * z, "threads");
  yield* above(limits, "maxComputeWorkgroupStorageSize", memory, "bytes of work-group memory");
}

/** What Dawn says of sizes of subgroups that a kernel asks for. */
function* subgroupProblems(
  { least, most }: SubgroupSizes,
  { subgroupSize: size, workGroupSize: [x] }: Runnable,
): Iterable<string> {
  if (size !== undefined && (size < least || size > most)) {
    yield `The subgroup_size attribute (${size}) is not in the allowed range ([${least}, ${most}]).`;
  }
  if (size !== undefined && x % size !== 0) {
    yield `The x-dimension of workgroup invocations (${x}) is not a multiple of the subgroup_size attribute (${size})`;
  }
}

const invalid = (message: string): Failure => ({ kind: "validation", message });

/** What a pipeline of this descriptor runs, or why there is none. */
function compile(pipeline: SimulatedComputePipeline, given: Given): Compiled | Failure {
  const { core } = pipeline;
  const { module, constants } = given;
  const unusable = firstOf([given.layout && useProblem(core, given.layout), useProblem(core, module)]);
  if (unusable !== undefined || module.text === undefined) {
    return invalid(unusable ?? `${nameOf(module)} has no text`);
  }
  const entryPoint = entryPointOf(given);
  if (typeof entryPoint === "string") {
    return invalid(entryPoint);
  }
  const { bindings, name, workGroupMemory } = entryPoint;
  const problem = firstOf(
    given.layout ? bindingProblems(given.layout, bindings) : automaticProblems(core.limits, bindings),
  );
  if (problem !== undefined) {
    return invalid(problem);
  }
  const layout = given.layout ?? automaticLayout(pipeline, bindings);
  try {
    const program = module.text.program(name, constants);
    const wrong =
      firstOf(sizeProblems(core.limits, program.workGroupSize, workGroupMemory)) ??
      firstOf(subgroupProblems(core.subgroupSizes, program));
    return wrong === undefined ? { layout, entryPoint, program, file: module.label } : invalid(wrong);
  } catch (cause) {
    return cause instanceof TextFault
      ? invalid(`${nameOf(module)}: ${cause.message}`)
      : { kind: "internal", message: `the simulator cannot compile ${nameOf(module)}: ${String(cause)}` };
  }
}

function make(
  core: Core,
  descriptor: GPUComputePipelineDescriptor,
  caller: string,
): { pipeline: SimulatedComputePipeline; failure?: Failure } {
  const given = givenOf(descriptor, caller);
  const pipeline = new SimulatedComputePipeline(core, descriptor);
  const made = core.isLost ? invalid("the device is lost") : compile(pipeline, given);
  if ("program" in made) {
    pipeline.compiled = made;
    return { pipeline };
  }
  pipeline.isValid = false;
  return { pipeline, failure: { ...made, message: `${caller}: ${made.message}` } };
}

/** https://www.w3.org/TR/webgpu/#dom-gpudevice-createcomputepipeline */
export function createComputePipeline(
  core: Core,
  descriptor: GPUComputePipelineDescriptor,
): SimulatedComputePipeline {
  const { pipeline, failure } = make(core, descriptor, "createComputePipeline");
  if (failure) {
    core.report(failure.kind, failure.message);
  }
  return pipeline;
}

/** https://www.w3.org/TR/webgpu/#dom-gpudevice-createcomputepipelineasync */
export async function createComputePipelineAsync(
  core: Core,
  descriptor: GPUComputePipelineDescriptor,
): Promise<SimulatedComputePipeline> {
  const { pipeline, failure } = make(core, descriptor, "createComputePipelineAsync");
  await core.timeline.done();
  if (failure && !core.isLost) {
    throw pipelineError(failure.message, failure.kind);
  }
  return pipeline;
}
