// Each item is stored where an item of its segment was.

fn stored_at(tile: u32, place: u32, index: u32) -> u32 {
  return index;
}
