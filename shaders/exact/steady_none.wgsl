// No prefixes whose highest bits are near each other: long runs are seldom. It has the function of steady_float.wgsl.
// Linked with scan.wgsl. Call from any control flow. No work-group memory.

fn store_swift(items: Items, thread: u32, tile: u32, length: u32, start: Fixed, rest: u32, base: u32, highest: u32) -> bool {
  return false;
}
