// Division, comparisons and rounding of IEEE-754 binary64, for callers' text, bit for bit as JavaScript's. A value is a pair of
// words: x is the low word, y the high one. Every NaN that an operation makes is F64_NAN.
// Linked with int64.wgsl, int64_conversions.wgsl, binary64.wgsl and binary64_conversions.wgsl. Threads call these anywhere; each
// has its own result. No work-group memory.

// A magnitude as an integer and a power of two: xy x 2^(z - 1075), with the leading bit of xy at bit 52. z holds an i32.
// For a magnitude that is neither 0 nor infinite.
fn scaled_f64(bits: vec2<u32>) -> vec3<u32> {
  let exponent = exponent_f64(bits);
  let fraction = vec2<u32>(bits.x, bits.y & 0xfffffu);
  let shift = leading_zeros_u64(fraction) - 11u;
  let subnormal = vec3<u32>(shift_left_u64(fraction, shift), 1u - shift);
  return select(vec3<u32>(fraction | vec2<u32>(0u, 0x100000u), exponent), subnormal, exponent == 0u);
}

fn is_zero_f64(bits: vec2<u32>) -> bool {
  return (bits.x | (bits.y & ~F64_SIGN)) == 0u;
}

fn is_infinite_f64(bits: vec2<u32>) -> bool {
  return bits.x == 0u && (bits.y & ~F64_SIGN) == F64_INFINITY.y;
}

fn div_f64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let sign = (a.y ^ b.y) & F64_SIGN;
  let zero = is_zero_f64(a) || is_infinite_f64(b);
  let infinite = is_infinite_f64(a) || is_zero_f64(b);
  let invalid = is_nan_f64(a) || is_nan_f64(b) || (zero && infinite);
  var quotient = select(vec2<u32>(0u, select(0u, F64_INFINITY.y, infinite) | sign), F64_NAN, invalid);
  // One way out: a software adapter's compiler takes minutes for several.
  if (!(zero || infinite || invalid)) {
    quotient = quotient_f64(scaled_f64(a), scaled_f64(b)) | vec2<u32>(0u, sign);
  }
  return quotient;
}

// The quotient of two magnitudes.
fn quotient_f64(dividend: vec3<u32>, divisor: vec3<u32>) -> vec2<u32> {
  // 56 bits of the quotient from its first 1 on, which is the first bit or the second.
  var rest = dividend.xy;
  var bits = vec2<u32>();
  var steps = 0u;
  for (; bits.y < 0x800000u; steps++) {
    bits = vec2<u32>(bits.x << 1u, (bits.y << 1u) | (bits.x >> 31u));
    if (!less_u64(rest, divisor.xy)) {
      rest = sub_u64(rest, divisor.xy);
      bits.x |= 1u;
    }
    rest = vec2<u32>(rest.x << 1u, (rest.y << 1u) | (rest.x >> 31u));
  }
  // The leading bit goes to bit 62. The lowest bit stands for all bits below.
  var significand = shift_left_u64(bits, 7u);
  significand.x |= min(rest.x | rest.y, 1u);
  // The exponent less one.
  let field = bitcast<i32>(dividend.z - divisor.z) + 1022 + 56 - i32(steps);
  significand = shift_right_jam(significand, u32(max(-field, 0)));
  // To the nearest, and of two to the even one. If rounding carries, the carry goes into the exponent, up to infinity.
  let rounded = add_u64(significand, vec2<u32>(0x1ffu + ((significand.x >> 10u) & 1u), 0u));
  let high = (rounded.y >> 10u) + (u32(max(field, 0)) << 20u);
  return select(vec2<u32>((rounded.x >> 10u) | (rounded.y << 22u), high), F64_INFINITY, high >= F64_INFINITY.y);
}

// JavaScript's a % b, which is C's fmod: exact, with the sign of the dividend.
fn rem_f64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  if (is_nan_f64(a) || is_nan_f64(b) || is_infinite_f64(a) || is_zero_f64(b)) {
    return F64_NAN;
  }
  if (is_zero_f64(a) || less_u64(magnitude_f64(a), magnitude_f64(b))) {
    return a;
  }
  let dividend = scaled_f64(a);
  let divisor = scaled_f64(b);
  var rest = dividend.xy;
  // Long division of the integers, whose quotient is not kept. It takes a step for each power of two between them: 2,098 at most.
  let steps = bitcast<i32>(dividend.z - divisor.z);
  for (var step = 0; step <= steps; step++) {
    if (step > 0) {
      rest = vec2<u32>(rest.x << 1u, (rest.y << 1u) | (rest.x >> 31u));
    }
    if (!less_u64(rest, divisor.xy)) {
      rest = sub_u64(rest, divisor.xy);
    }
  }
  let sign = a.y & F64_SIGN;
  if (all(rest == vec2<u32>())) {
    return vec2<u32>(0u, sign);
  }
  // The leading bit goes to bit 52, or stays below it in a subnormal.
  let shift = i32(leading_zeros_u64(rest)) - 11;
  let exponent = bitcast<i32>(divisor.z) - shift;
  if (exponent < 1) {
    let amount = bitcast<i32>(divisor.z) - 1;
    let subnormal = select(shift_right_u64(rest, u32(-amount)), shift_left_u64(rest, u32(amount)), amount >= 0);
    return subnormal | vec2<u32>(0u, sign);
  }
  let normal = shift_left_u64(rest, u32(shift));
  return vec2<u32>(normal.x, (normal.y & 0xfffffu) | (u32(exponent) << 20u) | sign);
}

fn negate_f64(bits: vec2<u32>) -> vec2<u32> {
  return bits ^ vec2<u32>(0u, F64_SIGN);
}

// JavaScript's Math.sign: -1, 1, or the value itself if it is a zero or NaN.
fn sign_f64(bits: vec2<u32>) -> vec2<u32> {
  let one = vec2<u32>(0u, 0x3ff00000u | (bits.y & F64_SIGN));
  return select(one, bits, is_zero_f64(bits) || is_nan_f64(bits));
}

// As those of the operators: they ignore NaN, and -0 comes before +0.
fn min_f64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let less = less_i64(ordered_f64(b), ordered_f64(a));
  return select(a, b, is_nan_f64(a) || (less && !is_nan_f64(b)));
}

fn max_f64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let greater = less_i64(ordered_f64(a), ordered_f64(b));
  return select(a, b, is_nan_f64(a) || (greater && !is_nan_f64(b)));
}

// An integer in the order of less_i64, in which -0 comes before +0.
fn ordered_f64(bits: vec2<u32>) -> vec2<u32> {
  let mask = 0u - (bits.y >> 31u);
  return bits ^ vec2<u32>(mask, mask & ~F64_SIGN);
}

fn equal_f64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return !is_nan_f64(a) && !is_nan_f64(b) && (all(a == b) || (is_zero_f64(a) && is_zero_f64(b)));
}

fn greater_f64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return less_f64(b, a);
}

fn at_most_f64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return less_f64(a, b) || equal_f64(a, b);
}

fn at_least_f64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return less_f64(b, a) || equal_f64(a, b);
}

// Towards plus infinity: -0.5 becomes -0.
fn ceil_f64(bits: vec2<u32>) -> vec2<u32> {
  return select(negate_f64(floor_f64(negate_f64(bits))), F64_NAN, is_nan_f64(bits));
}

// To the nearest whole number, and of two to the even one. The sign stays.
fn round_f64(bits: vec2<u32>) -> vec2<u32> {
  let whole = trunc_f64(bits);
  let rest = magnitude_f64(sub_f64(bits, whole));
  let half = vec2<u32>(0u, 0x3fe00000u);
  let is_odd = (whole_magnitude_f64(whole).x & 1u) == 1u;
  let up = less_u64(half, rest) || (all(rest == half) && is_odd);
  let one = vec2<u32>(0u, 0x3ff00000u | (bits.y & F64_SIGN));
  return select(whole, add_f64(whole, one), up && !is_nan_f64(bits) && !is_infinite_f64(bits));
}

fn fract_f64(bits: vec2<u32>) -> vec2<u32> {
  return sub_f64(bits, floor_f64(bits));
}

// Whether it is not zero. NaN is true.
fn bool_from_f64(bits: vec2<u32>) -> bool {
  return !is_zero_f64(bits);
}

fn f64_from_bool(value: bool) -> vec2<u32> {
  return vec2<u32>(0u, select(0u, 0x3ff00000u, value));
}

// The fraction is dropped. What is outside of the type's range becomes its end, and NaN becomes 0.
fn u64_from_f32(value: f32) -> vec2<u32> {
  return u64_from_f64(f64_from_f32(value));
}

fn i64_from_f32(value: f32) -> vec2<u32> {
  return i64_from_f64(f64_from_f32(value));
}
