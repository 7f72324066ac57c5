// Stores the key of the first item of each run.
// Linked with the keys' file, which declares key_at, and totals.wgsl. No work-group memory.
// replaces: store_key

@group(0) @binding(15) var<storage, read_write> unique_keys: array<Key>;

fn store_key(first: u32, number: u32, length: u32) {
  if (first < length) {
    let place = place_of_segment(first, number, length);
    if (place < call.room) {
      unique_keys[call.unique_base + place] = key_at(first);
    }
  }
}
