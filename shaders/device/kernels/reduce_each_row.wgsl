// Reduces each row to its total, or each part of a row, if rows are longer than a tile. Each item is read once. The totals of
// parts lie in order, so they are rows for the next pass.
// Linked with contract.wgsl, tiles.wgsl of rows, reduce_levels.wgsl, reduce_subgroups.wgsl or reduce_part.wgsl, an
// input, output_items.wgsl, result*.wgsl, length_*.wgsl, count.wgsl or count_none.wgsl, and a file that declares row_stored().
// Dispatch one work-group for each tile. A grid of several rows may have more, which store nothing.
// Work-group memory: that of reduce_levels.wgsl or of subgroups.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn reduce_each_row(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  if (tile >= call.tiles) {
    return;
  }
  reduce_row_tile(tile, row_tile(tile), thread);
  store_row_count(tile, thread);
}

// Stores the total of a row of a tile, or of the tile's part of a row.
fn store_row_total(tile: u32, row: u32, total: Element) {
  if (row_stored(row)) {
    write_item(select(tile, row, has_whole_rows()), item_from_element(result_of(total)));
  }
}
