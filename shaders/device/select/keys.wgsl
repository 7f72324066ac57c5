// Keys of one word: their order, a digit where it stands in a key, their bits and their words.
// Linked with an alias Key. Call from any control flow. No work-group memory.

fn comes_before(a: Key, b: Key) -> bool {
  return a < b;
}

fn digit_at(digit: u32, bit: u32) -> Key {
  return digit << bit;
}

// How many bits a key has up to its highest set bit.
fn bits_used(key: Key) -> u32 {
  return 32u - countLeadingZeros(key);
}

// The bits of a key from this one on. Its number may be that of the bit behind the last one.
fn bits_above(bit: u32) -> Key {
  return select(~0u << (bit & 31u), 0u, bit >= 32u);
}

fn key_from_words(words: vec2<u32>) -> Key {
  return words.x;
}

fn words_from_key(key: Key) -> vec2<u32> {
  return vec2<u32>(key, 0u);
}
