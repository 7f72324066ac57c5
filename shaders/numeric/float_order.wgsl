// Floats as integers in the same order: -inf < … < -0 < +0 < … < +inf. Comparing the integers is
// exact on every adapter; comparing floats may flush subnormals and lose the sign of zero.
// NaN has no place in that order: it becomes `nan`. If callers give the operator's identity for it, NaN is ignored. If they give the least
// or the greatest integer, which no number becomes, NaN wins, and `…_or_nan_from_order` gives the bits of a NaN for both.
// Threads call these anywhere; no work-group memory.

fn order_from_f32_bits(bits: u32, nan: u32) -> u32 {
  let order = bits ^ select(0x80000000u, 0xffffffffu, (bits & 0x80000000u) != 0u);
  return select(order, nan, (bits & 0x7fffffffu) > 0x7f800000u);
}

fn f32_bits_from_order(order: u32) -> u32 {
  return order ^ select(0xffffffffu, 0x80000000u, (order & 0x80000000u) != 0u);
}

fn f32_bits_or_nan_from_order(order: u32) -> u32 {
  let bits = f32_bits_from_order(order);
  return select(bits, 0x7fc00000u, (bits & 0x7fffffffu) > 0x7f800000u);
}

// The bits of an f16 are the lower half of a word.
fn order_from_f16_bits(bits: u32, nan: u32) -> u32 {
  let order = bits ^ select(0x8000u, 0xffffu, (bits & 0x8000u) != 0u);
  return select(order, nan, (bits & 0x7fffu) > 0x7c00u);
}

fn f16_bits_from_order(order: u32) -> u32 {
  return order ^ select(0xffffu, 0x8000u, (order & 0x8000u) != 0u);
}

fn f16_bits_or_nan_from_order(order: u32) -> u32 {
  let bits = f16_bits_from_order(order);
  return select(bits, 0x7e00u, (bits & 0x7fffu) > 0x7c00u);
}
