// The value of an unsigned item whose bits start at a place in a word.
// Call from any control flow. No work-group memory.

fn value_in(bits: u32, place: u32) -> u32 {
  return extractBits(bits, place, BITS);
}
