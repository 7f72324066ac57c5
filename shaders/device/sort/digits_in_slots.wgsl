// The digits of a key in a slot, from the lowest on: what the number of the slot leaves of a digit's values. Each has SLOT_DIGIT_BITS
// bits, and the last one may have fewer: LAST_DIGIT is its greatest value.
// Linked with digits.wgsl. Call from any control flow. No work-group memory.
// replaces: digit_of

fn digit_of(key: Key, digit: u32) -> u32 {
  return bits_from(key, FIRST_BIT + digit * SLOT_DIGIT_BITS) & select(SLOT_RADIX - 1u, LAST_DIGIT, digit == DIGITS - 1u);
}
