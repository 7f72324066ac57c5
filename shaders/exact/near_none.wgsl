// No prefixes of many binades in two words: an f64 has too many bits. It has the function of near.wgsl.
// Linked with scan.wgsl. Call from any control flow. No work-group memory.

fn store_near(items: Items, thread: u32, tile: u32, length: u32, before: Element) -> bool {
  return false;
}
