// A thread's run of f64: added up in fixed point by digits, and its prefixes in digits, too. run_any.wgsl has the same functions.
// Linked with fixed.wgsl and double_items.wgsl; in scans with scan.wgsl. Call from any control flow. No work-group memory.

// A digit has 26 bits of each item, and some more for what is carried.
const_assert ITEMS <= 30u;
const_assert FIXED_SPAN <= 77u;
const DIGIT = 0x3ffffffu;

// The sum, and what a thread's items add to it: in five digits of 26 bits, which need no carries.
fn add_run(sum: Fixed, bits: array<FloatBits, ITEMS>, base: u32) -> Fixed {
  var own = bits;
  var a = 0i;
  var b = 0i;
  var c = 0i;
  var d = 0i;
  var e = 0i;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let high = own[item].y;
    let exponent = (high >> 20u) & 0x7ffu;
    let hidden = min(exponent, 1u);
    let place = max(exponent, base + 1u) - (base + 1u);
    let is_second = place >= 26u;
    let is_third = place >= 52u;
    let parts = parts_of_double(own[item], hidden, 26u - place + select(select(0u, 26u, is_second), 52u, is_third));
    // The sign, for the digit that the item starts in.
    let sign = (bitcast<i32>(high) >> 31u) | 1;
    let first = select(sign, 0, is_second);
    let third = select(0, sign, is_third);
    let second = sign - first - third;
    a += first * parts.x;
    b += first * parts.y + second * parts.x;
    c += first * parts.z + second * parts.y + third * parts.x;
    d += second * parts.z + third * parts.y;
    e += third * parts.z;
  }
  b += a >> 26u;
  c += b >> 26u;
  d += c >> 26u;
  e += d >> 26u;
  let low = bitcast<vec4<u32>>(vec4<i32>(a, b, c, d)) & vec4<u32>(DIGIT);
  let high = bitcast<u32>(e);
  let all = Fixed(low.x | (low.y << 26u), (low.y >> 6u) | (low.z << 20u), (low.z >> 12u) | (low.w << 14u), (low.w >> 18u) | (high << 8u), bitcast<u32>(e >> 24u));
  return fixed_add(sum, all);
}

// The digits of a significand that starts `right` bits below the end of the lowest one: 1 to 26.
fn parts_of_double(bits: vec2<u32>, hidden: u32, right: u32) -> vec3<i32> {
  let left = 26u - right;
  let upper = (((bits.y & 0xfffffu) | (hidden << 20u)) << 6u) | (bits.x >> 26u);
  let lower = bits.x & DIGIT;
  return bitcast<vec3<i32>>(vec3<u32>((lower << left) & DIGIT, (lower >> right) | ((upper << left) & DIGIT), upper >> right));
}

// Stores the prefixes of a run in fixed point, if their highest bits are near each other: from one place above that of what comes before the run to
// two below it. They are in three digits: 53 bits, which a prefix has, in two of them, and 26 bits to round by. Bits below these digits are
// left out. Where what is left out may decide, and where a prefix is outside of these places, it returns false.
fn store_in_digits(items: Items, thread: u32, tile: u32, length: u32, start: Fixed, rest: u32, base: u32, highest: u32) -> bool {
  // Bits that are left out are less than one unit of the start, and of each item, to either side.
  const LACKS = ITEMS + 2u;
  const HALF = 1u << 25u;
  // How far the highest bit may be below that of the highest digit.
  const MOST_LEFT = 3u;
  var own_start = start;
  let before = magnitude_of(start, rest, base);
  // The place of the highest digit's highest bit.
  let place = before.place + 1u;
  // The prefixes are neither subnormal nor infinite, subnormal items are below the digits, and no item has the highest bit's place.
  if (before.top < 0x80000000u || place < 130u || place > 2090u || place < (highest >> 20u) + 52u) {
    return false;
  }
  // What the start lacks is less than one unit of fixed point, so the digits end there at the lowest.
  if (rest != 0u && place < base + 78u) {
    return false;
  }
  let sign = sign_of(own_start[FIXED_WORDS - 1u]);
  var sum = bitcast<vec3<i32>>(vec3<u32>(
    ((before.middle & 0xfffu) << 14u) | (before.low >> 18u),
    ((before.top & 63u) << 20u) | (before.middle >> 12u),
    before.top >> 6u,
  ));
  var own = items.bits;
  var outputs: array<Output, ITEMS>;
  let exponents = ((place - 52u) << 20u) + (sign & 0x80000000u);
  var widest = 0u;
  var nearest = 0xffffffffu;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let earlier = sum;
    let high = own[item].y;
    let right = place - 51u - ((high >> 20u) & 0x7ffu);
    let is_second = right > 26u;
    let is_third = right > 52u;
    let parts = parts_of_double(own[item], 1u, right - select(select(0u, 26u, is_second), 52u, is_third));
    let own_sign = (bitcast<i32>(high ^ sign) >> 31u) | 1;
    let first = select(own_sign, 0, is_second);
    let second = select(0, own_sign, is_second && !is_third);
    let third = select(0, own_sign, is_third && right <= 78u);
    sum += vec3<i32>(first * parts.x + second * parts.y + third * parts.z, first * parts.y + second * parts.z, first * parts.z);
    let prefix = select_digits(earlier, sum);
    let carried = prefix.y + (prefix.x >> 26u);
    let highest_digit = bitcast<u32>(prefix.z + (carried >> 26u));
    // The highest bit goes to the highest place.
    let left = countLeadingZeros(highest_digit) - 5u;
    widest = max(widest, left);
    let low = (bitcast<u32>(prefix.x) & DIGIT) << (left & 31u);
    let middle = ((bitcast<u32>(carried) & DIGIT) << (left & 31u)) | (low >> 26u);
    let upper = (highest_digit << (left & 31u)) + (middle >> 26u);
    let tail = low & DIGIT;
    let digit = middle & DIGIT;
    nearest = min(nearest, tail - (HALF - (LACKS << MOST_LEFT)));
    // A tie is near the half, too.
    let rounded = digit + (tail >> 25u);
    outputs[item] = output_from_float(vec2<u32>((upper << 26u) + rounded, ((upper + (rounded >> 26u)) >> 6u) + (exponents - (left << 20u))));
  }
  if (widest > MOST_LEFT || nearest <= ((2u * LACKS) << MOST_LEFT)) {
    return false;
  }
  store_outputs(outputs, thread, tile, length);
  return true;
}

// No shorter way to store the prefixes of a run in whole sums: an f64 has too many bits.
fn store_in_two_words(items: Items, thread: u32, tile: u32, length: u32, before: Element) -> bool {
  return false;
}
