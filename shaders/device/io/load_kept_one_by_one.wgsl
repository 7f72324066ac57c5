// Finds out which of a thread's items are kept, one by one, and holds none of them.
// Linked with load_kept.wgsl, portable.wgsl and an input of single items. Call from any control flow. No work-group memory.
// replaces: Kept, load_kept

struct Kept {
  // A bit for each item.
  flags: array<u32, FLAG_WORDS>,
}

fn load_kept(tile: u32, thread: u32, length: u32) -> Kept {
  let first = vector_of(tile, thread, 0u);
  var kept: Kept;
  for (var item = 0u; item < ITEMS; item++) {
    if (first + item < length && keep(read_vector(first + item), first + item)) {
      kept.flags[item / 32u] |= 1u << (item % 32u);
    }
  }
  return kept;
}
