// Conversions between IEEE-754 binary64 and other types, in integer arithmetic, and whole parts. A value is a pair of words:
// x is the low word, y the high one. Conversions to floats, and from 64-bit integers, round to nearest even. Conversions to
// integers drop the fraction; what is outside of the type's range becomes its end, and NaN becomes 0.
// Linked with int64.wgsl, int64_conversions.wgsl and binary64.wgsl. Threads call these anywhere; each has its own result. No work-group memory.

const F64_MINUS_ONE = vec2<u32>(0u, 0xbff00000u);

fn u32_from_f64(bits: vec2<u32>) -> u32 {
  let magnitude = select(whole_magnitude_f64(bits).x, 0xffffffffu, exponent_f64(bits) >= 1055u);
  return select(magnitude, 0u, is_nan_f64(bits) | (bits.y >> 31u == 1u));
}

fn i32_from_f64(bits: vec2<u32>) -> i32 {
  let sign = bits.y >> 31u;
  let magnitude = select(whole_magnitude_f64(bits).x, 0x7fffffffu + sign, exponent_f64(bits) >= 1054u);
  return bitcast<i32>(select((magnitude ^ (0u - sign)) + sign, 0u, is_nan_f64(bits)));
}

fn u64_from_f64(bits: vec2<u32>) -> vec2<u32> {
  let magnitude = select(whole_magnitude_f64(bits), vec2<u32>(0xffffffffu), exponent_f64(bits) >= 1087u);
  return select(magnitude, vec2<u32>(), is_nan_f64(bits) | (bits.y >> 31u == 1u));
}

fn i64_from_f64(bits: vec2<u32>) -> vec2<u32> {
  let mask = vec2<u32>(0u - (bits.y >> 31u));
  let end = vec2<u32>(0xffffffffu, 0x7fffffffu) - mask;
  let magnitude = select(whole_magnitude_f64(bits), end, exponent_f64(bits) >= 1086u);
  return select(sub_u64(magnitude ^ mask, mask), vec2<u32>(), is_nan_f64(bits));
}

// The bits of the nearest f32, and of two the even one. They never become an f32 value here, so that no adapter flushes a subnormal.
fn f32_bits_from_f64(bits: vec2<u32>) -> u32 {
  // The leading bit is bit 30. The lowest bit stands for all bits below.
  let significand = 0x40000000u | ((bits.y & 0xfffffu) << 10u) | (bits.x >> 22u) | min(bits.x << 10u, 1u);
  let exponent = min(i32(exponent_f64(bits)) - 896, 255);
  // A subnormal f32 loses more bits. Of what is less than half of the least one, only the lowest bit is left.
  let amount = u32(clamp(1 - exponent, 0, 31));
  let shifted = (significand >> amount) | min(significand & ((1u << amount) - 1u), 1u);
  // If rounding carries, the carry goes into the exponent, up to infinity.
  let rounded = (shifted + 0x3fu + ((shifted >> 7u) & 1u)) >> 7u;
  let magnitude = min(rounded + (u32(max(exponent - 1, 0)) << 23u), 0x7f800000u);
  return select(magnitude | (bits.y & F64_SIGN), 0x7fc00000u, is_nan_f64(bits));
}

fn f32_from_f64(bits: vec2<u32>) -> f32 {
  return bitcast<f32>(f32_bits_from_f64(bits));
}

fn f64_from_f32(value: f32) -> vec2<u32> {
  return f64_from_f32_bits(bitcast<u32>(value));
}

fn f64_from_u64(value: vec2<u32>) -> vec2<u32> {
  let zeros = leading_zeros_u64(value);
  let normal = shift_left_u64(value, zeros);
  let significand = shift_right_u64(normal, 11u);
  let up = u32((normal.x & 0x7ffu) + (significand.x & 1u) > 0x400u);
  // If rounding carries, the carry goes into the exponent.
  let rounded = add_u64(significand, vec2<u32>(up, (1085u - zeros) << 20u));
  return select(rounded, vec2<u32>(), zeros == 64u);
}

fn f64_from_i64(value: vec2<u32>) -> vec2<u32> {
  return f64_from_u64(magnitude_i64(value)) | vec2<u32>(0u, value.y & F64_SIGN);
}

// Towards zero. The sign stays: -0.5 becomes -0.
fn trunc_f64(bits: vec2<u32>) -> vec2<u32> {
  let whole = select(bits & ~fraction_mask_f64(bits), vec2<u32>(0u, bits.y & F64_SIGN), exponent_f64(bits) < 1023u);
  return select(whole, F64_NAN, is_nan_f64(bits));
}

// Towards minus infinity. -0 stays.
fn floor_f64(bits: vec2<u32>) -> vec2<u32> {
  let whole = trunc_f64(bits);
  // One more in magnitude. The carry out of the fraction goes into the exponent.
  let next = add_u64(bits | fraction_mask_f64(bits), vec2<u32>(1u, 0u));
  let below = select(next, F64_MINUS_ONE, exponent_f64(bits) < 1023u);
  let has_fraction = any(whole != bits) & !is_nan_f64(bits);
  return select(whole, below, has_fraction & (bits.y >> 31u == 1u));
}

fn exponent_f64(bits: vec2<u32>) -> u32 {
  return (bits.y >> 20u) & 0x7ffu;
}

// The bits that stand for less than 1, of a magnitude of at least 1.
fn fraction_mask_f64(bits: vec2<u32>) -> vec2<u32> {
  let count = u32(clamp(1075 - i32(exponent_f64(bits)), 0, 52));
  let mask = (1u << (count & 31u)) - 1u;
  return select(vec2<u32>(mask, 0u), vec2<u32>(0xffffffffu, mask), count >= 32u);
}

// The whole part of a magnitude below 2^64.
fn whole_magnitude_f64(bits: vec2<u32>) -> vec2<u32> {
  let exponent = exponent_f64(bits);
  let significand = vec2<u32>(bits.x << 11u, F64_SIGN | (bits.y << 11u) | (bits.x >> 21u));
  return select(shift_right_u64(significand, (1086u - exponent) & 63u), vec2<u32>(), exponent < 1023u);
}
