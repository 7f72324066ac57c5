// An f64 as an exact sum, and a sum rounded once to nearest even. An f64 is a vec2<u32>, with the low word first.
// Linked with sum.wgsl. Call from any control flow. No work-group memory.

// An item of the input as an element. In a tile, double_items.wgsl replaces it: there, an element is the item's bits until it is combined.
fn exact_item(x: vec2<u32>) -> ExactSum {
  return exact_from_f64(x);
}

fn exact_from_f64(bits: vec2<u32>) -> ExactSum {
  return exact_from_parts(parts_from_f64(bits));
}

fn parts_from_f64(bits: vec2<u32>) -> ExactParts {
  let exponent = (bits.y >> 20u) & 0x7ffu;
  let fraction = bits.y & 0xfffffu;
  let is_negative = (bits.y >> 31u) != 0u;
  if (exponent == 0x7ffu) {
    let one = select(EXACT_SEEN_HIGHEST, EXACT_SEEN_LOWEST, is_negative);
    let seen = select(one, EXACT_SEEN_HIGHEST | EXACT_SEEN_LOWEST, (fraction | bits.x) != 0u);
    return ExactParts(false, 0u, 0u, 0u, seen | EXACT_SEEN_OTHERS);
  }
  let high = select(fraction, fraction | 0x100000u, exponent != 0u);
  return ExactParts(is_negative, max(exponent, 1u) - 1u, bits.x, high, 0u);
}

fn f64_from_exact(sum: ExactSum) -> vec2<u32> {
  return f64_from_lead(exact_lead(sum));
}

fn f64_from_lead(lead: ExactLead) -> vec2<u32> {
  let wild = lead.seen & (EXACT_SEEN_HIGHEST | EXACT_SEEN_LOWEST);
  if (wild != 0u) {
    let one = select(0xfff00000u, 0x7ff00000u, wild == EXACT_SEEN_HIGHEST);
    return vec2<u32>(0u, select(one, 0x7ff80000u, wild == (EXACT_SEEN_HIGHEST | EXACT_SEEN_LOWEST)));
  }
  if (lead.high == 0u) {
    return vec2<u32>(0u, select(0u, 0x80000000u, exact_is_minus_zero(lead.seen)));
  }
  let sign = select(0u, 0x80000000u, lead.is_negative);
  if (lead.place <= 52u) {
    return vec2<u32>(lead.value.x, lead.value.y | sign);
  }
  // The significand's highest bit adds 1 to the exponent.
  let exponent = lead.place - 52u;
  if (exponent >= 2046u) {
    return vec2<u32>(0u, 0x7ff00000u | sign);
  }
  let low = (lead.high << 21u) | (lead.low >> 11u);
  let rest = (lead.low & 0x3ffu) | lead.sticky;
  let rounds_up = (lead.low & 0x400u) != 0u && ((low & 1u) != 0u || rest != 0u);
  let rounded = low + select(0u, 1u, rounds_up);
  let carry = select(0u, 1u, rounded < low);
  return vec2<u32>(rounded, ((exponent << 20u) + (lead.high >> 11u) + carry) | sign);
}
