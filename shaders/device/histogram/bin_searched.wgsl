// The bin is found in the table of the bins' lower edges: it is the last one whose edge is not above the item.

fn bin_of(item: Input, index: u32) -> u32 {
  let key = key_of(item);
  if (is_less(HIGH_KEY, key)) {
    return BINS;
  }
  // Below the lowest edge it is 2^32 - 1, which is no bin.
  return count_before(key, EDGES) - 1u;
}
