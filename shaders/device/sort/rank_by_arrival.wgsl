// The order in which the items of a thread arrive at their counters: that of their places.
// Linked with rank_by_votes.wgsl and what it is linked with. Call from any control flow.

fn arrival_of(item: u32, tile: u32) -> u32 {
  return item;
}
