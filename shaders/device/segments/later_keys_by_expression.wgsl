// A segment is a run of items whose keys are equal. A caller's expression gives the key of an item: a segment starts where a key
// differs from the key before. What keys are computed from begins with the element before that of the first item.
// Linked with what declares Keyed, Key, key_from_item and is_same_key. Call from any control flow. No work-group memory.

@group(0) @binding(14) var<storage, read> keys: array<Keyed>;

// The key before that of the item.
fn key_before(index: u32) -> Key {
  return key_from_item(keys[params.keys_base + index]);
}

fn keyed_at(index: u32) -> Keyed {
  return keys[params.keys_base + index + 1u];
}

fn key_at(index: u32) -> Key {
  return key_from_item(keyed_at(index));
}

fn head_at(index: u32) -> u32 {
  return select(0u, 1u, !is_same_key(key_before(index), key_at(index)));
}

// The heads of a vector of items. Each key is computed once.
fn heads_of_vector(first: u32) -> array<u32, VECTOR> {
  var heads: array<u32, VECTOR>;
  var before = key_before(first);
  for (var item = 0u; item < VECTOR; item++) { // unroll
    let own = key_at(first + item);
    heads[item] = select(0u, 1u, !is_same_key(before, own));
    before = own;
  }
  return heads;
}
