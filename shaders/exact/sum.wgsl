// The exact sum of floats: a fixed-point number whose lowest bit is the type's least subnormal, in two's complement, in
// EXACT_WORDS words with the lowest first. It holds the sum of 2^32 floats of any size. Integers are associative, so sums have
// the same bits in any order. The four highest bits of the last word say what the sum has seen.
// Generated code declares EXACT_WORDS: 3 for f16, 10 for f32, 67 for f64. Call from any control flow. No work-group memory.

alias ExactSum = array<u32, EXACT_WORDS>;

// An item is +∞ or NaN. An item is −∞ or NaN. An item is not −0. An item is −0.
const EXACT_SEEN_HIGHEST = 0x80000000u;
const EXACT_SEEN_LOWEST = 0x40000000u;
const EXACT_SEEN_OTHERS = 0x20000000u;
const EXACT_SEEN_MINUS_ZERO = 0x10000000u;
const EXACT_SEEN = 0xf0000000u;
const EXACT_SIGN = 0x08000000u;

fn exact_combine(earlier: ExactSum, later: ExactSum) -> ExactSum {
  var a = earlier;
  var b = later;
  var sum: ExactSum;
  var carry = 0u;
  for (var word = 0u; word < EXACT_WORDS; word++) { // unroll
    let partial = a[word] + b[word];
    let whole = partial + carry;
    carry = select(0u, 1u, partial < a[word]) | select(0u, 1u, whole < partial);
    sum[word] = whole;
  }
  let seen = (a[EXACT_WORDS - 1u] | b[EXACT_WORDS - 1u]) & EXACT_SEEN;
  sum[EXACT_WORDS - 1u] = (sum[EXACT_WORDS - 1u] & ~EXACT_SEEN) | seen;
  return sum;
}

// A float. Its significand has the words `low` and `high`, and the significand's lowest bit has this place in the sum. `seen`
// are the flags of a float that is no number, or 0.
struct ExactParts {
  is_negative: bool,
  place: u32,
  low: u32,
  high: u32,
  seen: u32,
}

// The sum of one float.
fn exact_from_parts(parts: ExactParts) -> ExactSum {
  let low = parts.low;
  let high = parts.high;
  let is_zero = (low | high) == 0u;
  let bit = parts.place & 31u;
  // Two shifts, since one by 32 bits would be one by none.
  let a = low << bit;
  let b = (high << bit) | ((low >> 1u) >> (31u - bit));
  let c = (high >> 1u) >> (31u - bit);
  let mask = select(0u, 0xffffffffu, parts.is_negative && !is_zero);
  var carry = mask & 1u;
  let first_word = (a ^ mask) + carry;
  carry &= select(0u, 1u, first_word == 0u);
  let second_word = (b ^ mask) + carry;
  carry &= select(0u, 1u, second_word == 0u);
  let third_word = (c ^ mask) + carry;
  let first = parts.place >> 5u;
  var sum: ExactSum;
  for (var word = 0u; word < EXACT_WORDS; word++) { // unroll
    let after = select(third_word, mask, word > first + 2u);
    let above = select(after, second_word, word == first + 1u);
    sum[word] = select(select(above, first_word, word == first), 0u, word < first);
  }
  let zeros = select(EXACT_SEEN_OTHERS, EXACT_SEEN_MINUS_ZERO, is_zero && parts.is_negative);
  sum[EXACT_WORDS - 1u] = (sum[EXACT_WORDS - 1u] & ~EXACT_SEEN) | select(zeros, parts.seen, parts.seen != 0u);
  return sum;
}

// What a float is rounded from: the sign, the highest bit that is set, the 64 bits from there down, and whether there are
// more below them. If no bit is set, `high` is 0. If the sum has fewer than 64 bits, `value` is the sum.
struct ExactLead {
  is_negative: bool,
  place: u32,
  high: u32,
  low: u32,
  sticky: u32,
  value: vec2<u32>,
  seen: u32,
}

fn exact_lead(sum: ExactSum) -> ExactLead {
  var own = sum;
  let last = own[EXACT_WORDS - 1u];
  let is_negative = (last & EXACT_SIGN) != 0u;
  own[EXACT_WORDS - 1u] = bitcast<u32>(bitcast<i32>(last << 4u) >> 4u);
  let mask = select(0u, 0xffffffffu, is_negative);
  var carry = mask & 1u;
  // The highest word that is not 0, the two below it, and whether there is a bit below these.
  var top = 0u;
  var middle = 0u;
  var bottom = 0u;
  var sticky = 0u;
  var at = 0u;
  var before = 0u;
  var two_before = 0u;
  var below = 0u;
  for (var word = 0u; word < EXACT_WORDS; word++) { // unroll
    let magnitude = (own[word] ^ mask) + carry;
    carry &= select(0u, 1u, magnitude == 0u);
    if (magnitude != 0u) {
      top = magnitude;
      middle = before;
      bottom = two_before;
      sticky = below;
      at = word;
    }
    below |= two_before;
    two_before = before;
    before = magnitude;
  }
  let zeros = countLeadingZeros(top) & 31u;
  return ExactLead(
    is_negative,
    32u * at + 31u - zeros,
    (top << zeros) | ((middle >> 1u) >> (31u - zeros)),
    (middle << zeros) | ((bottom >> 1u) >> (31u - zeros)),
    sticky | (bottom << zeros),
    select(vec2<u32>(top, 0u), vec2<u32>(middle, top), at == 1u),
    last & EXACT_SEEN,
  );
}

// Whether a sum of no bits is −0: if there are items, and all of them are −0.
fn exact_is_minus_zero(seen: u32) -> bool {
  return (seen & (EXACT_SEEN_OTHERS | EXACT_SEEN_MINUS_ZERO)) == EXACT_SEEN_MINUS_ZERO;
}
