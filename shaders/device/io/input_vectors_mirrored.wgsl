// The input is read in mirrored order, vector by vector. Its length is a multiple of VECTOR.
// Linked with input_vectors.wgsl. Call from any control flow. No work-group memory.
// replaces: read_vector

fn read_vector(vector: u32) -> InputVector {
  return input[call.input_base + data_length() / VECTOR - 1u - vector];
}
