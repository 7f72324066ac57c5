// An item is added to its bin.
// Linked with histogram.wgsl, bin_*.wgsl, amount_*.wgsl and tally_*.wgsl.

fn begin_tally(number: u32, thread: u32, length: u32) {}

fn tally_item(item: Input, index: u32, thread: u32) {
  let bin = bin_of(item, index);
  if (bin < BINS) {
    tally(bin, amount_of(index), thread);
  }
}
