// No prefixes in two words: an f64 has too many bits, and long runs of f16 are seldom. It has the functions of near.wgsl and
// swift.wgsl.
// Linked with scan.wgsl. Call from any control flow. No work-group memory.

fn store_near(items: Items, thread: u32, tile: u32, length: u32, before: Element) -> bool {
  return false;
}

fn store_swift(items: Items, thread: u32, tile: u32, length: u32, start: Fixed, rest: u32, base: u32, highest: u32) -> bool {
  return false;
}
