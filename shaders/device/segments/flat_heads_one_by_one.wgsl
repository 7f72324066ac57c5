// Where segments start in a vector of which each item is looked at.
// Linked with flat_keys.wgsl or flat_heads.wgsl, and what these are linked with. Call from any control flow. No work-group memory.

// A bit for each item of a vector that starts a segment. The vector may reach past the end of the data.
fn heads_at(first: u32, length: u32) -> u32 {
  var heads = 0u;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    if (first + item < length) {
      heads |= head_at(first + item) << item;
    }
  }
  return heads;
}
