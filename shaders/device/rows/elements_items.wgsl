// Elements are items, since vectors are.
// Linked with scan_levels.wgsl.

fn scan_row_tile(own: RowTile, thread: u32) {
  scan_row_items(own, thread);
}
