import { gridOf } from "../src/plan/plan.ts";

/** A dispatch that copies a buffer, ready to be recorded: what every other time is compared with. */
export interface Copy {
  record(pass: GPUComputePassEncoder): void;
}

const THREADS = 256;
const VECTORS = 4;
const VECTOR_BYTES = 16;

const copyCode = `@group(0) @binding(0) var<storage, read> input: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<u32>>;

@compute @workgroup_size(${THREADS})
fn copy(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let first = (group.y * groups.x + group.x) * ${THREADS * VECTORS}u + thread;
  for (var turn = 0u; turn < ${VECTORS}u; turn++) {
    let index = first + turn * ${THREADS}u;
    if (index < arrayLength(&input)) {
      output[index] = input[index];
    }
  }
}
`;

const fillCode = `@group(0) @binding(0) var<storage, read_write> output: array<vec4<u32>>;

@compute @workgroup_size(${THREADS})
fn fill(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = (group.y * groups.x + group.x) * ${THREADS}u + thread;
  if (index < arrayLength(&output)) {
    output[index] = vec4<u32>(0xffc0dead);
  }
}
`;

const compareCode = `@group(0) @binding(0) var<storage, read> one: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> other: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> differing: array<atomic<u32>>;

@compute @workgroup_size(${THREADS})
fn compare(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = (group.y * groups.x + group.x) * ${THREADS}u + thread;
  if (index < arrayLength(&one) && any(one[index] != other[index])) {
    atomicAdd(&differing[0], 1u);
  }
}
`;

/** The bytes of a buffer for at least `bytes` bytes: whole vectors. */
export const wholeVectors = (bytes: number): number =>
  Math.max(VECTOR_BYTES, Math.ceil(bytes / VECTOR_BYTES) * VECTOR_BYTES);

const pipelines = new WeakMap<GPUDevice, Map<string, Promise<GPUComputePipeline>>>();

/** A device's pipeline of that name. It is compiled once: that takes longer than most of what it does. */
export function pipelineOf(
  device: GPUDevice,
  code: string,
  entryPoint: string,
  name = entryPoint,
): Promise<GPUComputePipeline> {
  const own = pipelines.get(device) ?? new Map<string, Promise<GPUComputePipeline>>();
  pipelines.set(device, own);
  const label = `bench ${name}`;
  const pipeline =
    own.get(name) ??
    device.createComputePipelineAsync({
      label,
      layout: "auto",
      compute: { module: device.createShaderModule({ label, code }), entryPoint },
    });
  own.set(name, pipeline);
  return pipeline;
}

async function prepare(
  device: GPUDevice,
  code: string,
  name: string,
  buffers: readonly GPUBuffer[],
  bytes: number,
  vectors: number,
): Promise<Copy> {
  const label = `bench ${name}`;
  const pipeline = await pipelineOf(device, code, name);
  const size = wholeVectors(bytes);
  const bindGroup = device.createBindGroup({
    label,
    layout: pipeline.getBindGroupLayout(0),
    entries: buffers.map((buffer, binding) => ({
      binding,
      resource: { buffer, size: Math.min(size, buffer.size) },
    })),
  });
  const groups = Math.ceil(size / (VECTOR_BYTES * THREADS * vectors));
  const { width, height } = gridOf(groups, device.limits, label);
  return {
    record(pass) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindGroup);
      pass.dispatchWorkgroups(width, height);
    },
  };
}

/** A copy kernel: 256 threads a work-group, four loads and stores of 16 bytes each. */
export const prepareCopy = (
  device: GPUDevice,
  input: GPUBuffer,
  output: GPUBuffer,
  bytes: number,
): Promise<Copy> => prepare(device, copyCode, "copy", [input, output], bytes, VECTORS);

/** Fills a buffer with what is hardly a right result: what is not written shows. */
export const preparePoison = (device: GPUDevice, output: GPUBuffer): Promise<Copy> =>
  prepare(device, fillCode, "fill", [output], output.size, 1);

/** Counts the vectors in which two buffers differ, into the first word of a third. */
export const prepareCompare = (
  device: GPUDevice,
  one: GPUBuffer,
  other: GPUBuffer,
  differing: GPUBuffer,
): Promise<Copy> => prepare(device, compareCode, "compare", [one, other, differing], one.size, 1);
