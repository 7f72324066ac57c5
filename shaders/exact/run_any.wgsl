// A thread's run of items of any type and number, in fixed point. run_float.wgsl and run_double.wgsl have the same functions, with shorter ways.
// Linked with fixed.wgsl and what that lists; in scans with scan.wgsl. Call from any control flow. No work-group memory.

// The sum, and what a thread's items add to it.
fn add_run(sum: Fixed, bits: array<FloatBits, ITEMS>, base: u32) -> Fixed {
  var own = bits;
  var all = sum;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    all = fixed_add(all, fixed_from_float(own[item], base));
  }
  return all;
}

// No shorter way to store the prefixes of a run in fixed point.
fn store_in_digits(items: Items, thread: u32, tile: u32, length: u32, start: Fixed, rest: u32, base: u32, highest: u32) -> bool {
  return false;
}

// No shorter way to store the prefixes of a run in whole sums.
fn store_in_two_words(items: Items, thread: u32, tile: u32, length: u32, before: Element) -> bool {
  return false;
}
