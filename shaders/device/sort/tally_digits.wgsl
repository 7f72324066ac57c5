// Each digit of an item's key has bins of its own. Linked with histogram.wgsl, digits.wgsl and amount_one.wgsl.
// replaces: tally_item

fn tally_item(item: Input, index: u32, thread: u32) {
  let key = key_of(output_from_input(item));
  for (var digit = 0u; digit < DIGITS; digit++) { // unroll
    tally(digit * RADIX + digit_of(key, digit), amount_of(index), thread);
  }
}
