// An f64 in a tile: its bits, in two words with the low one first, and its value in fixed point.
// A key is a float without its sign, in one word whose bits from KEY_FRACTION on are the exponent.
// Linked with double.wgsl and fixed.wgsl. Generated code declares output_from_float. Call from any control flow. No work-group memory.
// replaces: exact_item

alias FloatBits = vec2<u32>;

const KEY_FRACTION = 20u;
const KEY_MOST = 2047u;

// −0, which changes a sum only if it is of nothing.
const FLOAT_NOTHING = vec2<u32>(0u, 0x80000000u);

// Until an element is combined, it is the item's bits, in its first words.
fn exact_item(x: FloatBits) -> ExactSum {
  var sum: ExactSum;
  sum[0] = x.x;
  sum[1] = x.y;
  return sum;
}

fn float_from_element(x: Element) -> FloatBits {
  return vec2<u32>(x[0], x[1]);
}

fn parts_from_float(x: FloatBits) -> ExactParts {
  return parts_from_f64(x);
}

fn float_from_lead(lead: ExactLead) -> FloatBits {
  return f64_from_lead(lead);
}

fn key_of_float(bits: vec2<u32>) -> u32 {
  return (bits.y & 0x7fffffffu) | min(bits.x, 1u);
}

fn is_minus_zero(bits: vec2<u32>) -> bool {
  return bits.x == 0u && bits.y == 0x80000000u;
}

// A float whose place is FIXED_SPAN above the base at most. A place below the base counts as the base: it is that of zero.
fn fixed_from_float(bits: vec2<u32>, base: u32) -> Fixed {
  let exponent = (bits.y >> 20u) & 0x7ffu;
  let hidden = min(exponent, 1u);
  let mask = sign_of(bits.y);
  let low = (bits.x ^ mask) - mask;
  let high = (((bits.y & 0xfffffu) + (hidden << 20u)) ^ mask) + select(0u, mask & 1u, low == 0u);
  let place = max(exponent - hidden, base) - base;
  let bit = place & 31u;
  // Two shifts, since one by 32 bits would be one by none.
  let first = low << bit;
  let second = (high << bit) | ((low >> 1u) >> (31u - bit));
  let third = bitcast<u32>((bitcast<i32>(high) >> 1u) >> (31u - bit));
  let sign = sign_of(third);
  let above = place >> 5u;
  var sum: Fixed;
  for (var word = 0u; word < FIXED_WORDS; word++) { // unroll
    let is_second = word == above + 1u;
    let is_third = word == above + 2u;
    let own = select(select(select(sign, third, is_third), second, is_second), first, word == above);
    sum[word] = select(own, 0u, word < above);
  }
  return sum;
}

// See float_items.wgsl.
fn float_from_fixed(sum: Fixed, rest: u32, base: u32) -> FixedFloat {
  let sign = sign_of(sum[FIXED_WORDS - 1u]);
  let lead = fixed_lead(sum, sign, rest);
  let zeros = min(countLeadingZeros(lead.top ^ sign), 31u);
  let top = (lead.top << zeros) | ((lead.middle >> 1u) >> (31u - zeros));
  let next = (lead.middle << zeros) | ((lead.low >> 1u) >> (31u - zeros));
  let sticky = (lead.low << zeros) | lead.sticky;
  let rounds_up = (next & 0x400u) != 0u && ((next & 0xbffu) | sticky) != 0u;
  let added = select(0u, 1u, rounds_up) ^ (sign & 1u);
  let low = (((top ^ sign) << 21u) | ((next ^ sign) >> 11u)) + added;
  let high = ((top ^ sign) >> 11u) + select(0u, added, low == 0u);
  let own_place = lead.place + 31u - zeros;
  let place = base + own_place;
  // The significand's highest bit adds 1 to the exponent.
  var bits = vec2<u32>(low, ((place - 52u) << 20u) + high);
  if (place >= 52u && bits.y >= 0x7ff00000u) {
    bits = vec2<u32>(0u, 0x7ff00000u);
  }
  if (base < 52u && place < 52u) {
    let beyond = 52u - place;
    let bit = beyond & 31u;
    let shifted = vec2<u32>((low >> bit) | ((high << 1u) << (31u - bit)), high >> bit);
    bits = select(shifted, vec2<u32>(shifted.y, 0u), beyond > 31u);
  }
  if ((low | high) == 0u) {
    bits = vec2<u32>();
  }
  return FixedFloat(vec2<u32>(bits.x, bits.y | (sign & 0x80000000u)), own_place);
}
