// An f32 or f16 in a tile: its bits, in one word, and its value in fixed point. It goes by the float's bits.
// A key is a float without its sign, in one word whose bits from KEY_FRACTION on are the exponent.
// Linked with float.wgsl and fixed.wgsl. Generated code declares output_from_float. Call from any control flow. No work-group memory.
// replaces: exact_item

alias FloatBits = u32;

const KEY_FRACTION = EXACT_FRACTION;
const KEY_MOST = EXACT_MOST;

// −0, which changes a sum only if it is of nothing.
const FLOAT_NOTHING = (EXACT_MOST + 1u) << EXACT_FRACTION;

// Until an element is combined, it is the item's bits, in its first word.
fn exact_item(x: FloatBits) -> ExactSum {
  var sum: ExactSum;
  sum[0] = x;
  return sum;
}

fn float_from_element(x: Element) -> FloatBits {
  return x[0];
}

fn parts_from_float(x: FloatBits) -> ExactParts {
  return parts_from_bits(x);
}

fn float_from_lead(lead: ExactLead) -> FloatBits {
  return bits_from_lead(lead);
}

// The bits of a word above the float's own.
const FLOAT_ABOVE = 31u - EXACT_FRACTION - countOneBits(EXACT_MOST);

fn key_of_float(bits: u32) -> u32 {
  return bits & ((EXACT_MOST << EXACT_FRACTION) | ((1u << EXACT_FRACTION) - 1u));
}

fn is_minus_zero(bits: u32) -> bool {
  return bits == (EXACT_MOST + 1u) << EXACT_FRACTION;
}

// A float whose place is FIXED_SPAN above the base at most. A place below the base counts as the base: it is that of zero.
fn fixed_from_float(bits: u32, base: u32) -> Fixed {
  let exponent = (bits >> EXACT_FRACTION) & EXACT_MOST;
  let hidden = min(exponent, 1u);
  let significand = (bits & ((1u << EXACT_FRACTION) - 1u)) + (hidden << EXACT_FRACTION);
  let mask = sign_of(bits << FLOAT_ABOVE);
  let value = (significand ^ mask) - mask;
  let place = max(exponent - hidden, base) - base;
  let bit = place & 31u;
  let below = value << bit;
  // Two shifts, since one by 32 bits would be one by none.
  let above = bitcast<u32>((bitcast<i32>(value) >> 1u) >> (31u - bit));
  let is_far = KEY_MOST > 31u && place > 31u;
  let high = select(above, below, is_far);
  let sign = sign_of(high);
  var sum: Fixed;
  for (var word = 0u; word < FIXED_WORDS; word++) { // unroll
    sum[word] = select(select(sign, high, word == 1u), select(below, 0u, is_far), word == 0u);
  }
  return sum;
}

// Rounding goes by the sum's own bits, and not by those of its magnitude: half a unit above a multiple is in the middle on both
// sides of zero. The complement of a negative sum is its magnitude less 1, which the last addition makes good.
fn float_from_fixed(sum: Fixed, rest: u32, base: u32) -> FixedFloat {
  const SHIFT = 31u - EXACT_FRACTION;
  const HALF = 1u << (SHIFT - 1u);
  const INFINITE = EXACT_MOST << EXACT_FRACTION;
  let sign = sign_of(sum[FIXED_WORDS - 1u]);
  let lead = fixed_lead(sum, sign, rest);
  let zeros = min(countLeadingZeros(lead.top ^ sign), 31u);
  let top = (lead.top << zeros) | ((lead.middle >> 1u) >> (31u - zeros));
  let sticky = (lead.middle << zeros) | lead.low | lead.sticky;
  // Without the middle's half: what is not 0 if the half rounds up. The bit above HALF says whether the quotient is odd.
  let others = (top & (HALF - 1u)) | (top & (2u * HALF)) | sticky;
  let rounds_up = (top & HALF) != 0u && others != 0u;
  let magnitude = ((top ^ sign) >> SHIFT) + (select(0u, 1u, rounds_up) ^ (sign & 1u));
  let own_place = lead.place + 31u - zeros;
  let place = base + own_place;
  // The significand's highest bit adds 1 to the exponent.
  var bits = min(((place - EXACT_FRACTION) << EXACT_FRACTION) + magnitude, INFINITE);
  if (base < EXACT_FRACTION && place < EXACT_FRACTION) {
    bits = magnitude >> (EXACT_FRACTION - place);
  }
  return FixedFloat(
    select(bits, 0u, magnitude == 0u) | (sign & ((EXACT_MOST + 1u) << EXACT_FRACTION)),
    own_place,
  );
}
