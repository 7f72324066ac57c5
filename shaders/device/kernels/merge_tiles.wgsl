// Merges two sorted ranges, and keeps all items, or some by what the ranges have in common. Each work-group takes a tile of the merged order.
// Linked with contract.wgsl, merge/tile.wgsl and what that is linked with, and from merge/ merged_items.wgsl or merged_places.wgsl with what
// these are linked with, and a values_*.wgsl. The output shares no memory with what is read.
// Dispatch at least call.tiles work-groups, one for each tile, after split_tiles.wgsl. Those past the last tile write nothing.
// Work-group memory: that of the files.

@compute @workgroup_size(WORK_GROUP_SIZE)
fn merge_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let number = work_group.y * call.grid_width + work_group.x;
  if (number >= call.tiles) {
    return;
  }
  let tile = tile_of(number);
  stage_tile(tile, thread);
  workgroupBarrier();
  let kept = store_merged(tile, number, thread);
  move_values(tile, kept, thread);
}
