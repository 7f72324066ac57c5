import { expect, test } from "vitest";
import { runProgram } from "./run_program.ts";

// What pointers lead to where threads meet: each thread has variables of its own.

const kernel = (statements: string): string => `enable subgroups;
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
fn sum_of(items: ptr<function, array<u32, 2>>) -> u32 {
  return subgroupAdd((*items)[1]);
}
fn store(at: u32, items: ptr<function, array<u32, 2>>) {
  workgroupBarrier();
  result[at] = (*items)[1];
}
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32) {
  ${statements}
}
`;

test.each([
  [
    "a variable of one step, which a function reads whose lanes meet",
    "for (var turn = 0u; turn < 1u; turn++) {\n    var items: array<u32, 2>;\n    items[1] = 1u << t;\n    result[t] = sum_of(&items);\n  }",
    [15, 15, 15, 15],
  ],
  [
    "a variable of one step, which a function reads behind a barrier",
    "var items: array<u32, 2>;\n  items[1] = t + 5u;\n  store(t, &items);",
    [5, 6, 7, 8],
  ],
  [
    "a pointer that is used behind a barrier",
    "var items: array<u32, 2>;\n  let all = &items;\n  let second = &items[1];\n  (*all)[1] = t + 5u;\n  workgroupBarrier();\n  *second += 1u;\n  workgroupBarrier();\n  result[t] = (*all)[1];",
    [6, 7, 8, 9],
  ],
  [
    "a pointer that is handed on",
    "var items: array<u32, 2>;\n  items[1] = t;\n  let all = &items;\n  result[t] = sum_of(all) + 10u * (*all)[1];",
    [6, 16, 26, 36],
  ],
])("%s", (_, statements, expected) => {
  const { words, findings } = runProgram(kernel(statements), [4], [1, 1, 1], { subgroupSize: 4 });
  expect(findings).toEqual([]);
  expect([...(words[0] as Int32Array)]).toEqual(expected);
});
