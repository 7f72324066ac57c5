// An item is the position of an element, which is combined with others that have the same one: by atomics in the output, since work-group
// memory has no room for a counter for each position. Positions past the end of the output are left out.
// In place of tally_items.wgsl, tally_*.wgsl, counters_*.wgsl and bins_*.wgsl. Linked with amount_weights.wgsl.
// Generated with it: combine_with_bin.

@group(0) @binding(16) var<storage, read_write> bins: array<atomic<Amount>>;

fn begin_tally(number: u32, thread: u32, length: u32) {
}

fn tally_item(item: Input, index: u32, thread: u32) {
  if (item < call.room) {
    combine_with_bin(item, amount_of(index));
  }
}

fn end_tally(thread: u32) {
}

fn add_counters(thread: u32) {
}
