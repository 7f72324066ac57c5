// Where bits start segments among a thread's items. A vector has a power of two of items, so that its bits are in one word.
// Linked with scan_flat_segments.wgsl and head_bits.wgsl. Call from any control flow. No work-group memory.

// A bit for each item that starts a segment.
fn heads_of_thread(tile: u32, thread: u32, length: u32) -> u32 {
  var found = 0u;
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    found |= heads_at(vector_of(tile, thread, vector) * VECTOR, length) << (vector * VECTOR);
  }
  return found;
}

fn heads_at(first: u32, length: u32) -> u32 {
  if (first >= length) {
    return 0u;
  }
  let bits = (heads[call.heads_base + first / 32u] >> (first % 32u)) | select(0u, 1u, first == 0u);
  return bits & ((1u << min(length - first, VECTOR)) - 1u);
}
