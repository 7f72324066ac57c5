// The counters at which the items of a tile arrive, and the order in which those of a thread do: that of their places.
// Linked with rank_by_votes.wgsl and what it is linked with. Call from any control flow.

// The counter of a digit, of those of the subgroup's run.
fn counter_of(digit: u32) -> u32 {
  return subgroup_number * RADIX + digit;
}

fn arrival_of(item: u32, tile: u32) -> u32 {
  return item;
}
