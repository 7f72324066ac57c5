// Stores the kept items of a tile side by side, in order. It reads each kept item again, one by one.
// Linked with store_kept.wgsl, load_kept_one_by_one.wgsl, portable.wgsl or subgroup.wgsl, and an input and an output of
// single items. Call from any control flow. No work-group memory.
// replaces: store_kept

// `before_tile` is the number of items that the tiles before keep.
fn store_kept(tile: u32, thread: u32, kept: Kept, ranks: Ranks, before_tile: Element) {
  let before = before_tile + ranks.before;
  var flags = kept.flags;
  var words = ranks.words;
  for (var item = 0u; item < ITEMS; item++) {
    let is_kept = ((flags[item / 32u] >> (item % 32u)) & 1u) != 0u;
    let index = vector_of(tile, thread, item);
    if (is_stored(is_kept, index)) {
      let rank = (words[item / 2u] >> (16u * (item % 2u))) & 0xffffu;
      store_item(is_kept, before + rank, index, kept_item(read_vector(index), index));
    }
  }
}
