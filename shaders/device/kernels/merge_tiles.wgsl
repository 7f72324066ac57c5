// Merges two sorted ranges, and keeps all items, or some by what the ranges have in common. Each work-group takes a tile of the merged order.
// Linked with contract.wgsl, merge/tile.wgsl and what that is linked with, and from merge/ a places_*.wgsl, an order_*.wgsl, a store_*.wgsl and
// a values_*.wgsl. The output shares no memory with what is read.
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
  let sources = merged_sources(tile, thread);
  let kept = kept_places(tile, number, thread, sources);
  note_sources(kept, sources);
  store_items(tile, kept, thread, sources);
  move_values(tile, kept, thread);
}
