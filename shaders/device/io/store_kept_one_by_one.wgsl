// Stores the kept items of a tile one after another, one by one: each is read once more.
// Linked with store_kept.wgsl, load_kept_one_by_one.wgsl, portable.wgsl, and an input and an output of single items. Call from
// any control flow. No work-group memory.
// replaces: Ranks, ranks_of, store_kept

// Nothing: the kept items are counted as they are stored.
struct Ranks {
  none: u32,
}

fn ranks_of(kept: Kept) -> Ranks {
  return Ranks();
}

fn store_kept(tile: u32, thread: u32, kept: Kept, ranks: Ranks, before: Element) {
  let first = vector_of(tile, thread, 0u);
  var flags = kept.flags;
  var place = before;
  for (var item = 0u; item < ITEMS; item++) {
    if (((flags[item / 32u] >> (item % 32u)) & 1u) != 0u) {
      write_item(place, kept_item(read_vector(first + item), first + item));
      place++;
    }
  }
}
