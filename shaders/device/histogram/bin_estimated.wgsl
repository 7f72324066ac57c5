// The bin is estimated, and then corrected by the bins' lower edges. So the estimate decides only how long this takes, and the
// result is the same on every adapter.

fn bin_of(item: Input, index: u32) -> u32 {
  let key = key_of(item);
  if (is_less(key, table_key(0u)) || is_less(HIGH_KEY, key)) {
    return BINS;
  }
  var bin = min(estimate_of(item), EDGES - 1u);
  while (bin > 0u && !comes_before(table_key(bin), key)) {
    bin--;
  }
  while (bin + 1u < EDGES && comes_before(table_key(bin + 1u), key)) {
    bin++;
  }
  return bin;
}
