// Stores the key of each run beside its total. The keys begin with that before the first item.
// Linked with later_keys.wgsl and totals.wgsl. No work-group memory.
// replaces: store_key

@group(0) @binding(15) var<storage, read_write> unique_keys: array<Key>;

fn store_key(place: u32, index: u32) {
  unique_keys[params.unique_base + place] = keys[params.keys_base + index + 1u];
}
