// Keys of two words, the low word first. A digit may have bits of both.
// Linked with digits.wgsl. Call from any control flow. No work-group memory.
// replaces: bits_from

fn bits_from(key: Key, bit: u32) -> u32 {
  if (bit >= 32u) {
    return key.y >> (bit - 32u);
  }
  // Two shifts, since WGSL has none by 32 bits.
  return (key.x >> bit) | ((key.y << 1u) << (31u - bit));
}
