// Prefixes of f64 whose highest bits are near each other over a thread's run: from one place above that of what comes before the run to
// two below it. They are in three digits: 53 bits, which a prefix has, in two of them, and 26 bits to round by. Bits below these digits are
// left out. Where what is left out may decide, and where a prefix is outside of these places, the thread takes a slower way.
// Linked with scan.wgsl, fixed_run_double.wgsl and steady.wgsl. Call from any control flow. No work-group memory.

// Stores the prefixes of a thread's items, or returns false.
fn store_swift(items: Items, thread: u32, tile: u32, length: u32, start: Fixed, rest: u32, base: u32, highest: u32) -> bool {
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
    let prefix = select_steady(earlier, sum);
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
