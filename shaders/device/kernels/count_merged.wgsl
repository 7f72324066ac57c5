// Counts the items of each tile of the merged order that merge_tiles.wgsl will keep.
// Linked with contract.wgsl, merge/tile.wgsl and what that is linked with, merge/merged_places.wgsl, merge/count_kept.wgsl and a scan of device/work_group.
// Dispatch at least call.tiles work-groups, one for each tile, after split_tiles.wgsl. Those past the last tile write nothing.
// Work-group memory: that of the files.

@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn count_merged(
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
  let kept = work_group_scan_exclusive(count_kept(merged_sources(tile, thread)), thread);
  if (thread == 0u) {
    counts[number] = kept.total;
  }
}
