// The sum of a thread's items in fixed point, one after another.
// Linked with fixed.wgsl and what that lists. Call from any control flow. No work-group memory.

fn fixed_of_run(items: Items, base: u32) -> Fixed {
  var own = items.bits;
  var sum: Fixed;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    sum = fixed_add(sum, fixed_from_float(own[item], base));
  }
  return sum;
}
