// The value of a signed item whose bits start at a place in a word, as the bits of an i32.
// Call from any control flow. No work-group memory.

fn value_in(bits: u32, place: u32) -> u32 {
  return bitcast<u32>(extractBits(bitcast<i32>(bits), place, BITS));
}
