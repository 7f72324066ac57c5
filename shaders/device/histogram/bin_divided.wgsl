// All bins are as wide as WIDTH whole numbers. A range that ends above the greatest number of the type has its last bin's end there.

fn bin_of(item: Input, index: u32) -> u32 {
  let key = key_of(item);
  let distance = key - LOW_KEY;
  if (key < LOW_KEY || distance > SPAN) {
    return BINS;
  }
  // The last bin has its upper edge, too.
  return min(distance_in_bins(distance), BINS - 1u);
}
