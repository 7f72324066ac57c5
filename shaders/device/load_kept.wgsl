// Loads the items that one thread of a tile takes, and finds out which of them are kept.
// Linked with contract.wgsl, portable.wgsl or subgroup.wgsl, load_items.wgsl and an input. Call from any control flow. No work-group memory.

struct Kept {
  items: array<Input, ITEMS>,
  is_kept: array<bool, ITEMS>,
  // How many of each vector.
  counts: array<Element, VECTORS>,
}

fn load_kept(tile: u32, thread: u32, length: u32) -> Kept {
  var kept: Kept;
  // All loads first, so that none waits for another.
  if ((tile + 1u) * TILE <= min(length, params.wide_length)) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      var items = input_items(read_vector(vector_of(tile, thread, vector)));
      for (var item = 0u; item < VECTOR; item++) { // unroll
        kept.items[vector * VECTOR + item] = items[item];
      }
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      var items = read_edge(vector_of(tile, thread, vector), length);
      for (var item = 0u; item < VECTOR; item++) { // unroll
        kept.items[vector * VECTOR + item] = items[item];
      }
    }
  }
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let first = vector_of(tile, thread, vector) * VECTOR;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      if (first + item < length) {
        kept.is_kept[vector * VECTOR + item] = keep(kept.items[vector * VECTOR + item], first + item);
      }
      kept.counts[vector] += select(0u, 1u, kept.is_kept[vector * VECTOR + item]);
    }
  }
  return kept;
}
