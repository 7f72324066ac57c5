// Stores the key of each run beside its total.
// Linked with the keys' file, which declares key_at, and totals.wgsl. No work-group memory.
// replaces: store_key

@group(0) @binding(15) var<storage, read_write> unique_keys: array<Key>;

fn store_key(place: u32, index: u32) {
  unique_keys[params.unique_base + place] = key_at(index);
}
