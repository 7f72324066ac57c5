// Stores the one element that is left, and its position.
// Linked with histogram.wgsl, selection.wgsl and output_items.wgsl. Call from any control flow. No work-group memory.

@group(0) @binding(18) var<storage, read_write> indices: array<u32>;

fn tally_item(item: Input, index: u32, thread: u32) {
  if (is_left(key_from_item(item), index)) {
    write_item(0u, item);
    indices[call.indices_base] = index + call.first_index;
  }
}
