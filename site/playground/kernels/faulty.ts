import type { ReadyKernel } from "../setup.ts";

type Faulty = Omit<ReadyKernel, "section" | "entryPoint" | "groups" | "values"> &
  Partial<Pick<ReadyKernel, "groups" | "values">>;

const kernels: readonly Faulty[] = [
  {
    name: "race",
    title: "A barrier is missing",
    about:
      "Each thread reads what its neighbour wrote, and no barrier is between them. On a GPU it often works, since threads go in step. Add workgroupBarrier(); between the two lines.",
    code: `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> shifted: array<u32, 8>;

@compute @workgroup_size(8)
fn shift(@builtin(local_invocation_index) thread: u32) {
  shifted[thread] = data[thread];
  data[thread] = shifted[(thread + 1u) % 8u];
}
`,
    values: { data: "3 1 7 0 4 1 6 3" },
  },
  {
    name: "race-scan",
    title: "A scan with one barrier too few",
    about:
      "The same scan of Hillis and Steele, in one side of work-group memory. A thread may write its sum before its neighbour has read what stood there: a second barrier belongs between the read and the write.",
    code: `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> sums: array<u32, 8>;

@compute @workgroup_size(8)
fn scan(@builtin(local_invocation_index) thread: u32) {
  sums[thread] = data[thread];
  for (var distance = 1u; distance < 8u; distance *= 2u) {
    workgroupBarrier();
    var sum = sums[thread];
    if (thread >= distance) {
      sum += sums[thread - distance];
    }
    // workgroupBarrier();
    sums[thread] = sum;
  }
  data[thread] = sums[thread];
}
`,
    values: { data: "3 1 7 0 4 1 6 3" },
  },
  {
    name: "race-groups",
    title: "Work-groups add up without atomics",
    about:
      "Each work-group reads the count, adds one and writes it back. Nothing orders the work-groups of a dispatch, and no barrier can: it takes an atomic.",
    groups: "4",
    values: { count: "0" },
    code: `@group(0) @binding(0) var<storage, read_write> count: u32;

@compute @workgroup_size(4)
fn add(@builtin(local_invocation_index) thread: u32) {
  if (thread == 0u) {
    count = count + 1u;
  }
}
`,
  },
  {
    name: "order",
    title: "A result that depends on who comes first",
    about:
      "Work-groups append to a list by an atomic. That is no race, but the order of the list is open: change the schedule or the seed.",
    groups: "4",
    machine: { schedule: "random", seed: 2 },
    code: `@group(0) @binding(0) var<storage, read_write> length: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> list: array<u32>;

@compute @workgroup_size(4)
fn append(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x % 2u == 0u) {
    let place = atomicAdd(&length, 1u);
    list[place] = id.x;
  }
}
`,
    values: { length: "0", list: "0*8" },
  },
  {
    name: "divergence",
    step: "barrier",
    title: "A barrier that some threads do not reach",
    about:
      "All threads of a work-group must reach a barrier, or none. Browsers refuse what they can prove; here the loop’s end comes from a buffer.",
    code: `@group(0) @binding(0) var<storage, read_write> rounds: array<u32>;
var<workgroup> sum: atomic<u32>;

@compute @workgroup_size(8)
fn count(@builtin(local_invocation_index) thread: u32) {
  for (var round = 0u; round < rounds[thread]; round++) {
    atomicAdd(&sum, 1u);
    workgroupBarrier();
  }
  rounds[thread] = atomicLoad(&sum);
}
`,
    values: { rounds: "2 2 2 2 2 1 2 2" },
  },
  {
    name: "bounds",
    title: "An index past the end",
    about:
      "The last thread reads behind the array. WebGPU keeps that from harm, but the value is not what was meant.",
    code: `@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(8)
fn difference(@builtin(local_invocation_index) thread: u32) {
  output[thread] = input[thread + 1u] - input[thread];
}
`,
    values: { input: "0 1 3 6 10 15 21 28", output: "0*8" },
  },
  {
    name: "waits",
    title: "A work-group waits for one that has not started",
    about:
      "Each work-group raises its flag, and waits for that of the last one. If fewer work-groups run at once than there are, the last one never starts. WebGPU does not promise that it does.",
    groups: "4",
    machine: { residentGroups: 2 },
    code: `@group(0) @binding(0) var<storage, read_write> flags: array<atomic<u32>>;

@compute @workgroup_size(1)
fn wait(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  atomicStore(&flags[group.x], 1u);
  while (atomicLoad(&flags[groups.x - 1u]) == 0u) {
  }
}
`,
    values: { flags: "0*4" },
  },
];

/** Kernels with a fault that the simulator finds, and one whose result is left to chance. */
export const faulty: readonly ReadyKernel[] = kernels.map((kernel) => ({
  groups: "1",
  values: {},
  entryPoint: "",
  step: "line",
  ...kernel,
  section: "Faults, and chance",
}));
