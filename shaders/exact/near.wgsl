// Prefixes of f32 that span many binades, in two words around the highest bits of what comes before a thread's run. Bits below
// these words are left out, so each sum is up to ITEMS + 1 units too low. Where all that it may be rounds to the same float, that is
// the prefix. Otherwise the thread goes on in whole sums.
// Linked with scan.wgsl, and fixed_float.wgsl. Call from any control flow. No work-group memory.

// Stores the prefixes of a thread's items, or returns false.
fn store_near(items: Items, thread: u32, tile: u32, length: u32, before: Element) -> bool {
  var own = items.bits;
  var most = 0u;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    most = max(most, key_of_float(own[item]));
  }
  exact_place = before;
  let last = exact_place[EXACT_WORDS - 1u];
  let seen = last & EXACT_SEEN;
  // No number; or nothing but -0 before the run, whose sums may be -0.
  if (ITEMS > 128u || most >> KEY_FRACTION == KEY_MOST || (seen & ~EXACT_SEEN_MINUS_ZERO) != EXACT_SEEN_OTHERS) {
    return false;
  }
  let sign = sign_of(last << 4u);
  exact_place[EXACT_WORDS - 1u] = bitcast<u32>(bitcast<i32>(last << 4u) >> 4u);
  var lead = 0u;
  for (var word = 0u; word < EXACT_WORDS; word++) { // unroll
    let magnitude = exact_place[word] ^ sign;
    lead = select(lead, 32u * word + 32u - (countLeadingZeros(magnitude) & 31u), magnitude != 0u);
  }
  // A sum of ITEMS items has ROOM more bits than an item.
  const ROOM = 32u - countLeadingZeros(ITEMS - 1u);
  let end = max(lead, place_of_key(most) + EXACT_FRACTION + 1u + ROOM) + 2u;
  let base = max(end, 64u) - 64u;
  let first = base >> 5u;
  let bit = base & 31u;
  let low = exact_place[first];
  let middle = select(sign, exact_place[min(first + 1u, EXACT_WORDS - 1u)], first + 1u < EXACT_WORDS);
  let high = select(sign, exact_place[min(first + 2u, EXACT_WORDS - 1u)], first + 2u < EXACT_WORDS);
  var sum = vec2<u32>((low >> bit) | ((middle << 1u) << (31u - bit)), (middle >> bit) | ((high << 1u) << (31u - bit)));
  var rest = low & ((1u << bit) - 1u);
  for (var word = 0u; word < EXACT_WORDS; word++) { // unroll
    rest |= select(0u, exact_place[word], word < first);
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
    let prefix = near_float(select_near(earlier, sum), base);
    is_right = is_right && (prefix.is_near || rest == 0u);
    outputs[item] = output_from_float(prefix.bits);
  }
  if (!is_right) {
    return false;
  }
  store_outputs(outputs, thread, tile, length);
  return true;
}

struct NearFloat {
  bits: u32,
  // Whether the sum plus a few units rounds to the same.
  is_near: bool,
}

// As float_from_fixed in fixed_float.wgsl rounds, with bits below the sum or without them.
fn near_float(sum: vec2<u32>, base: u32) -> NearFloat {
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
  return NearFloat(
    select(bits, 0u, magnitude == 0u) | (sign & ((EXACT_MOST + 1u) << EXACT_FRACTION)),
    !is_sign && zeros <= 7u && tail < 0xffffff00u && !is_tie,
  );
}
