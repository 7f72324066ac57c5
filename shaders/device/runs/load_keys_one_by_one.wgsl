// Loads the keys of a vector one by one, wherever they start.
// Linked with run_lengths.wgsl. Call from any control flow. No work-group memory.

fn keys_start_at_vector() -> bool {
  return true;
}

fn keys_of_vector(vector: u32) -> array<Key, VECTOR> {
  var keys: array<Key, VECTOR>;
  for (var item = 0u; item < VECTOR; item++) { // unroll
    keys[item] = key_at(vector * VECTOR + item);
  }
  return keys;
}
