// Chooses the digit of the last element that a selection takes, once the elements that are left have been counted by this digit.
// Linked with contract.wgsl (Element is u32, the operator is add), an algorithm, select/selection.wgsl, select/keys.wgsl,
// select/until_*.wgsl and histogram/bins_words.wgsl.
// Dispatch one work-group, which has a thread for each value of a digit. Work-group memory: the algorithm's.

@group(0) @binding(4) var<storage, read_write> chosen: Selection;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn choose_digit(invocation: Invocation) {
  let digit = work_group_thread(invocation);
  let count = atomicExchange(&bins[digit], 0u);
  let remaining = chosen.remaining;
  let is_done = chosen.done != 0u;
  storageBarrier();
  // How many of those that are left come before.
  let before = before_run(begin_scan(array<Element, ITEMS>(count), digit));
  if (!is_done && before < remaining && remaining - before <= count) {
    chosen.remaining = remaining - before;
    chosen.done = u32(is_enough(remaining - before, count));
    if (call.digit < INDEX_DIGITS) {
      let bit = call.digit * INDEX_BITS;
      chosen.index |= digit << bit;
      chosen.index_mask |= ((1u << INDEX_BITS) - 1u) << bit;
    } else {
      let number = call.digit - INDEX_DIGITS;
      let bit = FIRST_BIT + number * DIGIT_BITS;
      chosen.key |= digit_at(digit, bit);
      chosen.key_mask |= digit_at(select(RADIX - 1u, LAST_DIGIT, number == DIGITS - 1u), bit);
    }
  }
}
