import { expect, test } from "vitest";
import { runProgram } from "./run_program.ts";

test("loops", () => {
  const code = `
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> shared_words: array<u32, 64>;
struct Pair { a: u32, b: f32 }
fn both(x: u32) -> Pair { return Pair(x * 2u, f32(x) * 0.5); }
fn sum_all(value: u32, thread: u32) -> u32 {
  shared_words[thread] = value;
  for (var step = 1u; step < 64u; step <<= 1u) {
    workgroupBarrier();
    var other = 0u;
    if (thread >= step) { other = shared_words[thread - step]; }
    workgroupBarrier();
    shared_words[thread] += other;
  }
  workgroupBarrier();
  return shared_words[63];
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) id: vec3<u32>) {
  var items: array<u32, 4>;
  for (var i = 0u; i < 4u; i++) { if (i == 2u) { continue; } items[i] = t + i; }
  let p = both(items[1]);
  let total = sum_all(items[3] + p.a, t);
  var k = 0u;
  loop { if (k > t) { break; } k += 3u; continuing { k += 1u; break if k > 50u; } }
  let v = vec3<f32>(p.b, 1.0, 2);
  out[id.x * 64u + t] = total + u32(v.x + v.z) + k + select(0u, 1u, t > 5u && items[2] == 0u);
}`;
  const { words, findings } = runProgram(code, [128], [2, 1, 1]);
  expect(findings).toEqual([]);
  const expected = Array.from({ length: 128 }, (_, i) => {
    const t = i % 64;
    let total = 0;
    for (let u = 0; u < 64; u++) total += u + 3 + (u + 1) * 2;
    let k = 0;
    for (;;) {
      if (k > t) break;
      k += 3;
      k += 1;
      if (k > 50) break;
    }
    return total + Math.trunc((t + 1) * 0.5 + 2) + k + (t > 5 ? 1 : 0);
  });
  expect([...(words[0] as Int32Array)]).toEqual(expected);
});
