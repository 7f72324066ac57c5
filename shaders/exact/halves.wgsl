// Sums of f16 in two digits: the low one starts at the lowest place, the high one 18 places above. A run adds up without carries.
// It has the functions of fixed_run.wgsl, near.wgsl and steady_float.wgsl.
// Linked with fixed.wgsl and float_items.wgsl, and in scans with scan.wgsl. Call from any control flow. No work-group memory.

// A low digit has 18 bits of each item and of the start, and is held in an f32, so it holds 32 items.
const_assert ITEMS <= 32u;

struct Digits {
  high: i32,
  low: i32,
}

// An f16 has 11 bits, so an f32 holds it, its multiples by powers of two, and its difference from the high digit. Conversions to
// integers cut off what is below them.
fn add_half(sum: Digits, bits: u32) -> Digits {
  let value = unpack2x16float(bits).x;
  let high = i32(value * 0x1p+6f);
  return Digits(sum.high + high, sum.low + i32(value * 0x1p+24f - f32(high) * 0x1p+18f));
}

// The sum, and what a thread's items add to it. `highest` is the greatest key.
fn fixed_add_run(sum: Fixed, bits: array<FloatBits, ITEMS>, base: u32, highest: u32) -> Fixed {
  // The exponent of 2^(7 - ROOM): a sum of items below that fits a word.
  const ROOM = 32u - countLeadingZeros(ITEMS - 1u);
  var own = bits;
  if (highest >> 10u < 22u - ROOM) {
    var word = 0i;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      word += i32(unpack2x16float(own[item]).x * 0x1p+24f);
    }
    return fixed_add(sum, Fixed(bitcast<u32>(word), sign_of(bitcast<u32>(word))));
  }
  var digits = Digits(0, 0);
  for (var item = 0u; item < ITEMS; item++) { // unroll
    digits = add_half(digits, own[item]);
  }
  let low = bitcast<u32>(digits.low);
  let first = (bitcast<u32>(digits.high) << 18u) + low;
  let carry = select(0u, 1u, first < low);
  return fixed_add(sum, Fixed(first, bitcast<u32>(digits.high >> 14u) + sign_of(low) + carry));
}

fn store_near(items: Items, thread: u32, tile: u32, length: u32, before: Element) -> bool {
  return false;
}

// Stores the prefixes of a thread's items, if their highest bits have the same place. They are in one word: 11 bits, which a prefix has,
// and 20 bits to round by. Bits below it are left out. Where what is left out may decide, and where the highest bit moves, it returns
// false.
fn store_steady(items: Items, thread: u32, tile: u32, length: u32, start: Fixed, highest: u32) -> bool {
  // Bits that are left out are less than one unit of the start, and of each item, to either side.
  const LACKS = ITEMS + 2u;
  const HALF = 1u << 19u;
  const HIGHEST = 1u << 30u;
  var own_start = start;
  let sign = sign_of(own_start[1]);
  let lower = (own_start[0] ^ sign) + (sign & 1u);
  let upper = (own_start[1] ^ sign) + select(0u, sign & 1u, lower == 0u);
  let is_low = upper == 0u;
  let top = select(upper, lower, is_low);
  let zeros = min(countLeadingZeros(top), 31u);
  let place = select(63u, 31u, is_low) - zeros;
  // The prefixes are finite, and no item has the highest bit's place, so they are not subnormal either.
  if (top == 0u || place > 38u || place <= (highest >> 10u) + 9u) {
    return false;
  }
  let scale = bitcast<f32>(((181u - place) << 23u) | (sign & 0x80000000u));
  let exponents = ((place - 10u) << 10u) + (sign & 0x8000u);
  var sum = ((top << zeros) | ((select(lower, 0u, is_low) >> 1u) >> (31u - zeros))) >> 1u;
  var own = items.bits;
  var outputs: array<Output, ITEMS>;
  var changed = 0u;
  var is_near = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let earlier = sum;
    sum += bitcast<u32>(i32(unpack2x16float(own[item]).x * scale));
    let prefix = select_word(earlier, sum);
    changed |= prefix ^ HIGHEST;
    // The least and the most that it may be round to the same, unless it is near a half. So is a tie.
    let least = prefix + (HALF - LACKS);
    is_near |= least ^ (prefix + (HALF + LACKS));
    outputs[item] = output_from_float((least >> 20u) + exponents);
  }
  if (changed >= HIGHEST || is_near >= 2u * HALF) {
    return false;
  }
  store_outputs(outputs, thread, tile, length);
  return true;
}

// Stores the prefixes of a thread's items.
fn store_swift(items: Items, thread: u32, tile: u32, length: u32, start: Fixed, rest: u32, base: u32, highest: u32) -> bool {
  if (store_steady(items, thread, tile, length, start, highest)) {
    return true;
  }
  // From a start this far away, no prefix of the run is finite.
  const FAR = 1i << 29u;
  var from_start = start;
  let upper = bitcast<i32>(from_start[1]);
  let far = select(-FAR, FAR, upper >= 0);
  let high = bitcast<i32>((from_start[1] << 14u) | (from_start[0] >> 18u));
  let first = Digits(select(high, far, upper < -0x8000 || upper >= 0x8000), bitcast<i32>(from_start[0] & 0x3ffffu));
  var own = items.bits;
  var outputs: array<Output, ITEMS>;
  // Where the start is more than what the run can make up for, all prefixes are infinite. Sums round to infinity from 65520 on. 2^16 leaves room
  // for a negative start, whose high digit is rounded down. The high digit has units of 2^-6, in which an item of the exponent e is less than
  // 2^(e - 8), or less than one where e is below 8.
  let beyond = i32((1u << 22u) + (ITEMS << (max(highest >> 10u, 8u) - 8u)));
  if (abs(first.high) >= beyond) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      outputs[item] = output_from_float(select(0x7c00u, 0xfc00u, first.high < 0));
    }
    store_outputs(outputs, thread, tile, length);
    return true;
  }
  var sum = first;
  // Prefixes as f32, from the bit `below` on. If any bit below that is set, so is that one, which then decides ties. That is right for 12
  // binades, and for all below the highest of them if no bit is left out.
  let most = max(bitcast<u32>(abs(float_of_digits(first))) >> 23u, 112u + max(highest >> 10u, 1u));
  let below = min(max(most, 123u) - 123u, 17u);
  let mask = (1u << below) - 1u;
  var least = 0xffffffffu;
  var greatest = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let later = add_half(sum, own[item]);
    let prefix = select_digits(sum, later);
    let low = bitcast<u32>(prefix.low);
    let cut = (low | ((low & mask) + mask)) & ~mask;
    let bits = bitcast<u32>(float_of_digits(Digits(prefix.high, bitcast<i32>(cut))));
    let magnitude = bits & 0x7fffffffu;
    least = min(least, magnitude);
    greatest = max(greatest, magnitude);
    // Round to nearest even. An f16 has a bias that is 112 less, and 13 bits less.
    let rounded = (magnitude + ((bits >> 13u) & 1u) + (0xfffu - (112u << 23u))) >> 13u;
    outputs[item] = output_from_float(rounded | ((bits >> 16u) & 0x8000u));
    sum = later;
  }
  // The least is no subnormal f16, and the greatest rounds to a finite one.
  if (least < select(115u + below, 113u, below == 0u) << 23u || greatest >= min((127u + below) << 23u, 0x477ff000u)) {
    sum = first;
    for (var item = 0u; item < ITEMS; item++) { // unroll
      let later = add_half(sum, own[item]);
      outputs[item] = output_from_float(half_of_digits(select_digits(sum, later)));
      sum = later;
    }
  }
  store_outputs(outputs, thread, tile, length);
  return true;
}

fn float_of_digits(sum: Digits) -> f32 {
  return f32(sum.high) * 0x1p-6f + f32(sum.low) * 0x1p-24f;
}

// Rounds any sum to nearest even.
fn half_of_digits(sum: Digits) -> FloatBits {
  // Beyond what is finite, all round to the same.
  const MOST = 1i << 23u;
  let low = bitcast<u32>(sum.low) & 0x3ffffu;
  let high = clamp(sum.high + (sum.low >> 18u), -MOST, MOST);
  // Twice the sum, or twice its 4096th part, whose last bit says whether there is a bit below it.
  let is_near = bitcast<u32>(high + 0x800) < 0x1000u;
  let near = (bitcast<u32>(high) << 19u) | (low << 1u);
  let far = (bitcast<u32>(high) << 7u) | (low >> 11u) | min(low & 0x7ffu, 1u);
  let twice = bitcast<i32>(select(far, near, is_near));
  let magnitude = bitcast<u32>(abs(twice));
  let above = max(firstLeadingBit(magnitude | 1u), 11u) - 11u;
  let is_odd = (magnitude >> (above + 1u)) & 1u;
  let rounded = (magnitude + (1u << above) - 1u + is_odd) >> (above + 1u);
  // The significand's highest bit adds 1 to the exponent.
  let bits = min(((above + select(12u, 0u, is_near)) << 10u) + rounded, 0x7c00u);
  return bits | ((bitcast<u32>(twice) >> 16u) & 0x8000u);
}
