// An f32 or f16 as an exact sum, and a sum rounded once to nearest even. Both go by their bits, as no adapter then flushes a
// subnormal. A float has EXACT_FRACTION bits of fraction, and the exponent EXACT_MOST says that it is no number.
// Linked with sum.wgsl. Call from any control flow. No work-group memory.

// An item of the input as an element. In a tile, float_items.wgsl replaces it: there, an element is the item's bits until it is combined.
fn exact_item(x: u32) -> ExactSum {
  return exact_from_bits(x);
}

fn exact_from_bits(bits: u32) -> ExactSum {
  return exact_from_parts(parts_from_bits(bits));
}

fn parts_from_bits(bits: u32) -> ExactParts {
  let exponent = (bits >> EXACT_FRACTION) & EXACT_MOST;
  let fraction = bits & ((1u << EXACT_FRACTION) - 1u);
  let is_negative = (bits >> EXACT_FRACTION) > EXACT_MOST;
  if (exponent == EXACT_MOST) {
    let one = select(EXACT_SEEN_HIGHEST, EXACT_SEEN_LOWEST, is_negative);
    let seen = select(one, EXACT_SEEN_HIGHEST | EXACT_SEEN_LOWEST, fraction != 0u);
    return ExactParts(false, 0u, 0u, 0u, seen | EXACT_SEEN_OTHERS);
  }
  let significand = select(fraction, fraction | (1u << EXACT_FRACTION), exponent != 0u);
  return ExactParts(is_negative, max(exponent, 1u) - 1u, significand, 0u, 0u);
}

fn bits_from_exact(sum: ExactSum) -> u32 {
  return bits_from_lead(exact_lead(sum));
}

fn bits_from_lead(lead: ExactLead) -> u32 {
  const SIGN = (EXACT_MOST + 1u) << EXACT_FRACTION;
  const INFINITE = EXACT_MOST << EXACT_FRACTION;
  const NAN = INFINITE | (1u << (EXACT_FRACTION - 1u));
  // The bits of `high` below the significand, and the highest of them.
  const HALF = 1u << (30u - EXACT_FRACTION);
  let wild = lead.seen & (EXACT_SEEN_HIGHEST | EXACT_SEEN_LOWEST);
  if (wild != 0u) {
    let one = select(INFINITE | SIGN, INFINITE, wild == EXACT_SEEN_HIGHEST);
    return select(one, NAN, wild == (EXACT_SEEN_HIGHEST | EXACT_SEEN_LOWEST));
  }
  if (lead.high == 0u) {
    return select(0u, SIGN, exact_is_minus_zero(lead.seen));
  }
  let sign = select(0u, SIGN, lead.is_negative);
  if (lead.place <= EXACT_FRACTION) {
    return sign | lead.value.x;
  }
  // The significand's highest bit adds 1 to the exponent.
  let exponent = lead.place - EXACT_FRACTION;
  let significand = lead.high >> (31u - EXACT_FRACTION);
  let rest = (lead.high & (HALF - 1u)) | lead.low | lead.sticky;
  let rounds_up = (lead.high & HALF) != 0u && ((significand & 1u) != 0u || rest != 0u);
  let bits = (exponent << EXACT_FRACTION) + significand + select(0u, 1u, rounds_up);
  return sign | select(bits, INFINITE, exponent + 1u >= EXACT_MOST);
}
