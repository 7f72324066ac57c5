// A segment starts at the first item, and where a flag, a u32, is not zero.
// Linked with contract.wgsl. Call from any control flow. No work-group memory.

@group(0) @binding(14) var<storage, read> heads: array<u32>;

fn head_at(index: u32) -> u32 {
  return select(0u, 1u, index == 0u || heads[call.heads_base + index] != 0u);
}

// The heads of a vector of items.
fn heads_of_vector(first: u32) -> array<u32, VECTOR> {
  var found: array<u32, VECTOR>;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    let flag = heads[call.heads_base + first + item];
    found[item] = select(0u, 1u, first + item == 0u || flag != 0u);
  }
  return found;
}
