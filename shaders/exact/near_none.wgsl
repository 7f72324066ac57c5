// No prefixes in two words: all items of f16 fit fixed point, and an f64 has too many bits. It has the function of near.wgsl.
// Linked with scan.wgsl. Call from any control flow. No work-group memory.

fn store_near(items: Items, thread: u32, tile: u32, length: u32, before: Element) -> bool {
  return false;
}
