import type { Fold } from "../src/gpu/fold.ts";
import { pipelineOf } from "./copy.ts";

/** The buffers that all tasks of a length share. */
export type BufferName =
  | "input"
  | "other"
  | "sorted"
  | "otherSorted"
  | "output"
  | "reordered"
  | "unique"
  | "words";
export type Buffers = Readonly<Record<BufferName, GPUBuffer>>;

/** What a task is made from. */
export interface TaskFacts {
  readonly fold: Fold;
  readonly buffers: Buffers;
  readonly length: number;
}

/** Words that a buffer begins with when a task has run. */
export interface ExpectedWords {
  readonly from: BufferName;
  readonly words: Uint32Array;
}

/** What is timed. */
export interface Task {
  record(pass: GPUComputePassEncoder): void;
  /** What it writes, which is poisoned before its results are compared. */
  readonly writes: readonly BufferName[];
  /** What the CPU has. */
  expected(): readonly ExpectedWords[];
  destroy(): void;
}

/** A plan that `Fold` prepares, as far as a task needs it. */
interface Prepared<Ranges> {
  record(pass: GPUComputePassEncoder, ranges: Ranges): void;
  destroy(): void;
}

/** A task that records a plan with the same ranges each time. */
export const recorded = async <Ranges>(
  plan: Promise<Prepared<Ranges>>,
  ranges: Ranges,
  writes: readonly BufferName[],
  expected: () => readonly ExpectedWords[],
): Promise<Task> => {
  const prepared = await plan;
  return {
    record: (pass) => prepared.record(pass, ranges),
    writes,
    expected,
    destroy: () => prepared.destroy(),
  };
};

/** A kernel that does nothing but a task: a thread for each item, 256 to a work-group, runs a statement on `input`, `positions` and `output`. */
export async function bareKernel(
  { fold: { device }, buffers, length }: TaskFacts,
  name: string,
  statement: string,
  expected: () => readonly ExpectedWords[],
): Promise<Task> {
  const code = `@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read> positions: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<${statement.includes("atomic") ? "atomic<u32>" : "u32"}>;
@compute @workgroup_size(256)
fn bare(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) thread: u32) {
  let index = (group.y * groups.x + group.x) * 256u + thread;
  if (index < arrayLength(&positions)) {
    ${statement}
  }
}
`;
  const pipeline = await pipelineOf(device, code, "bare", name);
  const bindGroup = device.createBindGroup({
    label: `bench ${name}`,
    layout: pipeline.getBindGroupLayout(0),
    entries: [buffers.input, buffers.other, buffers.output].map((buffer, binding) => ({
      binding,
      resource: { buffer },
    })),
  });
  const groups = Math.ceil(length / 256);
  const height = Math.ceil(groups / device.limits.maxComputeWorkgroupsPerDimension);
  return {
    record(pass) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindGroup);
      pass.dispatchWorkgroups(Math.ceil(groups / height), height);
    },
    writes: ["output"],
    expected,
    destroy() {},
  };
}
