// Floats as unsigned integers in the order of their numbers: -inf < … < -0 = +0 < … < +inf < NaN. Both zeros have one key, and
// so do all NaNs. Comparing the keys is exact on every adapter. Comparing floats may flush subnormals.
// Threads call these anywhere; no work-group memory.

fn key_from_f32_bits(bits: u32) -> u32 {
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return 0xffffffffu;
  }
  // Minus the magnitude of a negative number, so that both zeros are in the middle.
  return 0x80000000u + select(bits, 0x80000000u - bits, bits >= 0x80000000u);
}

// The bits of an f16 are the lower half of a word.
fn key_from_f16_bits(bits: u32) -> u32 {
  if ((bits & 0x7fffu) > 0x7c00u) {
    return 0xffffffffu;
  }
  return 0x8000u + select(bits, 0x8000u - bits, bits >= 0x8000u);
}
