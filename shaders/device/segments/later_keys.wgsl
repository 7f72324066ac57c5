// A segment is a run of equal keys: one starts where a key differs from the key before. The keys begin with that before the first
// item.
// Linked with contract.wgsl, and with what declares Key and is_same_key. Call from any control flow. No work-group memory.

@group(0) @binding(14) var<storage, read> keys: array<Key>;

fn key_at(index: u32) -> Key {
  return keys[params.keys_base + index + 1u];
}

// Where the first item's key is in the binding.
fn keys_start() -> u32 {
  return params.keys_base + 1u;
}

fn key_before(index: u32) -> Key {
  return keys[params.keys_base + index];
}

// Whether a segment starts at an index, whatever the key before is.
fn is_first(index: u32) -> bool {
  return false;
}

fn head_at(index: u32) -> u32 {
  let before = params.keys_base + index;
  return select(0u, 1u, !is_same_key(keys[before], keys[before + 1u]));
}

// The heads of a vector of items. Each key is read once.
fn heads_of_vector(first: u32) -> array<u32, VECTOR> {
  var heads: array<u32, VECTOR>;
  var before = keys[params.keys_base + first];
  for (var item = 0u; item < VECTOR; item++) { // unroll
    let own = keys[params.keys_base + first + item + 1u];
    heads[item] = select(0u, 1u, !is_same_key(before, own));
    before = own;
  }
  return heads;
}
