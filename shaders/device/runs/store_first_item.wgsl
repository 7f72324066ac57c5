// Stores the first item of each run.
// Linked with run_lengths.wgsl, stage_firsts.wgsl and keys_by_expression.wgsl. Call from any control flow. No work-group memory.

@group(0) @binding(15) var<storage, read_write> first_items: array<Keyed>;

// Keys are not kept.
fn stage_key(at: u32, key: Key) {
}

fn store_run(place: u32, at: u32) {
  first_items[call.unique_base + place] = keys[call.keys_base + staged_firsts[at] - 1u];
}
