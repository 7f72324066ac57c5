// IEEE-754 binary64 in integer arithmetic, on its bits as a pair of words: x is the low word, y the
// high one. Rounds to nearest even and keeps subnormals, infinities and the sign of zero; every NaN
// that comes out is F64_NAN. No f32 is involved, so the bits are the same on every adapter.
// Linked with int64.wgsl. Threads call these anywhere; each has its own result. No work-group memory.
//
// After the algorithms of Berkeley SoftFloat-3e (John R. Hauser; f64_addMags, f64_subMags, f64_mul,
// roundPackToF64). No word is ever shifted by 32 or more: SPIR-V leaves that undefined.

const F64_SIGN = 0x80000000u;
const F64_INFINITY = vec2<u32>(0u, 0x7ff00000u);
const F64_NAN = vec2<u32>(0u, 0x7ff80000u);

fn add_f64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  // The larger magnitude comes first. The sum has its sign. A NaN counts as larger than all others.
  let high_a = a.y & ~F64_SIGN;
  let high_b = b.y & ~F64_SIGN;
  let swap = select(high_a < high_b, a.x < b.x, high_a == high_b);
  let large = select(vec2<u32>(a.x, high_a), vec2<u32>(b.x, high_b), swap);
  let small = select(vec2<u32>(b.x, high_b), vec2<u32>(a.x, high_a), swap);
  let sign = select(a.y, b.y, swap) & F64_SIGN;
  // The exponents less one, or 0 of a subnormal. Without them, the implied bit is left, if there is one.
  let scale = u32(max(i32(large.y >> 20u) - 1, 0));
  let small_scale = u32(max(i32(small.y >> 20u) - 1, 0));
  let top = large.y - (scale << 20u);
  let small_top = small.y - (small_scale << 20u);

  // Leading bits are at bit 61, so that a carry has room. The lowest bit stands for all bits that were shifted out, and is
  // far enough below the bits that decide the rounding. More than one leading bit cancels only if the exponents differ by
  // less than two, and then no bit that is set is shifted out. No word is shifted by 32 or more: SPIR-V leaves that undefined.
  let first_high = (top << 9u) | (large.x >> 23u);
  let first_low = large.x << 9u;
  let second_high = (small_top << 9u) | (small.x >> 23u);
  let second_low = small.x << 9u;
  let distance = min(scale - small_scale, 63u);
  let by_word = distance >= 32u;
  let bits = distance & 31u;
  let others = 31u - bits;
  let high = select(second_high, 0u, by_word);
  let low = select(second_low, second_high, by_word);
  let lost = ((low << 1u) << others) | select(0u, second_low, by_word);
  // A difference inverts the bits of the smaller. The one that is missing goes into a bit that is 0.
  let opposite = bitcast<u32>(bitcast<i32>(a.y ^ b.y) >> 31u);
  let shifted_high = (high >> bits) ^ opposite;
  let shifted_low = ((low >> bits) | ((high << 1u) << others) | min(lost, 1u)) ^ opposite;
  let sum_low = (first_low | (opposite & 1u)) + shifted_low;
  let sum_high = first_high + shifted_high + u32(sum_low < shifted_low);

  // Shift the leading bit to bit 62, or to its place in a subnormal. If rounding carries, the carry goes into the exponent.
  let shift = min(countLeadingZeros(sum_high) - 1u, scale + 1u);
  let other_shift = 31u - shift;
  let normal_high = (sum_high << shift) | ((sum_low >> 1u) >> other_shift);
  let normal_low = sum_low << shift;
  let rounded_low = normal_low + 0x1ffu + ((normal_low >> 10u) & 1u);
  let rounded_high = normal_high + u32(rounded_low < normal_low);
  let field = (rounded_high >> 10u) + ((scale + 1u - shift) << 20u);
  var sum = vec2<u32>((rounded_low >> 10u) | (rounded_high << 22u), field | sign);
  // What is rare stands in a branch: NaN, an infinity, an overflow, a zero, and a difference that leaves the low word alone.
  if ((sum_high == 0u) | (max(field, large.y) >= F64_INFINITY.y)) {
    let zero = (sum_low | sum_high) == 0u;
    if (large.y >= F64_INFINITY.y) {
      sum = vec2<u32>(0u, select(F64_INFINITY.y | sign, F64_NAN.y, zero | (large.x != 0u) | (large.y > F64_INFINITY.y)));
    } else if (sum_high != 0u) {
      sum = vec2<u32>(0u, F64_INFINITY.y | sign);
    } else if (zero) {
      sum = vec2<u32>(0u, a.y & b.y & F64_SIGN);
    } else {
      // Exact, with less than 33 bits.
      let words = scale >= 31u;
      let left = scale + 1u - select(0u, 32u, words);
      let whole = select(vec2<u32>(sum_low, 0u), vec2<u32>(0u, sum_low), words);
      let zeros = countLeadingZeros(whole.y);
      let amount = min(max(zeros, 1u) - 1u, left);
      let too_high = zeros == 0u;
      let w = vec2<u32>(whole.x << amount, (whole.y << amount) | ((whole.x >> 1u) >> (31u - amount)));
      let s = select(10u, 11u, too_high);
      let e = select(left - amount, left + 1u, too_high);
      sum = vec2<u32>((w.x >> s) | (w.y << (32u - s)), ((w.y >> s) + (e << 20u)) | sign);
    }
  }
  return sum;
}

// 0 + value, for a value that is a sum: -0 becomes 0, and nothing else changes.
fn zero_before_f64(value: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(value.x, select(value.y, 0u, value.x == 0u && value.y == F64_SIGN));
}

fn sub_f64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return add_f64(a, vec2<u32>(b.x, b.y ^ F64_SIGN));
}

fn mul_f64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let exponent_a = (a.y >> 20u) & 0x7ffu;
  let exponent_b = (b.y >> 20u) & 0x7ffu;
  let sign = (a.y ^ b.y) & F64_SIGN;
  // Significands, with the implied bit at bit 52.
  var first = vec2<u32>(a.x, (a.y & 0xfffffu) | 0x100000u);
  var second = vec2<u32>(b.x, (b.y & 0xfffffu) | 0x100000u);
  // The exponent less one, of a product whose leading bit is bit 62.
  var field = i32(exponent_a + exponent_b) - 1024;
  var zero = false;
  if (min(exponent_a, exponent_b) == 0u) {
    // A subnormal operand is normalised. If both are, only the sticky bit is left of the product, whatever the other one is.
    let is_a = exponent_a == 0u;
    let fraction = select(b, a, is_a) & vec2<u32>(0xffffffffu, 0xfffffu);
    zero = all(fraction == vec2<u32>());
    let by_word = fraction.y == 0u;
    let high = select(fraction.y, fraction.x, by_word);
    let low = select(fraction.x, 0u, by_word);
    let zeros = countLeadingZeros(high);
    let shift = zeros & 31u;
    let whole = vec2<u32>(low << shift, (high << shift) | ((low >> 1u) >> (31u - shift)));
    let normal = vec2<u32>((whole.x >> 11u) | (whole.y << 21u), whole.y >> 11u);
    first = select(first, normal, is_a);
    second = select(normal, second, is_a);
    field += 12 - i32(zeros + select(0u, 32u, by_word));
  }

  // Columns of the product, 14 bits apart. The largest column adds four products and a carry, which fit in a word.
  let limbs = limbs_f64(first);
  let others = limbs_f64(second);
  let column_0 = limbs.x * others.x;
  let column_1 = dot(limbs.xy, others.yx) + (column_0 >> 14u);
  let column_2 = dot(limbs.xyz, others.zyx) + (column_1 >> 14u);
  let column_3 = dot(limbs, others.wzyx) + (column_2 >> 14u);
  let column_4 = dot(limbs.yzw, others.wzy) + (column_3 >> 14u);
  let column_5 = dot(limbs.zw, others.wz) + (column_4 >> 14u);
  let column_6 = limbs.w * others.w + (column_5 >> 14u);
  // The upper 64 bits of the 106. The lowest of them also stands for all bits below.
  let below = (column_0 | column_1 | column_2) & 0x3fffu;
  let low = (column_3 & 0x3fffu) | ((column_4 & 0x3fffu) << 14u) | (column_5 << 28u) | min(below, 1u);
  let high = ((column_5 >> 4u) & 0x3ffu) | (column_6 << 10u);

  // The leading bit is bit 62 or 63, and goes to 62.
  let top = high >> 31u;
  var significand = vec2<u32>((low >> top) | (low & 1u) | ((high << 31u) * top), high >> top);
  field += i32(top);
  if (field < 0) {
    significand = shift_right_jam(significand, u32(-field));
    field = 0;
  }
  // If rounding carries, the carry goes into the exponent, as it should, up to infinity.
  let rounded_low = significand.x + 0x1ffu + ((significand.x >> 10u) & 1u);
  let rounded_high = significand.y + u32(rounded_low < significand.x);
  let rounded = (rounded_high >> 10u) + (u32(field) << 20u);
  var product = vec2<u32>((rounded_low >> 10u) | (rounded_high << 22u), rounded | sign);
  // What is rare stands in a branch.
  let infinite = max(exponent_a, exponent_b) == 0x7ffu;
  if (zero | infinite | (rounded >= F64_INFINITY.y)) {
    let invalid = is_nan_f64(a) | is_nan_f64(b) | (infinite & zero);
    product = vec2<u32>(0u, select(select(F64_INFINITY.y, 0u, zero) | sign, F64_NAN.y, invalid));
  }
  return product;
}

// As in IEEE-754: false if one is NaN, and -0 equals +0.
fn less_f64(a: vec2<u32>, b: vec2<u32>) -> bool {
  let less = less_i64(signed_magnitude_f64(a), signed_magnitude_f64(b));
  return less & !(is_nan_f64(a) | is_nan_f64(b));
}

fn f64_from_u32(value: u32) -> vec2<u32> {
  let zeros = countLeadingZeros(value);
  let significand = value << (zeros & 31u);
  let bits = vec2<u32>(significand << 21u, ((1053u - zeros) << 20u) + (significand >> 11u));
  return select(bits, vec2<u32>(), value == 0u);
}

fn f64_from_i32(value: i32) -> vec2<u32> {
  let bits = bitcast<u32>(value);
  let mask = 0u - (bits >> 31u);
  return f64_from_u32((bits ^ mask) - mask) | vec2<u32>(0u, bits & F64_SIGN);
}

// Converts an f32 from its bits. They never become an f32 value here.
fn f64_from_f32_bits(bits: u32) -> vec2<u32> {
  let exponent = (bits >> 23u) & 0xffu;
  let fraction = bits & 0x7fffffu;
  let significand = fraction | select(0x800000u, 0u, exponent == 0u);
  // The significand is an integer, of units of 2^(exponent - 150).
  let integer = f64_from_u32(significand);
  let scale = select((max(exponent, 1u) - 150u) << 20u, 0u, significand == 0u);
  let finite = vec2<u32>(integer.x, integer.y + scale);
  let magnitude = select(finite, F64_INFINITY, exponent == 0xffu);
  return select(
    magnitude | vec2<u32>(0u, bits & F64_SIGN),
    F64_NAN,
    (exponent == 0xffu) & (fraction != 0u),
  );
}

fn is_nan_f64(bits: vec2<u32>) -> bool {
  return ((bits.y & ~F64_SIGN) | min(bits.x, 1u)) > F64_INFINITY.y;
}

fn magnitude_f64(bits: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(bits.x, bits.y & ~F64_SIGN);
}

// An integer that less_i64 orders as the values are ordered.
fn signed_magnitude_f64(bits: vec2<u32>) -> vec2<u32> {
  let mask = vec2<u32>(0u - (bits.y >> 31u));
  return sub_u64(magnitude_f64(bits) ^ mask, mask);
}

// The 53 bits of a significand in four parts of 14, the lowest first.
fn limbs_f64(significand: vec2<u32>) -> vec4<u32> {
  return vec4<u32>(
    significand.x,
    significand.x >> 14u,
    (significand.x >> 28u) | (significand.y << 4u),
    significand.y >> 10u,
  ) & vec4<u32>(0x3fffu);
}

// Shifts by any amount. If a bit that is shifted out was set, the result's lowest bit is set, too.
fn shift_right_jam(value: vec2<u32>, amount: u32) -> vec2<u32> {
  // A shift by more than 63 leaves the same as a shift by 63: at most the lowest bit.
  let at_most = min(amount, 63u);
  let by_word = at_most >= 32u;
  let words = select(value, vec2<u32>(value.y, 0u), by_word);
  let bits = at_most & 31u;
  let lost = select(0u, value.x, by_word) | (words.x & ((1u << bits) - 1u));
  let low = (words.x >> bits) | ((words.y << 1u) << (31u - bits));
  return vec2<u32>(low | min(lost, 1u), words.y >> bits);
}
