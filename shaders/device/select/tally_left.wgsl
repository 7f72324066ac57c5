// The elements that are left have a bin for each value of the digit that a selection looks at next: a digit of their indices, and
// behind these, of their keys.
// Linked with histogram.wgsl, selection.wgsl, sort/digits.wgsl, tally_each.wgsl and amount_one.wgsl. Call from any control flow.
// Work-group memory: that of the counters.

fn tally_item(item: Input, index: u32, thread: u32) {
  let key = key_from_item(item);
  if (is_left(key, index)) {
    var digit = (index >> (call.digit * INDEX_BITS)) & ((1u << INDEX_BITS) - 1u);
    if (call.digit >= INDEX_DIGITS) {
      digit = digit_of(key, call.digit - INDEX_DIGITS);
    }
    tally(digit, amount_of(index), thread);
  }
}
