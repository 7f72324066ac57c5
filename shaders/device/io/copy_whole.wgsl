// All items are copied: partitions and sorts store as many as they read.
// Linked with copy_items.wgsl and length_*.wgsl.

fn items_to_copy() -> u32 {
  return data_length();
}
