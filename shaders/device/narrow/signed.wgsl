// The value of a signed item whose bits start at a place in a word, as the bits of an i32.
// Call from any control flow. No work-group memory.

fn value_in(bits: u32, place: u32) -> u32 {
  return bitcast<u32>(extractBits(bitcast<i32>(bits), place, BITS));
}

// The sum of a word's items, which are not taken from it one by one. With the sign bit flipped, each is greater by half of its range and has no sign.
fn sum_of_word(word: u32) -> u32 {
  if (BITS == 16u) {
    let items = word ^ 0x80008000u;
    return (items & 0xffffu) + (items >> 16u) - 2u * 0x8000u;
  }
  let items = word ^ 0x80808080u;
  let pairs = (items & 0x00ff00ffu) + ((items >> 8u) & 0x00ff00ffu);
  return (pairs & 0xffffu) + (pairs >> 16u) - 4u * 0x80u;
}
