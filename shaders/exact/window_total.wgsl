// The total of another tile in its window, for a single pass that scans in windows.
// Linked with tiles.wgsl. Call in uniform control flow. Work-group memory: that of tiles.wgsl.
// replaces: total_of_tile

// The total of any tile. The tile's own window stays.
fn total_of_tile(tile: u32, thread: u32, length: u32) -> Element {
  let own = exact_window;
  let total = begin_scan(load_items(tile, thread, length), thread).total;
  exact_window = own;
  return total;
}
