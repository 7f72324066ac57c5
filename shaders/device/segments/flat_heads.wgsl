// Where flags, or keys that differ from those before, start segments among a thread's items.
// Linked with scan_flat_segments.wgsl, and heads.wgsl or keys.wgsl. Call from any control flow. No work-group memory.

// A bit for each item that starts a segment.
fn heads_of_thread(tile: u32, thread: u32, length: u32) -> u32 {
  var found = 0u;
  if ((tile + 1u) * TILE <= length) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      var starts = heads_of_vector(vector_of(tile, thread, vector) * VECTOR);
      for (var item = 0u; item < VECTOR; item++) { // unroll
        found |= starts[item] << (vector * VECTOR + item);
      }
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      found |= heads_at(vector_of(tile, thread, vector) * VECTOR, length) << (vector * VECTOR);
    }
  }
  return found;
}

// A bit for each item of a vector that starts a segment. The vector may reach past the end of the data.
fn heads_at(first: u32, length: u32) -> u32 {
  var found = 0u;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    if (first + item < length) {
      found |= head_at(first + item) << item;
    }
  }
  return found;
}
