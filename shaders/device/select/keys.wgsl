// Keys of one word: their order, and a digit where it stands in a key.
// Linked with an alias Key. Call from any control flow. No work-group memory.

fn comes_before(a: Key, b: Key) -> bool {
  return a < b;
}

fn digit_at(digit: u32, bit: u32) -> Key {
  return digit << bit;
}
