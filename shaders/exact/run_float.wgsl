// A thread's run of f32: added up in fixed point by digits, and its prefixes by shorter ways. Where a way is not sure of each bit, it stores
// nothing and returns false. run_any.wgsl has the same functions.
// Each product and each difference of floats is exact here, and conversions to integers cut off what is below them. No float is added to a
// constant, since compilers may change the order of such sums.
// Linked with fixed.wgsl and float_items.wgsl; in scans with scan.wgsl and whole_sums.wgsl. Call from any control flow. No work-group memory.

// Digits have room for so many items.
const_assert ITEMS <= 30u;

// The sum, and what a thread's items add to it: in three digits of 22 bits, which need no carries. Above the base 0, there is no subnormal,
// and an item without an exponent is zero.
fn add_run(sum: Fixed, bits: array<FloatBits, ITEMS>, base: u32) -> Fixed {
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

// Stores the prefixes of a run in fixed point, if their highest bit has the same place in all of them. They are in two digits: 24 bits, which
// a prefix has, and 26 bits to round by. Bits below these digits are left out. Where what is left out may decide, and where the highest bit
// moves, it returns false.
fn store_in_digits(items: Items, thread: u32, tile: u32, length: u32, start: Fixed, rest: u32, base: u32, highest: u32) -> bool {
  // Bits that are left out are less than one unit of the start, and of each item, to either side. If fixed point ends above these digits,
  // the start lacks less than one unit of that, but half of a prefix's last place is a multiple of it.
  const LACKS = ITEMS + 2u;
  const HALF = 1u << 25u;
  const TAIL = (1u << 26u) - 1u;
  const HIGHEST = 1u << 23u;
  let before = magnitude_of(start, rest, base);
  let place = before.place;
  // The prefixes are finite, subnormal items are below the digits, and no item has the highest bit's place.
  if (before.top < 0x80000000u || place < 72u || place > 270u || place < (highest >> 23u) + 23u) {
    return false;
  }
  var own_start = start;
  let sign = own_start[FIXED_WORDS - 1u] & 0x80000000u;
  let scale = bitcast<f32>(((299u - place) << 23u) | sign);
  let exponents = ((place - 23u) << 23u) + sign;
  var sum = bitcast<vec2<i32>>(vec2<u32>(((before.top & 0xffu) << 18u) | (before.middle >> 14u), before.top >> 8u));
  var own = items.bits;
  var outputs: array<Output, ITEMS>;
  var changed = 0u;
  var nearest = 0xffffffffu;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let earlier = sum;
    let scaled = bitcast<f32>(own[item]) * scale;
    let whole = i32(scaled);
    sum += vec2<i32>(i32((scaled - f32(whole)) * 0x1p+26f), whole);
    let prefix = select_digits(earlier, sum);
    let tail = bitcast<u32>(prefix.x) & TAIL;
    let upper = bitcast<u32>(prefix.y + (prefix.x >> 26u));
    changed |= upper ^ HIGHEST;
    nearest = min(nearest, tail - (HALF - LACKS));
    // A tie is near the half, too.
    outputs[item] = output_from_float(upper + (tail >> 25u) + exponents);
  }
  if (changed >= HIGHEST || nearest <= 2u * LACKS) {
    return false;
  }
  store_outputs(outputs, thread, tile, length);
  return true;
}

// Stores the prefixes of a run that spans many binades, in two words around the highest bits of what comes before the run. Bits below these
// words are left out, so each sum is up to ITEMS + 1 units too low. Where all that it may be rounds to the same float, that is the prefix.
// Otherwise it returns false.
fn store_in_two_words(items: Items, thread: u32, tile: u32, length: u32, before: Element) -> bool {
  var own = items.bits;
  var most = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    most = max(most, key_of_float(own[item]));
  }
  sums_of_threads[thread] = before;
  let last = sums_of_threads[thread][EXACT_WORDS - 1u];
  let seen = last & EXACT_SEEN;
  // No number; or nothing but -0 before the run, whose sums may be -0.
  if (most >> KEY_FRACTION == KEY_MOST || (seen & ~EXACT_SEEN_MINUS_ZERO) != EXACT_SEEN_OTHERS) {
    return false;
  }
  let sign = sign_of(last << 4u);
  sums_of_threads[thread][EXACT_WORDS - 1u] = bitcast<u32>(bitcast<i32>(last << 4u) >> 4u);
  var lead = 0u;
  for (var word = 0u; word < EXACT_WORDS; word++) { // unroll
    let magnitude = sums_of_threads[thread][word] ^ sign;
    lead = select(lead, 32u * word + 32u - (countLeadingZeros(magnitude) & 31u), magnitude != 0u);
  }
  // A sum of ITEMS items has ROOM more bits than an item.
  const ROOM = 32u - countLeadingZeros(ITEMS - 1u);
  let end = max(lead, place_of_key(most) + EXACT_FRACTION + 1u + ROOM) + 2u;
  let base = max(end, 64u) - 64u;
  let first = base >> 5u;
  let bit = base & 31u;
  let low = sums_of_threads[thread][first];
  let middle = select(sign, sums_of_threads[thread][min(first + 1u, EXACT_WORDS - 1u)], first + 1u < EXACT_WORDS);
  let high = select(sign, sums_of_threads[thread][min(first + 2u, EXACT_WORDS - 1u)], first + 2u < EXACT_WORDS);
  var sum = vec2<u32>((low >> bit) | ((middle << 1u) << (31u - bit)), (middle >> bit) | ((high << 1u) << (31u - bit)));
  var rest = low & ((1u << bit) - 1u);
  for (var word = 0u; word < EXACT_WORDS; word++) { // unroll
    rest |= select(0u, sums_of_threads[thread][word], word < first);
  }
  var is_right = true;
  var outputs: array<Output, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    let earlier = sum;
    let place = place_of_key(key_of_float(own[item]));
    let exponent = own[item] >> EXACT_FRACTION;
    let mask = sign_of(own[item]);
    let significand = (own[item] & ((1u << EXACT_FRACTION) - 1u)) + (min(exponent & EXACT_MOST, 1u) << EXACT_FRACTION);
    let value = bitcast<i32>((significand ^ mask) - mask);
    // Up to 31 places below the base, or above it.
    let below = min(max(base, place) - place, 31u);
    let shifted = value >> below;
    rest |= bitcast<u32>(value) ^ bitcast<u32>(shifted << below);
    let up = max(place, base) - base;
    let own_bit = up & 31u;
    let near = bitcast<u32>(shifted) << own_bit;
    let above = bitcast<u32>((shifted >> 1u) >> (31u - own_bit));
    let added = select(vec2<u32>(near, above), vec2<u32>(0u, near), up > 31u);
    let partial = sum.x + added.x;
    sum = vec2<u32>(partial, sum.y + added.y + select(0u, 1u, partial < added.x));
    let prefix = round_two_words(select_two_words(earlier, sum), base);
    is_right = is_right && (prefix.is_sure || rest == 0u);
    outputs[item] = output_from_float(prefix.bits);
  }
  if (!is_right) {
    return false;
  }
  store_outputs(outputs, thread, tile, length);
  return true;
}

struct RoundedWords {
  bits: u32,
  // Whether the sum plus a few units rounds to the same.
  is_sure: bool,
}

// As float_from_fixed rounds, with bits below the sum or without them.
fn round_two_words(sum: vec2<u32>, base: u32) -> RoundedWords {
  const SHIFT = 31u - EXACT_FRACTION;
  const HALF = 1u << (SHIFT - 1u);
  const INFINITE = EXACT_MOST << EXACT_FRACTION;
  let sign = sign_of(sum.y);
  let is_sign = sum.y == sign;
  let highest = select(sum.y, sum.x, is_sign);
  let lower = select(sum.x, 0u, is_sign);
  let zeros = min(countLeadingZeros(highest ^ sign), 31u);
  let top = (highest << zeros) | ((lower >> 1u) >> (31u - zeros));
  let next = lower << zeros;
  let rounds_up = (top & HALF) != 0u && ((top & (HALF - 1u)) | (top & (2u * HALF)) | next) != 0u;
  let magnitude = ((top ^ sign) >> SHIFT) + (select(0u, 1u, rounds_up) ^ (sign & 1u));
  let place = base + select(63u, 31u, is_sign) - zeros;
  var bits = min(((place - EXACT_FRACTION) << EXACT_FRACTION) + magnitude, INFINITE);
  if (base < EXACT_FRACTION && place < EXACT_FRACTION) {
    bits = magnitude >> (EXACT_FRACTION - place);
  }
  // The bits below the half, from the highest on. There are at least 32 of them, so 256 of their last unit are more than any sum lacks.
  let tail = (top << (33u - SHIFT)) | (next >> (SHIFT - 1u));
  let is_tie = tail == 0u && (top & HALF) != 0u;
  return RoundedWords(
    select(bits, 0u, magnitude == 0u) | (sign & ((EXACT_MOST + 1u) << EXACT_FRACTION)),
    !is_sign && zeros <= 7u && tail < 0xffffff00u && !is_tie,
  );
}
