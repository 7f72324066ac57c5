// 64-bit integers as pairs of words: x is the low word, y the high one. Sums, differences and
// products wrap around, so that u64 and i64 (two's complement) share them.
// Threads call these anywhere; each has its own result. No work-group memory.

fn add_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + u32(low < a.x));
}

fn sub_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(a.x - b.x, a.y - b.y - u32(a.x < b.x));
}

// Multiplies the low words by 16-bit halves, so that no sum in their 64-bit product can overflow.
fn mul_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let a_low = a.x & 0xffffu;
  let a_high = a.x >> 16u;
  let b_low = b.x & 0xffffu;
  let b_high = b.x >> 16u;
  let cross = a_high * b_low + ((a_low * b_low) >> 16u);
  let other_cross = a_low * b_high + (cross & 0xffffu);
  let carried = a_high * b_high + (cross >> 16u) + (other_cross >> 16u);
  return vec2<u32>(a.x * b.x, carried + a.x * b.y + a.y * b.x);
}

fn less_u64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return select(a.y < b.y, a.x < b.x, a.y == b.y);
}

fn less_i64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return select(bitcast<i32>(a.y) < bitcast<i32>(b.y), a.x < b.x, a.y == b.y);
}

fn min_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return select(a, b, less_u64(b, a));
}

fn max_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return select(a, b, less_u64(a, b));
}

fn min_i64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return select(a, b, less_i64(b, a));
}

fn max_i64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return select(a, b, less_i64(a, b));
}

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
