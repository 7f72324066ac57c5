// A kept item is taken from work-group memory.
// Linked with tile.wgsl. Call from any control flow. No work-group memory.

fn kept_item(tile: MergeTile, source: u32) -> Output {
  return staged[source];
}
