// The input, a range of the output's buffer, is read in mirrored order.
// Linked with one_buffer_items.wgsl and mirror_*.wgsl. Call from any control flow. No work-group memory.
// replaces: read_item

fn read_item(index: u32) -> Input {
  return output[call.input_base + mirrored(index)];
}
