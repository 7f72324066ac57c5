// Conversions of 64-bit integers to f32, and shifts. A value is a pair of words: x is the low word, y the high one.
// Linked with int64.wgsl. Threads call these anywhere; each has its own result. No work-group memory.

// The nearest f32, and of two the even one.
fn f32_from_u64(value: vec2<u32>) -> f32 {
  let zeros = leading_zeros_u64(value);
  let normal = shift_left_u64(value, zeros);
  let significand = normal.y >> 8u;
  let rest = ((normal.y & 0xffu) << 1u) | min(normal.x, 1u);
  let bits = significand + ((189u - zeros) << 23u) + u32(rest + (significand & 1u) > 0x100u);
  return bitcast<f32>(select(bits, 0u, zeros == 64u));
}

fn f32_from_i64(value: vec2<u32>) -> f32 {
  let magnitude = f32_from_u64(magnitude_i64(value));
  return select(magnitude, -magnitude, value.y >> 31u == 1u);
}

// As an unsigned integer: that of the least i64 is 2^63.
fn magnitude_i64(value: vec2<u32>) -> vec2<u32> {
  let mask = vec2<u32>(0u - (value.y >> 31u));
  return sub_u64(value ^ mask, mask);
}

fn leading_zeros_u64(value: vec2<u32>) -> u32 {
  return select(countLeadingZeros(value.y), 32u + countLeadingZeros(value.x), value.y == 0u);
}

// By less than 64 bits.
fn shift_left_u64(value: vec2<u32>, amount: u32) -> vec2<u32> {
  let words = select(value, vec2<u32>(0u, value.x), amount >= 32u);
  let bits = amount & 31u;
  return vec2<u32>(words.x << bits, (words.y << bits) | ((words.x >> 1u) >> (31u - bits)));
}

// By less than 64 bits.
fn shift_right_u64(value: vec2<u32>, amount: u32) -> vec2<u32> {
  let words = select(value, vec2<u32>(value.y, 0u), amount >= 32u);
  let bits = amount & 31u;
  return vec2<u32>((words.x >> bits) | ((words.y << 1u) << (31u - bits)), words.y >> bits);
}
