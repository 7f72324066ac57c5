import { expect, test } from "vitest";
import { runProgram } from "../run_program.ts";

// Pointers to a function's variables, which other functions take.

test("each thread has its own variable, where a function in which threads meet takes a pointer to it", () => {
  const { words, findings } = runProgram(
    `
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> total: atomic<u32>;
fn add_all(word: ptr<function, array<u32, 2>>, thread: u32) {
  workgroupBarrier();
  atomicAdd(&total, (*word)[1]);
  workgroupBarrier();
  out[thread] = (*word)[0] + atomicLoad(&total);
}
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) thread: u32) {
  var word = array(100u * thread, thread);
  add_all(&word, thread);
}`,
    [4],
  );
  expect(findings).toEqual([]);
  expect([...(words[0] ?? [])]).toEqual([6, 106, 206, 306]);
});
