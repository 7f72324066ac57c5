// The key before each of a thread's keys, loaded again.
// Linked with run_lengths.wgsl. Call from any control flow. No work-group memory.

fn begin_keys(first: u32) {
}

fn key_before(index: u32, own: Key) -> Key {
  return key_at(max(index, 1u) - 1u);
}
