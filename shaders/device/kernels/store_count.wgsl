// Stores how many items all windows of a compaction kept, and the arguments of an indirect call.
// Linked with contract.wgsl and total_*.wgsl. Dispatch one work-group. No work-group memory.

@group(0) @binding(3) var<storage, read> counts: array<u32>;

@compute @workgroup_size(1)
fn store_count() {
  store_total(counts[2u + call.window]);
}
