// Stores every item, kept or not: a partition in two. Another file says where: store_apart.wgsl or store_parted.wgsl.
// Linked with store_kept.wgsl and length_*.wgsl. Call from any control flow. No work-group memory.
// replaces: is_stored, stores_all

fn is_stored(is_kept: bool, index: u32) -> bool {
  return index < data_length();
}

// In a tile whose items are all there, each has a place.
fn stores_all(tile: u32) -> bool {
  return (tile + 1u) * TILE <= data_length();
}
