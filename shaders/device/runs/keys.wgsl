// The items of a range are the keys.
// Linked with run_lengths.wgsl, and with what declares Key. Call from any control flow. No work-group memory.

@group(0) @binding(14) var<storage, read> keys: array<Key>;

fn key_at(index: u32) -> Key {
  return keys[call.keys_base + index];
}
