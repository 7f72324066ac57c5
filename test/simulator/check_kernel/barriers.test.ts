import { describe, expect, test, vi } from "vitest";
import { barriersIn, markedShaders, without } from "../marked_shaders.ts";

// Kernels that call our functions have no fault, and without any one barrier of those they have one.

const shaders = markedShaders();
for (const { path, name, text } of shaders) {
  vi.doMock(path, () => ({ default: { name, text } }));
}
const { checkKernel } = await import("../../../src/simulator/index.ts");
const { linkDirectives } = await import("../../../src/wgsl.ts");

/** A kernel of 64 threads that calls functions twice, so that the memory of the first call is used again. */
const kernelOf = (functions: string, statement: string): string =>
  linkDirectives(`// wavefold: ${functions}
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {
  var x = input[id.x];
  for (var turn = 0u; turn < 2u; turn++) {
    ${statement}
  }
  output[id.x] = x;
}
`);

interface Called {
  readonly functions: string;
  readonly statement: string;
  /** Barriers that another one of the kernel makes unnecessary. Other kernels need them. */
  readonly unneeded?: readonly string[];
}

const kernels: readonly Called[] = [
  {
    functions: "work_group_scan_exclusive_add_u32 64",
    statement: "x = work_group_scan_exclusive_add_u32(x, t);",
  },
  {
    functions: "work_group_scan_inclusive_max_u32 64 algorithm=blelloch",
    statement: "x = work_group_scan_inclusive_max_u32(x, t);",
  },
  { functions: "work_group_reduce_add_u32 64", statement: "x = work_group_reduce_add_u32(x + t, t);" },
  { functions: "work_group_broadcast_u32 64", statement: "x = work_group_broadcast_u32(x, turn, t);" },
  {
    functions: "work_group_sort_u32 64",
    statement: "var keys = array<u32, 1>(x); work_group_sort_u32(&keys, t); x = keys[0];",
    unneeded: ["work_group/hillis_steele.wgsl 5", "work_group/sort_places.wgsl 5"],
  },
  {
    functions: "thread_tile_8_scan_inclusive_add_u32 64",
    statement: "x = thread_tile_8_scan_inclusive_add_u32(x, t);",
    unneeded: ["thread_tile/hillis_steele.wgsl 3"],
  },
];

const options = { items: 512, dispatch: 8 };

describe.each(kernels)("$functions", ({ functions, statement, unneeded = [] }) => {
  const code = kernelOf(functions, statement);
  const barriers = barriersIn(code);

  test("as it is, and without what it does not need", () => {
    expect(barriers.length).toBeGreaterThan(unneeded.length);
    expect(barriers).toEqual(expect.arrayContaining([...unneeded]));
    for (const text of [code, ...unneeded.map((barrier) => without(code, barrier))]) {
      expect(checkKernel(text, options).findings).toEqual([]);
    }
  });

  test.each(barriers.filter((barrier) => !unneeded.includes(barrier)))("without %s", (barrier) => {
    const { findings } = checkKernel(without(code, barrier), options);
    expect(findings.map(({ kind }) => kind)).toContain("race");
  });
});
