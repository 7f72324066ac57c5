// Segments with gaps. A part, which is a segment or a gap, starts where the two bits of an item are not 0: 1 where a gap follows a
// segment, or a segment follows a gap, and 2 where a segment follows another one at once. So the heads up to an item are even if it is in a
// segment, and odd if it is in a gap. The first item counts as if a segment came before it, and there are bits behind the last item, as if a
// segment followed.
// Linked with contract.wgsl. Call from any control flow. No work-group memory.

@group(0) @binding(14) var<storage, read> heads: array<u32>;

fn head_at(index: u32) -> u32 {
  return (heads[call.heads_base + index / 16u] >> (index % 16u * 2u)) & 3u;
}

// The heads of a vector of items. A vector has a power of two of items, so that its bits are in one word.
fn heads_of_vector(first: u32) -> array<u32, VECTOR> {
  var found: array<u32, VECTOR>;
  let bits = heads[call.heads_base + first / 16u] >> (first % 16u * 2u);
  for (var item = 0u; item < VECTOR; item++) { // unroll
    found[item] = (bits >> (item * 2u)) & 3u;
  }
  return found;
}
