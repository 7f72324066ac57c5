// Stores the first item of each run.
// Linked with run_lengths.wgsl, stage_firsts.wgsl and keys_by_expression.wgsl. Call from any control flow. No work-group memory.
// replaces: store_run

@group(0) @binding(15) var<storage, read_write> first_items: array<Keyed>;

fn store_run(place: u32, at: u32) {
  first_items[call.unique_base + place] = keys[call.keys_base + staged_firsts[at] - 1u];
}
