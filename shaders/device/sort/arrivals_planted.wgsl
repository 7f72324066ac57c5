// Items that arrive in a wrong order, which tests plant: in every DISORDER_SHARE-th tile, the last items of each thread come first.
// Linked in place of rank_by_arrival.wgsl. Call from any control flow. No work-group memory.

fn arrival_of(item: u32, tile: u32) -> u32 {
  return select(item, ITEMS - 1u - item, tile % DISORDER_SHARE == DISORDER_SHARE - 1u);
}
