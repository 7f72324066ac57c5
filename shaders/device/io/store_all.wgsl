// Stores every item, kept or not: a partition in two. Another file says where: store_apart.wgsl or store_parted.wgsl.
// Linked with store_kept.wgsl and length_*.wgsl. Call from any control flow. No work-group memory.
// replaces: is_stored

fn is_stored(is_kept: bool, index: u32) -> bool {
  return index < data_length();
}
