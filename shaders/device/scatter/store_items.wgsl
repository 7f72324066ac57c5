// Elements have positions of which no two are the same.
// Linked with input_items.wgsl and output_items.wgsl.

fn store_at(position: u32, index: u32) {
  write_item(position, read_item(index));
}
