// Sums of floats whose exponents span few binades: fixed point of FIXED_WORDS words with the lowest first, in two's complement.
// The lowest bit has the place `base` in the whole sum. Beside FIXED_SPAN places from there, there is room for the significand,
// a tile of items, what comes before the tile, and the sign.
// Linked with sum.wgsl, and float_items.wgsl or double_items.wgsl. Generated code declares FIXED_WORDS and FIXED_SPAN. Call
// from any control flow. No work-group memory.

alias Fixed = array<u32, FIXED_WORDS>;

fn fixed_add(earlier: Fixed, later: Fixed) -> Fixed {
  var a = earlier;
  var b = later;
  var sum: Fixed;
  var carry = 0u;
  for (var word = 0u; word < FIXED_WORDS; word++) { // unroll
    let partial = a[word] + b[word];
    let whole = partial + carry;
    carry = select(0u, 1u, partial < b[word]) + select(0u, 1u, whole < carry);
    sum[word] = whole;
  }
  return sum;
}

fn sign_of(word: u32) -> u32 {
  return bitcast<u32>(bitcast<i32>(word) >> 31u);
}

// The place of the lowest bit of a float whose key has this exponent.
fn place_of_key(key: u32) -> u32 {
  return max(key >> KEY_FRACTION, 1u) - 1u;
}

// The lowest place of all, or NO_BASE: for the least key less 1, and the greatest key. A key of zero has no place.
const NO_BASE = 0xffffffffu;
fn base_of_keys(least: u32, most: u32) -> u32 {
  if (FIXED_SPAN > KEY_MOST) {
    return 0u;
  }
  let base = place_of_key(least + select(0u, 1u, least != 0xffffffffu));
  return select(select(base, NO_BASE, place_of_key(most) > base + FIXED_SPAN), 0u, most == 0u);
}

// What a sum is rounded from: the highest word that has more than the sign, the two below it, whether any bit is set below these,
// and the place of the highest word's lowest bit.
struct FixedLead {
  top: u32,
  middle: u32,
  low: u32,
  sticky: u32,
  place: u32,
}

// `rest` is not 0 if the sum has bits below its lowest word.
fn fixed_lead(sum: Fixed, sign: u32, rest: u32) -> FixedLead {
  var own = sum;
  var lead = FixedLead(own[FIXED_WORDS - 1u], own[FIXED_WORDS - 2u], 0u, rest, 32u * (FIXED_WORDS - 1u));
  if (FIXED_WORDS > 2u) {
    lead.low = own[max(FIXED_WORDS, 3u) - 3u];
  }
  // Words come in from below as long as the highest is only the sign.
  for (var word = 1u; word < FIXED_WORDS; word++) { // unroll
    let is_sign = lead.top == sign;
    let next = select(0u, own[FIXED_WORDS - 1u - min(word + 2u, FIXED_WORDS - 1u)], word + 2u < FIXED_WORDS);
    lead.top = select(lead.top, lead.middle, is_sign);
    lead.middle = select(lead.middle, lead.low, is_sign);
    lead.sticky |= select(next, 0u, is_sign);
    lead.low = select(lead.low, next, is_sign);
    lead.place = select(lead.place, lead.place - 32u, is_sign);
  }
  return lead;
}

// A sum of Fixed as a float, and the place of its highest bit, counted from the lowest bit of the sum.
struct FixedFloat {
  bits: FloatBits,
  place: u32,
}

struct Magnitude {
  // The magnitude from the highest bit on, which is the first of `top`. If that is not set, the sum is zero.
  top: u32,
  middle: u32,
  low: u32,
  // The highest bit's place in the whole sum.
  place: u32,
}

// If there are bits below a negative start, it is the magnitude of the next lower one.
fn magnitude_of(start: Fixed, rest: u32, base: u32) -> Magnitude {
  var own = start;
  let sign = sign_of(own[FIXED_WORDS - 1u]);
  var carry = select(0u, sign & 1u, rest == 0u);
  for (var word = 0u; word < FIXED_WORDS; word++) { // unroll
    own[word] = (own[word] ^ sign) + carry;
    carry &= select(0u, 1u, own[word] == 0u);
  }
  var top = own[FIXED_WORDS - 1u];
  var middle = own[FIXED_WORDS - 2u];
  var low = own[FIXED_WORDS - 3u];
  var lowest = select(0u, own[max(FIXED_WORDS, 4u) - 4u], FIXED_WORDS > 3u);
  var place = base + 32u * FIXED_WORDS - 1u;
  // Words come in from below as long as the highest is zero.
  for (var word = 1u; word < FIXED_WORDS; word++) { // unroll
    let is_zero = top == 0u;
    let next = select(0u, own[FIXED_WORDS - 1u - min(word + 3u, FIXED_WORDS - 1u)], word + 3u < FIXED_WORDS);
    top = select(top, middle, is_zero);
    middle = select(middle, low, is_zero);
    low = select(low, lowest, is_zero);
    lowest = select(lowest, next, is_zero);
    place = select(place, place - 32u, is_zero);
  }
  let zeros = min(countLeadingZeros(top), 31u);
  return Magnitude(
    (top << zeros) | ((middle >> 1u) >> (31u - zeros)),
    (middle << zeros) | ((low >> 1u) >> (31u - zeros)),
    (low << zeros) | ((lowest >> 1u) >> (31u - zeros)),
    place - zeros,
  );
}
