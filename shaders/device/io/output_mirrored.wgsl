// The output is written in mirrored order: a result has the place of its item.
// Linked with output_items.wgsl or one_buffer_items.wgsl, and mirror_*.wgsl. Call from any control flow. No work-group memory.
// replaces: write_item, read_output_vector

fn write_item(index: u32, item: Output) {
  output[call.output_base + mirrored(index)] = item;
}

fn read_output_vector(vector: u32) -> OutputVector {
  return output[call.output_base + mirrored(vector)];
}
