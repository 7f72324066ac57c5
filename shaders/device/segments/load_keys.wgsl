// Loads the keys that one thread of a tile takes: a vector at a time, if the tile is whole and the keys start at a vector, and one by one
// if not.
// Linked with subgroup.wgsl, a file that declares key_at, and one that loads a vector of keys: key_vectors.wgsl or runs/load_keys_*.wgsl.
// Call from any control flow. No work-group memory.

// Places past the end of the data hold no keys that count.
fn load_keys(tile: u32, thread: u32, length: u32) -> array<Key, ITEMS> {
  var found: array<Key, ITEMS>;
  if ((tile + 1u) * TILE <= length && keys_start_at_vector()) {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      var loaded = keys_of_vector(vector_of(tile, thread, vector));
      for (var item = 0u; item < VECTOR; item++) { // unroll
        found[vector * VECTOR + item] = loaded[item];
      }
    }
  } else {
    for (var vector = 0u; vector < VECTORS; vector++) { // unroll
      for (var item = 0u; item < VECTOR; item++) { // unroll
        let index = vector_of(tile, thread, vector) * VECTOR + item;
        if (index < length) {
          found[vector * VECTOR + item] = key_at(index);
        }
      }
    }
  }
  return found;
}
