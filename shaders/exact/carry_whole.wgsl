// The first thread of a tile of exact sums reads what comes before it, and leaves it in memory.
// Linked with scan.wgsl. Call from any control flow. Work-group memory: that of scan.wgsl.

fn put_carry(tile: u32, thread: u32) {
  if (thread == 0u) {
    exact_carry = load_carry(tile);
  }
}
