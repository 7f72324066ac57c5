// A binary64's bits as a pair of words in the order -inf < … < -0 < +0 < … < +inf of less_u64.
// NaN has no place in that order: it becomes `nan`. If callers give the operator's identity for it, NaN is ignored. If they give the least
// or the greatest integer, which no number becomes, NaN wins, and `f64_bits_or_nan_from_order` gives the bits of a NaN for both.
// Linked with int64.wgsl and binary64.wgsl.
// Threads call these anywhere; no work-group memory.

fn order_from_f64_bits(bits: vec2<u32>, nan: vec2<u32>) -> vec2<u32> {
  let mask = 0u - (bits.y >> 31u);
  return select(bits ^ vec2<u32>(mask, mask | F64_SIGN), nan, is_nan_f64(bits));
}

fn f64_bits_from_order(order: vec2<u32>) -> vec2<u32> {
  let mask = (order.y >> 31u) - 1u;
  return order ^ vec2<u32>(mask, mask | F64_SIGN);
}

fn f64_bits_or_nan_from_order(order: vec2<u32>) -> vec2<u32> {
  let bits = f64_bits_from_order(order);
  return select(bits, F64_NAN, is_nan_f64(bits));
}
