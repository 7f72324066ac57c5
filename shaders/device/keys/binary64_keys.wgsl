// A binary64's bits as a pair of words in the order of less_u64: -inf < … < -0 = +0 < … < +inf < NaN. Both zeros have one key,
// and so do all NaNs.
// Linked with int64.wgsl and binary64.wgsl.
// Threads call this anywhere; no work-group memory.

fn key_from_f64_bits(bits: vec2<u32>) -> vec2<u32> {
  if (is_nan_f64(bits)) {
    return vec2<u32>(0xffffffffu);
  }
  let magnitude = magnitude_f64(bits);
  let zero = vec2<u32>(0u, F64_SIGN);
  if ((bits.y & F64_SIGN) != 0u) {
    return sub_u64(zero, magnitude);
  }
  return add_u64(zero, magnitude);
}
