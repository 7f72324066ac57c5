// Where flags, each a u32, start segments among a thread's items.
// Linked with scan_flat_segments.wgsl, flat_heads_one_by_one.wgsl, heads.wgsl and head_vectors.wgsl. Call from any control flow. No work-group memory.

// A bit for each item that starts a segment.
fn heads_of_thread(tile: u32, thread: u32, length: u32) -> u32 {
  var heads = 0u;
  if ((tile + 1u) * TILE <= length && heads_start_at_vector()) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      let place = vector_of(tile, thread, vector);
      var flags = flags_of_vector(place);
      heads |= select(0u, 1u << (vector * VECTOR), place == 0u);
      for (var item = 0u; item < VECTOR; item++) { // unroll
        heads |= select(0u, 1u << (vector * VECTOR + item), flags[item] != 0u);
      }
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      heads |= heads_at(vector_of(tile, thread, vector) * VECTOR, length) << (vector * VECTOR);
    }
  }
  return heads;
}
