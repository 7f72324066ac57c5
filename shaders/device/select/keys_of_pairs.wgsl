// Keys of two words, the low word first. A digit may have bits of both.
// Linked in place of keys.wgsl. Call from any control flow. No work-group memory.

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

fn bits_used(key: Key) -> u32 {
  return select(32u - countLeadingZeros(key.x), 64u - countLeadingZeros(key.y), key.y != 0u);
}

fn bits_above(bit: u32) -> Key {
  let part = ~0u << (bit & 31u);
  if (bit >= 32u) {
    return Key(0u, select(part, 0u, bit >= 64u));
  }
  return Key(part, ~0u);
}

fn key_from_words(words: vec2<u32>) -> Key {
  return words;
}

fn words_from_key(key: Key) -> vec2<u32> {
  return key;
}
