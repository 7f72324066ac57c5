// A segment is a run of items whose keys are equal. A caller's expression gives the key of an item: a segment starts at the first
// item, and where a key differs from the key before.
// Linked with what declares Keyed, Key, key_from_item and is_same_key. Call from any control flow. No work-group memory.

@group(0) @binding(14) var<storage, read> keys: array<Keyed>;

fn keyed_at(index: u32) -> Keyed {
  return keys[call.keys_base + index];
}

fn key_at(index: u32) -> Key {
  return key_from_item(keyed_at(index));
}

fn head_at(index: u32) -> u32 {
  return select(0u, 1u, index == 0u || !is_same_key(key_at(index - min(index, 1u)), key_at(index)));
}

// The heads of a vector of items. Each key is computed once.
fn heads_of_vector(first: u32) -> array<u32, VECTOR> {
  var heads: array<u32, VECTOR>;
  var before = key_at(max(first, 1u) - 1u);
  for (var item = 0u; item < VECTOR; item++) { // unroll
    let own = key_at(first + item);
    heads[item] = select(0u, 1u, first + item == 0u || !is_same_key(before, own));
    before = own;
  }
  return heads;
}
