// The key before each of a thread's keys, loaded again.
// Linked with run_lengths.wgsl. Call from any control flow. No work-group memory.

fn begin_keys(first: u32) {
}

fn key_before(index: u32, own: Key) -> Key {
  var before: Key;
  if (index > 0u) {
    before = key_at(index - 1u);
  }
  return before;
}
