// The digits of a key, from the lowest on. Each has DIGIT_BITS bits, and the last one may have fewer: LAST_DIGIT is its greatest
// value. FIRST_BIT is where the first one starts.
// Call from any control flow. No work-group memory.

fn digit_of(key: Key, digit: u32) -> u32 {
  return bits_from(key, FIRST_BIT + digit * DIGIT_BITS) & select(RADIX - 1u, LAST_DIGIT, digit == DIGITS - 1u);
}

// The lowest bits are those of the key from this one on.
fn bits_from(key: Key, bit: u32) -> u32 {
  return key >> bit;
}
