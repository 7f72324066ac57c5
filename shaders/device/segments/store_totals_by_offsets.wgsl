// Stores the totals of segments that offsets give, instead of prefixes. To find a place may take many loads, one after another. So the
// threads of a subgroup find places at the same time, each for its first total, then for its second one, and so on.
// Linked in place of store_prefixes.wgsl, with portable.wgsl or subgroup.wgsl, totals.wgsl and places_by_offsets.wgsl. A thread has at most 32 items.
// Call from any control flow. No work-group memory.

fn store_prefixes(tile: u32, thread: u32, length: u32, prefixes: array<Element, ITEMS>) {
  var own = prefixes;
  // A bit for each item that is the last one of its segment.
  var left = 0u;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    let first = vector_of(tile, thread, vector) * VECTOR;
    for (var item = 0u; item < VECTOR; item++) { // unroll
      // Within a vector, the next prefix says whether its item starts a segment.
      let next = own[vector * VECTOR + min(item + 1u, VECTOR - 1u)];
      var is_last = next.heads != own[vector * VECTOR + item].heads;
      if (first + item + 1u >= length || item + 1u == VECTOR) {
        is_last = is_last_of_segment(first + item, length);
      }
      left |= select(0u, 1u << (vector * VECTOR + item), is_last);
    }
  }
  while (left != 0u) {
    let item = firstTrailingBit(left);
    left &= left - 1u;
    var prefix = own[0];
    for (var other = 1u; other < ITEMS; other++) { // unroll
      if (other == item) {
        prefix = own[other];
      }
    }
    store_total_of_segment(vector_of(tile, thread, item / VECTOR) * VECTOR + item % VECTOR, length, prefix);
  }
}
