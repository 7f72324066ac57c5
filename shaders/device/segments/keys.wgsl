// A segment is a run of equal keys: one starts at the first item, and where a key differs from the key before.
// Linked with contract.wgsl, and with what declares Key and is_same_key. Call from any control flow. No work-group memory.

@group(0) @binding(14) var<storage, read> keys: array<Key>;

fn key_at(index: u32) -> Key {
  return keys[call.keys_base + index];
}

fn head_at(index: u32) -> u32 {
  let own = call.keys_base + index;
  return select(0u, 1u, index == 0u || !is_same_key(keys[own - min(index, 1u)], keys[own]));
}

// The heads of a vector of items. Each key is read once.
fn heads_of_vector(first: u32) -> array<u32, VECTOR> {
  var heads: array<u32, VECTOR>;
  var before = keys[call.keys_base + max(first, 1u) - 1u];
  for (var item = 0u; item < VECTOR; item++) { // unroll
    let own = keys[call.keys_base + first + item];
    heads[item] = select(0u, 1u, first + item == 0u || !is_same_key(before, own));
    before = own;
  }
  return heads;
}
