// As reduce_tiles.wgsl, with its items one by one.
// Linked with reduce_tiles.wgsl and what that is linked with, and one_by_one.wgsl.
// Dispatch one work-group a tile, and for rows of a grid more.
// Work-group memory: the algorithm's.
// replaces: reduce_tiles

@compute @workgroup_size(WORK_GROUP_SIZE)
fn reduce_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * params.grid_width + work_group.x;
  let thread = work_group_thread(invocation);

  let total = work_group_reduce(sum_of_items(tile, thread, data_length()), thread);
  if (tile < params.tiles && thread == 0u) {
    write_item(tile, item_from_element(total));
  }
}
