// Stores what the best score of a search means.
// Linked with contract.wgsl and a file of device/find that says what scores mean. Dispatch one work-group. No work-group memory.

@group(0) @binding(15) var<storage, read> best: array<u32>;
@group(0) @binding(16) var<storage, read_write> answer: array<u32>;

@compute @workgroup_size(1)
fn store_answer() {
  answer[call.output_base] = answer_of(best[0]);
}
