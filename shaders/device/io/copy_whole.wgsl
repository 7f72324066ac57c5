// All items are copied: partitions and sorts store as many as they read.
// Linked with copy_items.wgsl and length_*.wgsl.
// replaces: items_to_copy

fn items_to_copy() -> u32 {
  return data_length();
}
