// Loads a vector of flags at once. Their range is bound twice, here as vectors, and may start within one.
// Linked with scan_flat_segments.wgsl and heads.wgsl. Generated with it: HeadVector and array_of_vector. Call from any control flow. No
// work-group memory.

@group(0) @binding(15) var<storage, read> head_vectors: array<HeadVector>;

fn heads_start_at_vector() -> bool {
  return call.heads_base % VECTOR == 0u;
}

fn flags_of_vector(vector: u32) -> array<u32, VECTOR> {
  return array_of_vector(head_vectors[call.heads_base / VECTOR + vector]);
}
