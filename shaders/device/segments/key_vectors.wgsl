// Loads a vector of keys at once. Their range is bound twice, here as vectors, and may start within one.
// Linked with scan_flat_segments.wgsl and keys.wgsl, for keys of one word. Generated with it: KeyVector and array_of_vector. Call from any
// control flow. No work-group memory.

@group(0) @binding(15) var<storage, read> key_vectors: array<KeyVector>;

fn keys_start_at_vector() -> bool {
  return call.keys_base % VECTOR == 0u;
}

fn keys_of_vector(vector: u32) -> array<Key, VECTOR> {
  return array_of_vector(key_vectors[call.keys_base / VECTOR + vector]);
}
