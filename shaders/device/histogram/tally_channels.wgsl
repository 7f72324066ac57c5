// An item is added to its bin among those of its channel. The bins of a channel lie one after another.
// Linked with histogram.wgsl, bin_*.wgsl, amount_*.wgsl, tally_*.wgsl and channel_*.wgsl.

fn begin_tally(number: u32, thread: u32, length: u32) {}

fn tally_item(item: Input, index: u32, thread: u32) {
  let bin = bin_of(item, index);
  let channel = channel_of(index);
  if (bin < BINS && channel < CHANNELS) {
    tally(channel * BINS + bin, amount_of(index), thread);
  }
}
