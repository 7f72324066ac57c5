// A compaction keeps the elements that a selection takes.
// Linked with selection.wgsl. Call from any control flow. No work-group memory.

fn keep(item: Input, index: u32) -> bool {
  return is_taken(key_from_item(item), index);
}
