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
