// Keys of two words, the low word first. A digit may have bits of both.
// Linked with select/keys.wgsl. Call from any control flow. No work-group memory.
// replaces: comes_before, digit_at

fn comes_before(a: Key, b: Key) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}

fn digit_at(digit: u32, bit: u32) -> Key {
  if (bit >= 32u) {
    return Key(0u, digit << (bit - 32u));
  }
  // Two shifts, since WGSL has none by 32 bits.
  return Key(digit << bit, (digit >> 1u) >> (31u - bit));
}
