// Loads the items that one thread of a tile takes, and finds out which of them are kept.
// Linked with contract.wgsl, portable.wgsl or subgroup.wgsl, and an input.
// Call from any control flow. No work-group memory.

struct Kept {
  items: array<Input, ITEMS>,
  // A bit for each item: 1 if it is kept.
  flags: array<u32, FLAG_WORDS>,
}

const FLAG_WORDS = (ITEMS + 31u) / 32u;

fn load_kept(tile: u32, thread: u32, length: u32) -> Kept {
  var kept: Kept;
  // All loads come before the first call of keep, so that no load waits for another.
  if ((tile + 1u) * TILE <= min(length, call.wide_length)) {
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
      if (first + item < length && keep(kept.items[vector * VECTOR + item], first + item)) {
        kept.flags[(vector * VECTOR + item) / 32u] |= 1u << ((vector * VECTOR + item) % 32u);
      }
    }
  }
  return kept;
}

// 1 for each item that is kept, and 0 for the others.
fn counts_of(kept: Kept) -> array<Element, ITEMS> {
  var flags = kept.flags;
  var counts: array<Element, ITEMS>;
  for (var item = 0u; item < ITEMS; item++) { // unroll
    counts[item] = (flags[item / 32u] >> (item % 32u)) & 1u;
  }
  return counts;
}
