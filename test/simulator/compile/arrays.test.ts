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
