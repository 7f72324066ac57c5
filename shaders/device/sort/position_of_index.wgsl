// Items are in the order of the data. Call from any control flow. No work-group memory.

fn position_at(index: u32) -> u32 {
  return index;
}
