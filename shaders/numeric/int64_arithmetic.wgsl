// Division, shifts, comparisons and conversions of 64-bit integers, for callers' text. A value is a pair of words: x is the low
// word, y the high one. What WGSL says of 32 bits holds of 64: a / 0 is a, and a % 0 is 0; the least i64 / -1 is itself; a
// shift's count is taken modulo 64.
// Linked with int64.wgsl and int64_conversions.wgsl. Threads call these anywhere; each has its own result. No work-group memory.

fn div_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return divided_u64(a, b).xy;
}

fn rem_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return divided_u64(a, b).zw;
}

// Towards zero.
fn div_i64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return with_sign_i64(div_u64(magnitude_i64(a), magnitude_i64(b)), a.y ^ b.y);
}

// With the sign of the dividend.
fn rem_i64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return with_sign_i64(rem_u64(magnitude_i64(a), magnitude_i64(b)), a.y);
}

// The quotient in xy, the remainder in zw: long division, a bit a step.
fn divided_u64(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
  if (all(b == vec2<u32>())) {
    return vec4<u32>(a, 0u, 0u);
  }
  if ((a.y | b.y) == 0u) {
    return vec4<u32>(a.x / b.x, 0u, a.x % b.x, 0u);
  }
  let zeros_a = leading_zeros_u64(a);
  let zeros_b = leading_zeros_u64(b);
  var quotient = vec2<u32>();
  var rest = a;
  if (zeros_b >= zeros_a) {
    let steps = zeros_b - zeros_a + 1u;
    var divisor = shift_left_u64(b, steps - 1u);
    for (var step = 0u; step < steps; step++) {
      quotient = vec2<u32>(quotient.x << 1u, (quotient.y << 1u) | (quotient.x >> 31u));
      if (!less_u64(rest, divisor)) {
        rest = sub_u64(rest, divisor);
        quotient.x |= 1u;
      }
      divisor = vec2<u32>((divisor.x >> 1u) | (divisor.y << 31u), divisor.y >> 1u);
    }
  }
  return vec4<u32>(quotient, rest);
}

// The magnitude itself, or its negative if the highest bit of `sign` is set.
fn with_sign_i64(magnitude: vec2<u32>, sign: u32) -> vec2<u32> {
  let mask = vec2<u32>(0u - (sign >> 31u));
  return sub_u64(magnitude ^ mask, mask);
}

fn negate_i64(value: vec2<u32>) -> vec2<u32> {
  return sub_u64(vec2<u32>(), value);
}

fn sign_u64(value: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(min(value.x | value.y, 1u), 0u);
}

fn sign_i64(value: vec2<u32>) -> vec2<u32> {
  return select(sign_u64(value), vec2<u32>(0xffffffffu), value.y >> 31u == 1u);
}

fn shl_u64(value: vec2<u32>, count: u32) -> vec2<u32> {
  return shift_left_u64(value, count & 63u);
}

fn shr_u64(value: vec2<u32>, count: u32) -> vec2<u32> {
  return shift_right_u64(value, count & 63u);
}

// Fills with the sign.
fn shr_i64(value: vec2<u32>, count: u32) -> vec2<u32> {
  let mask = vec2<u32>(0u - (value.y >> 31u));
  return shift_right_u64(value ^ mask, count & 63u) ^ mask;
}

fn equal_u64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return all(a == b);
}

fn greater_u64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return less_u64(b, a);
}

fn at_most_u64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return !less_u64(b, a);
}

fn at_least_u64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return !less_u64(a, b);
}

fn greater_i64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return less_i64(b, a);
}

fn at_most_i64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return !less_i64(b, a);
}

fn at_least_i64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return !less_i64(a, b);
}

fn u64_from_u32(value: u32) -> vec2<u32> {
  return vec2<u32>(value, 0u);
}

// Fills the high word with the sign.
fn i64_from_i32(value: i32) -> vec2<u32> {
  return vec2<u32>(bitcast<u32>(value), bitcast<u32>(value >> 31u));
}

fn u64_from_bool(value: bool) -> vec2<u32> {
  return vec2<u32>(u32(value), 0u);
}

// The low word.
fn u32_from_u64(value: vec2<u32>) -> u32 {
  return value.x;
}

// The low word.
fn i32_from_u64(value: vec2<u32>) -> i32 {
  return bitcast<i32>(value.x);
}

fn bool_from_u64(value: vec2<u32>) -> bool {
  return (value.x | value.y) != 0u;
}

// The same number, or the greatest i32 if it is greater.
fn nearest_i32_from_u64(value: vec2<u32>) -> i32 {
  return bitcast<i32>(select(min(value.x, 0x7fffffffu), 0x7fffffffu, value.y != 0u));
}

// The same number, or the end of the range of i32 that it lies beyond.
fn nearest_i32_from_i64(value: vec2<u32>) -> i32 {
  let sign = bitcast<i32>(value.y) >> 31u;
  let fits = bitcast<i32>(value.y) == bitcast<i32>(value.x) >> 31u;
  return select(0x7fffffff ^ sign, bitcast<i32>(value.x), fits);
}
