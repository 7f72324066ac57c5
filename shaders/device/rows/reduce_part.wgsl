// Reduces a tile that has a part of one row, by subgroups.
// Linked with reduce_each_row.wgsl, load_elements.wgsl, and subgroup.wgsl, whose work-group memory it uses.

fn reduce_row_tile(tile: u32, own: RowTile, thread: u32) {
  let total = reduce_tile(load_row_elements(own, thread), thread);
  if (thread == 0u) {
    store_row_total(tile, own.row, total);
  }
}
