// Adds up a thread's items of f32 in three digits of 22 bits, without carries. Conversions to integers cut off what is below them, and
// each product and each difference is exact. No float is added to a constant: compilers may change the order of such sums. It has the function of fixed_run.wgsl.
// Linked with fixed.wgsl and fixed_float.wgsl. Call from any control flow. No work-group memory.

// A digit has 22 bits of each item.
const_assert ITEMS <= 256u;

const DIGIT = 0x3fffffu;

// The sum of a thread's items. Above the base 0, there is no subnormal, and an item without an exponent is zero.
fn digits_of_run(bits: array<FloatBits, ITEMS>, base: u32) -> vec3<i32> {
  var own = bits;
  if (base == 0u) {
    var all: Fixed;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      all = fixed_add(all, fixed_from_float(own[item], base));
    }
    return bitcast<vec3<i32>>(vec3<u32>(all[0] & DIGIT, ((all[0] >> 22u) | (all[1] << 10u)) & DIGIT, (all[1] >> 12u) | (all[2] << 20u)));
  }
  var high = 0i;
  var middle = 0i;
  var low = 0i;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    // The item in units of the base's place: from 2^23 on, and less than 2^63.
    let scaled = own[item] + ((149u - base) << 23u);
    let value = bitcast<f32>(select(scaled, 0u, (own[item] & 0x7f800000u) == 0u));
    let first = i32(value * 0x1p-44f);
    let rest = value - f32(first) * 0x1p+44f;
    let second = i32(rest * 0x1p-22f);
    high += first;
    middle += second;
    low += i32(rest - f32(second) * 0x1p+22f);
  }
  return carried(vec3<i32>(low, middle, high));
}

// The same sum, whose two lower digits are from 0 to DIGIT.
fn carried(digits: vec3<i32>) -> vec3<i32> {
  let middle = digits.y + (digits.x >> 22u);
  return vec3<i32>(digits.x & i32(DIGIT), middle & i32(DIGIT), digits.z + (middle >> 22u));
}

fn fixed_from_digits(digits: vec3<i32>) -> Fixed {
  let own = bitcast<vec3<u32>>(carried(digits));
  return Fixed(own.x | (own.y << 22u), (own.y >> 10u) | (own.z << 12u), bitcast<u32>(bitcast<i32>(own.z) >> 20u));
}

// The sum, and what a thread's items add to it.
fn fixed_add_run(sum: Fixed, bits: array<FloatBits, ITEMS>, base: u32, highest: u32) -> Fixed {
  return fixed_add(sum, fixed_from_digits(digits_of_run(bits, base)));
}
