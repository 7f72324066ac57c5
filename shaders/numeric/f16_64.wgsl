// Conversions between f16 and types of 64 bits, for callers' text. A value of 64 bits is a pair of words: x is the low word, y
// the high one. Conversions to f16 round once, to the nearest, and of two to the even one.
// Linked with int64.wgsl, int64_conversions.wgsl, int64_arithmetic.wgsl and the files of binary64. Threads call these anywhere;
// each has its own result. No work-group memory.

// Of a subnormal result, WGSL lets an adapter make 0.
fn f16_from_f64(bits: vec2<u32>) -> f16 {
  return f16(unpack2x16float(f16_bits_from_f64(bits)).x);
}

fn f16_bits_from_f64(bits: vec2<u32>) -> u32 {
  let exponent = i32(exponent_f64(bits)) - 1008;
  // The leading bit is bit 30. The lowest bit stands for all bits below.
  let significand = 0x40000000u | ((bits.y & 0xfffffu) << 10u) | (bits.x >> 22u) | min(bits.x << 10u, 1u);
  // A subnormal f16 loses more bits. Of what is less than half of the least one, only the lowest bit is left.
  let amount = u32(clamp(1 - exponent, 0, 31));
  let shifted = (significand >> amount) | min(significand & ((1u << amount) - 1u), 1u);
  // If rounding carries, the carry goes into the exponent, up to infinity.
  let rounded = (shifted + 0x7ffffu + ((shifted >> 20u) & 1u)) >> 20u;
  let magnitude = min(rounded + (u32(clamp(exponent - 1, 0, 31)) << 10u), 0x7c00u);
  return select(magnitude | ((bits.y >> 31u) << 15u), 0x7e00u, is_nan_f64(bits));
}

// f16 ends far below 2^32.
fn f16_from_u64(value: vec2<u32>) -> f16 {
  return f16_from_f64(f64_from_u32(select(value.x, 0xffffffffu, value.y != 0u)));
}

fn f16_from_i64(value: vec2<u32>) -> f16 {
  let magnitude = magnitude_i64(value);
  let whole = f64_from_u32(select(magnitude.x, 0xffffffffu, magnitude.y != 0u));
  return f16_from_f64(whole | vec2<u32>(0u, value.y & F64_SIGN));
}

fn f64_from_f16(value: f16) -> vec2<u32> {
  return f64_from_f32(f32(value));
}

fn u64_from_f16(value: f16) -> vec2<u32> {
  return u64_from_f32(f32(value));
}

fn i64_from_f16(value: f16) -> vec2<u32> {
  return i64_from_f32(f32(value));
}
