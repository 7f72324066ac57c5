// An item of f16 or f32 in a tile: its bits, in one word. An element holds them in its first word until it is combined.
// A key is a float without its sign, in one word whose bits from KEY_FRACTION on are the exponent.
// Linked with float.wgsl. Generated code declares output_from_float. Call from any control flow. No work-group memory.
// replaces: exact_item

alias FloatBits = u32;

const KEY_FRACTION = EXACT_FRACTION;
const KEY_MOST = EXACT_MOST;

// −0, which changes a sum only if it is of nothing.
const FLOAT_NOTHING = (EXACT_MOST + 1u) << EXACT_FRACTION;

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

// Rounds a sum that starts at the word `window` of the whole sum.
fn float_from_lead(lead: ExactLead, window: u32) -> FloatBits {
  var own = lead;
  own.place += 32u * window;
  return bits_from_lead(own);
}
