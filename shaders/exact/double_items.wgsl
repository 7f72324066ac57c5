// An item of f64 in a tile: its bits, in two words. An element holds them in its first words until it is combined.
// A key is a float without its sign, in one word whose bits from KEY_FRACTION on are the exponent.
// Linked with double.wgsl. Generated code declares output_from_float. Call from any control flow. No work-group memory.
// replaces: exact_item

alias FloatBits = vec2<u32>;

const KEY_FRACTION = 20u;
const KEY_MOST = 2047u;

// −0, which changes a sum only if it is of nothing.
const FLOAT_NOTHING = vec2<u32>(0u, 0x80000000u);

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

// Rounds a sum that starts at the word `window` of the whole sum.
fn float_from_lead(lead: ExactLead, window: u32) -> FloatBits {
  var own = lead;
  own.place += 32u * window;
  if (window == 1u) {
    own.value = vec2<u32>(0u, own.value.x);
  }
  return f64_from_lead(own);
}
