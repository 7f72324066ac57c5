// Stores the key of each run.
// Linked with run_lengths.wgsl and stage_keys.wgsl. Call from any control flow. No work-group memory.
// replaces: store_run

@group(0) @binding(15) var<storage, read_write> unique_keys: array<Key>;

fn store_run(place: u32, at: u32) {
  unique_keys[call.unique_base + place] = staged_keys[at];
}
