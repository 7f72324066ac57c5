// Stores the totals of segments instead of prefixes.
// Linked in place of store_prefixes.wgsl, with portable.wgsl or subgroup.wgsl, and totals.wgsl.
// Call from any control flow. No work-group memory.

fn store_prefixes(tile: u32, thread: u32, length: u32, prefixes: array<Element, ITEMS>) {
  var own = prefixes;
  if (vector_of(tile, thread, 0u) == 0u) {
    store_key_of_first(length);
  }
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let first = vector_of(tile, thread, vector) * VECTOR;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      // Within a vector, the next prefix says whether its item starts a segment.
      let prefix = own[vector * VECTOR + item];
      let next = own[vector * VECTOR + min(item + 1u, VECTOR - 1u)];
      if (first + item + 1u >= length || item + 1u == VECTOR) {
        store_if_last(first + item, length, prefix);
      } else if (next.heads != prefix.heads) {
        store_total_of_segment(first + item, length, prefix);
      }
    }
  }
}
