// All items are copied: a partition stores as many as it reads.
// Linked with copy_items.wgsl and length_*.wgsl.
// replaces: items_to_copy

fn items_to_copy() -> u32 {
  return data_length();
}
