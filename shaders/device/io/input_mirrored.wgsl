// The input is read in mirrored order.
// Linked with input_items.wgsl and mirror_*.wgsl. Call from any control flow. No work-group memory.
// replaces: read_item

fn read_item(index: u32) -> Input {
  return input[call.input_base + mirrored(index)];
}
