// Keeps the keys of staged runs, and stores the key of each run.
// Linked with run_lengths.wgsl. Call from any control flow. Work-group memory: STAGED keys.

@group(0) @binding(15) var<storage, read_write> unique_keys: array<Key>;

var<workgroup> staged_keys: array<Key, STAGED>;

fn stage_key(at: u32, key: Key) {
  staged_keys[at] = key;
}

fn store_run(place: u32, at: u32) {
  unique_keys[call.unique_base + place] = staged_keys[at];
}
