// Keeps the keys of staged runs.
// Linked with run_lengths.wgsl. Call from any control flow. Work-group memory: STAGED keys.
// replaces: stage_key

var<workgroup> staged_keys: array<Key, STAGED>;

fn stage_key(at: u32, key: Key) {
  staged_keys[at] = key;
}
