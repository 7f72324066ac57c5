// A kept item is read again from its range, since work-group memory has keys alone.
// Linked with tile.wgsl. Call from any control flow. No work-group memory.

fn kept_item(tile: MergeTile, source: u32) -> Output {
  return item_from_source(tile, source);
}
