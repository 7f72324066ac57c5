// Adds up a thread's items of f32 in three digits of 22 bits, without carries. Conversions to integers cut off what is below them, and
// each product and each difference is exact. No float is added to a constant, since compilers may change the order of such sums. It has the
// function of fixed_run.wgsl.
// Linked with fixed.wgsl and fixed_float.wgsl. Call from any control flow. No work-group memory.

// A digit has 22 bits of each item.
const_assert ITEMS <= 256u;

// The sum, and what a thread's items add to it. Above the base 0, there is no subnormal, and an item without an exponent is zero.
fn fixed_add_run(sum: Fixed, bits: array<FloatBits, ITEMS>, base: u32, highest: u32) -> Fixed {
  var own = bits;
  var all = sum;
  if (base == 0u) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      all = fixed_add(all, fixed_from_float(own[item], base));
    }
    return all;
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
  let a = bitcast<u32>(low);
  let b = bitcast<u32>(middle);
  let c = bitcast<u32>(high);
  all = fixed_add(all, Fixed(a, sign_of(a), sign_of(a)));
  all = fixed_add(all, Fixed(b << 22u, bitcast<u32>(middle >> 10u), sign_of(b)));
  return fixed_add(all, Fixed(0u, c << 12u, bitcast<u32>(high >> 20u)));
}
