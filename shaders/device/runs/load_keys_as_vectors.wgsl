// Loads a vector of keys at once. The range of the keys is bound as vectors, too, and may start within one.
// Linked with run_lengths.wgsl and keys.wgsl, for keys of one word. Call from any control flow. No work-group memory.

@group(0) @binding(1) var<storage, read> key_vectors: array<KeyVector>;

fn keys_start_at_vector() -> bool {
  return call.keys_base % VECTOR == 0u;
}

fn keys_of_vector(vector: u32) -> array<Key, VECTOR> {
  return array_of_vector(key_vectors[call.keys_base / VECTOR + vector]);
}
