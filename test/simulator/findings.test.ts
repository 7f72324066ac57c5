import { describe, expect, test } from "vitest";
import type { Finding, FindingKind, SimulatorOptions } from "../../src/simulator/index.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";
import { encodeDispatch, readWords } from "../support/buffers.ts";

// Each kind of finding is planted in a short kernel, and the kernel without the fault has no finding.

/** A thread of a work-group, both by their numbers. */
type Thread = readonly [workGroup: number, thread?: number];

interface Fault {
  readonly title: string;
  /** Statements of a kernel of two work-groups of 8 threads, in subgroups of 4. Lines that the finding names end in `// fault`. */
  readonly faulty: string;
  readonly right: string;
  /** In the order of their numbers, if they are not thread 0 of the first work-group and another one of it. */
  readonly threads?: readonly Thread[];
  /** That other thread, if it is not thread 1. Of divergence, one of the two reaches the place and the other does not. */
  readonly other?: number;
  /** Part of the message. */
  readonly says: string;
  /** Functions that the statements call. */
  readonly declarations?: string;
  readonly options?: SimulatorOptions;
}

const kernelOf = (statements: string, declarations = ""): string => `enable f16;
enable subgroups;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> flags: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> halves: array<f16>;
var<workgroup> words: array<u32, 8>;
var<workgroup> vectors: array<vec4<u32>, 2>;
var<workgroup> state: atomic<u32>;
${declarations}
@compute @workgroup_size(8)
fn main(
  @builtin(local_invocation_index) t: u32,
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(global_invocation_id) id: vec3<u32>,
) {
${statements}
  // Every binding is used.
  if (id.x == 1000u) {
    data[0] = atomicLoad(&flags[0]) + u32(halves[0]) + words[0] + vectors[0].x + atomicLoad(&state);
  }
}
`;

interface Run {
  readonly findings: readonly Finding[];
  /** What `data` holds then. */
  readonly data: Uint32Array;
}

async function run(code: string, options: SimulatorOptions = {}): Promise<Run> {
  const gpu = simulatedGpu({ subgroupSize: 4, ...options });
  const adapter = await gpu.requestAdapter();
  if (adapter === null) {
    throw new Error("the simulator has an adapter");
  }
  const device = await adapter.requestDevice({ requiredFeatures: ["subgroups", "shader-f16"] });
  const module = device.createShaderModule({ code, label: "planted.wgsl" });
  const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module } });
  const buffers = [16, 4, 8].map((words) => device.createBuffer({ size: 4 * words, usage: 0x8c }));
  device.queue.submit([encodeDispatch(device, pipeline, buffers.entries(), 2).finish()]);
  const data = await readWords(device, buffers[0] as GPUBuffer);
  device.destroy();
  return { findings: gpu.findings, data };
}

const races: readonly Fault[] = [
  {
    title: "work-group memory: a neighbour's word, without a barrier",
    faulty: "words[t] = t; // fault\n  data[id.x] = words[(t + 1u) % 8u]; // fault",
    right: "words[t] = t;\n  workgroupBarrier();\n  data[id.x] = words[(t + 1u) % 8u];",
    says: "word 1 of words in work-group memory",
  },
  {
    title: "work-group memory: two threads write equal values",
    faulty: "words[0] = 7u; // fault",
    right: "if (t == 0u) {\n    words[0] = 7u;\n  }",
    says: "writes word 0 of words",
  },
  {
    title: "work-group memory: it is written again before all have read it",
    faulty:
      "for (var turn = 0u; turn < 2u; turn++) {\n    words[t] = turn; // fault\n    workgroupBarrier();\n    data[id.x] = words[7u - t]; // fault\n  }",
    right:
      "for (var turn = 0u; turn < 2u; turn++) {\n    words[t] = turn;\n    workgroupBarrier();\n    data[id.x] = words[7u - t];\n    workgroupBarrier();\n  }",
    other: 7,
    says: "read at line",
  },
  {
    title: "work-group memory: a pointer leads there",
    declarations: "fn put(at: ptr<workgroup, array<u32, 8>>, i: u32) {\n  (*at)[i / 2u] = i; // fault\n}",
    faulty: "put(&words, t);",
    right: "if (t % 2u == 0u) {\n    put(&words, t);\n  }",
    says: "(in put)",
  },
  {
    title: "work-group memory: atomics of one variable do not order accesses of another",
    faulty:
      "if (t == 0u) {\n    words[0] = 1u; // fault\n    atomicStore(&state, 1u);\n  } else if (atomicLoad(&state) == 1u) {\n    data[id.x] = words[0]; // fault\n  }",
    right:
      "if (t == 0u) {\n    words[0] = 1u;\n    atomicStore(&state, 1u);\n  }\n  workgroupBarrier();\n  if (atomicLoad(&state) == 1u) {\n    data[id.x] = words[0];\n  }",
    says: "word 0 of words",
  },
  {
    title: "storage memory, within a work-group",
    faulty:
      "data[id.x] = t; // fault\n  let x = data[id.x ^ 1u]; // fault\n  storageBarrier();\n  data[id.x] = x;",
    right:
      "data[id.x] = t;\n  storageBarrier();\n  let x = data[id.x ^ 1u];\n  storageBarrier();\n  data[id.x] = x;",
    says: "no storageBarrier() is between them",
  },
  {
    title: "storage memory, within a work-group: two threads write equal values",
    faulty: "data[group.x] = 7u; // fault",
    right: "if (t == 3u) {\n    data[group.x] = 7u;\n  }",
    says: "writes word 0 of data",
  },
  {
    title: "storage memory, between work-groups: both write equal values",
    faulty: "if (t == 3u) {\n    data[0] = 7u; // fault\n  }",
    right: "if (id.x == 3u) {\n    data[0] = 7u;\n  }",
    threads: [
      [0, 3],
      [1, 3],
    ],
    says: "nothing orders work-groups of one dispatch",
  },
  {
    title: "storage memory, between work-groups: a barrier does not order them",
    faulty:
      "data[id.x] = t; // fault\n  storageBarrier();\n  workgroupBarrier();\n  let x = data[15u - id.x]; // fault\n  storageBarrier();",
    right:
      "data[id.x] = t;\n  storageBarrier();\n  workgroupBarrier();\n  let x = data[id.x - t + 7u - t];\n  storageBarrier();",
    threads: [
      [0, 7],
      [1, 0],
    ],
    says: "nothing orders work-groups of one dispatch",
  },
  {
    title: "storage memory, between work-groups: an atomic does not order other words",
    faulty:
      "if (id.x == 0u) {\n    data[0] = 7u; // fault\n    atomicStore(&flags[0], 1u);\n  } else if (id.x == 8u && atomicLoad(&flags[0]) == 1u) {\n    data[1] = data[0]; // fault\n  }",
    right:
      "if (id.x == 0u) {\n    atomicStore(&flags[1], 7u);\n    atomicStore(&flags[0], 1u);\n  } else if (id.x == 8u && atomicLoad(&flags[0]) == 1u) {\n    data[1] = atomicLoad(&flags[1]);\n  }",
    threads: [
      [0, 0],
      [1, 0],
    ],
    says: "nothing orders work-groups of one dispatch",
  },
  {
    title: "storage memory: one half of a word",
    faulty: "halves[id.x / 2u] = 1h; // fault",
    right: "halves[id.x] = 1h;",
    says: "of halves",
  },
  {
    title: "a storageBarrier where a workgroupBarrier is needed",
    faulty: "words[t] = t; // fault\n  storageBarrier();\n  data[id.x] = words[t ^ 1u]; // fault",
    right: "words[t] = t;\n  workgroupBarrier();\n  data[id.x] = words[t ^ 1u];",
    says: "word 1 of words",
  },
  {
    title: "a workgroupBarrier where a storageBarrier is needed",
    faulty:
      "data[id.x] = t; // fault\n  workgroupBarrier();\n  let x = data[id.x ^ 1u]; // fault\n  storageBarrier();\n  data[id.x] = x;",
    right:
      "data[id.x] = t;\n  storageBarrier();\n  let x = data[id.x ^ 1u];\n  storageBarrier();\n  data[id.x] = x;",
    says: "no storageBarrier() is between them",
  },
];

const divergence: readonly Fault[] = [
  {
    title: "a barrier in a branch",
    faulty: "if (t < 5u) {\n    workgroupBarrier(); // fault\n  }",
    right: "if (group.x < 5u) {\n    workgroupBarrier();\n  }",
    other: 5,
    says: "5 of 8 threads",
  },
  {
    title: "a storageBarrier in a case of a switch",
    faulty: "switch t % 2u {\n    case 1u: {\n      storageBarrier(); // fault\n    }\n    default: {}\n  }",
    right: "switch group.x {\n    case 1u: {\n      storageBarrier();\n    }\n    default: {}\n  }",
    says: "4 of 8 threads",
  },
  {
    title: "a barrier behind an early return",
    faulty: "if (t == 6u) {\n    return;\n  }\n  workgroupBarrier(); // fault",
    right: "workgroupBarrier();\n  if (t == 6u) {\n    return;\n  }",
    other: 6,
    says: "7 of 8 threads",
  },
  {
    title: "a barrier in a loop that threads leave after different turns",
    faulty: "for (var turn = 0u; turn <= t; turn++) {\n    workgroupBarrier(); // fault\n  }",
    right: "for (var turn = 0u; turn <= group.x; turn++) {\n    workgroupBarrier();\n  }",
    says: "7 of 8 threads",
  },
  {
    title: "a barrier in a loop that some threads leave",
    faulty:
      "for (var turn = 0u; turn < 2u; turn++) {\n    if (t == 2u) {\n      break;\n    }\n    workgroupBarrier(); // fault\n  }",
    right:
      "for (var turn = 0u; turn < 2u; turn++) {\n    workgroupBarrier();\n    if (group.x == 1u) {\n      break;\n    }\n  }",
    other: 2,
    says: "7 of 8 threads",
  },
  {
    title: "a barrier behind `continue`",
    faulty:
      "for (var turn = 0u; turn < 2u; turn++) {\n    if (t == turn) {\n      continue;\n    }\n    workgroupBarrier(); // fault\n  }",
    right:
      "for (var turn = 0u; turn < 2u; turn++) {\n    if (group.x == turn) {\n      continue;\n    }\n    workgroupBarrier();\n  }",
    says: "7 of 8 threads",
  },
  {
    title: "a barrier that all threads reach, by different calls",
    declarations: "fn meet() {\n  workgroupBarrier(); // fault\n}",
    faulty: "if (t < 3u) {\n    meet();\n  } else {\n    meet();\n  }",
    right: "if (t < 3u) {\n    data[id.x] = 1u;\n  } else {\n    data[id.x] = 2u;\n  }\n  meet();",
    other: 3,
    says: "3 of 8 threads",
  },
  {
    title: "a barrier behind a return in the function that is called",
    declarations:
      "fn meet(t: u32, least: u32) {\n  if (t < least) {\n    return;\n  }\n  workgroupBarrier(); // fault\n}",
    faulty: "meet(t, 1u);",
    right: "meet(t, 0u);",
    says: "7 of 8 threads",
  },
  {
    title: "a workgroupUniformLoad in a branch",
    faulty: "if (t != 4u) {\n    data[id.x] = workgroupUniformLoad(&words[1]); // fault\n  }",
    right: "let x = workgroupUniformLoad(&words[1]);\n  if (t != 4u) {\n    data[id.x] = x;\n  }",
    other: 4,
    says: "7 of 8 threads",
  },
  {
    title: "a subgroup function in a branch",
    faulty: "if (t % 4u < 3u) {\n    data[id.x] = subgroupAdd(t); // fault\n  }",
    right: "if (t / 4u == 1u) {\n    data[id.x] = subgroupAdd(t);\n  }",
    other: 3,
    says: "3 of 4 threads",
  },
  {
    title: "a shuffle behind an early return",
    faulty: "if (t == 5u) {\n    return;\n  }\n  data[id.x] = subgroupShuffleXor(t, 1u); // fault",
    right: "data[id.x] = subgroupShuffleXor(t, 1u);\n  if (t == 5u) {\n    return;\n  }",
    threads: [
      [0, 4],
      [0, 5],
    ],
    says: "3 of 4 threads",
  },
  {
    title: "a vote in a loop that lanes leave after different turns",
    faulty:
      "for (var turn = 0u; turn < t % 4u; turn++) {\n    data[id.x] = subgroupBallot(true).x; // fault\n  }",
    right: "for (var turn = 0u; turn < t / 4u; turn++) {\n    data[id.x] = subgroupBallot(true).x;\n  }",
    says: "3 of 4 threads",
  },
  {
    title: "a subgroup function that all lanes reach, by different calls",
    declarations: "fn sum_of(x: u32) -> u32 {\n  return subgroupAdd(x); // fault\n}",
    faulty:
      "if (t % 2u == 0u) {\n    data[id.x] = sum_of(t);\n  } else {\n    data[id.x] = sum_of(2u * t);\n  }",
    right: "data[id.x] = sum_of(select(2u * t, t, t % 2u == 0u));",
    says: "2 of 4 threads",
  },
];

const outOfBounds: readonly Fault[] = [
  {
    title: "an array in storage memory",
    faulty: "data[id.x + 1u] = t; // fault",
    right: "data[id.x] = t;",
    threads: [[1, 7]],
    says: "index 16",
  },
  {
    title: "an array of atomics in storage memory",
    faulty: "atomicAdd(&flags[t], 1u); // fault",
    right: "atomicAdd(&flags[min(t, arrayLength(&flags) - 1u)], 1u);",
    threads: [[0, 4]],
    says: "index 4",
  },
  {
    title: "a read of an array in storage memory, at an index below zero",
    faulty: "let x = data[i32(t) - 1]; // fault\n  workgroupBarrier();",
    right: "let x = data[max(i32(t) - 1, 0)];\n  workgroupBarrier();",
    threads: [[0, 0]],
    says: "index",
  },
  {
    title: "an array in work-group memory",
    faulty: "words[t * 2u % 16u] = t; // fault",
    right: "words[t * 3u % 8u] = t;",
    threads: [[0, 4]],
    says: "index 8",
  },
  {
    title: "an array in a function's memory",
    faulty: "var items: array<u32, 7>;\n  items[t] = 1u; // fault\n  data[id.x] = items[0];",
    right: "var items: array<u32, 8>;\n  items[t] = 1u;\n  data[id.x] = items[0];",
    threads: [[0, 7]],
    says: "index 7",
  },
  {
    title: "an array that is a value",
    faulty: "let items = array<u32, 3>(1u, 2u, 3u);\n  data[id.x] = items[t]; // fault",
    right: "let items = array<u32, 3>(1u, 2u, 3u);\n  data[id.x] = items[t % 3u];",
    threads: [[0, 3]],
    says: "index 3",
  },
  {
    title: "a vector",
    faulty: "let v = vec4<u32>(t, 1u, 2u, 3u);\n  data[id.x] = v[t]; // fault",
    right: "let v = vec4<u32>(t, 1u, 2u, 3u);\n  data[id.x] = v[t % 4u];",
    threads: [[0, 4]],
    says: "index 4",
  },
  {
    title: "a vector in a function's memory",
    faulty: "var v = vec3<u32>();\n  v[t] = 1u; // fault\n  data[id.x] = v.x;",
    right: "var v = vec3<u32>();\n  v[t % 3u] = 1u;\n  data[id.x] = v.x;",
    threads: [[0, 3]],
    says: "index 3",
  },
  {
    title: "a vector in work-group memory",
    faulty: "if (t > 3u) {\n    vectors[1][t] = 1u; // fault\n  }",
    right: "if (t > 3u) {\n    vectors[1][t - 4u] = 1u;\n  }",
    threads: [[0, 4]],
    says: "index 4",
  },
  {
    title: "a column of a matrix",
    faulty: "let m = mat2x3<f32>();\n  data[id.x] = u32(m[t].y); // fault",
    right: "let m = mat2x3<f32>();\n  data[id.x] = u32(m[t % 2u].y);",
    threads: [[0, 2]],
    says: "index 2",
  },
];

const waiting: readonly Fault[] = [
  {
    title: "for a word of storage memory that nobody stores",
    faulty:
      "if (t == 0u) {\n    while (atomicLoad(&flags[0]) < 3u) {} // fault\n  }\n  if (t == 1u) {\n    atomicAdd(&flags[1], 1u);\n  }",
    right:
      "if (t == 1u) {\n    atomicAdd(&flags[0], 1u);\n  }\n  if (id.x == 1u) {\n    while (atomicLoad(&flags[0]) < 2u) {}\n  }",
    threads: [[0], [1]],
    says: "wait",
    options: { patience: 1000 },
  },
  {
    title: "for a work-group that starts only when another one ends",
    faulty:
      "if (id.x == 0u) {\n    while (atomicLoad(&flags[0]) == 0u) {} // fault\n  }\n  if (id.x == 8u) {\n    atomicStore(&flags[0], 1u);\n  }",
    right:
      "if (id.x == 8u) {\n    while (atomicLoad(&flags[0]) == 0u) {}\n  }\n  if (id.x == 0u) {\n    atomicStore(&flags[0], 1u);\n  }",
    threads: [[0]],
    says: "wait",
    options: { patience: 1000, residentGroups: 1 },
  },
  {
    title: "in a loop without an end, all threads together",
    faulty: "loop { // fault\n    workgroupBarrier();\n    if (group.x == 7u) {\n      break;\n    }\n  }",
    right: "loop {\n    workgroupBarrier();\n    if (group.x < 7u) {\n      break;\n    }\n  }",
    threads: [[0, 0]],
    says: "a loop without an end",
  },
  {
    title: "in a loop without an end, each thread by itself",
    faulty: "var x = t;\n  while (x != 5u) { // fault\n    x = (x * 2u) % 16u;\n  }\n  data[id.x] = x;",
    right: "var x = t;\n  while (x != 0u) {\n    x = (x * 2u) % 16u;\n  }\n  data[id.x] = x;",
    threads: [[0, 0]],
    says: "a loop without an end",
  },
  {
    title: "for another thread of the work-group, which goes on only when this one does",
    faulty:
      "if (t == 0u) {\n    while (atomicLoad(&state) == 0u) {} // fault\n  } else {\n    atomicStore(&state, 1u);\n  }",
    right:
      "if (t != 0u) {\n    atomicStore(&state, 1u);\n  }\n  workgroupBarrier();\n  if (t == 0u) {\n    while (atomicLoad(&state) == 0u) {}\n  }",
    threads: [[0, 0]],
    says: "a loop without an end",
  },
];

const uninitialized: readonly Fault[] = [
  {
    title: "work-group memory",
    faulty:
      "if (t != 3u) {\n    words[t] = t;\n  }\n  workgroupBarrier();\n  data[id.x] = words[7u - t]; // fault",
    right: "words[t] = t;\n  workgroupBarrier();\n  data[id.x] = words[7u - t];",
    threads: [[0, 4]],
    says: "word 3 of words",
  },
  {
    title: "storage memory",
    faulty: "data[id.x] = u32(halves[t]) + 1u; // fault",
    right: "halves[id.x] = 1h;\n  data[id.x] = u32(halves[id.x]) + 1u;",
    threads: [[0, 0]],
    says: "of halves",
  },
  {
    title: "an atomic",
    faulty: "if (id.x == 0u) {\n    data[0] = atomicLoad(&flags[2]); // fault\n  }",
    right: "if (id.x == 0u) {\n    atomicStore(&flags[2], 1u);\n    data[0] = atomicLoad(&flags[2]);\n  }",
    threads: [[0, 0]],
    says: "word 2 of flags",
  },
];

const unordered: readonly Fault[] = [
  {
    title: "a count is read before all have counted",
    faulty: "atomicAdd(&state, 1u); // fault\n  data[id.x] = atomicLoad(&state); // fault",
    right: "atomicAdd(&state, 1u);\n  workgroupBarrier();\n  data[id.x] = atomicLoad(&state);",
    says: "word 0 of state",
  },
  {
    title: "the same, where the simulator has all threads count before one reads",
    faulty:
      "atomicAdd(&state, 1u); // fault\n  let lanes = subgroupAdd(1u);\n  data[id.x] = atomicLoad(&state) + lanes; // fault",
    right:
      "atomicAdd(&state, 1u);\n  let lanes = subgroupAdd(1u);\n  data[id.x] = workgroupUniformLoad(&state) + lanes;",
    says: "which thread 1 changes",
  },
  {
    title: "a counter is cleared while others count",
    faulty: "if (t == 0u) {\n    atomicStore(&state, 5u); // fault\n  }\n  atomicAdd(&state, 1u); // fault",
    right:
      "if (t == 0u) {\n    atomicStore(&state, 5u);\n  }\n  workgroupBarrier();\n  atomicAdd(&state, 1u);",
    says: "changes word 0 of state",
  },
  {
    title: "a word is stored again while others load it",
    faulty:
      "data[id.x] = atomicLoad(&state); // fault\n  if (t == 7u) {\n    atomicStore(&state, 5u); // fault\n  }",
    right:
      "data[id.x] = atomicLoad(&state);\n  workgroupBarrier();\n  if (t == 7u) {\n    atomicStore(&state, 5u);\n  }",
    other: 7,
    says: "which thread 0 loads",
  },
  {
    title: "a word is exchanged while others change it",
    faulty:
      "atomicMax(&state, t); // fault\n  if (t == 0u) {\n    data[group.x] = atomicExchange(&state, 0u); // fault\n  }",
    right:
      "atomicMax(&state, t);\n  workgroupBarrier();\n  if (t == 0u) {\n    data[group.x] = atomicExchange(&state, 0u);\n  }",
    says: "changes word 0 of state",
  },
  {
    title: "threads store different values",
    faulty: "atomicStore(&state, t + 1u); // fault",
    right: "atomicStore(&state, group.x);\n  workgroupBarrier();\n  data[id.x] = atomicLoad(&state);",
    says: "stores word 0 of state",
  },
];

const lineOf = (finding: Finding): readonly number[] => [
  ...new Set([
    finding.line,
    ...Array.from(finding.message.matchAll(/\bline (\d+)/g), ([, line]) => Number(line)),
  ]),
];
const byNumber = (a: number, b: number): number => a - b;

interface Group {
  readonly kind: FindingKind;
  readonly faults: readonly Fault[];
  readonly options?: SimulatorOptions;
}
const groups: readonly Group[] = [
  { kind: "race", faults: races },
  { kind: "divergence", faults: divergence },
  { kind: "out-of-bounds", faults: outOfBounds },
  { kind: "stuck", faults: waiting },
  { kind: "uninitialized", faults: uninitialized, options: { uninitialized: true } },
  { kind: "unordered", faults: unordered, options: { unorderedAtomics: true } },
];

describe.each(groups)("$kind", ({ kind, faults, options: usual }) => {
  test.each(faults)("$title", async ({ faulty, right, threads, other = 1, says, declarations, options }) => {
    const code = kernelOf(faulty, declarations);
    const {
      findings: [finding],
    } = await run(code, { ...usual, ...options });
    if (finding === undefined) {
      throw new Error("nothing was found");
    }
    expect(finding).toMatchObject({ kind, file: "planted.wgsl", entryPoint: "main" });
    const marked = code.split("\n").flatMap((line, at) => (line.includes("// fault") ? [at + 1] : []));
    expect([...lineOf(finding)].sort(byNumber), finding.message).toEqual(marked);
    expect(marked).toContain(finding.line);
    const found = finding.threads.map(({ workGroup: [x], thread }) => [
      x,
      ...(thread === undefined ? [] : [thread]),
    ]);
    const pair = [
      [0, 0],
      [0, other],
    ];
    expect(found.sort(), finding.message).toEqual(threads ?? pair);
    expect(finding.message).toContain(says);
    const repaired = await run(kernelOf(right, declarations), { ...usual, ...options });
    expect(repaired.findings, "the right kernel").toEqual([]);
  });
});

test("the order of atomics is that of the threads between two barriers", async () => {
  // The last thread to store its number wins.
  const code = kernelOf(`atomicStore(&state, t);
  workgroupBarrier();
  if (t == 0u) {
    data[group.x] = atomicLoad(&state);
  }`);
  const orders = [
    {},
    { atomics: "reversed" },
    { atomics: "random", seed: 1 },
    { atomics: "random", seed: 2 },
  ] as const;
  const runs = await Promise.all(orders.map((options) => run(code, options)));
  expect(runs.flatMap(({ findings }) => findings)).toEqual([]);
  const last = runs.map(({ data }) => [...data.subarray(0, 2)]);
  expect(last.slice(0, 2)).toEqual([
    [7, 7],
    [0, 0],
  ]);
  expect(new Set(last.slice(2).flat()).size).toBeGreaterThan(1);
});
