// Scans each row. A tile has whole rows, so that nothing comes before them but an initial value, and no tile waits for another.
// Linked with contract.wgsl, tiles.wgsl of rows, scan_levels.wgsl or scan_subgroups.wgsl,
// an input and an output, length_*.wgsl and carry_*.wgsl.
// Dispatch one work-group for each tile. A grid of several rows may have more, which store nothing.
// Work-group memory: that of scan_levels.wgsl or of subgroups.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_each_row(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * call.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  if (tile >= call.tiles) {
    return;
  }
  scan_row_tile(row_tile(tile), thread);
}
