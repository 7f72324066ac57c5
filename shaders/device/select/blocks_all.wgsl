// Blocks of one element, all of which are listed.
// Linked with contract.wgsl and select/few.wgsl. Call from any control flow. No work-group memory.

fn list_blocks(shift: u32, length: u32, most: u32, thread: u32) -> Few {
  return Few(length, key_bits());
}

fn listed_position(at: u32, shift: u32) -> u32 {
  return at;
}
