import { expect, test } from "vitest";
import { runProgram } from "../run_program.ts";

test("array(…) holds vectors, where it is made of vectors", () => {
  const { words } = runProgram(
    `
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1)
fn main() {
  var pairs = array(vec2(1u, 2u), vec2(3, 4));
  pairs[0].y += pairs[1].x;
  out[0] = pairs[0].x;
  out[1] = pairs[0].y;
  out[2] = pairs[1].x;
  out[3] = pairs[1].y;
}`,
    [4],
  );
  expect([...(words[0] ?? [])]).toEqual([1, 5, 3, 4]);
});

test("an array whose indices are constants: it takes its elements in another order, and threads keep it at a barrier", () => {
  const { words, findings } = runProgram(
    `
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> met: u32;
fn turned(given: array<u32, 2>) -> array<u32, 2> { return array(given[1], given[0] + 10u); }
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) t: u32) {
  var pair = array(t, 5u);
  pair = array(pair[1], pair[0]);
  workgroupBarrier();
  pair = turned(pair);
  pair[1] += pair[0];
  out[2u * t] = pair[0];
  out[2u * t + 1u] = pair[1];
}`,
    [4],
  );
  expect([...(words[0] ?? [])]).toEqual([0, 15, 1, 16]);
  expect(findings).toEqual([]);
});
