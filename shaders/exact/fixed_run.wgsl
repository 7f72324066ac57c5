// Adds up a thread's items in fixed point.
// Linked with fixed.wgsl and fixed_float.wgsl or fixed_double.wgsl. Call from any control flow. No work-group memory.

// The sum, and what a thread's items add to it.
fn fixed_add_run(sum: Fixed, bits: array<FloatBits, ITEMS>, base: u32, highest: u32) -> Fixed {
  var own = bits;
  var all = sum;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    all = fixed_add(all, fixed_from_float(own[item], base));
  }
  return all;
}
