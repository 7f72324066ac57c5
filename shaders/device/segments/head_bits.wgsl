// A segment starts at the first item, and where a bit is set. A word has the bits of 32 items, the lowest bit first.
// Linked with contract.wgsl. Call from any control flow. No work-group memory.

@group(0) @binding(14) var<storage, read> heads: array<u32>;

fn head_at(index: u32) -> u32 {
  let bit = (heads[call.heads_base + index / 32u] >> (index % 32u)) & 1u;
  return select(bit, 1u, index == 0u);
}

// The heads of a vector of items. A vector has a power of two of items, so that its bits are in one word.
fn heads_of_vector(first: u32) -> array<u32, VECTOR> {
  var found: array<u32, VECTOR>;
  let bits = heads[call.heads_base + first / 32u] >> (first % 32u);
  for (var item = 0u; item < VECTOR; item++) { // unroll
    found[item] = select((bits >> item) & 1u, 1u, first + item == 0u);
  }
  return found;
}
