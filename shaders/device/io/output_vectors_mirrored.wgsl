// The output is written in mirrored order, vector by vector. Its length is a multiple of VECTOR.
// Linked with output_vectors.wgsl. Call from any control flow. No work-group memory.
// replaces: read_output_vector, write_vector

fn read_output_vector(vector: u32) -> OutputVector {
  return output[call.output_base + data_length() / VECTOR - 1u - vector];
}

fn write_vector(vector: u32, items: OutputVector) {
  output[call.output_base + data_length() / VECTOR - 1u - vector] = items;
}
