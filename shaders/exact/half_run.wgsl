// The sum of a thread's items of f16, in two words that leave no carry from one to the other.
// Linked with fixed.wgsl and what that lists. Call from any control flow. No work-group memory.

// The exponent of an item, or 1 for a subnormal one, and its significand with the sign.
struct Half {
  exponent: u32,
  significand: u32,
}

fn half_of(bits: u32) -> Half {
  let mask = bitcast<u32>(bitcast<i32>(bits << 16u) >> 31u);
  let value = bits & 0x7fffu;
  let exponent = max(value >> 10u, 1u);
  return Half(exponent, ((value + 0x400u - (exponent << 10u)) ^ mask) - mask);
}

// The sum of a thread's items. Items of up to 2^-10 go to one word, in halves of the least unit, and others to another one.
fn fixed_of_run(items: Items, base: u32) -> Fixed {
  var own = items.bits;
  if (ITEMS > 16u) {
    var sum: Fixed;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      sum = fixed_add(sum, fixed_from_float(own[item], base));
    }
    return sum;
  }
  var low = 0u;
  var high = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let parts = half_of(own[item]);
    let shifted = parts.significand << (parts.exponent & 15u);
    let is_high = parts.exponent > 15u;
    low += select(shifted, 0u, is_high);
    high += select(0u, shifted, is_high);
  }
  let lower = Fixed(bitcast<u32>(bitcast<i32>(low) >> 1u), sign_of(low));
  let upper = Fixed(high << 15u, bitcast<u32>(bitcast<i32>(high) >> 17u));
  return fixed_add(lower, upper);
}
