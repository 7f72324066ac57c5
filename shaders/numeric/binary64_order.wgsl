// A binary64's bits as a pair of words in the order -inf < … < -0 < +0 < … < +inf of less_u64.
// NaN is ignored: it becomes the operator's identity.
// Linked with int64.wgsl, binary64.wgsl and a contract whose Element is vec2<u32>.
// Threads call these anywhere; no work-group memory.

fn order_from_f64_bits(bits: vec2<u32>) -> vec2<u32> {
  if (is_nan_f64(bits)) {
    return identity();
  }
  let mask = 0u - (bits.y >> 31u);
  return bits ^ vec2<u32>(mask, mask | F64_SIGN);
}

fn f64_bits_from_order(order: vec2<u32>) -> vec2<u32> {
  let mask = (order.y >> 31u) - 1u;
  return order ^ vec2<u32>(mask, mask | F64_SIGN);
}
