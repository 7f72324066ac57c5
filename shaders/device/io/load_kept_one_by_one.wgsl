// Finds out which of a thread's items are kept. It reads the items one by one, and holds none of them.
// Linked with load_kept.wgsl, portable.wgsl or subgroup.wgsl, and an input of single items. Call from any control flow. No
// work-group memory.
// replaces: Kept, load_kept

struct Kept {
  // A bit for each item: 1 if it is kept.
  flags: array<u32, FLAG_WORDS>,
}

fn load_kept(tile: u32, thread: u32, length: u32) -> Kept {
  var kept: Kept;
  for (var item = 0u; item < ITEMS; item++) {
    let index = vector_of(tile, thread, item);
    if (index < length && keep(read_vector(index), index)) {
      kept.flags[item / 32u] |= 1u << (item % 32u);
    }
  }
  return kept;
}
