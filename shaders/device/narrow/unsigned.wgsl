// The value of an unsigned item whose bits start at a place in a word.
// Call from any control flow. No work-group memory.

fn value_in(bits: u32, place: u32) -> u32 {
  return extractBits(bits, place, BITS);
}

// The sum of a word's items, which are not taken from it one by one.
fn sum_of_word(word: u32) -> u32 {
  if (BITS == 16u) {
    return (word & 0xffffu) + (word >> 16u);
  }
  let pairs = (word & 0x00ff00ffu) + ((word >> 8u) & 0x00ff00ffu);
  return (pairs & 0xffffu) + (pairs >> 16u);
}
